//! The order of all passes.

use crate::driver::variant::Variant;
use crate::driver::{Findings, Input, Pass, Passes, Pipeline};
use crate::import::canonicalise::Canonicalise;
use crate::import::raise::Raise;
use crate::import::simplify::Simplify;
use crate::optimising::collectives::Collectives;
use crate::optimising::dce::Dce;
use crate::partitioning;
use crate::planning::apply_plan::ApplyPlan;
use crate::planning::propagate::Propagate;
use crate::planning::remat::Remat;
use crate::precision::Precision;
use crate::precision::quantise::Quantise;
use crate::training::differentiate::train::MakeTraining;
use crate::training::freeze::Freeze;
use crate::training::micro_batches::InParts;
use crate::training::phases::InferPhases;
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// A point on the way of a program from a model to one device's program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Milestone {
    /// The model as it was traced.
    Model,
    /// The program to compute, on however many devices: the training step, if the plan asks for one.
    Step,
    /// The step with the mesh and the layouts that the plan states.
    Annotated,
    /// The step with a layout for every value.
    LaidOut,
    /// The step with every change of layout written out.
    Explicit,
    /// The program of one device.
    Local,
}

impl Milestone {
    /// The point at which a program in that form is, if nothing else is known of it.
    pub fn of(form: Form) -> Milestone {
        match form {
            Form::Traced => Milestone::Model,
            Form::Planned => Milestone::LaidOut,
            Form::Explicit => Milestone::Explicit,
            Form::Local => Milestone::Local,
        }
    }
}

/// The passes from one point to another, in order: none if `to` is not behind `from`.
///
/// # Errors
/// Only bugs: the forms of these passes chain.
pub fn pipeline(from: Milestone, to: Milestone, variant: Variant) -> Result<Pipeline, Diagnostic> {
    let passes = stretches(variant).into_iter().filter(|(end, _)| from < *end && *end <= to);
    Pipeline::new(passes.flat_map(|(_, passes)| passes).collect())
}

/// Makes a model the program to compute: in the precision of the plan, with its micro-batches, and as a training step
/// if the plan asks for one.
///
/// # Errors
/// Errors in the plan.
pub fn make_step(program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
    pipeline(Milestone::Model, Milestone::Step, input.variant)?.run(program, input, findings, &mut |_| Ok(()))
}

/// All passes that run without being asked for, by the point that they lead to.
fn stretches(variant: Variant) -> [(Milestone, Passes); 5] {
    let step: Passes = vec![
        Box::new(Canonicalise),
        Box::new(Raise),
        Box::new(Dce(Form::Traced)),
        Box::new(InferPhases),
        Box::new(Quantise),
        Box::new(Precision),
        Box::new(Freeze),
        Box::new(MakeTraining),
        Box::new(InParts),
        Box::new(Dce(Form::Traced)),
    ];
    let mut annotated: Passes = Vec::new();
    if variant.is_simplified {
        annotated.push(Box::new(Simplify { real: false }));
        annotated.push(Box::new(Dce(Form::Traced)));
    }
    annotated.push(Box::new(ApplyPlan));
    let (mut explicit, local) = partitioning::passes(variant);
    explicit.insert(0, Box::new(Remat));
    [
        (Milestone::Step, step),
        (Milestone::Annotated, annotated),
        (Milestone::LaidOut, vec![Box::new(Propagate)]),
        (Milestone::Explicit, explicit),
        (Milestone::Local, local),
    ]
}

/// Every pass that runs without being asked for, in order.
fn all() -> impl Iterator<Item = Box<dyn Pass>> {
    stretches(Variant::default()).into_iter().flat_map(|(_, passes)| passes)
}

/// Passes that run when they are asked for, and where the search finds that a step is faster with them: `simplify`
/// changes what sums may flow through, and by that some steps become slower.
fn on_demand() -> Passes {
    vec![Box::new(Simplify { real: false }), Box::new(Simplify { real: true }), Box::new(Collectives)]
}

/// The pass of that name, to be run alone; `dce` takes programs of any form.
pub fn pass(name: &str, form: Form) -> Option<Box<dyn Pass>> {
    let dce: Box<dyn Pass> = Box::new(Dce(form));
    all().filter(|p| p.info().name != "dce").chain([dce]).chain(on_demand()).find(|p| p.info().name == name)
}

/// The names of all passes, in the order in which they run, and of those that run on demand.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for pass in all().chain(on_demand()) {
        if !names.contains(&pass.info().name) {
            names.push(pass.info().name);
        }
    }
    names
}
