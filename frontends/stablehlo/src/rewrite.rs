//! Construction of operations by passes that rewrite a module.

use crate::syntax::{Arg, Attr, Attrs, Local, Op, Opcode, Region, Value};
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::Literal;
use partita_ir::tensor::Scalar;
use smallvec::{SmallVec, smallvec};

/// The function that a pass constructs.
#[derive(Default)]
pub struct Output<'a> {
    /// Values of the function.
    pub values: Vec<Value<'a>>,
    /// Operations of the current block.
    pub ops: Vec<Op<'a>>,
    /// Location and name of what is emitted next.
    pub site: Site<'a>,
}

/// Location of the operation that is being rewritten.
#[derive(Clone, Copy, Default)]
pub struct Site<'a> {
    /// Byte offset of the operation.
    pub at: u32,
    /// Line of the operation.
    pub line: u32,
    /// Text in `loc(...)`.
    pub location: &'a str,
    /// Name of the first result.
    pub name: &'a str,
    /// Number of the result, if several share the name.
    pub index: Option<u32>,
    /// Byte offset of the name.
    pub name_at: u32,
}

/// Emission of operations, named after the operation that is being rewritten.
impl<'a> Output<'a> {
    /// Adds a value, named after the current operation.
    pub fn new_value(&mut self, ty: Type) -> Local {
        let Site { name, index, name_at, .. } = self.site;
        self.values.push(Value { name, index, ty, at: name_at });
        self.values.len() as Local - 1
    }

    /// Returns the type of a lowered value.
    pub fn ty(&self, local: Local) -> Type {
        self.values[local as usize].ty.clone()
    }

    /// Emits an operation with one result and without regions.
    pub fn emit(&mut self, code: Opcode, operands: &[Local], ty: Type, attrs: Attrs<'a>) -> Local {
        let first_result = self.new_value(ty.clone());
        let Site { at, line, location, .. } = self.site;
        self.ops.push(Op {
            code,
            at,
            line,
            operands: SmallVec::from_slice(operands),
            first_result,
            types: smallvec![ty],
            inherent: attrs.len(),
            attrs,
            regions: Vec::new(),
            location,
        });
        first_result
    }

    /// Emits a comparison of an actual with an expected value.
    pub fn emit_check(&mut self, code: Opcode, actual: Local, expected: Local, attrs: Attrs<'a>) {
        let Site { at, line, location, .. } = self.site;
        let first_result = self.values.len() as Local;
        self.ops.push(Op {
            code,
            at,
            line,
            operands: SmallVec::from_slice(&[actual, expected]),
            first_result,
            types: SmallVec::new(),
            inherent: attrs.len(),
            attrs,
            regions: Vec::new(),
            location,
        });
    }

    /// Emits an elementwise function of operands of one type.
    pub fn elementwise(&mut self, code: Opcode, operands: &[Local]) -> Local {
        let ty = self.ty(operands[0]);
        self.emit(code, operands, ty, Attrs::new())
    }

    /// Emits a splat of the type of `like`.
    pub fn number(&mut self, number: f64, like: Local) -> Local {
        let ty = self.ty(like);
        self.splat(number, ty)
    }

    /// Emits a splat.
    pub fn splat(&mut self, number: f64, ty: Type) -> Local {
        let scalar = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
        self.literal(Literal::Splat(scalar), ty)
    }

    /// Emits a constant.
    pub fn literal(&mut self, literal: Literal, ty: Type) -> Local {
        self.emit(Opcode::Constant, &[], ty, smallvec![("value", Attr::Literal(literal))])
    }

    /// Emits a comparison.
    pub fn compare(&mut self, direction: &'static str, x: Local, y: Local) -> Local {
        let ty = Type { dtype: DType::Bool, ..self.ty(x) };
        self.emit(Opcode::Compare, &[x, y], ty, smallvec![("comparison_direction", Attr::Word(direction))])
    }

    /// Emits a selection: `yes` where `test` is true, `no` elsewhere.
    pub fn select(&mut self, test: Local, yes: Local, no: Local) -> Local {
        let ty = self.ty(yes);
        self.emit(Opcode::Select, &[test, yes, no], ty, Attrs::new())
    }

    /// Emits a conversion to an element type, unless the value has it.
    pub fn convert(&mut self, x: Local, dtype: DType) -> Local {
        let ty = self.ty(x);
        if ty.dtype == dtype { x } else { self.emit(Opcode::Convert, &[x], Type { dtype, ..ty }, Attrs::new()) }
    }

    pub fn add(&mut self, x: Local, y: Local) -> Local {
        self.elementwise(Opcode::Add, &[x, y])
    }

    pub fn sub(&mut self, x: Local, y: Local) -> Local {
        self.elementwise(Opcode::Subtract, &[x, y])
    }

    pub fn mul(&mut self, x: Local, y: Local) -> Local {
        self.elementwise(Opcode::Multiply, &[x, y])
    }

    pub fn div(&mut self, x: Local, y: Local) -> Local {
        self.elementwise(Opcode::Divide, &[x, y])
    }

    pub fn neg(&mut self, x: Local) -> Local {
        self.elementwise(Opcode::Negate, &[x])
    }

    pub fn unary(&mut self, code: Opcode, x: Local) -> Local {
        self.elementwise(code, &[x])
    }

    /// Emits a product with a number.
    pub fn scale(&mut self, x: Local, factor: f64) -> Local {
        let factor = self.number(factor, x);
        self.mul(x, factor)
    }

    /// Emits a sum with a number.
    pub fn offset(&mut self, x: Local, addend: f64) -> Local {
        let addend = self.number(addend, x);
        self.add(x, addend)
    }

    /// Builds a region that applies a binary operation to two scalars.
    pub fn binary_region(&mut self, code: Opcode, scalar: &Type) -> Region<'a> {
        let first = self.values.len() as Local;
        let at = self.site.at as usize..self.site.at as usize;
        let args: Vec<Arg<'_>> = (0..2)
            .map(|_| Arg { value: self.new_value(scalar.clone()), ty: scalar.clone(), at: at.clone(), location: "" })
            .collect();
        let outside = std::mem::take(&mut self.ops);
        let combined = self.emit(code, &[first, first + 1], scalar.clone(), Attrs::new());
        let Site { at, line, location, .. } = self.site;
        self.ops.push(Op {
            code: Opcode::Return,
            at,
            line,
            operands: smallvec![combined],
            first_result: combined,
            types: SmallVec::new(),
            attrs: Attrs::new(),
            inherent: 0,
            regions: Vec::new(),
            location,
        });
        Region { first, args, ops: std::mem::replace(&mut self.ops, outside) }
    }
}
