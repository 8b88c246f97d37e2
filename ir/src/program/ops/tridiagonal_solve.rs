//! `tridiagonal_solve`: solutions of systems of equations with tridiagonal matrices.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::matrices::{MatrixBatch, Numbers, Results, results, same_parts};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;
use partita_linalg::{Complex64, Number, Tridiagonal};

op! {
    /// The solution `x` of `a * x = b` for each tridiagonal matrix `a` of a batch, like LAPACK's `gtsv`. Operands: the
    /// lower, middle and upper diagonal of `a` `[.., n]`, by row, of which the first element of the lower and the last
    /// of the upper one are not read, then `b` `[.., n, m]`; each as real numbers or as real and imaginary parts. The
    /// solution of a singular system is NaN.
    TridiagonalSolve = "tridiagonal_solve" {}
}

impl Operation for TridiagonalSolve {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        if !matches!(args.len(), 4 | 8) {
            let n = args.len();
            return Err(format!("takes 4 operands of real numbers or 8 parts of complex numbers, not {n}"));
        }
        let parts = args.len() / 4;
        let (diagonals, b) = args.split_at(3 * parts);
        let sides = MatrixBatch::from_parts(b)?;
        for diagonal in diagonals.chunks(parts) {
            let ty = same_parts(diagonal)?;
            if *ty != sides.tensor(sides.dtype, [sides.rows]) {
                return Err(format!("needs diagonals of {} elements for {}, not {ty}", sides.rows, b[0]));
            }
        }
        results(sides.numbers([sides.rows, sides.cols]))
    }

    fn class(&self) -> Class<'_> {
        Class::LinearAlgebra
    }

    /// The batch and the right-hand sides pass through; matrices are replicated.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let Some((&columns, [batch @ .., rows])) = outs[0].shape.split_last() else { return rule };
        let mut dims: DimMap = batch.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        dims.push(rule.dim(*rows, FactorKind::NeedReplication));
        let sides: DimMap = dims.iter().cloned().chain([rule.dim(columns, FactorKind::PassThrough)]).collect();
        let map = |ty: &&Type| if ty.shape.rank() == sides.len() { sides.clone() } else { dims.clone() };
        let (args, outs) = (args.iter().map(map).collect(), outs.iter().map(map).collect());
        Rule { args, outs, ..rule }
    }

    fn flops(&self, args: &[&Type], outs: &[&Type]) -> u64 {
        let count = outs.first().map_or(0, |ty| ty.shape.count());
        (count * if args.len() == 8 { 36 } else { 9 }) as u64
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        match args.len() {
            4 => self.evaluate::<f64>(args, outs),
            _ => self.evaluate::<Complex64>(args, outs),
        }
    }
}

impl TridiagonalSolve {
    fn evaluate<T: Number>(&self, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let batch = outs[0].shape.rank() - 2;
        let operands: Vec<Numbers<T>> =
            args.chunks(args.len() / 4).map(|parts| Numbers::from_parts(parts, batch)).collect();
        let [lower, diagonal, upper, b] = &operands[..] else {
            return Err("needs three diagonals and right-hand sides".into());
        };
        Ok(Results::collect(outs, batch, |results, position| {
            let [lower, diagonal, upper] = [lower, diagonal, upper].map(|operand| operand.slice(position));
            results.numbers(0, &Tridiagonal { lower, diagonal, upper }.solve(&b.matrix(position)).data);
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error};

    /// Diagonals `[2, 2]` and right-hand sides `[2, 2, 2]`.
    fn operands() -> Vec<Tensor> {
        let diagonal = |items: &[f64]| floats(DType::F64, [2, 2], items);
        let sides = floats(DType::F64, [2, 2, 2], &[4.0, 2.0, 7.0, 1.0, 1.0, 3.0, 5.0, 2.0]);
        vec![diagonal(&[9.0, 1.0, 9.0, 3.0]), diagonal(&[2.0, 3.0, 1.0, 4.0]), diagonal(&[1.0, 9.0, 2.0, 9.0]), sides]
    }

    #[test]
    fn solves_systems() {
        // [2 1; 1 3] x = [4 2; 7 1] and [1 2; 3 4] x = [1 3; 5 2].
        let x = eval(TridiagonalSolve {}, &operands());
        let found: Vec<f64> = x[0].scalars().map(|x| x.to_f64()).collect();
        let expected = [1.0, 1.0, 2.0, 0.0, 3.0, -4.0, -1.0, 3.5];
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn mismatches_are_errors() {
        let (diagonal, b) = (Type::new(DType::F32, [3]), Type::new(DType::F32, [2, 1]));
        let error = infer_error(TridiagonalSolve {}, &[&diagonal, &diagonal, &diagonal, &b]);
        assert_eq!(error, "needs diagonals of 2 elements for f32[2, 1], not f32[3]");
        let error = infer_error(TridiagonalSolve {}, &[&diagonal, &b]);
        assert_eq!(error, "takes 4 operands of real numbers or 8 parts of complex numbers, not 2");
    }

    #[test]
    fn rules_hold() {
        assert_rule_holds(TridiagonalSolve {}, &operands());
        let complex: Vec<Tensor> = operands().into_iter().flat_map(|x| [x.clone(), x]).collect();
        assert_rule_holds(TridiagonalSolve {}, &complex);
    }
}
