//! From a training step to a pipeline: the plan is put on the whole step, which is then cut into chunks; each of them is laid out and
//! partitioned by itself, on the devices of its stage, and taken apart into tasks; and the stages are given an order.

use crate::pass::{Cx, Ran};
use crate::pipelines;
use crate::plan::cut_stages::{Stages, cut};
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
    let Stages { mut programs, seams, micro_batches } = cut(&annotated, &how.cuts, how.kind.chunks_per_stage())?;
    let spread = pipelines::spread().map_err(one)?;
    for program in &mut programs {
        let mut of_chunk = cx.clone();
        spread.run(program, &mut of_chunk, &mut |ran| watch(&ran))?;
        cx.fallbacks.extend(of_chunk.fallbacks);
    }
    let Chunks { chunks, transfers } = chunks(&programs, &seams, how.kind.splits_backward()).map_err(one)?;
    let parts = parts(&chunks, &transfers);
    let durations = vec![Durations::new(1.0, 1.0, 1.0); chunks.len()];
    let asked = Asked { stages, micro_batches, parts: &parts, durations: &durations, limit: None };
    let ordered = build(how.kind, &asked);
    let bug = |fault| vec![Diagnostic::new(Code::B001, format!("a schedule that was made is wrong: {fault}"))];
    Ok(Pipeline { chunks, transfers, schedule: check(ordered, parts).map_err(bug)? })
}
