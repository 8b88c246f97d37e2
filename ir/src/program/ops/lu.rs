//! `lu`: the LU factorization of each matrix of a batch, with partial pivoting.

use crate::dtype::{DType, Type};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results};
use crate::rule::Rule;
use crate::tensor::Tensor;
use partita_linalg::{Complex64, Number, lu};

op! {
    /// The LU factorization of each matrix of a batch, with partial pivoting, in the layout of LAPACK's `getrf`.
    /// Operands: real parts, and imaginary parts of complex matrices `[.., m, n]`. Results: the parts of the packed
    /// factors, `u` on and above the diagonal and `l` without its unit diagonal below; the rows that were exchanged
    /// with rows 0, 1, ..., as `i32[.., min(m, n)]`; the position, counted from 1, of the first zero on the diagonal of
    /// `u`, or 0, as `i32[..]`.
    Lu = "lu" {}
}

impl Operation for Lu {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let a = MatrixBatch::from_parts(args)?;
        let pivots = a.tensor(DType::I32, [a.rows.min(a.cols)]);
        let mut types = a.numbers([a.rows, a.cols]);
        types.extend([pivots, a.tensor(DType::I32, [])]);
        results(types)
    }

    fn class(&self) -> Class<'_> {
        Class::LinearAlgebra
    }

    /// The batch passes through; matrices are replicated.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        batch_rule(args[0].shape.rank() - 2, args, outs)
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let Ok(a) = MatrixBatch::from_parts(args) else { return 0 };
        let (m, n) = (a.rows as f64, a.cols as f64);
        a.flops(m.min(n).powi(2) * (m.max(n) - m.min(n) / 3.0))
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        match args.len() {
            1 => self.evaluate::<f64>(args, outs),
            _ => self.evaluate::<Complex64>(args, outs),
        }
    }
}

impl Lu {
    fn evaluate<T: Number>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 2;
        let numbers = Numbers::<T>::from_parts(args, batch);
        Ok(Results::collect(outs, batch, |results, position| {
            let factors = lu(&numbers.matrix(position));
            results.numbers(0, &factors.packed.data);
            results.reals(args.len(), factors.pivots.iter().map(|&row| row as f64));
            results.reals(args.len() + 1, [factors.singular as f64]);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, ints};

    #[test]
    fn factors_with_pivots() {
        // Row 1 is the first pivot: [[2, 4], [1, 3]] = [[1, 0], [0.5, 1]] * [[2, 4], [0, 1]].
        let a = floats(DType::F32, [2, 2], &[1.0, 3.0, 2.0, 4.0]);
        let out = eval(Lu {}, &[a]);
        assert_eq!(out[0], floats(DType::F32, [2, 2], &[2.0, 4.0, 0.5, 1.0]));
        assert_eq!(out[1], ints(DType::I32, [2], &[1, 1]));
        assert_eq!(out[2], ints(DType::I32, [], &[0]));
    }

    #[test]
    fn factors_singular_and_rectangular_matrices() {
        let out = eval(Lu {}, &[floats(DType::F64, [2, 3], &[0.0, 0.0, 5.0, 0.0, 0.0, 7.0])]);
        assert_eq!(out[0], floats(DType::F64, [2, 3], &[0.0, 0.0, 5.0, 0.0, 0.0, 7.0]));
        assert_eq!((&out[1], &out[2]), (&ints(DType::I32, [2], &[0, 1]), &ints(DType::I32, [], &[1])));
        let out = eval(Lu {}, &[floats(DType::F64, [2, 0, 3], &[])]);
        assert_eq!(out[2], ints(DType::I32, [2], &[0, 0]));
    }

    #[test]
    fn factors_complex_matrices() {
        // The first pivot is 2i: [[2i, 2], [1, 0]] = [[1, 0], [-i/2, 1]] * [[2i, 2], [0, i]].
        let re = floats(DType::F64, [2, 2], &[1.0, 0.0, 0.0, 2.0]);
        let im = floats(DType::F64, [2, 2], &[0.0, 0.0, 2.0, 0.0]);
        let out = eval(Lu {}, &[re, im]);
        assert_eq!(out[0], floats(DType::F64, [2, 2], &[0.0, 2.0, 0.0, 0.0]));
        assert_eq!(out[1], floats(DType::F64, [2, 2], &[2.0, 0.0, -0.5, 1.0]));
        assert_eq!(out[2], ints(DType::I32, [2], &[1, 1]));
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        assert_rule_holds(Lu {}, std::slice::from_ref(&a));
        assert_rule_holds(Lu {}, &[a.clone(), a]);
    }
}
