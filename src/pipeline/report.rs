//! What a plan makes of a model in stages: what each of them has, does, keeps and sends.

use super::Pipeline;
use crate::report::gather::LISTED;
use crate::report::{Align, LargeRow, Rewriting, Table, WarningRow};
use partita_cost::fullest::{Fullest, of_stages};
use partita_cost::pipeline::{Costs, step};
use partita_cost::traffic::{collectives, contraction_flops};
use partita_ir::dtype::Type;
use partita_ir::pipeline::{Chunk, Moment, Scope, Transfer, messages};
use partita_ir::program::ParamKind;
use partita_ir::schedule::Durations;
use partita_ir::schedule::Work;
use partita_ir::units::bytes;
use partita_machine::timeline::Timeline;
use serde::Serialize;
use std::fmt;

/// What a plan makes of a model in stages. Prints as a table and a drawing of the schedule, and serialises as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct PipelineReport {
    /// The model.
    pub model: String,
    /// Devices of all stages together.
    pub devices: usize,
    /// The mesh of each stage: `data=2,model=4`.
    pub mesh: String,
    /// In which order stages work; nothing where there is a single one.
    pub schedule: Option<String>,
    /// In how many parts the batch goes through.
    pub micro_batches: u64,
    /// By replica, how many of them go through it.
    pub shares: Vec<usize>,
    /// The share of a step in which stages wait, if a stage's gradients take twice as long as its forward pass and
    /// nothing else takes any time.
    pub bubble: f64,
    /// What each stage comes to, for one of its devices.
    pub stages: Vec<StageRow>,
    /// What was done otherwise than usual, where a machine is named on which a step is faster so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewriting: Option<Rewriting>,
    /// Warnings, such as options of the plan that have no effect on the model.
    pub warnings: Vec<WarningRow>,
    /// Seconds to make all of it.
    pub seconds: f64,
    /// The schedule in words, and drawn.
    #[serde(skip)]
    summary: String,
    #[serde(skip)]
    drawing: String,
}

/// A stage, as one of its devices sees it.
#[derive(Clone, Debug, Serialize)]
pub struct StageRow {
    /// The chunks that it runs.
    pub chunks: Vec<usize>,
    /// Parameters that it holds between steps: those that another stage sends it are not counted.
    pub parameters: usize,
    /// Bytes of parameters, and of what an optimizer keeps for them.
    pub parameter_bytes: u64,
    pub state_bytes: u64,
    /// Bytes of gradients that are added up over micro-batches.
    pub gradient_bytes: u64,
    /// The most bytes that a device holds at one time.
    pub peak_bytes: u64,
    /// What it holds then, the largest first.
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

impl PipelineReport {
    pub(super) fn of(of: &Pipeline) -> PipelineReport {
        let pipeline = of.stages();
        let schedule = &pipeline.schedule;
        let (durations, links) = (vec![Durations::new(1.0, 1.0, 1.0); pipeline.chunks.len()], Vec::new());
        let simulated = step(schedule, &Costs { durations, links, ..Costs::default() }).ok();
        let fullest = of_stages(pipeline);
        let stages = fullest.iter().enumerate().map(|(stage, fullest)| row(of, stage, fullest)).collect();
        PipelineReport {
            model: of.step.source.to_string(),
            devices: of.device_count(),
            mesh: pipeline.list_meshes(),
            schedule: of.schedule().map(|schedule| schedule.name.to_string()),
            micro_batches: of.micro_batches(),
            shares: schedule.shares().iter().map(ExactSizeIterator::len).collect(),
            summary: of.summary(),
            bubble: simulated.as_ref().map_or(0.0, |step| step.bubble()),
            stages,
            rewriting: of.rewriting(),
            warnings: WarningRow::all(of.warnings()),
            seconds: of.seconds,
            drawing: simulated.map_or_else(String::new, |step| drawn(&step.timeline(""))),
        }
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// Columns of the drawing.
const WIDTH: usize = 100;

/// The schedule as lines. Its time is counted in forward passes, so that it has no scale.
fn drawn(timeline: &Timeline) -> String {
    let is_scale = |line: &&str| line.trim_start().starts_with("0 ");
    timeline.lines(WIDTH, false).lines().filter(|line| !is_scale(line)).flat_map(|line| [line, "\n"]).collect()
}

fn row(of: &Pipeline, stage: usize, fullest: &Fullest) -> StageRow {
    let pipeline = of.stages();
    let schedule = &pipeline.schedule;
    let chunks: Vec<usize> = (0..pipeline.chunks.len()).filter(|&chunk| schedule.home[chunk] == stage).collect();
    let all = || chunks.iter().map(|&chunk| &pipeline.chunks[chunk]);
    // A parameter that another stage sends before the first micro-batch is not held between steps.
    let held = pipeline.inputs_of(stage);
    let params = held.iter().filter_map(|entry| {
        let program = &pipeline.chunks[entry.chunk].program;
        let param = program.params.values().find(|param| param.path == entry.name)?;
        Some((param.kind == ParamKind::State, program.values[param.value].local_type().bytes()))
    });
    let (state, params): (Vec<_>, Vec<_>) = params.partition(|(is_state, _)| *is_state);
    let cells = |scope: Scope| {
        let cells = all().flat_map(|chunk| &chunk.cells).filter(|cell| cell.scope == scope);
        cells.map(|cell| cell.local_type().bytes()).sum::<u64>()
    };
    let per_step = |each: &dyn Fn(&partita_ir::program::Program) -> u64| {
        let of_chunk = |&chunk: &usize| {
            let tasks = pipeline.chunks[chunk].tasks.iter();
            tasks.map(|task| pipeline.times(chunk, task.moment) * each(&task.program)).sum::<u64>()
        };
        chunks.iter().map(of_chunk).sum::<u64>()
    };
    let sent = pipeline.transfers.iter().filter(|t| schedule.home[t.from.0] == stage && schedule.home[t.to.0] != stage);
    StageRow {
        parameters: params.len(),
        parameter_bytes: params.iter().map(|(_, bytes)| bytes).sum(),
        state_bytes: state.iter().map(|(_, bytes)| bytes).sum(),
        gradient_bytes: cells(Scope::Sum),
        peak_bytes: fullest.bytes,
        largest: LargeRow::of(fullest).into_iter().take(LISTED).collect(),
        kept_bytes: all().map(kept).sum(),
        in_flight: schedule.in_flight().get(stage).copied().unwrap_or(0),
        flops: per_step(&contraction_flops),
        collective_bytes: per_step(&|program| collectives(program).iter().map(|c| c.wire_bytes * c.count).sum()),
        sent_bytes: sent.map(|t| pipeline.times(t.from.0, t.behind) * sent_bytes(&pipeline.chunks, t)).sum(),
        chunks,
    }
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

impl fmt::Display for PipelineReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Align::{Left, Right};
        let stages = self.stages.len();
        writeln!(
            f,
            "{}: {stages} stage{} of {} on {} devices, {}",
            self.model,
            if stages == 1 { "" } else { "s" },
            self.mesh,
            self.devices,
            self.summary
        )?;
        writeln!(f)?;
        let mut table = Table::new([
            ("stage", Left),
            ("parameters", Right),
            ("", Right),
            ("optimizer", Right),
            ("gradients", Right),
            ("kept", Right),
            ("in flight", Right),
            ("peak", Right),
            ("GFLOP", Right),
            ("collectives", Right),
            ("sent", Right),
        ]);
        for (number, stage) in self.stages.iter().enumerate() {
            table.row([
                number.to_string(),
                stage.parameters.to_string(),
                bytes(stage.parameter_bytes),
                bytes(stage.state_bytes),
                bytes(stage.gradient_bytes),
                bytes(stage.kept_bytes),
                stage.in_flight.to_string(),
                bytes(stage.peak_bytes),
                format!("{:.1}", stage.flops as f64 / 1e9),
                bytes(stage.collective_bytes),
                bytes(stage.sent_bytes),
            ]);
        }
        write!(f, "{table}")?;
        writeln!(f)?;
        writeln!(
            f,
            "  all of it for one device of a stage; kept is what a micro-batch in flight holds, peak all at one time"
        )?;
        writeln!(
            f,
            "  bubble {:.1} %, if gradients took twice as long as the forward pass and sending no time",
            100.0 * self.bubble
        )?;
        writeln!(f)?;
        if let Some(rewriting) = &self.rewriting {
            writeln!(f, "{rewriting}")?;
        }
        f.write_str(&self.drawing)
    }
}
