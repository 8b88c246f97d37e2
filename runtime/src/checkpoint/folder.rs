//! A folder of checkpoints, of which the newest are kept: `step-00000120.safetensors`.

use super::disk::{Disk, System, UNFINISHED, create_folder, write_whole};
use super::lock::Lock;
use super::{Checkpoint, file};
use partita_ir::diag::{Code, Diagnostic, shell_path};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where checkpoints are kept, by one training run at a time.
pub struct Folder {
    path: PathBuf,
    keep: usize,
    disk: Box<dyn Disk + Send>,
    /// Held until the run ends.
    _lock: Lock,
}

impl Folder {
    /// A folder that is made if it is not there, and of which so many newest checkpoints are kept, at least one. It is
    /// locked, and what an interrupted run left unfinished is removed.
    ///
    /// # Errors
    /// `K006` when another run has the folder, `C001` when the operating system refuses.
    pub fn open(path: &Path, keep: usize) -> Result<Folder, Diagnostic> {
        Folder::open_on(path, keep, System)
    }

    /// [`Folder::open`] on another disk.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn open_on(path: &Path, keep: usize, disk: impl Disk + Send + 'static) -> Result<Folder, Diagnostic> {
        let refused = |e: &io::Error| Diagnostic::of_file("write to", path, e);
        create_folder(&disk, path).map_err(|e| refused(&e))?;
        let lock = Lock::take(path)?;
        for entry in fs::read_dir(path).map_err(|e| refused(&e))?.flatten() {
            let name = entry.file_name().into_string().unwrap_or_default();
            if name.strip_suffix(UNFINISHED).and_then(step_of).is_some() {
                fs::remove_file(entry.path()).map_err(|e| refused(&e))?;
            }
        }
        Ok(Folder { path: path.to_owned(), keep: keep.max(1), disk: Box::new(disk), _lock: lock })
    }

    /// The checkpoints, oldest first.
    pub fn list(&self) -> Vec<PathBuf> {
        list(&self.path)
    }

    /// Writes a checkpoint. Once it lies on the disk, those of later steps go, which belong to a past that was given
    /// up, and so do the oldest.
    ///
    /// # Errors
    /// `K004` when it cannot be written; the others are then as they were.
    pub fn save(&self, checkpoint: &Checkpoint) -> Result<PathBuf, Diagnostic> {
        let step = checkpoint.progress.step;
        let path = self.path.join(format!("step-{step:08}.safetensors"));
        let bytes = file::to_file(checkpoint).map_err(|why| {
            Diagnostic::new(Code::K004, format!("cannot write checkpoint `{}`", path.display())).note(why)
        })?;
        write_whole(&*self.disk, &path, &bytes).map_err(|e| self.refused(&path, bytes.len(), &e))?;
        let all = self.list();
        let older: Vec<&PathBuf> = all.iter().filter(|p| step_at(p).is_some_and(|s| s <= step)).collect();
        let later = all.iter().filter(|p| step_at(p).is_some_and(|s| s > step));
        for path in older.iter().rev().skip(self.keep).copied().chain(later) {
            // One too many does no harm, and the next checkpoint tries again.
            let _ = fs::remove_file(path);
        }
        Ok(path)
    }

    fn refused(&self, path: &Path, bytes: usize, error: &io::Error) -> Diagnostic {
        let full = error.kind() == io::ErrorKind::StorageFull;
        let why = if full { "the disk is full".to_owned() } else { error.to_string() };
        let title = format!("cannot write checkpoint `{}`: {why}", path.display());
        let refused = Diagnostic::new(Code::K004, title).note(format!("it has {bytes} bytes"));
        match self.list().last() {
            Some(last) => refused
                .note("the checkpoints before it are as they were")
                .help(format!("make room, then go on from the last one: `--resume {}`", shell_path(last))),
            None => refused.help("make room, or keep checkpoints somewhere else with `--save`"),
        }
    }
}

/// Reads the newest checkpoint of a folder; `None` when there is none.
///
/// # Errors
/// `K001` when it is damaged, with the newest one that is not.
pub(super) fn newest(folder: &Path) -> Result<Option<(PathBuf, Checkpoint)>, Diagnostic> {
    let mut newest_first = list(folder).into_iter().rev();
    let Some(path) = newest_first.next() else { return Ok(None) };
    let error = match Checkpoint::read(&path) {
        Ok(checkpoint) => return Ok(Some((path, checkpoint))),
        Err(error) => error,
    };
    let whole = newest_first.find_map(|path| Checkpoint::read(&path).ok().map(|c| (path, c.progress.step)));
    Err(match whole {
        Some((path, step)) => {
            error.help(format!("the one of step {step} is whole; go on from it: `--resume {}`", shell_path(&path)))
        }
        None => error.help("no other checkpoint is whole: start over in another folder"),
    })
}

/// The checkpoints in a folder, oldest first.
fn list(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<(u64, PathBuf)> = entries.filter_map(|e| Some((step_at(&e.path())?, e.path()))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, path)| path).collect()
}

/// The step of a checkpoint.
fn step_at(path: &Path) -> Option<u64> {
    step_of(path.file_name()?.to_str()?)
}

/// The step that a file is named after.
fn step_of(name: &str) -> Option<u64> {
    name.strip_prefix("step-")?.strip_suffix(".safetensors")?.parse().ok()
}
