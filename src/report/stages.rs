//! Parameters, memory, arithmetic and communication of each pipeline stage, and the schedule.

use super::gather::MAX_LARGEST_VALUES;
use super::{DeviceMemory, LargeValueRow};
use crate::compile_results::{CompileResults, Unit};
use indexmap::IndexMap;
use partita_cost::memory;
use partita_cost::peak_breakdown::{PeakBreakdown, peak_of_program, peak_of_stages};
use partita_cost::pipeline::{ScheduleCosts, simulate_step};
use partita_cost::traffic::{collectives, contraction_flops};
use partita_ir::dtype::Type;
use partita_ir::mesh::DeviceMesh;
use partita_ir::pipeline::{CellScope, Chunk, Pipeline, StagePort, TaskTime, Transfer, messages};
use partita_ir::program::ParamKind;
use partita_ir::schedule::{Durations, Slot, Work};
use partita_machine::timeline::Timeline;
use partita_passes::planning::presets::model::param_kinds;
use serde::Serialize;

/// A pipeline stage, with figures for one of its devices.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StageRow {
    /// Mesh: `data=2,model=4`.
    pub mesh: String,
    /// Chunks of the stage.
    pub chunks: Vec<usize>,
    /// Number of parameters stored between steps. Parameters received from another stage do not count.
    pub parameters: usize,
    /// Bytes of parameters.
    pub parameter_bytes: u64,
    /// Bytes of optimizer state.
    pub state_bytes: u64,
    /// Bytes of gradients accumulated over micro-batches.
    pub gradient_bytes: u64,
    /// Peak memory of a device in bytes.
    pub peak_bytes: u64,
    /// Largest values at the peak, in descending order.
    pub largest: Vec<LargeValueRow>,
    /// Bytes of activations of one micro-batch that are stored for its backward pass.
    #[serde(rename = "kept_bytes")]
    pub stored_bytes: u64,
    /// Maximum number of forward passes of a chunk for a micro-batch whose activations are stored at a time.
    pub in_flight: usize,
    /// FLOPs of contractions in one step.
    pub flops: u64,
    /// Ring traffic of collectives within the stage in one step, in bytes.
    pub collective_bytes: u64,
    /// Bytes sent to other stages in one step by the device that sends most.
    pub sent_bytes: u64,
}

/// Pipeline schedule.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ScheduleRow {
    /// Name: `1f1b`.
    pub name: String,
    /// Number of micro-batches of each replica.
    pub shares: Vec<usize>,
    /// Share of a step in which stages are idle, if gradients take twice as long as the forward pass and transfers take
    /// no time.
    pub bubble: f64,
    /// Summary: `1f1b with 8 micro-batches`.
    #[serde(skip)]
    pub(crate) summary: String,
    /// Timeline of a step, in units of forward passes.
    #[serde(skip)]
    pub(crate) timeline: Timeline,
}

impl ScheduleRow {
    /// Draws the schedule as text, without its scale since times are in units of forward passes.
    pub(super) fn drawing(&self) -> String {
        let is_scale = |line: &&str| line.trim_start().starts_with("0 ");
        let text = self.timeline.to_text(DRAWING_COLUMNS, false);
        text.lines().filter(|line| !is_scale(line)).flat_map(|line| [line, "\n"]).collect()
    }
}

/// A transfer of a value between stages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TransferRow {
    /// Name in program text.
    pub name: String,
    /// Sending stage.
    pub from: usize,
    /// Receiving stage.
    pub to: usize,
    /// Bytes of one transfer on the device that sends most.
    pub bytes: u64,
    /// Transfers in a step: one for each micro-batch, or one.
    pub count: u64,
}

/// Returns the stages of a partition, each with the memory of one device. A model on one mesh is a single stage.
pub(super) fn stages(results: &CompileResults) -> Vec<(StageRow, DeviceMemory)> {
    match results.stages() {
        None => results.units().first().map(|unit| single_stage_row(results, unit)).into_iter().collect(),
        Some(pipeline) => {
            let fullest = peak_of_stages(pipeline);
            fullest.iter().enumerate().map(|(stage, fullest)| stage_row(results, pipeline, stage, fullest)).collect()
        }
    }
}

/// Returns the only stage of a model on one mesh.
fn single_stage_row(results: &CompileResults, unit: &Unit<'_>) -> (StageRow, DeviceMemory) {
    let program = unit.program;
    // The program of a device has the inputs of the planned program, in its order.
    let planned = results.planned();
    let kinds = param_kinds(planned);
    let inputs = program.inputs().iter().zip(planned.inputs());
    let kinds = inputs.filter_map(|(&input, planned)| Some((input, *kinds.get(planned)?))).collect();
    let (peak, held) = (peak_of_program(program), memory::memory_by_kind(program, &kinds));
    let inputs = program.inputs().iter().map(|&input| memory::local_bytes(program, input));
    let row = StageRow {
        mesh: results.mesh_of(0).map(mesh_text).unwrap_or_default(),
        chunks: vec![0],
        parameters: kinds.values().filter(|kind| **kind != ParamKind::State).count(),
        parameter_bytes: held.parameters,
        state_bytes: held.state,
        gradient_bytes: held.gradients,
        peak_bytes: peak.bytes,
        largest: largest(&peak),
        stored_bytes: held.activations,
        in_flight: usize::from(held.activations > 0),
        flops: contraction_flops(program),
        collective_bytes: wire_bytes(unit),
        sent_bytes: 0,
    };
    let memory = DeviceMemory {
        peak_bytes: peak.bytes,
        entry_bytes: inputs.fold(0, u64::saturating_add),
        parameter_bytes: held.parameters,
        frozen_bytes: 0,
        state_bytes: held.state,
        copy_bytes: held.copies,
        gradient_bytes: held.gradients,
        activation_bytes: held.activations,
    };
    (row, memory)
}

fn stage_row(
    results: &CompileResults,
    pipeline: &Pipeline,
    stage: usize,
    fullest: &PeakBreakdown,
) -> (StageRow, DeviceMemory) {
    let schedule = &pipeline.schedule;
    let chunks: Vec<usize> = pipeline.chunks_of(stage).collect();
    let all = || chunks.iter().map(|&chunk| &pipeline.chunks[chunk]);
    // Parameters that another stage sends before the first micro-batch are not stored between steps.
    let held = pipeline.inputs_of(stage);
    let params = held.iter().filter_map(|entry| {
        let program = &pipeline.chunks[entry.chunk].program;
        let param = program.params.values().find(|param| param.path == entry.name)?;
        Some((param.kind == ParamKind::State, program.values[param.value].local_type().bytes()))
    });
    let (state, params): (Vec<_>, Vec<_>) = params.partition(|(is_state, _)| *is_state);
    let sums = all().flat_map(|chunk| &chunk.cells).filter(|cell| cell.scope == CellScope::Sum);
    let units: Vec<Unit<'_>> = results.units().into_iter().filter(|unit| unit.stage == stage).collect();
    let sent = transfers(pipeline).into_iter().filter(|transfer| transfer.from == stage);
    let stored: IndexMap<usize, StoredActivations> =
        chunks.iter().map(|&chunk| (chunk, StoredActivations::new(&pipeline.chunks[chunk]))).collect();
    let row = StageRow {
        mesh: results.mesh_of(stage).map(mesh_text).unwrap_or_default(),
        parameters: params.len(),
        parameter_bytes: params.iter().map(|(_, bytes)| bytes).sum(),
        state_bytes: state.iter().map(|(_, bytes)| bytes).sum(),
        gradient_bytes: sums.map(|cell| cell.local_type().bytes()).sum(),
        peak_bytes: fullest.bytes,
        largest: largest(fullest),
        stored_bytes: chunks.iter().map(|chunk| stored[chunk].total()).sum(),
        in_flight: schedule.in_flight().get(stage).copied().unwrap_or(0),
        flops: units.iter().map(|unit| unit.count * contraction_flops(unit.program)).sum(),
        collective_bytes: units.iter().map(wire_bytes).sum(),
        sent_bytes: sent.map(|transfer| transfer.bytes * transfer.count).sum(),
        chunks,
    };
    let entry_bytes = |entry: &StagePort| pipeline.chunks[entry.chunk].cells[entry.cell].local_type().bytes();
    let memory = DeviceMemory {
        peak_bytes: row.peak_bytes,
        entry_bytes: held.iter().map(entry_bytes).sum(),
        parameter_bytes: row.parameter_bytes,
        frozen_bytes: 0,
        state_bytes: row.state_bytes,
        copy_bytes: 0,
        gradient_bytes: row.gradient_bytes,
        activation_bytes: peak_activation_bytes(&pipeline.schedule.orders[stage], &stored),
    };
    (row, memory)
}

/// Computes the ring traffic of a unit's collectives in a step, in bytes.
fn wire_bytes(unit: &Unit<'_>) -> u64 {
    let each = collectives(unit.program);
    let each = each.iter().map(|c| c.wire_bytes.saturating_mul(c.count)).fold(0, u64::saturating_add);
    each.saturating_mul(unit.count)
}

fn largest(device: &PeakBreakdown) -> Vec<LargeValueRow> {
    LargeValueRow::from_peak(device).into_iter().take(MAX_LARGEST_VALUES).collect()
}

/// Returns the schedule. `None` for a model on one mesh.
pub(super) fn schedule(results: &CompileResults) -> Option<ScheduleRow> {
    let pipeline = results.stages()?;
    let schedule = &pipeline.schedule;
    let (durations, links) = (vec![Durations::new(1.0, 1.0, 1.0); pipeline.chunks.len()], Vec::new());
    let simulated = simulate_step(schedule, &ScheduleCosts { durations, links, ..ScheduleCosts::default() }).ok();
    Some(ScheduleRow {
        name: schedule.name.to_string(),
        shares: schedule.shares().iter().map(ExactSizeIterator::len).collect(),
        bubble: simulated.as_ref().map_or(0.0, |step| step.bubble()),
        summary: schedule.summary(),
        timeline: simulated.map(|step| step.timeline("")).unwrap_or_default(),
    })
}

/// Formats a mesh: `data=2,model=4`.
fn mesh_text(mesh: &DeviceMesh) -> String {
    mesh.axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect::<Vec<_>>().join(",")
}

/// Width of the timeline in characters.
const DRAWING_COLUMNS: usize = 100;

/// Bytes of the activations of a micro-batch that a chunk stores for its backward pass: values that the forward task
/// reads or writes and a backward task reads.
#[derive(Clone, Copy, Default)]
struct StoredActivations {
    /// Bytes that the gradients of parameters need, if these are computed separately.
    weight: u64,
    /// Bytes of all others.
    input: u64,
}

impl StoredActivations {
    fn new(chunk: &Chunk) -> StoredActivations {
        let forward = chunk.task(TaskTime::Slot(Work::Forward));
        let is_read_by = |work: Work, cell: &usize| {
            chunk.task(TaskTime::Slot(work)).is_some_and(|task| task.input_cells.contains(cell))
        };
        let backward = [Work::Backward, Work::BackwardInput, Work::BackwardWeight];
        let is_stored = |cell: &usize| {
            let of_forward =
                forward.is_some_and(|task| task.input_cells.contains(cell) || task.output_cells.contains(cell));
            chunk.cells[*cell].scope == CellScope::MicroBatch
                && of_forward
                && backward.iter().any(|&work| is_read_by(work, cell))
                && chunk.micro_batch_cell != Some(*cell)
        };
        let (weight, input): (Vec<usize>, Vec<usize>) =
            (0..chunk.cells.len()).filter(is_stored).partition(|cell| is_read_by(Work::BackwardWeight, cell));
        let bytes = |cells: Vec<usize>| cells.into_iter().map(|cell| chunk.cells[cell].local_type().bytes()).sum();
        StoredActivations { weight: bytes(weight), input: bytes(input) }
    }

    fn total(self) -> u64 {
        self.weight + self.input
    }
}

/// Computes the maximum bytes of the activations that a stage stores at a time, in the order of its slots. `stored` has
/// the activations of its chunks.
fn peak_activation_bytes(order: &[Slot], stored: &IndexMap<usize, StoredActivations>) -> u64 {
    let (mut now, mut peak) = (0u64, 0u64);
    for slot in order {
        let of_chunk = stored[&(slot.chunk as usize)];
        let (allocated, freed) = match slot.work {
            Work::Forward => (of_chunk.total(), 0),
            Work::Backward => (0, of_chunk.total()),
            Work::BackwardInput => (0, of_chunk.input),
            Work::BackwardWeight => (0, of_chunk.weight),
        };
        now = now.saturating_add(allocated).saturating_sub(freed);
        peak = peak.max(now);
    }
    peak
}

/// Returns the transfers between stages.
pub(crate) fn transfers(pipeline: &Pipeline) -> Vec<TransferRow> {
    let stage = |(chunk, _): (usize, usize)| pipeline.schedule.stage_of_chunk[chunk];
    let row = |transfer: &Transfer| TransferRow {
        name: format!("%{}", transfer.value()),
        from: stage(transfer.from),
        to: stage(transfer.to),
        bytes: sent_bytes(&pipeline.chunks, transfer),
        count: pipeline.runs_per_step(transfer.from.0, transfer.after),
    };
    pipeline.transfers.iter().map(row).filter(|row| row.from != row.to).collect()
}

/// Computes the bytes that the device with most traffic sends.
fn sent_bytes(chunks: &[Chunk], transfer: &Transfer) -> u64 {
    let end = |(chunk, cell): (usize, usize)| (&chunks[chunk].cells[cell], &chunks[chunk].mesh);
    let (from, to) = (end(transfer.from), end(transfer.to));
    let sends = messages(&from.0.ty.shape, (from.0.layout.as_deref(), from.1), (to.0.layout.as_deref(), to.1));
    let mut of_device = vec![0; from.1.device_count()];
    let width = Type::new(from.0.ty.dtype, []).bytes();
    sends.iter().for_each(|message| of_device[message.from] += message.count() * width);
    of_device.into_iter().max().unwrap_or(0)
}
