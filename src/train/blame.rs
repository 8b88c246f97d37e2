//! Where a loss that is no number comes from.
//!
//! Training is a function of its beginning, so the steps since everything was whole are made again, and the last two of
//! them one op after the other, until an op makes something that is not finite of operands that all are.

use super::Trainer;
use super::order::{Loader, Shard};
use super::stage::Stage;
use super::work::{Good, key};
use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::diag::{Diagnostic, shell_path};
use partita_ir::interp::{NotFinite, first_not_finite};
use partita_ir::tensor::Tensor;

/// Completes an error about a step, counted from 0, or about what the one before left behind.
pub(super) fn blame(
    mut error: Diagnostic,
    trainer: &Trainer,
    stage: &Stage,
    good: &Good,
    loader: &Loader,
    step: u64,
) -> Result<Diagnostic> {
    let found = first(trainer, stage, good, loader, step)?;
    error = match &found {
        Some(found) => error.note(found.words(step)),
        None => error.note("made again one operation after the other, the step has only finite values"),
    };
    error = match &good.file {
        Some((step, _)) => error.note(format!("the last good checkpoint is that of step {step}")),
        None => error.note("there is no checkpoint"),
    };
    if found.is_some_and(|found| found.sample.is_some()) {
        return Ok(error.help("correct the data set, or leave the sample out"));
    }
    Ok(match &good.file {
        Some((_, path)) => {
            let resume = format!("`--resume {} --resume-with-changes`", shell_path(path));
            error.help(format!("lower the learning rate or clip gradients, and go on with {resume}"))
        }
        None => error.help("lower the learning rate or clip gradients: `--train \"adamw?lr=1e-4&clip=1\"`"),
    })
}

/// Where numbers went wrong.
struct Found {
    what: NotFinite,
    /// The step, counted from 0.
    step: u64,
    /// The sample, for data.
    sample: Option<usize>,
}

impl Found {
    /// What is said of it in a message about a step.
    fn words(&self, step: u64) -> String {
        let NotFinite { name, op, number, .. } = &self.what;
        let when = if self.step == step { String::new() } else { format!(", in step {}", self.step + 1) };
        let why = match (op, self.sample) {
            (Some(op), _) => format!("{number} comes out of `{op}`, whose operands are all finite"),
            (None, Some(sample)) => format!("sample {sample} of the data set has {number} there"),
            (None, None) => format!("it has {number} before the step begins"),
        };
        format!("the first value that is not finite is `{name}`{when}: {why}")
    }
}

/// The first value that is not finite, and the step that made it.
fn first(trainer: &Trainer, stage: &Stage, good: &Good, loader: &Loader, step: u64) -> Result<Option<Found>> {
    let mut loader = loader.from(good.position);
    let mut again = Stage::begin(&trainer.model, &stage.plan, &trainer.data, good.tensors.clone(), None)?;
    for at in good.step..=step {
        let (ids, key) = (loader.ids(Shard::WHOLE), key(trainer.seed_in_use(), at));
        if at + 1 >= step {
            let inputs = again.binding.inputs(&ids, key, &[]);
            let held = again.tensors()?;
            if let Some(what) = look(&again, &held, inputs)? {
                let is_data = what.op.is_none() && !held.contains_key(&what.name);
                let each = again.binding.elements(&what.name);
                let sample = each.filter(|_| is_data).and_then(|each| ids.get(what.at / each.max(1)).copied());
                return Ok(Some(Found { what, step: at, sample }));
            }
        }
        again.step(&ids, key)?;
        loader.advance();
    }
    Ok(None)
}

/// Runs a step on one device and looks at every value.
fn look(stage: &Stage, held: &IndexMap<String, Tensor>, given: Vec<Tensor>) -> Result<Option<NotFinite>> {
    let program = stage.partition.model();
    let mut given = given.into_iter();
    let inputs = program.inputs().iter().map(|&v| match held.get(program.path_of(v)) {
        Some(tensor) => Some(tensor.clone()),
        None => given.next(),
    });
    let Some(inputs) = inputs.collect::<Option<Vec<Tensor>>>() else { return Ok(None) };
    Ok(first_not_finite(program, inputs).map_err(crate::error::failed)?)
}
