//! What must be as it was for training to go on from a checkpoint as if it had not been interrupted: the model, the
//! data, the seed, and how it is trained. The mesh, presets, stages and micro-batches may change.

use super::Trainer;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::plan::train::{BaseBatch, BatchScaling, Optimizer, Scaling, Schedule, Train};
use partita_ir::plan::{Plan, Written};
use partita_ir::program::Program;
use partita_ir::text;
use partita_runtime::cache::fingerprint;
use partita_runtime::checkpoint::{Origin, Progress};
use std::path::Path;

/// The fingerprints of what a trainer trains and on what, before the data is scaled.
pub(super) fn origin(trainer: &Trainer) -> Origin {
    let fields = trainer.data.fields().iter();
    let data = fields.fold(0, |before, (name, tensor)| {
        let head = fingerprint(before, format!("{name} {}", tensor.ty).as_bytes());
        fingerprint(head, &tensor.to_bytes())
    });
    Origin {
        program: fingerprint(0, text::print(&without_layouts(&trainer.model)).as_bytes()),
        data,
        data_name: trainer.data.name.clone(),
        validate: trainer.validate,
    }
}

/// The model without what a plan may say as well, and without initializers, which matter only once.
fn without_layouts(model: &Program) -> Program {
    let mut program = model.clone();
    program.meshes = Default::default();
    program.values.values_mut().for_each(|value| value.layout = None);
    program.params.values_mut().for_each(|param| param.init = None);
    program
}

/// What differs from the run that made a checkpoint, each a clause such as `the seed was 1 and is 2`. `plan` says how
/// training goes on.
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
        (Some(old), Some(new)) => match (Train::read(&old), Train::read(new)) {
            (Ok(old), Ok(new)) => {
                for ((what, old), (_, new)) in described(&old).into_iter().zip(described(&new)) {
                    compare(what, old, new);
                }
            }
            _ => compare("way of training", quoted(&old), quoted(new)),
        },
        (None, Some(new)) => compare("way of training", "that of the program itself".into(), quoted(new)),
        (Some(old), None) => compare("way of training", quoted(&old), "that of the program itself".into()),
        (None, None) => {}
    }
    let Some(then) = &before.origin else { return changes };
    compare("held-out share", then.validate.to_string(), now.validate.to_string());
    if then.program != now.program {
        let name = trainer.model.source.as_str();
        changes.push(match before.model == name {
            true => format!("the model `{name}` has other operations or sizes than it had"),
            false => format!("the model was `{}` and is `{name}`", before.model),
        });
    }
    if then.data != now.data {
        changes.push(match then.data_name == now.data_name {
            true => format!("the data set `{}` has other samples than it had", now.data_name),
            false => format!("the data set was `{}` and is `{}`", then.data_name, now.data_name),
        });
    }
    changes
}

/// The error for a checkpoint of a run with other settings: `changes` has at least one.
pub(super) fn refused(path: &Path, changes: &[String]) -> Diagnostic {
    let title = format!("`{}` is a checkpoint of another training run", path.display());
    let error = Diagnostic::new(Code::K007, title);
    let error = changes.iter().fold(error, |error, change| error.note(change.clone()));
    error.help("train as before, or accept what has changed with `--resume-with-changes`")
}

fn quoted(written: &Written) -> String {
    format!("`{}`", written.text)
}

/// How a model is trained: what each setting is called, and its value. In how many parts the batch goes through the
/// model and which norms are told changes nothing.
fn described(train: &Train) -> Vec<(&'static str, String)> {
    let Train {
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
        Schedule::Constant => "constant".to_owned(),
        Schedule::Linear => format!("linear over {steps} steps to {end}"),
        Schedule::Cosine => format!("cosine over {steps} steps to {end}"),
    };
    let base_batch = match base_batch {
        None => "none".to_owned(),
        Some(BaseBatch { samples, scaling: BatchScaling::Linear, at: _ }) => format!("{samples} (linear)"),
        Some(BaseBatch { samples, scaling: BatchScaling::Sqrt, at: _ }) => format!("{samples} (sqrt)"),
    };
    let scaling = match scaling {
        None => "that of the precision".to_owned(),
        Some(Scaling::None) => "none".to_owned(),
        Some(Scaling::Static(by)) => format!("{by:?}"),
        Some(Scaling::Dynamic) => "dynamic".to_owned(),
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
