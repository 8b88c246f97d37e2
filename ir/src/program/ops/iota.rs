//! `iota`: the index of each element along one dimension.

use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::{Class, SourceOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Positional, op};
use crate::program::ops::{Binary, BinaryOp, Broadcast, Convert, ShardStart, check};
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// The index of each element along one dimension.
    Iota = "iota" {
        /// The dimension along which elements are numbered.
        "dim" dim: usize,
    }
}

impl Operation for Iota {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [] = check::exactly(args)?;
        let ty = check::declared_one(declared)?;
        check::dim_exists(self.dim, ty)?;
        if ty.dtype == DType::Bool {
            return Err("is not defined for bool".into());
        }
        check::single_result(ty.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Source(SourceOp::Iota(self))
    }

    fn rule(&self, _: &[&Type], outs: &[&Type]) -> Rule {
        Rule::elementwise(&outs[0].shape, 0)
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

    fn eval(&self, _: &EvalCx<'_>, _: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let ty = outs[0];
        let n = ty.shape[self.dim];
        let inner = ty.shape.strides()[self.dim];
        let outer: usize = ty.shape[..self.dim].iter().product();
        let mut items = Vec::with_capacity(ty.shape.count());
        for i in (0..outer).flat_map(|_| 0..n as i64) {
            items.resize(items.len() + inner, i);
        }
        // A later dimension of size 0 leaves no elements.
        items.truncate(ty.shape.count());
        Ok(vec![Tensor::from_ints(ty.clone(), items)])
    }
}

impl Positional for Iota {
    /// Counts from the start of the shard. Floats are counted as integers, since adding two rounded numbers would round
    /// twice.
    fn build_shard(
        &self,
        b: &mut Builder<'_>,
        _: &[ValueId],
        dims: &[(usize, Axes)],
        locals: &[&Type],
    ) -> Option<Values> {
        let &[local] = locals else { return None };
        let (size, axes) = dims.get(self.dim).filter(|(_, axes)| !axes.is_empty())?.clone();
        let dtype = if local.dtype.is_float() { DType::I64 } else { local.dtype };
        let counted = Type { shape: local.shape.clone(), dtype };
        let iota = b.op("iota", self.clone(), &[], counted.clone());
        let start = b.op("start", ShardStart { size, axes }, &[], Type { shape: Shape::scalar(), dtype });
        let start = b.op("start", Broadcast { dims: Default::default() }, &[start], counted.clone());
        let sum = b.op("iota", Binary { op: BinaryOp::Add }, &[iota, start], counted);
        let shard = if dtype == local.dtype { sum } else { b.op("iota", Convert {}, &[sum], local.clone()) };
        Some(smallvec![shard])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_shards_match, eval_as, infer_error_as, ints};

    #[test]
    fn counts_along_a_dimension() {
        let ty = Type::new(DType::I32, [2, 3]);
        assert_eq!(eval_as(Iota { dim: 0 }, &[], &ty), ints(DType::I32, [2, 3], &[0, 0, 0, 1, 1, 1]));
        assert_eq!(eval_as(Iota { dim: 1 }, &[], &ty), ints(DType::I32, [2, 3], &[0, 1, 2, 0, 1, 2]));
        assert_eq!(eval_as(Iota { dim: 0 }, &[], &Type::new(DType::F32, [3, 0])).scalars().count(), 0);
    }

    #[test]
    fn mismatches_are_errors() {
        let ty = Type::new(DType::F32, [3]);
        assert_eq!(infer_error_as(Iota { dim: 1 }, &[], &ty), "there is no dimension 1 in f32[3]");
    }

    #[test]
    fn every_device_counts_from_its_shard_start() {
        for dtype in [DType::I32, DType::F32, DType::BF16, DType::I8] {
            assert_shards_match(Iota { dim: 0 }, &[], &Type::new(dtype, [300, 3]));
        }
    }
}
