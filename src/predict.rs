//! Inference: the forward program of a trained model on its devices, for any number of examples.
//!
//! ```no_run
//! use partita::Predictor;
//! use partita::predict::TrainedCheckpoint;
//!
//! # fn main() -> partita::Result<()> {
//! let saved = TrainedCheckpoint::open("checkpoints")?;
//! let model = partita::load("model.pir")?;
//! let mut predictor = Predictor::new(&model, &saved.plan()?, &saved)?;
//! println!("{:?} -> {:?}", predictor.inputs(), predictor.outputs());
//! # Ok(()) }
//! ```
//!
//! A model with weights needs no checkpoint: see [`Predictor::with_weights`].
//!
//! [`Inference`] removes the loss and the labels from the model. The plan determines the layouts; with a training plan,
//! parameters have the layouts of the training step. With a plan in stages, a batch goes through the stages as
//! micro-batches. The batch size is the model's. A smaller batch is padded with copies of the last example, which does
//! not change the results since examples are independent. Floating-point inputs are given unscaled, as in the data set,
//! and divided by the scale of the training.

mod checkpoint;
pub mod rows;

use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
use crate::session::Session;
use crate::train::data::divide_floats;
use crate::train::evaluate::{parameters, plan_with_layouts_of};
pub use checkpoint::TrainedCheckpoint;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, nearest, shell_word};
use partita_ir::dtype::{Shape, Type};
use partita_ir::interp::index_bounds;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{OPTIMIZER_PREFIX, Program};
use partita_ir::tensor::{Scalar, Tensor, Weights};
use partita_passes::inference::Inference;
use partita_runtime::processes::Processes;
use rows::{concat_rows, slice_rows};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

/// An input or an output of one example.
#[derive(Clone, PartialEq, Debug)]
pub struct Feature {
    /// Name of the input or output in the model.
    pub name: String,
    /// Shape and element type for one example.
    pub ty: Type,
    /// Exclusive upper bound of an integer input that is an index: the number of classes or of table rows.
    pub index_bound: Option<usize>,
}

impl Feature {
    /// Returns the type of a batch of `count` examples.
    pub fn batch_type(&self, count: usize) -> Type {
        let mut shape = self.ty.shape.clone();
        shape.0.insert(0, count);
        Type { shape, dtype: self.ty.dtype }
    }

    /// Formats the type for any number of examples: `f32[n, 8, 8]`.
    pub fn type_text(&self) -> String {
        let dims = self.ty.shape.iter().map(|n| format!(", {n}"));
        format!("{}[n{}]", self.ty.dtype, dims.collect::<String>())
    }

    /// Returns the position and the value of the first index that is negative or not below `index_bound`.
    pub fn first_out_of_range(&self, tensor: &Tensor) -> Option<(usize, i64)> {
        let bound = i64::try_from(self.index_bound.filter(|_| self.ty.dtype.is_int())?).unwrap_or(i64::MAX);
        let mut numbers = tensor.scalars().map(Scalar::to_i64).enumerate();
        numbers.find(|(_, x)| !(0..bound).contains(x))
    }
}

/// Number of timed runs, of which [`Predictor::measure`] takes the median.
const LATENCY_RUNS: usize = 7;

/// Latency and throughput of inference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct InferenceSpeed {
    /// Seconds from a full batch to its results.
    pub latency: f64,
    /// Examples per second if batches run one after the other: the batch size divided by the latency.
    pub throughput: f64,
}

impl InferenceSpeed {
    fn new(batch: usize, latency: f64) -> InferenceSpeed {
        InferenceSpeed { latency, throughput: batch as f64 / latency }
    }
}

impl fmt::Display for InferenceSpeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} ms per batch, {:.0} examples/s", 1e3 * self.latency, self.throughput)
    }
}

/// A trained model on its devices.
pub struct Predictor {
    /// Forward program of a full batch.
    program: Program,
    plan: Plan,
    partition: Partition,
    session: Session,
    /// Number of examples of a run.
    batch: usize,
    inputs: Vec<Feature>,
    outputs: Vec<Feature>,
    /// Divisor of floating-point inputs.
    scale: Option<f64>,
    /// Processes that execute the devices, if there are several.
    processes: Option<Arc<Processes>>,
}

impl Predictor {
    /// Creates a predictor with the parameters of a checkpoint, stored on the plan's devices. A plan without a mesh
    /// uses the model's mesh, or else one device.
    ///
    /// # Errors
    /// `I001` for a model without outputs for single examples, `K002` for a checkpoint of another model, and errors in
    /// the plan.
    pub fn new(model: &Program, plan: &Plan, saved: &TrainedCheckpoint) -> Result<Predictor> {
        let TrainedCheckpoint { path, checkpoint } = saved;
        let check = |params: &[(&str, &Type)]| checkpoint.check_params(path, params.iter().copied());
        let predictor = Predictor::with_checked_weights(model, plan, &checkpoint.tensors, &check)?;
        Ok(Predictor { scale: saved.scale(), ..predictor })
    }

    /// Creates a predictor with the weights that the model was loaded with: see
    /// [`load_with_weights`](crate::load_with_weights).
    ///
    /// # Errors
    /// `I001` for a model without outputs for single examples or a parameter without weights, and errors in the plan.
    pub fn with_weights(model: &Program, plan: &Plan, weights: &Weights) -> Result<Predictor> {
        let source = model.source.as_str();
        Predictor::with_checked_weights(model, plan, weights, &|params| {
            let mut missing = params.iter().map(|(path, _)| *path).filter(|path| !weights.contains_key(*path));
            match missing.next() {
                Some(first) => Err(missing_weights(source, first, missing.count())),
                None => Ok(()),
            }
        })
    }

    /// Creates a predictor if `check` accepts the types of the model's parameters.
    fn with_checked_weights(
        model: &Program,
        plan: &Plan,
        weights: &Weights,
        check: ParamCheck<'_>,
    ) -> Result<Predictor> {
        let mut plan = plan.clone();
        if plan.mesh.is_none() && plan.stage_meshes.is_empty() && model.mesh().is_none() {
            plan.mesh = Some(Mesh::of_one_device(model)?);
        }
        let Inference { program, batch } = Inference::new(model, &plan)?;
        let own = if model.params.is_empty() { &program } else { model };
        let params = own.params.values().filter(|p| !p.path.starts_with(OPTIMIZER_PREFIX));
        check(&params.map(|p| (p.path.as_str(), own.ty(p.value))).collect::<Vec<_>>())?;
        // The program already has the precision of the plan, which does not affect layouts.
        plan.precision.clear();
        let plan = match &plan.train {
            // A model without its loss has layouts of its own.
            Some(_) if !has_scalar_output(model) => Plan { mesh: Some(Mesh::of_one_device(model)?), ..Plan::default() },
            Some(_) => {
                let training = Compiler::new(model).plan(&plan).partition()?;
                let aligned = plan_with_layouts_of(training.planned(), &program, &plan)?;
                let is_staged = training.schedule().is_some();
                let stage_meshes = plan.stage_meshes.clone();
                if is_staged { Plan { stage_meshes, ..aligned.with_pipeline_of(&plan) } } else { aligned }
            }
            None => plan,
        };
        Predictor::with_state((program, plan), batch, |program| parameters(program, weights), None)
    }

    /// Divides the devices among processes, each of which has the same predictor and the same examples.
    ///
    /// # Errors
    /// `R004` for more processes than devices.
    pub fn on_processes(self, processes: Arc<Processes>) -> Result<Predictor> {
        let held = self.session.state()?;
        let Predictor { program, plan, batch, scale, .. } = self;
        let predictor = Predictor::with_state((program, plan), batch, |_| Ok(held), Some(processes))?;
        Ok(Predictor { scale, ..predictor })
    }

    /// Compiles the program and stores parameters on the devices of a plan. `held` returns the parameters by path,
    /// given the planned program.
    fn with_state(
        (program, plan): (Program, Plan),
        batch: usize,
        held: impl FnOnce(&Program) -> Result<IndexMap<String, Tensor>>,
        processes: Option<Arc<Processes>>,
    ) -> Result<Predictor> {
        let mut partition = Compiler::new(&program).plan(&plan).partition()?;
        if let Some(processes) = &processes {
            partition = partition.on_processes(processes.clone());
        }
        let planned = partition.planned();
        let session = partition.start(&held(planned)?)?;
        let limits: IndexMap<&str, Option<usize>> =
            planned.inputs().iter().map(|&v| planned.path_of(v)).zip(index_bounds(planned)).collect();
        let feature = |name: &str, ty: &Type| Feature {
            name: name.to_owned(),
            ty: Type { shape: Shape::from(ty.shape.get(1..).unwrap_or_default()), dtype: ty.dtype },
            index_bound: limits.get(name).copied().flatten().filter(|_| ty.dtype.is_int()),
        };
        let inputs = session.batch_inputs().iter().map(|port| feature(&port.name, &port.ty)).collect();
        let outputs =
            session.outputs().iter().map(|port| Feature { index_bound: None, ..feature(&port.name, &port.ty) });
        let outputs = outputs.collect();
        Ok(Predictor { batch, inputs, outputs, scale: None, session, partition, program, plan, processes })
    }

    /// Returns a predictor with the same parameters in one stage, on the mesh of the plan without its pipeline
    /// settings.
    ///
    /// # Errors
    /// Errors of the plan without its pipeline settings.
    pub fn in_one_stage(&self) -> Result<Predictor> {
        let held = self.session.state()?;
        let of_stage = (self.program.clone(), self.plan.clone().without_pipeline());
        let predictor = Predictor::with_state(of_stage, self.batch, |_| Ok(held), self.processes.clone())?;
        Ok(Predictor { scale: self.scale, ..predictor })
    }

    /// Inputs of one example.
    pub fn inputs(&self) -> &[Feature] {
        &self.inputs
    }

    /// Outputs of one example.
    pub fn outputs(&self) -> &[Feature] {
        &self.outputs
    }

    /// Number of examples of a full batch.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Divisor of floating-point inputs, as in training. `None` for no scaling.
    pub fn scale(&self) -> Option<f64> {
        self.scale
    }

    /// Compiled program of a full batch.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Number of pipeline stages.
    pub fn stage_count(&self) -> usize {
        self.partition.schedule().map_or(1, |schedule| schedule.stages)
    }

    /// Measures the latency of a full batch: the median of several runs on zeros, after a warm-up run.
    ///
    /// # Errors
    /// `R003` to `R005` for a failed run.
    pub fn measure(&mut self) -> Result<InferenceSpeed> {
        let batch: Vec<Tensor> = self.inputs.iter().map(|input| Tensor::zeros(input.batch_type(self.batch))).collect();
        self.run(&batch)?;
        let mut seconds = [0.0; LATENCY_RUNS];
        for seconds in &mut seconds {
            let started = Instant::now();
            self.run(&batch)?;
            *seconds = started.elapsed().as_secs_f64();
        }
        seconds.sort_by(f64::total_cmp);
        Ok(InferenceSpeed::new(self.batch, seconds[LATENCY_RUNS / 2]))
    }

    /// Runs one full batch, with inputs and outputs in the order of [`Predictor::inputs`] and [`Predictor::outputs`].
    /// Floating-point inputs are scaled as in training.
    ///
    /// # Errors
    /// `R003` to `R005` for a failed run.
    pub fn run(&mut self, batch: &[Tensor]) -> Result<Vec<Tensor>> {
        match self.scale {
            Some(by) => {
                self.session.run(&batch.iter().map(|tensor| divide_floats(tensor.clone(), by)).collect::<Vec<_>>())
            }
            None => self.session.run(batch),
        }
    }

    /// Predicts for any number of examples. Inputs and outputs are named; their first dimension is the example.
    /// Examples run in full batches, the last one padded.
    ///
    /// # Errors
    /// `R001` for a missing input, `R002` for an input of wrong type, `R003` to `R005` for a failed run.
    pub fn predict(&mut self, given: &IndexMap<String, Tensor>) -> Result<IndexMap<String, Tensor>> {
        let (inputs, examples) = self.checked_inputs(given)?;
        let mut answers: Vec<Vec<Tensor>> = vec![Vec::new(); self.outputs.len()];
        for start in (0..examples).step_by(self.batch) {
            let range = start..examples.min(start + self.batch);
            let batch = self.inputs.iter().zip(&inputs);
            let batch: Vec<Tensor> = batch
                .map(|(feature, tensor)| {
                    concat_rows(&[(tensor, range.clone())], self.batch, &feature.batch_type(self.batch))
                })
                .collect();
            for (answers, tensor) in answers.iter_mut().zip(self.run(&batch)?) {
                answers.push(slice_rows(&tensor, 0..range.len()));
            }
        }
        let named = self.outputs.iter().zip(&answers).map(|(feature, parts)| {
            let parts: Vec<_> = parts.iter().map(|t| (t, 0..t.ty.shape[0])).collect();
            (feature.name.clone(), concat_rows(&parts, examples, &feature.batch_type(examples)))
        });
        Ok(named.collect())
    }

    /// Returns the model's inputs among the named tensors, in the order of [`Predictor::inputs`], and the number of
    /// examples.
    fn checked_inputs<'t>(&self, given: &'t IndexMap<String, Tensor>) -> Result<(Vec<&'t Tensor>, usize)> {
        let mut found: Vec<&Tensor> = Vec::with_capacity(self.inputs.len());
        for feature in &self.inputs {
            let name = &feature.name;
            let Some(tensor) = given.get(name) else {
                let error = Diagnostic::new(Code::R001, format!("there is no input `{name}`"));
                return Err(match nearest(name, given.keys().map(String::as_str)) {
                    Some(near) => error.help(format!("a similar name exists: `{near}`")).into(),
                    None => error.note(format!("its type is {}", feature.type_text())).into(),
                });
            };
            let count = tensor.ty.shape.first().copied();
            if count.is_none_or(|n| n == 0 || tensor.ty != feature.batch_type(n)) {
                let title = format!("`{name}` is {}, {} was given", feature.type_text(), tensor.ty);
                return Err(Diagnostic::new(Code::R002, title).note("the first dimension is the example").into());
            }
            if let Some((_, number)) = feature.first_out_of_range(tensor) {
                let most = feature.index_bound.unwrap_or(1).saturating_sub(1);
                let title = format!("`{name}` has a {number}, but the model accepts 0 to {most}");
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

/// Check of the names and types of all parameters of a model.
type ParamCheck<'e> = &'e dyn Fn(&[(&str, &Type)]) -> std::result::Result<(), Diagnostic>;

fn missing_weights(model: &str, first: &str, others: usize) -> Diagnostic {
    let more = if others > 0 { format!(" and {others} more have") } else { " has".to_owned() };
    Diagnostic::new(Code::I001, format!("`{model}` has no weights to predict with"))
        .note(format!("the parameter `{first}`{more} no data; an `.onnx` or `.pt2` file contains it"))
        .help(format!(
            "name a checkpoint: `--checkpoint DIR`, as `partita train {} --data FILE --save DIR` writes them",
            shell_word(model)
        ))
}
/// Returns true if an output of a model can be its loss.
fn has_scalar_output(model: &Program) -> bool {
    let types = model.outputs().iter().map(|output| model.ty(output.value));
    types.into_iter().any(|ty| ty.dtype.is_float() && ty.shape.count() == 1)
}
