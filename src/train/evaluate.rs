//! Validation metrics on samples that were held out.

use super::bind::Binding;
use super::data::Dataset;
use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::plan::{Mesh, Plan, SourceText};
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_passes::evaluation::Evaluation;
use partita_runtime::io::weight;
use partita_runtime::processes::Processes;
use partita_runtime::source::{Destination, TensorSource, Wanted, box_of, missing, read_extents, read_global};
use partita_runtime::state::State;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Validation metrics of a model.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ValidationMetrics {
    /// Mean loss.
    pub loss: f64,
    /// Share of correct predictions, for a classifier.
    pub accuracy: Option<f64>,
}

/// Evaluation program of a model, on the devices of its training.
pub(crate) struct Evaluator {
    partition: Partition,
    is_per_position: bool,
}

impl Evaluator {
    /// Compiles the evaluation program. Parameters and inputs have the layouts of the training step.
    pub(crate) fn new(
        model: &Program,
        plan: &Plan,
        training: &Program,
        loss: usize,
        processes: Option<&Arc<Processes>>,
    ) -> Result<Evaluator> {
        let Evaluation { program, is_per_position } = Evaluation::new(model, plan, loss)?;
        let partition = Compiler::new(&program).plan(&plan_with_layouts_of(training, &program, plan)?).partition()?;
        let partition = match processes {
            Some(processes) => partition.on_processes(processes.clone()),
            None => partition,
        };
        Ok(Evaluator { partition, is_per_position })
    }

    /// Computes the metrics on some samples with the parameters of a training run.
    pub(crate) fn score(&self, data: &Dataset, samples: &[usize], state: &State) -> Result<ValidationMetrics> {
        let mut session: Session = self.partition.start_from(&Parameters::new(self.partition.planned(), state))?;
        let processes = state.processes.as_deref();
        let binding = Binding::new(&self.partition, session.batch_inputs(), data, (&[], processes))?;
        let (mut loss, mut correct, mut positions) = (0.0, 0, 0);
        for batch in samples.chunks(binding.batch) {
            // An incomplete batch is padded with samples whose results are ignored.
            let ids: Vec<usize> = batch.iter().chain(samples.iter().cycle()).take(binding.batch).copied().collect();
            let results = session.run_from(&binding.batch(&ids, [0; 2], &[]))?;
            match &results[..] {
                [losses, answers, labels] if self.is_per_position => {
                    // Unless samples lead, the results of those that pad a batch are not behind the others, and count.
                    let counted_samples = if binding.samples_lead() { batch.len() } else { binding.batch };
                    let counted = losses.ty.shape.count() / binding.batch * counted_samples;
                    loss += losses.scalars().take(counted).map(|x| x.to_f64()).sum::<f64>();
                    let pairs = answers.scalars().zip(labels.scalars()).take(counted);
                    correct += pairs.filter(|(a, b)| a.to_i64() == b.to_i64()).count();
                    positions += counted;
                }
                _ => {
                    let mean =
                        results.first().filter(|t| t.ty.shape.count() > 0).map_or(f64::NAN, |t| t.get(0).to_f64());
                    loss += mean * batch.len() as f64;
                    positions += batch.len();
                }
            }
        }
        let n = positions.max(1) as f64;
        Ok(ValidationMetrics { loss: loss / n, accuracy: self.is_per_position.then(|| correct as f64 / n) })
    }
}

/// Returns a plan with the layouts that parameters and inputs have in another program, with resharding allowed. The
/// mesh is one device if the other program has none.
pub(crate) fn plan_with_layouts_of(other: &Program, program: &Program, plan: &Plan) -> Result<Plan> {
    let mut aligned = Plan::from_annotations(other)?;
    if aligned.mesh.is_none() {
        aligned.mesh = Some(Mesh::of_one_device(program)?);
    }
    let entries: Vec<&str> = program.inputs().iter().map(|&v| program.path_of(v)).collect();
    aligned.shards.retain(|entry| entries.contains(&entry.path.text.as_str()));
    aligned.allow_reshard = aligned.shards.iter().map(|entry| SourceText::at_caller(entry.path.text.clone())).collect();
    aligned.precision = plan.precision.clone();
    Ok(aligned)
}

/// Parameters of a program, read from the state of a training run and rounded to 16 bits or quantised to 8 bits where
/// the program requires it.
struct Parameters<'s> {
    program: &'s Program,
    state: &'s State,
    values: BTreeMap<&'s str, ValueId>,
}

impl<'s> Parameters<'s> {
    fn new(program: &'s Program, state: &'s State) -> Parameters<'s> {
        let values = program.inputs().iter().map(|&value| (program.path_of(value), value)).collect();
        Parameters { program, state, values }
    }

    /// Returns the paths of the parameters of the state that determine a parameter of the program.
    fn origins(&self, value: ValueId) -> Vec<&'s str> {
        let param = self.program.param_of(value).map(|param| &self.program.params[param]);
        let parent = param.and_then(|param| param.parent).map(|parent| self.program.params[parent].path.as_str());
        let paths = [Some(self.program.path_of(value)), parent].into_iter().flatten();
        paths.filter(|path| self.state.ty(path).is_some()).collect()
    }
}

impl TensorSource for Parameters<'_> {
    fn ty(&self, name: &str) -> Option<Type> {
        let value = *self.values.get(name)?;
        (!self.origins(value).is_empty()).then(|| self.program.ty(value).clone())
    }

    fn names(&self) -> Vec<String> {
        self.values.keys().map(|name| (*name).to_owned()).collect()
    }

    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> std::result::Result<(), Diagnostic> {
        if self.state.ty(wanted.name).is_some_and(|own| own == *wanted.ty) {
            return self.state.read(wanted, to);
        }
        let is_rounded = |own: &Type| own.shape == wanted.ty.shape && own.dtype == DType::F32;
        if let Some(own) = self.state.ty(wanted.name).filter(is_rounded)
            && wanted.ty.dtype.is_float()
        {
            let read = read_extents(self.state, (wanted.name, &own), wanted.extents, wanted.process)?;
            for (to, buffer) in to.iter_mut().zip(&read) {
                let extent = to.extent.clone();
                let tensor = Tensor::from_bytes(Type { shape: extent.shape(), dtype: own.dtype }, buffer.as_slice());
                let rounded = tensor.scalars().map(|x| x.to_f64()).collect();
                let rounded = Tensor::from_floats(Type { shape: extent.shape(), dtype: wanted.ty.dtype }, rounded);
                to.write(&extent, &rounded.to_bytes());
            }
            return Ok(());
        }
        // The scale of a quantised parameter is a function of all its elements.
        let value = *self.values.get(wanted.name).ok_or_else(|| missing(wanted.name))?;
        let mut weights = Weights::new();
        for path in self.origins(value) {
            weights.insert(path.to_owned(), read_global(self.state, path, self.state.processes.as_deref())?);
        }
        let tensor = weight(self.program, value, &weights)?.ok_or_else(|| missing(wanted.name))?;
        to.iter_mut().try_for_each(|to| to.fill(|part| Ok(box_of(&tensor, part))))
    }
}

/// Returns the parameters of a program by name, rounded to 16 bits or quantised to 8 bits where the program requires
/// it.
pub(crate) fn parameters(program: &Program, weights: &Weights) -> Result<IndexMap<String, Tensor>> {
    let mut found = IndexMap::new();
    for &value in program.inputs() {
        if let Some(tensor) = weight(program, value, weights)? {
            found.insert(program.path_of(value).to_owned(), tensor);
        }
    }
    Ok(found)
}
