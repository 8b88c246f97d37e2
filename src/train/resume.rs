//! Check that a checkpoint is resumed with the same model, data, seed and training options. The mesh, presets, stages
//! and micro-batches may change.

use super::Trainer;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::plan::train::{BaseBatch, BatchScaling, LossScaling, Optimizer, RateSchedule, TrainConfig};
use partita_ir::plan::{Plan, SourceText};
use partita_ir::program::Program;
use partita_ir::text;
use partita_runtime::cache::fingerprint;
use partita_runtime::checkpoint::{Origin, Progress};
use std::path::Path;

/// Computes the fingerprints of the model and the data. Must be called before the data is scaled, by all processes.
///
/// # Errors
/// Errors of the file of the data set, and of other processes.
pub(super) fn fingerprints(trainer: &Trainer) -> Result<Origin, Diagnostic> {
    let mut data = 0;
    for (name, field) in trainer.data.fields() {
        let head = fingerprint(data, format!("{name} {}", field.ty).as_bytes());
        data = field.fingerprint(head, trainer.processes.as_deref())?;
    }
    Ok(Origin {
        program: fingerprint(0, text::print(&without_layouts(&trainer.model)).as_bytes()),
        data,
        data_name: trainer.data.name.clone(),
        validate: trainer.validate,
    })
}

/// Returns the model without layouts, since the plan may change them, and without initializers.
fn without_layouts(model: &Program) -> Program {
    let mut program = model.clone();
    program.meshes = Default::default();
    program.values.values_mut().for_each(|value| value.layout = None);
    program.params.values_mut().for_each(|param| param.init = None);
    program
}

/// Returns the differences from the run of a checkpoint, as clauses such as `the seed was 1 and is 2`. `plan` is the
/// plan of the resumed run. Without a requested seed, the seed of the checkpoint is used and not compared. A checkpoint
/// without fingerprints is not compared by model and data.
pub(super) fn changes(before: &Progress, trainer: &Trainer, plan: &Plan, now: &Origin) -> Vec<String> {
    let mut changes = Vec::new();
    let mut compare = |what: &str, before: String, now: String| {
        if before != now {
            changes.push(format!("the {what} was {before} and is {now}"));
        }
    };
    if let Some(seed) = trainer.seed {
        compare("seed", before.seed.to_string(), seed.to_string());
    }
    let old = Plan::from_toml(&Source::new("checkpoint", before.plan.as_str())).map(|plan| plan.train);
    match (old.ok().flatten(), &plan.train) {
        (Some(old), Some(new)) => match (TrainConfig::parse(&old), TrainConfig::parse(new)) {
            (Ok(old), Ok(new)) => {
                for ((what, old), (_, new)) in training_options(&old).into_iter().zip(training_options(&new)) {
                    compare(what, old, new);
                }
            }
            _ => compare("training configuration", quoted(&old), quoted(new)),
        },
        (None, Some(new)) => compare("training configuration", "those of the program".into(), quoted(new)),
        (Some(old), None) => compare("training configuration", quoted(&old), "those of the program".into()),
        (None, None) => {}
    }
    let Some(then) = &before.origin else { return changes };
    compare("held-out share", then.validate.to_string(), now.validate.to_string());
    if then.program != now.program {
        let name = trainer.model.source.as_str();
        changes.push(match before.model == name {
            true => format!("the model `{name}` has different operations or sizes than before"),
            false => format!("the model was `{}` and is `{name}`", before.model),
        });
    }
    if then.data != now.data {
        changes.push(match then.data_name == now.data_name {
            true => format!("the data set `{}` has different samples than before", now.data_name),
            false => format!("the data set was `{}` and is `{}`", then.data_name, now.data_name),
        });
    }
    changes
}

/// Returns the error `K007` for a checkpoint of a run with other settings. `changes` must not be empty.
pub(super) fn changed_settings_error(path: &Path, changes: &[String]) -> Diagnostic {
    let title = format!("`{}` is a checkpoint of another training run", path.display());
    let error = Diagnostic::new(Code::K007, title);
    let error = changes.iter().fold(error, |error, change| error.note(change.clone()));
    error.help("train as before, or accept the changes with `--resume-with-changes`")
}

fn quoted(written: &SourceText) -> String {
    format!("`{}`", written.text)
}

/// Returns each training option that affects the result, as a name and its value in text form. The number of
/// micro-batches (`accumulate`) and the output of gradient norms (`norms`) do not affect the result. `accumulate_at` is
/// a location in the plan.
fn training_options(train: &TrainConfig) -> Vec<(&'static str, String)> {
    let TrainConfig {
        optimizer,
        rate,
        decay,
        warmup,
        schedule,
        steps,
        end,
        base_batch,
        clip,
        accumulate: _,
        scaling,
        loss,
        norms: _,
        accumulate_at: _,
    } = train;
    let number = |x: &Option<f64>| x.map_or("none".to_owned(), |x| format!("{x:?}"));
    let optimizer = match optimizer {
        Optimizer::Sgd => "sgd".to_owned(),
        Optimizer::Momentum { beta, nesterov } => format!("momentum (beta {beta:?}, nesterov {nesterov})"),
        Optimizer::Adam { beta1, beta2, eps } => format!("adam (beta1 {beta1:?}, beta2 {beta2:?}, eps {eps:?})"),
    };
    let schedule = match schedule {
        RateSchedule::Constant => "constant".to_owned(),
        RateSchedule::Linear => format!("linear over {steps} steps to {end}"),
        RateSchedule::Cosine => format!("cosine over {steps} steps to {end}"),
    };
    let base_batch = match base_batch {
        None => "none".to_owned(),
        Some(BaseBatch { samples, scaling: BatchScaling::Linear, at: _ }) => format!("{samples} (linear)"),
        Some(BaseBatch { samples, scaling: BatchScaling::Sqrt, at: _ }) => format!("{samples} (sqrt)"),
    };
    let scaling = match scaling {
        None => "that of the precision".to_owned(),
        Some(LossScaling::None) => "none".to_owned(),
        Some(LossScaling::Static(by)) => format!("{by:?}"),
        Some(LossScaling::Dynamic) => "dynamic".to_owned(),
    };
    let loss = loss.as_ref().map_or("the first output".to_owned(), |(name, _)| format!("`{name}`"));
    vec![
        ("optimizer", optimizer),
        ("learning rate", format!("{rate:?}")),
        ("weight decay", format!("{decay:?}")),
        ("warm-up", format!("{warmup} steps")),
        ("schedule", schedule),
        ("base batch of the learning rate", base_batch),
        ("clipping norm", number(clip)),
        ("loss scale", scaling),
        ("loss", loss),
    ]
}
