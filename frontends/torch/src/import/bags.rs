//! Lowering of bags of embeddings: sums, means or maxima of rows of a table.

use super::indexing::with_mean_gradient;
use super::lowering::{Lowering, LoweringError, LoweringResult, first_of, malformed};
use super::node::Node;
use super::scatter;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Combine, Constant, Direction, Literal};
use partita_ir::tensor::Scalar;

/// Combination of the rows of a bag.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Sum,
    Mean,
    Max,
}

/// Rows `[indices, width]` of a table, and the bags to which they belong.
struct Bags {
    rows: ValueId,
    /// True for rows that count, `[indices]`, if not all do.
    counted: Option<ValueId>,
    /// Number of bags.
    count: usize,
    membership: Membership,
}

/// Assignment of rows to bags.
enum Membership {
    /// All bags have the same number of rows.
    Equal(usize),
    /// The bag of each row, `[indices]`.
    Numbered(ValueId),
}

/// Lowers bags of rows, whose first indices are the offsets. An empty bag is zero.
pub fn embedding_bag(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (table, indices, offsets) = (node.tensor("weight")?, node.tensor("indices")?, node.tensor("offsets")?);
    let (ty, index_type, offset_type) = (cx.b.ty(table), cx.b.ty(indices), cx.b.ty(offsets));
    let (&[_, width], &[n], &[offset_count]) = (&ty.shape[..], &index_type.shape[..], &offset_type.shape[..]) else {
        return malformed(format!("combines rows of {ty} at {index_type} in bags at {offset_type}"));
    };
    let mode = match node.int("mode", 0)? {
        0 => Mode::Sum,
        1 => Mode::Mean,
        2 => Mode::Max,
        other => return malformed(format!("has the mode {other}")),
    };
    // The last offset may be the number of indices.
    let count = offset_count.saturating_sub(usize::from(node.flag("include_last_offset", false)?));
    let mut rows = cx.b.take(table, indices, 0);
    if node.flag("scale_grad_by_freq", false)? {
        rows = with_mean_gradient(cx, table, indices, rows)?;
    }
    if let Some(weights) = node.optional("per_sample_weights")? {
        if cx.shape(weights)[..] != [n] {
            return malformed(format!("has weights {} for {n} indices", cx.b.ty(weights)));
        }
        let weights = cx.converted(weights, ty.dtype);
        let weights = cx.b.broadcast(weights, &[0], [n, width]);
        rows = cx.b.binary(BinaryOp::Mul, rows, weights);
    }
    let counted = match node.int("padding_idx", -1)? {
        padding if padding >= 0 => Some(cx.compare_scalar(indices, Direction::Ne, Scalar::Int(padding))),
        _ => None,
    };
    let membership = match constant_step(cx, offsets) {
        Some(size) if size.checked_mul(count) == Some(n) => Membership::Equal(size),
        _ => {
            let starts = cx.b.slice_dim(offsets, 0, 0, count);
            Membership::Numbered(bag_of_each(cx, starts, n)?)
        }
    };
    let out = Bags { rows, counted, count, membership }.combined(cx, mode)?;
    // PyTorch's other results serve its gradient.
    first_of(out, 4)
}

/// Appends the number of the bag of each of `n` rows: the bags that start at it or before, minus 1.
fn bag_of_each(cx: &mut Lowering<'_>, starts: ValueId, n: usize) -> Result<ValueId, LoweringError> {
    let ones = Type { dtype: DType::I64, shape: cx.shape(starts) };
    let ones = cx.b.splat(ones, Scalar::Int(1));
    let zeros = cx.b.splat(Type::new(DType::I64, [n]), Scalar::Int(0));
    let started = scatter::slices(cx, [zeros, starts, ones], 0, Combine::Sum)?;
    let bags = cx.b.cumulative(Monoid::Sum, started, 0, false);
    Ok(cx.b.binary_scalar(BinaryOp::Sub, bags, 1.0))
}

impl Bags {
    /// Appends the combination of the rows of each bag, `[bags, width]`.
    fn combined(&self, cx: &mut Lowering<'_>, mode: Mode) -> Result<ValueId, LoweringError> {
        let neutral = match mode {
            Mode::Sum | Mode::Mean => 0.0,
            Mode::Max => f64::NEG_INFINITY,
        };
        let shape = cx.shape(self.rows);
        let mut rows = self.rows;
        if let Some(counted) = self.counted {
            let counted = cx.b.broadcast(counted, &[0], shape.clone());
            rows = cx.select_or(counted, rows, Scalar::Float(neutral))?;
        }
        let out = match mode {
            Mode::Sum => return self.reduced(cx, rows, neutral),
            Mode::Mean | Mode::Max => self.reduced(cx, rows, neutral)?,
        };
        let ones = Type { dtype: cx.dtype(rows), shape: shape.clone() };
        let mut ones = cx.b.splat(ones, Scalar::Float(1.0));
        if let Some(counted) = self.counted {
            let counted = cx.b.broadcast(counted, &[0], shape);
            ones = cx.select_or(counted, ones, Scalar::Float(0.0))?;
        }
        let sizes = self.reduced(cx, ones, 0.0)?;
        if mode == Mode::Mean {
            let divisor = cx.b.binary_scalar(BinaryOp::Max, sizes, 1.0);
            return Ok(cx.b.binary(BinaryOp::Div, out, divisor));
        }
        let filled = cx.compare_scalar(sizes, Direction::Gt, Scalar::Float(0.0));
        cx.select_or(filled, out, Scalar::Float(0.0))
    }

    /// Appends the sum (with `neutral` 0) or maximum of the rows of each bag.
    fn reduced(&self, cx: &mut Lowering<'_>, rows: ValueId, neutral: f64) -> Result<ValueId, LoweringError> {
        let ty = cx.b.ty(rows);
        let (monoid, combine) = if neutral == 0.0 { (Monoid::Sum, Combine::Sum) } else { (Monoid::Max, Combine::Max) };
        match self.membership {
            Membership::Equal(size) => {
                let bags = cx.b.checked_reshape(rows, [self.count, size, ty.shape[1]])?;
                Ok(cx.b.reduce(monoid, bags, 1))
            }
            Membership::Numbered(bags) => {
                let start = Type { dtype: ty.dtype, shape: [self.count, ty.shape[1]].into() };
                let start = cx.b.splat(start, Scalar::Float(neutral));
                scatter::slices(cx, [start, bags, rows], 0, combine)
            }
        }
    }
}

/// Recogniser: returns the distance between the elements of `0, step, 2 * step, ..`, if a value is computed as such a
/// sequence.
fn constant_step(cx: &Lowering<'_>, value: ValueId) -> Option<usize> {
    let program = &cx.b.program;
    let producer =
        |value: ValueId| cx.b.body.iter().rev().map(|&op| &program.ops[op]).find(|op| op.outs[..] == [value]);
    let op = producer(value)?;
    match &op.kind {
        OpKind::Iota(_) => Some(1),
        OpKind::Binary(Binary { op: BinaryOp::Mul }) if matches!(producer(op.args[0])?.kind, OpKind::Iota(_)) => {
            match &producer(op.args[1])?.kind {
                OpKind::Constant(Constant { value: Literal::Splat(step) }) => {
                    usize::try_from(step.to_f64() as i64).ok()
                }
                _ => None,
            }
        }
        _ => None,
    }
}
