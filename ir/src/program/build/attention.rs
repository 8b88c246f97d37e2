//! Builder methods for the steps of attention.

use super::Builder;
use crate::arena::ValueId;
use crate::layout::Monoid;
use crate::program::ops::{BinaryOp, Direction, UnaryOp};
use crate::tensor::Scalar;

impl Builder<'_> {
    /// Appends the softmax along the last dimension of a nonscalar `x`. A row of `-inf` becomes zero.
    pub fn masked_softmax(&mut self, x: ValueId) -> ValueId {
        let shape = self.ty(x).shape;
        let last = [shape.rank() - 1];
        let max = self.reduce_keep(Monoid::Max, x, &last);
        let lowest = self.splat_like(max, Scalar::Float(f64::NEG_INFINITY));
        let is_open = self.compare(max, Direction::Ne, lowest);
        let zero = self.splat_like(max, Scalar::Float(0.0));
        let max = self.select(is_open, max, zero);
        let max = self.expand(max, &shape);
        let below = self.binary(BinaryOp::Sub, x, max);
        let exp = self.unary(UnaryOp::Exp, below);
        let sum = self.reduce_keep(Monoid::Sum, exp, &last);
        let one = self.splat_like(sum, Scalar::Float(1.0));
        let sum = self.select(is_open, sum, one);
        let sum = self.expand(sum, &shape);
        self.binary(BinaryOp::Div, exp, sum)
    }

    /// Repeats each head of keys or values `x: [batch, heads, sequence, size]` for the queries of its group, so that
    /// there are `heads` heads.
    ///
    /// # Errors
    /// `heads` is not a multiple of the heads of `x`, or `x` does not have four dimensions.
    pub fn repeat_heads(&mut self, x: ValueId, heads: usize) -> Result<ValueId, String> {
        let shape = self.ty(x).shape;
        let [batch, own, sequence, size] = shape[..] else {
            return Err(format!("needs keys and values of 4 dimensions, not {shape}"));
        };
        if heads == own {
            return Ok(x);
        }
        if heads.checked_rem(own) != Some(0) {
            return Err(format!("has {heads} heads of queries for {own} heads of keys"));
        }
        let repeated = self.broadcast(x, &[0, 1, 3, 4], [batch, own, heads / own, sequence, size]);
        Ok(self.reshape(repeated, [batch, heads, sequence, size]))
    }
}
