//! A partitioned program at work: parameters stay on the devices, batches come and results go.

use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_passes::import::updates::replaced;
use partita_runtime::executor::Executable;
use partita_runtime::session as runtime;
use std::sync::Arc;

/// What a run takes or gives, by name.
#[derive(Clone, PartialEq, Debug)]
pub struct Port {
    /// How users call it.
    pub name: String,
    /// Whole shape and element type.
    pub ty: Type,
}

/// A partitioned program on its devices, with what stays between runs: parameters, the state of an optimizer, and
/// whatever else a run replaces.
pub struct Session {
    devices: runtime::Session,
    /// By input of the program: its name, when it stays.
    held: Vec<Option<String>>,
    given: Vec<Port>,
    results: Vec<Port>,
}

impl Session {
    /// Puts parameters and state, by path or name, on the devices of a program.
    pub(crate) fn start(
        program: &Program,
        executable: Arc<dyn Executable>,
        held: &IndexMap<String, Tensor>,
    ) -> Result<Session> {
        let main = &program.funcs[program.entry()];
        let replaced = replaced(program);
        let port = |value, name: &str| Port { name: name.to_owned(), ty: program.ty(value).clone() };
        let (mut stays, mut names, mut given) = (Vec::new(), Vec::new(), Vec::new());
        for &value in &main.inputs {
            let path = program.path_of(value);
            if program.param_of(value).is_none() && replaced.iter().all(|r| r.input != value) {
                given.push(port(value, path));
                names.push(None);
                stays.push(None);
                continue;
            }
            let missing = || Diagnostic::new(Code::R001, format!("`{path}` is missing"));
            stays.push(Some(held.get(path).ok_or_else(missing)?.clone()));
            names.push(Some(path.to_owned()));
        }
        let position = |value| main.inputs.iter().position(|&v| v == value);
        let carried = replaced.iter().filter_map(|r| Some((r.output, position(r.input)?)));
        let carried: Vec<(usize, usize)> = carried.collect();
        let results = main.outputs.iter().enumerate().filter(|(i, _)| carried.iter().all(|(output, _)| output != i));
        let results = results.map(|(_, o)| port(o.value, &o.name)).collect();
        let devices = runtime::Session::start(executable, &stays, &carried)?;
        Ok(Session { devices, held: names, given, results })
    }

    /// What every run is given, in order: the batch.
    pub fn given(&self) -> &[Port] {
        &self.given
    }

    /// What every run gives back, in order: of a training step the loss first.
    pub fn results(&self) -> &[Port] {
        &self.results
    }

    /// Runs once.
    ///
    /// # Errors
    /// `R002` when the batch does not fit, `R003` to `R005` when the run fails. Parameters and state that the step
    /// replaces may be lost then, and every later run fails.
    pub fn run(&mut self, batch: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(self.devices.run(batch)?)
    }

    /// Bytes of parameters and state that each device holds between runs, by rank: devices of the first stage come
    /// first.
    pub fn held_bytes(&self) -> Vec<u64> {
        self.devices.held_bytes()
    }

    /// What stays now, by path or name, whole.
    ///
    /// # Errors
    /// `R003` when devices that should hold the same piece do not, `R004` when a run failed that wrote over them.
    pub fn held(&self) -> Result<IndexMap<String, Tensor>> {
        let tensors = self.devices.held()?;
        Ok(self.held.iter().zip(tensors).filter_map(|(name, tensor)| Some((name.clone()?, tensor?))).collect())
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

    /// Two layers that share a weight, and a parameter that nothing reads.
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

    /// Panics unless a session leaves, bit by bit, what runs leave that are handed everything.
    fn assert_goes_on(
        step: &Program,
        run: impl Fn(&[Tensor]) -> crate::Result<Vec<Tensor>>,
        start: impl Fn(&IndexMap<String, Tensor>) -> crate::Result<Session>,
    ) -> crate::Result<()> {
        let inputs = random_inputs(step, 0).map_err(crate::error::failed)?;
        let names = step.inputs().iter().map(|&v| step.path_of(v).to_owned());
        let named: IndexMap<String, Tensor> = names.zip(inputs.iter().cloned()).collect();
        let losses = RefCell::new(Vec::new());
        let told = |inputs: &[Tensor]| {
            let outputs = run(inputs)?;
            losses.borrow_mut().push(outputs[0].clone());
            Ok(outputs)
        };
        let outputs = Steps { count: 3, seed: None }.run(step, inputs, told)?;
        let mut session = start(&named)?;
        assert_eq!(session.given().len(), 1);
        for loss in losses.take() {
            assert_eq!(session.run(&[named["x"].clone()])?, [loss]);
        }
        let held = session.held()?;
        assert_eq!(held["unread"], named["unread"]);
        for (output, tensor) in step.outputs().iter().zip(&outputs).skip(1) {
            let param = output.alias.map(|alias| &step.params[alias].path);
            assert_eq!(&held[param.map_or(output.name.as_str(), String::as_str)], tensor, "{}", output.name);
        }
        Ok(())
    }

    #[test]
    fn a_session_goes_on_as_runs_that_hand_everything_over() -> crate::Result<()> {
        let model = parse("model.pir", MODEL)?;
        let plan = Plan::new(Mesh::new([("data", 2)])?).preset("data,zero3").train("adamw?lr=1e-2");
        let part = model.partition(&plan)?;
        assert_goes_on(part.planned(), |inputs| part.run(inputs), |held| part.start(held))?;
        for stages in ["1", "a.** | b.**"] {
            let plan = plan.clone().pipeline(stages).schedule("1f1b").micro_batches("2");
            let part = model.partition(&plan)?;
            assert_goes_on(part.planned(), |inputs| part.run(inputs), |held| part.start(held))?;
        }
        Ok(())
    }
}
