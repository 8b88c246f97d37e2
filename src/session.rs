//! Sessions: repeated runs of a partitioned program, with parameters stored on the devices.

use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::dtype::Type;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_passes::import::updates::replacements;
use partita_runtime::executor::Executable;
use partita_runtime::session::{self as runtime, PersistentInput};
use partita_runtime::source::{TensorSource, missing};
use partita_runtime::state::State;
use std::sync::Arc;

/// An input or output of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Port {
    /// Name of the input or output in the program.
    pub name: String,
    /// Global shape and element type.
    pub ty: Type,
}

/// A partitioned program on its devices, with the state stored between runs: parameters, optimizer state, and other
/// inputs that a run replaces.
pub struct Session {
    devices: runtime::Session,
    /// Name of each input of the program that is stored between runs, `None` for an input of the batch.
    state_names: Vec<Option<String>>,
    batch_inputs: Vec<Port>,
    outputs: Vec<Port>,
}

impl Session {
    /// Stores parameters and state, read from a source by path or name, on the devices of a program.
    pub(crate) fn start(
        program: &Program,
        executable: Arc<dyn Executable>,
        source: &dyn TensorSource,
    ) -> Result<Session> {
        let main = &program.funcs[program.entry()];
        let replaced = replacements(program);
        let port = |value, name: &str| Port { name: name.to_owned(), ty: program.ty(value).clone() };
        let (mut stored, mut given) = (Vec::new(), Vec::new());
        for &value in &main.inputs {
            let path = program.path_of(value);
            if program.param_of(value).is_none() && replaced.iter().all(|r| r.input != value) {
                given.push(port(value, path));
                stored.push(None);
                continue;
            }
            let ty = source.ty(path).ok_or_else(|| missing(path))?;
            stored.push(Some(PersistentInput { name: path.to_owned(), ty }));
        }
        let names = stored.iter().map(|input| input.as_ref().map(|input| input.name.clone())).collect();
        let position = |value| main.inputs.iter().position(|&v| v == value);
        let carried = replaced.iter().filter_map(|r| Some((r.output, position(r.input)?)));
        let carried: Vec<(usize, usize)> = carried.collect();
        let results = main.outputs.iter().enumerate().filter(|(i, _)| carried.iter().all(|(output, _)| output != i));
        let results = results.map(|(_, o)| port(o.value, &o.name)).collect();
        let devices = runtime::Session::start_from(executable, stored, &carried, source)?;
        Ok(Session { devices, state_names: names, batch_inputs: given, outputs: results })
    }

    /// Inputs of the batch, in order.
    pub fn batch_inputs(&self) -> &[Port] {
        &self.batch_inputs
    }

    /// Outputs of a run that are not stored, in order. The first output of a training step is the loss.
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }

    /// Runs the program once.
    ///
    /// # Errors
    /// `R002` for a batch of wrong type, `R003` to `R005` for a failed run. Parameters and state that the failed step
    /// replaces may be lost; later runs then fail, too.
    pub fn run(&mut self, batch: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(self.devices.run(batch)?)
    }

    /// Runs the program once on a batch that is read from a source, by the names of the inputs.
    ///
    /// # Errors
    /// The errors of [`Session::run`].
    pub(crate) fn run_from(&mut self, batch: &dyn TensorSource) -> Result<Vec<Tensor>> {
        Ok(self.devices.run_from(batch)?)
    }

    /// Returns parameters and state as the shards that processes store together. Must be dropped before the next run.
    ///
    /// # Errors
    /// `R004` after a failed run that overwrote state.
    pub(crate) fn sharded_state(&self) -> Result<State> {
        Ok(self.devices.persistent_state()?)
    }

    /// Bytes of parameters and state that each device stores between runs, by rank. Devices of the first stage come
    /// first.
    pub fn state_bytes(&self) -> Vec<u64> {
        self.devices.persistent_bytes()
    }

    /// Returns the global parameters and state, by path or name.
    ///
    /// # Errors
    /// `R003` for replicas of a shard that differ, `R004` after a failed run that overwrote state.
    pub fn state(&self) -> Result<IndexMap<String, Tensor>> {
        let tensors = self.devices.persistent_inputs()?;
        Ok(self.state_names.iter().zip(tensors).filter_map(|(name, tensor)| Some((name.clone()?, tensor?))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Session;
    use crate::prelude::*;
    use crate::{Steps, parse};
    use indexmap::IndexMap;
    use partita_ir::interp::random_inputs;
    use partita_ir::program::Program;
    use partita_ir::tensor::Tensor;
    use std::cell::RefCell;

    /// Two layers that share a weight, and an unused parameter.
    const MODEL: &str = r#"form traced
param %w "a.w" : f32[6, 6]
param %v "b.v" : f32[6, 6]
param %u "unread" : f32[3]
input %x : f32[4, 6]
  %h = matmul %x, %w : f32[4, 6]
  %r = tanh %h : f32[4, 6]
  %y = matmul %r, %v : f32[4, 6]
  %s = matmul %y, %w : f32[4, 6]
  %z = mul %s, %s : f32[4, 6]
  %loss = reduce sum [0, 1] %z : f32[]
output %loss "loss"
"#;

    /// Panics unless a session leaves the same state, bit by bit, as runs without a session.
    fn assert_same_as_stateless(
        step: &Program,
        run: impl Fn(&[Tensor]) -> crate::Result<Vec<Tensor>>,
        start: impl Fn(&IndexMap<String, Tensor>) -> crate::Result<Session>,
    ) -> crate::Result<()> {
        let inputs = random_inputs(step, 0).map_err(crate::error::interpreter_error)?;
        let names = step.inputs().iter().map(|&v| step.path_of(v).to_owned());
        let named: IndexMap<String, Tensor> = names.zip(inputs.iter().cloned()).collect();
        let losses = RefCell::new(Vec::new());
        let run_and_record = |inputs: &[Tensor]| {
            let outputs = run(inputs)?;
            losses.borrow_mut().push(outputs[0].clone());
            Ok(outputs)
        };
        let outputs = Steps { count: 3, seed: None }.run(step, inputs, run_and_record)?;
        let mut session = start(&named)?;
        assert_eq!(session.batch_inputs().len(), 1);
        for loss in losses.take() {
            assert_eq!(session.run(&[named["x"].clone()])?, [loss]);
        }
        let held = session.state()?;
        assert_eq!(held["unread"], named["unread"]);
        for (output, tensor) in step.outputs().iter().zip(&outputs).skip(1) {
            let param = output.replaces.and_then(|input| Some(&step.params[step.param_of(input)?].path));
            assert_eq!(&held[param.map_or(output.name.as_str(), String::as_str)], tensor, "{}", output.name);
        }
        Ok(())
    }

    #[test]
    fn a_session_equals_runs_without_stored_state() -> crate::Result<()> {
        let model = parse("model.pir", MODEL)?;
        let plan = Plan::new(Mesh::new([("data", 2)])?).preset("data,zero3").train("adamw?lr=1e-2");
        let part = model.partition(&plan)?;
        assert_same_as_stateless(part.planned(), |inputs| part.run(inputs), |held| part.start(held))?;
        for stages in ["1", "a.** | b.**"] {
            let plan = plan.clone().pipeline(stages).schedule("1f1b").micro_batches("2");
            let part = model.partition(&plan)?;
            assert_same_as_stateless(part.planned(), |inputs| part.run(inputs), |held| part.start(held))?;
        }
        Ok(())
    }
}
