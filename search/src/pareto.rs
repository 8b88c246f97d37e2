//! Pareto front of plans: of all plans that are found on fewer devices and with less memory, those that no other plan
//! beats in time, memory and devices at once.

use crate::conflict;
use crate::driver::Monitor;
use crate::evaluate::SimulatedPlan;
use crate::precision;
use crate::problem::{Goal, SearchRequest};
use partita_ir::diag::Diagnostic;
use std::iter::successors;

/// Pareto front, the fastest plan first.
#[derive(Clone, Debug)]
pub struct Front {
    /// Plans that no other plan beats.
    pub plans: Vec<SimulatedPlan>,
    /// Largest memory limit of a device, in bytes.
    pub memory: u64,
    /// Number of searches.
    pub searches: usize,
    /// True if the searches were stopped before their end.
    pub is_interrupted: bool,
}

/// Share of the smallest plan's memory that the next search may use.
const MEMORY_SHARE: f64 = 0.8;

/// Searches for each number of devices.
const SEARCHES: usize = 4;

/// Searches on all devices, on half of them and so on, each with all memory and then with less, until nothing fits.
///
/// # Errors
/// As [`search`](crate::search), if there is no plan at all.
pub fn front(request: &SearchRequest<'_>, monitor: &mut Monitor<'_>) -> Result<Front, Vec<Diagnostic>> {
    let all_devices = request.goal.devices.unwrap_or(request.machine.device_count());
    let mut front = Front { plans: Vec::new(), memory: 0, searches: 0, is_interrupted: false };
    for count in successors(Some(all_devices), |count| (*count > 1).then_some(count / 2)) {
        let shown = usize::MAX;
        let mut goal = Goal { devices: Some(count), shown, param_storage: false, ..request.goal.clone() };
        for _ in 0..SEARCHES {
            let request = SearchRequest { goal: &goal, ..*request };
            let outcome = match precision::search(&request, monitor) {
                Ok(Ok(outcome)) => outcome,
                // The user's decisions may need all devices, and all memory.
                Ok(Err(_)) | Err(_) if !front.plans.is_empty() => break,
                Ok(Err(infeasible)) => return Err(conflict::explain(&request, &infeasible, monitor).into()),
                Err(errors) => return Err(errors),
            };
            front.searches += 1;
            front.is_interrupted |= outcome.is_interrupted;
            front.memory = front.memory.max(outcome.memory);
            let smallest = outcome.plans.iter().map(|one| one.peak).min().unwrap_or(0);
            goal.memory = Some((MEMORY_SHARE * smallest as f64) as u64);
            front.plans.extend(outcome.plans.into_iter().filter(|one| one.peak <= outcome.memory));
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

/// Plans that no other plan beats in time, memory and devices at once, the fastest one first.
fn undominated(mut plans: Vec<SimulatedPlan>) -> Vec<SimulatedPlan> {
    plans.sort_by(|a, b| (a.seconds.total_cmp(&b.seconds)).then((a.peak, a.devices).cmp(&(b.peak, b.devices))));
    let mut front: Vec<SimulatedPlan> = Vec::new();
    for one in plans {
        // Plans before it are no slower.
        if front.iter().all(|other| other.peak > one.peak || other.devices > one.devices) {
            front.push(one);
        }
    }
    front
}
