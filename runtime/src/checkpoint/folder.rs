//! Folder that retains the newest checkpoints: files `step-00000120.safetensors`, and sharded checkpoints in folders
//! `step-00000120`.

use super::disk::{Disk, SystemDisk, TEMPORARY_SUFFIX, create_folder, write_atomically};
use super::lock::Lock;
use super::manifest::MANIFEST_FILE;
use super::saved::SavedCheckpoint;
use super::sharded::{self, remove_sharded};
use super::{Checkpoint, Progress, file};
use crate::state::State;
use partita_ir::diag::{Code, Diagnostic, shell_path};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folder of checkpoints, used by one training run at a time.
pub struct Folder {
    path: PathBuf,
    retained: usize,
    disk: Box<dyn Disk + Send>,
    /// Released when the run ends. `None` in the processes of a run other than the first.
    lock: Option<Lock>,
}

impl Folder {
    /// Opens or creates a folder that retains the `retained` newest checkpoints, at least one. Locks the folder and
    /// removes incomplete files of interrupted runs.
    ///
    /// # Errors
    /// `K006` when another run uses the folder, `C001` when the operating system refuses.
    pub fn open(path: &Path, retained: usize) -> Result<Folder, Diagnostic> {
        Folder::open_with_disk(path, retained, SystemDisk)
    }

    /// [`Folder::open`] with the given disk.
    ///
    /// # Errors
    /// Same as [`Folder::open`].
    pub fn open_with_disk(
        path: &Path,
        retained: usize,
        disk: impl Disk + Send + 'static,
    ) -> Result<Folder, Diagnostic> {
        let refused = |e: &io::Error| Diagnostic::io_error("write to", path, e);
        create_folder(&disk, path).map_err(|e| refused(&e))?;
        let lock = Lock::acquire(path)?;
        for entry in fs::read_dir(path).map_err(|e| refused(&e))?.flatten() {
            let (name, path) = (entry.file_name().into_string().unwrap_or_default(), entry.path());
            if name.strip_suffix(TEMPORARY_SUFFIX).and_then(step_of_name).is_some() {
                fs::remove_file(path).map_err(|e| refused(&e))?;
            } else if step_of_name(&name).is_some() && path.is_dir() && !path.join(MANIFEST_FILE).exists() {
                remove_sharded(&path).map_err(|e| refused(&e))?;
            }
        }
        Ok(Folder { path: path.to_owned(), retained: retained.max(1), disk: Box::new(disk), lock: Some(lock) })
    }

    /// Returns the folder for a process of a run other than the first, which opens the folder.
    pub fn for_other_process(path: &Path) -> Folder {
        Folder::for_other_process_with_disk(path, SystemDisk)
    }

    /// [`Folder::for_other_process`] with the given disk.
    pub fn for_other_process_with_disk(path: &Path, disk: impl Disk + Send + 'static) -> Folder {
        Folder { path: path.to_owned(), retained: 1, disk: Box::new(disk), lock: None }
    }

    /// Returns the checkpoints, oldest first.
    pub fn list(&self) -> Vec<PathBuf> {
        list(&self.path)
    }

    /// Writes a checkpoint. Once it is synced, deletes the checkpoints of later steps, which belong to an abandoned
    /// run, and the oldest ones beyond the limit.
    ///
    /// # Errors
    /// `K004` when it cannot be written; the other checkpoints are then unchanged.
    pub fn save(&self, checkpoint: &Checkpoint) -> Result<PathBuf, Diagnostic> {
        let step = checkpoint.progress.step;
        let path = self.path.join(format!("step-{step:08}.safetensors"));
        let bytes = file::to_file(checkpoint).map_err(|why| {
            Diagnostic::new(Code::K004, format!("cannot write checkpoint `{}`", path.display())).note(why)
        })?;
        write_atomically(&*self.disk, &path, &bytes).map_err(|e| self.refused(&path, bytes.len() as u64, &e))?;
        self.remove_others(step, &path);
        Ok(path)
    }

    /// Writes the state of several processes, or of one, as a sharded checkpoint, as [`Folder::save`] does. Must be
    /// called by all processes.
    ///
    /// # Errors
    /// `K004` with the process that cannot write, on all processes; the other checkpoints are then unchanged. `R003`
    /// when replicas of a shard differ, and `R005` when a process fails.
    pub fn save_state(&self, progress: &Progress, state: &State) -> Result<PathBuf, Diagnostic> {
        let path = self.path.join(format!("step-{:08}", progress.step));
        let is_first = self.lock.is_some();
        let refused = |path: &Path, bytes: u64, error: &io::Error| self.refused(path, bytes, error);
        sharded::save(&sharded::Save { path: &path, disk: &*self.disk, is_first, refused: &refused }, progress, state)?;
        if is_first {
            self.remove_others(progress.step, &path);
        }
        Ok(path)
    }

    /// Deletes other checkpoints than `saved` of the same step, those of later steps, and the oldest ones beyond the
    /// limit.
    fn remove_others(&self, step: u64, saved: &Path) {
        let all = self.list();
        let (current, others): (Vec<&PathBuf>, Vec<&PathBuf>) = all.iter().partition(|p| p.as_path() == saved);
        let (older, newer): (Vec<&PathBuf>, Vec<&PathBuf>) =
            others.into_iter().partition(|p| step_of_path(p).is_some_and(|s| s < step));
        for path in older.iter().rev().skip(self.retained - current.len().min(self.retained)).copied().chain(newer) {
            // An extra checkpoint is harmless; the next save tries to delete it again.
            let _ = if path.is_dir() { remove_sharded(path) } else { fs::remove_file(path) };
        }
    }

    fn refused(&self, path: &Path, bytes: u64, error: &io::Error) -> Diagnostic {
        let full = error.kind() == io::ErrorKind::StorageFull;
        let why = if full { "the disk is full".to_owned() } else { error.to_string() };
        let title = format!("cannot write checkpoint `{}`: {why}", path.display());
        let refused = Diagnostic::new(Code::K004, title).note(format!("the file has {bytes} bytes"));
        match self.list().last() {
            Some(last) => refused.note("earlier checkpoints are unchanged").help(format!(
                "free disk space, then resume from the last checkpoint: `--resume {}`",
                shell_path(last)
            )),
            None => refused.help("free disk space, or save checkpoints elsewhere: `--save DIR`"),
        }
    }
}

/// Returns the path of a checkpoint: the given one, or that of the newest checkpoint if the path is a folder of
/// checkpoints. `None` for a folder without checkpoints.
pub(super) fn resolve(path: &Path) -> Option<PathBuf> {
    if path.is_dir() && !path.join(MANIFEST_FILE).exists() && step_of_path(path).is_none() {
        return list(path).pop();
    }
    Some(path.to_owned())
}

/// Adds the newest undamaged checkpoint before a damaged one to the error about it.
pub(super) fn with_undamaged(error: Diagnostic, damaged: &Path) -> Diagnostic {
    let parent = damaged.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Some(step) = step_of_path(damaged).filter(|_| error.code == Code::K001) else { return error };
    let earlier = list(parent).into_iter().rev().filter(|path| step_of_path(path).is_some_and(|s| s < step));
    let undamaged = |path: PathBuf| {
        let saved = SavedCheckpoint::open(&path).ok()?;
        saved.verify_all().ok()?;
        Some((path, saved.progress().step))
    };
    match earlier.into_iter().find_map(undamaged) {
        Some((path, step)) => {
            error.help(format!("resume from the undamaged checkpoint of step {step}: `--resume {}`", shell_path(&path)))
        }
        None => error.help("no other checkpoint is undamaged: start over in another folder"),
    }
}

/// Returns the complete checkpoints in a folder, oldest first.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_file = |path: &Path| path.extension().is_some();
    let is_complete = |path: &Path| if path.is_dir() { path.join(MANIFEST_FILE).exists() } else { is_file(path) };
    let paths = entries.map(|entry| entry.path()).filter(|path| is_complete(path));
    let mut found: Vec<(u64, PathBuf)> = paths.filter_map(|path| Some((step_of_path(&path)?, path))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the step of the checkpoint at a path.
fn step_of_path(path: &Path) -> Option<u64> {
    step_of_name(path.file_name()?.to_str()?)
}

/// Returns the step in the name of a checkpoint.
fn step_of_name(name: &str) -> Option<u64> {
    let step = name.strip_prefix("step-")?;
    step.strip_suffix(".safetensors").unwrap_or(step).parse().ok()
}
