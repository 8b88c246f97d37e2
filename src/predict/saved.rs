//! Checkpoints to predict with.

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::plan::Plan;
use partita_runtime::checkpoint::Checkpoint;
use std::path::{Path, PathBuf};

/// A checkpoint to predict with.
pub struct Saved {
    pub(super) path: PathBuf,
    pub(super) checkpoint: Checkpoint,
}

impl Saved {
    /// The checkpoint at a path, or the newest one when that is a folder.
    ///
    /// # Errors
    /// `C001` when it cannot be read, `K001` when it is damaged, `K003` for a folder that has none.
    pub fn find(path: impl AsRef<Path>) -> Result<Saved> {
        let path = path.as_ref();
        match Checkpoint::find(path)? {
            Some((path, checkpoint)) => Ok(Saved { path, checkpoint }),
            None => Err(Diagnostic::new(Code::K003, format!("there is no checkpoint in `{}`", path.display())).into()),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name of the model when it was trained. Do not open it as a file: whoever wrote the checkpoint could name any
    /// file. See [`Saved::built_in_model`].
    pub fn model(&self) -> &str {
        &self.checkpoint.progress.model
    }

    /// The name of the model when it was trained, if it is a built-in model, which names no file.
    ///
    /// # Errors
    /// `F004`
    pub fn built_in_model(&self) -> Result<&str> {
        if self.model().starts_with("zoo:") {
            return Ok(self.model());
        }
        let title = format!("the checkpoint `{}` names the model `{}`", self.path.display(), self.model());
        Err(Diagnostic::new(Code::F004, title)
            .note("a model file is opened only when you name it: a checkpoint is data, and could name any file")
            .into())
    }

    /// How many steps it was trained for.
    pub fn step(&self) -> u64 {
        self.checkpoint.progress.step
    }

    /// What the floats of its data were divided by, if by anything.
    pub fn scale(&self) -> Option<f64> {
        self.checkpoint.progress.scale
    }

    /// The plan that it was trained with.
    ///
    /// # Errors
    /// `L011` when another version of Partita wrote it in a way that is not known.
    pub fn plan(&self) -> Result<Plan> {
        let name = format!("the plan in {}", self.path.display());
        Ok(Plan::from_toml(&Source::new(name, self.checkpoint.progress.plan.clone()))?)
    }
}
