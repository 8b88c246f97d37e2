//! Masks of the rows of groups: consecutive rows, from the sum of the sizes of the groups before it on.
//!
//! Recogniser: a mask in another form stays, and so does the sort whose rows it belongs to.

use super::RowSort;
use super::definitions::{MAX_STEPS, Sign};
use crate::import::row_wise::RowDefinitions;
use partita_ir::arena::ValueId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Broadcast, Combine, Direction, Reduce};
use partita_ir::program::Op;

/// A mask of the rows of each group, which may have further dimensions.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupMask {
    /// The dimension of the rows.
    pub(super) rows: usize,
    /// The dimension of the groups.
    pub(super) groups: usize,
    /// The labels of the rows, in the order before the sort.
    pub(super) labels: ValueId,
    /// True if the group of a row has the inverted bits of its label, false if it is the label.
    pub(super) is_inverted: bool,
}

impl RowDefinitions<'_> {
    /// Returns the mask `start <= row && row < end` of the groups that a sort makes consecutive.
    pub(super) fn group_mask(&self, op: &Op, sort: &RowSort) -> Option<GroupMask> {
        let (OpKind::Binary(binary), &[after, before]) = (&op.kind, &op.args[..]) else { return None };
        if binary.op != BinaryOp::And {
            return None;
        }
        let (starts, false, first) = self.compared(after)? else { return None };
        let (second, true, ends) = self.compared(before)? else { return None };
        let shape = &self.program.ty(op.outs[0]).shape;
        let rows = self.iota_dim(first)?;
        let is_of_rows = shape[rows] == self.program.ty(sort.order).shape[0] && self.iota_dim(second) == Some(rows);
        let vector = |value: ValueId| match self.op(value).map(|op| (&op.kind, &op.args[..])) {
            Some((OpKind::Broadcast(Broadcast { dims }), &[x])) if dims.len() == 1 && dims[0] != rows => {
                Some((x, dims[0]))
            }
            _ => None,
        };
        let ((starts, groups), (ends, same_groups)) = (vector(starts)?, vector(ends)?);
        let sizes = self.summed_sizes(ends)?;
        if !is_of_rows || groups != same_groups || !self.are_starts(starts, ends, sizes) {
            return None;
        }
        let (labels, is_inverted) = self.labels_of_rows(self.counted_labels(sizes)?, sort)?;
        Some(GroupMask { rows, groups, labels, is_inverted })
    }

    /// Returns the labels, in the order before the sort, of rows that a sort arranges by ascending labels, and true if
    /// the labels are their inverted bits. `counted` are the labels whose numbers are the sizes of the groups: none are
    /// negative, which would be rows before the first group.
    fn labels_of_rows(&self, counted: ValueId, sort: &RowSort) -> Option<(ValueId, bool)> {
        let &(keys, sorted) = sort.sorted.first()?;
        let is_inverted = sort.descends?;
        if self.sign(counted) != Some(Sign::NotNegative) || !self.program.ty(keys).dtype.is_int() {
            return None;
        }
        if self.index(counted) == (sorted, is_inverted) {
            return Some((keys, is_inverted));
        }
        let (source, keys_are_inverted) = self.index(keys);
        let is_same = self.limited(counted) == (source, keys_are_inverted ^ is_inverted);
        is_same.then_some((counted, false))
    }

    /// Returns the result of [`RowDefinitions::index`] for the value whose elements are limited to a range, which does
    /// not change their order.
    fn limited(&self, value: ValueId) -> (ValueId, bool) {
        let (mut value, mut is_inverted) = self.index(value);
        for _ in 0..MAX_STEPS {
            let Some(op) = self.op(value) else { break };
            let limited = match (&op.kind, &op.args[..]) {
                (OpKind::Clamp(_), &[low, x, high]) if self.number(low).and(self.number(high)).is_some() => x,
                (OpKind::Binary(binary), &[x, y]) if matches!(binary.op, BinaryOp::Max | BinaryOp::Min) => {
                    match (self.number(x), self.number(y)) {
                        (Some(_), None) => y,
                        (None, Some(_)) => x,
                        _ => break,
                    }
                }
                _ => break,
            };
            let (source, inverts) = self.index(limited);
            (value, is_inverted) = (source, is_inverted ^ inverts);
        }
        (value, is_inverted)
    }

    /// Returns the lesser and the greater operand of a comparison, and true if they are not equal.
    fn compared(&self, value: ValueId) -> Option<(ValueId, bool, ValueId)> {
        let op = self.op(value)?;
        let (OpKind::Compare(compare), &[x, y]) = (&op.kind, &op.args[..]) else { return None };
        match compare.direction {
            Direction::Lt => Some((x, true, y)),
            Direction::Le => Some((x, false, y)),
            Direction::Gt => Some((y, true, x)),
            Direction::Ge => Some((y, false, x)),
            Direction::Eq | Direction::Ne => None,
        }
    }

    fn iota_dim(&self, value: ValueId) -> Option<usize> {
        match &self.op(value)?.kind {
            OpKind::Iota(iota) => Some(iota.dim),
            _ => None,
        }
    }

    /// Returns the vector of which a value is the running sums, `sizes[0] + .. + sizes[i]`.
    fn summed_sizes(&self, ends: ValueId) -> Option<ValueId> {
        let count = self.program.ty(ends).shape.count();
        let op = self.op(ends)?;
        match (&op.kind, &op.args[..]) {
            (OpKind::ReduceWindow(sum), &[sizes]) => {
                let is_running = sum.monoid == Monoid::Sum && sum.scan_direction(0, count) == Some(false);
                is_running.then_some(sizes)
            }
            // The sum of the sizes that a comparison of two positions selects.
            (OpKind::Reduce(Reduce { monoid: Monoid::Sum, dims }), &[selected]) if dims[..] == [0] => {
                let (OpKind::Select(_), &[earlier, sizes, zero]) =
                    (&self.op(selected)?.kind, &self.op(selected)?.args[..])
                else {
                    return None;
                };
                let (x, false, y) = self.compared(earlier)? else { return None };
                let (OpKind::Broadcast(Broadcast { dims }), &[sizes]) =
                    (&self.op(sizes)?.kind, &self.op(sizes)?.args[..])
                else {
                    return None;
                };
                let is_running = self.iota_dim(x) == Some(0) && self.iota_dim(y) == Some(1) && dims[..] == [0];
                (is_running && self.number(zero) == Some(0)).then_some(sizes)
            }
            _ => None,
        }
    }

    /// Returns true if a vector has 0 and all ends but the last, or the ends minus the sizes.
    fn are_starts(&self, starts: ValueId, ends: ValueId, sizes: ValueId) -> bool {
        let Some(op) = self.op(starts) else { return false };
        match (&op.kind, &op.args[..]) {
            (OpKind::Binary(binary), &[x, y]) => binary.op == BinaryOp::Sub && x == ends && y == sizes,
            (OpKind::Concatenate(_), &[zero, earlier]) => {
                let slice = self.op(earlier).map(|op| (&op.kind, &op.args[..]));
                let starts_at_zero = match slice {
                    Some((OpKind::Slice(slice), &[x])) => {
                        x == ends && slice.start[..] == [0] && slice.stride.is_empty()
                    }
                    _ => false,
                };
                starts_at_zero && self.program.ty(zero).shape.count() == 1 && self.number(zero) == Some(0)
            }
            _ => false,
        }
    }

    /// Returns the labels of which a vector has the number for each group.
    fn counted_labels(&self, sizes: ValueId) -> Option<ValueId> {
        let op = self.op(self.index(sizes).0)?;
        match (&op.kind, &op.args[..]) {
            (OpKind::Reduce(Reduce { monoid: Monoid::Sum, dims }), &[ones]) if dims[..] == [0] => {
                let (OpKind::Convert(_), &[equal]) = (&self.op(ones)?.kind, &self.op(ones)?.args[..]) else {
                    return None;
                };
                let (OpKind::Compare(compare), &[spread, class]) = (&self.op(equal)?.kind, &self.op(equal)?.args[..])
                else {
                    return None;
                };
                if compare.direction != Direction::Eq {
                    return None;
                }
                let (OpKind::Broadcast(Broadcast { dims }), &[labels]) =
                    (&self.op(spread)?.kind, &self.op(spread)?.args[..])
                else {
                    return None;
                };
                let is_count = self.program.ty(equal).dtype == DType::Bool && self.iota_dim(class) == Some(1);
                (is_count && dims[..] == [0]).then_some(labels)
            }
            (OpKind::Scatter(scatter), &[zero, labels, one]) => {
                let is_count = scatter.combine == Combine::Sum && scatter.index_map[..] == [0];
                (is_count && self.number(zero) == Some(0) && self.number(one) == Some(1)).then_some(labels)
            }
            _ => None,
        }
    }
}
