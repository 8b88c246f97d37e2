//! What a chunk would hold, before it is one: the parameters that it reads first, with what training keeps for them,
//! and for each micro-batch in flight what its gradients read. Enough to choose between cuts; what a stage really holds
//! is counted once it is made.

use super::Cutting;
use super::whole::Whole;
use partita_ir::arena::{OpId, ParamId, ValueId};
use partita_ir::program::ParamKind;
use partita_ir::schedule::Kind;
use rustc_hash::{FxHashMap, FxHashSet};

/// What the ops of the model hold, and how much there is room for.
pub(super) struct Room {
    /// By place between ops, bytes of parameters that are read first before it, and bytes kept of a micro-batch.
    params: Vec<u64>,
    kept: Vec<u64>,
    /// By chunk, how many micro-batches are in flight, and bytes that it may hold.
    chunks: Vec<(u64, u64)>,
}

impl Room {
    /// Whether a chunk of these ops has the room that it needs.
    pub(super) fn has(&self, chunk: usize, start: usize, end: usize) -> bool {
        let (in_flight, limit) = self.chunks[chunk];
        let params = self.params[end] - self.params[start];
        params.saturating_add(in_flight.saturating_mul(self.kept[end] - self.kept[start])) <= limit
    }
}

/// What ops of the model, in their order, hold in such a cut.
pub(super) fn rooms(whole: &Whole<'_>, ops: &[OpId], how: &Cutting<'_>) -> Room {
    let of_param = of_params(whole);
    let mut read_back: FxHashSet<ValueId> = FxHashSet::default();
    for &id in whole.body().ops() {
        if whole.is_op_placed(id) && !whole.is_forward(id) && !how.recomputes {
            read_back.extend(&whole.op(id).args);
        }
    }
    let mut met: FxHashSet<ParamId> = FxHashSet::default();
    let (mut params, mut kept) = (vec![0u64], vec![0u64]);
    for &id in ops {
        let op = whole.op(id);
        let first: Vec<ParamId> = op.args.iter().flat_map(|&arg| whole.roots_of(arg)).copied().collect();
        let first = first.into_iter().filter(|&param| met.insert(param));
        let of_params: u64 = first.filter_map(|param| of_param.get(&param)).sum();
        let outs = op.outs.iter().filter(|out| read_back.contains(out));
        let of_outs: u64 = outs.map(|&out| whole.program.values[out].local_type().bytes()).sum();
        params.push(params[params.len() - 1] + of_params);
        kept.push(kept[kept.len() - 1] + of_outs);
    }
    let per_stage = how.schedule.chunks_per_stage() as u64;
    let of_chunk = |chunk: usize| {
        let stage = chunk % how.stages.len();
        (in_flight(how, stage), how.stages[stage].memory / per_stage)
    };
    Room { params, kept, chunks: (0..how.chunks()).map(of_chunk).collect() }
}

/// By parameter, bytes that a device holds of it, of its gradient and of what an optimizer keeps for it.
fn of_params(whole: &Whole<'_>) -> FxHashMap<ParamId, u64> {
    let program = whole.program;
    let bytes = |value: ValueId| program.values[value].local_type().bytes();
    let mut all: FxHashMap<ParamId, u64> = FxHashMap::default();
    for (id, param) in program.params.iter() {
        let gradient = if param.kind == ParamKind::Trainable { bytes(param.value) } else { 0 };
        *all.entry(param.of.unwrap_or(id)).or_default() += bytes(param.value) + gradient;
    }
    all
}

/// Of how many micro-batches a chunk of a stage keeps what its gradients read.
fn in_flight(how: &Cutting<'_>, stage: usize) -> u64 {
    let (stages, all) = (how.stages.len(), how.shares.iter().map(ExactSizeIterator::len).max().unwrap_or(1));
    let most = match how.schedule {
        Kind::Vanilla => 1,
        Kind::Gpipe => all,
        Kind::OneFOneB | Kind::Interleaved { .. } => stages - stage,
        Kind::ZbH1 => stages,
        Kind::ZbH2 => 2 * stages - 1,
    };
    most.min(all) as u64
}
