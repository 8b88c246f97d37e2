//! Replanning: a new plan after devices were lost or added, or layers were frozen.

mod report;

use crate::error::Result;
use crate::search::{Goal, Monitor, Progress, SearchRequest};
use crate::simulate::Simulation;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_machine::Machine;
pub use partita_search::replan::Change;
use partita_search::replan::{Moves, PredictedPlan, ReplanResult, replan};

/// A new plan and the transfers of parameters and state that it requires. Prints as tables.
pub struct Replan {
    model: String,
    machine: String,
    change: Change,
    replanned: ReplanResult,
}

impl Replan {
    /// Finds a plan for a change. `goal` configures the search, except for its devices and memory, which follow from
    /// the change.
    ///
    /// # Errors
    /// Errors in the present plan, `H002` for devices that the machine does not have, and errors of the search.
    pub fn find(
        program: &Program,
        present: &Plan,
        machine: &Machine,
        change: &Change,
        goal: &Goal,
        on_progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> Result<Replan> {
        let predict = |plan: &Plan| -> std::result::Result<PredictedPlan, Vec<Diagnostic>> {
            let (partition, simulation) =
                Simulation::from_plan(program, plan, machine, &goal.efficiencies).map_err(|error| error.0)?;
            let prediction = simulation.prediction();
            Ok(PredictedPlan {
                params: partition.planned().params.values().map(|param| param.path.clone()).collect(),
                map: partition.plan().mesh_axis_order()?,
                seconds: prediction.seconds,
                peak: prediction.peak_bytes(),
                pipeline: partition.stages().map_err(|error| error.0)?.clone(),
            })
        };
        let request = SearchRequest { program, plan: present, machine, goal };
        let replanned = replan(&request, change, &predict, &mut Monitor::new(None, on_progress))?;
        let (model, machine) = (program.source.to_string(), machine.name.to_string());
        Ok(Replan { model, machine, change: change.clone(), replanned })
    }

    /// The new plan.
    pub fn plan(&self) -> &Plan {
        &self.replanned.plan
    }

    /// Moves of parameters and state.
    pub fn moves(&self) -> &Moves {
        &self.replanned.placed.moves
    }

    /// Replaces the name of the model in the output.
    pub fn with_model_name(mut self, model: &str) -> Replan {
        model.clone_into(&mut self.model);
        self
    }
}
