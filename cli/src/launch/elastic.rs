//! Plan for the devices that remain when processes are lost.

use crate::CallerModel;
use crate::args::TrainArgs;
use crate::model::{Loaded, plan, program};
use partita::replan::{Change, Replan};
use partita::search::Goal;
use partita::train::{Dataset, Trainer};
use partita::{Compiler, Result, load_machine};
use partita_ir::plan::Plan;
use partita_ir::program::Program;

/// Devices of a node of the default machine.
const DEVICES_OF_NODE: usize = 8;

/// Largest accepted slowdown of a step for fewer moves, and increase of moves for closer devices.
const MAX_SLOWDOWN: f64 = 0.02;
const MAX_EXTRA_MOVES: f64 = 0.1;

/// Model and plan of a training run.
pub(super) struct Elastic {
    program: Program,
    plan: Plan,
    machine: Option<String>,
    devices: usize,
}

impl Elastic {
    /// Loads what the training run loads.
    pub(super) fn new(args: &TrainArgs, machine: Option<&str>, own: Option<&CallerModel<'_>>) -> Result<Elastic> {
        let Loaded { program, .. } = program(args.model.as_deref(), own)?;
        let data = Dataset::read(&args.data, &program)?;
        let plan = Trainer::new(&program, &plan(&args.plan)?, data).complete_plan()?;
        let devices = Compiler::new(&program).plan(&plan).partition()?.device_count();
        Ok(Elastic { program, plan, machine: machine.map(str::to_owned), devices })
    }

    /// Returns the plan for fewer processes, each of which has as many devices as now, and the number of devices that
    /// the plan uses.
    pub(super) fn plan_for(&self, processes: usize, of: usize) -> Result<(Plan, usize)> {
        let devices = (self.devices * processes).div_ceil(of).max(1);
        let nodes = self.devices.div_ceil(DEVICES_OF_NODE);
        let default = format!("dgx-a100?nodes={nodes}");
        let machine = load_machine(self.machine.as_deref().unwrap_or(&default))?;
        let change = Change {
            lost: Vec::new(),
            devices: Some(devices),
            freeze: Vec::new(),
            max_slowdown: MAX_SLOWDOWN,
            max_extra_moves: MAX_EXTRA_MOVES,
        };
        let replan = Replan::find(&self.program, &self.plan, &machine, &change, &Goal::default(), &mut |_| true)?;
        let plan = replan.plan().clone();
        let used = Compiler::new(&self.program).plan(&plan).partition()?.device_count();
        Ok((plan, used))
    }
}
