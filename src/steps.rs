//! Repeated runs of a training step, whose outputs replace inputs of the next step.

use crate::error::Result;
#[cfg(feature = "gpu")]
use partita_gpu::machine::LoadedModule;
use partita_ir::arena::ValueId;
#[cfg(feature = "gpu")]
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::{random_inputs, widen_tensors};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_passes::import::updates::{Replacement, replacements};
use partita_runtime::executor::Executable;
use partita_runtime::session::Session;
use std::sync::Arc;

/// Number of runs of a program, and the source of their data.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// Number of runs.
    pub count: u64,
    /// Seed of the random data of each step after the first. `None` runs all steps on the given data. Random keys that
    /// are inputs of the program differ between steps in either case.
    pub seed: Option<u64>,
}

/// Result of one step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StepResult {
    /// First element of the first output, which is the loss of a training step.
    pub loss: f64,
    /// Seconds of computation on the devices, if measured: without sharding the inputs and without assembling the
    /// outputs.
    pub seconds: Option<f64>,
}

impl StepResult {
    pub(crate) fn new(outputs: &[Tensor], seconds: Option<f64>) -> StepResult {
        let first = outputs.first().filter(|t| t.ty.shape.count() > 0);
        StepResult { loss: first.map_or(f64::NAN, |t| t.get(0).to_f64()), seconds }
    }
}

impl Steps {
    /// A single run.
    pub const ONE: Steps = Steps { count: 1, seed: None };

    /// Runs a program several times. `run` maps inputs to outputs and stores no state. Returns the outputs of the last
    /// step.
    ///
    /// # Errors
    /// Errors of `run`.
    pub(crate) fn run(
        self,
        program: &Program,
        inputs: Vec<Tensor>,
        run: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    ) -> Result<Vec<Tensor>> {
        let replaced = replacements(program);
        let mut inputs = inputs;
        let mut outputs = run(&inputs)?;
        for step in 1..self.count {
            for (i, next) in self.next_inputs(program, &replaced, &inputs, step)?.into_iter().enumerate() {
                match next {
                    NextInput::Unchanged => {}
                    NextInput::Output(output) => inputs[i] = outputs[output].clone(),
                    NextInput::Fresh(tensor) => inputs[i] = tensor,
                }
            }
            outputs = run(&inputs)?;
        }
        Ok(outputs)
    }

    /// Runs a program on devices of this process, with parameters and state stored on the devices. Calls `seen` with
    /// the result of each step.
    ///
    /// # Errors
    /// Errors of the devices.
    pub(crate) fn run_in_session(
        self,
        program: &Program,
        inputs: Vec<Tensor>,
        executable: Arc<dyn Executable>,
        seen: &mut dyn FnMut(StepResult),
    ) -> Result<Vec<Tensor>> {
        let replaced = replacements(program);
        let main = &program.funcs[program.entry()];
        let carried = replaced.iter().filter_map(|r| Some((r.output, main.inputs.iter().position(|&v| v == r.input)?)));
        let carried: Vec<(usize, usize)> = carried.collect();
        let stays = |i: usize| program.param_of(main.inputs[i]).is_some() || carried.iter().any(|c| c.1 == i);
        let stay: Vec<Option<Tensor>> =
            inputs.iter().enumerate().map(|(i, tensor)| stays(i).then(|| tensor.clone())).collect();
        let mut session = Session::start(executable, &stay, &carried)?;
        let mut inputs = inputs;
        let mut results = Vec::new();
        for step in 0..self.count {
            if step > 0 {
                let next = self.next_inputs(program, &replaced, &inputs, step)?;
                let changed = next.into_iter().enumerate().filter_map(|(i, next)| match next {
                    NextInput::Fresh(tensor) => Some((i, tensor)),
                    NextInput::Unchanged | NextInput::Output(_) => None,
                });
                changed.for_each(|(i, tensor)| inputs[i] = tensor);
            }
            let given: Vec<Tensor> =
                (0..inputs.len()).filter(|&i| stay[i].is_none()).map(|i| inputs[i].clone()).collect();
            results = session.run(&given)?;
            seen(StepResult::new(&results, Some(session.seconds())));
        }
        let (mut results, mut held) = (results.into_iter(), session.persistent_inputs()?);
        let output = |output: usize| match carried.iter().find(|c| c.0 == output) {
            Some(&(_, input)) => held[input].take(),
            None => results.next(),
        };
        Ok((0..main.outputs.len()).filter_map(output).collect())
    }

    /// Runs a program on a device that stores the inputs between steps.
    ///
    /// # Errors
    /// Errors of the device.
    #[cfg(feature = "gpu")]
    pub(crate) fn run_on(
        self,
        program: &Program,
        inputs: Vec<Tensor>,
        device: &dyn LoadedModule,
        mut seen: impl FnMut(&[Tensor]),
    ) -> Result<Vec<Tensor>> {
        let replaced = replacements(program);
        let mut inputs = inputs;
        let mut running = device.begin(&inputs)?;
        // An error of a step names it.
        let in_step = |step: u64| {
            move |error: Diagnostic| if self.count > 1 { error.note(format!("in step {}", step + 1)) } else { error }
        };
        running.step().map_err(in_step(0))?;
        let has_outputs = !program.outputs().is_empty();
        for step in 1..self.count {
            let first = has_outputs.then(|| running.output(0)).transpose().map_err(in_step(step - 1))?;
            seen(first.as_slice());
            for (i, next) in self.next_inputs(program, &replaced, &inputs, step)?.into_iter().enumerate() {
                match next {
                    NextInput::Unchanged => {}
                    NextInput::Output(output) => running.feed_back(i, output)?,
                    NextInput::Fresh(tensor) => {
                        running.set_input(i, &tensor)?;
                        inputs[i] = tensor;
                    }
                }
            }
            running.step().map_err(in_step(step))?;
        }
        let outputs = running.outputs().map_err(in_step(self.count - 1))?;
        seen(&outputs);
        Ok(outputs)
    }

    /// Returns the source of each input of step `step`, counted from 0.
    fn next_inputs(
        self,
        program: &Program,
        replaced: &[Replacement],
        inputs: &[Tensor],
        step: u64,
    ) -> Result<Vec<NextInput>> {
        let fresh = match self.seed {
            Some(seed) => {
                Some(random_inputs(program, seed.wrapping_add(step)).map_err(crate::error::interpreter_error)?)
            }
            None => None,
        };
        let next = |(i, (&value, input)): (usize, (&ValueId, &Tensor))| {
            let output = replaced.iter().find(|r| r.input == value).map(|r| r.output);
            match (output, &fresh) {
                (Some(output), _) => NextInput::Output(output),
                // Frozen parameters are unchanged.
                (None, _) if program.param_of(value).is_some() => NextInput::Unchanged,
                (None, Some(fresh)) => NextInput::Fresh(widened_like(&fresh[i], input)),
                (None, None) if input.ty == Type::new(DType::U32, [2]) => NextInput::Fresh(next_key(input)),
                (None, None) => NextInput::Unchanged,
            }
        };
        Ok(program.inputs().iter().zip(inputs).enumerate().map(next).collect())
    }
}

/// Source of an input of the next step.
enum NextInput {
    /// Unchanged input.
    Unchanged,
    /// Output of the last step, by position.
    Output(usize),
    /// New tensor.
    Fresh(Tensor),
}

/// Returns `tensor`, widened to `f64` if the types differ.
fn widened_like(tensor: &Tensor, other: &Tensor) -> Tensor {
    if tensor.ty == other.ty { tensor.clone() } else { widen_tensors(std::slice::from_ref(tensor)).remove(0) }
}

/// Returns the next random key.
fn next_key(key: &Tensor) -> Tensor {
    let words = [key.get(0).to_i64().wrapping_add(1), key.get(1).to_i64()];
    Tensor::from_ints(key.ty.clone(), words.into())
}
