//! Where to cut, by hand: the user says which parameters or modules a stage has, and what reads none follows what it
//! reads.
//!
//! A path that is no parameter may be that of a module: it stands for all parameters in it, and for the ops that it has
//! itself.

use super::whole::Whole;
use crate::planning::find::Entries;
use partita_ir::arena::{OpId, ParamId};
use partita_ir::diag::{Code, Diagnostic, Span};
use partita_ir::plan::Written;
use rustc_hash::FxHashMap;

/// The stage of each op of the model, where stages have the parameters of these paths.
///
/// # Errors
/// `L006` for a path that matches nothing; `G002` when stages are to have several chunks, two of them the same
/// parameter, or one needs what a later one makes.
pub(super) fn by_hand(
    whole: &Whole<'_>,
    stages: &[Vec<Written>],
    chunks_per_stage: usize,
) -> Result<FxHashMap<OpId, usize>, Vec<Diagnostic>> {
    let place = |stage: usize| stages[stage][0].span();
    if chunks_per_stage > 1 {
        let title = "stages by hand have one chunk each, and an interleaved schedule has several";
        let error = Diagnostic::new(Code::G002, title).at(place(0), "names the parameters of a stage");
        return Err(vec![error.help("say how many stages there are: `--pipeline 4`, or take another schedule")]);
    }
    let entries = Entries::of(whole.program);
    let mut said = Said::default();
    let mut errors: Vec<Diagnostic> = Vec::new();
    for (stage, paths) in stages.iter().enumerate() {
        for path in paths {
            let is_module = said.add_module(whole, path, stage);
            let inside = Written::at(path.span(), format!("{}.**?", path.text.trim()));
            let values = if is_module { entries.find(&inside) } else { entries.find(path) };
            let values = values.unwrap_or_else(|error| {
                errors.push(error);
                Vec::new()
            });
            for param in values.into_iter().filter_map(|v| whole.param(v)) {
                if let Some((other, at)) = said.params.insert(param, (stage, path.span()))
                    && other != stage
                {
                    let title =
                        format!("`{}` is in stage {other} and in stage {stage}", whole.program.params[param].path);
                    errors.push(Diagnostic::new(Code::G002, title).at(at, "puts it there").at(path.span(), "and here"));
                }
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    follow(whole, &said).map_err(|e| vec![e])
}

/// The stages of what the user named, and where that is written.
#[derive(Default)]
struct Said {
    params: FxHashMap<ParamId, (usize, Span)>,
    /// Paths of modules.
    modules: Vec<(String, usize)>,
}

impl Said {
    /// Notes that a module is in a stage, if the path is one of a module.
    fn add_module(&mut self, whole: &Whole<'_>, path: &Written, stage: usize) -> bool {
        let text = path.text.trim();
        let is_module = text.bytes().all(|b| b != b'*' && b != b'?')
            && !whole.program.params.values().any(|param| param.path == text)
            && (whole.program.params.values().any(|param| is_inside(&param.path, text))
                || whole.body().ops().iter().any(|&id| is_inside(&whole.op(id).origin.scope, text)));
        if is_module {
            self.modules.push((text.to_owned(), stage));
        }
        is_module
    }

    /// The stage of the innermost named module that an op belongs to.
    fn module_of(&self, scope: &str) -> Option<usize> {
        let around = self.modules.iter().filter(|(module, _)| is_inside(scope, module));
        around.max_by_key(|(module, _)| module.len()).map(|(_, stage)| *stage)
    }
}

/// Whether a scope is that of a module or of one inside of it.
fn is_inside(scope: &str, module: &str) -> bool {
    scope.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn follow(whole: &Whole<'_>, said: &Said) -> Result<FxHashMap<OpId, usize>, Diagnostic> {
    let mut stage_of: FxHashMap<OpId, usize> = FxHashMap::default();
    // A parameter that is shared counts where it is read first.
    let mut met: FxHashMap<ParamId, usize> = FxHashMap::default();
    for &id in whole.body().ops() {
        let op = whole.op(id);
        if !whole.is_of_stage(id) {
            continue;
        }
        let makers = op.args.iter().filter_map(|&v| whole.maker(v)).filter_map(|maker| stage_of.get(&maker));
        let earliest = makers.copied().max().unwrap_or(0);
        let mut stage = said.module_of(&op.origin.scope).map_or(earliest, |wanted| wanted.max(earliest));
        for &param in op.args.iter().flat_map(|&v| whole.roots_of(v)) {
            let Some((wanted, place)) = said.params.get(&param) else { continue };
            let is_first = !met.contains_key(&param);
            if is_first && *wanted < earliest {
                let path = &whole.program.params[param].path;
                let title = format!("`{path}` is to be in stage {wanted}, and reads what stage {earliest} makes");
                let error = Diagnostic::new(Code::G002, title).at(place.clone(), "puts it there");
                return Err(error.help(format!("put it into stage {earliest} or a later one")));
            }
            if is_first {
                stage = stage.max(*wanted);
            }
        }
        for &param in op.args.iter().flat_map(|&v| whole.roots_of(v)) {
            met.entry(param).or_insert(stage);
        }
        stage_of.insert(id, stage);
    }
    Ok(stage_of)
}
