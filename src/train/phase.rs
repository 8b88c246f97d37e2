//! A phase of training with a fixed set of frozen parameters: the compiled step, its session, and the binding of data.

use super::bind::Binding;
use super::data::Dataset;
use super::monitor::layer_of;
use super::prefix::{FrozenPrefix, SplitModel};
use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::interp::initial_optimizer_state;
use partita_ir::plan::Plan;
use partita_ir::plan::train::TrainConfig;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::cache::{Budget, Counts};
use partita_runtime::footprint::Footprint;
use partita_runtime::processes::Processes;
use std::sync::Arc;

/// A compiled training step with its session.
pub(crate) struct TrainingPhase {
    pub(crate) partition: Partition,
    pub(crate) plan: Plan,
    session: Session,
    pub(crate) binding: Binding,
    /// Frozen prefix, if its outputs are cached.
    prefix: Option<FrozenPrefix>,
    /// Position of the loss in the outputs.
    loss: usize,
    /// Optimizer state of frozen parameters, which this step does not use.
    unused_state: IndexMap<String, Tensor>,
}

/// Outputs of a step.
pub(crate) struct StepOutputs {
    /// Loss before the update.
    pub(crate) loss: f64,
    /// Gradient norm of each layer, if enabled.
    pub(crate) norms: Vec<(String, f64)>,
}

impl TrainingPhase {
    /// Compiles the step and stores its parameters. State that is not in `tensors` has its initial value. `cache`
    /// enables the cache of the frozen prefix.
    pub(crate) fn begin(
        model: &Program,
        plan: &Plan,
        data: &Dataset,
        mut tensors: IndexMap<String, Tensor>,
        (cache, processes): (Option<&Budget>, Option<&Arc<Processes>>),
    ) -> Result<TrainingPhase> {
        let split = cache.map(|_| SplitModel::new(model, plan)).transpose()?;
        let prefix = match (&split, cache) {
            (Some(split), Some(budget)) => Some(FrozenPrefix::begin(split, plan, data, &tensors, budget)?),
            _ => None,
        };
        let model = split.as_ref().map_or(model, |split| &split.suffix);
        let partition = Compiler::new(model).plan(plan).partition()?;
        let partition = match processes {
            Some(processes) => partition.on_processes(processes.clone()),
            None => partition,
        };
        let program = partition.planned();
        let mut held = IndexMap::new();
        for &value in program.inputs() {
            let path = program.path_of(value);
            let given = tensors.shift_remove(path).filter(|t| t.ty == *program.ty(value));
            if let Some(tensor) = given.or_else(|| initial_optimizer_state(program, value)) {
                held.insert(path.to_owned(), tensor);
            }
        }
        let session = partition.start(&held)?;
        let prefix_outputs = prefix.as_ref().map_or(&[][..], FrozenPrefix::outputs);
        let binding = Binding::new(program, session.batch_inputs(), data, prefix_outputs)?;
        let named = loss_name(plan);
        let loss = session.outputs().iter().position(|r| named.as_ref().is_some_and(|name| r.name == *name));
        Ok(TrainingPhase {
            session,
            binding,
            prefix,
            loss: loss.unwrap_or(0),
            unused_state: tensors,
            plan: plan.clone(),
            partition,
        })
    }

    /// Runs a step.
    pub(crate) fn step(&mut self, ids: &[usize], key: [u32; 2]) -> Result<StepOutputs> {
        let prefix_outputs = self.prefix.as_mut().map(|prefix| prefix.run(ids)).transpose()?.unwrap_or_default();
        let results = self.session.run(&self.binding.inputs(ids, key, &prefix_outputs))?;
        let number = |tensor: &Tensor| (tensor.ty.shape.count() > 0).then(|| tensor.get(0).to_f64());
        let named = self.session.outputs().iter().zip(&results);
        let norms = named.filter_map(|(port, tensor)| Some((layer_of(&port.name)?.to_owned(), number(tensor)?)));
        let loss = results.get(self.loss).and_then(number).unwrap_or(f64::NAN);
        Ok(StepOutputs { loss, norms: norms.collect() })
    }

    /// Returns parameters and all optimizer state, including those of frozen parameters.
    pub(crate) fn tensors(&self) -> Result<IndexMap<String, Tensor>> {
        let mut tensors = self.session.state()?;
        tensors.extend(self.unused_state.iter().map(|(name, tensor)| (name.clone(), tensor.clone())));
        Ok(tensors)
    }

    /// Planned program of the step.
    pub(crate) fn program(&self) -> &Program {
        self.partition.planned()
    }

    /// Memory of a step on the device that needs most, including the frozen prefix.
    pub(crate) fn footprint(&self) -> Result<Footprint> {
        let split = self.prefix.as_ref().map_or(Footprint::default(), |prefix| prefix.footprint);
        Ok(self.partition.footprint()? + split)
    }

    /// Cache hits and misses of the frozen prefix.
    pub(crate) fn cache_counts(&self) -> Option<Counts> {
        self.prefix.as_ref().map(FrozenPrefix::counts)
    }
}

/// Returns the name of the loss in the plan.
pub(crate) fn loss_name(plan: &Plan) -> Option<String> {
    TrainConfig::parse(plan.train.as_ref()?).ok()?.loss.map(|(name, _)| name)
}
