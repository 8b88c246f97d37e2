//! From a training step to a pipeline: the plan is put on the whole step, which is then cut into chunks; each of them is laid out and
//! partitioned by itself, on the devices of its stage, and taken apart into tasks; and the stages are given an order.

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
    let mut annotated = step.clone();
    pipelines::annotate().map_err(one)?.run(&mut annotated, cx, &mut |ran| watch(&ran))?;
    let stages = how.cuts.count();
    let stages_of = cut(&annotated, &how.cuts, how.kind.chunks_per_stage())?;
    let spread = pipelines::spread().map_err(one)?;
    let mut programs = Vec::with_capacity(stages_of.count());
    for chunk in 0..stages_of.count() {
        // Each has the arenas of the whole step, of which it needs little once it is laid out.
        let mut program = stages_of.program(chunk);
        let mut of_chunk = Cx { fallbacks: Vec::new(), ..cx.clone() };
        spread.run(&mut program, &mut of_chunk, &mut |ran| watch(&ran))?;
        cx.fallbacks.extend(of_chunk.fallbacks);
        programs.push(program.compact());
    }
    let (seams, micro_batches) = (stages_of.seams(), stages_of.micro_batches());
    let Chunks { chunks, transfers } = chunks(&programs, seams, how.kind.splits_backward()).map_err(one)?;
    let parts = parts(&chunks, &transfers);
    let durations = vec![Durations::new(1.0, 1.0, 1.0); chunks.len()];
    let asked = Asked { stages, micro_batches, parts: &parts, durations: &durations, limit: None };
    let ordered = build(how.kind, &asked);
    let bug = |fault| vec![Diagnostic::new(Code::B001, format!("a schedule that was made is wrong: {fault}"))];
    Ok(Pipeline { chunks, transfers, schedule: check(ordered, parts).map_err(bug)? })
}
