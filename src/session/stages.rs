//! What stays between the runs of a pipeline: whole, and cut into pieces anew for each run.

use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::pipeline::Executable;
use std::sync::Arc;

/// A pipeline with the inputs that stay between its runs.
pub(crate) struct Stages {
    executable: Arc<Executable>,
    /// Inputs and outputs by name, in the order of the step.
    inputs: Vec<String>,
    outputs: Vec<String>,
    /// By input, what stays.
    held: Vec<Option<Tensor>>,
    /// An output, and the input of the next run that it becomes.
    carried: Vec<(usize, usize)>,
}

impl Stages {
    /// The stages of a step, with what stays by input.
    pub(crate) fn start(
        step: &Program,
        executable: Arc<Executable>,
        held: &[Option<Tensor>],
        carried: Vec<(usize, usize)>,
    ) -> Stages {
        let inputs = step.inputs().iter().map(|&v| step.path_of(v).to_owned()).collect();
        let outputs = step.outputs().iter().map(|o| o.name.to_string()).collect();
        Stages { executable, inputs, outputs, held: held.to_vec(), carried }
    }

    /// Runs once on the inputs that do not stay, in their order, and returns the outputs that are not carried.
    pub(super) fn run(&mut self, given: &[Tensor]) -> Result<Vec<Tensor>> {
        let open = self.held.iter().filter(|held| held.is_none()).count();
        if open != given.len() {
            let title = format!("a run takes {open} inputs, {} were given", given.len());
            return Err(Diagnostic::new(Code::R002, title).into());
        }
        let mut given = given.iter();
        let tensors = self.held.iter().filter_map(|held| held.as_ref().or_else(|| given.next()).cloned());
        let inputs: IndexMap<String, Tensor> = self.inputs.iter().cloned().zip(tensors).collect();
        let mut outputs = self.executable.run(&inputs)?;
        let mut results = Vec::with_capacity(self.outputs.len() - self.carried.len());
        for (number, name) in self.outputs.iter().enumerate() {
            let missing = || Diagnostic::new(Code::R004, format!("no stage gives `{name}`"));
            let tensor = outputs.swap_remove(name).ok_or_else(missing)?;
            match self.carried.iter().find(|(output, _)| *output == number) {
                Some(&(_, input)) => self.held[input] = Some(tensor),
                None => results.push(tensor),
            }
        }
        Ok(results)
    }

    /// What stays now, by input.
    pub(super) fn held(&self) -> &[Option<Tensor>] {
        &self.held
    }
}
