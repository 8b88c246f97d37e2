//! Tests of several processes with the MPI of this machine.

use crate::{Outcome, apt_install, cargo, run};
use std::path::Path;
use std::process::Command;

/// Runs `tests/ranks/run` with the command that the tests use. Installs Open MPI if `mpirun` is missing.
pub(crate) fn check(root: &Path) -> Outcome {
    let has_mpirun = Command::new("mpirun").arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !has_mpirun {
        apt_install("openmpi-bin")?;
    }
    // The command is built as for the tests, which avoids recompilation.
    cargo(root, "test --workspace --test cli --no-run --locked", &[], &[])?;
    let program = root.join("target/debug/partita").display().to_string();
    run(root, &["tests/ranks/run".to_owned(), program], &[])
}
