//! `softmax`: `exp(x - max x) / sum exp(x - max x)` along one dimension. A row that contains only `-inf` is NaN.

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::layout::Monoid;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::{BinaryOp, UnaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// `exp(x - max x) / sum exp(x - max x)` along one dimension.
    Softmax = "softmax" {
        /// The dimension.
        "dim" dim: usize,
    }
}

impl Operation for Softmax {
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

impl Composite for Softmax {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[x] = args else { return None };
        let shape = b.ty(x).shape;
        let below = composite::subtract_max(b, x, self.dim);
        let exp = b.unary(UnaryOp::Exp, below);
        let sum = b.reduce(Monoid::Sum, exp, self.dim);
        let sum = b.broadcast_along(sum, self.dim, &shape);
        Some(smallvec![b.binary(BinaryOp::Div, exp, sum)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_close, assert_decomposes, assert_rule_holds, eval, floats, infer_error};

    #[test]
    fn sums_to_one() {
        let x = floats(DType::F64, [2, 2], &[0.0, 3f64.ln(), 1000.0, 1000.0]);
        let rows = eval(Softmax { dim: 1 }, std::slice::from_ref(&x)).remove(0);
        assert_close(&rows, &floats(DType::F64, [2, 2], &[0.25, 0.75, 0.5, 0.5]), "rows");
        assert_decomposes(Softmax { dim: 0 }, &[x]);
        let masked = floats(DType::F32, [2], &[f64::NEG_INFINITY, 0.0]);
        assert_eq!(eval(Softmax { dim: 0 }, &[masked]), [floats(DType::F32, [2], &[0.0, 1.0])]);
    }

    #[test]
    fn mismatches_are_errors() {
        assert_eq!(
            infer_error(Softmax { dim: 1 }, &[&Type::new(DType::F32, [4])]),
            "there is no dimension 1 in f32[4]"
        );
        assert_eq!(infer_error(Softmax { dim: 0 }, &[&Type::new(DType::I32, [4])]), "needs floats, not i32[4]");
    }

    #[test]
    fn the_dimension_is_inner() {
        let x = floats(DType::F64, [2, 3], &[1.0, 2.0, 0.5, -1.0, 0.0, 4.0]);
        let rule = Softmax { dim: 1 }.rule(&[&x.ty], &[&x.ty]);
        assert_eq!(rule.to_string(), "([a,b])->([a,b]) {a=2,b=3} kinds={b:inner}");
        assert_rule_holds(Softmax { dim: 1 }, &[x]);
    }
}
