//! `svd`: the singular value decomposition of each matrix of a batch.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, Types, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results};
use crate::rule::Rule;
use crate::tensor::Tensor;
use crate::word_attr;
use partita_linalg::{Complex64, Matrix, SingularValues, Spectral};
use smallvec::smallvec;

op! {
    /// The singular value decomposition `a = u * diag(s) * vh` of each matrix of a batch. Operands: real parts, and
    /// imaginary parts of complex matrices `[.., m, n]`. Results: the singular values `s` `[.., min(m, n)]` in
    /// descending order, and the parts of `u` and of `vh`. Results are NaN if the matrix is not finite.
    Svd = "svd" {
        /// The singular vectors that are computed.
        "vectors" vectors: SingularVectors,
    }
}

/// Singular vectors that a decomposition computes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum SingularVectors {
    /// None: `s` is the only result.
    #[default]
    None,
    /// One of each side for each singular value.
    Thin,
    /// A basis of each side.
    Full,
}

impl SingularVectors {
    /// All choices.
    pub const ALL: [SingularVectors; 3] = [SingularVectors::None, SingularVectors::Thin, SingularVectors::Full];

    /// Returns the name in program text.
    pub fn name(self) -> &'static str {
        match self {
            SingularVectors::None => "none",
            SingularVectors::Thin => "thin",
            SingularVectors::Full => "full",
        }
    }
}

word_attr!(SingularVectors, "singular vectors (none, thin, full)", SingularVectors::ALL);

impl Operation for Svd {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let a = MatrixBatch::from_parts(args)?;
        let (m, n) = (a.rows, a.cols);
        let mut types: Types = smallvec![a.tensor(a.dtype, [m.min(n)])];
        match self.vectors {
            SingularVectors::None => {}
            SingularVectors::Thin => types.extend(a.numbers([m, m.min(n)]).into_iter().chain(a.numbers([m.min(n), n]))),
            SingularVectors::Full => types.extend(a.numbers([m, m]).into_iter().chain(a.numbers([n, n]))),
        }
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
        let (long, short) = (a.rows.max(a.cols) as f64, a.rows.min(a.cols) as f64);
        a.flops(match self.vectors {
            SingularVectors::None => 4.0 * short * short * (long - short / 3.0),
            SingularVectors::Thin => 14.0 * long * short * short + 8.0 * short.powi(3),
            SingularVectors::Full => 4.0 * long * long * short + 22.0 * short.powi(3),
        })
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

impl Svd {
    fn evaluate<T: Spectral>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 1;
        let numbers = Numbers::<T>::from_parts(args, batch);
        Ok(Results::collect(outs, batch, |results, position| {
            let a = numbers.matrix(position);
            let (m, n, k) = (a.rows, a.cols, a.rows.min(a.cols));
            let full = self.vectors == SingularVectors::Full;
            let (columns, rows) = if full { (m, n) } else { (k, k) };
            let (s, u, vh) = match T::svd(&a, full) {
                Some(SingularValues { u, s, vh }) => (s, u, vh),
                None => (vec![f64::NAN; k], Matrix::nan(m, columns), Matrix::nan(rows, n)),
            };
            results.reals(0, s);
            match self.vectors {
                SingularVectors::None => {}
                SingularVectors::Thin | SingularVectors::Full => {
                    results.numbers(1, &u.data);
                    results.numbers(1 + args.len(), &vh.data);
                }
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats};

    /// Multiplies real matrices in row-major order.
    fn product(m: usize, k: usize, n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
        (0..m * n).map(|at| (0..k).map(|i| a[at / n * k + i] * b[i * n + at % n]).sum()).collect()
    }

    fn items(x: &Tensor) -> Vec<f64> {
        x.scalars().map(|x| x.to_f64()).collect()
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?} is not {expected:?}");
    }

    #[test]
    fn reconstructs_the_matrix() {
        for (m, n) in [(3, 2), (2, 3), (3, 3)] {
            let a: Vec<f64> = (0..m * n).map(|i| (i * 5 % 7) as f64 - 2.0).collect();
            for vectors in SingularVectors::ALL {
                let out = eval(Svd { vectors }, &[floats(DType::F64, [m, n], &a)]);
                let s = items(&out[0]);
                assert!(s.windows(2).all(|pair| pair[0] >= pair[1]));
                if vectors == SingularVectors::None {
                    let squares: f64 = a.iter().map(|x| x * x).sum();
                    assert!((s.iter().map(|x| x * x).sum::<f64>() - squares).abs() < 1e-12);
                    continue;
                }
                let (columns, rows) = (out[1].ty.shape[1], out[2].ty.shape[0]);
                let scaled: Vec<f64> = (0..columns * rows)
                    .map(|at| if at / rows == at % rows { s.get(at / rows).copied().unwrap_or(0.0) } else { 0.0 })
                    .collect();
                let left = product(m, columns, rows, &items(&out[1]), &scaled);
                assert_close(&product(m, rows, n, &left, &items(&out[2])), &a);
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_finite_has_no_singular_values() {
        let a = floats(DType::F32, [2, 1, 2], &[f64::NAN, 1.0, 3.0, 4.0]);
        let out = eval(Svd { vectors: SingularVectors::Thin }, &[a]);
        assert!(out[0].get(0).to_f64().is_nan());
        assert_eq!(out[0].get(1).to_f64(), 5.0);
        let empty = floats(DType::F32, [3, 0], &[]);
        let out = eval(Svd { vectors: SingularVectors::Full }, &[empty]);
        assert_eq!(items(&out[1]), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        for vectors in SingularVectors::ALL {
            assert_rule_holds(Svd { vectors }, std::slice::from_ref(&a));
            assert_rule_holds(Svd { vectors }, &[a.clone(), a.clone()]);
        }
    }
}
