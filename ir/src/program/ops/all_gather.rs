//! `all_gather`: puts the pieces of all devices along axes one after the other.

use crate::dtype::Type;
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, Collective};
use crate::program::op::{Evaluated, Inferred, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::Tensor;

op! {
    /// Puts the pieces of all devices along axes one after the other.
    AllGather = "all_gather" {
        /// The dimension that becomes whole along the axes.
        "dim" dim: usize,
        /// The axes.
        "over" axes: Axes,
    }
}

impl Operation for AllGather {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> Inferred {
        let [x] = check::exactly(args)?;
        check::dim_of(self.dim, x)?;
        let mut out = x.clone();
        out.shape[self.dim] = out.shape[self.dim].saturating_mul(check::local_ways(program, &self.axes)?);
        check::one(out)
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

    fn shrink(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, _: &[&Tensor], _: &[&Type]) -> Evaluated {
        Err(check::needs_devices())
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
        assert_eq!(op.infer(&local(), &[&x], &[]), check::one(Type::new(DType::F32, [2, 30])));
        let explicit = Program { form: Form::Explicit, ..local() };
        assert_eq!(op.infer(&explicit, &[&x], &[]), check::one(x.clone()));
        let op = AllGather { dim: 2, axes: axes() };
        assert_eq!(op.infer(&local(), &[&x], &[]), Err("there is no dimension 2 in f32[2, 5]".into()));
    }
}
