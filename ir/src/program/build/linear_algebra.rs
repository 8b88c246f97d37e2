//! Builder methods for determinants, solutions and factors of matrices. Leading dimensions are a batch.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::layout::Monoid;
use crate::ops::{BinaryOp, Direction, HouseholderProduct, Lu, Qr, Transposition, TriangularSolve, UnaryOp};
use crate::tensor::Scalar;

/// Determinants of matrices by their LU factorization.
pub struct Determinant {
    /// The diagonal of `u`, `[.., n]`.
    diagonal: ValueId,
    /// 1 for an even number of exchanged rows and -1 otherwise, `[..]`.
    sign: ValueId,
}

impl Determinant {
    /// Appends the determinants, `[..]`.
    pub fn value(&self, b: &mut Builder<'_>) -> ValueId {
        let last = b.ty(self.diagonal).shape.rank() - 1;
        let product = b.reduce(Monoid::Prod, self.diagonal, last);
        b.binary(BinaryOp::Mul, product, self.sign)
    }

    /// Appends the signs and the logarithms of the absolute values of the determinants, `[..]`.
    pub fn sign_and_log(&self, b: &mut Builder<'_>) -> [ValueId; 2] {
        let last = b.ty(self.diagonal).shape.rank() - 1;
        let signs = b.unary(UnaryOp::Sign, self.diagonal);
        let sign = b.reduce(Monoid::Prod, signs, last);
        let sizes = b.unary(UnaryOp::Abs, self.diagonal);
        let logs = b.unary(UnaryOp::Log, sizes);
        [b.binary(BinaryOp::Mul, sign, self.sign), b.reduce(Monoid::Sum, logs, last)]
    }
}

impl Builder<'_> {
    /// Appends the determinants of `x: [.., n, n]`.
    ///
    /// # Errors
    /// The matrices are not square, or empty.
    pub fn checked_determinant(&mut self, x: ValueId) -> Result<Determinant, String> {
        let (ty, n) = self.square(x)?;
        let last = ty.shape.rank() - 2;
        let pivots = Type { dtype: DType::I32, shape: ty.shape[..=last].iter().copied().collect() };
        let info = Type { dtype: DType::I32, shape: ty.shape[..last].iter().copied().collect() };
        let outs = self.op_many("lu", Lu {}, &[x], &[ty.clone(), pivots.clone(), info]);
        let diagonal = self.triangle_of(outs[0], Direction::Eq);
        let diagonal = self.reduce(Monoid::Sum, diagonal, last + 1);
        // Each exchange of two different rows changes the sign.
        let position = self.iota(DType::I32, pivots.shape.clone(), last);
        let moved = self.compare(outs[1], Direction::Ne, position);
        let signs = Type { dtype: ty.dtype, shape: pivots.shape };
        let [negative, positive] = [-1.0, 1.0].map(|sign| self.splat(signs.clone(), Scalar::Float(sign)));
        let signs = self.select(moved, negative, positive);
        assert_eq!(self.ty(signs).shape[last], n);
        Ok(Determinant { diagonal, sign: self.reduce(Monoid::Prod, signs, last) })
    }

    /// Appends the factors `q: [.., m, k]`, whose columns are orthonormal, and `r: [.., k, n]`, upper triangular, of
    /// `x: [.., m, n]`, where `k` is the smaller size, or `m` if `is_complete`.
    ///
    /// # Errors
    /// `x` has fewer than two dimensions.
    pub fn checked_qr(&mut self, x: ValueId, is_complete: bool) -> Result<[ValueId; 2], String> {
        let ty = self.ty(x);
        let Some(rows) = ty.shape.rank().checked_sub(2) else { return Err(format!("needs matrices, not {ty}")) };
        let (m, n) = (ty.shape[rows], ty.shape[rows + 1]);
        let least = m.min(n);
        let tau: Shape = ty.shape[..rows].iter().copied().chain([least]).collect();
        let outs = self.op_many("qr", Qr {}, &[x], &[ty.clone(), Type { dtype: ty.dtype, shape: tau }]);
        let columns = if is_complete { m } else { least };
        let vectors = self.with_size(outs[0], rows + 1, columns);
        let product = Type { dtype: ty.dtype, shape: self.ty(vectors).shape };
        let q = self.op("q", HouseholderProduct {}, &[vectors, outs[1]], product);
        let r = self.triangle_of(outs[0], Direction::Ge);
        Ok([q, self.with_size(r, rows, columns)])
    }

    /// Appends the solutions `x: [.., n, m]` of `a * x = b` for `a: [.., n, n]` and `b` of the same batch, by the QR
    /// factorization.
    ///
    /// # Errors
    /// The matrices `a` are not square, or the sizes differ.
    pub fn checked_solve(&mut self, a: ValueId, b: ValueId) -> Result<ValueId, String> {
        let (ty, n) = self.square(a)?;
        let rhs = self.ty(b);
        let rows = ty.shape.rank() - 2;
        if rhs.shape.rank() != rows + 2 || rhs.shape[rows] != n || rhs.shape[..rows] != ty.shape[..rows] {
            return Err(format!("solves {ty} for {rhs}"));
        }
        let [q, r] = self.checked_qr(a, false)?;
        let q = self.swap_dims(q, rows, rows + 1);
        let rotated = self.checked_matmul(q, b)?;
        Ok(self.triangular_solve(r, rotated, true))
    }

    /// Appends the solutions of `a * x = b` for triangular matrices `a`.
    pub fn triangular_solve(&mut self, a: ValueId, b: ValueId, upper: bool) -> ValueId {
        let ty = self.ty(b);
        let kind =
            TriangularSolve { right: false, upper, unit_diagonal: false, transposition: Transposition::default() };
        self.op("solve", kind, &[a, b], ty)
    }

    /// Appends matrices with zeros except where the column has this relation to the row.
    pub fn triangle_of(&mut self, x: ValueId, direction: Direction) -> ValueId {
        let ty = self.ty(x);
        let rows = ty.shape.rank() - 2;
        let [row, column] = [rows, rows + 1].map(|dim| self.iota(DType::I64, ty.shape.clone(), dim));
        let inside = self.compare(column, direction, row);
        let zero = self.splat(ty, Scalar::Float(0.0));
        self.select(inside, x, zero)
    }

    /// Returns the type and size of square matrices.
    fn square(&self, x: ValueId) -> Result<(Type, usize), String> {
        let ty = self.ty(x);
        match ty.shape[..] {
            [.., rows, columns] if rows == columns && rows > 0 => Ok((ty, rows)),
            _ => Err(format!("needs square matrices, not {ty}")),
        }
    }
}
