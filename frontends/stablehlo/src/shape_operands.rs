//! Replacement of operations that take shapes as operands, such as `dynamic_reshape`, by operations that have them in
//! their attributes and types.
//!
//! Result types are static, so that most of these operands only repeat them. The others, such as padding, must be
//! computed from constants.

use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Element, Ints, Local, Opcode, ParsedModule as Module, ParsedOp as Op, ParsedValue as Value};
use partita_ir::diag::Code;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::Literal;
use partita_ir::tensor::Scalar;
use smallvec::SmallVec;

/// Maximum number of elements of an operand that describes a shape.
const MAX_SHAPE_ELEMENTS: usize = 4096;

/// Replaces the operations of a verified module.
///
/// # Errors
/// An operand that determines a shape and is not computed from constants.
pub fn fix_shapes(module: &mut Module<'_>) -> Result<()> {
    for func in &mut module.funcs {
        let mut shapes = Shapes { known: vec![None; func.values.len()], values: &func.values };
        shapes.ops(&mut func.body.ops)?;
    }
    Ok(())
}

/// Values of a function that are known integers.
struct Shapes<'f, 'a> {
    /// Elements of each known value.
    known: Vec<Option<Ints>>,
    values: &'f [Value<'a>],
}

impl<'a> Shapes<'_, 'a> {
    fn ops(&mut self, ops: &mut [Op<'a>]) -> Result<()> {
        for op in ops {
            self.fix(op)?;
            if op.types.len() == 1 && (op.first_result as usize) < self.known.len() {
                self.known[op.first_result as usize] = self.evaluate(op);
            }
            for region in &mut op.regions {
                self.ops(&mut region.ops)?;
            }
        }
        Ok(())
    }

    /// Replaces an operation with shapes as operands.
    fn fix(&self, op: &mut Op<'a>) -> Result<()> {
        let (code, operands, attrs): (Opcode, usize, SmallVec<[(&'a str, Attr<'a>); 3]>) = match op.code {
            Opcode::DynamicReshape => (Opcode::Reshape, 1, SmallVec::new()),
            Opcode::DynamicBroadcastInDim => (Opcode::BroadcastInDim, 1, SmallVec::new()),
            Opcode::DynamicIota => (Opcode::Iota, 0, SmallVec::new()),
            Opcode::DynamicGather => (Opcode::Gather, 2, SmallVec::from_iter([("slice_sizes", self.constant(op, 2)?)])),
            Opcode::DynamicConv => (Opcode::Convolution, 2, SmallVec::from_iter([("padding", self.constant(op, 2)?)])),
            Opcode::DynamicPad => {
                let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
                (Opcode::Pad, 2, self.constants(op, 2, names)?)
            }
            Opcode::RealDynamicSlice => {
                let names = ["start_indices", "limit_indices", "strides"];
                (Opcode::Slice, 1, self.constants(op, 1, names)?)
            }
            Opcode::GetDimensionSize => {
                let size = Literal::Splat(Scalar::Int(self.dimension_size(op)?));
                (Opcode::Constant, 0, SmallVec::from_iter([("value", Attr::Literal(size))]))
            }
            _ => return Ok(()),
        };
        if matches!(code, Opcode::Reshape | Opcode::BroadcastInDim | Opcode::Iota) {
            self.check_shape(op, operands)?;
        }
        op.code = code;
        op.operands.truncate(operands);
        op.attrs.retain(|(name, _)| !name.starts_with("known_") && (*name != "dimension" || code != Opcode::Constant));
        op.attrs.extend(attrs);
        Ok(())
    }

    /// Returns the operands from the given one on as attributes.
    fn constants(
        &self,
        op: &Op<'a>,
        first: usize,
        names: [&'static str; 3],
    ) -> Result<SmallVec<[(&'a str, Attr<'a>); 3]>> {
        names.into_iter().enumerate().map(|(i, name)| Ok((name, self.constant(op, first + i)?))).collect()
    }

    /// Returns an operand as an attribute. Errors: it is not known.
    fn constant(&self, op: &Op<'a>, index: usize) -> Result<Attr<'a>> {
        let local = op.operands.get(index).copied();
        match local.and_then(|local| self.known.get(local as usize)?.clone()) {
            Some(ints) => Ok(Attr::Ints(ints)),
            None => {
                let name = local.and_then(|local| self.values.get(local as usize)).map(ToString::to_string);
                let title =
                    format!("`{}` of `{}` is not computed from constants", name.unwrap_or_default(), op.code.name());
                Err(Fault::unsupported(title, op.span()).help("trace the function with concrete shapes"))
            }
        }
    }

    /// Checks that an operand which is the shape of the result, and is known, agrees with the type of the result.
    fn check_shape(&self, op: &Op<'a>, index: usize) -> Result<()> {
        let (Some(&local), Some(ty)) = (op.operands.get(index), op.types.first()) else { return Ok(()) };
        let Some(Some(shape)) = self.known.get(local as usize) else { return Ok(()) };
        if shape.iter().map(|&size| usize::try_from(size).ok()).eq(ty.shape.iter().map(|&size| Some(size))) {
            return Ok(());
        }
        let title = format!("`{}` to the shape {shape:?} does not return {ty}", op.code.name());
        Err(Fault::new(Code::V001, title, op.span()))
    }

    fn dimension_size(&self, op: &Op<'a>) -> Result<i64> {
        let dim = op.size("dimension")?;
        let value = op.operands.first().and_then(|&local| self.values.get(local as usize));
        match value.and_then(|value| value.ty.shape.get(dim)) {
            Some(&size) => Ok(size as i64),
            None => Err(Fault::malformed(
                format!("`{}` of dimension {dim}, which does not exist", op.code.name()),
                op.span(),
            )),
        }
    }

    /// Returns the integers of the only result of an operation, if they are known.
    fn evaluate(&self, op: &Op<'a>) -> Option<Ints> {
        let ty = &op.types[0];
        let Element::Plain(dtype) = ty.element else { return None };
        let count = ty.shape.checked_count().filter(|&count| dtype.is_int() && count <= MAX_SHAPE_ELEMENTS)?;
        let operand = |i: usize| op.operands.get(i).and_then(|&x: &Local| self.known.get(x as usize)?.as_ref());
        let pairwise = |f: fn(i64, i64) -> Option<i64>| -> Option<Ints> {
            operand(0)?.iter().zip(operand(1)?).map(|(&x, &y)| f(x, y).filter(|&z| fits(z, dtype))).collect()
        };
        match op.code {
            Opcode::Constant => {
                let plain = Type { shape: ty.shape.clone(), dtype };
                let literal = match op.attr("value")? {
                    Attr::Dense(dense) => dense.read(&plain).ok()?,
                    Attr::Literal(literal) => literal.clone(),
                    _ => return None,
                };
                Some(match literal {
                    Literal::Splat(x) => Ints::from_elem(x.to_i64(), count),
                    Literal::Dense(items) => items.iter().map(|x| x.to_i64()).collect(),
                })
            }
            Opcode::Reshape => operand(0).cloned(),
            Opcode::Convert => operand(0).filter(|ints| ints.iter().all(|&x| fits(x, dtype))).cloned(),
            Opcode::BroadcastInDim => match operand(0)?[..] {
                [x] => Some(Ints::from_elem(x, count)),
                _ => None,
            },
            Opcode::Concatenate if ty.shape.rank() == 1 => {
                let parts: Option<Vec<&Ints>> = (0..op.operands.len()).map(operand).collect();
                Some(parts?.into_iter().flatten().copied().collect())
            }
            Opcode::Add => pairwise(i64::checked_add),
            Opcode::Subtract => pairwise(i64::checked_sub),
            Opcode::Multiply => pairwise(i64::checked_mul),
            Opcode::Divide => pairwise(i64::checked_div),
            Opcode::Maximum => pairwise(|x, y| Some(x.max(y))),
            Opcode::Minimum => pairwise(|x, y| Some(x.min(y))),
            _ => None,
        }
    }
}

/// Returns true if the element type contains the integer.
fn fits(x: i64, dtype: DType) -> bool {
    let (low, high) = dtype.int_range();
    (low..=high).contains(&x)
}
