//! `explain`: explains a value's layout, a collective, peak memory, kernels for GPUs, or an error code.

use super::args::{DumpFlag, ExplainArgs, PlanFlags};
use super::model::{PartitionedModel, machine, partition, partition_on, plan, program};
use super::{CallerModel, Outcome, gpu};
use partita::report::RewriteReport;
use partita::{Error, Result};
use partita_ir::diag::{self, Code, Diagnostic, nearest};
use partita_ir::plan::Plan;
use partita_machine::Machine;
use serde_json::{Value, json};

/// Runs `partita explain`.
pub(super) fn explain(args: &ExplainArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let (model, name) = model_and_name(&args.what, own);
    let of_program = args.collective.is_some() || args.peak || args.laws || args.kernels;
    if let (None, Some(word), false) = (model, name, of_program) {
        // A single word that is not a model is an error code, or a value of the caller's model.
        match (diag::find_code(word), own) {
            (Some(code), _) if args.json => return Ok(json_text(None, code_json(code)).into()),
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
    // With `--kernels`, the flag names a GPU.
    let on = machine(args.machine.as_ref().filter(|_| !args.kernels))?.map(|(_, machine)| machine);
    // Collectives and the peak are those of `plan --machine`. The layout of a value is explained in the default
    // lowering, which unlike other variants contains all values of the model.
    let compiled_on = on.as_ref().filter(|_| args.laws || args.peak || args.collective.is_some());
    let planned = match partition_on(model, (&plan, compiled_on), &DumpFlag::default(), own) {
        // Without a mesh, kernels are listed for one device.
        Err(e) if args.kernels && e.0.iter().any(|e| e.code == Code::L007) => {
            let on_one_device = args.plan.and("mesh", "device=1");
            partition(model, &plan_of(&on_one_device)?, &DumpFlag::default(), own)?
        }
        planned => planned?,
    };
    if args.kernels {
        return gpu::kernels(args, &planned.model, &planned.partition);
    }
    let subject = match (name, args.collective) {
        _ if args.laws => Subject::Laws,
        (_, Some(number)) => Subject::Collective(number),
        (Some(name), None) if !args.peak => Subject::Value(name),
        _ => Subject::Peak,
    };
    let context = Context { planned: &planned, plan: &plan, machine: on.as_ref(), model, own };
    Ok(match args.json {
        true => json_text(Some(&planned.model), context.to_json(subject)?),
        false => context.to_text(subject)?,
    }
    .into())
}

/// Part of a partition to explain.
#[derive(Clone, Copy)]
enum Subject<'a> {
    /// Rewrites of the autotuned variant.
    Laws,
    /// Collective with this number.
    Collective(usize),
    /// Layout of the value with this name.
    Value(&'a str),
    /// Peak memory.
    Peak,
}

/// Partition with the arguments that it was created from.
struct Context<'a> {
    planned: &'a PartitionedModel,
    plan: &'a Plan,
    machine: Option<&'a Machine>,
    model: Option<&'a str>,
    own: Option<&'a CallerModel<'a>>,
}

impl Context<'_> {
    /// Explains the subject in text.
    fn to_text(&self, subject: Subject<'_>) -> Result<String> {
        let part = &self.planned.partition;
        match (subject, self.machine) {
            (Subject::Laws, _) => Ok(rewrites_text(part.rewriting())),
            (Subject::Collective(number), Some(machine)) => part.explain_collective_on(number, machine),
            (Subject::Collective(number), None) => part.explain_collective(number),
            (Subject::Value(name), Some(machine)) => {
                part.explain_on(name, &program(self.model, self.own)?.program, self.plan, machine)
            }
            (Subject::Value(name), None) => part.explain(name),
            (Subject::Peak, _) => Ok(part.explain_peak()),
        }
    }

    /// Explains the subject in JSON.
    fn to_json(&self, subject: Subject<'_>) -> Result<Value> {
        let part = &self.planned.partition;
        match (subject, self.machine) {
            (Subject::Laws, _) => Ok(json!({ "rewriting": part.rewriting() })),
            (Subject::Collective(number), machine) => part.explain_collective_as_json(number, machine),
            (Subject::Value(name), Some(machine)) => {
                part.explain_on_as_json(name, &program(self.model, self.own)?.program, self.plan, machine)
            }
            (Subject::Value(name), None) => part.explain_as_json(name),
            (Subject::Peak, _) => Ok(part.explain_peak_as_json()),
        }
    }
}

/// Formats an explanation as a JSON object, with the version and the name of the model.
fn json_text(model: Option<&str>, explanation: Value) -> String {
    let mut object = json!({ "version": env!("CARGO_PKG_VERSION") });
    if let Some(model) = model {
        object["model"] = model.into();
    }
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), explanation) {
        object.extend(fields);
    }
    format!("{object:#}\n")
}

fn code_json(code: Code) -> Value {
    json!({ "code": code.name(), "title": code.title(), "explanation": code.explanation() })
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
