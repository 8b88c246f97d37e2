//! Running a training step again and again: what it gives replaces what it took.

use crate::error::Result;
#[cfg(feature = "gpu")]
use partita_gpu::machine::Running;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::interp::{random_inputs, widen_tensors};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_passes::import::updates::{Replaced, replaced};
use partita_runtime::executor::Executable;
use partita_runtime::session::Session;
use std::sync::Arc;

/// How often a program runs, and on what.
#[derive(Clone, Copy, Debug)]
pub struct Steps {
    /// How often.
    pub count: u64,
    /// The seed of the data, which is drawn anew for each step; `None` when every step gets the same data. Random
    /// numbers that the model draws itself are others in each step all the same.
    pub seed: Option<u64>,
}

/// What one of several steps came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Step {
    /// The first number of the first output: of a training step the loss.
    pub loss: f64,
    /// How long the devices computed, where that is known: inputs were there, in pieces, and outputs are not put
    /// together yet.
    pub seconds: Option<f64>,
}

impl Step {
    pub(crate) fn new(outputs: &[Tensor], seconds: Option<f64>) -> Step {
        let first = outputs.first().filter(|t| t.ty.shape.count() > 0);
        Step { loss: first.map_or(f64::NAN, |t| t.get(0).to_f64()), seconds }
    }
}

impl Steps {
    /// One run, on what is there.
    pub const ONE: Steps = Steps { count: 1, seed: None };

    /// Runs a program where nothing stays between steps: inputs to the outputs of the last step.
    ///
    /// # Errors
    /// What `run` says.
    pub(crate) fn run(
        self,
        program: &Program,
        inputs: Vec<Tensor>,
        run: impl Fn(&[Tensor]) -> Result<Vec<Tensor>>,
    ) -> Result<Vec<Tensor>> {
        let replaced = replaced(program);
        let mut inputs = inputs;
        let mut outputs = run(&inputs)?;
        for step in 1..self.count {
            for (i, next) in self.next(program, &replaced, &inputs, step)?.into_iter().enumerate() {
                match next {
                    Next::Same => {}
                    Next::Output(output) => inputs[i] = outputs[output].clone(),
                    Next::Other(tensor) => inputs[i] = tensor,
                }
            }
            outputs = run(&inputs)?;
        }
        Ok(outputs)
    }

    /// Runs a program on devices of this process, where parameters and state stay from step to step. `seen` is told
    /// what each step came to.
    ///
    /// # Errors
    /// What the devices say.
    pub(crate) fn run_in_session(
        self,
        program: &Program,
        inputs: Vec<Tensor>,
        executable: Arc<dyn Executable>,
        seen: &mut dyn FnMut(Step),
    ) -> Result<Vec<Tensor>> {
        let replaced = replaced(program);
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
                let next = self.next(program, &replaced, &inputs, step)?;
                let changed = next.into_iter().enumerate().filter_map(|(i, next)| match next {
                    Next::Other(tensor) => Some((i, tensor)),
                    Next::Same | Next::Output(_) => None,
                });
                changed.for_each(|(i, tensor)| inputs[i] = tensor);
            }
            let given: Vec<Tensor> =
                (0..inputs.len()).filter(|&i| stay[i].is_none()).map(|i| inputs[i].clone()).collect();
            results = session.run(&given)?;
            seen(Step::new(&results, Some(session.seconds())));
        }
        let (mut results, mut held) = (results.into_iter(), session.held()?);
        let output = |output: usize| match carried.iter().find(|c| c.0 == output) {
            Some(&(_, input)) => held[input].take(),
            None => results.next(),
        };
        Ok((0..main.outputs.len()).filter_map(output).collect())
    }

    /// Runs a program on a device, where inputs stay from step to step.
    ///
    /// # Errors
    /// What the device says.
    #[cfg(feature = "gpu")]
    pub(crate) fn run_on(
        self,
        program: &Program,
        inputs: Vec<Tensor>,
        device: &dyn Running,
        mut seen: impl FnMut(&[Tensor]),
    ) -> Result<Vec<Tensor>> {
        let replaced = replaced(program);
        let mut inputs = inputs;
        let mut running = device.begin(&inputs)?;
        running.step()?;
        let has_outputs = !program.outputs().is_empty();
        for step in 1..self.count {
            let first = has_outputs.then(|| running.output(0)).transpose()?;
            seen(first.as_slice());
            for (i, next) in self.next(program, &replaced, &inputs, step)?.into_iter().enumerate() {
                match next {
                    Next::Same => {}
                    Next::Output(output) => running.replace(i, output)?,
                    Next::Other(tensor) => {
                        running.put(i, &tensor)?;
                        inputs[i] = tensor;
                    }
                }
            }
            running.step()?;
        }
        let outputs = running.outputs()?;
        seen(&outputs);
        Ok(outputs)
    }

    /// What becomes of the inputs of a step in the next one.
    fn next(self, program: &Program, replaced: &[Replaced], inputs: &[Tensor], step: u64) -> Result<Vec<Next>> {
        let fresh = match self.seed {
            Some(seed) => Some(random_inputs(program, seed.wrapping_add(step)).map_err(crate::error::failed)?),
            None => None,
        };
        let next = |(i, (&value, input)): (usize, (&ValueId, &Tensor))| {
            let output = replaced.iter().find(|r| r.input == value).map(|r| r.output);
            match (output, &fresh) {
                (Some(output), _) => Next::Output(output),
                // What is neither data nor trained stays.
                (None, _) if program.param_of(value).is_some() => Next::Same,
                (None, Some(fresh)) => Next::Other(alike(&fresh[i], input)),
                (None, None) if input.ty == Type::new(DType::U32, [2]) => Next::Other(next_key(input)),
                (None, None) => Next::Same,
            }
        };
        Ok(program.inputs().iter().zip(inputs).enumerate().map(next).collect())
    }
}

/// What an input is in the next step.
enum Next {
    /// What it was.
    Same,
    /// What the last step gave as that output.
    Output(usize),
    /// Something else.
    Other(Tensor),
}

/// The tensor, in `f64` where the other one is.
fn alike(tensor: &Tensor, other: &Tensor) -> Tensor {
    if tensor.ty == other.ty { tensor.clone() } else { widen_tensors(std::slice::from_ref(tensor)).remove(0) }
}

/// Another key for random numbers.
fn next_key(key: &Tensor) -> Tensor {
    let words = [key.get(0).to_i64().wrapping_add(1), key.get(1).to_i64()];
    Tensor::from_ints(key.ty.clone(), words.into())
}
