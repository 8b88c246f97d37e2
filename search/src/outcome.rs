//! Results of a search.

use crate::evaluate::SimulatedPlan;
use crate::intra_op::Stop;

/// Plans in ascending order of simulated step time, and a bound on the prices of layouts.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The fastest plans that were found; at least one, which fits into memory.
    pub plans: Vec<SimulatedPlan>,
    /// Memory limit of a device, in bytes.
    pub memory: u64,
    /// Estimated seconds of a step by the best layouts.
    pub cost: f64,
    /// Estimated seconds that no layouts of the priced configurations take less than.
    pub bound: f64,
    /// Configurations that were priced, and all that there are.
    pub priced: (usize, usize),
    /// Reason why the search for layouts stopped.
    pub stop: Stop,
    /// True if the search was stopped before its end.
    pub is_interrupted: bool,
}

impl Outcome {
    /// Share of their cost by which the best layouts may be above the bound, over the configurations that were priced.
    /// It does not cover simulated seconds, recomputation, schedules and element types.
    pub fn gap(&self) -> f64 {
        if self.cost > 0.0 && self.cost.is_finite() { ((self.cost - self.bound) / self.cost).max(0.0) } else { 0.0 }
    }

    /// The best plans of two searches, and the lower bound of both.
    pub(crate) fn merged(mut self, other: Outcome, shown: usize) -> Outcome {
        self.plans.extend(other.plans);
        let memory = self.memory;
        self.plans.sort_by_key(|one| (one.peak > memory, one.seconds.to_bits()));
        self.plans.truncate(shown);
        self.cost = self.cost.min(other.cost);
        self.bound = self.bound.min(other.bound);
        self.priced = (self.priced.0 + other.priced.0, self.priced.1 + other.priced.1);
        self.stop = if self.stop == Stop::Work { self.stop } else { other.stop };
        self.is_interrupted |= other.is_interrupted;
        self
    }
}

/// Result of a search that found no plan.
#[derive(Clone, Debug)]
pub(crate) struct Infeasible {
    /// Number of devices.
    pub(crate) devices: usize,
    /// Memory limit of a device, in bytes.
    pub(crate) memory: u64,
    /// Smallest peak memory of the plans that were simulated; `None` if no layouts keep to the constraints, whatever
    /// memory they need.
    pub(crate) least: Option<u64>,
    /// True if the model is so large that another search takes long.
    pub(crate) is_large: bool,
}
