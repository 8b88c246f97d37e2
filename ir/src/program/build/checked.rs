//! Builder methods that check their operands, for importers of formats whose programs may be invalid. The errors state
//! the reason, such as "multiplies [2, 3] by [4, 5]", without a subject.

use super::Builder;
use crate::arena::{Id, OpId, ValueId};
use crate::dtype::{Shape, Type};
use crate::program::Program;
use crate::program::op::OpKind;

/// Maximum size of a dimension, also of tensors without elements. Sums and products of a few sizes do not overflow.
pub const MAX_DIM: usize = 1 << 40;

/// Maximum number of dimensions of a tensor.
pub const MAX_RANK: usize = 64;

/// Reason why the types of an op are invalid.
#[derive(Debug)]
pub enum OpTypeError {
    /// The op is invalid for its operands, for the given reason.
    Invalid(String),
    /// The result with this type has a dimension above [`MAX_DIM`].
    TooLarge(String),
}

/// Checks that ops are valid for their operands, that result types match the inferred types, and that no dimension is
/// too large.
///
/// # Errors
/// The reason for the first invalid op.
pub fn check_op_types(program: &Program, ops: &[OpId]) -> Result<(), OpTypeError> {
    for &op in ops {
        let op = &program.ops[op];
        let (args, outs) = (program.arg_types(op), program.out_types(op));
        let inferred = op.kind.infer(program, &args, &outs).map_err(OpTypeError::Invalid)?;
        if let Some((want, got)) = inferred.iter().zip(&outs).find(|(want, got)| want != *got) {
            return Err(OpTypeError::Invalid(format!("has the result type {want}, not {got}")));
        }
        if let Some(large) = outs.iter().find(|ty| ty.shape.iter().any(|&n| n > MAX_DIM)) {
            return Err(OpTypeError::TooLarge(large.to_string()));
        }
    }
    Ok(())
}

/// Returns the ops of `body` that the given values depend on, in order.
pub fn live_ops(program: &Program, body: &[OpId], results: impl Iterator<Item = ValueId>) -> Vec<OpId> {
    let mut read = vec![false; program.values.len()];
    results.for_each(|v| read[v.index()] = true);
    let mut live: Vec<OpId> = Vec::with_capacity(body.len());
    for &id in body.iter().rev() {
        let op = &program.ops[id];
        if op.outs.iter().any(|v| read[v.index()]) {
            op.args.iter().for_each(|v| read[v.index()] = true);
            live.push(id);
        }
    }
    live.reverse();
    live
}

/// Returns the common broadcast shape, with dimensions aligned from the last.
///
/// # Errors
/// Two sizes differ and neither is 1.
pub fn broadcast_shape<'s>(shapes: impl IntoIterator<Item = &'s Shape>) -> Result<Shape, String> {
    let mut all = Shape::scalar();
    for shape in shapes {
        let rank = all.rank().max(shape.rank());
        let size = |s: &Shape, d: usize| (d + s.rank()).checked_sub(rank).map_or(1, |d| s[d]);
        let mut out = Shape::scalar();
        for d in 0..rank {
            out.0.push(match (size(&all, d), size(shape, d)) {
                (a, b) if a == b => a,
                (1, n) | (n, 1) => n,
                _ => return Err(format!("{all} and {shape} do not broadcast")),
            });
        }
        all = out;
    }
    Ok(all)
}

impl Builder<'_> {
    /// Appends an op with one result, whose type is inferred from the operands.
    ///
    /// # Errors
    /// The operands are invalid for the op.
    pub fn checked_op(&mut self, name: &str, kind: impl Into<OpKind>, args: &[ValueId]) -> Result<ValueId, String> {
        let kind = kind.into();
        let types: Vec<&Type> = args.iter().map(|&v| self.program.ty(v)).collect();
        let inferred = kind.infer(self.program, &types, &[])?;
        match &inferred[..] {
            [ty] => Ok(self.op(name, kind, args, ty.clone())),
            _ => Err(format!("has {} results, not 1", inferred.len())),
        }
    }

    /// Appends a reshape of `x`, unless it has the shape already.
    ///
    /// # Errors
    /// The element counts differ.
    pub fn checked_reshape(&mut self, x: ValueId, shape: impl Into<Shape>) -> Result<ValueId, String> {
        let (from, shape) = (self.ty(x).shape, shape.into());
        match shape.checked_count() == Some(from.count()) {
            true if from == shape => Ok(x),
            true => Ok(self.reshape(x, shape)),
            false => Err(format!("cannot reshape {from} to {shape}")),
        }
    }

    /// Appends a matrix product with broadcasting of leading dimensions.
    ///
    /// # Errors
    /// An operand has fewer than two dimensions, or the sizes do not agree.
    pub fn checked_matmul(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, String> {
        let (xs, ys) = (self.ty(x), self.ty(y));
        let (Some(lead_x), Some(lead_y)) = (xs.shape.rank().checked_sub(2), ys.shape.rank().checked_sub(2)) else {
            return Err(format!("multiplies {xs} by {ys}"));
        };
        broadcast_shape([&Shape::from(&xs.shape[..lead_x]), &Shape::from(&ys.shape[..lead_y])])?;
        if xs.shape[lead_x + 1] != ys.shape[lead_y] {
            return Err(format!("multiplies {xs} by {ys}"));
        }
        Ok(self.matmul(x, y, xs.dtype))
    }
}
