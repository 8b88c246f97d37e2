//! `explain`: explains a value's layout, a collective, peak memory, kernels for GPUs, or an error code.

use super::args::{DumpFlag, ExplainArgs, PlanFlags};
use super::model::{machine, partition, partition_on, plan, program};
use super::{CallerModel, Outcome, gpu};
use partita::report::RewriteReport;
use partita::{Error, Result};
use partita_ir::diag::{self, Code, Diagnostic, nearest};
use partita_ir::plan::Plan;

/// Runs `partita explain`.
pub(super) fn explain(args: &ExplainArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let (model, name) = model_and_name(&args.what, own);
    let of_program = args.collective.is_some() || args.peak || args.laws || args.kernels;
    if let (None, Some(word), false) = (model, name, of_program) {
        // A single word that is not a model is an error code, or a value of the caller's model.
        match (diag::find_code(word), own) {
            (Some(code), _) => return Ok(code_text(code).into()),
            (None, None) => return Err(unknown_code(word).into()),
            (None, Some(_)) => {}
        }
    }
    if name.is_none() && !of_program {
        return Err(Diagnostic::new(Code::C002, "nothing to explain")
            .help("explain a value: `partita explain MODEL NAME`")
            .help("or a collective: `partita explain MODEL --collective 1`")
            .help("or the kernels for GPUs: `partita explain MODEL --kernels`")
            .help("or an error: `partita explain L004`")
            .into());
    }
    // A plan above its budget can be explained, too.
    let plan_of = |flags: &PlanFlags| Ok::<Plan, Error>(Plan { budget: None, ..plan(flags)? });
    let plan = plan_of(&args.plan)?;
    // Collectives are those of `plan --machine`. The layout of a value is explained in the default lowering, which
    // unlike other variants contains all values of the model.
    let needed_machine = args.machine.as_ref().filter(|_| args.laws || args.collective.is_some());
    let on = machine(needed_machine)?.map(|(_, machine)| machine);
    let planned = match partition_on(model, (&plan, on.as_ref()), &DumpFlag::default(), own) {
        // Without a mesh, kernels are listed for one device.
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
        return Ok(rewrites_text(part.rewriting()).into());
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

/// Formats the rewrites of the autotuned variant with their laws.
fn rewrites_text(rewriting: Option<RewriteReport>) -> String {
    rewriting.map_or_else(|| "default lowering: no rewrite is predicted to be faster\n".to_owned(), |done| done.chain())
}

/// Separates the model from the name in `explain MODEL NAME`, in either order. Models are recognised by their
/// extension, or by `zoo:`.
fn model_and_name<'a>(what: &'a [String], own: Option<&CallerModel<'_>>) -> (Option<&'a str>, Option<&'a str>) {
    let is_model = |word: &str| partita::is_model(word) || own.is_some_and(|own| own.name == word);
    match what {
        [] => (None, None),
        [word] if is_model(word) => (Some(word), None),
        [word] => (None, Some(word)),
        [name, model, ..] if is_model(model) && !is_model(name) => (Some(model), Some(name)),
        [model, name, ..] => (Some(model), Some(name)),
    }
}

fn code_text(code: Code) -> String {
    format!("{}: {}\n\n{}\n", code.name(), code.title(), wrapped(code.explanation(), 100))
}

fn unknown_code(word: &str) -> Diagnostic {
    let unknown = Diagnostic::new(Code::C002, format!("`{word}` is neither a model nor an error code"));
    match nearest(&word.to_uppercase(), Code::ALL.iter().map(|c| c.name())) {
        Some(near) => unknown.help(format!("use the code `{near}`")),
        None => unknown.help(
            "to explain a value, name its model: `partita explain MODEL NAME`; docs/error-codes.md lists all codes",
        ),
    }
}

/// Wraps text into lines of at most `width` characters.
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
