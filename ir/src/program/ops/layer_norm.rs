//! `layer_norm`: `(x - mean) / sqrt(var + eps) * gamma + beta` over the last dimension (Ba et al. 2016).

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
    /// `(x - mean) / sqrt(var + eps) * gamma + beta` over the last dimension (Ba et al. 2016). Operands: x `[.., n]`,
    /// gamma `[n]`, and optionally beta `[n]`.
    LayerNorm = "layer_norm" {
        /// Epsilon, added to the variance.
        "eps" eps: f64,
    }
}

impl Operation for LayerNorm {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let Some((x, weights @ ([_] | [_, _]))) = args.split_first() else {
            return Err(format!("takes x, gamma and perhaps beta, not {}", check::plural(args.len(), "operand")));
        };
        composite::check_float(x)?;
        let Some(&n) = x.shape.last() else { return Err("needs a dimension to normalise".into()) };
        let want = Type::new(x.dtype, [n]);
        if let Some(other) = weights.iter().find(|w| ***w != want) {
            return Err(format!("gamma and beta must be {want} for x of {x}, not {other}"));
        }
        check::single_result((*x).clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Normalisation
    }

    /// `[i,n],[n],[n] -> [i,n]` with `n` inner.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = composite::rule_with_inner_dim(args[0], args[0].shape.rank() - 1);
        let last = rule.outs[0].last().cloned().unwrap_or_default();
        rule.args.extend(args[1..].iter().map(|_| smallvec![last.clone()]));
        rule
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        (outs[0].shape.count() as u64).saturating_mul(8)
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

impl Composite for LayerNorm {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let (&x, weights) = args.split_first()?;
        let shape = b.ty(x).shape;
        let dim = shape.rank().checked_sub(1)?;
        let mean = |b: &mut Builder<'_>, x: ValueId| {
            let sum = b.reduce(Monoid::Sum, x, dim);
            b.binary_scalar(BinaryOp::Div, sum, shape[dim] as f64)
        };
        let centre = mean(b, x);
        let centre = b.broadcast_along(centre, dim, &shape);
        let centred = b.binary(BinaryOp::Sub, x, centre);
        let squares = b.binary(BinaryOp::Mul, centred, centred);
        let variance = mean(b, squares);
        let variance = b.binary_scalar(BinaryOp::Add, variance, self.eps);
        let scale = b.unary(UnaryOp::Rsqrt, variance);
        let scale = b.broadcast_along(scale, dim, &shape);
        let mut y = b.binary(BinaryOp::Mul, centred, scale);
        for (&weight, op) in weights.iter().zip([BinaryOp::Mul, BinaryOp::Add]) {
            let weight = b.broadcast(weight, &[dim], shape.clone());
            y = b.binary(op, y, weight);
        }
        Some(smallvec![y])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_close, assert_decomposes, assert_rule_holds, eval, floats, infer_error};

    #[test]
    fn normalises_rows() {
        // Mean 3, variance 4; with eps 5 the deviation is 3.
        let x = floats(DType::F64, [1, 4], &[1.0, 1.0, 5.0, 5.0]);
        let gamma = floats(DType::F64, [4], &[3.0, 6.0, 3.0, 6.0]);
        let beta = floats(DType::F64, [4], &[0.0, 0.0, 1.0, 1.0]);
        let op = LayerNorm { eps: 5.0 };
        let y = eval(op.clone(), &[x.clone(), gamma.clone(), beta.clone()]).remove(0);
        assert_close(&y, &floats(DType::F64, [1, 4], &[-2.0, -4.0, 3.0, 5.0]), "with beta");
        let y = eval(op.clone(), &[x.clone(), gamma.clone()]).remove(0);
        assert_close(&y, &floats(DType::F64, [1, 4], &[-2.0, -4.0, 2.0, 4.0]), "without beta");
        assert_decomposes(op, &[x, gamma, beta]);
    }

    #[test]
    fn mismatches_are_errors() {
        let ty = |shape: &[usize]| Type::new(DType::F32, shape);
        let error = |args: &[&Type]| infer_error(LayerNorm { eps: 1e-5 }, args);
        assert_eq!(error(&[&ty(&[2, 4])]), "takes x, gamma and perhaps beta, not 1 operand");
        assert_eq!(error(&[&ty(&[2, 4]), &ty(&[2])]), "gamma and beta must be f32[4] for x of f32[2, 4], not f32[2]");
        assert_eq!(error(&[&ty(&[]), &ty(&[])]), "needs a dimension to normalise");
    }

    #[test]
    fn the_last_dimension_is_inner() {
        let x = floats(DType::F64, [2, 3], &[1.0, 2.0, 0.5, -1.0, 0.0, 4.0]);
        let gamma = floats(DType::F64, [3], &[1.0, 2.0, 3.0]);
        let op = LayerNorm { eps: 1e-5 };
        let rule = op.rule(&[&x.ty, &gamma.ty], &[&x.ty]);
        assert_eq!(rule.to_string(), "([a,b],[b])->([a,b]) {a=2,b=3} kinds={b:inner}");
        assert_rule_holds(op, &[x, gamma]);
    }
}
