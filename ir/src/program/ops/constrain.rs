//! `constrain`: the identity, with a layout requested by the user on the result.
//!
//! Two constraints of one value with the same layout may share the result. A `fresh` one is a separate copy that is
//! never shared, so that it can be freed after its last use and recomputed for a later use.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, LayoutOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::Tensor;

op! {
    /// The identity, with a layout requested by the user on the result.
    Constrain = "constrain" {
        /// A separate copy that is not shared with other constraints of the same value and layout.
        "fresh" fresh: bool,
    }
}

impl Operation for Constrain {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::single_result(x.clone())
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

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], _: &[&Type]) -> EvalResult {
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
    fn values_are_unchanged() {
        let x = count_up(DType::F64, [4, 3]);
        for fresh in [false, true] {
            assert_eq!(eval(Constrain { fresh }, std::slice::from_ref(&x))[0], x);
            assert_rule_holds(Constrain { fresh }, std::slice::from_ref(&x));
        }
        assert_eq!(infer_error(Constrain { fresh: false }, &[]), "takes 1 operand, not 0");
    }
}
