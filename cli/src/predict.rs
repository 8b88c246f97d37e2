//! `predict`: runs a trained model on the examples of a file.

use super::args::{PredictArgs, TrainedFlags};
use super::model::{Loaded, plan, plan_on, program};
use super::tensors::warn_of_unused;
use super::{CallerModel, Outcome, crash, devices, ranks};
use partita::predict::{Predictor, TrainedCheckpoint};
use partita::report::{Align, Table};
use partita::{Error, Result};
use partita_ir::diag::{Code, Diagnostic, shell_word};
use partita_runtime::io::{read_tensors, write_tensors};
use std::time::Instant;

/// Runs `partita predict`.
pub(super) fn predict(args: &PredictArgs, own: Option<&CallerModel<'_>>) -> Result<Outcome> {
    let mut trained = load_predictor(&args.trained, own)?;
    let called = trained.title();
    if let Some(processes) = ranks::connect_until_stopped(&args.ranks)? {
        ranks::allow_native_collectives(&processes, args.exact)?;
        ranks::agree_on(trained.predictor.partition(), &processes)?;
        trained.predictor = trained.predictor.on_processes(processes)?;
    }
    let predictor = &mut trained.predictor;
    let given = read_tensors(&args.input)?;
    let is_unused = |name: &&String| predictor.inputs().iter().all(|input| input.name != **name);
    let unused: Vec<String> = given.keys().filter(is_unused).cloned().collect();
    let started = Instant::now();
    let answers = predictor.predict(&given)?;
    let seconds = started.elapsed().as_secs_f64();
    if ranks::is_first() {
        warn_of_unused(&args.input, &unused);
    }
    if let Some(path) = args.output.as_ref().filter(|_| ranks::is_first()) {
        write_tensors(path, answers.iter().map(|(name, tensor)| (name.clone(), tensor)))?;
    }
    let mut table = Table::new([("output", Align::Left), ("type", Align::Left)]);
    for (name, tensor) in &answers {
        table.row([name.clone(), tensor.ty.to_string()]);
    }
    let examples = answers.values().next().map_or(0, |tensor| tensor.ty.shape[0]);
    let devices = devices(predictor.partition().device_count());
    let title = format!("{called}: {examples} examples on {devices} in {seconds:.2} s");
    let compared = if args.trained.compare { latency_comparison(predictor)? } else { String::new() };
    let collectives = ranks::collectives_text();
    Ok(Outcome::from(format!("{title}\n\n{table}{compared}{collectives}")))
}

/// Measures latency and throughput with the stages of the plan, and with one stage.
pub(super) fn latency_comparison(predictor: &mut Predictor) -> Result<String> {
    let stages = predictor.stage_count();
    let mut lines = format!("{stages} stage{}: {}\n", if stages == 1 { "" } else { "s" }, predictor.measure()?);
    if stages > 1 {
        lines += &format!("1 stage: {}\n", predictor.in_one_stage()?.measure()?);
    }
    Ok(lines)
}

/// A trained model, ready for inference.
pub(super) struct LoadedPredictor {
    /// Name of the model, given by the user or the checkpoint.
    pub(super) name: String,
    pub(super) predictor: Predictor,
    /// Path and step of the checkpoint. `None` for a model with weights.
    pub(super) checkpoint: Option<(String, u64)>,
}

impl LoadedPredictor {
    /// Formats the name of the model and the training step.
    pub(super) fn title(&self) -> String {
        let step = self.checkpoint.as_ref().map(|(_, step)| format!(", step {step}"));
        format!("{}{}", self.name, step.unwrap_or_default())
    }
}

/// Loads the predictor of a checkpoint, or of a model with weights if no checkpoint is given. The model and the plan
/// are those of the flags, or else those of the checkpoint.
pub(super) fn load_predictor(flags: &TrainedFlags, own: Option<&CallerModel<'_>>) -> Result<LoadedPredictor> {
    let Some(path) = &flags.checkpoint else { return with_own_weights(flags, own) };
    let saved = TrainedCheckpoint::open(path)?;
    let named = match (&flags.model, own) {
        (Some(model), _) => Some(model.as_str()),
        (None, Some(_)) => None,
        (None, None) => Some(saved.built_in_model().map_err(|e| name_it(e, &saved))?),
    };
    let Loaded { model: name, program, .. } = program(named, own)?;
    let is_own_plan = flags.plan.plan.is_some() || flags.plan.has("mesh");
    let plan = if is_own_plan { plan(&flags.plan)? } else { plan_on(saved.plan()?, &flags.plan)? };
    let predictor = crash::guard(&program, &plan, |program| Predictor::new(program, &plan, &saved))?;
    Ok(LoadedPredictor { name, predictor, checkpoint: Some((saved.path().display().to_string(), saved.step())) })
}

/// Adds a help with the command that explicitly names the model of the checkpoint.
fn name_it(mut error: Error, saved: &TrainedCheckpoint) -> Error {
    let words: Vec<String> = std::env::args().skip(1).map(|word| shell_word(&word).into_owned()).collect();
    let (verb, flags) = words.split_first().map_or(("predict", &[][..]), |(verb, flags)| (verb.as_str(), flags));
    let command =
        [&["partita".to_owned(), verb.to_owned(), shell_word(saved.model()).into_owned()], flags].concat().join(" ");
    error.0 = error.0.into_iter().map(|e| e.help(format!("if you trust the file, name it: `{command}`"))).collect();
    error
}

/// Loads the predictor of a model with weights, with the plan of the flags.
fn with_own_weights(flags: &TrainedFlags, own: Option<&CallerModel<'_>>) -> Result<LoadedPredictor> {
    if flags.model.is_none() && own.is_none() {
        let error = Diagnostic::new(Code::F004, "neither a model nor a checkpoint is given");
        return Err(error
            .help("name an `.onnx` or `.pt2` file, or what `partita train` saved: `--checkpoint PATH`")
            .into());
    }
    let Loaded { model: name, program, weights, .. } = program(flags.model.as_deref(), own)?;
    let plan = plan(&flags.plan)?;
    let predictor = crash::guard(&program, &plan, |program| Predictor::with_weights(program, &plan, &weights))?;
    Ok(LoadedPredictor { name, predictor, checkpoint: None })
}
