//! The processes of a launcher. Rank 0 prints and writes files; the others are silent unless they fail.

use super::args::{ExactFlag, RanksFlag};
use partita::Result;
use partita::prelude::*;
use partita::report::{Align, Table};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Monoid;
#[cfg(feature = "gpu")]
use partita_ir::program::Program;
use partita_ir::text::print;
use partita_ir::units::format_bytes;
use partita_ranks::Transport;
use partita_ranks::launch::control;
use partita_runtime::processes::Processes;
use partita_runtime::processes::agreement::{Item, agree};
use partita_runtime::processes::native::CollectiveChoice;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The processes that this one is connected with, until it ends.
static PROCESSES: OnceLock<Arc<Processes>> = OnceLock::new();

/// Connects this process with the others of its launcher. Returns `None` for a single process. Calls `on_pause` when
/// `partita launch` asks for a stop.
pub(super) fn connect(flag: &RanksFlag, on_pause: impl Fn() + Send + 'static) -> Result<Option<Arc<Processes>>> {
    if flag.ranks == Transport::Nccl {
        let title = "`--ranks nccl` applies to GPUs, but the devices are on the CPU";
        let help = "leave it out, or run the kernels for GPUs: `partita run MODEL --target cuda:sm_90 --ranks nccl`";
        return Err(Diagnostic::new(Code::R005, title).help(help).into());
    }
    connect_with(flag, on_pause)
}

fn connect_with(flag: &RanksFlag, on_pause: impl Fn() + Send + 'static) -> Result<Option<Arc<Processes>>> {
    control::obey(on_pause);
    if let Some(processes) = partita_ranks::connect(flag.ranks, Duration::from_secs(flag.rank_timeout))? {
        let _ = PROCESSES.set(processes);
    }
    Ok(PROCESSES.get().cloned())
}

/// [`connect_until_stopped`] for devices on GPUs, which communicate over NCCL.
#[cfg(feature = "gpu")]
pub(super) fn connect_gpus(flag: &RanksFlag) -> Result<Option<Arc<Processes>>> {
    if let Transport::Mpi | Transport::Tcp = flag.ranks {
        let title = format!("`--ranks {}` applies to devices on the CPU, but kernels for GPUs run", flag.ranks);
        let help = "use `--ranks nccl`, or leave it out: one process runs all GPUs";
        return Err(Diagnostic::new(Code::R005, title).help(help).into());
    }
    connect_with(flag, || std::process::exit(1))
}

/// [`connect`] for a command without checkpoints, which ends at once when `partita launch` asks for a stop.
pub(super) fn connect_until_stopped(flag: &RanksFlag) -> Result<Option<Arc<Processes>>> {
    connect(flag, || std::process::exit(1))
}

/// Lets processes use the collectives of their transport where they are faster, unless `--exact` is given, to all or to
/// none.
pub(super) fn allow_native_collectives(processes: &Processes, flag: ExactFlag) -> Result<()> {
    agree(processes, &[Item::new("order of sums", if flag.exact { "--exact" } else { "without --exact" })])?;
    if !flag.exact {
        processes.use_native_collectives();
    }
    Ok(())
}

/// Formats the choices between Partita's collectives and those of MPI, with the measured times. Empty if there was
/// no choice.
pub(super) fn collectives_text() -> String {
    use Align::{Left, Right};
    let choices = choices();
    if choices.is_empty() {
        return String::new();
    }
    let mut table = Table::new([
        ("collective", Left),
        ("type", Left),
        ("bytes", Right),
        ("ranks", Right),
        ("own", Right),
        ("MPI", Right),
        ("used", Left),
    ]);
    for choice in choices {
        let name = choice.monoid.map_or_else(String::new, |monoid| format!(" {}", monoid.name()));
        let [own, mpi] = match choice.seconds {
            Some(seconds) => seconds.map(|seconds| format!("{:.3} ms", 1e3 * seconds)),
            None => [const { String::new() }; 2],
        };
        table.row([
            format!("{}{name}", choice.collective),
            choice.dtype.to_string(),
            format_bytes(choice.bytes),
            choice.ranks.to_string(),
            own,
            mpi,
            if choice.is_native() { "MPI" } else { "own" }.to_owned(),
        ]);
    }
    format!("\n{table}")
}

/// Adds the choices to a JSON object, if there were any.
pub(super) fn add_collectives(object: &mut Value) {
    let choice = |choice: &CollectiveChoice| {
        json!({
            "collective": choice.collective,
            "monoid": choice.monoid.map(Monoid::name),
            "dtype": choice.dtype.name(),
            "bytes": choice.bytes,
            "ranks": choice.ranks,
            "seconds": choice.seconds.map(|[own, mpi]| json!({ "own": own, "mpi": mpi })),
            "used": if choice.is_native() { "mpi" } else { "own" },
        })
    };
    let choices = choices();
    if !choices.is_empty() {
        object["collectives"] = choices.iter().map(choice).collect();
    }
}

fn choices() -> Vec<CollectiveChoice> {
    PROCESSES.get().map_or_else(Vec::new, |processes| processes.collective_choices())
}

/// Returns true for the rank that prints and writes files, and for a single process.
pub(super) fn is_first() -> bool {
    PROCESSES.get().is_none_or(|processes| processes.index() == 0)
}

/// Divides the devices of a partition among processes, which must have the same program and plan.
pub(super) fn divide(partition: Partition, processes: Arc<Processes>) -> Result<Partition> {
    agree_on(&partition, &processes)?;
    Ok(partition.on_processes(processes))
}

/// Checks that all processes have the same compiled model, and run as many steps of it from the same seed.
#[cfg(feature = "gpu")]
pub(super) fn agree_on_run(
    processes: &Processes,
    (program, plan): (&Program, &str),
    (steps, seed): (u64, u64),
) -> Result<()> {
    let items = [
        Item::new("version of Partita", env!("CARGO_PKG_VERSION")),
        Item::new("program", &print(program)),
        Item::new("plan", plan),
        Item::new("number of steps", &steps.to_string()),
        Item::new("seed", &seed.to_string()),
    ];
    Ok(agree(processes, &items)?)
}

/// Checks that all processes have the same partition.
pub(super) fn agree_on(partition: &Partition, processes: &Processes) -> Result<()> {
    let items = [
        Item::new("version of Partita", env!("CARGO_PKG_VERSION")),
        Item::new("program", &print(partition.model())),
        Item::new("plan", &partition.plan().to_toml()),
    ];
    Ok(agree(processes, &items)?)
}

/// Makes the other ranks fail with the error of this one, unless another rank has failed first.
pub(super) fn abort(why: &Diagnostic) {
    if let Some(processes) = PROCESSES.get() {
        processes.abort(why);
    }
}

/// Returns the exit code for a user error. `partita launch` learns from it whether another rank has failed before.
pub(super) fn exit_code_of_error() -> u8 {
    let has_other_failed = PROCESSES.get().is_some_and(|processes| processes.check().is_err());
    if has_other_failed && control::is_controlled() { control::OTHER_RANK_FAILED } else { 1 }
}

/// Ends the connection with the other processes.
pub(super) fn finish() {
    if let Some(processes) = PROCESSES.get() {
        processes.finish();
    }
}
