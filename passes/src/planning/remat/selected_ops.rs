//! Results of ops that a plan selects by kind and by the path of their module.

use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::plan::PlanEntry;
use partita_ir::plan::path::Pattern;
use partita_ir::program::{Phase, Program};
use rustc_hash::FxHashSet;

/// Results of single ops that a plan recomputes, in addition to the policies of layers.
#[derive(Default)]
pub(super) struct SelectedResults {
    /// Results of ops that the plan names.
    named: FxHashSet<ValueId>,
    /// Results of all ops of a module.
    of_modules: FxHashSet<ValueId>,
}

impl SelectedResults {
    /// Returns true if a value is recomputed. Of those that later layers read, only results of named ops are.
    pub(super) fn contains(&self, value: ValueId, is_always_stored: bool) -> bool {
        self.named.contains(&value) || !is_always_stored && self.of_modules.contains(&value)
    }

    /// Adds the results of an entry: those of the named ops in the modules of its path, or of all if there are no
    /// names.
    ///
    /// # Errors
    /// `L006` for a path without forward ops, `D006` for a name that no forward op there has.
    pub(super) fn select(&mut self, program: &Program, entry: &PlanEntry, names: &[String]) -> Result<(), Diagnostic> {
        let results = results_of(program, entry, names)?;
        if names.is_empty() {
            self.of_modules.extend(results)
        } else {
            self.named.extend(results)
        }
        Ok(())
    }
}

/// Returns the results of the forward ops with one of the names, or of all if there are no names, in the modules that
/// the path of the entry matches.
fn results_of(program: &Program, entry: &PlanEntry, names: &[String]) -> Result<Vec<ValueId>, Diagnostic> {
    let pattern = Pattern::new(&entry.path.text);
    let model_ops = program.model_ops();
    let forward = model_ops.iter().map(|at| at.op).filter(|op| op.phase == Phase::Forward);
    let inside: Vec<_> = forward.filter(|op| pattern.matches(&op.origin.scope)).collect();
    if inside.is_empty() {
        let title = format!("no operation is in `{}`", pattern.text);
        let error = Diagnostic::new(Code::L006, title).label(entry.path.span(), "matches no module");
        let mut modules: Vec<&str> = model_ops.iter().map(|at| at.op.origin.scope.as_str()).collect();
        modules.retain(|module| !module.is_empty());
        return match (pattern.optional, nearest(pattern.text, modules.iter().copied())) {
            (true, _) => Ok(Vec::new()),
            (false, Some(near)) => Err(error.help(format!("there is the module `{near}`"))),
            (false, None) => Err(match modules.first() {
                Some(first) => error.help(format!("there is the module `{first}`, for example")),
                None => error.note("the operations of the model have no modules"),
            }),
        };
    }
    for name in names {
        if !pattern.optional && inside.iter().all(|op| op.kind.name() != name) {
            let mut present: Vec<&str> = inside.iter().map(|op| op.kind.name()).collect();
            present.sort_unstable();
            present.dedup();
            let title = format!("no operation `{name}` is recomputed: the forward pass has none in `{}`", pattern.text);
            let error = Diagnostic::new(Code::D006, title).label(entry.text.span(), "names operations");
            return Err(match nearest(name, present.iter().copied()) {
                Some(near) => error.help(format!("there is `{near}`")),
                None => error.help(format!("it has {}", present.join(", "))),
            });
        }
    }
    let named = inside.iter().filter(|op| names.is_empty() || names.iter().any(|name| op.kind.name() == name));
    Ok(named.flat_map(|op| op.outs.iter().copied()).collect())
}
