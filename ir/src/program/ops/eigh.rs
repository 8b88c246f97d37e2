//! `eigh`: eigenvalues and eigenvectors of each Hermitian matrix of a batch.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results};
use crate::rule::Rule;
use crate::tensor::Tensor;
use partita_linalg::{Complex64, Matrix, Spectral, SpectralPairs};

op! {
    /// The eigenvalues and eigenvectors of each Hermitian matrix of a batch. Operands: real parts, and imaginary parts
    /// of complex matrices `[.., n, n]`, of which one triangle is read. Results: the eigenvalues `[.., n]` in ascending
    /// order, and the parts of the orthonormal eigenvectors, in columns `[.., n, n]`. Results are NaN if the matrix is
    /// not finite.
    Eigh = "eigh" {
        /// The upper triangle is read, otherwise the lower one.
        "upper" upper: bool,
    }
}

impl Operation for Eigh {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let a = MatrixBatch::square(args)?;
        results([a.tensor(a.dtype, [a.rows])].into_iter().chain(a.numbers([a.rows, a.cols])))
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
        let n = a.rows as f64;
        a.flops(9.0 * n * n * n)
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

impl Eigh {
    fn evaluate<T: Spectral>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 1;
        let numbers = Numbers::<T>::from_parts(args, batch);
        Ok(Results::collect(outs, batch, |results, position| {
            let a = numbers.matrix(position);
            let lower = Matrix::from_fn(a.rows, a.cols, |i, j| match (self.upper, i < j) {
                (_, true) => T::zero(),
                (true, false) => a[(j, i)].conj(),
                (false, false) => a[(i, j)],
            });
            let (values, vectors) = match T::eigh(&lower) {
                Some(SpectralPairs { values, vectors }) => (values, vectors),
                None => (vec![f64::NAN; a.rows], Matrix::nan(a.rows, a.cols)),
            };
            results.reals(0, values);
            results.numbers(1, &vectors.data);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats};

    #[test]
    fn vectors_satisfy_the_equation() {
        let full = [2.0, -1.0, 3.0, -1.0, 0.0, 5.0, 3.0, 5.0, 1.0];
        for upper in [false, true] {
            // The other triangle is not read.
            let read = |at: usize| at / 3 == at % 3 || (at / 3 < at % 3) == upper;
            let items: Vec<f64> = (0..9).map(|at| if read(at) { full[at] } else { f64::NAN }).collect();
            let out = eval(Eigh { upper }, &[floats(DType::F64, [3, 3], &items)]);
            let (value, vector) = (|j| out[0].get(j).to_f64(), |i, j| out[1].get(i * 3 + j).to_f64());
            assert!(value(0) <= value(1) && value(1) <= value(2));
            for i in 0..3 {
                for j in 0..3 {
                    let product: f64 = (0..3).map(|k| full[i * 3 + k] * vector(k, j)).sum();
                    assert!((product - value(j) * vector(i, j)).abs() < 1e-12);
                    let dot: f64 = (0..3).map(|k| vector(k, i) * vector(k, j)).sum();
                    assert!((dot - if i == j { 1.0 } else { 0.0 }).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn finds_the_eigenvalues_of_complex_matrices() {
        // [[2, -i], [i, 2]] has the eigenvalues 1 and 3.
        let re = floats(DType::F64, [2, 2], &[2.0, 0.0, 0.0, 2.0]);
        let im = floats(DType::F64, [2, 2], &[0.0, -1.0, 1.0, 0.0]);
        for upper in [false, true] {
            let out = eval(Eigh { upper }, &[re.clone(), im.clone()]);
            assert!((out[0].get(0).to_f64() - 1.0).abs() < 1e-12 && (out[0].get(1).to_f64() - 3.0).abs() < 1e-12);
            // Component 1 of the first vector is -i times component 0, of the second vector i times.
            for (j, factor) in [(0, -1.0), (1, 1.0)] {
                let (re, im) = (|i: usize| out[1].get(i * 2 + j).to_f64(), |i: usize| out[2].get(i * 2 + j).to_f64());
                assert!((re(1) + factor * im(0)).abs() < 1e-12 && (im(1) - factor * re(0)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        assert_rule_holds(Eigh { upper: false }, std::slice::from_ref(&a));
        assert_rule_holds(Eigh { upper: true }, &[a.clone(), a]);
    }
}
