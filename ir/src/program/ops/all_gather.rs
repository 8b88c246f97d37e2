//! `all_gather`: concatenates the shards of all devices along mesh axes.

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
    /// Concatenates the shards of all devices along mesh axes.
    AllGather = "all_gather" {
        /// The dimension that is gathered.
        "dim" dim: usize,
        /// The mesh axes.
        "over" axes: Axes,
    }
}

impl Operation for AllGather {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::dim_exists(self.dim, x)?;
        let mut out = x.clone();
        out.shape[self.dim] = out.shape[self.dim].saturating_mul(check::local_shard_count(program, &self.axes)?);
        check::single_result(out)
    }

    fn class(&self) -> Class<'_> {
        Class::Collective(Collective::AllGather(self))
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
    use crate::program::Form;
    use crate::program::ops::testing::{axes, local};

    #[test]
    fn multiplies_a_local_dimension() {
        let x = Type::new(DType::F32, [2, 5]);
        let op = AllGather { dim: 1, axes: axes() };
        assert_eq!(op.infer(&local(), &[&x], &[]), check::single_result(Type::new(DType::F32, [2, 30])));
        let explicit = Program { form: Form::Explicit, ..local() };
        assert_eq!(op.infer(&explicit, &[&x], &[]), check::single_result(x.clone()));
        let op = AllGather { dim: 2, axes: axes() };
        assert_eq!(op.infer(&local(), &[&x], &[]), Err("there is no dimension 2 in f32[2, 5]".into()));
    }
}
