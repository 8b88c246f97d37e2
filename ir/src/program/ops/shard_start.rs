//! `piece_start`: global index of the first element of this device's shard of a dimension, as a scalar.

use crate::dtype::Type;
use crate::layout::dim_shard;
use crate::mesh::Axes;
use crate::program::Program;
use crate::program::class::{Class, DeviceOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::program::{EvalCx, MeshPosition};
use crate::rule::Rule;
use crate::tensor::{Scalar, Tensor};

op! {
    /// Global index of the first element of this device's shard of a dimension, as a scalar.
    ShardStart = "piece_start" {
        /// Global size of the dimension.
        "of" size: usize,
        /// The mesh axes that shard the dimension.
        "over" axes: Axes,
    }
}

impl Operation for ShardStart {
    fn infer(&self, program: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [] = check::exactly(args)?;
        check::valid_axes(program, &self.axes)?;
        let ty = check::declared_one(declared)?;
        check::index_scalar("a start", ty)?;
        check::single_result(ty.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Device(DeviceOp::ShardStart(self))
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
        Interfaces::NONE
    }

    fn eval(&self, cx: &EvalCx<'_>, _: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let start = |at: &MeshPosition<'_>| dim_shard(self.size, &self.axes, at.mesh, &at.coords).start;
        let start = cx.device.as_ref().map_or(0, start);
        Ok(vec![Tensor::splat(outs[0].clone(), Scalar::Int(start as i64))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{axes, eval_at_as, local};

    #[test]
    fn counts_the_elements_before_the_shard() {
        let op = || ShardStart { size: 10, axes: axes() };
        let ty = Type::new(DType::I32, []);
        let starts: Vec<i64> =
            (0..6).map(|rank| eval_at_as(op(), &[], &[rank / 3, rank % 3], &ty).get(0).to_i64()).collect();
        // 10 over 2 is 5 each, and 5 over 3 is 2 each.
        assert_eq!(starts, [0, 2, 4, 5, 7, 9]);
        let error = op().infer(&local(), &[], &[&Type::new(DType::F32, [])]).unwrap_err();
        assert_eq!(error, "a start must be an integer scalar, not f32[]");
    }
}
