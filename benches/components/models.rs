//! The programs that components are measured on.

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

/// Layers of the models.
pub fn depths() -> &'static [u32] {
    if is_short() { &[2] } else { &[2, 8, 32] }
}

/// A GPT of narrow layers.
pub fn gpt(layers: u32) -> Program {
    built_in(&format!("zoo:gpt?layers={layers}&width=64&heads=8&hidden=256&seq=128&vocab=128&batch=8"))
}

/// The built-in model of that name.
pub fn built_in(spec: &str) -> Program {
    expected(partita_models::program(spec).map_err(first))
}

/// The machine that models are planned for: eight devices.
pub fn machine() -> Machine {
    expected(Machine::named("dgx-a100"))
}

/// The mesh of plans for the GPT.
pub fn mesh() -> Mesh {
    expected(Mesh::new([("data", 2), ("model", 4)]))
}

/// The input of passes that carry out a plan on the machine.
pub fn context(plan: Plan) -> Input {
    Input { machine: Some(Arc::new(machine())), ..Input::with_plan(plan) }
}

/// A plan for training that freezes a layer, narrows, recomputes and buckets.
pub fn training() -> Plan {
    let plan = Plan::new(mesh()).preset("megatron,sequence,zero1").train("adamw").precision("**", "bf16");
    plan.freeze("blocks.0.**").remat("**", "full").bucket("64 KiB")
}

/// The GPT of so many layers as a training step, before anything is laid out.
pub fn step(layers: u32) -> Program {
    let (mut step, input, mut findings) = (gpt(layers), context(training()), Findings::default());
    expected(pipelines::make_step(&mut step, &input, &mut findings).map_err(first));
    step
}

/// A file of the tests' data.
pub fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The first of several diagnostics.
pub fn first(errors: Vec<Diagnostic>) -> String {
    errors.first().map_or_else(|| "no reason".to_owned(), Diagnostic::to_string)
}

/// What a benchmark cannot do without.
pub fn expected<T, E: Display>(found: Result<T, E>) -> T {
    found.unwrap_or_else(|e| panic!("{e}"))
}
