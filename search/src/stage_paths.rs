//! Stages of plans as lists of paths.
//!
//! A plan that states the number of stages is cut where the costs of ops on the machine are balanced. Its file does not
//! contain the machine, so that the same plan would be cut elsewhere without it, or for another one. The stages of
//! found plans are therefore stated by the parameters that each contains.

use partita_ir::pipeline::Pipeline;
use partita_ir::plan::Plan;
use partita_ir::plan::path::is_in_module;
use partita_ir::plan::pipeline::StageSplit;
use partita_ir::program::{ParamKind, Program};
use std::collections::BTreeSet;

/// Returns the paths of the parameters of each chunk of a lowered plan, if the plan states only the number of stages:
/// the modules that are in one chunk, and other parameters. Returns `None` if a chunk has no parameter of its own.
pub(crate) fn stage_paths(program: &Program, plan: &Plan, pipeline: &Pipeline) -> Option<String> {
    let config = plan.pipeline_config().ok()??;
    match config.cuts {
        StageSplit::Count(count) if count > 1 => {}
        StageSplit::Count(_) | StageSplit::Explicit { .. } => return None,
    }
    let count = config.cuts.count() * config.kind.chunks_per_stage();
    let params: Vec<&str> =
        program.params.values().filter(|p| p.kind != ParamKind::State).map(|param| param.path.as_str()).collect();
    let mut left: BTreeSet<&str> = params.iter().copied().collect();
    let mut chunks = Vec::with_capacity(count);
    for chunk in pipeline.chunks.get(..count)? {
        let own: BTreeSet<&str> = chunk.inputs.iter().filter_map(|port| left.take(port.name.as_str())).collect();
        let is_exact = |module: &&str| params.iter().all(|path| !is_in_module(path, module) || own.contains(path));
        let mut paths: Vec<&str> = Vec::new();
        for &path in params.iter().filter(|path| own.contains(*path)) {
            let mut modules = path.match_indices('.').map(|(at, _)| &path[..at]);
            let widest = modules.find(is_exact).unwrap_or(path);
            if !paths.contains(&widest) {
                paths.push(widest);
            }
        }
        if paths.is_empty() {
            return None;
        }
        chunks.push(paths.join(" "));
    }
    Some(chunks.join(" | "))
}
