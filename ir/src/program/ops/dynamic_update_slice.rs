//! `dynamic_update_slice`: replaces a slice of the operand at start indices given at run time.

use crate::arena::ValueId;
use crate::dtype::{Shape, Type};
use crate::mesh::Axes;
use crate::numeric::kernel::on_same_storage;
use crate::numeric::strided::{self, View};
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Positional, op};
use crate::program::ops::dynamic_slice::clamped;
use crate::program::ops::{BinaryOp, Direction, DynamicSlice, Select, ShardStart, check};
use crate::program::{EvalCx, Program, Values};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::{Scalar, Tensor};
use smallvec::smallvec;

op! {
    /// Replaces a slice of the operand by an update. The start indices are given at run time and clamped such that the
    /// slice is within the operand. Operands: x, update, then one scalar start index per dimension of x.
    DynamicUpdateSlice = "dynamic_update_slice" {}
}

impl Operation for DynamicUpdateSlice {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, update, starts @ ..] = args else { return Err("takes an operand, an update and start indices".into()) };
        check::per_dim("start index operand", starts.len(), x)?;
        for start in starts {
            check::index_scalar("a start index", start)?;
        }
        let fits = update.dtype == x.dtype && update.shape.rank() == x.shape.rank();
        if !fits || update.shape.iter().zip(x.shape.iter()).any(|(size, n)| size > n) {
            return Err(format!("an update of {update} does not fit into {x}"));
        }
        check::single_result((*x).clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Indexing
    }

    /// Dimensions that the update covers are sharded in the operand, the update and the result; dimensions along which
    /// the update has one element in the operand and the result.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (mut operand, mut update) = (DimMap::new(), DimMap::new());
        for (&n, &size) in args[0].shape.iter().zip(args[1].shape.iter()) {
            let is_sharded = n == size || size == 1;
            let factor = rule.dim(n, if is_sharded { FactorKind::PassThrough } else { FactorKind::NeedReplication });
            operand.push(factor.clone());
            update.push(match (n == size, size) {
                (true, _) => factor,
                (false, 1) => Default::default(),
                (false, _) => rule.dim(size, FactorKind::NeedReplication),
            });
        }
        rule.outs = smallvec![operand.clone()];
        rule.args = smallvec![operand, update];
        rule.args.resize(args.len(), DimMap::new());
        rule.linear_in([0, 1])
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { positional: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x, update, starts @ ..] = args else { return Err("takes an operand, an update and start indices".into()) };
        let starts = clamped(starts, &x.ty.shape, &update.ty.shape)?;
        let view = View::row_major(&x.ty.shape).subview(&starts, &update.ty.shape);
        let data = on_same_storage!((&x.data, &update.data), (x, update) => {
            let mut out = x.clone();
            strided::write(&mut out, &view, update);
            out
        })?;
        Ok(vec![Tensor { ty: outs[0].clone(), data }])
    }
}

impl Positional for DynamicUpdateSlice {
    /// The device whose shard contains the start index writes the update. Other devices write elements that they have
    /// read at the same place, so that no device copies its shard.
    fn build_shard(
        &self,
        b: &mut Builder<'_>,
        args: &[ValueId],
        dims: &[(usize, Axes)],
        locals: &[&Type],
    ) -> Option<Values> {
        let (&[x, update, ref starts @ ..], &[local]) = (args, locals) else { return None };
        let (operand, sizes) = (b.ty(x).shape, b.ty(update).shape);
        let mut starts: Values = starts.iter().copied().collect();
        let mut is_inside: Option<ValueId> = None;
        for (dim, (size, axes)) in dims.iter().enumerate() {
            if axes.is_empty() || sizes[dim] == operand[dim] {
                continue;
            }
            let ty = b.ty(starts[dim]);
            let start = b.binary_scalar(BinaryOp::Max, starts[dim], 0.0);
            let start = b.binary_scalar(BinaryOp::Min, start, size.saturating_sub(1) as f64);
            let first = b.op("first", ShardStart { size: *size, axes: axes.clone() }, &[], ty.clone());
            let start = b.binary(BinaryOp::Sub, start, first);
            let [first, end] = [0, local.shape[dim]].map(|n| b.splat(ty.clone(), Scalar::Int(n as i64)));
            let is_after = b.compare(start, Direction::Ge, first);
            let is_before = b.compare(start, Direction::Lt, end);
            let is_between = b.binary(BinaryOp::And, is_after, is_before);
            is_inside = Some(is_inside.map_or(is_between, |other| b.binary(BinaryOp::And, other, is_between)));
            starts[dim] = start;
        }
        let is_inside = is_inside?;
        let shard = |dim: usize| if sizes[dim] == operand[dim] { local.shape[dim] } else { sizes[dim] };
        let shape: Shape = (0..sizes.rank()).map(shard).collect();
        let slice = DynamicSlice { sizes: shape.iter().copied().collect() };
        let ty = Type { shape, dtype: local.dtype };
        let args = |first: &[ValueId]| -> Values { first.iter().chain(&starts).copied().collect() };
        let old = b.op("old", slice, &args(&[x]), ty.clone());
        let is_inside = b.broadcast(is_inside, &[], ty.shape.clone());
        let new = b.op("new", Select {}, &[is_inside, update, old], ty);
        Some(smallvec![b.op("updated", DynamicUpdateSlice {}, &args(&[x, new]), local.clone())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    #[test]
    fn replaces_a_slice_at_clamped_indices() {
        let (row, column) = (ints(DType::I32, [], &[9]), ints(DType::I32, [], &[1]));
        let args = [count_up(DType::I32, [2, 3]), ints(DType::I32, [1, 2], &[8, 9]), row, column];
        assert_eq!(eval(DynamicUpdateSlice {}, &args), [ints(DType::I32, [2, 3], &[0, 1, 2, 3, 8, 9])]);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, update, i) = (Type::new(DType::F32, [2]), Type::new(DType::F32, [3]), Type::new(DType::I32, []));
        let error = infer_error(DynamicUpdateSlice {}, &[&x, &update, &i]);
        assert_eq!(error, "an update of f32[3] does not fit into f32[2]");
    }

    #[test]
    fn rules_hold() {
        let at = ints(DType::I32, [], &[2]);
        let args = [count_up(DType::F64, [4, 6]), count_up(DType::F64, [4, 2]), at.clone(), at];
        assert_rule_holds(DynamicUpdateSlice {}, &args);
    }
}
