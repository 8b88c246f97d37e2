//! Explicit cuts: the user lists the parameters or modules of each stage, and ops that read none of them follow their
//! operands.
//!
//! A path that is not a parameter may be the path of a module. It denotes all parameters in the module, and the ops of
//! the module itself.

use super::step_analysis::StepAnalysis;
use crate::planning::path_index::PathIndex;
use partita_ir::arena::{OpId, ParamId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::SourceText;
use rustc_hash::FxHashMap;

/// Returns the chunk of each op of the forward pass: its stage, if stages have one chunk each. `chunks` contains the
/// paths of each chunk.
///
/// # Errors
/// `L006` for a path that matches nothing; `G002` when a parameter is in two stages, or when a stage depends on a later
/// one.
pub(super) fn explicit_chunks(
    step: &StepAnalysis<'_>,
    chunks: &[Vec<SourceText>],
) -> Result<FxHashMap<OpId, usize>, Vec<Diagnostic>> {
    let entries = PathIndex::new(step.program);
    let mut explicit = ExplicitStages::default();
    let mut errors: Vec<Diagnostic> = Vec::new();
    for (stage, paths) in chunks.iter().enumerate() {
        for path in paths {
            let values = if explicit.add_module(step, path, stage) {
                entries.find(&SourceText::new(path.span(), format!("{}.**?", path.text.trim())))
            } else {
                entries.find(path)
            };
            let values = values.unwrap_or_else(|error| {
                errors.push(error);
                Vec::new()
            });
            for param in values.into_iter().filter_map(|v| step.param(v)) {
                if let Some((other, at)) = explicit.params.insert(param, (stage, path))
                    && other != stage
                {
                    let title =
                        format!("`{}` is in stage {other} and in stage {stage}", step.program.params[param].path);
                    let error = Diagnostic::new(Code::G002, title).label(at.span(), "assigned here");
                    errors.push(error.label(path.span(), "and here"));
                }
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    assign_stages(step, &explicit).map_err(|e| vec![e])
}

/// The stages that the user assigned.
#[derive(Default)]
struct ExplicitStages<'p> {
    /// Stages of parameters, with the paths that assign them.
    params: FxHashMap<ParamId, (usize, &'p SourceText)>,
    /// Paths of modules, with their stages.
    modules: Vec<(String, usize)>,
}

impl ExplicitStages<'_> {
    /// Records the stage of a module. Returns false if the path is not the path of a module.
    fn add_module(&mut self, step: &StepAnalysis<'_>, path: &SourceText, stage: usize) -> bool {
        let text = path.text.trim();
        let is_module = text.bytes().all(|b| b != b'*' && b != b'?')
            && !step.program.params.values().any(|param| param.path == text)
            && (step.program.params.values().any(|param| is_inside(&param.path, text))
                || step.body().ops().iter().any(|&id| is_inside(&step.op(id).origin.scope, text)));
        if is_module {
            self.modules.push((text.to_owned(), stage));
        }
        is_module
    }

    /// Returns the stage of the innermost listed module that contains a scope.
    fn stage_of_module(&self, scope: &str) -> Option<usize> {
        let around = self.modules.iter().filter(|(module, _)| is_inside(scope, module));
        around.max_by_key(|(module, _)| module.len()).map(|(_, stage)| *stage)
    }
}

/// Returns true if a scope is the scope of a module or is nested in it.
fn is_inside(scope: &str, module: &str) -> bool {
    scope.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn assign_stages(step: &StepAnalysis<'_>, explicit: &ExplicitStages<'_>) -> Result<FxHashMap<OpId, usize>, Diagnostic> {
    let mut stage_of: FxHashMap<OpId, usize> = FxHashMap::default();
    // A shared parameter determines the stage of its first reader only.
    let mut seen: FxHashMap<ParamId, usize> = FxHashMap::default();
    for &id in step.body().ops() {
        let op = step.op(id);
        if !step.is_of_stage(id) {
            continue;
        }
        let producers = op.args.iter().filter_map(|&v| step.producer(v)).filter_map(|producer| stage_of.get(&producer));
        let earliest = producers.copied().max().unwrap_or(0);
        let mut stage = explicit.stage_of_module(&op.origin.scope).map_or(earliest, |wanted| wanted.max(earliest));
        for &param in op.args.iter().flat_map(|&v| step.roots_of(v)) {
            let Some((wanted, path)) = explicit.params.get(&param) else { continue };
            let is_first = !seen.contains_key(&param);
            if is_first && *wanted < earliest {
                let name = &step.program.params[param].path;
                let title = format!("`{name}` is assigned to stage {wanted}, but reads a result of stage {earliest}");
                let error = Diagnostic::new(Code::G002, title).label(path.span(), "assigned here");
                return Err(error.help(format!("assign it to stage {earliest} or a later one")));
            }
            if is_first {
                stage = stage.max(*wanted);
            }
        }
        for &param in op.args.iter().flat_map(|&v| step.roots_of(v)) {
            seen.entry(param).or_insert(stage);
        }
        stage_of.insert(id, stage);
    }
    Ok(stage_of)
}
