//! Ops whose result depends on the position of the shard, such as `iota`: in a local program, each is a fragment of ops
//! that computes the shard from its start.

use super::Reader;
use crate::laws::layouts;
use crate::placement::Placement;
use crate::term::{Call, Head, Term};
use partita_ir::arena::{Id as _, MeshId, OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::class::DeviceOp;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::ops::Iota;
use partita_ir::program::{Form, Op, Program};
use rustc_hash::FxHashMap;

/// Maximum number of ops between the start of a shard and the result of a fragment.
const MAX_FRAGMENT_DEPTH: usize = 12;

impl Reader<'_> {
    /// Translates the last op of a fragment that computes the shard of a positional op.
    pub(super) fn read_positional(&mut self, op: &Op, mesh: MeshId) {
        let program = self.program;
        if program.form != Form::Local || !self.depends_on_start(op, 0) {
            return;
        }
        let [out] = op.outs[..] else { return };
        let local = program.values[out].local_type();
        let dims: Vec<(usize, Axes)> =
            local.shape.iter().enumerate().map(|(dim, &size)| self.hints.global_dim(out, dim, size)).collect();
        let global = Type { shape: dims.iter().map(|(size, _)| *size).collect::<Shape>(), dtype: local.dtype };
        for call in self.positional_calls(op, &global) {
            let Call { kind, outs } = self.terms.analysis.call_at(call).clone();
            let Some((fragment, result)) = self.fragment(&kind, &local, &dims) else { continue };
            if !self.matches_fragment(&fragment, result, out) {
                continue;
            }
            let dims = dims.iter().map(|(_, axes)| DimLayout { axes: axes.clone(), ..DimLayout::default() });
            let layout = Layout { dims: dims.collect(), ..Layout::replicated(mesh, 0) };
            let placement = Placement::from_layout(&layout, &outs[0].shape);
            let placement = Some(self.terms.analysis.add_placement(placement));
            self.add_reading(out, Term::leaf(Head::Op { call, out: 0, placement }), &layouts::SPLIT);
        }
    }

    /// Returns the positional ops that an op may be the last part of: those of the e-graph with a result of this type,
    /// and `iota` along each dimension.
    fn positional_calls(&mut self, op: &Op, global: &Type) -> Vec<u32> {
        let iotas = (0..global.shape.rank()).map(|dim| OpKind::from(Iota { dim }));
        let iotas: Vec<OpKind> = iotas.filter(|_| op.kind.is_elementwise()).collect();
        for kind in iotas {
            self.terms.analysis.add_call(Call { kind, outs: vec![global.clone()] });
        }
        let analysis = &self.terms.analysis;
        let is_candidate = |call: &Call| {
            call.kind.source().is_some()
                && call.kind.interfaces().positional.is_some()
                && call.outs[..] == [global.clone()]
        };
        (0..analysis.call_count()).filter(|&at| is_candidate(analysis.call_at(at))).collect()
    }

    /// Returns true if an op uses the start of a shard.
    fn depends_on_start(&self, op: &Op, depth: usize) -> bool {
        depth < MAX_FRAGMENT_DEPTH
            && op.args.iter().any(|arg| {
                self.defs.get(arg).map(|&op| &self.program.ops[op]).is_some_and(|op| {
                    is_start(op) || self.readings[arg.index()].is_empty() && self.depends_on_start(op, depth + 1)
                })
            })
    }

    /// Returns a program that computes the shard of an op without operands, with its result. `None` if the op itself
    /// computes the shard.
    fn fragment(&self, kind: &OpKind, local: &Type, dims: &[(usize, Axes)]) -> Option<(Program, ValueId)> {
        let mut scratch = Program::default();
        scratch.meshes.clone_from(&self.program.meshes);
        let mut names = Namer::default();
        let mut builder = Builder::new(&mut scratch, &mut names);
        let positional = kind.interfaces().positional?;
        let results = positional.build_shard(&mut builder, &[], dims, &[local])?;
        let main = builder.program.entry();
        builder.finish(main);
        Some((scratch, *results.first()?))
    }

    /// Returns true if a value of the local program is computed like a value of the fragment.
    fn matches_fragment(&self, fragment: &Program, wanted: ValueId, value: ValueId) -> bool {
        // entry only: a fragment has no loops
        let defs = definitions(fragment, fragment.funcs[fragment.entry()].ops());
        let (Some(&pattern), Some(&op)) = (defs.get(&wanted), self.defs.get(&value)) else { return false };
        let (pattern, op) = (&fragment.ops[pattern], &self.program.ops[op]);
        let types_agree =
            pattern.outs.iter().zip(&op.outs).all(|(&a, &b)| *fragment.ty(a) == self.program.values[b].local_type());
        let position = |outs: &[ValueId], of: ValueId| outs.iter().position(|&out| out == of);
        pattern.kind == op.kind
            && types_agree
            && position(&pattern.outs, wanted) == position(&op.outs, value)
            && pattern.args.len() == op.args.len()
            && pattern.args.iter().zip(&op.args).all(|(&a, &b)| self.matches_fragment(fragment, a, b))
    }
}

/// Returns true for the start of a shard.
fn is_start(op: &Op) -> bool {
    match op.kind.class().device() {
        Some(device) => match device {
            DeviceOp::ShardStart(_) => true,
            DeviceOp::Shard(_) | DeviceOp::Partial(_) | DeviceOp::Mask(_) => false,
        },
        None => false,
    }
}

/// Returns the op that defines each value.
pub(super) fn definitions(program: &Program, ops: &[OpId]) -> FxHashMap<ValueId, OpId> {
    ops.iter().flat_map(|&op| program.ops[op].outs.iter().map(move |&out| (out, op))).collect()
}
