//! `eig`: eigenvalues and eigenvectors of each square matrix of a batch.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results};
use crate::rule::Rule;
use crate::tensor::Tensor;
use partita_linalg::{Complex64, EigenPairs, Matrix, Number, Spectral};

op! {
    /// The eigenvalues and eigenvectors of each square matrix of a batch. Operands: real parts, and imaginary parts of
    /// complex matrices `[.., n, n]`. Results: real and imaginary parts of the eigenvalues `[.., n]`, and of the right
    /// eigenvectors, in columns `[.., n, n]`; if `left`, then those of the left eigenvectors. The eigenvectors have
    /// norm 1, and their largest component is real. Results are NaN if the matrix is not finite.
    Eig = "eig" {
        /// Left eigenvectors are computed, too.
        "left" left: bool,
    }
}

impl Operation for Eig {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let a = MatrixBatch::square(args)?;
        let (values, vectors) = (a.tensor(a.dtype, [a.rows]), a.tensor(a.dtype, [a.rows, a.cols]));
        let of_vectors = if self.left { 4 } else { 2 };
        results([values.clone(), values].into_iter().chain(std::iter::repeat_n(vectors, of_vectors)))
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
        a.flops(if self.left { 50.0 } else { 25.0 } * n * n * n)
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

impl Eig {
    fn evaluate<T: Spectral>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 1;
        let numbers = Numbers::<T>::from_parts(args, batch);
        Ok(Results::collect(outs, batch, |results, position| {
            let a = numbers.matrix(position);
            let pairs = T::eig(&a);
            if self.left {
                let left = pairs.as_ref().and_then(|pairs| pairs.left_vectors(&a));
                results.numbers(4, &left.unwrap_or_else(|| Matrix::nan(a.rows, a.cols)).data);
            }
            let EigenPairs { values, vectors } = pairs.unwrap_or_else(|| EigenPairs {
                values: vec![Complex64::nan(); a.rows],
                vectors: Matrix::nan(a.rows, a.cols),
            });
            results.numbers(0, &values);
            results.numbers(2, &vectors.data);
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
        let re = [1.0, 2.0, 0.0, -3.0, 1.0, 4.0, 2.0, 0.0, -1.0];
        let im = [0.5, 0.0, -2.0, 1.0, 3.0, 0.0, 0.0, 1.0, 2.0];
        for complex in [false, true] {
            let mut args = vec![floats(DType::F64, [3, 3], &re)];
            if complex {
                args.push(floats(DType::F64, [3, 3], &im));
            }
            let out = eval(Eig { left: true }, &args);
            assert_eq!(eval(Eig { left: false }, &args), out[..4]);
            let number =
                |first: usize, at: usize| Complex64::new(out[first].get(at).to_f64(), out[first + 1].get(at).to_f64());
            for j in 0..3 {
                for vectors in [2, 4] {
                    let norm: f64 = (0..3).map(|i| number(vectors, i * 3 + j).norm_sqr()).sum();
                    assert!((norm - 1.0).abs() < 1e-12);
                }
                let entry = |at: usize| Complex64::new(re[at], if complex { im[at] } else { 0.0 });
                for i in 0..3 {
                    let right: Complex64 = (0..3).map(|k| entry(i * 3 + k) * number(2, k * 3 + j)).sum();
                    assert!((right - number(0, j) * number(2, i * 3 + j)).norm() < 1e-12);
                    let left: Complex64 = (0..3).map(|k| number(4, k * 3 + j).conj() * entry(k * 3 + i)).sum();
                    assert!((left - number(0, j) * number(4, i * 3 + j).conj()).norm() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        assert_rule_holds(Eig { left: false }, std::slice::from_ref(&a));
        assert_rule_holds(Eig { left: true }, &[a.clone(), a]);
    }
}
