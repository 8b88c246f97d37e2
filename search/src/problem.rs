//! Inputs of a search. A [`SearchRequest`] contains the user's plan; a [`SearchProblem`] contains the [`Constraints`]
//! derived from it.

mod constraints;
mod fixed_layouts;
mod mesh_shapes;
mod space_limits;
mod step;

pub use constraints::{Constraints, RECOMPUTE_LEVELS};
pub use fixed_layouts::FixedLayouts;
pub(crate) use mesh_shapes::mesh_shapes;
pub use space_limits::SpaceLimits;
pub use step::Step;

use crate::limits::Effort;
use crate::target::{Target, TargetRules};
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::{Plan, PlanEntry};
use partita_ir::program::{Form, Program};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;

/// Objective and limits of a search.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Number of devices. `None` for all devices of the machine.
    pub devices: Option<usize>,
    /// Memory limit of a device in bytes. `None` for the memory of the smallest device.
    pub memory: Option<u64>,
    /// Layouts that every plan must satisfy: paths, each with a layout, or with an axis that shards the matched values
    /// along the best dimension.
    pub fix: Vec<PlanEntry>,
    /// Element types to choose from. Empty for those of the plan.
    pub precisions: Vec<String>,
    /// True if storage layouts of weights can differ from the layout in use when nothing fits otherwise, which takes
    /// several times as long.
    pub param_storage: bool,
    /// Maximum number of plans in the outcome.
    pub shown: usize,
    /// Effort for each mesh.
    pub effort: Effort,
    /// Limits of the search space.
    pub space: SpaceLimits,
    /// Framework that executes the plan. `None` for Partita, which executes every plan.
    pub target: Option<Target>,
    /// Achieved fractions of data sheet rates.
    pub efficiencies: Efficiencies,
}

impl Default for Goal {
    fn default() -> Goal {
        Goal {
            devices: None,
            memory: None,
            fix: Vec::new(),
            precisions: Vec::new(),
            param_storage: true,
            shown: 5,
            effort: Effort::default(),
            space: SpaceLimits::default(),
            target: None,
            efficiencies: Efficiencies::default(),
        }
    }
}

/// Request of a user.
#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// The traced program.
    pub program: &'a Program,
    /// The user's decisions: training, presets, layouts, and all other plan entries.
    pub plan: &'a Plan,
    /// The machine.
    pub machine: &'a Machine,
    /// Objective and limits.
    pub goal: &'a Goal,
}

impl SearchRequest<'_> {
    /// Returns the maximum number of devices to use.
    ///
    /// # Errors
    /// Returns `H002` if the machine has fewer devices, and `G001` for a program that already has layouts.
    pub fn device_count(&self) -> Result<usize, Diagnostic> {
        let SearchRequest { program, machine, .. } = self;
        let available = machine.device_count();
        let count = self.goal.devices.unwrap_or(available);
        if count == 0 || count > available {
            let title = format!("`{}` has {available} devices, but {count} are requested", machine.name);
            let larger = machine.name_with_devices(count);
            return Err(Diagnostic::new(Code::H002, title).help(format!("use a machine with more nodes: `{larger}`")));
        }
        if program.form > Form::Traced {
            let title = format!("`{}` is already {}: its layouts are fixed", program.source, program.form.name());
            return Err(Diagnostic::new(Code::G001, title).help("run the search on the traced program"));
        }
        Ok(count)
    }

    /// Returns the memory limit of a device in bytes.
    pub fn memory(&self) -> u64 {
        self.goal.memory.unwrap_or_else(|| self.machine.kinds.iter().map(|kind| kind.memory).min().unwrap_or(0))
    }
}

/// Inputs of the stages of a search.
#[derive(Clone, Copy, Debug)]
pub struct SearchProblem<'a> {
    /// The traced program.
    pub program: &'a Program,
    /// The user's decisions.
    pub constraints: &'a Constraints,
    /// The machine, with prices of its collectives.
    pub prices: &'a Prices<'a>,
    /// Memory limit of a device in bytes.
    pub memory: u64,
    /// Effort for each mesh.
    pub effort: &'a Effort,
    /// Limits of the search space.
    pub space: &'a SpaceLimits,
    /// Rules of the framework that executes the plan. `None` for Partita.
    pub target: Option<&'a TargetRules>,
    /// Achieved fractions of data sheet rates.
    pub efficiencies: &'a Efficiencies,
    /// Bytes of the gradients of all parameters.
    pub gradient_bytes: u64,
}

impl<'a> SearchProblem<'a> {
    /// Returns the machine.
    pub fn machine(&self) -> &'a Machine {
        self.prices.machine()
    }

    /// Returns the problem with another memory limit of a device in bytes.
    pub(crate) fn with_memory(self, memory: u64) -> SearchProblem<'a> {
        SearchProblem { memory, ..self }
    }
}
