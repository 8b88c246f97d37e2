//! A stretch of training with the same parameters frozen: a partition of the step, its session, and what feeds it.

use super::bind::Binding;
use super::data::Dataset;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::interp::starting_state;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;

/// A training step at work.
pub(crate) struct Stage {
    pub(crate) partition: Partition,
    pub(crate) plan: Plan,
    session: Session,
    pub(crate) binding: Binding,
    /// The result that is the loss.
    loss: usize,
    /// State of an optimizer that this step has no use for, since parameters are frozen.
    aside: IndexMap<String, Tensor>,
}

impl Stage {
    /// Begins with these parameters; state that is not among them starts anew.
    pub(crate) fn begin(
        partition: Partition,
        plan: &Plan,
        data: &Dataset,
        mut tensors: IndexMap<String, Tensor>,
    ) -> Result<Stage> {
        let program = partition.planned();
        let mut held = IndexMap::new();
        for &value in &program.main().inputs {
            let path = program.path_of(value);
            let given = tensors.shift_remove(path).filter(|t| t.ty == *program.ty(value));
            if let Some(tensor) = given.or_else(|| starting_state(program, value)) {
                held.insert(path.to_owned(), tensor);
            }
        }
        let session = partition.start(&held)?;
        let binding = Binding::of(program, session.given(), data)?;
        let named = loss_name(plan);
        let loss = session.results().iter().position(|r| named.as_ref().is_some_and(|name| r.name == *name));
        Ok(Stage { session, binding, loss: loss.unwrap_or(0), aside: tensors, plan: plan.clone(), partition })
    }

    /// Makes a step, and gives the loss before it.
    pub(crate) fn step(&mut self, ids: &[usize], key: [u32; 2]) -> Result<f64> {
        let results = self.session.run(&self.binding.inputs(ids, key))?;
        let loss = results.get(self.loss).filter(|t| t.ty.shape.count() > 0);
        Ok(loss.map_or(f64::NAN, |t| t.get(0).to_f64()))
    }

    /// Parameters and all state, also of frozen parameters.
    pub(crate) fn tensors(&self) -> Result<IndexMap<String, Tensor>> {
        let mut tensors = self.session.held()?;
        tensors.extend(self.aside.iter().map(|(name, tensor)| (name.clone(), tensor.clone())));
        Ok(tensors)
    }

    /// The training step.
    pub(crate) fn program(&self) -> &Program {
        self.partition.planned()
    }
}

/// The output that the plan calls the loss.
pub(crate) fn loss_name(plan: &Plan) -> Option<String> {
    let train = partita_ir::plan::train::Train::read(plan.train.as_ref()?).ok()?;
    train.loss.map(|(name, _)| name)
}
