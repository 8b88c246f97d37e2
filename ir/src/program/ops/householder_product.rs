//! `householder_product`: the product of the reflections of a QR factorization.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results, same_parts, split};
use crate::rule::Rule;
use crate::tensor::Tensor;
use partita_linalg::{Complex64, Number, householder_product};

op! {
    /// The product of the reflections `1 - tau * v * v^H` of each QR factorization of a batch, like LAPACK's `orgqr`
    /// and `ungqr`. Operands: the packed factors `[.., m, n]` and `tau` `[.., k]` of a [`Qr`](crate::program::ops::Qr),
    /// with `k <= n <= m`, each as real numbers or as real and imaginary parts. Results: the first `n` columns of the
    /// product.
    HouseholderProduct = "householder_product" {}
}

impl Operation for HouseholderProduct {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let (a, taus) = split(args)?;
        let (a, taus) = (MatrixBatch::from_parts(a)?, same_parts(taus)?);
        let (batch, k) = taus.shape.split_last().map_or((&[][..], 0), |(&k, batch)| (batch, k));
        if *batch != a.batch[..] || taus.dtype != a.dtype || taus.shape.rank() == 0 {
            return Err(format!("needs a vector of factors for each matrix of {}, not {taus}", args[0]));
        }
        if k > a.cols || a.cols > a.rows {
            return Err(format!(
                "cannot form {} columns of the product of {k} reflections of {} elements",
                a.cols, a.rows
            ));
        }
        results(a.numbers([a.rows, a.cols]))
    }

    fn class(&self) -> Class<'_> {
        Class::LinearAlgebra
    }

    /// The batch passes through; matrices are replicated.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        batch_rule(args[0].shape.rank() - 2, args, outs)
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let Ok((a, _)) = split(args) else { return 0 };
        let Ok(a) = MatrixBatch::from_parts(a) else { return 0 };
        let (m, n) = (a.rows as f64, a.cols as f64);
        a.flops(4.0 * m * n * n / 3.0)
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        match args.len() {
            2 => self.evaluate::<f64>(args, outs),
            _ => self.evaluate::<Complex64>(args, outs),
        }
    }
}

impl HouseholderProduct {
    fn evaluate<T: Number>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let (a, taus) = split(args)?;
        let batch = outs[0].shape.rank() - 2;
        let (a, taus) = (Numbers::<T>::from_parts(a, batch), Numbers::<T>::from_parts(taus, batch));
        Ok(Results::collect(outs, batch, |results, position| {
            let packed = a.matrix(position);
            results.numbers(0, &householder_product(&packed, taus.slice(position), packed.cols).data);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::Qr;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error};

    /// Returns `q` and the packed factors.
    fn factored(args: &[Tensor]) -> (Vec<Tensor>, Vec<Tensor>) {
        let packed = eval(Qr {}, args);
        (eval(HouseholderProduct {}, &packed), packed)
    }

    #[test]
    fn reconstructs_the_matrix() {
        let (m, n) = (4, 3);
        let items: Vec<Complex64> =
            (0..m * n).map(|i| Complex64::new((i * 5 % 7) as f64 - 2.0, (i * 3 % 5) as f64 - 1.0)).collect();
        let part = |f: &dyn Fn(&Complex64) -> f64| floats(DType::F64, [m, n], &items.iter().map(f).collect::<Vec<_>>());
        for parts in [vec![part(&|x| x.re)], vec![part(&|x| x.re), part(&|x| x.im)]] {
            let complex = parts.len() == 2;
            let number = |x: &[Tensor], at: usize| {
                Complex64::new(x[0].get(at).to_f64(), if complex { x[1].get(at).to_f64() } else { 0.0 })
            };
            let (q, packed) = factored(&parts);
            for i in 0..m {
                for j in 0..n {
                    let sum: Complex64 = (0..=j).map(|k| number(&q, i * n + k) * number(&packed, k * n + j)).sum();
                    assert!((sum - number(&parts, i * n + j)).norm() < 1e-12);
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let dot: Complex64 = (0..m).map(|k| number(&q, k * n + i).conj() * number(&q, k * n + j)).sum();
                    let want = if i == j { 1.0 } else { 0.0 };
                    assert!((dot - want).norm() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let (a, tau) = (Type::new(DType::F32, [2, 3]), Type::new(DType::F32, [2]));
        let error = "cannot form 3 columns of the product of 2 reflections of 2 elements";
        assert_eq!(infer_error(HouseholderProduct {}, &[&a, &tau]), error);
        let scalar = Type::new(DType::F32, []);
        let error = "needs a vector of factors for each matrix of f32[2, 3], not f32[]";
        assert_eq!(infer_error(HouseholderProduct {}, &[&a, &scalar]), error);
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        assert_rule_holds(HouseholderProduct {}, &eval(Qr {}, std::slice::from_ref(&a)));
        assert_rule_holds(HouseholderProduct {}, &eval(Qr {}, &[a.clone(), a]));
    }
}
