//! Element types as a choice: a search for each that the user allows, and of all that is found the best.

use super::{Goal, Nothing, Progress, Search, Watch};
use crate::error::Result;
use partita_ir::machine::Machine;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_passes::search::Stop;

/// Searches in each element type that is allowed; that nothing was found is no error yet.
///
/// # Errors
/// What is wrong with the base, `H002` when the machine is too small.
pub(super) fn find(
    program: &Program,
    base: &Plan,
    machine: &Machine,
    goal: &Goal,
    watch: &mut Watch<'_>,
) -> Result<std::result::Result<Search, Nothing>> {
    let mut plans = goal.precisions.iter().map(|dtype| base.clone().precision_flag(dtype));
    let first = plans.next().unwrap_or_else(|| base.clone());
    let mut all = super::find(program, &first, machine, goal, watch)?;
    for plan in plans {
        if all.as_ref().is_ok_and(|known| known.interrupted) {
            break;
        }
        let other = super::find(program, &plan, machine, goal, &mut |at: &Progress| watch(at))?;
        all = match (all, other) {
            (Ok(one), Ok(other)) => Ok(one.and(other, goal.shown)),
            (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(found),
            (Err(nothing), Err(_)) => Err(nothing),
        };
    }
    Ok(all)
}

impl Search {
    /// What two searches found: the best plans of both, and what no layouts take less than in either.
    fn and(mut self, other: Search, shown: usize) -> Search {
        self.plans.extend(other.plans);
        let memory = self.memory;
        self.plans.sort_by_key(|one| (one.peak > memory, one.seconds.to_bits()));
        self.plans.truncate(shown);
        self.cost = self.cost.min(other.cost);
        self.bound = self.bound.min(other.bound);
        self.priced = (self.priced.0 + other.priced.0, self.priced.1 + other.priced.1);
        self.stop = if self.stop == Stop::Work { self.stop } else { other.stop };
        self.interrupted |= other.interrupted;
        self.seconds += other.seconds;
        self
    }
}
