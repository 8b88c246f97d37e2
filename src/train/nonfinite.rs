//! Diagnosis of a loss that is not finite.
//!
//! Training is deterministic. The steps since the last finite state are therefore repeated, and the values of the last
//! two are checked op by op. The origin is the first value that is not finite: an input, a parameter, or the result of
//! an op with finite operands.

use super::Trainer;
use super::phase::TrainingPhase;
use super::run::{FiniteState, step_key};
use super::sampler::{ReplicaShard, Sampler};
use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::diag::{Diagnostic, shell_path};
use partita_ir::interp::{NonFiniteValue, first_non_finite};
use partita_ir::tensor::Tensor;
use partita_runtime::source::TensorsInMemory;

/// Adds the origin of a non-finite value, the last checkpoint and a help to `error`, which concerns step `step`,
/// counted from 0, or the state before it.
pub(super) fn explain_nonfinite(
    mut error: Diagnostic,
    trainer: &Trainer,
    phase: &TrainingPhase,
    last_finite: &FiniteState,
    sampler: &Sampler,
    step: u64,
) -> Result<Diagnostic> {
    let found = find_origin(trainer, phase, last_finite, sampler, step)?;
    error = match &found {
        Some(found) => error.note(found.description(step)),
        None => error.note("repeated one op at a time, the step has only finite values"),
    };
    error = match &last_finite.file {
        Some((step, _)) => error.note(format!("the last good checkpoint is that of step {step}")),
        None => error.note("there is no checkpoint"),
    };
    if found.is_some_and(|found| found.sample.is_some()) {
        return Ok(error.help("correct the data set, or remove the sample"));
    }
    Ok(match &last_finite.file {
        Some((_, path)) => {
            let resume = format!("`--resume {} --resume-with-changes`", shell_path(path));
            error.help(format!("lower the learning rate or clip gradients, and resume with {resume}"))
        }
        None => error.help("lower the learning rate or clip gradients: `--train \"adamw?lr=1e-4&clip=1\"`"),
    })
}

/// Origin of non-finite values: the first value that is not finite, in the order of execution.
struct NonFiniteOrigin {
    /// The value, and the op that computed it.
    what: NonFiniteValue,
    /// The step, counted from 0.
    step: u64,
    /// Id of the sample in the data set, if the value is an input of the batch.
    sample: Option<usize>,
}

impl NonFiniteOrigin {
    /// Formats the origin for an error about `step`, counted from 0. The text counts steps from 1.
    fn description(&self, step: u64) -> String {
        let NonFiniteValue { name, op, number, .. } = &self.what;
        let when = if self.step == step { String::new() } else { format!(", in step {}", self.step + 1) };
        let why = match (op, self.sample) {
            (Some(op), _) => format!("`{op}` with finite operands yields {number}"),
            (None, Some(sample)) => format!("sample {sample} of the data set has the value {number}"),
            (None, None) => format!("its value is {number} before the step"),
        };
        format!("the first value that is not finite is `{name}`{when}: {why}")
    }
}

/// Repeats the steps from the last finite state up to `step`, and returns the first value that is not finite.
fn find_origin(
    trainer: &Trainer,
    phase: &TrainingPhase,
    last_finite: &FiniteState,
    sampler: &Sampler,
    step: u64,
) -> Result<Option<NonFiniteOrigin>> {
    let Some(tensors) = last_finite.tensors(trainer)? else { return Ok(None) };
    let mut sampler = sampler.with_position(last_finite.position);
    let source = TensorsInMemory(&tensors);
    let mut again = TrainingPhase::begin(&trainer.model, &phase.plan, &trainer.data, &source, (None, None))?;
    for at in last_finite.step..=step {
        let (ids, key) = (sampler.ids(ReplicaShard::SINGLE), step_key(trainer.seed_in_use(), at));
        if at + 1 >= step {
            let inputs = again.binding.inputs(&ids, key, &[])?;
            let held = again.tensors()?;
            if let Some(what) = check_values(&again, &held, inputs)? {
                let is_data = what.op.is_none() && !held.contains_key(&what.name);
                let each = again.binding.elements_per_sample(&what.name);
                let sample = each.filter(|_| is_data).and_then(|each| ids.get(what.element / each.max(1)).copied());
                return Ok(Some(NonFiniteOrigin { what, step: at, sample }));
            }
        }
        again.step(&ids, key)?;
        sampler.advance();
    }
    Ok(None)
}

/// Runs a step on one device with the interpreter, and returns the first value that is not finite. `held` has the
/// parameters and state by path; `given` has the other inputs, in order.
fn check_values(
    phase: &TrainingPhase,
    held: &IndexMap<String, Tensor>,
    given: Vec<Tensor>,
) -> Result<Option<NonFiniteValue>> {
    let program = phase.partition.model();
    let mut given = given.into_iter();
    let inputs = program.inputs().iter().map(|&v| match held.get(program.path_of(v)) {
        Some(tensor) => Some(tensor.clone()),
        None => given.next(),
    });
    let Some(inputs) = inputs.collect::<Option<Vec<Tensor>>>() else { return Ok(None) };
    Ok(first_non_finite(program, inputs).map_err(crate::error::interpreter_error)?)
}
