//! Arithmetic of complex numbers, whose real and imaginary parts are two tensors.

use super::Builder;
use crate::arena::ValueId;
use crate::ops::{BinaryOp, Direction, UnaryOp};
use crate::tensor::Scalar;

/// Real and imaginary parts, of equal type.
pub type Pair = [ValueId; 2];

impl Builder<'_> {
    /// Appends real numbers as complex ones.
    pub fn complex_from_real(&mut self, x: ValueId) -> Pair {
        [x, self.splat_like(x, Scalar::Int(0))]
    }

    /// Appends the complex numbers of these sizes and angles, in radians.
    pub fn complex_from_polar(&mut self, size: ValueId, angle: ValueId) -> Pair {
        [UnaryOp::Cos, UnaryOp::Sin].map(|function| {
            let part = self.unary(function, angle);
            self.binary(BinaryOp::Mul, size, part)
        })
    }

    /// Appends `x * y`.
    pub fn complex_product(&mut self, x: Pair, y: Pair) -> Pair {
        let mut product = |i: usize, j: usize| self.binary(BinaryOp::Mul, x[i], y[j]);
        let [rr, ii, ri, ir] = [product(0, 0), product(1, 1), product(0, 1), product(1, 0)];
        [self.binary(BinaryOp::Sub, rr, ii), self.binary(BinaryOp::Add, ri, ir)]
    }

    /// Appends `x / y`. The divisor is scaled, so that its square does not overflow.
    pub fn complex_quotient(&mut self, x: Pair, y: Pair) -> Pair {
        let [re, im] = y.map(|part| self.unary(UnaryOp::Abs, part));
        let scale = self.binary(BinaryOp::Max, re, im);
        let y = y.map(|part| self.binary(BinaryOp::Div, part, scale));
        let squares = y.map(|part| self.binary(BinaryOp::Mul, part, part));
        let square = self.binary(BinaryOp::Add, squares[0], squares[1]);
        let divisor = self.binary(BinaryOp::Mul, square, scale);
        let conjugate = [y[0], self.unary(UnaryOp::Neg, y[1])];
        self.complex_product(x, conjugate).map(|part| self.binary(BinaryOp::Div, part, divisor))
    }

    /// Appends `|x|`. The larger part is a factor of the root, whose operand does not overflow.
    pub fn modulus(&mut self, x: Pair) -> ValueId {
        let [re, im] = x.map(|part| self.unary(UnaryOp::Abs, part));
        let [large, small] = [BinaryOp::Max, BinaryOp::Min].map(|op| self.binary(op, re, im));
        let ratio = self.binary(BinaryOp::Div, small, large);
        let square = self.binary(BinaryOp::Mul, ratio, ratio);
        let sum = self.binary_scalar(BinaryOp::Add, square, 1.0);
        let root = self.unary(UnaryOp::Sqrt, sum);
        let size = self.binary(BinaryOp::Mul, large, root);
        // 0/0 and inf/inf.
        let special = [0.0, f64::INFINITY].map(|number| {
            let number = self.splat_like(large, Scalar::Float(number));
            self.compare(large, Direction::Eq, number)
        });
        let special = self.binary(BinaryOp::Or, special[0], special[1]);
        self.select(special, large, size)
    }
}
