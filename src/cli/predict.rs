//! `predict`: the examples of a file, answered by a trained model.

use super::args::{PredictArgs, TrainedFlags};
use super::model::{Loaded, plan, plan_on, program};
use super::run::list;
use super::{Outcome, Own, crash};
use crate::error::Result;
use crate::predict::{Predictor, Saved};
use crate::report::{Align, Table};
use partita_runtime::io::{read_tensors, write_tensors};
use std::time::Instant;

/// Carries out `partita predict`.
pub(super) fn predict(args: &PredictArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let Trained { name, mut predictor, saved } = trained(&args.trained, own)?;
    let given = read_tensors(&args.input)?;
    let is_unused = |name: &&String| predictor.inputs().iter().all(|input| input.name != **name);
    let unused: Vec<String> = given.keys().filter(is_unused).cloned().collect();
    let started = Instant::now();
    let answers = predictor.predict(&given)?;
    let seconds = started.elapsed().as_secs_f64();
    if !unused.is_empty() {
        eprintln!("warning: {} has tensors that the model has no use for: {}", args.input.display(), list(&unused));
    }
    if let Some(path) = &args.output {
        write_tensors(path, answers.iter().map(|(name, tensor)| (name.clone(), tensor)))?;
    }
    let mut table = Table::new([("output", Align::Left), ("type", Align::Left)]);
    for (name, tensor) in &answers {
        table.row([name.clone(), tensor.ty.to_string()]);
    }
    let examples = answers.values().next().map_or(0, |tensor| tensor.ty.shape[0]);
    let (step, devices) = (saved.step(), predictor.partition().device_count());
    let title = format!("{name}, step {step}: {examples} examples on {devices} devices in {seconds:.2} s");
    Ok(Outcome::from(format!("{title}\n\n{table}")))
}

/// A model that is ready to answer.
pub(super) struct Trained {
    /// What the user, or else the checkpoint, calls it.
    pub(super) name: String,
    pub(super) predictor: Predictor,
    pub(super) saved: Saved,
}

/// The model and the plan that are named, or those of the checkpoint.
pub(super) fn trained(flags: &TrainedFlags, own: Option<&Own<'_>>) -> Result<Trained> {
    let saved = Saved::find(&flags.checkpoint)?;
    let named = flags.model.as_deref().or_else(|| own.is_none().then(|| saved.model()));
    let Loaded { model: name, program, .. } = program(named, own)?;
    let is_own_plan = flags.plan.plan.is_some() || flags.plan.mesh.is_some();
    let plan = if is_own_plan { plan(&flags.plan)? } else { plan_on(saved.plan()?, &flags.plan)? };
    let predictor = crash::guard(&program, &plan, |program| Predictor::new(program, &plan, &saved))?;
    Ok(Trained { name, predictor, saved })
}
