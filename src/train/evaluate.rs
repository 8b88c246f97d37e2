//! Validation metrics on samples that were held out.

use super::bind::Binding;
use super::data::Dataset;
use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::plan::{Mesh, Plan, SourceText};
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_passes::evaluation::Evaluation;
use partita_runtime::io::weight;
use partita_runtime::processes::Processes;
use serde::Serialize;
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

    /// Computes the metrics on some samples with these parameters.
    pub(crate) fn score(
        &self,
        data: &Dataset,
        samples: &[usize],
        held: &IndexMap<String, Tensor>,
    ) -> Result<ValidationMetrics> {
        let mut session: Session = self.partition.start(&parameters(self.partition.planned(), held)?)?;
        let binding = Binding::new(self.partition.planned(), session.batch_inputs(), data, &[])?;
        let (mut loss, mut correct, mut positions) = (0.0, 0, 0);
        for batch in samples.chunks(binding.batch) {
            // An incomplete batch is padded with samples whose results are ignored.
            let ids: Vec<usize> = batch.iter().chain(samples.iter().cycle()).take(binding.batch).copied().collect();
            let results = session.run(&binding.inputs(&ids, [0; 2], &[]))?;
            match &results[..] {
                [losses, answers, labels] if self.is_per_position => {
                    let counted = losses.ty.shape.count() / binding.batch * batch.len();
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
