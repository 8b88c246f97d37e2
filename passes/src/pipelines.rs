//! The order of passes, and the only place where it is written.

use crate::differentiate::train::MakeTraining;
use crate::import::canonicalise::Canonicalise;
use crate::import::raise::Raise;
use crate::import::simplify::Simplify;
use crate::import::training::InferPhases;
use crate::micro_batches::InParts;
use crate::optimise::bucket::Bucket;
use crate::optimise::collectives::Collectives;
use crate::optimise::dce::Dce;
use crate::optimise::precision::Precision;
use crate::optimise::quantise::Quantise;
use crate::optimise::remat::Remat;
use crate::partition::decompose::Decompose;
use crate::partition::insert_reshards::InsertReshards;
use crate::partition::localize::Localize;
use crate::partition::lower_reshards::LowerReshards;
use crate::partition::pad_reshapes::PadReshapes;
use crate::partition::split_sums::SplitSums;
use crate::pass::{Pass, Pipeline};
use crate::plan::apply_plan::ApplyPlan;
use crate::plan::freeze::Freeze;
use crate::plan::propagate::Propagate;
use crate::variants::Variant;
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

/// From layouts to one device's program.
fn partitioning(variant: Variant) -> Vec<Box<dyn Pass>> {
    let mut passes: Vec<Box<dyn Pass>> = vec![
        Box::new(SplitSums),
        Box::new(PadReshapes),
        Box::new(Decompose),
        Box::new(InsertReshards { when: variant.when }),
        Box::new(LowerReshards),
        Box::new(Dce(Form::Explicit)),
    ];
    if variant.is_rearranged {
        passes.push(Box::new(Collectives));
    }
    passes.extend([Box::new(Bucket) as Box<dyn Pass>, Box::new(Localize)]);
    passes
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

/// From a traced program with layouts to one part of the batch, as a local program.
pub fn split_batch() -> Result<Pipeline, Diagnostic> {
    let propagate: Box<dyn Pass> = Box::new(Propagate);
    Pipeline::new([propagate].into_iter().chain(partitioning(Variant::default())).collect())
}

/// From layouts to one device's program, without another thought about what is kept.
pub fn lower() -> Result<Pipeline, Diagnostic> {
    Pipeline::new(partitioning(Variant::default()))
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
    Pipeline::new([remat].into_iter().chain(partitioning(variant)).collect())
}

/// From what is to be computed to a local program.
pub fn place(variant: Variant) -> Result<Pipeline, Diagnostic> {
    Pipeline::new(simplifying(variant).into_iter().chain(planning()).chain(partitioning(variant)).collect())
}

/// From a program in that form to a local one: what is left of [`partition`], which is nothing for a local program.
pub fn partition_from(form: Form) -> Result<Pipeline, Diagnostic> {
    Pipeline::new(all().skip_while(|pass| pass.info().needs != form).collect())
}

/// From a model as it was traced to what is to be computed: the training step, if the plan asks for one.
pub fn make() -> Result<Pipeline, Diagnostic> {
    Pipeline::new(making())
}

/// Every pass that runs without a choice among [`variants`](crate::variants), in order.
fn all() -> impl Iterator<Item = Box<dyn Pass>> {
    making().into_iter().chain(planning()).chain(partitioning(Variant::default()))
}

/// Passes that run when they are asked for, and where [`variants`](crate::variants) finds that a step is faster with them: `simplify`
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
