//! Loading of the model, plan and machine that the arguments name, and partitioning of the model.

use super::CallerModel;
use super::args::{DumpFlag, PlanFlags};
use super::crash;
use super::passes::{Dump, PassObserver};
use crate::render::render;
use partita::Compiler;
use partita::Partition;
use partita::{Error, Result};
use partita::{LoadedModel, load_machine, load_with_inputs};
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::input_file::read_text;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Weights;
use partita_machine::Machine;
use partita_runtime::io::read_tensors;
use std::cell::OnceCell;
use std::path::Path;
use std::time::Instant;

/// A partition, the model that it was created from, and the statistics of the passes.
pub(super) struct PartitionedModel {
    /// Names of inputs with fixed values, which are no inputs of the program.
    pub(super) fixed: Vec<String>,
    /// Name of the model as given by the user.
    pub(super) model: String,
    /// Weights that the model was loaded with.
    pub(super) weights: Weights,
    pub(super) partition: Partition,
    /// Observer of the passes, with its table and differences.
    pub(super) watch: PassObserver,
}

/// Loads the model and partitions it without a machine: see [`partition_on`].
pub(super) fn partition(
    model: Option<&str>,
    plan: &Plan,
    dump: &DumpFlag,
    own: Option<&CallerModel<'_>>,
) -> Result<PartitionedModel> {
    partition_on(model, (plan, None), dump, own)
}

/// Loads the model for the inputs in a file, if one is given, and partitions it: see [`partition_on`].
pub(super) fn partition_for_inputs(
    model: Option<&str>,
    plan: &Plan,
    dump: &DumpFlag,
    (input, own): (Option<&Path>, Option<&CallerModel<'_>>),
) -> Result<PartitionedModel> {
    partition_loaded(|| program_for_inputs(model, input, own), (plan, None), dump)
}

/// Loads the model and partitions it by a plan, for a machine if one is given. Prints warnings to standard error. On an
/// internal error, writes the files to reproduce it.
pub(super) fn partition_on(
    model: Option<&str>,
    on: (&Plan, Option<&Machine>),
    dump: &DumpFlag,
    own: Option<&CallerModel<'_>>,
) -> Result<PartitionedModel> {
    partition_loaded(|| program(model, own), on, dump)
}

/// Partitions the model that `load` returns: see [`partition_on`].
fn partition_loaded(
    load: impl FnOnce() -> Result<Loaded>,
    (plan, machine): (&Plan, Option<&Machine>),
    dump: &DumpFlag,
) -> Result<PartitionedModel> {
    let dump = Dump::new(dump)?;
    let started = Instant::now();
    let Loaded { model, program, weights, fixed } = load()?;
    let import = started.elapsed().as_secs_f64();
    let mut watch = PassObserver::new(&program, dump);
    let partition = crash::guard(&program, plan, |program| compiler(program, plan, machine, &mut watch).partition())?;
    let warnings = partition.warnings();
    if !warnings.is_empty() && super::ranks::is_first() {
        eprintln!("{}\n", render(warnings, super::colours()));
    }
    Ok(PartitionedModel { fixed, model, weights, partition: partition.with_import_seconds(import), watch })
}

/// Returns a compiler for a program, a plan and an optional machine, with `watch` as the observer of its passes.
pub(super) fn compiler<'a>(
    program: &'a Program,
    plan: &Plan,
    machine: Option<&'a Machine>,
    watch: &'a mut PassObserver,
) -> Compiler<'a> {
    let compiler = Compiler::new(program).plan(plan).on_pass(|ran| watch.record(ran));
    match machine {
        Some(machine) => compiler.machine(machine),
        None => compiler,
    }
}

/// A loaded model and its weights.
pub(super) struct Loaded {
    /// Name of the model as given by the user.
    pub(super) model: String,
    pub(super) program: Program,
    pub(super) weights: Weights,
    /// Names of inputs with fixed values, which are no inputs of the program.
    pub(super) fixed: Vec<String>,
}

/// Loads the named model without values of its inputs: see [`program_for_inputs`].
///
/// # Errors
/// The errors of [`program_for_inputs`].
pub(super) fn program(model: Option<&str>, own: Option<&CallerModel<'_>>) -> Result<Loaded> {
    program_for_inputs(model, None, own)
}

/// Loads the named model. Traces the caller's model if no name or the caller's is given. Inputs that determine shapes
/// are fixed to the values in the file `input`, and a note on standard error names them.
///
/// # Errors
/// `F004` if neither a name nor a caller's model is given, and the errors of loading or tracing.
fn program_for_inputs(model: Option<&str>, input: Option<&Path>, own: Option<&CallerModel<'_>>) -> Result<Loaded> {
    let traced = |own: &CallerModel<'_>| -> Result<Loaded> {
        let (model, program) = (own.name.to_string(), (own.trace)()?);
        Ok(Loaded { model, program, weights: Weights::new(), fixed: Vec::new() })
    };
    match (model, own) {
        (None, Some(own)) => traced(own),
        (Some(name), Some(own)) if name == own.name => traced(own),
        (Some(name), _) => {
            // The file is read only if the model needs values.
            let file = OnceCell::new();
            let read = || input.map_or_else(|| Ok(Default::default()), read_tensors);
            let value = |name: &str| file.get_or_init(read).as_ref().ok()?.get(name).cloned();
            let loaded = load_with_inputs(name, &value);
            if let Some(Err(unreadable)) = file.into_inner() {
                return Err(unreadable.into());
            }
            let LoadedModel { program, weights, fixed } = loaded?;
            for (name, input) in &fixed {
                eprintln!("note: input `{name}` is fixed: `{}` needs constant {}", input.op, input.operand);
            }
            Ok(Loaded { model: name.to_string(), program, weights, fixed: fixed.into_keys().collect() })
        }
        (None, None) => Err(Diagnostic::new(Code::F004, "no model is given")
            .help("name a `.mlir`, `.onnx`, `.pt2` or `.pir` file, or a built-in model: `zoo:mlp`")
            .into()),
    }
}

/// Reads the plan file, or an empty plan if no file is given, and applies the flags.
///
/// # Errors
/// Errors of the plan file, or one error for each invalid flag.
pub(super) fn plan(flags: &PlanFlags) -> Result<Plan> {
    plan_on(Plan::default(), flags)
}

/// Reads the plan as [`plan`] does. Its default budget is the memory of the machine's smallest device.
pub(super) fn plan_for(flags: &PlanFlags, machine: Option<&(String, Machine)>) -> Result<Plan> {
    let plan = plan(flags)?;
    let memory = machine.and_then(|(said, machine)| Some((said, machine.kinds.iter().map(|kind| kind.memory).min()?)));
    Ok(match memory.filter(|_| plan.budget.is_none()) {
        Some((said, bytes)) => plan.with_machine_budget(said, bytes),
        None => plan,
    })
}

/// Loads the machine that a flag names. Returns it with its name.
pub(super) fn machine(flag: Option<&String>) -> Result<Option<(String, Machine)>> {
    flag.map(|said| Ok((said.clone(), load_machine(said)?))).transpose()
}

/// Reads the plan file, or `base` if no file is given, and applies the flags.
///
/// # Errors
/// The errors of [`plan`].
pub(super) fn plan_on(base: Plan, flags: &PlanFlags) -> Result<Plan> {
    let mut plan = match &flags.plan {
        Some(path) => Plan::from_toml(&Source::new(path.display().to_string(), read_text(path)?))?,
        None => base,
    };
    let read = flags.values().map(|(key, value)| plan.read_flag(key, value));
    let errors: Vec<Diagnostic> = read.filter_map(std::result::Result::err).collect();
    if errors.is_empty() { Ok(plan) } else { Err(Error(errors)) }
}
