//! Selection of the element type: one search for each allowed type.

use crate::driver;
use crate::monitor::Monitor;
use crate::outcome::{Infeasible, Outcome};
use crate::problem::SearchRequest;
use partita_ir::diag::Diagnostic;

/// Searches with each allowed element type, or with those of the plan, and returns the best plans overall.
///
/// # Errors
/// Returns the errors of [`driver::search`].
pub(crate) fn search(
    request: &SearchRequest<'_>,
    monitor: &mut Monitor<'_>,
) -> Result<Result<Outcome, Infeasible>, Vec<Diagnostic>> {
    let SearchRequest { plan, goal, .. } = *request;
    let mut plans = goal.precisions.iter().map(|dtype| plan.clone().precision("**", dtype));
    let mut all = match plans.next() {
        Some(plan) => driver::search(&SearchRequest { plan: &plan, ..*request }, monitor)?,
        None => driver::search(request, monitor)?,
    };
    for plan in plans {
        if all.as_ref().is_ok_and(|outcome| outcome.is_interrupted) {
            break;
        }
        let other = driver::search(&SearchRequest { plan: &plan, ..*request }, monitor)?;
        all = match (all, other) {
            (Ok(one), Ok(other)) => Ok(one.merged(other, goal.shown)),
            (Ok(outcome), Err(_)) | (Err(_), Ok(outcome)) => Ok(outcome),
            (Err(infeasible), Err(_)) => Err(infeasible),
        };
    }
    Ok(all)
}
