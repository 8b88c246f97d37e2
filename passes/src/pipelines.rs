//! The order of all passes.

use crate::driver::variant::Variant;
use crate::driver::{Pass, Pipeline};
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
use partita_ir::program::Form;

/// From a model as it was traced to what is to be computed, on however many devices.
fn making() -> Vec<Box<dyn Pass>> {
    vec![
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
    ]
}

/// From what is to be computed to a layout for every value.
fn planning() -> Vec<Box<dyn Pass>> {
    vec![Box::new(ApplyPlan), Box::new(Propagate), Box::new(Remat)]
}

/// From what is to be computed to less that computes the same.
fn simplifying(variant: Variant) -> Vec<Box<dyn Pass>> {
    match variant.is_simplified {
        true => vec![Box::new(Simplify { real: false }), Box::new(Dce(Form::Traced))],
        false => Vec::new(),
    }
}

/// From a traced program to a local one.
pub fn partition() -> Result<Pipeline, Diagnostic> {
    partition_from(Form::Traced)
}

/// What is to be computed with what the plan says of it.
pub fn annotate(variant: Variant) -> Result<Pipeline, Diagnostic> {
    let apply: Box<dyn Pass> = Box::new(ApplyPlan);
    Pipeline::new(simplifying(variant).into_iter().chain([apply]).collect())
}

/// From what the plan says to a layout for every value, and no thought yet about what is kept.
pub fn spread_layouts() -> Result<Pipeline, Diagnostic> {
    Pipeline::new(vec![Box::new(Propagate)])
}

/// From layouts to a local program.
pub fn spread(variant: Variant) -> Result<Pipeline, Diagnostic> {
    let remat: Box<dyn Pass> = Box::new(Remat);
    Pipeline::new([remat].into_iter().chain(partitioning::passes(variant)).collect())
}

/// From what is to be computed to a local program.
pub fn place(variant: Variant) -> Result<Pipeline, Diagnostic> {
    Pipeline::new(simplifying(variant).into_iter().chain(planning()).chain(partitioning::passes(variant)).collect())
}

/// From a program in that form to a local one: what is left of [`partition`], which is nothing for a local program.
pub fn partition_from(form: Form) -> Result<Pipeline, Diagnostic> {
    Pipeline::new(all().skip_while(|pass| pass.info().needs != form).collect())
}

/// From a model as it was traced to what is to be computed: the training step, if the plan asks for one.
pub fn make() -> Result<Pipeline, Diagnostic> {
    Pipeline::new(making())
}

/// Every pass that runs without a choice among the search, in order.
fn all() -> impl Iterator<Item = Box<dyn Pass>> {
    making().into_iter().chain(planning()).chain(partitioning::passes(Variant::default()))
}

/// Passes that run when they are asked for, and where the search finds that a step is faster with them: `simplify`
/// changes what sums may flow through, and by that some steps become slower.
fn on_demand() -> Vec<Box<dyn Pass>> {
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
