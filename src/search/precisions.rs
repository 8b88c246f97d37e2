//! Element types as a choice: a search for each that the user allows, and of all that is found the best.

use super::{Goal, Nothing, Outcome};
use crate::error::Result;
use partita_ir::plan::Plan;
use partita_search::Stop;

/// What was found, or why nothing was.
type Found = std::result::Result<Outcome, Nothing>;

/// Lets `find` search in each element type that is allowed; in what the plan says if there are none.
///
/// # Errors
/// What `find` says.
pub(super) fn each(base: &Plan, goal: &Goal, find: &mut dyn FnMut(&Plan) -> Result<Found>) -> Result<Found> {
    let mut plans = goal.precisions.iter().map(|dtype| base.clone().precision("**", dtype));
    let mut all = find(&plans.next().unwrap_or_else(|| base.clone()))?;
    for plan in plans {
        if all.as_ref().is_ok_and(|known| known.interrupted) {
            break;
        }
        all = match (all, find(&plan)?) {
            (Ok(one), Ok(other)) => Ok(one.and(other, goal.shown)),
            (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(found),
            (Err(nothing), Err(_)) => Err(nothing),
        };
    }
    Ok(all)
}

impl Outcome {
    /// What two searches found: the best plans of both, and what no layouts take less than in either.
    fn and(mut self, other: Outcome, shown: usize) -> Outcome {
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
