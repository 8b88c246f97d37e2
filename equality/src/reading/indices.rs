//! Indices into sharded dimensions: in a local program they are relative to the device's shard.
//!
//! Recogniser: other indices are read as global ones, which makes fewer programs provable, never more.

use super::Reader;
use crate::placement::ShardedOperands;
use partita_ir::arena::ValueId;
use partita_ir::class::DeviceOp;
use partita_ir::mesh::Axes;
use partita_ir::op::{OpKind, OutOfRange};
use partita_ir::ops::{Binary, BinaryOp, Broadcast, Compare, Constant, Direction, Iota, Literal};
use partita_ir::program::{Form, Op, Values};
use partita_ir::rule::{FactorAxes, FactorKind, Rule, merge_adjacent};
use partita_ir::tensor::Scalar;

/// Subtraction of the start of a shard from one component of index vectors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shift {
    /// Component of the index vectors.
    component: usize,
    /// Global size of the dimension that the component addresses.
    size: usize,
    /// Axes that shard the dimension.
    axes: Axes,
}

impl Reader<'_> {
    /// Returns the operands of an op, with global indices where its indices are relative to a shard, and the
    /// subtractions in between, the last one first.
    pub(super) fn with_global_indices(&self, op: &Op) -> (Values, Vec<Shift>) {
        let mut args = op.args.clone();
        let mut shifts = Vec::new();
        let location = op.kind.interfaces().indexed.zip(args.first()).and_then(|(indexed, &operand)| {
            (0..self.program.ty(operand).shape.rank()).find_map(|dim| indexed.index_location(dim))
        });
        if let Some(location) = location.filter(|_| self.program.form == Form::Local) {
            while let Some((indices, shift)) = self.unshifted(args[location.arg], location.vector_dim) {
                args[location.arg] = indices;
                shifts.push(shift);
            }
        }
        (args, shifts)
    }

    /// Returns the indices from which the start of a shard is subtracted to compute a value.
    fn unshifted(&self, value: ValueId, vector_dim: usize) -> Option<(ValueId, Shift)> {
        let op = self.def(value)?;
        if let (OpKind::Select(_), &[is_component, relative, indices]) = (&op.kind, &op.args[..]) {
            let (unshifted, shift) = self.difference(relative)?;
            let component = self.component(is_component, vector_dim)?;
            return (unshifted == indices).then_some((indices, Shift { component, ..shift }));
        }
        let shape = self.program.values[value].local_shape();
        let is_single = shape.get(vector_dim).is_none_or(|&components| components == 1);
        self.difference(value).filter(|_| is_single)
    }

    /// Returns the minuend of a difference of indices and the start of a shard.
    fn difference(&self, value: ValueId) -> Option<(ValueId, Shift)> {
        let op = self.def(value)?;
        let (OpKind::Binary(Binary { op: BinaryOp::Sub }), &[indices, starts]) = (&op.kind, &op.args[..]) else {
            return None;
        };
        let starts = self.def(starts)?;
        let (OpKind::Broadcast(Broadcast { .. }), &[start]) = (&starts.kind, &starts.args[..]) else { return None };
        let Some(DeviceOp::ShardStart(start)) = self.def(start)?.kind.class().device() else { return None };
        // A negative index must not wrap into a shard.
        let dtype = self.program.values[value].ty.dtype;
        let fits = u32::try_from(8 * dtype.bytes() - 1).is_ok_and(|bits| 2 * start.size as u128 <= 1 << bits);
        fits.then(|| (indices, Shift { component: 0, size: start.size, axes: start.axes.clone() }))
    }

    /// Returns the number that the positions along the dimension of the index vectors are compared with.
    fn component(&self, mask: ValueId, vector_dim: usize) -> Option<usize> {
        let op = self.def(mask)?;
        let (OpKind::Compare(Compare { direction: Direction::Eq, .. }), &[position, number]) = (&op.kind, &op.args[..])
        else {
            return None;
        };
        match (&self.def(position)?.kind, &self.def(number)?.kind) {
            (OpKind::Iota(Iota { dim }), OpKind::Constant(Constant { value: Literal::Splat(Scalar::Int(number)) }))
                if *dim == vector_dim =>
            {
                usize::try_from(*number).ok()
            }
            _ => None,
        }
    }

    fn def(&self, value: ValueId) -> Option<&Op> {
        self.defs.get(&value).map(|&op| &self.program.ops[op])
    }

    /// Returns true if the indices of an op on shards are relative to the shards of exactly those dimensions of
    /// operand 0 that are sharded and indexed. In explicit form, indices are always global.
    pub(super) fn has_relative_indices(
        &self,
        kind: &OpKind,
        rule: &Rule,
        factors: &FactorAxes,
        args: &ShardedOperands<'_>,
        shifts: &[Shift],
    ) -> bool {
        if self.program.form != Form::Local {
            return true;
        }
        let mut rest: Vec<&Shift> = shifts.iter().collect();
        let dims = rule.args.first().into_iter().flatten().enumerate();
        let sharded = dims.filter_map(|(dim, map)| match map[..] {
            [factor] if rule.kind(factor) == FactorKind::Indexed => Some((dim, &factors[factor.0 as usize])),
            _ => None,
        });
        for (dim, axes) in sharded.filter(|(_, axes)| !axes.is_empty()) {
            let Some(indexed) = kind.interfaces().indexed else { return false };
            let reads_shard = match indexed.out_of_range(args.types[0]) {
                OutOfRange::Skipped | OutOfRange::Zero => true,
                OutOfRange::Clamped(..) => false,
            };
            let Some(location) = indexed.index_location(dim).filter(|_| reads_shard) else { return false };
            let is_of_dim = |shift: &&Shift| {
                shift.component == location.component
                    && shift.size == args.types[0].shape[dim]
                    && merge_adjacent(shift.axes.iter().copied()) == merge_adjacent(axes.iter().copied())
            };
            let Some(at) = rest.iter().position(is_of_dim) else { return false };
            rest.remove(at);
        }
        rest.is_empty()
    }
}
