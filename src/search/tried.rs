//! Plans for what was priced, each simulated: only that says which of them is the best.

use super::outline::{Ground, Outline, in_parts};
use super::spreads::{Spread, asks_for_pipeline};
use super::{Candidate, Progress, Watch};
use crate::error::{Error, Result};
use crate::pipeline::Pipeline;
use crate::simulate::Simulation;
use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh;
use partita_ir::plan::train::Train;
use partita_ir::plan::{Mesh, Plan, Written};
use partita_ir::program::Program;
use partita_passes::pass::Cx;
use partita_passes::pipelines;
use partita_passes::plan::presets::BUCKET;
use partita_passes::search::intra::{Intra, Waits};
use partita_passes::search::write::{self, Detail};
use partita_passes::search::{Fixed, Subject};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// What else may be assumed: that gradients' reductions are hidden by what is computed beside them or not, and that state does not lie in
/// pieces.
const ASSUMED: [(Option<Waits>, bool); 6] = [
    (Some(ALL), true),
    (Some(ALL), false),
    (Some(NOTHING), true),
    (Some(Waits::EITHER[0]), false),
    (Some(Waits::EITHER[1]), true),
    (Some(Waits::EITHER[0]), true),
];

/// All that is reduced is waited for.
const ALL: Waits = Waits { reductions: 1.0, backward: 1.0 };

/// Nothing waits for gradients.
const NOTHING: Waits = Waits { reductions: 0.0, backward: 1.0 };

/// What is priced at so much more than the best one takes is not simulated.
const SLACK: f64 = 1.3;

/// Ops of programs that are simulated, about, and as many more for each way to spread the step: larger models have fewer plans looked at.
const MOST_OPS: (usize, usize) = (60_000, 6_000);

/// The share of them for first sights; then the rest for others of the best.
const AT_FIRST: f64 = 0.5;

/// So close to what there is room for layouts are to come.
const CLOSE: f64 = 0.97;

/// With those that turn out to be the best, more layouts are tried.
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
    /// By what plans say of training and micro-batches, what is to be computed.
    made: BTreeMap<[Option<String>; 3], Program>,
    plans: Vec<Candidate>,
    /// Their texts.
    known: BTreeSet<String>,
    /// Why the last one that cannot be carried out cannot.
    refused: Option<Error>,
    /// Ops of what was simulated, and how many there may be.
    ops: usize,
    most_ops: usize,
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
            made: BTreeMap::new(),
            plans,
            known,
            refused: None,
            ops: 0,
            most_ops: 0,
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
        !self.interrupted || (best.is_infinite() && self.ops <= self.most_ops)
    }

    /// Whether there is to be more than what is there already.
    fn has_more(&mut self) -> bool {
        self.goes_on() && self.ops <= self.most_ops
    }

    /// Seconds of the fastest plan that fits.
    fn fastest(&self) -> f64 {
        self.plans.iter().filter(|one| self.fits(one)).map(|one| one.seconds).fold(f64::INFINITY, f64::min)
    }

    /// Simulates the best of all outlines, and more of those that turn out to be the best.
    pub(super) fn all(&mut self, outlines: &[Outline]) -> Result<()> {
        self.priced = (outlines.len(), outlines.len());
        self.most_ops = MOST_OPS.0 + MOST_OPS.1 * outlines.len();
        let at_first = (AT_FIRST * self.most_ops as f64) as usize;
        let mut first: Vec<(f64, u64, &Outline)> = Vec::new();
        for outline in in_turn(outlines) {
            let best = self.fastest();
            if !self.goes_on() || (best.is_finite() && self.ops > at_first) {
                break;
            }
            if outline.seconds() > SLACK * best {
                continue;
            }
            let from = self.plans.len();
            let seconds = self.realise(&outline.spread, &outline.found, &Detail::ALL[..1])?;
            let seconds = seconds.min(self.tighten(outline, from)?);
            let smallest = self.plans[from..].iter().map(|one| one.peak).min();
            first.push((seconds, smallest.unwrap_or(u64::MAX), outline));
        }
        // Where none fits, the smallest ones are the best.
        first.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (.., outline) in first.into_iter().take(LOOKED_AT_AGAIN) {
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
        let Some(subject) = self.subjects.get(&outline.spread.parts) else { return Ok(f64::INFINITY) };
        match ground.outline(subject, &outline.spread)? {
            Some(outline) => self.realise(&outline.spread, &outline.found, &Detail::ALL[..1]),
            None => Ok(f64::INFINITY),
        }
    }

    /// Tries other layouts for an outline.
    fn look_again(&mut self, outline: &Outline) -> Result<()> {
        let spread = &outline.spread;
        if !self.has_more() {
            return Ok(());
        }
        self.realise(spread, &outline.found, &Detail::ALL[1..])?;
        let Some(subject) = self.subjects.get(&spread.parts).filter(|_| self.has_more()) else { return Ok(()) };
        let ground = self.ground;
        let others = ground.layouts(subject, spread, |layouts| -> Vec<Intra> {
            let best = |&assumed| layouts.best(&ground.assumed(spread, assumed), ground.effort);
            ASSUMED.iter().filter_map(best).collect()
        })?;
        let mut known = vec![&outline.found];
        let others = others.unwrap_or_default();
        for found in &others {
            if !known.iter().any(|known| known.lies_alike(found)) {
                self.realise(spread, found, &Detail::ALL)?;
                known.push(found);
            }
        }
        Ok(())
    }

    /// Simulates plans with these layouts, which say so much of them. Seconds of the best that fits.
    fn realise(&mut self, spread: &Spread, found: &Intra, details: &[Detail]) -> Result<f64> {
        let Some(subject) = self.subjects.get(&spread.parts) else { return Ok(f64::INFINITY) };
        let program = subject.program();
        let base = self.laid_out(program, spread, found)?;
        let fixed = Fixed::of(program, &base, self.ground.along)?;
        let axes = base.mesh.iter().flat_map(|mesh| &mesh.axes).map(|axis| (axis.name.clone(), axis.size));
        let shape = mesh::Mesh::new("mesh", axes);
        let base = if base.bucket.is_none() { base.bucket(BUCKET) } else { base };
        let mut least = f64::INFINITY;
        // What does not fit for one way to write the layouts down does not for another.
        let mut ways = self.ways(spread.recompute);
        for (at, &detail) in details.iter().enumerate() {
            if !self.goes_on() || (at > 0 && self.ops > self.most_ops) {
                break;
            }
            let plan = write::plan(&base, program, &shape, found, &fixed, detail)?;
            let plan = self.in_stages(plan, spread);
            least = least.min(self.simulate(plan, &mut ways)?);
        }
        Ok(least)
    }

    /// The base of all plans on the mesh of a spread, which lies on the machine as that says.
    fn laid_out(&self, program: &Program, spread: &Spread, found: &Intra) -> Result<Plan> {
        let base = self.base.clone().on_one_mesh();
        let names = match &spread.names[..] {
            [] => named(program, &spread.axes, found),
            names => names.to_vec(),
        };
        let mesh = Mesh::new(names.iter().cloned().zip(spread.axes.iter().copied()))?;
        let base = Plan { mesh: Some(base.mesh.unwrap_or(mesh)), ..base };
        let order: Vec<&str> = spread.order.iter().map(|&axis| names[axis].as_str()).collect();
        Ok(if base.map.is_none() { base.map(order.join(", ")) } else { base })
    }

    /// A plan in the stages and parts of a spread, as far as they are not decided.
    fn in_stages(&self, plan: Plan, spread: &Spread) -> Plan {
        let base = self.base;
        if spread.stages == 1 && base.pipeline.is_none() && !asks_for_pipeline(base) {
            return in_parts(plan, spread.parts);
        }
        let plan = Plan {
            pipeline: base.pipeline.clone(),
            schedule: base.schedule.clone(),
            micro_batches: base.micro_batches.clone(),
            replicas: base.replicas.clone(),
            ..plan
        };
        let plan = if plan.pipeline.is_none() { plan.pipeline(spread.stages.to_string()) } else { plan };
        if plan.micro_batches.is_none() { plan.micro_batches(spread.parts.to_string()) } else { plan }
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
        let (program, machine) = (self.program, self.ground.machine);
        let pipeline = Pipeline::of_made(program, self.made(&free)?, &free, machine)?;
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

    /// What is to be computed by a plan: of those that differ in layouts alone it is the same.
    fn made(&mut self, plan: &Plan) -> Result<&Program> {
        let text = |written: &Option<Written>| written.as_ref().map(|written| written.text.clone());
        let stages = text(&plan.pipeline).filter(|_| plan.micro_batches.is_none());
        match self.made.entry([text(&plan.train), text(&plan.micro_batches), stages]) {
            Entry::Occupied(made) => Ok(made.into_mut()),
            Entry::Vacant(free) => {
                let mut step = self.program.clone();
                let mut cx = Cx { plan: plan.clone(), ..Cx::default() };
                pipelines::make()?.run(&mut step, &mut cx, &mut |_| Ok(()))?;
                Ok(free.insert(step))
            }
        }
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
                if !self.has_more() {
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

/// Outlines in the order in which they are looked at: of each number of stages the best one, then all others.
fn in_turn(outlines: &[Outline]) -> Vec<&Outline> {
    let mut known: BTreeSet<usize> = BTreeSet::new();
    let (first, others): (Vec<_>, Vec<_>) = outlines.iter().partition(|one| known.insert(one.spread.stages));
    first.into_iter().chain(others.into_iter().filter(|one| !one.has_needless_axis(outlines))).collect()
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

/// Names of axes by what they split: `data` where it is examples.
fn named(step: &Program, axes: &[u32], found: &Intra) -> Vec<String> {
    let splits_data = |at: usize| {
        let mut data = found.inputs.iter().filter(|(value, _)| step.param_of(*value).is_none());
        data.any(|(_, layout)| layout.split_axes().any(|axis| axis.axis.index() == at))
    };
    let mut names: Vec<String> = Vec::new();
    for at in 0..axes.len() {
        let base = if splits_data(at) { "data" } else { "model" };
        let count = names.iter().filter(|name| name.starts_with(base)).count();
        names.push(if count == 0 { base.to_string() } else { format!("{base}{}", count + 1) });
    }
    names
}
