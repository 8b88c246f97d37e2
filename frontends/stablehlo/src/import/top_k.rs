//! Lowering of the largest elements along a dimension, `chlo.top_k` and JAX's approximate form of it.

use super::Importer;
use super::custom_call::option;
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Op, Opcode};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::op::OpKind;
use partita_ir::ops::{Convert, Iota, TopK, Transpose, UnaryOp};
use partita_ir::program::Values;
use partita_ir::syntax::attr::Dims;

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers the k largest elements along the last dimension, and their indices.
    pub(super) fn top_k(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        self.emit(op, TopK { k: op.size("k")? }, args)
    }

    /// Lowers a call of `ApproxTopK` to the exact function: the largest elements along a dimension and their positions,
    /// or the smallest ones. Operands are the elements, their positions, and initial values.
    pub(super) fn approximate_top_k(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[x, positions, ..], [values_type, indices_type]) = (args, &op.types[..]) else {
            return Err(self.op_fault(op, "takes elements and their positions, and returns both"));
        };
        let size = |name: &str| option(op, name).and_then(|n| usize::try_from(n).ok());
        let rank = self.program.ty(x).shape.rank();
        let (Some(k), Some(dim)) = (size("top_k"), size("reduction_dim").filter(|&dim| dim < rank)) else {
            return Err(self.op_fault(op, "needs `top_k` and `reduction_dim` in `mhlo.backend_config`"));
        };
        if !self.is_position(positions, dim) {
            let title = format!("`{}` of elements with other numbers than their positions", op.code.name());
            return Err(Fault::unsupported(title, op.span()));
        }
        let smallest = self.takes_smallest(op)?;
        // The dimension becomes the last one, and returns to its place.
        let perm: Dims = (0..rank).filter(|&d| d != dim).chain([dim]).collect();
        let inverse: Dims = (0..rank).map(|d| perm.iter().position(|&p| p == d).unwrap_or(d)).collect();
        let moved = |ty: &Type| Type { shape: perm.iter().map(|&d| ty.shape[d]).collect(), dtype: ty.dtype };
        if [values_type, indices_type].iter().any(|ty| ty.shape.rank() != rank) {
            return Err(self.op_fault(op, "returns tensors of another rank than its operand"));
        }
        let ty = moved(self.program.ty(x));
        let mut x = self.temp("moved", Transpose { perm: perm.clone() }, &[x], ty);
        if smallest {
            x = self.unary_of(UnaryOp::Neg, x);
        }
        let types = [moved(values_type), Type { dtype: DType::I32, ..moved(indices_type) }];
        let kind: OpKind = TopK { k }.into();
        self.check(op, &kind, &[x], &types)?;
        let outs: Values = types
            .into_iter()
            .map(|ty| {
                let name = self.namer.fresh("top");
                self.new_value(name, ty)
            })
            .collect();
        self.push(kind, &[x], outs.clone());
        let (mut values, mut indices) = (outs[0], outs[1]);
        if smallest {
            values = self.unary_of(UnaryOp::Neg, values);
        }
        if indices_type.dtype != DType::I32 {
            let ty = moved(indices_type);
            indices = self.temp("indices", Convert {}, &[indices], ty);
        }
        let results = [(values, values_type), (indices, indices_type)];
        Ok(results
            .into_iter()
            .map(|(v, ty)| self.temp("top", Transpose { perm: inverse.clone() }, &[v], ty.clone()))
            .collect())
    }

    /// Returns true if a value numbers the positions along a dimension.
    fn is_position(&self, value: ValueId, dim: usize) -> bool {
        let definition = self.body.iter().map(|&op| &self.program.ops[op]).find(|op| op.outs.contains(&value));
        definition.is_some_and(|op| op.kind == OpKind::Iota(Iota { dim }))
    }

    /// Returns true if the comparator of a call prefers smaller elements.
    fn takes_smallest(&self, op: &'m Op<'a>) -> Result<bool> {
        let comparator = match op.attr("called_computations") {
            Some(Attr::List(called)) => called.first().and_then(Attr::as_symbol),
            _ => None,
        };
        let func = comparator.and_then(|name| self.funcs.get(name));
        let direction = func.and_then(|func| match (&func.body.args[..], &func.body.ops[..]) {
            ([x, y, ..], [compare, end])
                if compare.code == Opcode::Compare
                    && compare.operands[..] == [x.value, y.value]
                    && end.operands[..] == [compare.first_result] =>
            {
                compare.word("comparison_direction").ok()
            }
            _ => None,
        });
        match direction {
            Some("GT") => Ok(false),
            Some("LT") => Ok(true),
            _ => Err(self.op_fault(op, "needs a comparator of elements, `GT` or `LT`")),
        }
    }
}
