//! Predictions: the forward program of a trained model on its devices, for any number of examples.
//!
//! ```no_run
//! use partita::Predictor;
//! use partita::predict::Saved;
//!
//! # fn main() -> partita::Result<()> {
//! let saved = Saved::find("checkpoints")?;
//! let model = partita::load("model.pir")?;
//! let mut predictor = Predictor::new(&model, &saved.plan()?, &saved)?;
//! println!("{:?} -> {:?}", predictor.inputs(), predictor.outputs());
//! # Ok(()) }
//! ```
//!
//! A model that brings its weights along needs no checkpoint: [`Predictor::with_weights`]. The model loses its loss and
//! its labels ([`Inference`]) and is laid out as the plan says; a plan that trains stands for the places that
//! parameters have in its training step. A plan in stages predicts in stages: a batch goes through them as
//! micro-batches. A batch has as many examples as the model was made for. Fewer are filled up with copies of the last
//! one, which changes no answer, since examples are independent. Numbers are given as the data set had them: they are
//! divided by what that was divided by.

pub mod rows;
mod saved;

use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use crate::train::data::divided;
use crate::train::evaluate::laid_out_alike;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, nearest, shell_word};
use partita_ir::dtype::{Shape, Type};
use partita_ir::interp::index_limits;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{OPTIMIZER, Program};
use partita_ir::tensor::{Scalar, Tensor, Weights};
use partita_passes::inference::Inference;
use partita_runtime::io::weight;
use rows::{filled, taken};
pub use saved::Saved;
use std::fmt;
use std::time::Instant;

/// An input or an output, as one example has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Feature {
    /// How users call it.
    pub name: String,
    /// Shape and element type for one example.
    pub ty: Type,
    /// For integers that choose a row or a class: how many there are to choose from.
    pub below: Option<usize>,
}

impl Feature {
    /// The type of so many examples.
    pub fn examples(&self, count: usize) -> Type {
        let mut shape = self.ty.shape.clone();
        shape.0.insert(0, count);
        Type { shape, dtype: self.ty.dtype }
    }

    /// As it is written for any number of examples: `f32[n, 8, 8]`.
    pub fn wanted(&self) -> String {
        let dims = self.ty.shape.iter().map(|n| format!(", {n}"));
        format!("{}[n{}]", self.ty.dtype, dims.collect::<String>())
    }

    /// The first element that chooses what is not there: its position, and the number.
    pub fn beyond(&self, tensor: &Tensor) -> Option<(usize, i64)> {
        let below = i64::try_from(self.below.filter(|_| self.ty.dtype.is_int())?).unwrap_or(i64::MAX);
        let mut numbers = tensor.scalars().map(Scalar::to_i64).enumerate();
        numbers.find(|(_, x)| !(0..below).contains(x))
    }
}

/// Runs of a measurement.
const MEASURED_RUNS: usize = 7;

/// Speed of predictions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Speed {
    /// Seconds from a full batch to its answers.
    pub latency: f64,
    /// Examples that are answered in a second, batch after batch.
    pub throughput: f64,
}

impl Speed {
    fn new(batch: usize, latency: f64) -> Speed {
        Speed { latency, throughput: batch as f64 / latency }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ms a batch, {:.0} examples/s", 1e3 * self.latency, self.throughput)
    }
}

/// A trained model on the devices of this process.
pub struct Predictor {
    /// The forward model of a full batch.
    program: Program,
    plan: Plan,
    partition: Partition,
    session: Session,
    batch: usize,
    inputs: Vec<Feature>,
    outputs: Vec<Feature>,
    scale: Option<f64>,
}

impl Predictor {
    /// Puts the parameters of a checkpoint on the plan's devices; one device for a plan without a mesh.
    ///
    /// # Errors
    /// `I001` when the model does not predict anything for single examples, `K002` when the checkpoint is one of
    /// another model, and what is wrong with the plan.
    pub fn new(model: &Program, plan: &Plan, saved: &Saved) -> Result<Predictor> {
        let Saved { path, checkpoint } = saved;
        let expect = |params: &[(&str, &Type)]| checkpoint.expect(path, params.iter().copied());
        let predictor = Predictor::begin(model, plan, &checkpoint.tensors, &expect)?;
        Ok(Predictor { scale: saved.scale(), ..predictor })
    }

    /// The same with the weights that the model came with: see [`load_with_weights`](crate::load_with_weights).
    ///
    /// # Errors
    /// `I001` when the model does not predict anything for single examples, or a parameter has no weight, and what is
    /// wrong with the plan.
    pub fn with_weights(model: &Program, plan: &Plan, weights: &Weights) -> Result<Predictor> {
        let source = model.source.as_str();
        Predictor::begin(model, plan, weights, &|params| {
            let mut missing = params.iter().map(|(path, _)| *path).filter(|path| !weights.contains_key(*path));
            match missing.next() {
                Some(first) => Err(without_weights(source, first, missing.count())),
                None => Ok(()),
            }
        })
    }

    /// Begins with these weights, once `expect` says that they are those of the model's parameters.
    fn begin(model: &Program, plan: &Plan, weights: &Weights, expect: Expect<'_>) -> Result<Predictor> {
        let mut plan = plan.clone();
        if plan.mesh.is_none() && plan.stage_meshes.is_empty() && model.mesh().is_none() {
            plan.mesh = Some(Mesh::new([("data", 1)])?);
        }
        let Inference { program, batch } = Inference::of(model, &plan)?;
        let own = if model.params.is_empty() { &program } else { model };
        let params = own.params.values().filter(|p| !p.path.starts_with(OPTIMIZER));
        expect(&params.map(|p| (p.path.as_str(), own.ty(p.value))).collect::<Vec<_>>())?;
        // The program computes in the precision of the plan already, and where things lie does not depend on it.
        plan.precision.clear();
        let plan = match &plan.train {
            Some(_) => {
                let training = Compiler::new(model).plan(&plan).partition()?;
                let alike = laid_out_alike(training.planned(), &program, &plan)?;
                let is_staged = training.schedule().is_some();
                let stage_meshes = plan.stage_meshes.clone();
                if is_staged { Plan { stage_meshes, ..alike.with_stages_of(&plan) } } else { alike }
            }
            None => plan,
        };
        Predictor::start(program, plan, batch, |program| parameters(program, weights))
    }

    /// Puts the parameters that `held` finds for a program on the devices of a plan.
    fn start(
        program: Program,
        plan: Plan,
        batch: usize,
        held: impl FnOnce(&Program) -> Result<IndexMap<String, Tensor>>,
    ) -> Result<Predictor> {
        let partition = Compiler::new(&program).plan(&plan).partition()?;
        let planned = partition.planned();
        let session = partition.start(&held(planned)?)?;
        let limits: IndexMap<&str, Option<usize>> =
            planned.inputs().iter().map(|&v| planned.path_of(v)).zip(index_limits(planned)).collect();
        let feature = |name: &str, ty: &Type| Feature {
            name: name.to_owned(),
            ty: Type { shape: Shape::from(ty.shape.get(1..).unwrap_or_default()), dtype: ty.dtype },
            below: limits.get(name).copied().flatten().filter(|_| ty.dtype.is_int()),
        };
        let inputs = session.given().iter().map(|port| feature(&port.name, &port.ty)).collect();
        let outputs = session.results().iter().map(|port| Feature { below: None, ..feature(&port.name, &port.ty) });
        let outputs = outputs.collect();
        Ok(Predictor { batch, inputs, outputs, scale: None, session, partition, program, plan })
    }

    /// Returns a predictor with the same parameters in one stage, on the mesh of a stage.
    ///
    /// # Errors
    /// Errors of the plan without its stages.
    pub fn in_one_stage(&self) -> Result<Predictor> {
        let held = self.session.held()?;
        let predictor =
            Predictor::start(self.program.clone(), self.plan.clone().on_one_mesh(), self.batch, |_| Ok(held));
        Ok(Predictor { scale: self.scale, ..predictor? })
    }

    /// What is asked for, as one example has it.
    pub fn inputs(&self) -> &[Feature] {
        &self.inputs
    }

    /// What is answered, as one example has it.
    pub fn outputs(&self) -> &[Feature] {
        &self.outputs
    }

    /// How many examples go through the devices at once.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// What floats are divided by before they reach the model, as in its training, if by anything.
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }

    /// The program on its devices.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Number of stages that a batch goes through.
    pub fn stage_count(&self) -> usize {
        self.partition.schedule().map_or(1, |schedule| schedule.stages)
    }

    /// Measures how long a full batch takes: the median of some runs on zeros, behind a first one.
    ///
    /// # Errors
    /// `R003` to `R005` when a run fails.
    pub fn measure(&mut self) -> Result<Speed> {
        let batch: Vec<Tensor> = self.inputs.iter().map(|input| Tensor::zeros(input.examples(self.batch))).collect();
        self.run(&batch)?;
        let mut seconds = [0.0; MEASURED_RUNS];
        for seconds in &mut seconds {
            let started = Instant::now();
            self.run(&batch)?;
            *seconds = started.elapsed().as_secs_f64();
        }
        seconds.sort_by(f64::total_cmp);
        Ok(Speed::new(self.batch, seconds[MEASURED_RUNS / 2]))
    }

    /// One full batch: inputs in their order to outputs in theirs. Floats are divided as they were in training.
    ///
    /// # Errors
    /// `R003` to `R005` when the run fails.
    pub fn run(&mut self, batch: &[Tensor]) -> Result<Vec<Tensor>> {
        match self.scale {
            Some(by) => self.session.run(&batch.iter().map(|tensor| divided(tensor.clone(), by)).collect::<Vec<_>>()),
            None => self.session.run(batch),
        }
    }

    /// Answers to any number of examples, by name; the first dimension of every tensor counts them.
    ///
    /// # Errors
    /// `R001` when an input is missing, `R002` when one does not fit, `R003` to `R005` when a run fails.
    pub fn predict(&mut self, given: &IndexMap<String, Tensor>) -> Result<IndexMap<String, Tensor>> {
        let (inputs, examples) = self.fitting(given)?;
        let mut answers: Vec<Vec<Tensor>> = vec![Vec::new(); self.outputs.len()];
        for start in (0..examples).step_by(self.batch) {
            let range = start..examples.min(start + self.batch);
            let batch = self.inputs.iter().zip(&inputs);
            let batch: Vec<Tensor> = batch
                .map(|(feature, tensor)| filled(&[(tensor, range.clone())], self.batch, &feature.examples(self.batch)))
                .collect();
            for (answers, tensor) in answers.iter_mut().zip(self.run(&batch)?) {
                answers.push(taken(&tensor, 0..range.len()));
            }
        }
        let named = self.outputs.iter().zip(&answers).map(|(feature, pieces)| {
            let pieces: Vec<_> = pieces.iter().map(|t| (t, 0..t.ty.shape[0])).collect();
            (feature.name.clone(), filled(&pieces, examples, &feature.examples(examples)))
        });
        Ok(named.collect())
    }

    /// The inputs among named tensors, in order, and how many examples they have.
    fn fitting<'t>(&self, given: &'t IndexMap<String, Tensor>) -> Result<(Vec<&'t Tensor>, usize)> {
        let mut found: Vec<&Tensor> = Vec::with_capacity(self.inputs.len());
        for feature in &self.inputs {
            let name = &feature.name;
            let Some(tensor) = given.get(name) else {
                let error = Diagnostic::new(Code::R001, format!("there is no input `{name}`"));
                return Err(match nearest(name, given.keys().map(String::as_str)) {
                    Some(near) => error.help(format!("there is `{near}`: was that meant?")).into(),
                    None => error.note(format!("it is {}", feature.wanted())).into(),
                });
            };
            let count = tensor.ty.shape.first().copied();
            if count.is_none_or(|n| n == 0 || tensor.ty != feature.examples(n)) {
                let title = format!("`{name}` is {}, {} was given", feature.wanted(), tensor.ty);
                return Err(Diagnostic::new(Code::R002, title).note("the first dimension counts examples").into());
            }
            if let Some((_, number)) = feature.beyond(tensor) {
                let most = feature.below.unwrap_or(1).saturating_sub(1);
                let title = format!("`{name}` has a {number}, but the model knows 0 to {most}");
                return Err(Diagnostic::new(Code::R002, title).into());
            }
            if let Some(first) = found.first().filter(|first| first.ty.shape.first() != tensor.ty.shape.first()) {
                let title = format!(
                    "`{name}` has {} examples, `{}` has {}",
                    tensor.ty.shape[0], self.inputs[0].name, first.ty.shape[0]
                );
                return Err(Diagnostic::new(Code::R002, title).into());
            }
            found.push(tensor);
        }
        let examples = found.first().map_or(0, |t| t.ty.shape[0]);
        Ok((found, examples))
    }
}

/// Looks at the names and types of all parameters of a model.
type Expect<'e> = &'e dyn Fn(&[(&str, &Type)]) -> std::result::Result<(), Diagnostic>;

fn without_weights(model: &str, first: &str, others: usize) -> Diagnostic {
    let more = if others > 0 { format!(" and {others} more have") } else { " has".to_owned() };
    Diagnostic::new(Code::I001, format!("`{model}` has no weights to predict with"))
        .note(format!("the parameter `{first}`{more} no data; an `.onnx` file brings it along"))
        .help(format!(
            "name a checkpoint: `--checkpoint DIR`, as `partita train {} --data FILE --save DIR` makes them",
            shell_word(model)
        ))
}

/// The parameters of a program by name, in 8 bits where it wants them so.
fn parameters(program: &Program, weights: &Weights) -> Result<IndexMap<String, Tensor>> {
    let mut found = IndexMap::new();
    for &value in program.inputs() {
        if let Some(tensor) = weight(program, value, weights)? {
            found.insert(program.path_of(value).to_owned(), tensor);
        }
    }
    Ok(found)
}
