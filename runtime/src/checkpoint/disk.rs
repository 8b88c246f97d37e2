//! How a file comes to a disk so that it is either whole or not there.

use crate::io::create_anew;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Where bytes go. A disk of one's own can be full, or fail.
pub trait Disk {
    /// Writes a new file and waits until it lies on the disk.
    ///
    /// # Errors
    /// What the operating system says; part of the file may be there.
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Waits until the names in a folder lie on the disk, where folders can be opened for that.
    ///
    /// # Errors
    /// What the operating system says.
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
    }
}

/// The operating system's.
#[derive(Clone, Copy, Default, Debug)]
pub struct System;

impl Disk for System {
    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = create_anew(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    }
}

/// What the names of files that are not complete end in.
pub(super) const UNFINISHED: &str = ".part";

/// Writes a file under another name, renames it once it lies on the disk, and waits until the new name does.
///
/// # Errors
/// What the disk says. Then no file has the name that did not have it before, and what had it is as it was.
pub fn write_whole(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let unfinished = beside(path);
    disk.write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, path)).inspect_err(|_| {
        // Nothing more can be done about a file that cannot even be removed.
        let _ = fs::remove_file(&unfinished);
    })?;
    disk.sync_folder(parent(path))
}

/// Makes a folder and those around it that are missing, and waits until their names lie on the disk: else a checkpoint
/// that does would be lost with its folder.
///
/// # Errors
/// What the disk says.
pub(super) fn create_folder(disk: &dyn Disk, path: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists()).collect();
    fs::create_dir_all(path)?;
    missing.into_iter().rev().try_for_each(|made| disk.sync_folder(parent(made)))
}

/// The folder that a path is in.
fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The name of a file that is not complete.
fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(UNFINISHED);
    PathBuf::from(name)
}
