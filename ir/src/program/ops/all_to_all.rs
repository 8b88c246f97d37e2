//! `all_to_all`: moves mesh axes from one dimension to another.

use crate::dtype::Type;
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, Collective};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::Tensor;

op! {
    /// Moves mesh axes from one dimension to another: every device splits its value along the dimension that gains the
    /// axes, and receives shards of the dimension that loses them.
    AllToAll = "all_to_all" {
        /// The dimension that loses the axes.
        "dim" from: usize,
        /// The dimension that gains the axes.
        "-> dim" to: usize,
        /// The mesh axes.
        "over" axes: Axes,
    }
}

impl Operation for AllToAll {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::distinct_dims(&[self.from, self.to], x)?;
        let shard_count = check::local_shard_count(program, &self.axes)?;
        let mut out = x.clone();
        out.shape[self.from] = out.shape[self.from].saturating_mul(shard_count);
        out.shape[self.to] = out.shape[self.to].div_ceil(shard_count);
        check::single_result(out)
    }

    fn class(&self) -> Class<'_> {
        Class::Collective(Collective::AllToAll(self))
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        Rule::elementwise(&outs[0].shape, args.len())
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

    fn eval(&self, _: &EvalCx<'_>, _: &[&Tensor], _: &[&Type]) -> EvalResult {
        Err(check::collective_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{axes, local};

    #[test]
    fn multiplies_one_dimension_and_divides_the_other() {
        let x = Type::new(DType::F32, [2, 13]);
        let op = |from, to| AllToAll { from, to, axes: axes() };
        assert_eq!(op(0, 1).infer(&local(), &[&x], &[]), check::single_result(Type::new(DType::F32, [12, 3])));
        assert_eq!(op(1, 1).infer(&local(), &[&x], &[]), Err("dimension 1 is named twice".into()));
    }
}
