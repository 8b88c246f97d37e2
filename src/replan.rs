//! A new plan in place of the present one, when devices were lost or added or layers are frozen.

mod report;

use crate::error::Result;
use crate::search::{Goal, Monitor, Progress, SearchRequest};
use crate::simulate::Simulation;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_machine::Machine;
pub use partita_search::replan::Change;
use partita_search::replan::{Moves, PredictedPlan, Replanned, replan};

/// A new plan, and what has to move for it. Prints as tables.
pub struct Replan {
    model: String,
    machine: String,
    change: Change,
    replanned: Replanned,
}

impl Replan {
    /// Finds a plan for what has changed. `goal` says how to search; its devices and memory do not count.
    ///
    /// # Errors
    /// Errors in the present plan, `H002` for devices that the machine does not have, and errors of a search.
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
                Simulation::of_plan(program, plan, machine, &goal.efficiencies).map_err(|error| error.0)?;
            let prediction = simulation.prediction();
            Ok(PredictedPlan {
                params: partition.planned().params.values().map(|param| param.path.clone()).collect(),
                map: partition.plan().mapped()?,
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

    /// Renames the model in texts.
    pub fn named(mut self, model: &str) -> Replan {
        model.clone_into(&mut self.model);
        self
    }
}
