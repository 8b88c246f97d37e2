//! Memory estimate of a chunk before it is cut: the parameters that it reads first, with gradients and optimizer state,
//! and for each micro-batch in flight the activations that the backward pass reads. The estimate is sufficient to
//! choose between cuts. The memory of a stage is computed precisely later.

use super::CutOptions;
use super::step_analysis::StepAnalysis;
use partita_ir::arena::{OpId, ParamId, ValueId};
use partita_ir::program::ParamKind;
use partita_ir::schedule::ScheduleKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Memory needs of ranges of ops, and memory limits of chunks.
pub(super) struct MemoryLimits {
    /// Prefix sums over ops, in bytes: of parameters that are read first, and of activations stored for one
    /// micro-batch.
    params: Vec<u64>,
    activations: Vec<u64>,
    /// For each chunk, the number of micro-batches in flight and the limit in bytes.
    chunks: Vec<(u64, u64)>,
}

impl MemoryLimits {
    /// Returns true if a chunk with the ops `start..end` fits in memory.
    pub(super) fn fits(&self, chunk: usize, start: usize, end: usize) -> bool {
        let (in_flight, limit) = self.chunks[chunk];
        let params = self.params[end] - self.params[start];
        params.saturating_add(in_flight.saturating_mul(self.activations[end] - self.activations[start])) <= limit
    }
}

/// Returns the memory needs of the ops of the forward pass, in order, and the limits of the chunks.
pub(super) fn memory_limits(step: &StepAnalysis<'_>, ops: &[OpId], options: &CutOptions<'_>) -> MemoryLimits {
    let of_param = param_bytes(step);
    let mut read_by_gradients: FxHashSet<ValueId> = FxHashSet::default();
    for &id in step.body().ops() {
        if step.is_op_placed(id) && !step.is_forward(id) && !options.recomputes {
            read_by_gradients.extend(&step.op(id).args);
        }
    }
    let mut seen: FxHashSet<ParamId> = FxHashSet::default();
    let (mut params, mut activations) = (vec![0u64], vec![0u64]);
    for &id in ops {
        let op = step.op(id);
        let first: Vec<ParamId> = op.args.iter().flat_map(|&arg| step.roots_of(arg)).copied().collect();
        let first = first.into_iter().filter(|&param| seen.insert(param));
        let of_params: u64 = first.filter_map(|param| of_param.get(&param)).sum();
        let outs = op.outs.iter().filter(|out| read_by_gradients.contains(out));
        let of_outs: u64 = outs.map(|&out| step.program.values[out].local_type().bytes()).sum();
        params.push(params[params.len() - 1] + of_params);
        activations.push(activations[activations.len() - 1] + of_outs);
    }
    let per_stage = options.schedule.chunks_per_stage() as u64;
    let of_chunk = |chunk: usize| {
        let stage = chunk % options.stages.len();
        (in_flight(options, stage), options.stages[stage].memory / per_stage)
    };
    MemoryLimits { params, activations, chunks: (0..options.chunks()).map(of_chunk).collect() }
}

/// Returns the bytes of each parameter on a device, with its gradient and optimizer state.
fn param_bytes(step: &StepAnalysis<'_>) -> FxHashMap<ParamId, u64> {
    let program = step.program;
    let bytes = |value: ValueId| program.values[value].local_type().bytes();
    let mut all: FxHashMap<ParamId, u64> = FxHashMap::default();
    for (id, param) in program.params.iter() {
        let gradient = if param.kind == ParamKind::Trainable { bytes(param.value) } else { 0 };
        *all.entry(param.parent.unwrap_or(id)).or_default() += bytes(param.value) + gradient;
    }
    all
}

/// Returns the number of micro-batches whose activations a chunk of a stage stores.
fn in_flight(options: &CutOptions<'_>, stage: usize) -> u64 {
    let (stages, all) = (options.stages.len(), options.shares.iter().map(ExactSizeIterator::len).max().unwrap_or(1));
    let most = match options.schedule {
        ScheduleKind::Vanilla => 1,
        ScheduleKind::Gpipe => all,
        ScheduleKind::OneFOneB | ScheduleKind::Interleaved { .. } => stages - stage,
        ScheduleKind::ZbH1 => stages,
        ScheduleKind::ZbH2 => 2 * stages - 1,
    };
    most.min(all) as u64
}
