//! `qr`: the QR factorization of each matrix of a batch, by Householder reflections.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results};
use crate::rule::Rule;
use crate::tensor::Tensor;
use partita_linalg::{Complex64, Number, qr};

op! {
    /// The QR factorization of each matrix of a batch, in the layout of LAPACK's `geqrf`. Operands: real parts, and
    /// imaginary parts of complex matrices `[.., m, n]`. Results: the parts of the packed factors, `r` on and above the
    /// diagonal and the vectors `v` of the reflections `1 - tau * v * v^H` below, without their first element 1; the
    /// parts of `tau` `[.., min(m, n)]`. The diagonal of `r` is real.
    Qr = "qr" {}
}

impl Operation for Qr {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let a = MatrixBatch::from_parts(args)?;
        let mut types = a.numbers([a.rows, a.cols]);
        types.extend(a.numbers([a.rows.min(a.cols)]));
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
        a.flops(2.0 * m.min(n).powi(2) * (m.max(n) - m.min(n) / 3.0))
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

impl Qr {
    fn evaluate<T: Number>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 2;
        let numbers = Numbers::<T>::from_parts(args, batch);
        Ok(Results::collect(outs, batch, |results, position| {
            let (packed, taus) = qr(&numbers.matrix(position));
            results.numbers(0, &packed.data);
            results.numbers(args.len(), &taus);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats};

    #[test]
    fn eliminates_by_reflections() {
        // The column (3, 4) has norm 5. LAPACK: beta = -5, tau = (beta - 3) / beta, v = 4 / (3 - beta).
        let out = eval(Qr {}, &[floats(DType::F64, [2, 1], &[3.0, 4.0])]);
        assert_eq!(out[0], floats(DType::F64, [2, 1], &[-5.0, 0.5]));
        assert_eq!(out[1], floats(DType::F64, [1], &[1.6]));
        // A single row needs no reflection.
        let out = eval(Qr {}, &[floats(DType::F64, [1, 2], &[-3.0, 4.0])]);
        assert_eq!(out[0], floats(DType::F64, [1, 2], &[-3.0, 4.0]));
        assert_eq!(out[1], floats(DType::F64, [1], &[0.0]));
    }

    #[test]
    fn the_diagonal_of_a_complex_factor_is_real() {
        // LAPACK: the element 3i becomes -3 by a reflection with tau = (beta - 3i) / beta = 1 + i.
        let (re, im) = (floats(DType::F64, [1, 1], &[0.0]), floats(DType::F64, [1, 1], &[3.0]));
        let out = eval(Qr {}, &[re, im]);
        let numbers: Vec<f64> = out.iter().map(|x| x.get(0).to_f64()).collect();
        assert_eq!(numbers, [-3.0, 0.0, 1.0, 1.0]);
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        assert_rule_holds(Qr {}, std::slice::from_ref(&a));
        assert_rule_holds(Qr {}, &[a.clone(), a]);
    }
}
