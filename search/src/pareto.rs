//! Pareto front of plans: of all plans found for different numbers of devices and memory limits, those that no other
//! plan dominates in time, memory and devices.

use crate::conflict;
use crate::evaluate::SimulatedPlan;
use crate::monitor::Monitor;
use crate::precision;
use crate::problem::{Goal, SearchRequest};
use partita_ir::diag::Diagnostic;
use std::iter::successors;

/// Pareto front in ascending order of step time.
#[derive(Clone, Debug)]
pub struct ParetoFront {
    /// Plans that no other plan dominates.
    pub plans: Vec<SimulatedPlan>,
    /// Largest memory limit of a device in bytes.
    pub memory: u64,
    /// Number of searches.
    pub searches: usize,
    /// True if the searches were stopped early.
    pub is_interrupted: bool,
}

/// Fraction of the smallest plan's memory that is the limit of the next search.
const NEXT_MEMORY_FRACTION: f64 = 0.8;

/// Maximum number of searches for each number of devices.
const MAX_SEARCHES_PER_DEVICE_COUNT: usize = 4;

/// Searches on all devices, half of them, and so on, each with the full memory limit and then smaller limits, until
/// nothing fits.
///
/// # Errors
/// Returns the errors of [`search`](crate::search) if no plan is found at all.
pub fn search_front(request: &SearchRequest<'_>, monitor: &mut Monitor<'_>) -> Result<ParetoFront, Vec<Diagnostic>> {
    let all_devices = request.goal.devices.unwrap_or(request.machine.device_count());
    let mut front = ParetoFront { plans: Vec::new(), memory: 0, searches: 0, is_interrupted: false };
    for count in successors(Some(all_devices), |count| (*count > 1).then_some(count / 2)) {
        let shown = usize::MAX;
        let mut goal = Goal { devices: Some(count), shown, param_storage: false, ..request.goal.clone() };
        for _ in 0..MAX_SEARCHES_PER_DEVICE_COUNT {
            let request = SearchRequest { goal: &goal, ..*request };
            let outcome = match precision::search(&request, monitor) {
                Ok(Ok(outcome)) => outcome,
                // The user's decisions can require all devices or all memory.
                Ok(Err(_)) | Err(_) if !front.plans.is_empty() => break,
                Ok(Err(infeasible)) => return Err(conflict::explain(&request, &infeasible, monitor).into()),
                Err(errors) => return Err(errors),
            };
            front.searches += 1;
            front.is_interrupted |= outcome.is_interrupted;
            front.memory = front.memory.max(outcome.memory);
            let smallest = outcome.plans.iter().map(|plan| plan.peak).min().unwrap_or(0);
            goal.memory = Some((NEXT_MEMORY_FRACTION * smallest as f64) as u64);
            front.plans.extend(outcome.plans.into_iter().filter(|plan| plan.peak <= outcome.memory));
            if front.is_interrupted {
                break;
            }
        }
        if front.is_interrupted {
            break;
        }
    }
    front.plans = undominated(front.plans);
    Ok(front)
}

/// Returns the plans that no other plan dominates in time, memory and devices, in ascending order of step time.
fn undominated(mut plans: Vec<SimulatedPlan>) -> Vec<SimulatedPlan> {
    plans.sort_by(|a, b| (a.seconds.total_cmp(&b.seconds)).then((a.peak, a.devices).cmp(&(b.peak, b.devices))));
    let mut front: Vec<SimulatedPlan> = Vec::new();
    for plan in plans {
        // Earlier plans are not slower.
        if front.iter().all(|other| other.peak > plan.peak || other.devices > plan.devices) {
            front.push(plan);
        }
    }
    front
}
