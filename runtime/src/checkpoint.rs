//! Checkpoints: the complete training state, written atomically.
//!
//! A [`Checkpoint`] contains every parameter and all optimizer state as global tensors by dotted name, so that training
//! can resume on any mesh and with any preset, and a [`Progress`], the position in the training run. It has two forms:
//!
//! - One process writes a single safetensors file, whose header contains a checksum of the entire file (`file`).
//! - Several processes write a folder (`sharded`): each process writes the shards of its devices to safetensors files
//!   of its own, and the first one renames the `manifest` into place after all shards are on stable storage.
//!
//! A [`SavedCheckpoint`] reads both forms by extent, on any number of processes ([`CheckpointSource`]), and [`merge`]
//! and [`split`] convert between them. A [`Folder`] retains the newest checkpoints of one run at a time (`lock`): each
//! is complete and synced ([`disk`]) before older ones are deleted.

mod convert;
pub mod disk;
mod file;
mod folder;
mod lock;
mod manifest;
mod output;
mod saved;
mod sharded;
mod source;
mod sums;
pub(crate) mod tensor_file;

pub use convert::{FileStatus, MergeTarget, file_states, merge, split};
pub use folder::Folder;
pub use manifest::MANIFEST_FILE;
pub use output::write_state;
pub use saved::{SavedCheckpoint, SavedFile, SavedShard, SavedTensor};
pub use source::CheckpointSource;

use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::program::OPTIMIZER_PREFIX;
use partita_ir::tensor::Tensor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Position in a training run. Random keys and the sample order are functions of the seed and these fields.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Completed steps.
    pub step: u64,
    /// Completed epochs.
    pub epoch: u64,
    /// Samples of the current epoch already used.
    pub offset: u64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Name of the model.
    pub model: String,
    /// Plan as TOML.
    pub plan: String,
    /// Divisor applied to floating-point data; absent without scaling and in older checkpoints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scale: Option<f64>,
    /// Layers frozen so far, in order.
    pub frozen: Vec<String>,
    /// Number of consecutive steps with a small gradient, for each layer that is not frozen.
    #[serde(rename = "calm")]
    pub small_gradient_steps: BTreeMap<String, u64>,
    /// Fingerprints of the model and the data; absent in older checkpoints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<Origin>,
}

/// Fingerprints of the inputs that, with the plan and the seed, determine the result of training.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Fingerprint of the traced model without layouts.
    pub program: u64,
    /// Fingerprint of all samples.
    pub data: u64,
    /// Name of the data set.
    pub data_name: String,
    /// Fraction of the data set held out for validation.
    pub validate: f64,
}

/// Training state from which a run can resume.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// Position in the training run.
    pub progress: Progress,
    /// Parameters and optimizer state as global tensors, by dotted name.
    pub tensors: IndexMap<String, Tensor>,
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// `C001` when the file cannot be read, `K001` when it is damaged, `F002` when its format is not supported.
    pub fn read(path: &Path) -> Result<Checkpoint, Diagnostic> {
        SavedCheckpoint::open(path)?.read_all()
    }

    /// Reads the checkpoint at a path, or the newest one if the path is a folder; `None` for a folder without
    /// checkpoints.
    ///
    /// # Errors
    /// Same as [`Checkpoint::read`]. For a damaged checkpoint in a folder, the help names the newest undamaged one.
    pub fn find(path: &Path) -> Result<Option<(PathBuf, Checkpoint)>, Diagnostic> {
        let Some(path) = folder::resolve(path) else { return Ok(None) };
        match Checkpoint::read(&path) {
            Ok(checkpoint) => Ok(Some((path, checkpoint))),
            Err(error) => Err(folder::with_undamaged(error, &path)),
        }
    }

    /// Checks that the checkpoint contains exactly the given parameters with the given types.
    ///
    /// # Errors
    /// `K002` with the names that differ.
    pub fn check_params<'m>(
        &'m self,
        path: &Path,
        params: impl Iterator<Item = (&'m str, &'m Type)>,
    ) -> Result<(), Diagnostic> {
        let own = self.tensors.iter().map(|(name, tensor)| (name.as_str(), &tensor.ty));
        check_param_types(path, &self.progress.model, own, params)
    }
}

/// Checks that the tensors `own` of a checkpoint are exactly the given parameters, and optimizer state. `model` was
/// trained when the checkpoint was written.
fn check_param_types<'m>(
    path: &Path,
    model: &str,
    own: impl Iterator<Item = (&'m str, &'m Type)>,
    params: impl Iterator<Item = (&'m str, &'m Type)>,
) -> Result<(), Diagnostic> {
    let mut others: IndexMap<&str, &Type> = own.collect();
    let (mut missing, mut mismatched) = (Vec::new(), Vec::new());
    for (name, ty) in params {
        match others.shift_remove(name) {
            Some(own) if own != ty => mismatched.push(format!("`{name}` ({own} in the checkpoint, {ty} in the model)")),
            Some(_) => {}
            None => missing.push(format!("`{name}`")),
        }
    }
    let is_state = |name: &&str| name.starts_with(OPTIMIZER_PREFIX);
    let others: Vec<String> = others.keys().filter(|n| !is_state(n)).map(|name| format!("`{name}`")).collect();
    if missing.is_empty() && mismatched.is_empty() && others.is_empty() {
        return Ok(());
    }
    let title = format!("`{}` is a checkpoint of another model", path.display());
    let mut error = Diagnostic::new(Code::K002, title);
    error = error.note(format!("it was written while training `{model}`"));
    for (label, names) in
        [("the checkpoint lacks", missing), ("only the checkpoint has", others), ("types differ for", mismatched)]
    {
        if !names.is_empty() {
            error = error.note(format!("{label} {}", list_first(&names)));
        }
    }
    Err(error.help("use the model that was trained, or save checkpoints of this model to another folder"))
}

/// Formats the first names of a list and the number of the others.
fn list_first(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
