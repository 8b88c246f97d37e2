//! `doubled`: each element twice.

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::{BinaryOp, check, composite};
use crate::program::{EvalCx, Program, Values};
use crate::rule::Rule;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// Each element twice: `x + x`.
    Doubled = "doubled" {}
}

impl Operation for Doubled {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        composite::check_float(x)?;
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        Rule::elementwise(&args[0].shape, 1).linear_in([0])
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        check::elements(outs)
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { composite: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        composite::eval(self, cx, args, outs)
    }
}

impl Composite for Doubled {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[x] = args else { return None };
        Some(smallvec![b.binary(BinaryOp::Add, x, x)])
    }
}
