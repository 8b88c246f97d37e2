//! From a training step to a pipeline: the whole step is laid out as the plan says and then cut into chunks; each of
//! them is partitioned by itself, on the devices of its stage, and taken apart into tasks; and the stages are given an
//! order. A step in a single stage is not cut, and its micro-batches are a loop ([`single`]) unless the plan names a
//! schedule for them.

mod meshes;
mod shares;
pub mod single;

use crate::driver::{Findings, Input, Ran};
use crate::pipelines::{self, Milestone};
use crate::pipelining::cut_stages::{Cut, Cutting, OnStage, balanced_seconds, cut};
use crate::pipelining::schedule::{Works, build};
use crate::pipelining::tasks::{Chunks, chunks};
use crate::training::micro_batches::Over;
use meshes::laid_out;
pub use meshes::{LaidOut, Version};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::pipeline::{Pipeline, parts};
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::schedule::Durations;
use partita_ir::schedule::check::check;
use partita_ir::schedule::{Kind, Parts, Schedule};
use partita_machine::Machine;
use std::ops::Range;

/// Who is told about each pass.
type Watch<'w> = &'w mut dyn FnMut(&Ran<'_>) -> Result<(), Diagnostic>;

/// Makes a pipeline of what is to be computed, over micro-batches where there are several stages. `watch` is told about
/// each pass.
///
/// # Errors
/// What is wrong with the plan; `G001` and `G002` when the step cannot be cut so.
pub fn pipeline(
    step: &Program,
    how: &Pipelined,
    input: &Input,
    findings: &mut Findings,
    watch: Watch<'_>,
) -> Result<Pipeline, Vec<Diagnostic>> {
    if is_ordered(step, how, &input.plan) {
        return Ok(staged(step, how, input, findings, watch)?.0);
    }
    let input = &on_some_mesh(step, input, findings).map_err(|e| vec![e])?;
    let mut local = step.clone();
    let place = pipelines::pipeline(Milestone::Step, Milestone::Local, input.variant).map_err(|e| vec![e])?;
    place.run(&mut local, input, findings, &mut |ran| watch(&ran))?;
    single::pipeline(local.compact()).map_err(|e| vec![e])
}

/// Returns whether tasks of the step have an order: there are several stages or replicas, or a schedule for the
/// micro-batches of a single stage.
pub fn is_ordered(step: &Program, how: &Pipelined, plan: &Plan) -> bool {
    !how.is_single() || (plan.schedule.is_some() && Over::of(step).is_some())
}

/// Makes a pipeline of a step whose tasks have an order, and returns it with the step as it is laid out for the mesh of
/// each stage.
///
/// # Errors
/// As [`pipeline`].
pub fn staged(
    step: &Program,
    how: &Pipelined,
    input: &Input,
    findings: &mut Findings,
    watch: Watch<'_>,
) -> Result<(Pipeline, LaidOut), Vec<Diagnostic>> {
    let input = &on_some_mesh(step, input, findings).map_err(|e| vec![e])?;
    let planned = laid_out(step, how, input, findings, watch)?;
    findings.clone_from(&planned.first().findings);
    let whole = &planned.first().program;
    let machine = input.machine.clone();
    let budget = input.plan.budget_bytes().map_err(|e| vec![e])?.unwrap_or(u64::MAX);
    let on = |replica: usize| on_stages(&planned, how, (machine.as_deref(), budget), replica);
    let seconds = (0..how.replicas).map(|replica| balanced_seconds(whole, &on(replica)));
    let seconds: Vec<f64> = seconds.collect::<Result<_, _>>().map_err(|e| vec![e])?;
    let micro_batches = Over::of(step).map_or(1, |over| u32::try_from(over.trip).unwrap_or(u32::MAX));
    let shares = shares::of(how, micro_batches, &seconds).map_err(|e| vec![e])?;
    let recomputes = !input.plan.remat.is_empty();
    let cutting = Cutting { cuts: &how.cuts, schedule: how.kind, stages: &on(0), shares: &shares, recomputes };
    let cut = cut(whole, cutting)?;
    let stages = cut.stages().to_vec();
    findings.warnings.extend(released(&planned, how, &cut));
    let Chunks { chunks, transfers } = partitioned(&cut, &planned, how, findings, watch)?;
    let of_chunks = (0..chunks.len()).map(|chunk| cut.share(chunk)).collect();
    let parts = parts(&chunks, &transfers, if shares.len() > 1 { of_chunks } else { Vec::new() });
    let ordered = ordered(how.kind, stages.len(), &parts, &shares);
    let bug = |fault| vec![Diagnostic::new(Code::B001, format!("a schedule that was made is wrong: {fault}"))];
    let schedule = check(ordered, parts).map_err(bug)?;
    Ok((Pipeline { chunks, transfers, schedule }, planned.for_stages(&stages)))
}

/// The input with a mesh of one device for a step that has none.
fn on_some_mesh(step: &Program, input: &Input, findings: &mut Findings) -> Result<Input, Diagnostic> {
    let mut input = input.clone();
    if input.plan.mesh.is_none() && step.mesh().is_none() {
        input.plan.mesh = Some(Mesh::new([("data", 1)])?);
        findings.resolved = Some(input.plan.clone());
    }
    Ok(input)
}

/// What computes the stages of a replica: devices of the machine follow each other.
fn on_stages<'m>(
    planned: &LaidOut,
    how: &Pipelined,
    (machine, budget): (Option<&'m Machine>, u64),
    replica: usize,
) -> Vec<OnStage<'m>> {
    let sizes =
        (0..how.cuts.count()).map(|stage| planned.of_stage(stage).program.mesh().map_or(1, |(_, m)| m.device_count()));
    let sizes: Vec<usize> = sizes.collect();
    let mut first = replica * sizes.iter().sum::<usize>();
    let on = |&devices: &usize| {
        first += devices;
        let kind = machine.and_then(|machine| machine.slowest(first - devices..first));
        OnStage { devices, kind, memory: kind.map_or(budget, |kind| budget.min(kind.memory)) }
    };
    sizes.iter().map(on).collect()
}

/// What the user should know of stages that are not there.
fn released(planned: &LaidOut, how: &Pipelined, cut: &Cut<'_>) -> Vec<Diagnostic> {
    let gone = (0..how.cuts.count()).filter(|stage| !cut.stages().contains(stage));
    let warning = |stage: usize| {
        let devices = planned.of_stage(stage).program.mesh().map_or(1, |(_, mesh)| mesh.device_count()) * how.replicas;
        let title = format!("stage {stage} is frozen as a whole: the stages beside it do its work");
        let free = if devices == 1 { "its device is free".into() } else { format!("its {devices} devices are free") };
        Diagnostic::warning(Code::G003, title).note(free)
    };
    gone.map(warning).collect()
}

/// Every chunk as tasks of one of its devices. Gradients are reduced together, unless chunks would wait for each other
/// for it.
fn partitioned(
    cut: &Cut<'_>,
    planned: &LaidOut,
    how: &Pipelined,
    findings: &mut Findings,
    watch: Watch<'_>,
) -> Result<Chunks, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    for together in [true, false] {
        let mut programs = Vec::with_capacity(cut.count());
        let mut of_chunks = Vec::with_capacity(cut.count());
        for chunk in 0..cut.count() {
            let stages = cut.stages();
            let Version { program, input, findings } = planned.of_stage(stages[chunk % stages.len()]);
            // Each has the arenas of the whole step, of which it needs little once it is partitioned.
            let mut program = cut.program(chunk, program);
            let mut input = Input { activations: cut.activations(chunk, &program), ..input.clone() };
            input.plan.bucket = input.plan.bucket.filter(|_| together);
            let mut own = findings.handed_on();
            let place = pipelines::pipeline(Milestone::LaidOut, Milestone::Local, input.variant).map_err(one)?;
            place.run(&mut program, &input, &mut own, &mut |ran| watch(&ran))?;
            of_chunks.push(own);
            programs.push(program.compact());
        }
        if let Some(taken) = chunks(&programs, cut.seams(), how.kind.splits_backward()).map_err(one)? {
            of_chunks.into_iter().for_each(|own| findings.merge_chunk(own));
            return Ok(taken);
        }
    }
    Err(vec![Diagnostic::new(Code::B001, "chunks wait for each other in a circle")])
}

/// The order of all stages: each replica's is that of a pipeline alone.
fn ordered(kind: Kind, stages: usize, parts: &Parts, shares: &[Range<u32>]) -> Schedule {
    let chunks = parts.chunks.len() / shares.len();
    let inside = |&(from, to): &(usize, usize)| from < chunks && to < chunks;
    let edges = parts.edges.iter().copied().filter(inside).collect();
    let of_one = Parts { chunks: parts.chunks[..chunks].to_vec(), edges, shares: Vec::new() };
    let durations = vec![Durations::new(1.0, 1.0, 1.0); chunks];
    let of_share = |share: &Range<u32>| {
        let micro_batches = share.end - share.start;
        build(kind, &Works { stages, micro_batches, parts: &of_one, durations: &durations, limit: None })
    };
    shares[1..].iter().fold(of_share(&shares[0]), |all, share| all.beside(&of_share(share)))
}
