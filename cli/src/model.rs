//! From arguments to a model, a plan and a partition.

use super::Own;
use super::args::{DumpFlag, PlanFlags};
use super::crash;
use super::passes::{Dump, Watch};
use crate::render::render;
use partita::Compiler;
use partita::Partition;
use partita::{Error, Result};
use partita::{load_machine, load_with_weights};
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::input_file::read_text;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Weights;
use partita_machine::Machine;
use std::time::Instant;

/// A partition, and what was seen on the way.
pub(super) struct Planned {
    /// What the user calls the model.
    pub(super) model: String,
    /// The data that the model came with.
    pub(super) weights: Weights,
    pub(super) partition: Partition,
    pub(super) watch: Watch,
}

/// Loads the model and partitions it.
pub(super) fn partition(model: Option<&str>, plan: &Plan, dump: &DumpFlag, own: Option<&Own<'_>>) -> Result<Planned> {
    partition_on(model, (plan, None), dump, own)
}

/// The same for a machine, if one is known.
pub(super) fn partition_on(
    model: Option<&str>,
    (plan, machine): (&Plan, Option<&Machine>),
    dump: &DumpFlag,
    own: Option<&Own<'_>>,
) -> Result<Planned> {
    let dump = Dump::new(dump)?;
    let started = Instant::now();
    let Loaded { model, program, weights } = program(model, own)?;
    let import = started.elapsed().as_secs_f64();
    let mut watch = Watch::new(&program, dump);
    let partition = crash::guard(&program, plan, |program| compiler(program, plan, machine, &mut watch).partition())?;
    let warnings = partition.warnings();
    if !warnings.is_empty() {
        eprintln!("{}\n", render(warnings, super::colours()));
    }
    Ok(Planned { model, weights, partition: partition.imported_in(import), watch })
}

/// What partitions the program as the plan says, for the machine if there is one, and tells `watch` of each pass.
pub(super) fn compiler<'a>(
    program: &'a Program,
    plan: &Plan,
    machine: Option<&'a Machine>,
    watch: &'a mut Watch,
) -> Compiler<'a> {
    let compiler = Compiler::new(program).plan(plan).on_pass(|ran| watch.see(ran));
    match machine {
        Some(machine) => compiler.machine(machine),
        None => compiler,
    }
}

/// A model, and the data that it came with.
pub(super) struct Loaded {
    /// What the user calls it.
    pub(super) model: String,
    pub(super) program: Program,
    pub(super) weights: Weights,
}

/// The model that is named, or the caller's own.
pub(super) fn program(model: Option<&str>, own: Option<&Own<'_>>) -> Result<Loaded> {
    let loaded = |name: &str, (program, weights)| Loaded { model: name.to_string(), program, weights };
    match (model, own) {
        (None, Some(own)) => Ok(loaded(own.name, ((own.trace)()?, Weights::new()))),
        (Some(name), Some(own)) if name == own.name => Ok(loaded(name, ((own.trace)()?, Weights::new()))),
        (Some(name), _) => Ok(loaded(name, load_with_weights(name)?)),
        (None, None) => Err(Diagnostic::new(Code::F004, "no model is named")
            .help("name a `.mlir`, `.onnx` or `.pir` file, or a built-in model: `zoo:mlp`")
            .into()),
    }
}

/// The plan file with the flags behind it. Every flag that cannot be read is reported, not only the first.
pub(super) fn plan(flags: &PlanFlags) -> Result<Plan> {
    plan_on(Plan::default(), flags)
}

/// The same on a machine: what its smallest device has is the budget, if the plan says none.
pub(super) fn plan_for(flags: &PlanFlags, machine: Option<&(String, Machine)>) -> Result<Plan> {
    let plan = plan(flags)?;
    let memory = machine.and_then(|(said, machine)| Some((said, machine.kinds.iter().map(|kind| kind.memory).min()?)));
    Ok(match memory.filter(|_| plan.budget.is_none()) {
        Some((said, bytes)) => plan.budget_of(said, bytes),
        None => plan,
    })
}

/// The machine that a flag names, with its name.
pub(super) fn machine(flag: Option<&String>) -> Result<Option<(String, Machine)>> {
    flag.map(|said| Ok((said.clone(), load_machine(said)?))).transpose()
}

/// The same, with flags added to that plan when no file is given.
pub(super) fn plan_on(base: Plan, flags: &PlanFlags) -> Result<Plan> {
    let mut plan = match &flags.plan {
        Some(path) => Plan::from_toml(&Source::new(path.display().to_string(), read_text(path)?))?,
        None => base,
    };
    let read = flags.values().map(|(key, value)| plan.read_flag(key, value));
    let errors: Vec<Diagnostic> = read.filter_map(std::result::Result::err).collect();
    if errors.is_empty() { Ok(plan) } else { Err(Error(errors)) }
}
