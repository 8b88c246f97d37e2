//! Construction of a pipeline from a training step. Layouts are assigned to the complete step, which is then cut into
//! chunks. Each chunk is partitioned separately over the devices of its stage and decomposed into tasks, and the tasks
//! of each stage are scheduled. A step with a single stage is not cut, and its micro-batches stay a loop ([`single`])
//! unless the plan names a schedule for them.

mod meshes;
mod shares;
pub mod single;

use crate::driver::{Findings, Input, PassReport};
use crate::pipelines::{self, Milestone};
use crate::pipelining::cut_stages::{
    ChunkProgram, CutOptions, StageCut, StageDevices, StageLink, balanced_seconds, cut,
};
use crate::pipelining::schedule::{ScheduleInput, build};
use crate::pipelining::tasks::{UnscheduledPipeline, decompose_chunks};
use crate::planning::remat;
use crate::training::micro_batches::MicroBatchLoop;
use meshes::assign_layouts;
pub use meshes::{StageLayouts, StageVersion};
use partita_cost::placement::LinkTable;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::pipeline::{Pipeline, step_work};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::schedule::Durations;
use partita_ir::schedule::check::check;
use partita_ir::schedule::{Schedule, ScheduleKind, StepWork};
use partita_machine::Machine;
use std::ops::Range;

/// Observer that is called after each pass.
type Observer<'w> = &'w mut dyn FnMut(&PassReport<'_>) -> Result<(), Diagnostic>;

/// Builds a pipeline from the program to compute. A program for several stages must contain a loop over micro-batches.
/// `watch` is called after each pass.
///
/// # Errors
/// Errors in the plan; `G001` and `G002` when the step cannot be cut as requested.
pub fn pipeline(
    step: &Program,
    how: &PipelineConfig,
    input: &Input,
    findings: &mut Findings,
    watch: Observer<'_>,
) -> Result<Pipeline, Vec<Diagnostic>> {
    if has_schedule(step, how, &input.plan) {
        return Ok(staged_pipeline(step, how, input, findings, watch)?.0);
    }
    let input = &with_default_mesh(step, input, findings).map_err(|e| vec![e])?;
    let mut local = step.clone();
    let place = pipelines::pipeline(Milestone::Step, Milestone::Local, input.variant).map_err(|e| vec![e])?;
    place.run(&mut local, input, findings, &mut |ran| watch(&ran))?;
    single::pipeline(local.compact()).map_err(|e| vec![e])
}

/// Returns true if the step has a schedule: it has several stages or replicas, or the plan names a schedule for the
/// micro-batches of a single stage.
pub fn has_schedule(step: &Program, how: &PipelineConfig, plan: &Plan) -> bool {
    !how.is_single() || (plan.schedule.is_some() && MicroBatchLoop::find(step).is_some())
}

/// Builds a pipeline from a step that has a schedule. Returns the pipeline, and the step with its layouts on the mesh
/// of each stage.
///
/// # Errors
/// See [`pipeline`].
pub fn staged_pipeline(
    step: &Program,
    how: &PipelineConfig,
    input: &Input,
    findings: &mut Findings,
    watch: Observer<'_>,
) -> Result<(Pipeline, StageLayouts), Vec<Diagnostic>> {
    let input = &with_default_mesh(step, input, findings).map_err(|e| vec![e])?;
    let layouts = assign_layouts(step, how, input, findings, watch)?;
    findings.clone_from(&layouts.first().findings);
    let global = &layouts.first().program;
    remat::check_entries(global, input, findings)?;
    let machine = input.machine.clone();
    let budget = input.plan.budget_bytes().map_err(|e| vec![e])?.unwrap_or(u64::MAX);
    let on = |replica: usize| stage_devices(&layouts, how, (machine.as_deref(), budget), replica);
    let seconds = (0..how.replicas).map(|replica| balanced_seconds(global, &on(replica)));
    let seconds: Vec<f64> = seconds.collect::<Result<_, _>>().map_err(|e| vec![e])?;
    let micro_batches = MicroBatchLoop::find(step).map_or(1, |over| u32::try_from(over.trip).unwrap_or(u32::MAX));
    let shares = shares::assign_shares(how, micro_batches, &seconds).map_err(|e| vec![e])?;
    let recomputes = !input.plan.remat.is_empty();
    let options = CutOptions { cuts: &how.cuts, schedule: how.kind, stages: &on(0), shares: &shares, recomputes };
    let cut = cut(global, options)?;
    let stages = cut.stages().to_vec();
    findings.warnings.extend(released_stage_warnings(&layouts, how, &cut));
    let UnscheduledPipeline { chunks, transfers } = partition_chunks(&cut, &layouts, how, findings, watch)?;
    let of_chunks = (0..chunks.len()).map(|chunk| cut.share(chunk)).collect();
    let parts = step_work(&chunks, &transfers, if shares.len() > 1 { of_chunks } else { Vec::new() });
    let order = build_schedule(how.kind, stages.len(), &parts, &shares);
    let bug =
        |fault| vec![Diagnostic::new(Code::B001, format!("internal error: generated an invalid schedule: {fault}"))];
    let schedule = check(order, parts).map_err(bug)?;
    Ok((Pipeline { chunks, transfers, schedule }, layouts.for_stages(&stages)))
}

/// Returns the input with a mesh of one device if neither the plan nor the step has a mesh.
///
/// # Errors
/// `L007` if a plan cannot declare the mesh.
pub fn with_default_mesh(step: &Program, input: &Input, findings: &mut Findings) -> Result<Input, Diagnostic> {
    let mut input = input.clone();
    if input.plan.mesh.is_none() && step.mesh().is_none() {
        input.plan.mesh = Some(Mesh::of_one_device(step)?);
        findings.resolved = Some(input.plan.clone());
    }
    Ok(input)
}

/// Returns the devices of each stage of a replica. Stages have consecutive devices of the machine.
fn stage_devices<'m>(
    layouts: &StageLayouts,
    how: &PipelineConfig,
    (machine, budget): (Option<&'m Machine>, u64),
    replica: usize,
) -> Vec<StageDevices<'m>> {
    let sizes =
        (0..how.cuts.count()).map(|stage| layouts.version(stage).program.mesh().map_or(1, |(_, m)| m.device_count()));
    let sizes: Vec<usize> = sizes.collect();
    let all = sizes.iter().sum::<usize>();
    let starts = sizes.iter().scan(replica * all, |end, devices| {
        *end += devices;
        Some(*end - devices)
    });
    let firsts: Vec<usize> = starts.collect();
    let mut links = LinkTable::default();
    let on = |(stage, (&devices, &first)): (usize, (&usize, &usize))| {
        let kind = machine.and_then(|machine| machine.slowest_kind(first..first + devices));
        let next = firsts[(stage + 1) % firsts.len()];
        let link = machine.filter(|_| next != first).and_then(|machine| {
            let (node, ..) = machine.locate_device(first)?;
            let pairs = devices.min(machine.nodes[node].devices.len());
            let (route, latency) = links.route(machine, first, next, pairs, &Efficiencies::default()).ok()?;
            let bandwidth = route.iter().map(|&link| links.bandwidths[link]).fold(f64::INFINITY, f64::min);
            Some(StageLink { bandwidth, latency })
        });
        StageDevices { devices, kind, link, memory: kind.map_or(budget, |kind| budget.min(kind.memory)) }
    };
    sizes.iter().zip(&firsts).enumerate().map(on).collect()
}

/// Returns a warning for each stage that was merged into others because it is frozen.
fn released_stage_warnings(layouts: &StageLayouts, how: &PipelineConfig, cut: &StageCut<'_>) -> Vec<Diagnostic> {
    let released = (0..how.cuts.count()).filter(|stage| !cut.stages().contains(stage));
    let warning = |stage: usize| {
        let devices = layouts.version(stage).program.mesh().map_or(1, |(_, mesh)| mesh.device_count()) * how.replicas;
        let title = format!("stage {stage} is entirely frozen: the stages beside it run its ops");
        let free = if devices == 1 { "its device is free".into() } else { format!("its {devices} devices are free") };
        Diagnostic::warning(Code::G003, title).note(free)
    };
    released.map(warning).collect()
}

/// Partitions every chunk and decomposes it into tasks. Reductions of gradients are combined into buckets, unless this
/// leads to cyclic dependencies between chunks.
fn partition_chunks(
    cut: &StageCut<'_>,
    layouts: &StageLayouts,
    how: &PipelineConfig,
    findings: &mut Findings,
    watch: Observer<'_>,
) -> Result<UnscheduledPipeline, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    for has_buckets in [true, false] {
        let mut programs = Vec::with_capacity(cut.count());
        let mut of_chunks = Vec::with_capacity(cut.count());
        let stages = cut.stages();
        let mut inputs: Vec<Input> = layouts.versions().iter().map(|version| version.input.for_chunks()).collect();
        inputs.iter_mut().filter(|_| !has_buckets).for_each(|input| input.plan.bucket = None);
        for chunk in 0..cut.count() {
            let version = layouts.version_index(stages[chunk % stages.len()]);
            let StageVersion { program, findings, .. } = &layouts.versions()[version];
            let ChunkProgram { mut program, originals } = cut.program(chunk, program);
            let input = &mut inputs[version];
            input.activations = cut.activations(chunk, &program);
            let mut own = findings.for_chunk(&originals);
            let place = pipelines::pipeline(Milestone::LaidOut, Milestone::Local, input.variant).map_err(one)?;
            place.run(&mut program, input, &mut own, &mut |ran| watch(&ran))?;
            own.refer_to_step(&originals);
            of_chunks.push(own);
            programs.push(program.compact());
        }
        if let Some(decomposed) = decompose_chunks(&programs, cut.seams(), how.kind.splits_backward()).map_err(one)? {
            let chunks_per_replica = cut.count() / how.replicas;
            let replicas = (0..how.replicas).map(|replica| cut.share(replica * chunks_per_replica));
            let total = replicas.map(|share| share.len() as u64).sum::<u64>().max(1);
            for (chunk, own) in of_chunks.into_iter().enumerate() {
                let stage = chunk / chunks_per_replica * stages.len() + chunk % stages.len();
                findings.merge_chunk(own, stage, (cut.share(chunk).len() as u64, total));
            }
            return Ok(decomposed);
        }
    }
    Err(vec![Diagnostic::new(Code::B001, "internal error: cyclic dependencies between chunks")])
}

/// Returns the schedule of all stages. Each replica has the schedule of a single pipeline.
fn build_schedule(kind: ScheduleKind, stages: usize, parts: &StepWork, shares: &[Range<u32>]) -> Schedule {
    let chunks = parts.chunks.len() / shares.len();
    let inside = |&(from, to): &(usize, usize)| from < chunks && to < chunks;
    let edges = parts.edges.iter().copied().filter(inside).collect();
    let of_one = StepWork { chunks: parts.chunks[..chunks].to_vec(), edges, shares: Vec::new() };
    let durations = vec![Durations::new(1.0, 1.0, 1.0); chunks];
    let of_share = |share: &Range<u32>| {
        let micro_batches = share.end - share.start;
        build(
            kind,
            &ScheduleInput { stages, micro_batches, parts: &of_one, durations: &durations, max_in_flight: None },
        )
    };
    shares[1..].iter().fold(of_share(&shares[0]), |all, share| all.with_replica(&of_share(share)))
}
