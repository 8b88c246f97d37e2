//! The processes of a launcher. Rank 0 prints and writes files; the others are silent unless they fail.

use super::args::RanksFlag;
use partita::Result;
use partita::prelude::*;
use partita_ir::diag::Diagnostic;
use partita_ir::text::print;
use partita_runtime::processes::Processes;
use partita_runtime::processes::agreement::{Item, agree};
use std::sync::{Arc, OnceLock};

/// The processes that this one is connected with, until it ends.
static PROCESSES: OnceLock<Arc<Processes>> = OnceLock::new();

/// Connects this process with the others of its launcher. Returns `None` for a single process.
pub(super) fn connect(flag: &RanksFlag) -> Result<Option<Arc<Processes>>> {
    if let Some(processes) = partita_ranks::connect(flag.ranks)? {
        let _ = PROCESSES.set(processes);
    }
    Ok(PROCESSES.get().cloned())
}

/// Returns true for the rank that prints and writes files, and for a single process.
pub(super) fn is_first() -> bool {
    PROCESSES.get().is_none_or(|processes| processes.index() == 0)
}

/// Divides the devices of a partition among processes, which must have the same program and plan.
pub(super) fn divide(partition: Partition, processes: Arc<Processes>) -> Result<Partition> {
    let items = [
        Item::new("version of Partita", env!("CARGO_PKG_VERSION")),
        Item::new("program", &print(partition.model())),
        Item::new("plan", &partition.plan().to_toml()),
    ];
    agree(&processes, &items)?;
    Ok(partition.on_processes(processes))
}

/// Makes the other ranks fail with the error of this one, unless another rank has failed first.
pub(super) fn abort(why: &Diagnostic) {
    if let Some(processes) = PROCESSES.get().filter(|processes| processes.check().is_ok()) {
        processes.abort(why);
    }
}

/// Ends the connection with the other processes.
pub(super) fn finish() {
    if let Some(processes) = PROCESSES.get() {
        processes.finish();
    }
}
