//! Training of a model on a data set by a plan.
//!
//! ```no_run
//! use partita::prelude::*;
//! use partita::{Dataset, Trainer};
//!
//! # fn main() -> partita::Result<()> {
//! let model = partita::load("zoo:mnist-cnn?image=8&batch=64")?;
//! let plan = Plan::new(Mesh::new([("data", 4)])?).preset("data").train("adamw?lr=2e-3");
//! let digits = Dataset::read("digits.csv", &model)?;
//! let trained = Trainer::new(&model, &plan, digits)
//!     .validate(0.2)
//!     .epochs(10)
//!     .save("checkpoints", 100)
//!     .run(&mut |_| ())?;
//! println!("{:?}", trained.validation);
//! # Ok(()) }
//! ```
//!
//! Module `run` contains the training loop: `sampler` draws batches, `bind` converts samples (`data`) to inputs, the
//! session runs steps, and `evaluate` computes validation metrics. All randomness is a function of the seed and the
//! position, so that checkpoints are small and an interrupted run continues exactly. `nonfinite` finds the origin of a
//! loss that is not finite. `monitor` freezes layers with small gradients, and `prefix` caches the activations of
//! frozen layers.

mod bind;
pub(crate) mod data;
pub(crate) mod evaluate;
mod initial;
mod metrics;
mod monitor;
mod nonfinite;
mod phase;
mod plot;
mod prefix;
mod resume;
mod run;
mod sampler;
mod stop;

pub use data::Dataset;
pub use evaluate::ValidationMetrics;
pub use metrics::StepMetrics;
pub use monitor::FreezeWhen;
pub use partita_runtime::cache::{Budget, Counts};
pub use plot::plot;
pub use sampler::{ReplicaShard, Sampler, SamplerPosition};
pub use stop::{StopReason, StopRequest};

use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_runtime::footprint::Footprint;
use partita_runtime::processes::Processes;
use std::path::PathBuf;
use std::sync::Arc;

/// Folder and frequency of checkpoints.
#[derive(Clone, Debug)]
struct CheckpointOptions {
    folder: PathBuf,
    every: u64,
    keep: usize,
}

/// End of training.
#[derive(Clone, Copy, Debug)]
enum TrainingEnd {
    Steps(u64),
    Epochs(u64),
}

/// Builder of a training run, which [`Trainer::run`] executes.
#[derive(Clone)]
pub struct Trainer {
    model: Program,
    plan: Plan,
    data: Dataset,
    /// Requested seed. Once training begins, the seed in use.
    seed: Option<u64>,
    end: TrainingEnd,
    validate: f64,
    scale: Option<f64>,
    saving: Option<CheckpointOptions>,
    resume: Option<PathBuf>,
    accepts_changes: bool,
    /// Plans to switch to after a step, in ascending order of steps.
    plan_switches: Vec<(u64, Plan)>,
    initial: Option<PathBuf>,
    weights: Weights,
    metrics: Option<PathBuf>,
    freeze_when: Option<FreezeWhen>,
    cache: Option<Budget>,
    stop: StopRequest,
    output: Option<PathBuf>,
    /// Processes that execute the devices, if there are several.
    processes: Option<Arc<Processes>>,
}

impl Trainer {
    /// Creates a trainer for one epoch. A plan without training options means `adamw`, and one without a mesh means one
    /// device.
    pub fn new(model: &Program, plan: &Plan, data: Dataset) -> Trainer {
        Trainer {
            model: model.clone(),
            plan: plan.clone(),
            data,
            seed: None,
            end: TrainingEnd::Epochs(1),
            validate: 0.0,
            scale: None,
            saving: None,
            resume: None,
            accepts_changes: false,
            plan_switches: Vec::new(),
            initial: None,
            weights: Weights::new(),
            metrics: None,
            freeze_when: None,
            cache: None,
            stop: StopRequest::default(),
            output: None,
            processes: None,
        }
    }

    /// Divides the devices among processes, each of which runs the same trainer and stores the shards of its devices.
    /// Checkpoints are sharded: every process writes its shards. The first process writes the other files. A request to
    /// stop any of them stops all.
    pub fn on_processes(mut self, processes: Arc<Processes>) -> Trainer {
        self.processes = Some(processes);
        self
    }

    /// Returns true for the process that writes files.
    fn is_first(&self) -> bool {
        self.processes.as_ref().is_none_or(|processes| processes.index() == 0)
    }

    /// Sets the total number of steps, including those before a checkpoint.
    pub fn steps(mut self, steps: u64) -> Trainer {
        self.end = TrainingEnd::Steps(steps);
        self
    }

    /// Sets the total number of epochs.
    pub fn epochs(mut self, epochs: u64) -> Trainer {
        self.end = TrainingEnd::Epochs(epochs);
        self
    }

    /// Sets the seed of the validation split, the order of samples, initial parameters and dropout. The default is the
    /// seed of the checkpoint to resume from, or else 0.
    pub fn seed(mut self, seed: u64) -> Trainer {
        self.seed = Some(seed);
        self
    }

    /// Seed in use.
    fn seed_in_use(&self) -> u64 {
        self.seed.unwrap_or_default()
    }

    /// Holds out a share of the samples, from 0 to below 1, for validation after each epoch and at the end.
    pub fn validate(mut self, share: f64) -> Trainer {
        self.validate = share;
        self
    }

    /// Sets the divisor of floating-point data. The default is the divisor of the checkpoint to resume from, or else
    /// the largest magnitude of the training data.
    pub fn scale(mut self, by: f64) -> Trainer {
        self.scale = Some(by);
        self
    }

    /// Saves a checkpoint to `folder` after each `every` steps and at the end. By default, the newest three are
    /// retained.
    pub fn save(mut self, folder: impl Into<PathBuf>, every: u64) -> Trainer {
        let keep = self.saving.as_ref().map_or(3, |s| s.keep);
        self.saving = Some(CheckpointOptions { folder: folder.into(), every: every.max(1), keep });
        self
    }

    /// Sets the number of checkpoints to retain. Has no effect before [`Trainer::save`] is called.
    pub fn keep(mut self, keep: usize) -> Trainer {
        if let Some(saving) = &mut self.saving {
            saving.keep = keep;
        }
        self
    }

    /// Resumes from a checkpoint, or from the newest one of a folder. A folder without checkpoints starts from the
    /// beginning. The mesh and the presets may differ from those before.
    pub fn resume(mut self, from: impl Into<PathBuf>) -> Trainer {
        self.resume = Some(from.into());
        self
    }

    /// Allows to resume although the seed, the model, the data or the training options have changed, which is an error
    /// otherwise.
    pub fn accept_changes(mut self) -> Trainer {
        self.accepts_changes = true;
        self
    }

    /// Switches to another plan after step `behind`, counted from the beginning of training, with the current
    /// parameters and state. If checkpoints are enabled, one is saved before the switch. The order of samples is
    /// unchanged.
    pub fn replan(mut self, behind: u64, plan: &Plan) -> Trainer {
        self.plan_switches.push((behind, plan.clone()));
        self.plan_switches.sort_by_key(|(step, _)| *step);
        self
    }

    /// Initialises parameters and optimizer state from a safetensors file. Parameters that are not in the file are
    /// initialised as without the file.
    pub fn initial(mut self, file: impl Into<PathBuf>) -> Trainer {
        self.initial = Some(file.into());
        self
    }

    /// Initialises parameters with the weights that the model was loaded with: see
    /// [`load_with_weights`](crate::load_with_weights). Weights of a type other than the parameter's are ignored. A
    /// file of [`Trainer::initial`] takes precedence.
    pub fn weights(mut self, weights: Weights) -> Trainer {
        self.weights = weights;
        self
    }

    /// Writes a line of JSON for each step. A resumed run appends to the lines of earlier steps.
    pub fn metrics(mut self, file: impl Into<PathBuf>) -> Trainer {
        self.metrics = Some(file.into());
        self
    }

    /// Freezes layers at the input side during training, once their gradients are small.
    pub fn freeze_when(mut self, when: FreezeWhen) -> Trainer {
        self.freeze_when = Some(when);
        self
    }

    /// Caches the activations of frozen layers at the input side by sample, so that these layers run once for each
    /// sample instead of once per epoch. [`Trainer::run`] then returns `D011` for layers whose activations cannot be
    /// cached.
    pub fn cache(mut self, budget: Budget) -> Trainer {
        self.cache = Some(budget);
        self
    }

    /// Writes parameters and optimizer state to a safetensors file at the end, unless training is stopped. The file can
    /// be that of [`Trainer::initial`].
    pub fn output(mut self, file: impl Into<PathBuf>) -> Trainer {
        self.output = Some(file.into());
        self
    }

    /// Stops after the current step once it is requested, with a checkpoint if checkpoints are enabled.
    pub fn stop_when(mut self, request: StopRequest) -> Trainer {
        self.stop = request;
        self
    }

    /// Returns the plan with the training options that are in use if it has none.
    ///
    /// # Errors
    /// Errors in the training options of the plan.
    pub fn complete_plan(&self) -> Result<Plan> {
        run::with_default_options(self, self.plan.clone())
    }

    /// Trains the model and calls `on_event` with each event.
    ///
    /// # Errors
    /// Errors in the plan (`L`, `D`, `G`), the data (`S001`, `S002`), the initial parameters (`R001`, `R002`) or a
    /// checkpoint (`F002`, `K001` to `K007`), and `D009` for a loss that is not finite.
    pub fn run(self, on_event: &mut dyn FnMut(&TrainingEvent<'_>)) -> Result<TrainingResult> {
        run::TrainingRun::begin(self, on_event)?.run(on_event)
    }
}

/// Events of a training run.
#[derive(Clone, Debug)]
pub enum TrainingEvent<'a> {
    /// The first step is about to run.
    Started {
        /// Step of the checkpoint to resume from, or 0.
        step: u64,
        /// Total number of steps.
        steps: u64,
        /// Number of devices.
        devices: usize,
        /// Number of samples for training and for validation.
        samples: [usize; 2],
        /// Memory of a step on the device that needs most.
        memory: Footprint,
    },
    /// A step was completed.
    Step(&'a StepMetrics),
    /// Layers were frozen, by path.
    LayersFrozen(&'a [String]),
    /// A checkpoint was saved.
    CheckpointSaved(&'a std::path::Path),
    /// Note for the user.
    Note(&'a str),
}

/// Result of a training run.
#[derive(Clone, Debug)]
pub struct TrainingResult {
    /// Total number of steps, including those before a resumed checkpoint.
    pub steps: u64,
    /// Step at which this run began.
    pub from: u64,
    /// Reason why the run was stopped before its end, if it was.
    pub stopped: Option<StopReason>,
    /// Checkpoint of the last step, if any.
    pub checkpoint: Option<PathBuf>,
    /// Metrics of each step, including earlier runs with the same metrics file.
    pub records: Vec<StepMetrics>,
    /// Last validation metrics of this run. `None` if no samples are held out, or if the run was stopped before a
    /// validation.
    pub validation: Option<ValidationMetrics>,
    /// Global parameters and optimizer state, by path. Empty on several processes, which store shards only:
    /// [`Trainer::output`] writes a file, and checkpoints contain both.
    pub parameters: IndexMap<String, Tensor>,
    /// Samples per second in this run.
    pub throughput: f64,
    /// Layers that were frozen during training.
    pub frozen: Vec<String>,
    /// Cache hits and misses of frozen layers, if enabled.
    pub cached: Option<Counts>,
}

impl TrainingResult {
    /// Loss of the last step.
    pub fn loss(&self) -> f64 {
        self.records.last().map_or(f64::NAN, |r| r.loss)
    }
}
