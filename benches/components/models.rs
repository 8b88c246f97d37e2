//! Programs on which the components are measured.

use crate::short::is_short;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Arc;

/// Numbers of layers of the measured models.
pub fn depths() -> &'static [u32] {
    if is_short() { &[2] } else { &[2, 8, 32] }
}

/// Returns a GPT with narrow layers.
pub fn gpt(layers: u32) -> Program {
    built_in(&format!("zoo:gpt?layers={layers}&width=64&heads=8&hidden=256&seq=128&vocab=128&batch=8"))
}

/// Returns the built-in model `spec`.
pub fn built_in(spec: &str) -> Program {
    unwrap_or_panic(partita_models::program(spec).map_err(first_message))
}

/// Returns the target machine, which has eight devices.
pub fn machine() -> Machine {
    unwrap_or_panic(Machine::named("dgx-a100"))
}

/// Returns the mesh of the GPT plans.
pub fn mesh() -> Mesh {
    unwrap_or_panic(Mesh::new([("data", 2), ("model", 4)]))
}

/// Returns the pass input for a plan on the target machine.
pub fn pass_input(plan: Plan) -> Input {
    Input { machine: Some(Arc::new(machine())), ..Input::with_plan(plan) }
}

/// Returns a training plan with a frozen layer, mixed precision, recomputation and gradient buckets.
pub fn training_plan() -> Plan {
    let plan = Plan::new(mesh()).preset("megatron,sequence,zero1").train("adamw").precision("**", "bf16");
    plan.freeze("blocks.0.**").remat("**", "full").bucket("64 KiB")
}

/// Returns the training step of the GPT with `layers` layers, before propagation.
pub fn training_step(layers: u32) -> Program {
    let (mut step, input, mut findings) = (gpt(layers), pass_input(training_plan()), Findings::default());
    unwrap_or_panic(pipelines::build_step(&mut step, &input, &mut findings).map_err(first_message));
    step
}

/// Returns the path of a file of the test data.
pub fn data_path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// Returns the message of the first of several diagnostics.
pub fn first_message(errors: Vec<Diagnostic>) -> String {
    errors.first().map_or_else(|| "no reason".to_owned(), Diagnostic::to_string)
}

/// Unwraps a result, or panics with its error.
pub fn unwrap_or_panic<T, E: Display>(found: Result<T, E>) -> T {
    found.unwrap_or_else(|e| panic!("{e}"))
}
