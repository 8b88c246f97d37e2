//! Results of a search.

use crate::evaluate::SimulatedPlan;
use crate::intra_op::Stop;

/// Plans in ascending order of simulated step time, and a lower bound of the estimated step time.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The fastest plans found. At least one, which fits into memory.
    pub plans: Vec<SimulatedPlan>,
    /// Memory limit of a device in bytes.
    pub memory: u64,
    /// Estimated step time with the best layouts in seconds.
    pub cost: f64,
    /// Lower bound in seconds of the estimated step time over all layouts of the priced configurations.
    pub bound: f64,
    /// Number of priced configurations, and of all configurations.
    pub priced: (usize, usize),
    /// Reason why the layout solver stopped.
    pub stop: Stop,
    /// True if the search was stopped early.
    pub is_interrupted: bool,
}

impl Outcome {
    /// Returns the relative gap between the estimated step time of the best layouts and the lower bound over all priced
    /// configurations. Simulated seconds, recomputation, schedules and element types are not covered.
    pub fn gap(&self) -> f64 {
        if self.cost > 0.0 && self.cost.is_finite() { ((self.cost - self.bound) / self.cost).max(0.0) } else { 0.0 }
    }

    /// Returns the best plans of two searches, and the lower bound of both.
    pub(crate) fn merged(mut self, other: Outcome, shown: usize) -> Outcome {
        self.plans.extend(other.plans);
        let memory = self.memory;
        self.plans.sort_by_key(|plan| (plan.peak > memory, plan.seconds.to_bits()));
        self.plans.truncate(shown);
        self.cost = self.cost.min(other.cost);
        self.bound = self.bound.min(other.bound);
        self.priced = (self.priced.0 + other.priced.0, self.priced.1 + other.priced.1);
        self.stop = if self.stop == Stop::WorkLimit { self.stop } else { other.stop };
        self.is_interrupted |= other.is_interrupted;
        self
    }
}

/// Result of a search that found no plan.
#[derive(Clone, Debug)]
pub(crate) struct Infeasible {
    /// Number of devices.
    pub(crate) devices: usize,
    /// Memory limit of a device in bytes.
    pub(crate) memory: u64,
    /// Smallest peak memory of the simulated plans in bytes. `None` if no layouts satisfy the constraints with any
    /// memory.
    pub(crate) least: Option<u64>,
    /// True if the model is so large that another search takes long.
    pub(crate) is_large: bool,
}
