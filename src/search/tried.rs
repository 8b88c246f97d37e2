//! Plans for what was priced, each simulated: only that says which of them is the best.

use super::outline::{Ground, Outline, Spread, in_parts};
use super::{Candidate, Progress, Watch};
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::simulate::Simulation;
use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh;
use partita_ir::plan::train::Train;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_passes::plan::presets::BUCKET;
use partita_passes::search::intra::Intra;
use partita_passes::search::{Subject, write};
use std::collections::{BTreeMap, BTreeSet};

/// What else may be assumed of gradients' reductions, which are hidden by what is computed beside them or not, and whether state may lie in
/// pieces.
const ASSUMED: [(f64, bool); 4] = [(1.0, true), (0.0, true), (1.0, false), (0.3, false)];

/// What is priced at so much more than the best one takes is not simulated.
const SLACK: f64 = 1.3;

/// Ops of programs that are simulated, about: larger models have fewer plans looked at.
const MOST_OPS: usize = 200_000;

/// So close to what there is room for layouts are to come.
const CLOSE: f64 = 0.97;

/// With those that look best, more layouts are tried.
const LOOKED_AT_AGAIN: usize = 2;

/// Schedules that are tried with the best plan.
const SCHEDULES: [&str; 4] = ["interleaved?chunks=2", "interleaved?chunks=4", "zb-h1", "1f1b"];

/// All plans that were simulated.
pub(super) struct Tried<'a, 'w> {
    program: &'a Program,
    base: &'a Plan,
    ground: &'a Ground<'a>,
    /// By parts of the batch, the step.
    subjects: &'a BTreeMap<u64, Subject<'a>>,
    plans: Vec<Candidate>,
    /// Their texts.
    known: BTreeSet<String>,
    /// Why the last one that cannot be carried out cannot.
    refused: Option<Error>,
    /// Ops of what was simulated.
    ops: usize,
    watch: &'a mut Watch<'w>,
    /// Ways to spread the step that were priced, and how many there were.
    priced: (usize, usize),
    /// Whether it is not to go on.
    pub(super) interrupted: bool,
}

impl<'a, 'w> Tried<'a, 'w> {
    pub(super) fn new(
        program: &'a Program,
        base: &'a Plan,
        ground: &'a Ground<'a>,
        subjects: &'a BTreeMap<u64, Subject<'a>>,
        watch: &'a mut Watch<'w>,
    ) -> Tried<'a, 'w> {
        let (plans, known) = (Vec::new(), BTreeSet::new());
        Tried {
            program,
            base,
            ground,
            subjects,
            plans,
            known,
            refused: None,
            ops: 0,
            watch,
            priced: (0, 0),
            interrupted: false,
        }
    }

    /// Whether there is to be more: until anything fits there is in any case.
    fn goes_on(&mut self) -> bool {
        let best = self.fastest();
        let progress =
            Progress { priced: self.priced, simulated: self.plans.len(), best: best.is_finite().then_some(best) };
        self.interrupted |= !(self.watch)(&progress);
        !self.interrupted || (best.is_infinite() && self.ops <= MOST_OPS)
    }

    /// Seconds of the fastest plan that fits.
    fn fastest(&self) -> f64 {
        self.plans.iter().filter(|one| self.fits(one)).map(|one| one.seconds).fold(f64::INFINITY, f64::min)
    }

    /// Simulates the best of all outlines, and more of those that turn out to be the best.
    pub(super) fn all(&mut self, outlines: &[Outline]) -> Result<()> {
        self.priced = (outlines.len(), outlines.len());
        let mut first: Vec<(f64, &Outline)> = Vec::new();
        for outline in outlines {
            let best = self.fastest();
            if !self.goes_on() {
                break;
            }
            if best.is_finite() && (outline.seconds() > SLACK * best || self.ops > MOST_OPS) {
                break;
            }
            let from = self.plans.len();
            let seconds = self.realise(&outline.spread, &outline.found)?;
            first.push((seconds.min(self.tighten(outline, from)?), outline));
        }
        first.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, outline) in first.into_iter().take(LOOKED_AT_AGAIN) {
            self.look_again(outline)?;
        }
        self.refine()
    }

    /// All plans, at least one: those that fit, then fast ones, then those of few words come first.
    ///
    /// # Errors
    /// Why no plan can be carried out, if none can.
    pub(super) fn best(mut self) -> Result<Vec<Candidate>> {
        if self.plans.is_empty() {
            let title = format!("no plan that was found for `{}` can be carried out", self.program.source);
            return Err(self.refused.unwrap_or_else(|| Diagnostic::new(Code::G001, title).into()));
        }
        let memory = self.ground.memory;
        self.plans.sort_by_cached_key(|one| (one.peak > memory, one.seconds.to_bits(), one.plan.to_toml().len()));
        self.plans.dedup_by(|b, a| a.mesh == b.mesh && a.seconds == b.seconds && a.peak == b.peak);
        Ok(self.plans)
    }

    fn fits(&self, one: &Candidate) -> bool {
        one.peak <= self.ground.memory
    }

    /// Tries again with less room where the simulation needs more than layouts were given; plans for the outline begin at `from`.
    fn tighten(&mut self, outline: &Outline, from: usize) -> Result<f64> {
        let memory = self.ground.memory;
        let way = ways(outline.spread.recompute)[0];
        let peak = self.plans[from..].iter().filter(|one| one.recompute == way).map(|one| one.peak).min();
        let Some(peak) = peak.filter(|&peak| peak > memory) else { return Ok(f64::INFINITY) };
        let less = memory as f64 * (memory as f64 / peak as f64) * CLOSE;
        let ground = Ground { memory: less as u64, ..*self.ground };
        let subject = self.subjects.get(&outline.spread.parts);
        match subject.and_then(|subject| ground.outline(subject, &outline.spread)) {
            Some(outline) => self.realise(&outline.spread, &outline.found),
            None => Ok(f64::INFINITY),
        }
    }

    /// Tries other layouts for an outline.
    fn look_again(&mut self, outline: &Outline) -> Result<()> {
        let spread = &outline.spread;
        let Some(subject) = self.subjects.get(&spread.parts).filter(|_| self.goes_on()) else { return Ok(()) };
        let ground = self.ground;
        let others = ground.layouts(subject, spread, |layouts| -> Vec<Intra> {
            let best = |&assumed| layouts.best(&ground.assumed(spread, assumed), ground.effort);
            ASSUMED.iter().filter_map(best).collect()
        });
        let mut known = vec![&outline.found];
        let others = others.unwrap_or_default();
        for found in &others {
            if !known.iter().any(|known| known.lies_alike(found)) {
                self.realise(spread, found)?;
                known.push(found);
            }
        }
        Ok(())
    }

    /// Simulates plans with these layouts. Seconds of the best that fits.
    fn realise(&mut self, spread: &Spread, found: &Intra) -> Result<f64> {
        let Some(subject) = self.subjects.get(&spread.parts) else { return Ok(f64::INFINITY) };
        let program = subject.program();
        let axes = named(program, &spread.axes, found);
        let shape = mesh::Mesh::new("mesh", axes.iter().cloned());
        let names: Vec<&str> = axes.iter().map(|axis| axis.0.as_str()).collect();
        let base = Plan { mesh: Some(Mesh::new(axes.iter().cloned())?), ..self.base.clone() }.map(names.join(", "));
        let base = if base.bucket.is_none() { base.bucket(BUCKET) } else { base };
        let mut least = f64::INFINITY;
        // What does not fit for one way to write the layouts down does not for another.
        let mut ways = self.ways(spread.recompute);
        for detail in write::Detail::ALL {
            if !self.goes_on() {
                break;
            }
            let plan = write::plan(&base, program, &shape, found, detail)?;
            let plan = match spread.stages {
                1 => in_parts(plan, spread.parts),
                stages => plan.pipeline(stages.to_string()).micro_batches(spread.parts.to_string()),
            };
            least = least.min(self.simulate(plan, &mut ways)?);
        }
        Ok(least)
    }

    /// What may be computed again, in the order in which it is tried.
    fn ways(&self, recompute: bool) -> &'static [&'static str] {
        let is_free = self.base.remat.is_empty() && self.base.train.is_some();
        if is_free { ways(recompute) } else { &["none"] }
    }

    /// Simulates a plan, and where it does not fit, with what is computed again; of the ways to do so those are left that may fit.
    /// Seconds, if it fits in the end.
    fn simulate(&mut self, plan: Plan, ways: &mut &'static [&'static str]) -> Result<f64> {
        if !self.known.insert(plan.to_toml()) {
            return Ok(f64::INFINITY);
        }
        while let Some(&way) = ways.first() {
            let plan = if way == "none" { plan.clone() } else { plan.clone().remat("**", way) };
            match self.simulated(plan, way) {
                Ok(candidate) => {
                    let (fits, seconds) = (self.fits(&candidate), candidate.seconds);
                    self.plans.push(candidate);
                    if fits {
                        return Ok(seconds);
                    }
                }
                Err(refused) => {
                    self.refused = Some(refused);
                    break;
                }
            }
            // The last way is tried with every plan.
            match ways {
                [_, left @ ..] if !left.is_empty() => *ways = left,
                _ => break,
            }
        }
        Ok(f64::INFINITY)
    }

    /// A plan with what its step comes to, or why it cannot be carried out.
    fn simulated(&mut self, plan: Plan, recompute: &'static str) -> Result<Candidate> {
        // What does not fit is shown as such.
        let free = Plan { budget: None, ..plan.clone() };
        let free = if free.pipeline.is_none() { free.pipeline("1") } else { free };
        let pipeline = Pipeline::on(self.program, &free, self.ground.machine)?;
        self.ops += pipeline.step().ops.len();
        let simulated = Simulation::of(&pipeline, self.ground.machine, self.ground.efficiencies)?;
        let prediction = simulated.prediction();
        let axes = plan.mesh.iter().flat_map(|mesh| &mesh.axes).map(|axis| format!("{}={}", axis.name, axis.size));
        let stages = pipeline.stages().schedule.stages;
        let parts = match stages {
            1 => accumulated(&plan)?,
            _ => u64::from(pipeline.stages().schedule.micro_batches),
        };
        Ok(Candidate {
            mesh: axes.collect::<Vec<_>>().join(","),
            stages,
            parts,
            recompute,
            schedule: (stages > 1).then(|| pipeline.stages().schedule.name.to_string()),
            seconds: prediction.seconds,
            peak: prediction.peak_bytes(),
            devices: prediction.devices,
            plan,
        })
    }

    /// Tries other schedules and numbers of parts with the best plan, if it has stages, as long as that helps.
    fn refine(&mut self) -> Result<()> {
        loop {
            let fitting = self.plans.iter().filter(|one| self.fits(one) && one.stages > 1);
            let best = fitting.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
            let Some(best) =
                best.filter(|best| self.plans.iter().all(|one| !self.fits(one) || best.seconds <= one.seconds))
            else {
                return Ok(());
            };
            let (seconds, recompute) = (best.seconds, best.recompute != "none");
            let plan = Plan { remat: self.base.remat.clone(), ..best.plan.clone() };
            let mut others: Vec<Plan> = Vec::new();
            if self.base.schedule.is_none() {
                others.extend(SCHEDULES.iter().map(|&schedule| plan.clone().schedule(schedule)));
            }
            if self.base.micro_batches.is_none() {
                let parts = [best.parts * 2, best.parts / 2].into_iter().filter(|&parts| parts > 1);
                others.extend(parts.map(|parts| plan.clone().micro_batches(parts.to_string())));
            }
            let mut least = f64::INFINITY;
            for plan in others {
                if !self.goes_on() {
                    return Ok(());
                }
                least = least.min(self.simulate(plan, &mut self.ways(recompute))?);
            }
            if least >= seconds {
                return Ok(());
            }
        }
    }
}

/// What is computed again: nothing if that fits, or else little.
fn ways(recompute: bool) -> &'static [&'static str] {
    if recompute { &["selective", "full"] } else { &["none", "selective", "full"] }
}

/// In how many parts a plan without stages computes a batch.
fn accumulated(plan: &Plan) -> Result<u64> {
    let train = plan.train.as_ref().map(Train::read).transpose()?;
    Ok(train.map_or(1, |train| train.accumulate))
}

/// Axes by what they split: `data` where it is examples.
fn named(step: &Program, axes: &[u32], found: &Intra) -> Vec<(String, u32)> {
    let splits_data = |at: usize| {
        let mut data = found.inputs.iter().filter(|(value, _)| step.param_of(*value).is_none());
        data.any(|(_, layout)| layout.split_axes().any(|axis| axis.axis.index() == at))
    };
    let mut names: Vec<(String, u32)> = Vec::new();
    for (at, &size) in axes.iter().enumerate() {
        let base = if splits_data(at) { "data" } else { "model" };
        let count = names.iter().filter(|(name, _)| name.starts_with(base)).count();
        let name = if count == 0 { base.to_string() } else { format!("{base}{}", count + 1) };
        names.push((name, size));
    }
    names
}
