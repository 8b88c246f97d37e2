//! How good a model is on samples that it was not trained on.

use super::bind::Binding;
use super::data::Dataset;
use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use indexmap::IndexMap;
use partita_ir::plan::{Mesh, Plan, Written};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_passes::evaluation::Evaluation;
use serde::Serialize;

/// How good a model is.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Score {
    /// The mean loss.
    pub loss: f64,
    /// The share of right answers, where the model tells classes apart.
    pub accuracy: Option<f64>,
}

/// The model without its training, on the same devices.
pub(crate) struct Evaluator {
    partition: Partition,
    by_position: bool,
}

impl Evaluator {
    /// Of a model that is trained so: parameters and inputs lie as they do in the training step.
    pub(crate) fn of(model: &Program, plan: &Plan, training: &Program, loss: usize) -> Result<Evaluator> {
        let Evaluation { program, by_position } = Evaluation::of(model, plan, loss)?;
        let partition = Compiler::new(&program).plan(&laid_out_alike(training, &program, plan)?).partition()?;
        Ok(Evaluator { partition, by_position })
    }

    /// The score on some samples with these parameters.
    pub(crate) fn score(&self, data: &Dataset, samples: &[usize], held: &IndexMap<String, Tensor>) -> Result<Score> {
        let mut session: Session = self.partition.start(held)?;
        let binding = Binding::of(self.partition.planned(), session.given(), data, &[])?;
        let (mut loss, mut right, mut positions) = (0.0, 0, 0);
        for batch in samples.chunks(binding.batch) {
            // A batch is filled up with samples that do not count.
            let ids: Vec<usize> = batch.iter().chain(samples.iter().cycle()).take(binding.batch).copied().collect();
            let results = session.run(&binding.inputs(&ids, [0; 2], &[]))?;
            match &results[..] {
                [losses, answers, labels] if self.by_position => {
                    let counted = losses.ty.shape.count() / binding.batch * batch.len();
                    loss += losses.scalars().take(counted).map(|x| x.to_f64()).sum::<f64>();
                    let hits = answers.scalars().zip(labels.scalars()).take(counted);
                    right += hits.filter(|(a, b)| a.to_i64() == b.to_i64()).count();
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
        Ok(Score { loss: loss / n, accuracy: self.by_position.then(|| right as f64 / n) })
    }
}

/// A plan that lays out parameters and inputs as they lie in another program, wherever that leads; on one device where
/// that has no mesh.
pub(crate) fn laid_out_alike(other: &Program, program: &Program, plan: &Plan) -> Result<Plan> {
    let mut alike = Plan::of_annotations(other)?;
    if alike.mesh.is_none() {
        alike.mesh = Some(Mesh::new([("data", 1)])?);
    }
    let entries: Vec<&str> = program.inputs().iter().map(|&v| program.path_of(v)).collect();
    alike.shards.retain(|entry| entries.contains(&entry.path.text.as_str()));
    alike.allow_reshard = alike.shards.iter().map(|entry| Written::here(entry.path.text.clone())).collect();
    alike.precision = plan.precision.clone();
    Ok(alike)
}
