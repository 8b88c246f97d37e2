//! A phase of training with a fixed set of frozen parameters: the compiled step, its session, and the binding of data.

use super::bind::Binding;
use super::data::Dataset;
use super::initial::{draw, state_initializer};
use super::monitor::layer_of;
use super::prefix::{FrozenPrefix, SplitModel};
use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::initializer::Initializer;
use partita_ir::plan::Plan;
use partita_ir::plan::train::TrainConfig;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::cache::{Budget, Counts};
use partita_runtime::footprint::Footprint;
use partita_runtime::processes::Processes;
use partita_runtime::source::{Destination, TensorSource, Wanted, missing, read_global};
use partita_runtime::state::{State, StateTensor};
use std::collections::{BTreeMap, BTreeSet};
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
    /// Parameters and optimizer state of frozen layers, which this step does not use.
    unused_state: IndexMap<String, StateTensor>,
    /// Processes that execute the devices, if there are several.
    processes: Option<Arc<Processes>>,
}

/// Outputs of a step.
pub(crate) struct StepOutputs {
    /// Loss before the update.
    pub(crate) loss: f64,
    /// Gradient norm of each layer, if enabled.
    pub(crate) norms: Vec<(String, f64)>,
}

impl TrainingPhase {
    /// Compiles the step and stores its parameters. State that `source` does not have has its initial value. `cache`
    /// enables the cache of the frozen prefix.
    pub(crate) fn begin(
        model: &Program,
        plan: &Plan,
        data: &Dataset,
        source: &dyn TensorSource,
        (cache, processes): (Option<&Budget>, Option<&Arc<Processes>>),
    ) -> Result<TrainingPhase> {
        let split = cache.map(|_| SplitModel::new(model, plan)).transpose()?;
        let prefix = match (&split, cache) {
            (Some(split), Some(budget)) => Some(FrozenPrefix::begin(split, plan, data, (source, processes), budget)?),
            _ => None,
        };
        let model = split.as_ref().map_or(model, |split| &split.suffix);
        let partition = Compiler::new(model).plan(plan).partition()?;
        let partition = match processes {
            Some(processes) => partition.on_processes(processes.clone()),
            None => partition,
        };
        let program = partition.planned();
        let session = partition.start_from(&StepInputs::new(program, source))?;
        let mut unused_state = IndexMap::new();
        let inputs: BTreeSet<&str> = program.inputs().iter().map(|&value| program.path_of(value)).collect();
        for name in source.names().into_iter().filter(|name| !inputs.contains(name.as_str())) {
            let ty = source.ty(&name).ok_or_else(|| missing(&name))?;
            let tensor = StateTensor::read_rows(source, &name, &ty, processes.map(|processes| &**processes))?;
            unused_state.insert(name, tensor);
        }
        let prefix_outputs = prefix.as_ref().map_or(&[][..], FrozenPrefix::outputs);
        let binding =
            Binding::new(&partition, session.batch_inputs(), data, (prefix_outputs, processes.map(|p| &**p)))?;
        let named = loss_name(plan);
        let loss = session.outputs().iter().position(|r| named.as_ref().is_some_and(|name| r.name == *name));
        Ok(TrainingPhase {
            session,
            binding,
            prefix,
            loss: loss.unwrap_or(0),
            unused_state,
            processes: processes.cloned(),
            plan: plan.clone(),
            partition,
        })
    }

    /// Runs a step.
    pub(crate) fn step(&mut self, ids: &[usize], key: [u32; 2]) -> Result<StepOutputs> {
        let prefix_outputs = self.prefix.as_mut().map(|prefix| prefix.run(ids)).transpose()?.unwrap_or_default();
        let results = self.session.run_from(&self.binding.batch(ids, key, &prefix_outputs))?;
        let number = |tensor: &Tensor| (tensor.ty.shape.count() > 0).then(|| tensor.get(0).to_f64());
        let named = self.session.outputs().iter().zip(&results);
        let norms = named.filter_map(|(port, tensor)| Some((layer_of(&port.name)?.to_owned(), number(tensor)?)));
        let loss = results.get(self.loss).and_then(number).unwrap_or(f64::NAN);
        Ok(StepOutputs { loss, norms: norms.collect() })
    }

    /// Returns parameters and all optimizer state, including those of frozen parameters, as global tensors.
    pub(crate) fn tensors(&self) -> Result<IndexMap<String, Tensor>> {
        let mut tensors = self.session.state()?;
        let unused = State { tensors: self.unused_state.clone(), processes: self.processes.clone() };
        for name in unused.names() {
            let tensor = read_global(&unused, &name, self.processes.as_deref())?;
            tensors.insert(name, tensor);
        }
        Ok(tensors)
    }

    /// Returns parameters and all optimizer state, including those of frozen parameters, as the shards that processes
    /// store together. Must be dropped before the next step.
    pub(crate) fn state(&self) -> Result<State> {
        let mut state = self.session.sharded_state()?;
        state.tensors.extend(self.unused_state.iter().map(|(name, tensor)| (name.clone(), tensor.clone())));
        state.processes = self.processes.clone();
        Ok(state)
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

/// Inputs of a step that are stored between runs: those of a source, and the initial optimizer state that the source
/// does not have.
struct StepInputs<'s> {
    source: &'s dyn TensorSource,
    /// Type, and initializer of optimizer state, by path.
    inputs: BTreeMap<&'s str, (&'s Type, Option<Initializer>)>,
}

impl<'s> StepInputs<'s> {
    fn new(program: &'s Program, source: &'s dyn TensorSource) -> StepInputs<'s> {
        let input = |&value| (program.path_of(value), (program.ty(value), state_initializer(program, value)));
        StepInputs { source, inputs: program.inputs().iter().map(input).collect() }
    }

    fn is_in_source(&self, name: &str, ty: &Type) -> bool {
        self.source.ty(name).is_some_and(|own| own == *ty)
    }
}

impl TensorSource for StepInputs<'_> {
    fn ty(&self, name: &str) -> Option<Type> {
        let (ty, initializer) = self.inputs.get(name)?;
        (self.is_in_source(name, ty) || initializer.is_some()).then(|| (*ty).clone())
    }

    fn names(&self) -> Vec<String> {
        self.inputs.keys().map(|name| (*name).to_owned()).collect()
    }

    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> std::result::Result<(), Diagnostic> {
        match self.inputs.get(wanted.name) {
            Some((ty, Some(initializer))) if !self.is_in_source(wanted.name, ty) => {
                draw(*initializer, wanted.ty, (0, wanted.name), to)
            }
            _ => self.source.read(wanted, to),
        }
    }
}

/// Returns the name of the loss in the plan.
pub(crate) fn loss_name(plan: &Plan) -> Option<String> {
    TrainConfig::parse(plan.train.as_ref()?).ok()?.loss.map(|(name, _)| name)
}
