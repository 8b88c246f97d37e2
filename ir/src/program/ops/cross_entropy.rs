//! `cross_entropy`: `log sum exp(logits) - logits[label]` along the last dimension, the loss of each position.

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::layout::Monoid;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::{BinaryOp, Gather, UnaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::{DimMap, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// `log sum exp(logits) - logits[label]` along the last dimension, the loss of each position. Operands: logits
    /// `[.., classes]`, labels (integers) `[..]`. A label out of range has the largest logit: its loss is `log sum
    /// exp(logits) - max logits`.
    CrossEntropy = "cross_entropy" {}
}

impl Operation for CrossEntropy {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [logits, labels] = check::exactly(args)?;
        composite::check_float(logits)?;
        let Some((&classes, outer)) = logits.shape.split_last() else {
            return Err("needs a dimension of classes".into());
        };
        if classes == 0 {
            return Err(format!("needs a class to choose, but {logits} has none"));
        }
        if !labels.dtype.is_int() || labels.shape[..] != *outer {
            return Err(format!("needs an integer label for each position of {logits}, not {labels}"));
        }
        check::single_result(Type::new(logits.dtype, outer))
    }

    fn class(&self) -> Class<'_> {
        Class::Normalisation
    }

    /// `[i,c],[i] -> [i]` with `c` inner.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let outer = args[0].shape.rank() - 1;
        let mut rule = composite::rule_with_inner_dim(args[0], outer);
        let positions: DimMap = rule.outs[0][..outer].iter().cloned().collect();
        rule.args.push(positions.clone());
        rule.outs = smallvec![positions];
        rule
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        (args[0].shape.count() as u64).saturating_mul(4)
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

impl Composite for CrossEntropy {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], outs: &[&Type]) -> Option<Values> {
        let (&[logits, labels], [_]) = (args, outs) else { return None };
        let terms = CrossEntropy::terms(b, logits, labels)?;
        Some(smallvec![b.binary(BinaryOp::Sub, terms.log, terms.chosen)])
    }
}

/// Intermediate values of a cross-entropy, which is `log sum exp(below) - chosen` for `below = logits - max logits`.
pub struct CrossEntropyTerms {
    /// The largest logit of each position.
    pub max: ValueId,
    /// `sum exp(below)`
    pub sum: ValueId,
    /// `log sum exp(below)`
    pub log: ValueId,
    /// `below[label]`
    pub chosen: ValueId,
}

impl CrossEntropy {
    /// Appends the intermediate values of a cross-entropy. Returns `None` if the logits are a scalar.
    pub fn terms(b: &mut Builder<'_>, logits: ValueId, labels: ValueId) -> Option<CrossEntropyTerms> {
        let Type { shape, dtype } = b.ty(logits);
        let classes = shape.rank().checked_sub(1)?;
        let max = b.reduce(Monoid::Max, logits, classes);
        let spread = b.broadcast_along(max, classes, &shape);
        let below = b.binary(BinaryOp::Sub, logits, spread);
        let exp = b.unary(UnaryOp::Exp, below);
        let sum = b.reduce(Monoid::Sum, exp, classes);
        let log = b.unary(UnaryOp::Log, sum);
        let positions: Dims = (0..classes).collect();
        let label = Gather {
            offset_dims: Dims::new(),
            collapsed_dims: smallvec![classes],
            operand_batch_dims: positions.clone(),
            index_batch_dims: positions,
            index_map: smallvec![classes],
            index_vector_dim: classes,
            slice_sizes: smallvec![1; classes + 1],
            fill: true,
        };
        let out = Type::new(dtype, &shape[..classes]);
        let chosen = b.op("label", label, &[below, labels], out);
        Some(CrossEntropyTerms { max, sum, log, chosen })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{
        assert_close, assert_decomposes, assert_rule_holds, eval, floats, infer_error, ints,
    };

    #[test]
    fn is_the_negative_log_probability_of_the_label() {
        let logits = floats(DType::F64, [2, 3], &[0.0, 2f64.ln(), 0.0, 5.0, 5.0, 5.0]);
        let labels = ints(DType::I32, [2], &[1, 2]);
        let args = [logits, labels];
        let loss = eval(CrossEntropy {}, &args).remove(0);
        assert_close(&loss, &floats(DType::F64, [2], &[2f64.ln(), 3f64.ln()]), "loss");
        assert_decomposes(CrossEntropy {}, &args);
        let outside = eval(CrossEntropy {}, &[args[0].clone(), ints(DType::I32, [2], &[-1, 3])]).remove(0);
        assert_close(&outside, &floats(DType::F64, [2], &[2f64.ln(), 3f64.ln()]), "labels out of range");
        let rule = CrossEntropy {}.rule(&[&args[0].ty, &args[1].ty], &[&loss.ty]);
        assert_eq!(rule.to_string(), "([a,b],[a])->([a]) {a=2,b=3} kinds={b:inner}");
        assert_rule_holds(CrossEntropy {}, &args);
    }

    #[test]
    fn mismatches_are_errors() {
        let ty = |shape: &[usize]| Type::new(DType::F32, shape);
        let labels = Type::new(DType::I32, [3]);
        let error = |logits: &Type, labels: &Type| infer_error(CrossEntropy {}, &[logits, labels]);
        assert_eq!(error(&ty(&[2, 4]), &labels), "needs an integer label for each position of f32[2, 4], not i32[3]");
        assert_eq!(error(&ty(&[]), &labels), "needs a dimension of classes");
        assert_eq!(error(&ty(&[3, 0]), &labels), "needs a class to choose, but f32[3, 0] has none");
    }
}
