//! Plans for what was priced, each simulated: only that says which of them is the best.

mod further;

use super::outline::{Ground, Outline};
use super::plans::{Plans, Same, Simulated, without_budget};
use super::spreads::Spread;
use super::{Candidate, Progress, Watch};
use crate::error::{Error, Result};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_search::intra_op::ChosenLayouts;
use partita_search::write::Detail;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// What is priced at so much more than the best one is not simulated ahead of time, nor of a small model at all where
/// that is what the best one takes.
const SLACK: f64 = 1.3;

/// Prices are about equally far from what is simulated: what would take longer though its price were too high by so
/// much more than that of any other one is not simulated.
const EXACT: f64 = 0.9;

/// Plans that take so much longer than the best one are not tried otherwise.
const NEAR: f64 = 1.1;

/// Ops of programs that are simulated, about, and as many more for each way to spread the step: larger models have
/// fewer plans looked at.
const MOST_OPS: (usize, usize) = (60_000, 6_000);

/// However large models are, so many plans are looked at, and as many more as there are outlines, up to so many.
const FEW: (usize, usize) = (4, 16);

/// The share of them for first sights; then the rest for others of the best.
const AT_FIRST: f64 = 0.5;

/// What needs so much more than there is room for is far from fitting, whatever is computed again.
const FAR: f64 = 2.0;

/// So close to what there is room for layouts are to come.
const CLOSE: f64 = 0.97;

/// With those that turn out to be the best, more layouts are tried.
const LOOKED_AT_AGAIN: usize = 4;

/// All plans that were simulated.
pub(super) struct Tried<'a, 'w> {
    of: Plans<'a>,
    /// What is to be computed by plans.
    made: BTreeMap<Same, Program>,
    plans: Vec<Candidate>,
    /// By text of those that were looked at, their seconds and bytes.
    known: BTreeMap<String, Option<(f64, u64)>>,
    /// By text of a plan, what was simulated ahead of time.
    ahead: BTreeMap<String, Result<Simulated>>,
    /// Why the last one that cannot be carried out cannot.
    refused: Option<Error>,
    /// Ops of what was simulated, and how many there may be.
    ops: usize,
    most_ops: usize,
    /// Whether nothing is quadratic, so that there is nothing to select.
    has_nothing_to_select: bool,
    watch: &'a mut Watch<'w>,
    /// Ways to spread the step that were priced, and how many there were.
    priced: (usize, usize),
    /// What is known of their layouts ([`Progress::bound`]).
    bound: Option<(f64, f64)>,
    /// Whether plans take long enough that what hardly wins is not looked at.
    is_large: bool,
    /// Whether it is not to go on.
    pub(super) interrupted: bool,
}

impl<'a, 'w> Tried<'a, 'w> {
    pub(super) fn new(of: Plans<'a>, watch: &'a mut Watch<'w>) -> Tried<'a, 'w> {
        Tried {
            of,
            made: BTreeMap::new(),
            plans: Vec::new(),
            known: BTreeMap::new(),
            ahead: BTreeMap::new(),
            refused: None,
            ops: 0,
            most_ops: 0,
            has_nothing_to_select: false,
            watch,
            priced: (0, 0),
            bound: None,
            is_large: of.are_large(),
            interrupted: false,
        }
    }

    /// Whether there is to be more: until anything fits there is in any case.
    fn goes_on(&mut self) -> bool {
        let best = self.fastest();
        let best_so_far = best.is_finite().then_some(best);
        let (priced, bound) = (self.priced, self.bound);
        let progress = Progress { priced, simulated: self.plans.len(), best: best_so_far, bound };
        self.interrupted |= !(self.watch)(&progress);
        !self.interrupted || best.is_infinite()
    }

    /// Whether there is to be more than what is there already.
    fn has_more(&mut self) -> bool {
        self.goes_on() && !self.is_enough(1.0)
    }

    /// Whether as much was simulated as this share of all that there is to be.
    fn is_enough(&self, share: f64) -> bool {
        self.ops as f64 > share * self.most_ops as f64
            && self.plans.len() as f64 >= share * (FEW.0 + self.priced.0).min(FEW.1) as f64
    }

    /// Seconds of the fastest plan that fits.
    fn fastest(&self) -> f64 {
        self.plans.iter().filter(|one| self.fits(one)).map(|one| one.seconds).fold(f64::INFINITY, f64::min)
    }

    /// Simulates the best of all outlines, and more of those that turn out to be the best.
    pub(super) fn all(&mut self, outlines: &[Outline]) -> Result<()> {
        self.priced = (outlines.len(), outlines.len());
        let bound = outlines.iter().map(Outline::bound).fold(f64::INFINITY, f64::min);
        self.bound = outlines.first().map(|best| (bound, (1.0 - bound / best.seconds()).max(0.0)));
        self.most_ops = MOST_OPS.0 + MOST_OPS.1 * outlines.len();
        let (mut heads, mut others) = in_turn(outlines);
        self.goes_on();
        if self.interrupted && !heads.is_empty() {
            // Nobody waits for more than is needed.
            others = heads.split_off(1).into_iter().chain(others).collect();
        }
        let plans = self.all_ahead(&heads)?;
        let heads = heads.into_iter().zip(plans);
        let others = others.into_iter().map(|outline| (outline, None));
        let mut first: Vec<(f64, u64, &Outline)> = Vec::new();
        let mut far: Vec<(&Outline, usize)> = Vec::new();
        // By number of stages, what is simulated for what is priced, at least.
        let mut least: BTreeMap<usize, f64> = BTreeMap::new();
        for (outline, plan) in heads.chain(others) {
            let best = self.fastest();
            // What was simulated ahead of time costs nothing more.
            let is_enough = plan.is_none() && self.is_enough(AT_FIRST);
            if !self.goes_on() || (best.is_finite() && is_enough) {
                break;
            }
            let ratio = least.get(&outline.spread.stages).copied().unwrap_or(1.0);
            let is_too_long = match self.is_large {
                true => plan.is_none() && EXACT * ratio * outline.least_seconds() > best,
                false => outline.seconds() > SLACK * best,
            };
            if is_too_long {
                continue;
            }
            let from = self.plans.len();
            match self.at_first_sight(outline, plan, from)? {
                Some((seconds, peak)) => {
                    // What had to compute more again than it was priced for is measured by what that would have been
                    // priced at.
                    let is_it = |one: &&Candidate| one.seconds == seconds && self.fits(one);
                    let again = self.plans[from..].iter().find(is_it).is_some_and(|one| one.recompute == "full");
                    let least = least.entry(outline.spread.stages).or_insert(f64::INFINITY);
                    *least = least.min(seconds / outline.seconds_if(again));
                    first.push((seconds, peak, outline));
                    if again && !outline.spread.recompute {
                        self.in_more_parts(outline, outlines)?;
                    }
                }
                None => far.push((outline, from)),
            }
        }
        // Where nothing else fits, what is far from it is all there is.
        for (outline, from) in far {
            if self.fastest().is_finite() || !self.goes_on() {
                break;
            }
            if let Some((seconds, peak)) = self.at_first_sight(outline, None, from)? {
                first.push((seconds, peak, outline));
            }
        }
        self.refine()?;
        // Where none fits, the smallest ones are the best.
        first.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (seconds, _, outline) in first.into_iter().take(LOOKED_AT_AGAIN) {
            if !self.is_large || seconds <= NEAR * self.fastest() || seconds.is_infinite() {
                self.look_again(outline, seconds)?;
            }
        }
        if self.goes_on() {
            self.look_at_unequal(outlines)?;
        }
        self.refine()?;
        self.look_at_orders();
        Ok(())
    }

    /// Plans for those of the outlines that may be good, simulated on all cores before anybody asks for them.
    fn all_ahead(&mut self, outlines: &[&Outline]) -> Result<Vec<Option<Plan>>> {
        let best = outlines.iter().map(|outline| outline.seconds()).fold(f64::INFINITY, f64::min);
        let of = self.of;
        let write = |outline: &&Outline| {
            let may_be_good = outline.seconds() <= SLACK * best || outline.spread.is_plain();
            may_be_good.then(|| of.write(&outline.spread, &outline.found, Detail::Values)).transpose()
        };
        let written: Vec<Result<Option<Plan>>> = outlines.par_iter().map(write).collect();
        let plans = written.into_iter().collect::<Result<Vec<Option<Plan>>>>()?;
        let written = outlines.iter().zip(&plans).filter_map(|(outline, plan)| Some((outline, plan.clone()?)));
        self.ahead(written.map(|(one, plan)| (plan, of.ways(one.spread.recompute)[0])).collect());
        Ok(plans)
    }

    /// Simulates plans on all cores, before anybody asks for them.
    fn ahead(&mut self, plans: Vec<(Plan, &'static str)>) {
        let plans: Vec<(Plan, &'static str)> = plans.into_iter().map(|(plan, way)| (again(plan, way), way)).collect();
        let of = self.of;
        let mut missing: BTreeMap<Same, Plan> = BTreeMap::new();
        for plan in plans.iter().map(|(plan, _)| without_budget(plan)) {
            missing.insert(Plans::same(&plan), plan);
        }
        let missing: Vec<(Same, Plan)> =
            missing.into_iter().filter(|(same, _)| !self.made.contains_key(same)).collect();
        let made: Vec<Result<Program>> = missing.par_iter().map(|(_, plan)| of.make(plan)).collect();
        let made = missing.into_iter().zip(made).filter_map(|((same, _), made)| Some((same, made.ok()?)));
        self.made.extend(made);
        let made = &self.made;
        let simulate = |(plan, way): &(Plan, &'static str)| {
            let made = made.get(&Plans::same(&without_budget(plan)))?;
            Some((plan.to_toml(), of.simulate(made, plan, way)))
        };
        let simulated: Vec<Option<(String, Result<Simulated>)>> = plans.par_iter().map(simulate).collect();
        self.ahead.extend(simulated.into_iter().flatten());
    }

    /// Simulates plans for an outline, `plan` first if there is one: smaller ones if it does not fit, and one with less
    /// room for layouts. Seconds of the best that fits, and the smallest peak; plans for it begin at `from`. None where
    /// a first plan is far from fitting and there may be better outlines.
    fn at_first_sight(&mut self, outline: &Outline, plan: Option<Plan>, from: usize) -> Result<Option<(f64, u64)>> {
        let spread = &outline.spread;
        if let Some(plan) = plan {
            let seconds = self.simulate(plan, &mut &self.of.ways(spread.recompute)[..1])?;
            let peak = self.plans[from..].iter().map(|one| one.peak).min().unwrap_or(u64::MAX);
            if peak as f64 > FAR * self.of.ground.memory as f64 {
                return Ok(None);
            }
            if seconds.is_finite() {
                return Ok(Some((seconds, peak)));
            }
        }
        let seconds = self.realise(spread, &outline.found, &Detail::ALL[..1])?;
        let seconds = seconds.min(self.tighten(outline, from)?);
        let smallest = self.plans[from..].iter().map(|one| one.peak).min();
        Ok(Some((seconds, smallest.unwrap_or(u64::MAX))))
    }

    /// All plans, at least one: those that fit, then fast ones, then those of few words come first.
    ///
    /// # Errors
    /// Why no plan can be carried out, if none can.
    pub(super) fn best(mut self) -> Result<Vec<Candidate>> {
        if self.plans.is_empty() {
            let title = format!("no plan that was found for `{}` can be carried out", self.of.program.source);
            return Err(self.refused.unwrap_or_else(|| Diagnostic::new(Code::G001, title).into()));
        }
        let memory = self.of.ground.memory;
        self.plans.sort_by_cached_key(|one| (one.peak > memory, one.seconds.to_bits(), one.plan.to_toml().len()));
        self.plans.dedup_by(|b, a| a.mesh == b.mesh && a.seconds == b.seconds && a.peak == b.peak);
        Ok(self.plans)
    }

    fn fits(&self, one: &Candidate) -> bool {
        one.peak <= self.of.ground.memory
    }

    /// Tries again with less room where the simulation needs more than layouts were given; plans for the outline begin
    /// at `from`.
    fn tighten(&mut self, outline: &Outline, from: usize) -> Result<f64> {
        let memory = self.of.ground.memory;
        let way = self.of.ways(outline.spread.recompute)[0];
        let peak = self.plans[from..].iter().filter(|one| one.recompute == way).map(|one| one.peak).min();
        let Some(peak) = peak.filter(|&peak| peak > memory) else { return Ok(f64::INFINITY) };
        let less = memory as f64 * (memory as f64 / peak as f64) * CLOSE;
        let ground = Ground { memory: less as u64, ..*self.of.ground };
        let Some(graph) = self.of.graph(&outline.spread) else { return Ok(f64::INFINITY) };
        match ground.outline(graph, &outline.spread)? {
            Some(outline) => self.realise(&outline.spread, &outline.found, &Detail::ALL[..1]),
            None => Ok(f64::INFINITY),
        }
    }

    /// Tries a step without stages, which turned out not to fit without computing everything again, in more parts, of
    /// which each keeps less; those that are among the outlines are looked at anyway.
    fn in_more_parts(&mut self, outline: &Outline, outlines: &[Outline]) -> Result<()> {
        let ground = self.of.ground;
        if outline.spread.stages > 1 || ground.base.micro_batches.is_some() {
            return Ok(());
        }
        let mut spread = outline.spread.clone();
        while self.goes_on() {
            spread.parts *= 2;
            let Some(graph) = self.of.graph(&spread) else { break };
            if outlines.iter().any(|other| other.spread.parts == spread.parts && other.spread.is_cut_of(&spread)) {
                continue;
            }
            let Some(more) = ground.outline(graph, &spread)? else { break };
            let from = self.plans.len();
            self.at_first_sight(&more, None, from)?;
            if self.plans[from..].iter().any(|one| self.fits(one) && one.recompute != "full") {
                break;
            }
        }
        Ok(())
    }

    /// Simulates plans with these layouts, which say so much of them. Seconds of the best that fits.
    fn realise(&mut self, spread: &Spread, found: &ChosenLayouts, details: &[Detail]) -> Result<f64> {
        let mut least = f64::INFINITY;
        // What does not fit for one way to write the layouts down does not for another.
        let mut ways = self.of.ways(spread.recompute);
        for &detail in details {
            if !self.goes_on() || (detail != Detail::ALL[0] && self.is_enough(1.0)) {
                break;
            }
            let plan = self.of.write(spread, found, detail)?;
            least = least.min(self.simulate(plan, &mut ways)?);
        }
        Ok(least)
    }

    /// Simulates a plan, and where it does not fit, with what is computed again; of the ways to do so those are left
    /// that may fit. Seconds, if it fits in the end.
    fn simulate(&mut self, plan: Plan, ways: &mut &'static [&'static str]) -> Result<f64> {
        let mut whole = None;
        while let Some(&way) = ways.first() {
            let is_pointless = way == "selective" && whole.is_some() && self.has_nothing_to_select;
            if !is_pointless {
                let Some((seconds, peak)) = self.comes_to(again(plan.clone(), way), way) else { break };
                if peak <= self.of.ground.memory {
                    return Ok(seconds);
                }
                self.has_nothing_to_select |= way == "selective" && whole == Some((seconds, peak));
                whole = whole.or(Some((seconds, peak)));
            }
            // The last way is tried with every plan.
            match ways {
                [_, left @ ..] if !left.is_empty() => *ways = left,
                _ => break,
            }
        }
        Ok(f64::INFINITY)
    }

    /// Seconds and bytes of a plan; none if it cannot be carried out.
    fn comes_to(&mut self, plan: Plan, recompute: &'static str) -> Option<(f64, u64)> {
        let text = plan.to_toml();
        if let Some(&known) = self.known.get(&text) {
            return known;
        }
        if !self.ahead.contains_key(&text) {
            self.ahead(vec![(plan.clone(), recompute)]);
        }
        let simulated = self.ahead.remove(&text).unwrap_or_else(|| {
            let made = self.of.make(&without_budget(&plan))?;
            self.of.simulate(&made, &plan, recompute)
        });
        let came_to = match simulated {
            Ok((candidate, ops)) => {
                self.ops += ops;
                let came_to = (candidate.seconds, candidate.peak);
                self.plans.push(candidate);
                Some(came_to)
            }
            Err(refused) => {
                self.refused = Some(refused);
                None
            }
        };
        self.known.insert(text, came_to);
        came_to
    }
}

/// Outlines in the order in which they are looked at: of each number of stages and devices, and of a single stage of
/// each number of parts, the best one, then all others, but for those that only say otherwise what another one says.
fn in_turn(outlines: &[Outline]) -> (Vec<&Outline>, Vec<&Outline>) {
    let says_more = |(at, one): &(usize, &Outline)| {
        !one.has_needless_axis(outlines) && !outlines[..*at].iter().any(|other| one.is_mirrored(other))
    };
    let mut known: BTreeSet<(usize, usize, u64)> = BTreeSet::new();
    let parts = |one: &Outline| if one.spread.stages == 1 { one.spread.parts } else { 0 };
    let outlines = outlines.iter().enumerate().filter(says_more).map(|(_, one)| one);
    outlines.partition(|one| known.insert((one.spread.stages, one.spread.devices_of_stage(), parts(one))))
}

/// A plan that computes so much again.
fn again(plan: Plan, way: &str) -> Plan {
    if way == "none" { plan } else { plan.remat("**", way) }
}
