//! `all_to_all`: moves axes from one dimension to another.

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
    /// Moves axes from one dimension to another: every device cuts its value along the dimension that gains the axes,
    /// and gets pieces of the dimension that loses them.
    AllToAll = "all_to_all" {
        /// The dimension that loses the axes.
        "dim" from: usize,
        /// The dimension that gains them.
        "-> dim" to: usize,
        /// The axes.
        "over" axes: Axes,
    }
}

impl Operation for AllToAll {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> Inferred {
        let [x] = check::exactly(args)?;
        check::dims_of(&[self.from, self.to], x)?;
        let ways = check::local_ways(program, &self.axes)?;
        let mut out = x.clone();
        out.shape[self.from] = out.shape[self.from].saturating_mul(ways);
        out.shape[self.to] = out.shape[self.to].div_ceil(ways);
        check::one(out)
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
    use crate::program::ops::testing::{axes, local};

    #[test]
    fn multiplies_one_dimension_and_cuts_the_other() {
        let x = Type::new(DType::F32, [2, 13]);
        let op = |from, to| AllToAll { from, to, axes: axes() };
        assert_eq!(op(0, 1).infer(&local(), &[&x], &[]), check::one(Type::new(DType::F32, [12, 3])));
        assert_eq!(op(1, 1).infer(&local(), &[&x], &[]), Err("dimension 1 is named twice".into()));
    }
}
