//! Runs the programs of `tests/consumer`, a crate outside of the workspace that depends on `partita` alone, as a user's
//! crate does.

use crate::{Outcome, cargo, run, without_optimisation};
use std::fs;
use std::path::Path;

/// Folder of the crate.
const CONSUMER_FOLDER: &str = "tests/consumer";

/// Exclusive upper limit of the number of lines of each program.
const MAX_PROGRAM_LINES: usize = 40;

/// The program that needs a feature. It is built and run as an example of `partita`, whose tests enable all features,
/// since a second build of the GPU dependencies takes many minutes.
const FEATURE_EXAMPLE: &str = "compile";

/// Runs each program of the crate, built with the dependency versions of the workspace.
pub(crate) fn check(root: &Path) -> Outcome {
    let folder = root.join(CONSUMER_FOLDER);
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))
        .map_err(|e| format!("{CONSUMER_FOLDER}/Cargo.lock: {e}"))?;
    let programs = fs::read_dir(folder.join("src/bin")).map_err(|e| format!("{CONSUMER_FOLDER}/src/bin: {e}"))?;
    let mut names: Vec<String> = Vec::new();
    for program in programs {
        let path = program.map_err(|e| format!("{CONSUMER_FOLDER}/src/bin: {e}"))?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let lines = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?.lines().count();
        if lines >= MAX_PROGRAM_LINES {
            return Err(format!("{}: {lines} lines are not fewer than {MAX_PROGRAM_LINES}", path.display()));
        }
        names.push(name);
    }
    names.sort_unstable();
    let target = root.join("target").display().to_string();
    cargo(root, "build --workspace --example compile_ahead --locked", &[], &[])?;
    run(root, &[format!("{target}/debug/examples/compile_ahead")], &[])?;
    // The packages are compiled again for another workspace.
    let flags = without_optimisation(root)?;
    for name in names.iter().filter(|name| *name != FEATURE_EXAMPLE) {
        let words = format!("run --offline --manifest-path {CONSUMER_FOLDER}/Cargo.toml --bin {name}");
        cargo(root, &words, &flags, &[("CARGO_TARGET_DIR", &target)])?;
    }
    Ok(())
}
