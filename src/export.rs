//! Exports of plans to other frameworks: JAX, PyTorch, Transformers, and launch options of Megatron-LM, torchtitan,
//! DeepSpeed and nanotron.
//!
//! The rules of a [`Target`] decide whether it can express a plan; a search for the target uses the same rules. A plan
//! that it cannot express is an error, which names the parts in question, the nearest plan that the target can express,
//! and the cost of both. [`ExportRequest::nearest`] exports the nearest plan instead.
//!
//! ```
//! use partita::export::{ExportRequest, export};
//! use partita::prelude::*;
//! use partita::search::Target;
//!
//! # fn main() -> partita::Result<()> {
//! let program = partita::load("zoo:mlp")?;
//! let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)])?).preset("data,megatron");
//! let file = export(&program, &plan, &ExportRequest::new(Target::Dtensor))?;
//! assert!(file.text.contains("ColwiseParallel"));
//! # Ok(()) }
//! ```

mod deepspeed;
mod dtensor;
mod jax;
mod launch_settings;
mod left_open;
mod megatron;
mod nanotron;
mod nearest;
mod placements;
mod python_text;
mod styles;
mod torchtitan;
mod tp_plan;

use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::search::Target;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Program};
use partita_machine::Machine;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::planning::name_dims::DimClasses;
use partita_search::target::{Obstacle, TargetRules};
pub use placements::{Placement, placements};

/// Options of an export.
#[derive(Clone, Copy, Debug)]
pub struct ExportRequest<'a> {
    /// Framework that executes the plan.
    pub target: Target,
    /// Name of the model in the exported text. `None` for that of the program.
    pub model: Option<&'a str>,
    /// Machine on which steps of the plan and of the nearest one are predicted.
    pub machine: Option<&'a Machine>,
    /// True to export the nearest plan that the target can express.
    pub nearest: bool,
}

impl ExportRequest<'_> {
    /// Creates a request without a machine, which accepts no other plan.
    pub fn new(target: Target) -> ExportRequest<'static> {
        ExportRequest { target, model: None, machine: None, nearest: false }
    }
}

/// A plan in the terms of a framework.
#[derive(Clone, PartialEq, Debug)]
pub struct Export {
    /// The exported file: Python, a shell script, TOML, JSON or YAML.
    pub text: String,
    /// The same as JSON. `None` for launch options.
    pub json: Option<String>,
    /// The exported plan: that of the user, or the nearest one.
    pub plan: Plan,
    /// Changes between the plan of the user and the exported one. Empty if they are equal.
    pub changes: Vec<String>,
}

/// Exports a plan of a traced program.
///
/// # Errors
/// Errors in the plan, `G001` for a program that already has layouts, and `L019` for a plan that the target cannot
/// express, unless the nearest plan is requested and exists.
pub fn export(program: &Program, plan: &Plan, request: &ExportRequest<'_>) -> Result<Export> {
    let own = Candidate::new(program, plan, request.target)?;
    if own.obstacles.is_empty() {
        return Ok(own.emit(program, request, Vec::new()));
    }
    let nearest = nearest::find(program, &own, request.target);
    match nearest {
        Some((candidate, changes)) if request.nearest => Ok(candidate.emit(program, request, changes)),
        nearest => Err(nearest::error(program, &own, nearest.as_ref(), request).into()),
    }
}

/// A plan applied to a program, and the parts of it that a target cannot express.
struct Candidate {
    plan: Plan,
    rules: TargetRules,
    partition: Partition,
    obstacles: Vec<Obstacle>,
}

impl Candidate {
    /// Applies a plan and examines it.
    ///
    /// # Errors
    /// Errors in the plan, and `G001` for a program that already has layouts.
    fn new(program: &Program, plan: &Plan, target: Target) -> Result<Candidate> {
        if program.form > Form::Traced {
            let title = format!("`{}` is {} already, and has no plan to export", program.source, program.form.name());
            let error = Diagnostic::new(Code::G001, title);
            return Err(error.help("export a plan of the traced program").into());
        }
        let partition = Compiler::new(program).plan(plan).partition()?;
        let whole = Plan::from_annotations(program)?.then(plan.clone());
        let rules = rules(program, plan, target)?;
        let mut obstacles = rules.of_plan(&whole);
        if obstacles.is_empty() {
            obstacles = rules.of_pipeline(&whole, partition.stages()?);
        }
        Ok(Candidate { plan: plan.clone(), rules, partition, obstacles })
    }

    /// Writes the plan in the terms of the target.
    fn emit(self, program: &Program, request: &ExportRequest<'_>, changes: Vec<String>) -> Export {
        let model = request.model.unwrap_or(&program.source);
        let subject = Subject {
            model,
            plan: &self.plan,
            rules: &self.rules,
            partition: &self.partition,
            program,
            target: request.target,
        };
        let (text, json) = match request.target {
            Target::Jax => jax::emit(&subject),
            Target::Dtensor => dtensor::emit(&subject),
            Target::TpPlan => tp_plan::emit(&subject),
            Target::Megatron => (megatron::emit(&subject), None),
            Target::Torchtitan => (torchtitan::emit(&subject), None),
            Target::Deepspeed => (deepspeed::emit(&subject), None),
            Target::Nanotron => (nanotron::emit(&subject), None),
        };
        Export { text, json, plan: self.plan, changes }
    }
}

/// Returns the rules of a target for a program and the step that a plan makes of it.
fn rules(program: &Program, plan: &Plan, target: Target) -> Result<TargetRules> {
    let mut step = program.clone();
    let input = Input::with_plan(plan.clone().without_pipeline());
    pipelines::build_step(&mut step, &input, &mut Findings::default())?;
    Ok(TargetRules::new(target, program, &step, &DimClasses::new(&step)))
}

/// A plan to write in the terms of a framework.
#[derive(Clone, Copy)]
struct Subject<'a> {
    /// Name of the model.
    model: &'a str,
    plan: &'a Plan,
    rules: &'a TargetRules,
    partition: &'a Partition,
    /// The traced program.
    program: &'a Program,
    target: Target,
}

impl Subject<'_> {
    /// Returns the head of an exported file: the model, the target, and the settings that the file leaves to the user,
    /// one per line.
    fn head(&self) -> Vec<String> {
        let version = env!("CARGO_PKG_VERSION");
        let framework = self.target.framework();
        let mut lines = vec![format!("Plan of `{}` for {framework}, exported by partita {version}.", self.model)];
        lines.extend(left_open::settings(self.plan, self.target));
        lines
    }
}

/// Formats lines as comments.
fn comments(lines: &[String], mark: &str) -> String {
    lines.iter().map(|line| if line.is_empty() { format!("{mark}\n") } else { format!("{mark} {line}\n") }).collect()
}
