//! A stretch of training with the same parameters frozen: the step on devices, its session, and what feeds it.

use super::bind::Binding;
use super::data::Dataset;
use super::monitor::layer_of;
use super::prefix::{Front, Prefix};
use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::interp::starting_state;
use partita_ir::plan::Plan;
use partita_ir::plan::train::Train;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::cache::{Budget, Counts};
use partita_runtime::footprint::Footprint;

/// A training step at work.
pub(crate) struct Stage {
    pub(crate) partition: Partition,
    pub(crate) plan: Plan,
    session: Session,
    pub(crate) binding: Binding,
    /// The frozen front, where what it gives is kept.
    prefix: Option<Prefix>,
    /// The result that is the loss.
    loss: usize,
    /// State of an optimizer that this step has no use for, since parameters are frozen.
    aside: IndexMap<String, Tensor>,
}

/// What a step told.
pub(crate) struct Told {
    /// The loss before it.
    pub(crate) loss: f64,
    /// The norm of each layer's gradient, where they were asked for.
    pub(crate) norms: Vec<(String, f64)>,
}

impl Stage {
    /// Begins with these parameters; state that is not among them starts anew. What a frozen front gives is kept within
    /// the budget, if there is one.
    pub(crate) fn begin(
        model: &Program,
        plan: &Plan,
        data: &Dataset,
        mut tensors: IndexMap<String, Tensor>,
        cache: Option<&Budget>,
    ) -> Result<Stage> {
        let front = cache.map(|_| Front::of(model, plan)).transpose()?;
        let prefix = match (&front, cache) {
            (Some(front), Some(budget)) => Some(Prefix::begin(front, plan, data, &tensors, budget)?),
            _ => None,
        };
        let model = front.as_ref().map_or(model, |front| &front.suffix);
        let partition = Compiler::new(model).plan(plan).partition()?;
        let program = partition.planned();
        let mut held = IndexMap::new();
        for &value in program.inputs() {
            let path = program.path_of(value);
            let given = tensors.shift_remove(path).filter(|t| t.ty == *program.ty(value));
            if let Some(tensor) = given.or_else(|| starting_state(program, value)) {
                held.insert(path.to_owned(), tensor);
            }
        }
        let session = partition.start(&held)?;
        let seams = prefix.as_ref().map_or(&[][..], Prefix::results);
        let binding = Binding::of(program, session.given(), data, seams)?;
        let named = loss_name(plan);
        let loss = session.results().iter().position(|r| named.as_ref().is_some_and(|name| r.name == *name));
        Ok(Stage { session, binding, prefix, loss: loss.unwrap_or(0), aside: tensors, plan: plan.clone(), partition })
    }

    /// Makes a step.
    pub(crate) fn step(&mut self, ids: &[usize], key: [u32; 2]) -> Result<Told> {
        let seams = self.prefix.as_mut().map(|prefix| prefix.run(ids)).transpose()?.unwrap_or_default();
        let results = self.session.run(&self.binding.inputs(ids, key, &seams))?;
        let number = |tensor: &Tensor| (tensor.ty.shape.count() > 0).then(|| tensor.get(0).to_f64());
        let named = self.session.results().iter().zip(&results);
        let norms = named.filter_map(|(port, tensor)| Some((layer_of(&port.name)?.to_owned(), number(tensor)?)));
        let loss = results.get(self.loss).and_then(number).unwrap_or(f64::NAN);
        Ok(Told { loss, norms: norms.collect() })
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

    /// What a step takes of memory on each device, that of the frozen front included.
    pub(crate) fn footprint(&self) -> Result<Footprint> {
        let front = self.prefix.as_ref().map_or(Footprint::default(), |prefix| prefix.footprint);
        Ok(self.partition.footprint()? + front)
    }

    /// How often what the frozen front gives was known.
    pub(crate) fn cached(&self) -> Option<Counts> {
        self.prefix.as_ref().map(Prefix::counts)
    }
}

/// The output that the plan calls the loss.
pub(crate) fn loss_name(plan: &Plan) -> Option<String> {
    Train::read(plan.train.as_ref()?).ok()?.loss.map(|(name, _)| name)
}
