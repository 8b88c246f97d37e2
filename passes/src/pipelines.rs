//! The order of all passes.

use crate::driver::variant::Variant;
use crate::driver::{Findings, Input, Pass, PassInfo, Passes, Pipeline};
use crate::import::block_slices::BlockSlices;
use crate::import::canonicalise::Canonicalise;
use crate::import::raise::Raise;
use crate::import::simplify::Simplify;
use crate::import::unsort::Unsort;
use crate::optimising::collectives::Collectives;
use crate::optimising::dce::Dce;
use crate::partitioning;
use crate::planning::apply_plan::ApplyPlan;
use crate::planning::interleave::Interleave;
use crate::planning::name_layers::NameLayers;
use crate::planning::propagate::Propagate;
use crate::planning::remat::Remat;
use crate::precision::Precision;
use crate::precision::quantise::Quantise;
use crate::training::differentiate::train::BuildTrainingStep;
use crate::training::freeze::Freeze;
use crate::training::micro_batches::SplitMicroBatches;
use crate::training::phases::InferPhases;
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Form, Program};

/// A milestone on the way from a traced model to the program of one device.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Milestone {
    /// The model as traced.
    Model,
    /// The program to compute, before it has a mesh. This is the training step if the plan asks for one.
    Step,
    /// The step with the mesh and the layouts that the plan states.
    Annotated,
    /// The step with a layout for every value.
    LaidOut,
    /// The step with explicit resharding ops.
    Explicit,
    /// The program of one device.
    Local,
}

impl Milestone {
    /// Returns the milestone of a program in this form.
    pub fn from_form(form: Form) -> Milestone {
        match form {
            Form::Traced => Milestone::Model,
            Form::Planned => Milestone::LaidOut,
            Form::Explicit => Milestone::Explicit,
            Form::Local => Milestone::Local,
        }
    }
}

/// Returns the passes from one milestone to another, in order. Empty if `to` does not come after `from`.
///
/// # Errors
/// Internal errors only: the forms of these passes are compatible.
pub fn pipeline(from: Milestone, to: Milestone, variant: Variant) -> Result<Pipeline, Diagnostic> {
    let passes = passes_by_milestone(variant).into_iter().filter(|(end, _)| from < *end && *end <= to);
    Pipeline::new(passes.flat_map(|(_, passes)| passes).collect())
}

/// Turns a model into the program to compute: applies the precision, training step and micro-batches of the plan.
///
/// # Errors
/// Errors in the plan.
pub fn build_step(program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
    pipeline(Milestone::Model, Milestone::Step, input.variant)?.run(program, input, findings, &mut |_| Ok(()))
}

/// Removes redundant ops of a step, as the variants of a lowering [that are simplified](Variant::is_simplified).
///
/// # Errors
/// Internal errors only.
pub fn simplify(program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
    Pipeline::new(simplifying_passes())?.run(program, input, findings, &mut |_| Ok(()))
}

/// Normalises a model: runs the passes of [`build_step`] that depend on the model alone, which skips them afterwards.
///
/// # Errors
/// Returns errors in the model.
pub fn normalise(program: &mut Program) -> Result<(), Vec<Diagnostic>> {
    let (input, mut findings) = (Input::default(), Findings::default());
    Pipeline::new(normalising_passes())?.run(program, &input, &mut findings, &mut |_| Ok(()))?;
    program.is_normalised = true;
    Ok(())
}

/// A pass that depends on the model alone.
struct Normalising(Box<dyn Pass>);

impl Pass for Normalising {
    fn info(&self) -> PassInfo {
        self.0.info()
    }

    fn applies(&self, program: &Program, input: &Input, findings: &Findings) -> bool {
        !program.is_normalised && self.0.applies(program, input, findings)
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        self.0.run(program, input, findings)
    }
}

/// Returns the passes that depend on the model alone, in order.
fn normalising_passes() -> Passes {
    let passes: Passes = vec![
        Box::new(Canonicalise),
        Box::new(Raise),
        Box::new(BlockSlices),
        Box::new(Unsort),
        Box::new(Interleave),
        Box::new(Dce(Form::Traced)),
        Box::new(InferPhases),
        Box::new(NameLayers),
    ];
    passes.into_iter().map(|pass| Box::new(Normalising(pass)) as Box<dyn Pass>).collect()
}

/// Returns the passes that remove redundant ops of a step, in order.
fn simplifying_passes() -> Passes {
    vec![Box::new(Simplify { real: false }), Box::new(Dce(Form::Traced))]
}

/// Returns the default passes in order, grouped by the milestone that they lead to.
fn passes_by_milestone(variant: Variant) -> [(Milestone, Passes); 5] {
    let mut step = normalising_passes();
    step.extend::<Passes>(vec![
        Box::new(Quantise),
        Box::new(Precision),
        Box::new(Freeze),
        Box::new(BuildTrainingStep),
        Box::new(SplitMicroBatches),
        Box::new(Dce(Form::Traced)),
    ]);
    let mut annotated = if variant.is_simplified { simplifying_passes() } else { Passes::new() };
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

/// Returns every default pass, in order.
fn default_passes() -> impl Iterator<Item = Box<dyn Pass>> {
    passes_by_milestone(Variant::default()).into_iter().flat_map(|(_, passes)| passes)
}

/// Returns the passes that are not run by default, only on request or where the plan search finds that they help.
/// `simplify` changes which ops partial sums may pass through, and this slows some steps down.
fn optional_passes() -> Passes {
    vec![Box::new(Simplify { real: false }), Box::new(Simplify { real: true }), Box::new(Collectives)]
}

/// Returns the pass with this name, to be run alone. `form` is the form of programs for `dce`, which accepts any.
pub fn pass_by_name(name: &str, form: Form) -> Option<Box<dyn Pass>> {
    let dce: Box<dyn Pass> = Box::new(Dce(form));
    default_passes()
        .filter(|p| p.info().name != "dce")
        .chain([dce])
        .chain(optional_passes())
        .find(|p| p.info().name == name)
}

/// Returns the names of all passes: the default passes in the order in which they run, then the others.
pub fn pass_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for pass in default_passes().chain(optional_passes()) {
        if !names.contains(&pass.info().name) {
            names.push(pass.info().name);
        }
    }
    names
}
