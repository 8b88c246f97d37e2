//! Exchange of keys and values by attention, as a plan states it.

use crate::partitioning::exchange_attention::{set_method, share_log_sum_exp};
use partita_ir::arena::OpId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::ops::ContextMethod;
use partita_ir::plan::PlanEntry;
use partita_ir::plan::path::Pattern;
use partita_ir::program::Program;

/// Words for the exchange in a plan.
const METHODS: [ContextMethod; 2] = [ContextMethod::Ring, ContextMethod::Gather];

/// Returns the exchange of each attention and gradient that an entry matches: that of the most specific entry, then the
/// later one. A path matches the module of an attention. Errors are appended to `errors`.
pub(super) fn methods(
    program: &Program,
    entries: &[PlanEntry],
    errors: &mut Vec<Diagnostic>,
) -> Vec<(OpId, ContextMethod)> {
    let model_ops = program.model_ops();
    let attentions: Vec<_> = model_ops.iter().filter(|at| at.op.kind.class().attention().is_some()).collect();
    let mut best: Vec<Option<((bool, usize), ContextMethod)>> = vec![None; attentions.len()];
    for entry in entries {
        let Some(method) = METHODS.into_iter().find(|method| method.name() == entry.text.text.trim()) else {
            errors.push(unknown_method(entry));
            continue;
        };
        let pattern = Pattern::new(&entry.path.text);
        let mut has_match = pattern.optional;
        for (at, best) in attentions.iter().zip(&mut best) {
            if !pattern.matches(&at.op.origin.scope) {
                continue;
            }
            has_match = true;
            if best.is_none_or(|(specificity, _)| specificity <= pattern.specificity()) {
                *best = Some((pattern.specificity(), method));
            }
        }
        if !has_match {
            errors.push(no_match(entry, attentions.iter().map(|at| at.op.origin.scope.as_str())));
        }
    }
    attentions.iter().zip(best).filter_map(|(at, best)| Some((at.id, best?.1))).collect()
}

/// Sets the exchange of attentions and gradients.
pub(super) fn assign(program: &mut Program, methods: &[(OpId, ContextMethod)]) {
    for &(op, method) in methods {
        set_method(program, op, method);
    }
    if !methods.is_empty() {
        share_log_sum_exp(program);
    }
}

fn unknown_method(entry: &PlanEntry) -> Diagnostic {
    let word = entry.text.text.trim();
    let error = Diagnostic::new(Code::L016, format!("`{word}` is not an exchange of keys and values"))
        .label(entry.text.span(), "expected `ring` or `gather`");
    match word {
        "ulysses" => error.help("request `--preset context?attention=ulysses`, which shards heads during attention"),
        _ => match nearest(word, METHODS.iter().map(|method| method.name())) {
            Some(near) => error.fix("there is one with a similar name", entry.text.span(), near),
            None => error,
        },
    }
}

fn no_match<'a>(entry: &PlanEntry, modules: impl Iterator<Item = &'a str>) -> Diagnostic {
    let title = format!("no attention is in `{}`", entry.path.text.trim());
    let error = Diagnostic::new(Code::L006, title).label(entry.path.span(), "matches nothing");
    let mut modules: Vec<String> = modules.map(|module| format!("`{module}`")).collect();
    modules.dedup();
    match &modules[..] {
        [] => error.note("the model has no attention"),
        [first, ..] => error.help(format!("attention is in {first}, for example")),
    }
}
