//! `rms_norm`: `x / sqrt(mean(x^2) + eps) * gamma` over the last dimension (Zhang and Sennrich 2019).

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
    /// `x / sqrt(mean(x^2) + eps) * gamma` over the last dimension (Zhang and Sennrich 2019). Operands: x `[.., n]` and
    /// gamma `[n]`.
    RmsNorm = "rms_norm" {
        /// Epsilon, added to the mean of squares.
        "eps" eps: f64,
    }
}

impl Operation for RmsNorm {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let &[x, gamma] = args else {
            return Err(format!("takes x and gamma, not {}", check::plural(args.len(), "operand")));
        };
        composite::check_float(x)?;
        let Some(&n) = x.shape.last() else { return Err("needs a dimension to normalise".into()) };
        let want = Type::new(x.dtype, [n]);
        if *gamma != want {
            return Err(format!("gamma must be {want} for x of {x}, not {gamma}"));
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Normalisation
    }

    /// `[i,n],[n] -> [i,n]` with `n` inner.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = composite::rule_with_inner_dim(args[0], args[0].shape.rank() - 1);
        let last = rule.outs[0].last().cloned().unwrap_or_default();
        rule.args.push(smallvec![last]);
        rule
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        (outs[0].shape.count() as u64).saturating_mul(4)
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

impl Composite for RmsNorm {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[x, gamma] = args else { return None };
        let shape = b.ty(x).shape;
        let dim = shape.rank().checked_sub(1)?;
        let squares = b.binary(BinaryOp::Mul, x, x);
        let sum = b.reduce(Monoid::Sum, squares, dim);
        let mean = b.binary_scalar(BinaryOp::Div, sum, shape[dim] as f64);
        let mean = b.binary_scalar(BinaryOp::Add, mean, self.eps);
        let scale = b.unary(UnaryOp::Rsqrt, mean);
        let scale = b.broadcast_along(scale, dim, &shape);
        let normal = b.binary(BinaryOp::Mul, x, scale);
        let gamma = b.broadcast(gamma, &[dim], shape);
        Some(smallvec![b.binary(BinaryOp::Mul, normal, gamma)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_close, assert_decomposes, assert_rule_holds, eval, floats, infer_error};

    #[test]
    fn divides_rows_by_the_root_of_their_mean_square() {
        // The mean square is 4; with eps 5 the root is 3.
        let x = floats(DType::F64, [1, 4], &[1.0, -1.0, 3.0, 5f64.sqrt()]);
        let gamma = floats(DType::F64, [4], &[3.0, 6.0, 3.0, 3.0]);
        let op = RmsNorm { eps: 5.0 };
        let y = eval(op.clone(), &[x.clone(), gamma.clone()]).remove(0);
        assert_close(&y, &floats(DType::F64, [1, 4], &[1.0, -2.0, 3.0, 5f64.sqrt()]), "a row");
        assert_decomposes(op, &[x, gamma]);
    }

    #[test]
    fn mismatches_are_errors() {
        let ty = |shape: &[usize]| Type::new(DType::F32, shape);
        let error = |args: &[&Type]| infer_error(RmsNorm { eps: 1e-5 }, args);
        assert_eq!(error(&[&ty(&[2, 4])]), "takes x and gamma, not 1 operand");
        assert_eq!(error(&[&ty(&[2, 4]), &ty(&[2])]), "gamma must be f32[4] for x of f32[2, 4], not f32[2]");
        assert_eq!(error(&[&ty(&[]), &ty(&[])]), "needs a dimension to normalise");
    }

    #[test]
    fn the_last_dimension_is_inner() {
        let x = floats(DType::F64, [2, 3], &[1.0, 2.0, 0.5, -1.0, 0.0, 4.0]);
        let gamma = floats(DType::F64, [3], &[1.0, 2.0, 3.0]);
        let op = RmsNorm { eps: 1e-5 };
        let rule = op.rule(&[&x.ty, &gamma.ty], &[&x.ty]);
        assert_eq!(rule.to_string(), "([a,b],[b])->([a,b]) {a=2,b=3} kinds={b:inner}");
        assert_rule_holds(op, &[x, gamma]);
    }
}
