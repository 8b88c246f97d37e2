//! `batch_norm`: batch normalisation with given statistics (Ioffe and Szegedy 2015).

use crate::arena::ValueId;
use crate::dtype::Type;
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
    /// Batch normalisation with given statistics: `(x - mean) / sqrt(var + eps) * gamma + beta` along a feature
    /// dimension of `n` (Ioffe and Szegedy 2015). Operands: x, then gamma, beta, mean and var, each `[n]`.
    BatchNorm = "batch_norm" {
        /// The feature dimension.
        "dim" dim: usize,
        /// Epsilon, added to the variance.
        "eps" eps: f64,
    }
}

impl Operation for BatchNorm {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, rest @ ..] = check::exactly::<_, 5>(args)?;
        composite::check_float(x)?;
        check::dim_exists(self.dim, x)?;
        let want = Type::new(x.dtype, [x.shape[self.dim]]);
        if let Some(other) = rest.iter().find(|t| ***t != want) {
            return Err(format!("gamma, beta, mean and variance must be {want} for x of {x}, not {other}"));
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Normalisation
    }

    /// `[i,n],[n],[n],[n],[n] -> [i,n]`: elementwise, since the statistics are operands.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::elementwise(&args[0].shape, 1);
        let feature = rule.outs[0][self.dim].clone();
        rule.args.extend((1..args.len()).map(|_| smallvec![feature.clone()]));
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

impl Composite for BatchNorm {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[x, gamma, beta, mean, variance] = args else { return None };
        let shape = b.ty(x).shape;
        let variance = b.binary_scalar(BinaryOp::Add, variance, self.eps);
        let deviation = b.unary(UnaryOp::Sqrt, variance);
        let mut y = x;
        let steps = [(BinaryOp::Sub, mean), (BinaryOp::Div, deviation), (BinaryOp::Mul, gamma), (BinaryOp::Add, beta)];
        for (op, weight) in steps {
            let weight = b.broadcast(weight, &[self.dim], shape.clone());
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
    fn normalises_features() {
        let x = floats(DType::F64, [2, 2], &[1.0, 10.0, 5.0, 20.0]);
        let [gamma, beta, mean, variance] =
            [[3.0, 1.0], [1.0, 0.0], [2.0, 10.0], [4.0, 20.0]].map(|w| floats(DType::F64, [2], &w));
        let args = [x, gamma, beta, mean, variance];
        // Standard deviations 3 and 5.
        let op = BatchNorm { dim: 1, eps: 5.0 };
        let y = eval(op.clone(), &args).remove(0);
        assert_close(&y, &floats(DType::F64, [2, 2], &[0.0, 0.0, 4.0, 2.0]), "normalised");
        assert_decomposes(op.clone(), &args);
        let types = args.each_ref().map(|x| &x.ty);
        assert_eq!(op.rule(&types, &[types[0]]).to_string(), "([a,b],[b],[b],[b],[b])->([a,b]) {a=2,b=2}");
        assert_rule_holds(op, &args);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, w) = (Type::new(DType::F32, [2, 3]), Type::new(DType::F32, [2]));
        let op = BatchNorm { dim: 1, eps: 0.0 };
        assert_eq!(infer_error(op.clone(), &[&x]), "takes 5 operands, not 1");
        assert_eq!(
            infer_error(op.clone(), &[&x, &w, &w, &w, &w]),
            "gamma, beta, mean and variance must be f32[3] for x of f32[2, 3], not f32[2]"
        );
        assert_eq!(
            infer_error(BatchNorm { dim: 2, ..op }, &[&x, &w, &w, &w, &w]),
            "there is no dimension 2 in f32[2, 3]"
        );
    }
}
