//! `log_softmax`: `x - max x - log sum exp(x - max x)` along one dimension.

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::{BinaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// `x - max x - log sum exp(x - max x)` along one dimension.
    LogSoftmax = "log_softmax" {
        /// The dimension.
        "dim" dim: usize,
    }
}

impl Operation for LogSoftmax {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        composite::check_float(x)?;
        check::dim_exists(self.dim, x)?;
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Normalisation
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        composite::rule_with_inner_dim(args[0], self.dim)
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        (outs[0].shape.count() as u64).saturating_mul(5)
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

impl Composite for LogSoftmax {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[x] = args else { return None };
        let shape = b.ty(x).shape;
        let below = composite::subtract_max(b, x, self.dim);
        let log = composite::log_sum_exp(b, below, self.dim);
        let log = b.broadcast_along(log, self.dim, &shape);
        Some(smallvec![b.binary(BinaryOp::Sub, below, log)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_close, assert_decomposes, assert_rule_holds, eval, floats, infer_error};

    #[test]
    fn is_the_logarithm_of_the_softmax() {
        let x = floats(DType::F64, [2, 2], &[0.0, 3f64.ln(), 1000.0, 1000.0]);
        let want = [0.25f64.ln(), 0.75f64.ln(), 0.5f64.ln(), 0.5f64.ln()];
        let rows = eval(LogSoftmax { dim: 1 }, std::slice::from_ref(&x)).remove(0);
        assert_close(&rows, &floats(DType::F64, [2, 2], &want), "rows");
        assert_decomposes(LogSoftmax { dim: 0 }, std::slice::from_ref(&x));
        let rule = LogSoftmax { dim: 0 }.rule(&[&x.ty], &[&x.ty]);
        assert_eq!(rule.to_string(), "([a,b])->([a,b]) {a=2,b=2} kinds={a:inner}");
        assert_rule_holds(LogSoftmax { dim: 0 }, &[x]);
    }

    #[test]
    fn mismatches_are_errors() {
        assert_eq!(
            infer_error(LogSoftmax { dim: 1 }, &[&Type::new(DType::F32, [4])]),
            "there is no dimension 1 in f32[4]"
        );
        assert_eq!(infer_error(LogSoftmax { dim: 0 }, &[&Type::new(DType::I32, [4])]), "needs floats, not i32[4]");
    }
}
