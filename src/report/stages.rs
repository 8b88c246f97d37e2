//! Parameters, memory, arithmetic and communication of each stage, and the order of tasks.

use super::gather::LISTED;
use super::{LargeRow, Memory};
use crate::made::{Made, Unit};
use partita_cost::fullest::{Fullest, of_program, of_stages};
use partita_cost::memory;
use partita_cost::pipeline::{Costs, step};
use partita_cost::traffic::{collectives, contraction_flops};
use partita_ir::dtype::Type;
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::{Chunk, Entry, Moment, Pipeline, Scope, Transfer, messages};
use partita_ir::program::ParamKind;
use partita_ir::schedule::{Durations, Work};
use partita_machine::timeline::Timeline;
use serde::Serialize;

/// A stage, as one of its devices sees it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StageRow {
    /// Its mesh: `data=2,model=4`.
    pub mesh: String,
    /// The chunks that it runs.
    pub chunks: Vec<usize>,
    /// Parameters that it holds between steps: those that another stage sends it are not counted.
    pub parameters: usize,
    /// Bytes of parameters.
    pub parameter_bytes: u64,
    /// Bytes of what an optimizer keeps for them.
    pub state_bytes: u64,
    /// Bytes of gradients that are added up over micro-batches.
    pub gradient_bytes: u64,
    /// The most bytes that a device holds at one time.
    pub peak_bytes: u64,
    /// The largest values at that time, in descending order.
    pub largest: Vec<LargeRow>,
    /// Bytes that are kept of a micro-batch from its forward pass to its gradients.
    pub kept_bytes: u64,
    /// Micro-batches of which that is kept at a time.
    pub in_flight: usize,
    /// Arithmetic of contractions in one step.
    pub flops: u64,
    /// Bytes that collectives within the stage send in one step, on rings.
    pub collective_bytes: u64,
    /// Bytes that go to other stages in one step, from the device that sends most.
    pub sent_bytes: u64,
}

/// The order of tasks.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Schedule {
    /// Name: `1f1b`.
    pub name: String,
    /// By replica, how many micro-batches go through it.
    pub shares: Vec<usize>,
    /// The share of a step in which stages wait, if a stage's gradients take twice as long as its forward pass and
    /// nothing else takes any time.
    pub bubble: f64,
    /// In words: `1f1b with 8 micro-batches`.
    #[serde(skip)]
    pub(super) summary: String,
    #[serde(skip)]
    pub(super) drawing: String,
}

/// A value that a stage hands to another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TransferRow {
    /// Its name in program text.
    pub name: String,
    /// The stage that has it.
    pub from: usize,
    /// The stage that gets it.
    pub to: usize,
    /// Bytes that the device sends that sends most, each time.
    pub bytes: u64,
    /// Messages in a step: one for each micro-batch, or one.
    pub count: u64,
}

/// The stages of a partition, each with the memory of one device; a model on one mesh is a single stage.
pub(super) fn stages(made: &Made) -> Vec<(StageRow, Memory)> {
    match made.stages() {
        None => made.units().first().map(|unit| whole(made, unit)).into_iter().collect(),
        Some(pipeline) => {
            let fullest = of_stages(pipeline);
            fullest.iter().enumerate().map(|(stage, fullest)| stage_row(made, pipeline, stage, fullest)).collect()
        }
    }
}

/// The only stage of a model on one mesh.
fn whole(made: &Made, unit: &Unit<'_>) -> (StageRow, Memory) {
    let program = unit.program;
    let (peak, held) = (memory::peak(program), memory::holdings(program));
    let row = StageRow {
        mesh: made.mesh_of(0).map(mesh_text).unwrap_or_default(),
        chunks: vec![0],
        parameters: program.params.values().filter(|param| param.kind != ParamKind::State).count(),
        parameter_bytes: held.parameters,
        state_bytes: held.state,
        gradient_bytes: held.gradients,
        peak_bytes: peak.bytes,
        largest: largest(&of_program(program)),
        kept_bytes: held.activations,
        in_flight: usize::from(held.activations > 0),
        flops: contraction_flops(program),
        collective_bytes: wire_bytes(unit),
        sent_bytes: 0,
    };
    let memory = Memory {
        peak_bytes: peak.bytes,
        entry_bytes: peak.entry_bytes,
        parameter_bytes: held.parameters,
        state_bytes: held.state,
        copy_bytes: held.copies,
        gradient_bytes: held.gradients,
        activation_bytes: held.activations,
    };
    (row, memory)
}

fn stage_row(made: &Made, pipeline: &Pipeline, stage: usize, fullest: &Fullest) -> (StageRow, Memory) {
    let schedule = &pipeline.schedule;
    let chunks: Vec<usize> = pipeline.chunks_of(stage).collect();
    let all = || chunks.iter().map(|&chunk| &pipeline.chunks[chunk]);
    // A parameter that another stage sends before the first micro-batch is not held between steps.
    let held = pipeline.inputs_of(stage);
    let params = held.iter().filter_map(|entry| {
        let program = &pipeline.chunks[entry.chunk].program;
        let param = program.params.values().find(|param| param.path == entry.name)?;
        Some((param.kind == ParamKind::State, program.values[param.value].local_type().bytes()))
    });
    let (state, params): (Vec<_>, Vec<_>) = params.partition(|(is_state, _)| *is_state);
    let sums = all().flat_map(|chunk| &chunk.cells).filter(|cell| cell.scope == Scope::Sum);
    let units: Vec<Unit<'_>> = made.units().into_iter().filter(|unit| unit.stage == stage).collect();
    let sent = transfers(pipeline).into_iter().filter(|transfer| transfer.from == stage);
    let row = StageRow {
        mesh: made.mesh_of(stage).map(mesh_text).unwrap_or_default(),
        parameters: params.len(),
        parameter_bytes: params.iter().map(|(_, bytes)| bytes).sum(),
        state_bytes: state.iter().map(|(_, bytes)| bytes).sum(),
        gradient_bytes: sums.map(|cell| cell.local_type().bytes()).sum(),
        peak_bytes: fullest.bytes,
        largest: largest(fullest),
        kept_bytes: all().map(kept).sum(),
        in_flight: schedule.in_flight().get(stage).copied().unwrap_or(0),
        flops: units.iter().map(|unit| unit.count * contraction_flops(unit.program)).sum(),
        collective_bytes: units.iter().map(wire_bytes).sum(),
        sent_bytes: sent.map(|transfer| transfer.bytes * transfer.count).sum(),
        chunks,
    };
    let entry_bytes = |entry: &Entry| pipeline.chunks[entry.chunk].cells[entry.cell].local_type().bytes();
    let memory = Memory {
        peak_bytes: row.peak_bytes,
        entry_bytes: held.iter().map(entry_bytes).sum(),
        parameter_bytes: row.parameter_bytes,
        state_bytes: row.state_bytes,
        copy_bytes: 0,
        gradient_bytes: row.gradient_bytes,
        activation_bytes: row.kept_bytes.saturating_mul(row.in_flight as u64),
    };
    (row, memory)
}

/// Bytes that a unit's collectives send in a step, on rings.
fn wire_bytes(unit: &Unit<'_>) -> u64 {
    let each = collectives(unit.program);
    let each = each.iter().map(|c| c.wire_bytes.saturating_mul(c.count)).fold(0, u64::saturating_add);
    each.saturating_mul(unit.count)
}

fn largest(device: &Fullest) -> Vec<LargeRow> {
    LargeRow::of(device).into_iter().take(LISTED).collect()
}

/// The order of tasks, where they have one.
pub(super) fn schedule(made: &Made) -> Option<Schedule> {
    let pipeline = made.stages()?;
    let schedule = &pipeline.schedule;
    let (durations, links) = (vec![Durations::new(1.0, 1.0, 1.0); pipeline.chunks.len()], Vec::new());
    let simulated = step(schedule, &Costs { durations, links, ..Costs::default() }).ok();
    Some(Schedule {
        name: schedule.name.to_string(),
        shares: schedule.shares().iter().map(ExactSizeIterator::len).collect(),
        bubble: simulated.as_ref().map_or(0.0, |step| step.bubble()),
        summary: schedule.summary(),
        drawing: simulated.map_or_else(String::new, |step| drawn(&step.timeline(""))),
    })
}

/// `data=2,model=4`
fn mesh_text(mesh: &Mesh) -> String {
    mesh.axes.iter().map(|a| format!("{}={}", a.name, a.size)).collect::<Vec<_>>().join(",")
}

/// Columns of the drawing.
const WIDTH: usize = 100;

/// The schedule as lines. Its time is counted in forward passes, so that it has no scale.
fn drawn(timeline: &Timeline) -> String {
    let is_scale = |line: &&str| line.trim_start().starts_with("0 ");
    timeline.lines(WIDTH, false).lines().filter(|line| !is_scale(line)).flat_map(|line| [line, "\n"]).collect()
}

/// Bytes that a chunk keeps of a micro-batch: what its forward part makes, or was given, and its gradients read.
fn kept(chunk: &Chunk) -> u64 {
    let forward = chunk.task(Moment::Slot(Work::Forward));
    let works = [Work::Backward, Work::BackwardInput, Work::BackwardWeight];
    let backward = works.iter().filter_map(|&work| chunk.task(Moment::Slot(work)));
    let read: Vec<usize> = backward.flat_map(|task| task.takes.iter().copied()).collect();
    let is_kept = |cell: usize| {
        let of_forward = forward.is_some_and(|task| task.takes.contains(&cell) || task.gives.contains(&cell));
        chunk.cells[cell].scope == Scope::MicroBatch && of_forward && read.contains(&cell) && chunk.number != Some(cell)
    };
    (0..chunk.cells.len()).filter(|&cell| is_kept(cell)).map(|cell| chunk.cells[cell].local_type().bytes()).sum()
}

/// Values that stages send each other.
pub(super) fn transfers(pipeline: &Pipeline) -> Vec<TransferRow> {
    let stage = |(chunk, _): (usize, usize)| pipeline.schedule.home[chunk];
    let row = |transfer: &Transfer| TransferRow {
        name: format!("%{}", transfer.value()),
        from: stage(transfer.from),
        to: stage(transfer.to),
        bytes: sent_bytes(&pipeline.chunks, transfer),
        count: pipeline.times(transfer.from.0, transfer.behind),
    };
    pipeline.transfers.iter().map(row).filter(|row| row.from != row.to).collect()
}

/// Bytes that the device sends that sends most.
fn sent_bytes(chunks: &[Chunk], transfer: &Transfer) -> u64 {
    let end = |(chunk, cell): (usize, usize)| (&chunks[chunk].cells[cell], &chunks[chunk].mesh);
    let (from, to) = (end(transfer.from), end(transfer.to));
    let sends = messages(&from.0.ty.shape, (from.0.layout.as_deref(), from.1), (to.0.layout.as_deref(), to.1));
    let mut of_device = vec![0; from.1.device_count()];
    let width = Type::new(from.0.ty.dtype, []).bytes();
    sends.iter().for_each(|message| of_device[message.from] += message.count() * width);
    of_device.into_iter().max().unwrap_or(0)
}
