//! `hessenberg`: the reduction of square matrices to Hessenberg form, by Householder reflections.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, batch_rule, results};
use crate::rule::Rule;
use crate::tensor::Tensor;
use partita_linalg::{Complex64, Number, hessenberg};

op! {
    /// The factorization `q h q^H` of each matrix of a batch, whose factor `h` is zero below the first subdiagonal, in
    /// the layout of LAPACK's `gehrd`. Operands: real parts, and imaginary parts of complex matrices `[.., n, n]`.
    /// Results: the parts of the packed factors, `h` on and above the first subdiagonal and below it the vectors `v` of
    /// the reflections `1 - tau * v * v^H`, without their first element 1; the parts of `tau` `[.., n - 1]`.
    Hessenberg = "hessenberg" {}
}

impl Operation for Hessenberg {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let a = MatrixBatch::square(args)?;
        let mut types = a.numbers([a.rows, a.cols]);
        types.extend(a.numbers([a.rows.saturating_sub(1)]));
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
        a.flops(10.0 / 3.0 * (a.rows as f64).powi(3))
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

impl Hessenberg {
    fn evaluate<T: Number>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 2;
        let numbers = Numbers::<T>::from_parts(args, batch);
        Ok(Results::collect(outs, batch, |results, position| {
            let (packed, taus) = hessenberg(&numbers.matrix(position));
            results.numbers(0, &packed.data);
            results.numbers(args.len(), &taus);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error};

    #[test]
    fn eliminates_below_the_subdiagonal() {
        // The column (3, 4) below the diagonal has norm 5. LAPACK: beta = -5, tau = (beta - 3) / beta and
        // v = 4 / (3 - beta).
        let a = floats(DType::F64, [3, 3], &[1.0, 2.0, 0.0, 3.0, 1.0, 0.0, 4.0, 0.0, 1.0]);
        let out = eval(Hessenberg {}, &[a]);
        let packed: Vec<f64> = out[0].scalars().map(|x| x.to_f64()).collect();
        let expected = [1.0, -1.2, -1.6, -5.0, 1.0, 0.0, 0.5, 0.0, 1.0];
        assert!(packed.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{packed:?}");
        let taus: Vec<f64> = out[1].scalars().map(|x| x.to_f64()).collect();
        assert_eq!(taus, [1.6, 0.0]);
    }

    #[test]
    fn small_matrices_need_no_reflections() {
        let out = eval(Hessenberg {}, &[floats(DType::F64, [1, 1], &[2.0])]);
        assert_eq!(out[0], floats(DType::F64, [1, 1], &[2.0]));
        assert_eq!(out[1], floats(DType::F64, [0], &[]));
        assert_eq!(infer_error(Hessenberg {}, &[&Type::new(DType::F32, [2, 3])]), "needs square matrices, not 2 x 3");
    }

    #[test]
    fn rules_hold() {
        let a = floats(DType::F64, [2, 2, 2], &[4.0, 0.0, 2.0, 10.0, 9.0, 0.0, 3.0, 2.0]);
        assert_rule_holds(Hessenberg {}, std::slice::from_ref(&a));
        assert_rule_holds(Hessenberg {}, &[a.clone(), a]);
    }
}
