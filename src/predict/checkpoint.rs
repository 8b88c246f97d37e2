//! Checkpoints for inference.

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::plan::Plan;
use partita_runtime::checkpoint::Checkpoint;
use std::path::{Path, PathBuf};

/// A checkpoint of a training run, opened for inference.
pub struct TrainedCheckpoint {
    pub(super) path: PathBuf,
    pub(super) checkpoint: Checkpoint,
}

impl TrainedCheckpoint {
    /// Opens the checkpoint at a path, or the newest one of a folder.
    ///
    /// # Errors
    /// `C001` for an unreadable file, `K001` for a damaged one, `F002` for an unsupported format, `K003` for a folder
    /// without checkpoints.
    pub fn open(path: impl AsRef<Path>) -> Result<TrainedCheckpoint> {
        let path = path.as_ref();
        match Checkpoint::find(path)? {
            Some((path, checkpoint)) => Ok(TrainedCheckpoint { path, checkpoint }),
            None => Err(Diagnostic::new(Code::K003, format!("there is no checkpoint in `{}`", path.display())).into()),
        }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Name of the model in training. Do not open the name as a file: a checkpoint from an untrusted source could name
    /// any file. See [`TrainedCheckpoint::built_in_model`].
    pub fn model(&self) -> &str {
        &self.checkpoint.progress.model
    }

    /// Returns the name of the model in training if it is a built-in model, whose name does not refer to a file.
    ///
    /// # Errors
    /// `F004` for any other name.
    pub fn built_in_model(&self) -> Result<&str> {
        if self.model().starts_with("zoo:") {
            return Ok(self.model());
        }
        let title = format!("the checkpoint `{}` names the model `{}`", self.path.display(), self.model());
        Err(Diagnostic::new(Code::F004, title)
            .note("a model file is opened only if you name it, since a checkpoint could name any file")
            .into())
    }

    /// Number of training steps.
    pub fn step(&self) -> u64 {
        self.checkpoint.progress.step
    }

    /// Divisor of the floating-point data in training. `None` for no scaling.
    pub fn scale(&self) -> Option<f64> {
        self.checkpoint.progress.scale
    }

    /// Plan of the training.
    ///
    /// # Errors
    /// `L011` for a plan in the format of an incompatible version.
    pub fn plan(&self) -> Result<Plan> {
        let name = format!("the plan in {}", self.path.display());
        Ok(Plan::from_toml(&Source::new(name, self.checkpoint.progress.plan.clone()))?)
    }
}
