//! Where a loss that is no number comes from.
//!
//! Training is a function of its beginning, so the steps since everything was whole are made again, and the last two of them one op
//! after the other, until an op makes something that is not finite of operands that all are.

use super::Trainer;
use super::order::{Loader, Shard};
use super::stage::Stage;
use super::work::{Good, key};
use crate::error::Result;
use crate::partition::Partition;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::{NotFinite, first_not_finite};
use partita_ir::tensor::Tensor;

/// The error for a loss that step gave, counted from 0.
pub(super) fn blame(
    trainer: &Trainer,
    stage: &Stage,
    good: &Good,
    loader: &Loader,
    step: u64,
    loss: f64,
) -> Result<Diagnostic> {
    let mut error = Diagnostic::new(Code::D009, format!("the loss of step {} is {loss}", step + 1));
    error = match first(trainer, stage, good, loader, step)? {
        Some((at, found)) => {
            let when = if at == step { String::new() } else { format!(", in step {}", at + 1) };
            let kind = match &found.op {
                Some(op) => format!("of `{op}`, whose operands are all finite"),
                None => "which was so from the start of the step".to_owned(),
            };
            error.note(format!("the first value that is not finite is `{}`{when}: {} {kind}", found.name, found.number))
        }
        None => error.note("made again one operation after the other, the step has only finite values"),
    };
    error = match &good.file {
        Some(path) => error
            .note(format!("the last good checkpoint is that of step {}", good.step))
            .help(format!("lower the learning rate or clip gradients, and go on with `--resume {}`", path.display())),
        None => error
            .note("there is no checkpoint")
            .help("lower the learning rate or clip gradients: `--train \"adamw?lr=1e-4&clip=1\"`"),
    };
    Ok(error)
}

/// The first value that is not finite, and the step that made it.
fn first(
    trainer: &Trainer,
    stage: &Stage,
    good: &Good,
    loader: &Loader,
    step: u64,
) -> Result<Option<(u64, NotFinite)>> {
    let mut loader = loader.from(good.position);
    let partition = Partition::new(&trainer.model, &stage.plan)?;
    let mut again = Stage::begin(partition, &stage.plan, &trainer.data, good.tensors.clone())?;
    for at in good.step..=step {
        let (ids, key) = (loader.ids(Shard::WHOLE), key(trainer.seed, at));
        if at + 1 >= step {
            let inputs = stage.binding.inputs(&ids, key);
            if let Some(found) = look(&again, &again.tensors()?, inputs)? {
                return Ok(Some((at, found)));
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
    let inputs = program.main().inputs.iter().map(|&v| match held.get(program.path_of(v)) {
        Some(tensor) => Some(tensor.clone()),
        None => given.next(),
    });
    let Some(inputs) = inputs.collect::<Option<Vec<Tensor>>>() else { return Ok(None) };
    Ok(first_not_finite(program, inputs).map_err(crate::partition::failed)?)
}
