//! Merging of attention to several blocks of columns by log-sum-exp (Dao et al. 2022, FlashAttention, section 3.1).

use super::accumulator;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, UnaryOp};

/// Attention to some of the columns.
#[derive(Clone, Copy)]
pub(super) struct Partial {
    /// Result, in the accumulator type.
    pub result: ValueId,
    /// Log-sum-exp of the scores of each row.
    pub log_sum_exp: ValueId,
}

impl Partial {
    /// Converts the result of an attention to the accumulator type.
    pub fn new(b: &mut Builder<'_>, result: ValueId, log_sum_exp: ValueId) -> Partial {
        Partial { result: widen(b, result), log_sum_exp }
    }

    /// Appends the attention to the columns of both.
    pub fn merge(self, b: &mut Builder<'_>, other: Partial) -> Partial {
        let max = b.binary(BinaryOp::Max, self.log_sum_exp, other.log_sum_exp);
        let weights = [self, other].map(|partial| {
            let below = b.binary(BinaryOp::Sub, partial.log_sum_exp, max);
            b.unary(UnaryOp::Exp, below)
        });
        let sum = b.binary(BinaryOp::Add, weights[0], weights[1]);
        let log = b.unary(UnaryOp::Log, sum);
        let log_sum_exp = b.binary(BinaryOp::Add, max, log);
        let shape = b.ty(self.result).shape;
        let terms = [(self, weights[0]), (other, weights[1])].map(|(partial, weight)| {
            let share = b.binary(BinaryOp::Div, weight, sum);
            let share = b.broadcast_along(share, shape.rank() - 1, &shape);
            b.binary(BinaryOp::Mul, partial.result, share)
        });
        Partial { result: b.binary(BinaryOp::Add, terms[0], terms[1]), log_sum_exp }
    }
}

/// Converts a value to the accumulator type.
pub(super) fn widen(b: &mut Builder<'_>, value: ValueId) -> ValueId {
    let dtype = b.ty(value).dtype;
    convert_to(b, value, accumulator(dtype))
}

/// Converts a value, if it has another element type.
pub(super) fn convert_to(b: &mut Builder<'_>, value: ValueId, dtype: DType) -> ValueId {
    if b.ty(value).dtype == dtype { value } else { b.convert(value, dtype) }
}
