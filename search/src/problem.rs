//! Inputs of a search. A [`SearchRequest`] holds the user's plan; a [`SearchProblem`] holds the [`Constraints`] that
//! are made of it, once.

mod constraints;
mod fixed_layouts;
mod mesh_shapes;
mod step;

pub use constraints::Constraints;
pub use fixed_layouts::FixedLayouts;
pub(crate) use mesh_shapes::mesh_shapes;
pub use step::Step;

use crate::limits::Effort;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::{Entry, Plan};
use partita_ir::program::{Form, Program};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;

/// Objective and limits of a search.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Number of devices; all devices of the machine if `None`.
    pub devices: Option<usize>,
    /// Memory limit of a device, in bytes; the memory of the smallest device if `None`.
    pub memory: Option<u64>,
    /// Layouts that every plan keeps to: paths, each with a layout, or with an axis alone that splits the matched
    /// values along whichever dimension is best.
    pub fix: Vec<Entry>,
    /// Element types to choose from for computing; those of the plan if empty.
    pub precisions: Vec<String>,
    /// True if weights may be stored otherwise than they are used where nothing fits without that, which takes several
    /// times as long.
    pub param_storage: bool,
    /// Number of plans in the outcome.
    pub shown: usize,
    /// Effort for each mesh.
    pub effort: Effort,
    /// Shares of data sheet figures that are reached.
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
            efficiencies: Efficiencies::default(),
        }
    }
}

/// Request of a user.
#[derive(Clone, Copy, Debug)]
pub struct SearchRequest<'a> {
    /// The traced program.
    pub program: &'a Program,
    /// The user's decisions: training, presets, layouts, and everything else that a plan says.
    pub plan: &'a Plan,
    /// The machine.
    pub machine: &'a Machine,
    /// Objective and limits.
    pub goal: &'a Goal,
}

impl SearchRequest<'_> {
    /// Number of devices to use at most.
    ///
    /// # Errors
    /// `H002` if the machine has fewer devices, `G001` for a program that is laid out already.
    pub fn device_count(&self) -> Result<usize, Diagnostic> {
        let SearchRequest { program, machine, .. } = self;
        let available = machine.device_count();
        let count = self.goal.devices.unwrap_or(available);
        if count == 0 || count > available {
            let title = format!("`{}` has {available} devices, and {count} are asked for", machine.name);
            return Err(
                Diagnostic::new(Code::H002, title).help("take a machine with more nodes, as in `dgx-a100?nodes=8`")
            );
        }
        if program.form > Form::Traced {
            let title = format!("`{}` is {} already: its layouts are decided", program.source, program.form.name());
            return Err(Diagnostic::new(Code::G001, title).help("search for the traced program"));
        }
        Ok(count)
    }

    /// Memory limit of a device, in bytes.
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
    /// Memory limit of a device, in bytes.
    pub memory: u64,
    /// Effort for each mesh.
    pub effort: &'a Effort,
    /// Shares of data sheet figures that are reached.
    pub efficiencies: &'a Efficiencies,
}

impl<'a> SearchProblem<'a> {
    /// The machine.
    pub fn machine(&self) -> &'a Machine {
        self.prices.machine()
    }

    /// Returns this problem with another memory limit of a device, in bytes.
    pub(crate) fn with_memory(self, memory: u64) -> SearchProblem<'a> {
        SearchProblem { memory, ..self }
    }
}
