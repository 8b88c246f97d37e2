//! Ops that change the placement of shards or overwrite their padding.
//!
//! In a local program, uneven dimensions are padded before a collective over one axis divides their shards, and trimmed
//! after it concatenates them. Such a pad or slice is read as a part of the collective: padding follows the elements of
//! a dimension.
//!
//! Recogniser: collectives with other ops around them have no term, which makes fewer programs provable, never more.

use super::{Operand, Reader};
use crate::laws::{collectives, layouts};
use crate::placement::moved_placement;
use crate::term::{Call, Head, Term};
use partita_ir::arena::ValueId;
use partita_ir::class::Collective;
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::program::{Form, Op};

/// Dimensions of a collective that concatenates or divides shards.
struct ChangedDims<'a> {
    /// Dimension whose shards are concatenated.
    concatenated: Option<usize>,
    /// Dimension whose shards are divided.
    divided: Option<usize>,
    axes: &'a Axes,
}

impl ChangedDims<'_> {
    /// Returns the dimensions that a collective changes.
    fn from_kind(kind: &OpKind) -> Option<ChangedDims<'_>> {
        match kind.collective()? {
            Collective::AllGather(op) => {
                Some(ChangedDims { concatenated: Some(op.dim), divided: None, axes: &op.axes })
            }
            Collective::ReduceScatter(op) => {
                Some(ChangedDims { concatenated: None, divided: Some(op.dim), axes: &op.axes })
            }
            Collective::AllToAll(op) => {
                Some(ChangedDims { concatenated: Some(op.from), divided: Some(op.to), axes: &op.axes })
            }
            Collective::AllReduce(_) | Collective::Permute(_) => None,
        }
    }
}

impl Reader<'_> {
    /// Translates an op that changes the placements of its operands or overwrites their padding.
    pub(super) fn read_moves(&mut self, op: &Op) {
        for (&arg, &out) in op.args.iter().zip(&op.outs) {
            for operand in self.operands(self.unpadded(&op.kind, arg)) {
                self.read_move(&op.kind, &operand, out);
            }
        }
    }

    /// Translates a slice that trims the result of a collective.
    pub(super) fn read_trimmed_move(&mut self, slice: &Op) {
        let (OpKind::Slice(op), &[whole], &[out]) = (&slice.kind, &slice.args[..], &slice.outs[..]) else { return };
        let program = self.program;
        let Some(collective) = self.defs.get(&whole).map(|&op| &program.ops[op]) else { return };
        let is_prefix = op.start.iter().all(|&first| first == 0) && op.stride.iter().all(|&step| step == 1);
        let concatenates = ChangedDims::from_kind(&collective.kind).is_some_and(|changed| {
            let (whole, out) = (program.values[whole].local_shape(), program.values[out].local_shape());
            let trims = |dim: usize| Some(dim) == changed.concatenated || whole[dim] == out[dim];
            changed.axes.len() == 1 && (0..whole.rank()).all(trims)
        });
        let Some(position) = collective.outs.iter().position(|&value| value == whole) else { return };
        if program.form != Form::Local || !is_prefix || !concatenates {
            return;
        }
        for operand in self.operands(self.unpadded(&collective.kind, collective.args[position])) {
            self.read_move(&collective.kind, &operand, out);
        }
    }

    /// Returns the value that is padded for a collective to divide it, or the operand itself.
    fn unpadded(&self, kind: &OpKind, operand: ValueId) -> ValueId {
        let Some(ChangedDims { divided: Some(divided), axes, .. }) = ChangedDims::from_kind(kind) else {
            return operand;
        };
        let pad = self.defs.get(&operand).map(|&op| &self.program.ops[op]);
        let Some((OpKind::Pad(pad), &[value, _])) = pad.map(|op| (&op.kind, &op.args[..])) else { return operand };
        let pads = |(dim, &count): (usize, &i64)| if dim == divided { count >= 0 } else { count == 0 };
        let follows = pad.low.iter().all(|&count| count == 0)
            && pad.interior.iter().all(|&count| count == 0)
            && pad.high.iter().enumerate().all(pads);
        if self.program.form == Form::Local && axes.len() == 1 && follows { value } else { operand }
    }

    /// Translates a change of one operand's placement, with the pad and slice around it.
    fn read_move(&mut self, kind: &OpKind, operand: &Operand, out: ValueId) {
        let ty = self.terms.analysis.type_at(operand.data.ty).clone();
        let law = [&layouts::MASK].into_iter().chain(collectives::LAWS).find(|law| law.name == kind.name());
        let (Some(law), Some(to)) = (law, moved_placement(kind, &ty.shape, &operand.placement)) else { return };
        if to.local_type(&ty) != self.program.values[out].local_type() {
            return;
        }
        let call = self.terms.analysis.add_call(Call { kind: kind.clone(), outs: vec![ty] });
        let placement = Some(self.terms.analysis.add_placement(to));
        self.add_reading(out, Term::new(Head::Op { call, out: 0, placement }, [operand.term]), law);
    }
}
