//! `explain`: why a value lies where it lies, why a collective exists, what a device holds at its fullest, what kernels
//! there are, what an error means.

use super::args::{DumpFlag, ExplainArgs, PlanFlags};
use super::model::{machine, partition, partition_on, plan, program};
use super::{Outcome, Own, gpu};
use partita::report::Rewriting;
use partita::{Error, Result};
use partita_ir::diag::{self, Code, Diagnostic, nearest};
use partita_ir::plan::Plan;

/// Carries out `partita explain`.
pub(super) fn explain(args: &ExplainArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let (model, name) = sort_out(&args.what, own);
    let of_program = args.collective.is_some() || args.peak || args.laws || args.kernels;
    if let (None, Some(word), false) = (model, name, of_program) {
        // One word that is no model: an error code, or a value of the caller's own model.
        match (diag::explain(word), own) {
            (Some(code), _) => return Ok(describe(code).into()),
            (None, None) => return Err(unknown_code(word).into()),
            (None, Some(_)) => {}
        }
    }
    if name.is_none() && !of_program {
        return Err(Diagnostic::new(Code::C002, "nothing to explain")
            .help("name a value: `partita explain MODEL NAME`")
            .help("or a collective: `partita explain MODEL --collective 1`")
            .help("or the kernels for GPUs: `partita explain MODEL --kernels`")
            .help("or an error: `partita explain L004`")
            .into());
    }
    // What is held is of interest above all where it is too much.
    let plan_of = |flags: &PlanFlags| Ok::<Plan, Error>(Plan { budget: None, ..plan(flags)? });
    let plan = plan_of(&args.plan)?;
    // Collectives are those of `plan --machine`; what a value is worth on a machine is asked of the usual step, which
    // has them all.
    let asked = args.machine.as_ref().filter(|_| args.laws || args.collective.is_some());
    let on = machine(asked)?.map(|(_, machine)| machine);
    let planned = match partition_on(model, (&plan, on.as_ref()), &DumpFlag::default(), own) {
        // Kernels are of interest without a mesh, too.
        Err(e) if args.kernels && e.0.iter().any(|e| e.code == Code::L007) => {
            let on_one_device = args.plan.and("mesh", "device=1");
            partition(model, &plan_of(&on_one_device)?, &DumpFlag::default(), own)?
        }
        planned => planned?,
    };
    let part = planned.partition;
    if args.kernels {
        return gpu::kernels(args, &planned.model, &part);
    }
    if args.laws {
        return Ok(laws(part.rewriting()).into());
    }
    let text = match (name, args.collective) {
        (_, Some(number)) => match machine(args.machine.as_ref())? {
            Some((_, machine)) => part.explain_collective_on(number, &machine)?,
            None => part.explain_collective(number)?,
        },
        (Some(name), None) if !args.peak => match machine(args.machine.as_ref())? {
            Some((_, machine)) => part.explain_on(name, &program(model, own)?.program, &plan, &machine)?,
            None => part.explain(name)?,
        },
        _ => part.explain_peak(),
    };
    Ok(text.into())
}

/// What was done otherwise than usual, by which laws.
fn laws(rewriting: Option<Rewriting>) -> String {
    rewriting.map_or_else(|| "as usual: nothing else is predicted to be faster\n".to_owned(), |done| done.chain())
}

/// Model and name, in whichever order they were given: models are told by their endings, or by `zoo:`.
fn sort_out<'a>(what: &'a [String], own: Option<&Own<'_>>) -> (Option<&'a str>, Option<&'a str>) {
    let is_model = |word: &str| partita::is_model(word) || own.is_some_and(|own| own.name == word);
    match what {
        [] => (None, None),
        [word] if is_model(word) => (Some(word), None),
        [word] => (None, Some(word)),
        [name, model, ..] if is_model(model) && !is_model(name) => (Some(model), Some(name)),
        [model, name, ..] => (Some(model), Some(name)),
    }
}

fn describe(code: Code) -> String {
    format!("{}: {}\n\n{}\n", code.name(), code.title(), wrapped(code.text(), 100))
}

fn unknown_code(word: &str) -> Diagnostic {
    let unknown = Diagnostic::new(Code::C002, format!("`{word}` is neither a model nor an error code"));
    match nearest(&word.to_uppercase(), Code::ALL.iter().map(|c| c.name())) {
        Some(near) => unknown.help(format!("there is a code `{near}`")),
        None => unknown.help("a value is explained with its model: `partita explain MODEL NAME`"),
    }
}

/// The text in lines of at most `width` letters, broken between words.
fn wrapped(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let len = word.chars().count();
        if column > 0 && column + 1 + len > width {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += len;
    }
    out
}
