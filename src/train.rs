//! Training: a model, a plan and a data set, and what comes of them.
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
//! The story of a run stands in `work`: `order` hands out samples, `bind` makes inputs of them (`data`), the session
//! steps, and `evaluate` looks at what was held out. Everything random is a function of the seed and of how far
//! training has come, so that a checkpoint has little to say and a run that was killed continues as if it had not been.
//! When a loss is no number, `blame` finds where that began. `monitor` freezes layers that have learned what they can,
//! and `prefix` spares the forward pass of those in front.

mod bind;
mod blame;
pub(crate) mod data;
pub(crate) mod evaluate;
mod initial;
mod metrics;
mod monitor;
mod order;
mod plot;
mod prefix;
mod resume;
mod stage;
mod work;

pub use data::Dataset;
pub use evaluate::Score;
pub use metrics::Record;
pub use monitor::FreezeWhen;
pub use order::{Loader, Position, Shard};
pub use partita_runtime::cache::{Budget, Counts};
pub use plot::plot;

use crate::error::Result;
use indexmap::IndexMap;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_runtime::footprint::Footprint;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How often a run makes checkpoints, and where.
#[derive(Clone, Debug)]
struct Saving {
    folder: PathBuf,
    every: u64,
    keep: usize,
}

/// When training ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Steps(u64),
    Epochs(u64),
}

/// What is to be trained, on what, and how long. [`Trainer::run`] does it.
#[derive(Clone)]
pub struct Trainer {
    model: Program,
    plan: Plan,
    data: Dataset,
    /// What was asked for; once training begins, what it is.
    seed: Option<u64>,
    end: End,
    validate: f64,
    scale: Option<f64>,
    saving: Option<Saving>,
    resume: Option<PathBuf>,
    with_changes: bool,
    /// Plans that are taken up behind a step, the earliest first.
    later: Vec<(u64, Plan)>,
    initial: Option<PathBuf>,
    weights: Weights,
    metrics: Option<PathBuf>,
    freeze_when: Option<FreezeWhen>,
    cache: Option<Budget>,
    stop: Option<Arc<AtomicBool>>,
}

impl Trainer {
    /// Trains the model for one epoch. A plan that does not say how to train means `adamw`, and one without a mesh one
    /// device.
    pub fn new(model: &Program, plan: &Plan, data: Dataset) -> Trainer {
        Trainer {
            model: model.clone(),
            plan: plan.clone(),
            data,
            seed: None,
            end: End::Epochs(1),
            validate: 0.0,
            scale: None,
            saving: None,
            resume: None,
            with_changes: false,
            later: Vec::new(),
            initial: None,
            weights: Weights::new(),
            metrics: None,
            freeze_when: None,
            cache: None,
            stop: None,
        }
    }

    /// Ends after so many steps, counted from the beginning of training and not from a checkpoint.
    pub fn steps(mut self, steps: u64) -> Trainer {
        self.end = End::Steps(steps);
        self
    }

    /// Ends after so many epochs.
    pub fn epochs(mut self, epochs: u64) -> Trainer {
        self.end = End::Epochs(epochs);
        self
    }

    /// Decides everything random: what is held out, the order of samples, what parameters start with, and dropout. When
    /// it is not called, the seed is that of the checkpoint that training goes on from, or else 0.
    pub fn seed(mut self, seed: u64) -> Trainer {
        self.seed = Some(seed);
        self
    }

    /// The seed in use.
    fn seed_in_use(&self) -> u64 {
        self.seed.unwrap_or_default()
    }

    /// Holds out a share of the samples, and looks at them after every epoch.
    pub fn validate(mut self, share: f64) -> Trainer {
        self.validate = share;
        self
    }

    /// Divides the data's floats by a number; when nothing is said, by that of the checkpoint that training goes on
    /// from, or else by the largest magnitude of what is trained on.
    pub fn scale(mut self, by: f64) -> Trainer {
        self.scale = Some(by);
        self
    }

    /// Makes a checkpoint every so many steps, and one at the end, in a folder that keeps the newest three.
    pub fn save(mut self, folder: impl Into<PathBuf>, every: u64) -> Trainer {
        let keep = self.saving.as_ref().map_or(3, |s| s.keep);
        self.saving = Some(Saving { folder: folder.into(), every: every.max(1), keep });
        self
    }

    /// Keeps so many checkpoints.
    pub fn keep(mut self, keep: usize) -> Trainer {
        if let Some(saving) = &mut self.saving {
            saving.keep = keep;
        }
        self
    }

    /// Goes on from a checkpoint, or from the newest one of a folder; from the beginning, where the folder has none.
    /// The mesh and the presets may be others than before.
    pub fn resume(mut self, from: impl Into<PathBuf>) -> Trainer {
        self.resume = Some(from.into());
        self
    }

    /// Goes on from a checkpoint although the seed, the model, the data or how it is trained are others than they were:
    /// without this, that is an error.
    pub fn accept_changes(mut self) -> Trainer {
        self.with_changes = true;
        self
    }

    /// Takes up another plan behind a step, counted from the beginning of training: behind a checkpoint there, if any
    /// are kept, and with the parameters and the state that there are then. The next step is the one that would have
    /// come anyway.
    pub fn replan(mut self, behind: u64, plan: &Plan) -> Trainer {
        self.later.push((behind, plan.clone()));
        self.later.sort_by_key(|(step, _)| *step);
        self
    }

    /// Begins with the parameters of a safetensors file, where it has them.
    pub fn initial(mut self, file: impl Into<PathBuf>) -> Trainer {
        self.initial = Some(file.into());
        self
    }

    /// Begins with the weights that the model came with, where it has them: see
    /// [`load_with_weights`](crate::load_with_weights). A file of [`Trainer::initial`] wins over them.
    pub fn weights(mut self, weights: Weights) -> Trainer {
        self.weights = weights;
        self
    }

    /// Writes a line of JSON for each step. A run that goes on from a checkpoint goes on behind the lines of the steps
    /// before.
    pub fn metrics(mut self, file: impl Into<PathBuf>) -> Trainer {
        self.metrics = Some(file.into());
        self
    }

    /// Freezes layers at the front while training goes on, once their gradients have become small.
    pub fn freeze_when(mut self, when: FreezeWhen) -> Trainer {
        self.freeze_when = Some(when);
        self
    }

    /// Keeps what frozen layers at the front give for each sample, so that they run once for each and not in every
    /// epoch.
    pub fn cache(mut self, budget: Budget) -> Trainer {
        self.cache = Some(budget);
        self
    }

    /// Stops behind the step under way once this is true, with a checkpoint there when the run keeps any.
    pub fn stop_when(mut self, asked: Arc<AtomicBool>) -> Trainer {
        self.stop = Some(asked);
        self
    }

    /// Trains, and tells what happens.
    ///
    /// # Errors
    /// What is wrong with the plan (`L`, `D`), the data (`S001`, `S002`) or a checkpoint (`K001` to `K007`), and `D009`
    /// when a loss is no number.
    pub fn run(self, seen: &mut dyn FnMut(&Event<'_>)) -> Result<Trained> {
        work::Work::begin(self, seen)?.carry_out(seen)
    }
}

/// What happens while a model is trained.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// Steps can begin.
    Begins {
        /// The step of the checkpoint that training goes on from, else 0.
        step: u64,
        /// Steps in all.
        steps: u64,
        /// How many devices there are.
        devices: usize,
        /// How many samples are trained on, and how many are held out.
        samples: [usize; 2],
        /// What a step takes of memory on each device.
        memory: Footprint,
    },
    /// A step was made.
    Step(&'a Record),
    /// Layers are not trained from here on.
    Frozen(&'a [String]),
    /// A checkpoint was made.
    Saved(&'a std::path::Path),
    /// Something that the user should know.
    Note(&'a str),
}

/// What training came to.
#[derive(Clone, Debug)]
pub struct Trained {
    /// Steps in all, also those before a checkpoint that this run went on from.
    pub steps: u64,
    /// The step that this run began with.
    pub from: u64,
    /// Whether it was asked to stop before its end.
    pub stopped: bool,
    /// The checkpoint of its last step, where there is one.
    pub checkpoint: Option<PathBuf>,
    /// What was measured in each step, also of the runs before when there is a file of metrics.
    pub records: Vec<Record>,
    /// How good the model is on what was held out.
    pub validation: Option<Score>,
    /// Parameters and state of the optimizer, whole, by path.
    pub parameters: IndexMap<String, Tensor>,
    /// Samples a second, over the steps of this run.
    pub throughput: f64,
    /// Layers that were frozen on the way.
    pub frozen: Vec<String>,
    /// How often what frozen layers give was known, where it is kept.
    pub cached: Option<Counts>,
}

impl Trained {
    /// The loss of the last step.
    pub fn loss(&self) -> f64 {
        self.records.last().map_or(f64::NAN, |r| r.loss)
    }
}
