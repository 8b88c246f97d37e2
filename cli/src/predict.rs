//! `predict`: the examples of a file, answered by a trained model.

use super::args::{PredictArgs, TrainedFlags};
use super::model::{Loaded, plan, plan_on, program};
use super::tensors::warn_of_unused;
use super::{Outcome, Own, crash, devices};
use partita::predict::{Predictor, Saved};
use partita::report::{Align, Table};
use partita::{Error, Result};
use partita_ir::diag::{Code, Diagnostic, shell_word};
use partita_runtime::io::{read_tensors, write_tensors};
use std::time::Instant;

/// Carries out `partita predict`.
pub(super) fn predict(args: &PredictArgs, own: Option<&Own<'_>>) -> Result<Outcome> {
    let mut trained = trained(&args.trained, own)?;
    let called = trained.called();
    let predictor = &mut trained.predictor;
    let given = read_tensors(&args.input)?;
    let is_unused = |name: &&String| predictor.inputs().iter().all(|input| input.name != **name);
    let unused: Vec<String> = given.keys().filter(is_unused).cloned().collect();
    let started = Instant::now();
    let answers = predictor.predict(&given)?;
    let seconds = started.elapsed().as_secs_f64();
    warn_of_unused(&args.input, &unused);
    if let Some(path) = &args.output {
        write_tensors(path, answers.iter().map(|(name, tensor)| (name.clone(), tensor)))?;
    }
    let mut table = Table::new([("output", Align::Left), ("type", Align::Left)]);
    for (name, tensor) in &answers {
        table.row([name.clone(), tensor.ty.to_string()]);
    }
    let examples = answers.values().next().map_or(0, |tensor| tensor.ty.shape[0]);
    let devices = devices(predictor.partition().device_count());
    let title = format!("{called}: {examples} examples on {devices} in {seconds:.2} s");
    let compared = if args.trained.compare { compared(predictor)? } else { String::new() };
    Ok(Outcome::from(format!("{title}\n\n{table}{compared}")))
}

/// Latency and throughput in the stages of the plan, and in one stage.
pub(super) fn compared(predictor: &mut Predictor) -> Result<String> {
    let stages = predictor.stage_count();
    let mut lines = format!("{stages} stage{}: {}\n", if stages == 1 { "" } else { "s" }, predictor.measure()?);
    if stages > 1 {
        lines += &format!("1 stage: {}\n", predictor.in_one_stage()?.measure()?);
    }
    Ok(lines)
}

/// A model that is ready to answer.
pub(super) struct Trained {
    /// What the user, or else the checkpoint, calls it.
    pub(super) name: String,
    pub(super) predictor: Predictor,
    /// Where its parameters come from, and of which step they are; nothing when the model brought them along.
    pub(super) checkpoint: Option<(String, u64)>,
}

impl Trained {
    /// Its name, and how far it was trained.
    pub(super) fn called(&self) -> String {
        let step = self.checkpoint.as_ref().map(|(_, step)| format!(", step {step}"));
        format!("{}{}", self.name, step.unwrap_or_default())
    }
}

/// The model and the plan that are named, or those of the checkpoint.
pub(super) fn trained(flags: &TrainedFlags, own: Option<&Own<'_>>) -> Result<Trained> {
    let Some(path) = &flags.checkpoint else { return with_own_weights(flags, own) };
    let saved = Saved::find(path)?;
    let named = match (&flags.model, own) {
        (Some(model), _) => Some(model.as_str()),
        (None, Some(_)) => None,
        (None, None) => Some(saved.built_in_model().map_err(|e| name_it(e, &saved))?),
    };
    let Loaded { model: name, program, .. } = program(named, own)?;
    let is_own_plan = flags.plan.plan.is_some() || flags.plan.has("mesh");
    let plan = if is_own_plan { plan(&flags.plan)? } else { plan_on(saved.plan()?, &flags.plan)? };
    let predictor = crash::guard(&program, &plan, |program| Predictor::new(program, &plan, &saved))?;
    Ok(Trained { name, predictor, checkpoint: Some((saved.path().display().to_string(), saved.step())) })
}

/// The error with the command that names the model of a checkpoint.
fn name_it(mut error: Error, saved: &Saved) -> Error {
    let words: Vec<String> = std::env::args().skip(1).map(|word| shell_word(&word).into_owned()).collect();
    let (verb, flags) = words.split_first().map_or(("predict", &[][..]), |(verb, flags)| (verb.as_str(), flags));
    let command =
        [&["partita".to_owned(), verb.to_owned(), shell_word(saved.model()).into_owned()], flags].concat().join(" ");
    error.0 = error.0.into_iter().map(|e| e.help(format!("if you trust that file, name it: `{command}`"))).collect();
    error
}

/// A model that brings its weights along, and the plan of the flags.
fn with_own_weights(flags: &TrainedFlags, own: Option<&Own<'_>>) -> Result<Trained> {
    if flags.model.is_none() && own.is_none() {
        let error = Diagnostic::new(Code::F004, "neither a model nor a checkpoint is named");
        return Err(error.help("name an `.onnx` file, or what `partita train` saved: `--checkpoint PATH`").into());
    }
    let Loaded { model: name, program, weights } = program(flags.model.as_deref(), own)?;
    let plan = plan(&flags.plan)?;
    let predictor = crash::guard(&program, &plan, |program| Predictor::with_weights(program, &plan, &weights))?;
    Ok(Trained { name, predictor, checkpoint: None })
}
