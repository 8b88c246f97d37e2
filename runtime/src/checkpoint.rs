//! Checkpoints: all that training needs to go on, in one file that is either whole or not there.
//!
//! A [`Checkpoint`] has every parameter and all state of the optimizer, whole and by dotted name, so that any mesh and
//! any preset can go on from it, and a [`Progress`]: how far training has come. [`file`] is its form in bytes, a
//! safetensors file whose header holds a checksum of everything. A [`Folder`] keeps the newest ones for one run at a
//! time (`lock`): each is written under another name, synced and renamed ([`disk`]), and only then do older ones go.

pub mod disk;
mod file;
mod folder;
mod lock;

pub use folder::Folder;

use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::input_file::{self, Limit};
use partita_ir::program::OPTIMIZER;
use partita_ir::tensor::Tensor;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How far training has come. Random keys and the order of samples are functions of the seed and of what stands here.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Epochs completed.
    pub epoch: u64,
    /// Samples of this epoch that were seen.
    pub offset: u64,
    /// Where all random numbers come from.
    pub seed: u64,
    /// What the model is called.
    pub model: String,
    /// The plan, as TOML.
    pub plan: String,
    /// What the floats of the data were divided by, if by anything; older checkpoints do not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub scale: Option<f64>,
    /// Layers that were frozen on the way, in order.
    pub frozen: Vec<String>,
    /// For each layer that is not frozen: for how many steps its gradient has been small.
    pub calm: BTreeMap<String, u64>,
    /// What was trained and on what; older checkpoints do not say.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub origin: Option<Origin>,
}

/// Fingerprints of what decides, with the plan and the seed, what training comes to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Origin {
    /// Of the model as it was traced, without layouts.
    pub program: u64,
    /// Of all samples.
    pub data: u64,
    /// What the data set is called.
    pub data_name: String,
    /// The share of it that is held out.
    pub validate: f64,
}

/// What training goes on from.
#[derive(Clone, PartialEq, Debug)]
pub struct Checkpoint {
    /// How far it has come.
    pub progress: Progress,
    /// Parameters and state of the optimizer, whole, by dotted name.
    pub tensors: IndexMap<String, Tensor>,
}

impl Checkpoint {
    /// Reads a checkpoint.
    ///
    /// # Errors
    /// `C001` when the file cannot be read, `K001` when it is not what was written, `F002` when it never was a
    /// checkpoint.
    pub fn read(path: &Path) -> Result<Checkpoint, Diagnostic> {
        let bytes = input_file::read(path, Limit::TENSORS)?;
        file::from_bytes(path, &bytes)
    }

    /// Reads the checkpoint at a path, or the newest one when that is a folder; `None` for a folder that has none.
    ///
    /// # Errors
    /// As [`Checkpoint::read`]; of a damaged one in a folder with the newest one that is not.
    pub fn find(path: &Path) -> Result<Option<(PathBuf, Checkpoint)>, Diagnostic> {
        if path.is_dir() {
            return folder::newest(path);
        }
        Checkpoint::read(path).map(|checkpoint| Some((path.to_owned(), checkpoint)))
    }

    /// Whether these are the parameters of a model: all of them, of those types, and no others.
    ///
    /// # Errors
    /// `K002` with the names that differ.
    pub fn expect<'m>(&self, path: &Path, params: impl Iterator<Item = (&'m str, &'m Type)>) -> Result<(), Diagnostic> {
        let mut others: IndexMap<&str, &Tensor> = self.tensors.iter().map(|(name, t)| (name.as_str(), t)).collect();
        let (mut missing, mut unlike) = (Vec::new(), Vec::new());
        for (name, ty) in params {
            match others.shift_remove(name) {
                Some(tensor) if tensor.ty != *ty => unlike.push(format!("`{name}` ({} there, {ty} here)", tensor.ty)),
                Some(_) => {}
                None => missing.push(format!("`{name}`")),
            }
        }
        let is_state = |name: &&str| name.starts_with(OPTIMIZER);
        let others: Vec<String> = others.keys().filter(|n| !is_state(n)).map(|name| format!("`{name}`")).collect();
        if missing.is_empty() && unlike.is_empty() && others.is_empty() {
            return Ok(());
        }
        let title = format!("`{}` is a checkpoint of another model", path.display());
        let mut error = Diagnostic::new(Code::K002, title);
        error = error.note(format!("it was written while `{}` was trained", self.progress.model));
        for (what, names) in
            [("the checkpoint lacks", missing), ("only the checkpoint has", others), ("of another type are", unlike)]
        {
            if !names.is_empty() {
                error = error.note(format!("{what} {}", first(&names)));
            }
        }
        Err(error.help("resume with the model that was trained, or keep checkpoints of this one in another folder"))
    }
}

/// The first names of a list.
fn first(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
