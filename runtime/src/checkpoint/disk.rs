//! Atomic file writes: a file is either complete or absent.

use crate::io::create_anew;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes the contents of a file.
pub type Content<'c> = dyn FnMut(&mut dyn Write) -> io::Result<()> + 'c;

/// Destination of file writes. Tests implement it with disks that are full or fail.
pub trait Disk {
    /// Writes a new file and waits until it is on stable storage.
    ///
    /// # Errors
    /// The error of the operating system or of `content`; a partial file may remain.
    fn write(&self, path: &Path, content: &mut Content<'_>) -> io::Result<()>;

    /// Syncs the directory entries of a folder, on systems where folders can be opened.
    ///
    /// # Errors
    /// The error of the operating system.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }
}

/// File system of the operating system.
#[derive(Clone, Copy, Default, Debug)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn write(&self, path: &Path, content: &mut Content<'_>) -> io::Result<()> {
        let mut file = create_anew(path)?;
        content(&mut file)?;
        file.sync_all()
    }
}

/// Suffix of incomplete files.
pub(super) const TEMPORARY_SUFFIX: &str = ".part";

/// Writes a file under a temporary name, renames it once it is synced, and syncs the folder.
///
/// # Errors
/// The error of the disk. The file at `path` is then unchanged or still absent.
pub fn write_atomically(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_content_atomically(disk, path, &mut |out| out.write_all(bytes))
}

/// [`write_atomically`] for contents that are not in memory.
///
/// # Errors
/// The error of the disk or of `content`. The file at `path` is then unchanged or still absent.
pub fn write_content_atomically(disk: &dyn Disk, path: &Path, content: &mut Content<'_>) -> io::Result<()> {
    let temporary = temporary_path(path);
    disk.write(&temporary, content).and_then(|()| fs::rename(&temporary, path)).inspect_err(|_| {
        // A file that cannot be removed is left behind.
        let _ = fs::remove_file(&temporary);
    })?;
    disk.sync_folder(parent(path))
}

/// Creates a folder and its missing ancestors and syncs their directory entries, without which a crash could lose the
/// folder and the checkpoints in it.
///
/// # Errors
/// The error of the disk.
pub(super) fn create_folder(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists()).collect();
    fs::create_dir_all(path)?;
    missing.into_iter().rev().try_for_each(|made| disk.sync_folder(parent(made)))
}

/// Returns the folder that contains a path.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the temporary name of an incomplete file.
fn temporary_path(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(TEMPORARY_SUFFIX);
    PathBuf::from(name)
}
