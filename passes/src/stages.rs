//! From a training step to a pipeline: the whole step is laid out as the plan says and then cut into chunks; each of them is partitioned by
//! itself, on the devices of its stage, and taken apart into tasks; and the stages are given an order.

use crate::pass::{Cx, Ran};
use crate::pipelines;
use crate::plan::cut_stages::cut;
use crate::schedule::{Durations, Pipeline as Asked, build};
use crate::tasks::{Chunks, chunks};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::pipeline::{Pipeline, parts};
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::program::Program;
use partita_ir::schedule::check::check;

/// Makes a pipeline of what is to be computed over micro-batches. `cx` has the plan, whose mesh is that of one stage; `watch` is told
/// about each pass.
///
/// # Errors
/// What is wrong with the plan; `G001` and `G002` when the step cannot be cut so.
pub fn pipeline(
    step: &Program,
    how: &Pipelined,
    cx: &mut Cx,
    watch: &mut dyn FnMut(&Ran<'_>) -> Result<(), Diagnostic>,
) -> Result<Pipeline, Vec<Diagnostic>> {
    let one = |error: Diagnostic| vec![error];
    let mut planned = step.clone();
    pipelines::lay_out().map_err(one)?.run(&mut planned, cx, &mut |ran| watch(&ran))?;
    let stages = how.cuts.count();
    let stages_of = cut(&planned, &how.cuts, how.kind.chunks_per_stage())?;
    let (seams, micro_batches) = (stages_of.seams(), stages_of.micro_batches());
    let mut taken = None;
    // Gradients are reduced together, unless chunks would wait for each other for it.
    for together in [true, false] {
        let mut programs = Vec::with_capacity(stages_of.count());
        let mut fallbacks = Vec::new();
        for chunk in 0..stages_of.count() {
            let mut of_chunk = Cx { fallbacks: Vec::new(), ..cx.clone() };
            of_chunk.plan.bucket = of_chunk.plan.bucket.filter(|_| together);
            // Each has the arenas of the whole step, of which it needs little once it is partitioned.
            let mut program = stages_of.program(chunk);
            pipelines::spread().map_err(one)?.run(&mut program, &mut of_chunk, &mut |ran| watch(&ran))?;
            fallbacks.extend(of_chunk.fallbacks);
            programs.push(program.compact());
        }
        taken = chunks(&programs, seams, how.kind.splits_backward()).map_err(one)?;
        if taken.is_some() {
            cx.fallbacks.extend(fallbacks);
            break;
        }
    }
    let circle = || vec![Diagnostic::new(Code::B001, "chunks wait for each other in a circle")];
    let Chunks { chunks, transfers } = taken.ok_or_else(circle)?;
    let parts = parts(&chunks, &transfers);
    let durations = vec![Durations::new(1.0, 1.0, 1.0); chunks.len()];
    let asked = Asked { stages, micro_batches, parts: &parts, durations: &durations, limit: None };
    let ordered = build(how.kind, &asked);
    let bug = |fault| vec![Diagnostic::new(Code::B001, format!("a schedule that was made is wrong: {fault}"))];
    Ok(Pipeline { chunks, transfers, schedule: check(ordered, parts).map_err(bug)? })
}
