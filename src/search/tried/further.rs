//! More of what turned out to be good: other layouts, stages of different size, other schedules and numbers of parts.

use super::super::outline::Outline;
use super::super::unequal::unequal;
use super::{NEAR, SLACK, Tried, again};
use crate::error::Result;
use partita_ir::plan::Plan;
use partita_search::SearchGraph;
use partita_search::intra_op::{ChosenLayouts, Overlap};
use partita_search::write::Detail;

/// What else may be assumed: that gradients' reductions are hidden by what is computed beside them or not, and that
/// state does not lie in pieces.
const ASSUMED: [Assumption; 6] = [
    (Some(ALL), true),
    (Some(ALL), false),
    (Some(NOTHING), true),
    (Some(Overlap::EITHER[0]), false),
    (Some(Overlap::EITHER[1]), true),
    (Some(Overlap::EITHER[0]), true),
];

/// Of large models so many of them are assumed.
const MOST_ASSUMED: usize = 1;

/// The same where weights may be kept otherwise than they are used.
const KEPT: [Assumption; 2] = [(None, true), (Some(NOTHING), true)];

/// What is waited for, if that is assumed, and whether state may lie in pieces.
type Assumption = (Option<Overlap>, bool);

/// All that is reduced is waited for.
const ALL: Overlap = Overlap { reductions: 1.0, backward: 1.0 };

/// Nothing waits for gradients.
const NOTHING: Overlap = Overlap { reductions: 0.0, backward: 1.0 };

/// Of so many plans of a single stage it is tried whether they are faster with tasks in an order.
const ORDERED: usize = 4;

/// Schedules that are tried with the best plan.
const SCHEDULES: [&str; 4] = ["interleaved?chunks=2", "interleaved?chunks=4", "zb-h1", "1f1b"];

impl Tried<'_, '_> {
    /// Tries other layouts for an outline, whose first plan takes so many seconds.
    pub(super) fn look_again(&mut self, outline: &Outline, seconds: f64) -> Result<()> {
        let spread = &outline.spread;
        let Some(graph) = self.of.graph(spread).filter(|_| self.has_more()) else { return Ok(()) };
        let ground = self.of.ground;
        let best = |graph: &SearchGraph<'_>, assumed: &[Assumption]| -> Result<Vec<ChosenLayouts>> {
            let found = ground.layouts(graph, spread, |layouts| {
                let best = |&assumed| layouts.best(&ground.assumed(spread, assumed), ground.effort);
                assumed.iter().filter_map(best).collect()
            })?;
            Ok(found.unwrap_or_default())
        };
        let mut others = best(graph, if self.is_large { &ASSUMED[..MOST_ASSUMED] } else { &ASSUMED })?;
        if let Some(graph) = self.of.with_param_storage(spread) {
            others.extend(best(&graph, &KEPT)?);
        }
        let mut known = vec![(&outline.found, seconds)];
        for found in &others {
            if self.has_more() && !known.iter().any(|(known, _)| known.has_same_layouts(found)) {
                known.push((found, self.realise(spread, found, &Detail::ALL[..1])?));
            }
        }
        if !self.is_large {
            known.sort_by(|a, b| a.1.total_cmp(&b.1));
            for (found, _) in known {
                self.realise(spread, found, &Detail::ALL[1..])?;
            }
        }
        Ok(())
    }

    /// Tries stages of different size, in the usual order and in that of the best plan.
    pub(super) fn look_at_unequal(&mut self, outlines: &[Outline]) -> Result<()> {
        let best = self.plans.iter().filter(|one| self.fits(one)).min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let schedule = best.and_then(|best| best.schedule.clone()).filter(|_| self.of.ground.base.schedule.is_none());
        for plan in unequal(&self.of, outlines)? {
            let ordered = schedule.iter().map(|schedule| plan.clone().schedule(schedule));
            for plan in ordered.collect::<Vec<_>>().into_iter().chain([plan]) {
                self.simulate(plan, &mut self.of.ways(false))?;
            }
        }
        Ok(())
    }

    /// Tries the other lowering of the best plans of a single stage: micro-batches as tasks in an order instead of a
    /// program without one.
    pub(super) fn look_at_orders(&mut self) {
        let enough = NEAR * self.fastest();
        let near = self.plans.iter().filter(|one| one.stages == 1 && one.seconds <= enough && self.fits(one));
        let mut near: Vec<(f64, Plan, &'static str)> =
            near.filter_map(|one| Some((one.seconds, self.of.in_order(&one.plan)?, one.recompute))).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, plan, recompute) in near.into_iter().take(ORDERED) {
            if !self.goes_on() {
                break;
            }
            self.comes_to(plan, recompute);
        }
    }

    /// Tries other schedules and numbers of parts with the best plan that has stages, as long as that helps.
    pub(super) fn refine(&mut self) -> Result<()> {
        loop {
            let fitting = self.plans.iter().filter(|one| self.fits(one) && one.stages > 1);
            let best = fitting.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
            // What is nearly as fast as anything may become the best by that.
            let Some(best) =
                best.filter(|best| best.seconds <= if self.is_large { NEAR } else { SLACK } * self.fastest())
            else {
                return Ok(());
            };
            let (seconds, recompute) = (best.seconds, best.recompute != "none");
            let base = self.of.ground.base;
            let plan = Plan { remat: base.remat.clone(), ..best.plan.clone() };
            let mut others: Vec<Plan> = Vec::new();
            if base.schedule.is_none() {
                others.extend(SCHEDULES.iter().map(|&schedule| plan.clone().schedule(schedule)));
            }
            if base.micro_batches.is_none() {
                let parts = [best.parts * 2, best.parts / 2].into_iter().filter(|&parts| parts > 1);
                others.extend(parts.map(|parts| plan.clone().micro_batches(parts.to_string())));
            }
            let way = self.of.ways(recompute)[0];
            if self.has_more() {
                let unknown =
                    others.iter().filter(|plan| !self.known.contains_key(&again((*plan).clone(), way).to_toml()));
                self.ahead(unknown.map(|plan| (plan.clone(), way)).collect());
            }
            let mut least = f64::INFINITY;
            for plan in others {
                if !self.has_more() {
                    return Ok(());
                }
                least = least.min(self.simulate(plan, &mut self.of.ways(recompute))?);
            }
            if least >= seconds {
                return Ok(());
            }
        }
    }
}
