//! Masks of the rows of groups: consecutive rows, from the sum of the sizes of the groups before it on.
//!
//! Recogniser: a mask in another form stays, and so does the sort whose rows it belongs to.

use super::RowSort;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::interp::eval_op;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Broadcast, Combine, Direction, Literal, Reduce, UnaryOp};
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;

/// Maximum number of ops that are inspected for one property of a value.
const MAX_STEPS: usize = 12;

/// Maximum number of rows whose indices are computed.
const MAX_ROWS: usize = 1 << 22;

/// Maximum number of ops that compute indices.
const MAX_INDEX_OPS: usize = 64;

/// The ops that define the values of a function.
pub(super) struct RowDefinitions<'p> {
    pub(super) program: &'p Program,
    by_value: FxHashMap<ValueId, OpId>,
}

/// A mask of the rows of each group, of which it has a row or a column.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupMask {
    /// The dimension of the rows, 0 or 1; the other one is that of the groups.
    pub(super) rows: usize,
    /// The keys of the rows, in the order before the sort.
    pub(super) keys: ValueId,
    /// True if the group of a row has the inverted bits of its key, false if it is the key.
    pub(super) is_inverted: bool,
}

impl<'p> RowDefinitions<'p> {
    pub(super) fn new(program: &'p Program, func: FuncId) -> RowDefinitions<'p> {
        let results = |&id: &OpId| program.ops[id].outs.iter().map(move |&out| (out, id));
        RowDefinitions { program, by_value: program.funcs[func].ops().iter().flat_map(results).collect() }
    }

    fn op(&self, value: ValueId) -> Option<&'p Op> {
        self.by_value.get(&value).map(|&id| &self.program.ops[id])
    }

    /// Returns the sort that an op is, if it is one.
    ///
    /// Recogniser: an op that sorts in another form stays.
    pub(super) fn sort(&self, op: OpId) -> Option<RowSort> {
        let op = &self.program.ops[op];
        match &op.kind {
            OpKind::TopK(top_k) => {
                let (&[x], &[values, order]) = (&op.args[..], &op.outs[..]) else { return None };
                let is_full = self.program.ty(x).shape[..] == [top_k.k];
                is_full.then(|| RowSort { sorted: vec![(x, values)], order, descends: Some(true) })
            }
            OpKind::Sort(sort) if op.args.first().is_some_and(|&key| self.is_vector(key)) => {
                let position = op.args.iter().rposition(|&arg| self.is_iota(arg))?;
                let pairs = op.args.iter().copied().zip(op.outs.iter().copied());
                let sorted = pairs.enumerate().filter(|(i, _)| *i != position).map(|(_, pair)| pair).collect();
                let descends = self.is_less_than(sort.comparator).then_some(false);
                Some(RowSort { sorted, order: op.outs[position], descends })
            }
            _ => None,
        }
    }

    /// Returns true if a comparator orders by the first operand, ascending.
    fn is_less_than(&self, comparator: FuncId) -> bool {
        let func = &self.program.funcs[comparator];
        let &[only] = func.ops() else { return false };
        let op = &self.program.ops[only];
        let is_less = matches!(&op.kind, OpKind::Compare(compare) if compare.direction == Direction::Lt);
        is_less && op.args[..] == func.inputs[..2] && func.outputs.iter().all(|output| op.outs.contains(&output.value))
    }

    /// Returns the vector of integers that a value is computed from without a change of its elements, by conversions,
    /// dimensions of size 1 and the replacement of negative indices, and true if its bits are inverted, which reverses
    /// its order.
    pub(super) fn index(&self, value: ValueId) -> (ValueId, bool) {
        let (mut value, mut is_inverted) = (value, false);
        for _ in 0..MAX_STEPS {
            let Some(op) = self.op(value) else { break };
            let from = match (&op.kind, &op.args[..]) {
                (OpKind::Convert(_), &[x]) => x,
                (OpKind::Reshape(_), &[x]) if self.is_vector(x) => x,
                (OpKind::Unary(unary), &[x]) if unary.op == UnaryOp::Not && self.program.ty(x).dtype.is_int() => {
                    is_inverted = !is_inverted;
                    x
                }
                (OpKind::Select(_), &[negative, _, x]) if self.is_negative(negative, x) => x,
                _ => break,
            };
            value = from;
        }
        (value, is_inverted)
    }

    fn is_vector(&self, value: ValueId) -> bool {
        self.program.ty(value).shape.rank() == 1
    }

    /// Returns true for the test `x < 0`.
    fn is_negative(&self, test: ValueId, x: ValueId) -> bool {
        match self.op(test).map(|op| (&op.kind, &op.args[..])) {
            Some((OpKind::Compare(compare), &[tested, zero])) => {
                tested == x && compare.direction == Direction::Lt && self.number(zero) == Some(0)
            }
            _ => false,
        }
    }

    /// Returns the integer that fills a value.
    fn number(&self, value: ValueId) -> Option<i64> {
        let mut value = value;
        for _ in 0..MAX_STEPS {
            let op = self.op(value)?;
            match (&op.kind, &op.args[..]) {
                (OpKind::Constant(constant), _) => match constant.value {
                    Literal::Splat(number) => return Some(number.to_i64()),
                    Literal::Dense(_) => return None,
                },
                (OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Convert(_), &[x]) => value = x,
                _ => return None,
            }
        }
        None
    }

    /// Returns the elements of an index that is computed from the order of a sort and constants, if the order is
    /// that of the positions.
    pub(super) fn numbers(&self, value: ValueId, order: ValueId) -> Option<Vec<i64>> {
        let ty = self.program.ty(order).clone();
        if ty.shape.count() > MAX_ROWS {
            return None;
        }
        let positions = (0..ty.shape.count() as i64).collect();
        let mut known = FxHashMap::default();
        known.insert(order, Tensor::from_ints(ty, positions));
        let mut needed = vec![value];
        while let Some(&last) = needed.last() {
            if known.contains_key(&last) {
                needed.pop();
                continue;
            }
            let op = self.op(last).filter(|op| known.len() < MAX_INDEX_OPS && op.kind.control().is_none())?;
            let missing: Vec<ValueId> = op.args.iter().copied().filter(|arg| !known.contains_key(arg)).collect();
            if missing.is_empty() {
                let args: Vec<&Tensor> = op.args.iter().map(|arg| &known[arg]).collect();
                let outs = eval_op(self.program, op, None, &args).ok()?;
                known.extend(op.outs.iter().copied().zip(outs));
            } else {
                needed.extend(missing);
            }
        }
        Some(known.remove(&value)?.scalars().map(|x| x.to_i64()).collect())
    }

    /// Returns true for the numbers `0, 1, ..` of a vector.
    pub(super) fn is_iota(&self, value: ValueId) -> bool {
        let is_iota = |op: &Op| matches!(op.kind, OpKind::Iota(_));
        self.is_vector(value) && self.op(self.index(value).0).is_some_and(is_iota) && !self.index(value).1
    }

    /// Returns true if all elements along a dimension are equal.
    pub(super) fn is_uniform(&self, value: ValueId, dim: usize) -> bool {
        self.is_uniform_within(value, dim, MAX_STEPS)
    }

    /// Returns the result of [`RowDefinitions::is_uniform`] for a value that is computed in at most `steps` steps.
    fn is_uniform_within(&self, value: ValueId, dim: usize, steps: usize) -> bool {
        if self.program.ty(value).shape[dim] == 1 {
            return true;
        }
        let (Some(op), Some(steps)) = (self.op(value), steps.checked_sub(1)) else { return false };
        match (&op.kind, &op.args[..]) {
            (OpKind::Constant(constant), _) => matches!(constant.value, Literal::Splat(_)),
            (OpKind::Iota(iota), _) => iota.dim != dim,
            (OpKind::Broadcast(broadcast), &[x]) => {
                let source = broadcast.dims.iter().position(|&d| d == dim);
                source.is_none_or(|source| self.is_uniform_within(x, source, steps))
            }
            (kind, args) if kind.is_elementwise() => args
                .iter()
                .all(|&arg| self.program.ty(arg).shape.rank() == 0 || self.is_uniform_within(arg, dim, steps)),
            _ => false,
        }
    }

    /// Returns the mask `start <= row && row < end` of the groups that a sort makes consecutive.
    pub(super) fn group_mask(&self, op: &Op, sort: &RowSort) -> Option<GroupMask> {
        let (OpKind::Binary(binary), &[after, before]) = (&op.kind, &op.args[..]) else { return None };
        let shape = &self.program.ty(op.outs[0]).shape;
        if binary.op != BinaryOp::And || shape.rank() != 2 {
            return None;
        }
        let (first, starts) = self.compared(after, Direction::Ge)?;
        let (second, ends) = self.compared(before, Direction::Lt)?;
        let rows = self.iota_dim(first)?;
        let is_of_rows = shape[rows] == self.program.ty(sort.order).shape[0] && self.iota_dim(second) == Some(rows);
        let vector = |value: ValueId| match self.op(value).map(|op| (&op.kind, &op.args[..])) {
            Some((OpKind::Broadcast(Broadcast { dims }), &[x])) if dims[..] == [1 - rows] => Some(x),
            _ => None,
        };
        let (starts, ends) = (vector(starts)?, vector(ends)?);
        let sizes = self.summed_sizes(ends)?;
        if !is_of_rows || !self.are_starts(starts, ends, sizes) {
            return None;
        }
        // The labels ascend: they are the keys, or the inverted bits of descending keys.
        let &(keys, sorted) = sort.sorted.first()?;
        let is_inverted = sort.descends?;
        let (source, keys_are_inverted) = self.index(keys);
        let counted = self.index(self.counted_labels(sizes)?);
        let is_same = counted == (source, keys_are_inverted ^ is_inverted) || counted == (sorted, is_inverted);
        (is_same && self.program.ty(keys).dtype.is_int()).then_some(GroupMask { rows, keys, is_inverted })
    }

    fn compared(&self, value: ValueId, direction: Direction) -> Option<(ValueId, ValueId)> {
        match self.op(value).map(|op| (&op.kind, &op.args[..])) {
            Some((OpKind::Compare(compare), &[x, y])) if compare.direction == direction => Some((x, y)),
            _ => None,
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
                let (x, y) = self.compared(earlier, Direction::Le)?;
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
                let (spread, class) = self.compared(equal, Direction::Eq)?;
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
