//! Where the data sets of the examples are.

use std::path::{Path, PathBuf};

/// A file of `shared/data/train`, which lies beside the repository, or of the folder that `PARTITA_TRAIN_DATA` names.
pub fn file(name: &str) -> PathBuf {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR"));
    let named = std::env::var_os("PARTITA_TRAIN_DATA").map(PathBuf::from);
    let beside = ["..", "../.."].map(|up| workspace.join(up).join("shared/data/train"));
    let files: Vec<PathBuf> = named.into_iter().chain(beside).map(|folder| folder.join(name)).collect();
    let found = files.iter().find(|file| file.exists()).cloned();
    found.unwrap_or_else(|| {
        eprintln!("note: `PARTITA_TRAIN_DATA` names the folder of `{name}`, where it is not beside the repository");
        files[0].clone()
    })
}
