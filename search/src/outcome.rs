//! Results of a search.

use crate::evaluate::SimulatedPlan;

/// Plans in ascending order of simulated step time, and a lower bound of the step time.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The fastest plans found, at least one. Plans that do not fit into memory are last, and first only if the search
    /// was stopped before it found a plan that fits.
    pub plans: Vec<SimulatedPlan>,
    /// Memory limit of a device in bytes.
    pub memory: u64,
    /// Lower bound of the simulated step time of all plans of the search space, in seconds. `None` if it is unknown.
    pub bound: Option<f64>,
    /// All evaluated plans, in the order of evaluation.
    pub candidates: Vec<SimulatedPlan>,
    /// True if the search was stopped early.
    pub is_interrupted: bool,
}

impl Outcome {
    /// Returns the relative gap between the step time of the best plan and the lower bound. `None` if the bound is
    /// unknown.
    pub fn gap(&self) -> Option<f64> {
        let best = self.plans.first()?.seconds;
        self.bound.map(|bound| if best > 0.0 { ((best - bound) / best).max(0.0) } else { 0.0 })
    }

    /// Returns the best plans of two searches, and the lower bound of both.
    pub(crate) fn merged(mut self, other: Outcome, shown: usize) -> Outcome {
        self.plans.extend(other.plans);
        let memory = self.memory;
        self.plans.sort_by_key(|plan| (plan.peak > memory, plan.seconds.to_bits()));
        self.plans.truncate(shown);
        self.bound = self.bound.zip(other.bound).map(|(a, b)| a.min(b));
        self.candidates.extend(other.candidates);
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
