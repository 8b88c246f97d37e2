//! Where the data sets of the examples are.

use std::path::{Path, PathBuf};

/// A file of `tests/data/train`.
pub fn file(name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"));
    // An example may be a package of its own, or one of the workspace's.
    let folder = workspace.ancestors().map(|up| up.join("tests/data/train")).find(|folder| folder.is_dir());
    folder.unwrap_or_else(|| workspace.join("tests/data/train")).join(name)
}
