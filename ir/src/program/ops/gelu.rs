//! `gelu`: `x * P(X <= x)` for a standard normal X (Hendrycks and Gimpel 2016).

use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::{BinaryOp, UnaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::tensor::{Scalar, Tensor, wrap};
use crate::word_attr;
use smallvec::smallvec;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

op! {
    #[derive(Default)]
    /// `x * P(X <= x)` for a standard normal X (Hendrycks and Gimpel 2016): `x / 2 * (1 + erf(x / sqrt 2))`.
    Gelu = "gelu" {
        /// Uses the approximation `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))`.
        "tanh" tanh: bool,
        /// Uses the form `x / 2 * erfc(-x / sqrt 2)`, which is precise for large negative numbers. Excludes `tanh`.
        "erfc" erfc: bool,
        /// Element type that the constants `0.044715` and `sqrt(2 / pi)`, or `1 / sqrt 2`, are rounded to.
        "constants" constants: ConstantPrecision,
    }
}

/// Element type that a composite's constants are rounded to, before they are rounded to the type of its computation.
/// The default is `f64`, which leaves them exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ConstantPrecision(pub DType);

impl Default for ConstantPrecision {
    fn default() -> Self {
        ConstantPrecision(DType::F64)
    }
}

impl ConstantPrecision {
    const ALL: [ConstantPrecision; 4] = [
        ConstantPrecision(DType::F64),
        ConstantPrecision(DType::F32),
        ConstantPrecision(DType::F16),
        ConstantPrecision(DType::BF16),
    ];

    fn name(self) -> &'static str {
        self.0.name()
    }
}

word_attr!(ConstantPrecision, "an element type (f64, f32, f16, bf16)", ConstantPrecision::ALL);

impl Operation for Gelu {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        composite::check_float(x)?;
        if self.tanh && self.erfc {
            return Err("is computed by tanh or by erfc, not by both".into());
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        Rule::elementwise(&args[0].shape, 1)
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

impl Composite for Gelu {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[x] = args else { return None };
        let half = |b: &mut Builder<'_>, twice: ValueId| {
            let scaled = b.binary_scalar(BinaryOp::Mul, twice, 0.5);
            Some(smallvec![b.binary(BinaryOp::Mul, x, scaled)])
        };
        let number = |x: f64| wrap(self.constants.0, Scalar::Float(x)).to_f64();
        let inner = if self.tanh {
            let square = b.binary(BinaryOp::Mul, x, x);
            let cube = b.binary(BinaryOp::Mul, square, x);
            let cube = b.binary_scalar(BinaryOp::Mul, cube, number(0.044715));
            let sum = b.binary(BinaryOp::Add, x, cube);
            let scaled = b.binary_scalar(BinaryOp::Mul, sum, number(FRAC_2_SQRT_PI * FRAC_1_SQRT_2));
            b.unary(UnaryOp::Tanh, scaled)
        } else if self.erfc {
            let scaled = b.binary_scalar(BinaryOp::Mul, x, number(-FRAC_1_SQRT_2));
            let twice = b.unary(UnaryOp::Erfc, scaled);
            return half(b, twice);
        } else {
            let scaled = b.binary_scalar(BinaryOp::Mul, x, number(FRAC_1_SQRT_2));
            b.unary(UnaryOp::Erf, scaled)
        };
        let twice = b.binary_scalar(BinaryOp::Add, inner, 1.0);
        half(b, twice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_decomposes, assert_rule_holds, eval, floats, infer_error};

    #[test]
    fn equals_x_times_the_normal_cdf() {
        // P(X <= 1) = 0.8413447460685429
        let x = floats(DType::F64, [3], &[0.0, 1.0, -1.0]);
        for (tanh, erfc, tolerance) in [(false, false, 1e-15), (false, true, 1e-15), (true, false, 2e-4)] {
            let gelu = Gelu { tanh, erfc, ..Gelu::default() };
            let y = eval(gelu.clone(), std::slice::from_ref(&x)).remove(0);
            for (i, want) in [0.0, 0.841_344_746_068_542_9, -0.158_655_253_931_457_1].into_iter().enumerate() {
                assert!((y.get(i).to_f64() - want).abs() <= tolerance, "{tanh} {i}");
            }
            assert_decomposes(gelu.clone(), std::slice::from_ref(&x));
            assert_rule_holds(gelu, std::slice::from_ref(&x));
        }
    }

    #[test]
    fn mismatches_are_errors() {
        assert_eq!(
            infer_error(Gelu { tanh: true, ..Gelu::default() }, &[&Type::new(DType::I32, [4])]),
            "needs floats, not i32[4]"
        );
        assert_eq!(infer_error(Gelu { tanh: true, ..Gelu::default() }, &[]), "takes 1 operand, not 0");
    }
}
