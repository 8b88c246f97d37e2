//! Faults of kernels. A device reports one at some later call: the error then names what was launched since the device
//! last answered.

use crate::module::{Kernel, Module};
use indexmap::IndexMap;
use partita_ir::diag::Diagnostic;
use rustc_hash::FxBuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Variables that make each launch wait until its kernel is done.
const BLOCKING: [&str; 2] = ["PARTITA_CUDA_BLOCKING", "CUDA_LAUNCH_BLOCKING"];

/// Most launches that an error lists.
const LISTED: usize = 8;

/// Ops whose kernels read or write at places that depend on data. All other places are known to be within their
/// buffers.
const BY_DATA: [&str; 7] =
    ["gather", "scatter", "dynamic_slice", "dynamic_update_slice", "sort", "top_k", "select_and_scatter"];

/// Whether the environment asks that each launch is waited for.
pub(super) fn is_blocking() -> bool {
    BLOCKING.iter().any(|name| std::env::var_os(name).is_some_and(|value| value == "1"))
}

/// A launch: the seat of the device, the stage, the kernel by position in the module, and the name of the task by
/// position in the code of the stage.
type Launched = (usize, usize, usize, u32);

/// Launches that devices have not answered for.
#[derive(Default)]
pub(super) struct Launches(Mutex<IndexMap<Launched, u64, FxBuildHasher>>);

impl Launches {
    fn held(&self) -> MutexGuard<'_, IndexMap<Launched, u64, FxBuildHasher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a launch.
    pub(super) fn add(&self, launched: Launched) {
        *self.held().entry(launched).or_default() += 1;
    }

    /// Forgets the launches on a device that has answered.
    pub(super) fn forget(&self, seat: usize) {
        self.held().retain(|(of, ..), _| *of != seat);
    }

    /// An error with the launch that caused it, which was waited for.
    pub(super) fn caused_by(
        &self,
        module: &Module,
        (_, stage, kernel, name): Launched,
        error: Diagnostic,
    ) -> Diagnostic {
        self.held().clear();
        error.note(format!("the fault is in {}", told(module, stage, kernel, name)))
    }

    /// An error with the launches that may have caused it.
    pub(super) fn explain(&self, module: &Module, error: Diagnostic) -> Diagnostic {
        let launched = self.held();
        let told = |(_, stage, kernel, name): &Launched| told(module, *stage, *kernel, *name);
        let mut lines: Vec<String> = launched.keys().map(told).collect();
        lines.dedup();
        let error = match &lines[..] {
            [] => return error,
            [one] => return error.note(format!("all that was launched since the device last answered is {one}")),
            [..] if lines.len() <= LISTED => {
                error.note(format!("launched since the device last answered: {}", lines.join("; ")))
            }
            [first @ .., last] => {
                let more = lines.len() - LISTED;
                let first = first[..LISTED - 1].join("; ");
                error.note(format!("launched since the device last answered: {first}; {more} more; {last}"))
            }
        };
        let likely = launched.keys().find(|(_, _, kernel, _)| module.kernels.get(*kernel).is_some_and(is_by_data));
        let error = likely.iter().fold(error, |error, likely| {
            error.note(format!("the fault is likely in {}: where it reads or writes depends on data", told(likely)))
        });
        error.help(format!(
            "set {}=1 and run again: each launch is waited for, and the error names one kernel",
            BLOCKING[0]
        ))
    }
}

/// A kernel, the op of its task, and where that stands in the model.
fn told(module: &Module, stage: usize, kernel: usize, name: u32) -> String {
    let Some(kernel) = module.kernels.get(kernel) else { return "a kernel of another module".into() };
    let op = module.code[stage].names.get(name as usize).map(|name| format!(" for `{name}`")).unwrap_or_default();
    let source = module.program.stages[stage].programs.first().map_or("", |program| program.source.as_str());
    let places = match &kernel.purpose.places[..] {
        [] => String::new(),
        places => format!(" ({} of `{source}`)", places.join(", ")),
    };
    format!("kernel `{}`{op}{places}", kernel.name)
}

fn is_by_data(kernel: &Kernel) -> bool {
    kernel.purpose.ops.iter().filter_map(|op| op.split(' ').next_back()).any(|op| BY_DATA.contains(&op))
}
