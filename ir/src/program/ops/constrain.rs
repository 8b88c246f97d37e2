//! `constrain`: the operand itself, with the layout that the user asked for on the result.
//!
//! Two that ask for one layout of one value share it. A `fresh` one is a copy of its own that nobody else shares, so
//! that it can be given up behind its last reader and be made again where it is needed again.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, LayoutOp};
use crate::program::op::{Evaluated, Inferred, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::Tensor;

op! {
    /// The operand itself, with the layout that the user asked for on the result.
    Constrain = "constrain" {
        /// A copy of its own: who else needs the value in this layout makes another one.
        "fresh" fresh: bool,
    }
}

impl Operation for Constrain {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> Inferred {
        let [x] = check::exactly(args)?;
        check::one(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Layout(LayoutOp::Constrain(self))
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        Rule::elementwise(&outs[0].shape, args.len()).moving()
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

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], _: &[&Type]) -> Evaluated {
        let [x] = check::exactly(args)?;
        Ok(vec![x.clone()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error};

    #[test]
    fn changes_no_number() {
        let x = count_up(DType::F64, [4, 3]);
        for fresh in [false, true] {
            assert_eq!(eval(Constrain { fresh }, std::slice::from_ref(&x))[0], x);
            assert_rule_holds(Constrain { fresh }, std::slice::from_ref(&x));
        }
        assert_eq!(infer_error(Constrain { fresh: false }, &[]), "takes 1 operand, not 0");
    }
}
