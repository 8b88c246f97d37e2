//! Diagnostics of kernel faults. A device reports a fault asynchronously, at a later call: the error lists the kernels
//! launched since the device was last synchronised.

use crate::module::{Kernel, Module};
use indexmap::IndexMap;
use partita_ir::diag::Diagnostic;
use rustc_hash::FxBuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Environment variables that make the host wait for each launch.
const BLOCKING_VARIABLES: [&str; 2] = ["PARTITA_CUDA_BLOCKING", "CUDA_LAUNCH_BLOCKING"];

/// Maximum number of launches that an error lists.
const MAX_LISTED_LAUNCHES: usize = 8;

/// Ops whose kernels use data-dependent addresses. All other accesses are verified to be in bounds.
const DATA_DEPENDENT_OPS: [&str; 7] =
    ["gather", "scatter", "dynamic_slice", "dynamic_update_slice", "sort", "top_k", "select_and_scatter"];

/// Returns true if the environment requests blocking launches.
pub(super) fn is_blocking() -> bool {
    BLOCKING_VARIABLES.iter().any(|name| std::env::var_os(name).is_some_and(|value| value == "1"))
}

/// A launch: index of the device, stage, index of the kernel in the module, and index of the task's name in the code of
/// the stage.
type Launched = (usize, usize, usize, u32);

/// Launches that devices have not completed yet.
#[derive(Default)]
pub(super) struct Launches(Mutex<IndexMap<Launched, u64, FxBuildHasher>>);

impl Launches {
    fn lock(&self) -> MutexGuard<'_, IndexMap<Launched, u64, FxBuildHasher>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a launch.
    pub(super) fn add(&self, launched: Launched) {
        *self.lock().entry(launched).or_default() += 1;
    }

    /// Removes the launches on a device that was synchronised.
    pub(super) fn remove_completed(&self, context: usize) {
        self.lock().retain(|(of, ..), _| *of != context);
    }

    /// Adds the launch that caused an error, for blocking launches.
    pub(super) fn caused_by(
        &self,
        module: &Module,
        (_, stage, kernel, name): Launched,
        error: Diagnostic,
    ) -> Diagnostic {
        self.lock().clear();
        error.note(format!("the fault is in {}", describe(module, stage, kernel, name)))
    }

    /// Adds the launches that may have caused an error.
    pub(super) fn explain(&self, module: &Module, error: Diagnostic) -> Diagnostic {
        let launched = self.lock();
        let describe = |(_, stage, kernel, name): &Launched| describe(module, *stage, *kernel, *name);
        let mut lines: Vec<String> = launched.keys().map(describe).collect();
        lines.dedup();
        let error = match &lines[..] {
            [] => return error,
            [one] => return error.note(format!("launched since the device was last synchronised: {one}")),
            [..] if lines.len() <= MAX_LISTED_LAUNCHES => {
                error.note(format!("launched since the device was last synchronised: {}", lines.join("; ")))
            }
            [first @ .., last] => {
                let more = lines.len() - MAX_LISTED_LAUNCHES;
                let first = first[..MAX_LISTED_LAUNCHES - 1].join("; ");
                error.note(format!("launched since the device was last synchronised: {first}; {more} more; {last}"))
            }
        };
        let likely =
            launched.keys().find(|(_, _, kernel, _)| module.kernels.get(*kernel).is_some_and(is_data_dependent));
        let error = likely.iter().fold(error, |error, likely| {
            error.note(format!("the fault is likely in {}: its addresses depend on data", describe(likely)))
        });
        error.help(format!(
            "set {}=1 and run again: the host then waits for each launch, and the error names one kernel",
            BLOCKING_VARIABLES[0]
        ))
    }
}

/// Describes a kernel, the op of its task, and the position of the op in the model.
fn describe(module: &Module, stage: usize, kernel: usize, name: u32) -> String {
    let Some(kernel) = module.kernels.get(kernel) else { return "a kernel of another module".into() };
    let op = module.code[stage].names.get(name as usize).map(|name| format!(" for `{name}`")).unwrap_or_default();
    let source = module.program.stages[stage].programs.first().map_or("", |program| program.source.as_str());
    let places = match &kernel.purpose.places[..] {
        [] => String::new(),
        places => format!(" ({} of `{source}`)", places.join(", ")),
    };
    format!("kernel `{}`{op}{places}", kernel.name)
}

fn is_data_dependent(kernel: &Kernel) -> bool {
    kernel.purpose.ops.iter().filter_map(|op| op.split(' ').next_back()).any(|op| DATA_DEPENDENT_OPS.contains(&op))
}
