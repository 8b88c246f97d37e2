//! Folder that retains the newest checkpoints, named `step-00000120.safetensors`.

use super::disk::{Disk, SystemDisk, TEMPORARY_SUFFIX, create_folder, write_atomically};
use super::lock::Lock;
use super::{Checkpoint, file};
use partita_ir::diag::{Code, Diagnostic, shell_path};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folder of checkpoints, used by one training run at a time.
pub struct Folder {
    path: PathBuf,
    retained: usize,
    disk: Box<dyn Disk + Send>,
    /// Released when the run ends.
    _lock: Lock,
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
            let name = entry.file_name().into_string().unwrap_or_default();
            if name.strip_suffix(TEMPORARY_SUFFIX).and_then(step_of_name).is_some() {
                fs::remove_file(entry.path()).map_err(|e| refused(&e))?;
            }
        }
        Ok(Folder { path: path.to_owned(), retained: retained.max(1), disk: Box::new(disk), _lock: lock })
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
        let path = path_of_step(&self.path, step);
        let bytes = file::to_file(checkpoint).map_err(|why| {
            Diagnostic::new(Code::K004, format!("cannot write checkpoint `{}`", path.display())).note(why)
        })?;
        write_atomically(&*self.disk, &path, &bytes).map_err(|e| self.refused(&path, bytes.len(), &e))?;
        let all = self.list();
        let older: Vec<&PathBuf> = all.iter().filter(|p| step_of_path(p).is_some_and(|s| s <= step)).collect();
        let later = all.iter().filter(|p| step_of_path(p).is_some_and(|s| s > step));
        for path in older.iter().rev().skip(self.retained).copied().chain(later) {
            // An extra checkpoint is harmless; the next save tries to delete it again.
            let _ = fs::remove_file(path);
        }
        Ok(path)
    }

    fn refused(&self, path: &Path, bytes: usize, error: &io::Error) -> Diagnostic {
        let full = error.kind() == io::ErrorKind::StorageFull;
        let why = if full { "the disk is full".to_owned() } else { error.to_string() };
        let title = format!("cannot write checkpoint `{}`: {why}", path.display());
        let refused = Diagnostic::new(Code::K004, title).note(format!("the checkpoint has {bytes} bytes"));
        match self.list().last() {
            Some(last) => refused.note("earlier checkpoints are unchanged").help(format!(
                "free disk space, then resume from the last checkpoint: `--resume {}`",
                shell_path(last)
            )),
            None => refused.help("free disk space, or save checkpoints elsewhere: `--save DIR`"),
        }
    }
}

/// Reads the newest checkpoint of a folder; returns `None` if the folder contains none.
///
/// # Errors
/// `K001` when it is damaged; the help names the newest undamaged one.
pub(super) fn newest(folder: &Path) -> Result<Option<(PathBuf, Checkpoint)>, Diagnostic> {
    let mut newest_first = list(folder).into_iter().rev();
    let Some(path) = newest_first.next() else { return Ok(None) };
    let error = match Checkpoint::read(&path) {
        Ok(checkpoint) => return Ok(Some((path, checkpoint))),
        Err(error) => error,
    };
    let undamaged = newest_first.find_map(|path| Checkpoint::read(&path).ok().map(|c| (path, c.progress.step)));
    Err(match undamaged {
        Some((path, step)) => {
            error.help(format!("resume from the undamaged checkpoint of step {step}: `--resume {}`", shell_path(&path)))
        }
        None => error.help("no other checkpoint is undamaged: start over in another folder"),
    })
}

/// Returns the path of the checkpoint of a step in a folder.
pub fn path_of_step(folder: &Path, step: u64) -> PathBuf {
    folder.join(format!("step-{step:08}.safetensors"))
}

/// Returns the checkpoints in a folder, oldest first.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = entries.filter_map(|e| Some((step_of_path(&e.path())?, e.path()))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, path)| path).collect()
}

/// Returns the step of the checkpoint at a path.
fn step_of_path(path: &Path) -> Option<u64> {
    step_of_name(path.file_name()?.to_str()?)
}

/// Returns the step in the name of a checkpoint file.
fn step_of_name(name: &str) -> Option<u64> {
    name.strip_prefix("step-")?.strip_suffix(".safetensors")?.parse().ok()
}
