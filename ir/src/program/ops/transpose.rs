//! `transpose`: permutes dimensions.

use crate::dtype::Type;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// Permutes dimensions: dimension `i` of the result is dimension `perm[i]` of the operand.
    Transpose = "transpose" {
        /// The permutation.
        "" perm: Dims,
    }
}

impl Operation for Transpose {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::per_dim("dimension number", self.perm.len(), x)?;
        check::distinct_dims(&self.perm, x)?;
        check::single_result(Type { shape: self.perm.iter().map(|&d| x.shape[d]).collect(), dtype: x.dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Movement
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let arg: DimMap = args[0].shape.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        rule.outs = smallvec![self.perm.iter().map(|&d| arg[d].clone()).collect()];
        rule.args = smallvec![arg];
        rule.moving()
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

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let view = View::row_major(x.shape()).permuted(&self.perm);
        Ok(vec![Tensor { ty: outs[0].clone(), data: strided::read_data(&x.data, &view) }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    #[test]
    fn permutes() {
        let out = eval(Transpose { perm: smallvec![1, 0] }, &[count_up(DType::I32, [2, 3])]);
        assert_eq!(out, [ints(DType::I32, [3, 2], &[0, 3, 1, 4, 2, 5])]);
        let x = count_up(DType::F32, [2, 3, 4, 5]);
        let there = eval(Transpose { perm: smallvec![2, 0, 3, 1] }, std::slice::from_ref(&x));
        assert_eq!(eval(Transpose { perm: smallvec![1, 3, 0, 2] }, &there), [x]);
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::I32, [2, 3]);
        let error = |perm: &[usize]| infer_error(Transpose { perm: perm.into() }, &[&x]);
        assert_eq!(error(&[0, 0]), "dimension 0 is named twice");
        assert_eq!(error(&[0, 2]), "there is no dimension 2 in i32[2, 3]");
        assert_eq!(error(&[0]), "has 1 dimension number but i32[2, 3] has 2 dimensions");
    }

    #[test]
    fn rules_hold() {
        assert_rule_holds(Transpose { perm: smallvec![1, 2, 0] }, &[count_up(DType::F64, [4, 3, 2])]);
    }
}
