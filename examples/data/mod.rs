//! Location of the data sets of the examples.

use std::path::{Path, PathBuf};

/// Returns the path of a file in `tests/data/train`.
pub fn file(name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The manifest folder may be that of a separate package or that of the workspace.
    let folder = workspace.ancestors().map(|up| up.join("tests/data/train")).find(|folder| folder.is_dir());
    folder.unwrap_or_else(|| workspace.join("tests/data/train")).join(name)
}
