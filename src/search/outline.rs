//! Ways to spread a step, each with the best layouts that it has: by what these cost it is priced, and what looks best
//! is looked at first.

use super::spreads::Spread;
use crate::error::Result;
use partita_cost::roofline::Efficiencies;
use partita_ir::mesh;
use partita_ir::plan::{Entry, Mesh, Plan};
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::name_dims::Classes;
use partita_search::intra_op::{Assumptions, ChosenLayouts, LayoutSpace, MemoryLimit, MeshPlacement, Overlap};
use partita_search::{Effort, FixedLayouts, SearchGraph};
use rayon::prelude::*;
use std::collections::BTreeSet;

impl Spread {
    /// By rank of its mesh, the device that it is on.
    fn devices(&self, mesh: &mesh::Mesh) -> Vec<usize> {
        let device = |rank: usize| {
            let coords = mesh.coords(rank);
            self.order.iter().fold(0, |at, &axis| at * self.axes[axis] as usize + coords[axis] as usize)
        };
        (0..mesh.device_count()).map(device).collect()
    }

    /// How many micro-batches the first stage holds: those that are on their way, if it holds any.
    fn alive(&self) -> f64 {
        if self.recompute { 0.0 } else { (self.stages as u64).min(self.parts) as f64 }
    }

    /// By what all stages together need for the whole step, what a step takes: stages wait for the first micro-batch to
    /// come and for the last one to leave, and what is computed again is about a third of the rest.
    fn seconds(&self, cost: f64) -> f64 {
        self.seconds_in(1.0, cost)
    }

    /// The same where stages have so many chunks each, and wait for so much less.
    fn seconds_in(&self, chunks: f64, cost: f64) -> f64 {
        let stages = self.stages as f64;
        let again = if self.recompute { 4.0 / 3.0 } else { 1.0 };
        cost / stages * again * (1.0 + (stages - 1.0) / (chunks * self.parts as f64))
    }
}

/// Stages have no more chunks by any schedule that is tried.
const MOST_CHUNKS: f64 = 4.0;

/// A way to spread a step, with the layouts that are the best at first sight.
pub(super) struct Outline {
    pub(super) spread: Spread,
    pub(super) found: ChosenLayouts,
}

impl Outline {
    /// About what a step takes.
    pub(super) fn seconds(&self) -> f64 {
        self.spread.seconds(self.found.solution.cost)
    }

    /// About what a step takes that computes everything again, or nothing.
    pub(super) fn seconds_if(&self, recompute: bool) -> f64 {
        Spread { recompute, ..self.spread.clone() }.seconds(self.found.solution.cost)
    }

    /// About what a step takes at least, with the schedule that stages wait least with.
    pub(super) fn least_seconds(&self) -> f64 {
        self.spread.seconds_in(MOST_CHUNKS, self.found.solution.cost)
    }

    /// Whether one with fewer axes is as good: then two axes only say what one of them could.
    pub(super) fn has_needless_axis(&self, others: &[Outline]) -> bool {
        let shorter = others.iter().filter(|other| other.spread.axes.len() < self.spread.axes.len());
        shorter.into_iter().any(|other| self.is_as_good(other))
    }

    /// Whether it is another one with axes in each other's place.
    pub(super) fn is_mirrored(&self, other: &Outline) -> bool {
        self.spread.axes == other.spread.axes && self.is_as_good(other)
    }

    /// Whether it has as many stages and parts as another one, and takes as long.
    fn is_as_good(&self, other: &Outline) -> bool {
        let cut = |one: &Outline| (one.spread.stages, one.spread.parts, one.spread.recompute);
        cut(self) == cut(other) && (other.seconds() - self.seconds()).abs() <= 1e-6 * self.seconds()
    }

    /// What a step that is spread so takes at least, whatever its layouts, by the same model of costs.
    pub(super) fn bound(&self) -> f64 {
        self.spread.seconds(self.found.solution.bound)
    }
}

/// A step whose batch is cut into so many parts.
pub(super) struct Made {
    pub(super) parts: u64,
    pub(super) program: Program,
    pub(super) classes: Classes,
}

impl Made {
    /// The step of a program.
    ///
    /// # Errors
    /// What is wrong with the plan, and what keeps the batch from being cut.
    pub(super) fn of(program: &Program, base: &Plan, parts: u64) -> Result<Made> {
        let mut step = program.clone();
        let (input, mut findings) =
            (Input::with_plan(in_parts(base.clone().on_one_mesh(), parts)), Findings::default());
        pipelines::pipeline(Milestone::Model, Milestone::Step, Variant::default())?.run(
            &mut step,
            &input,
            &mut findings,
            &mut |_| Ok(()),
        )?;
        let classes = Classes::of(&step);
        Ok(Made { parts, program: step, classes })
    }

    /// The step in all these numbers of parts, of those into which the batch can be cut; `whole` is in one.
    pub(super) fn all(program: &Program, base: &Plan, whole: Made, parts: impl Iterator<Item = u64>) -> Vec<Made> {
        let parts: BTreeSet<u64> = parts.filter(|&parts| parts > 1).collect();
        let parts: Vec<u64> = parts.into_iter().collect();
        let cut: Vec<Option<Made>> = parts.par_iter().map(|&parts| Made::of(program, base, parts).ok()).collect();
        [whole].into_iter().chain(cut.into_iter().flatten()).collect()
    }
}

/// The plan whose batch goes through in so many parts.
pub(super) fn in_parts(plan: Plan, parts: u64) -> Plan {
    if parts == 1 {
        return plan;
    }
    match &plan.train {
        Some(train) => {
            let sign = if train.text.contains('?') { '&' } else { '?' };
            let text = format!("{}{sign}accumulate={parts}", train.text);
            plan.train(text)
        }
        // A step that is made already is one for a pipeline, if it is only of one stage.
        None => plan.pipeline("1").micro_batches(parts.to_string()),
    }
}

/// What an axis is called.
fn axis(spread: &Spread, at: usize) -> String {
    spread.names.get(at).cloned().unwrap_or_else(|| format!("axis{at}"))
}

/// What is looked at, and on what.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) machine: &'a Machine,
    /// What is decided.
    pub(super) base: &'a Plan,
    /// Paths, each with an axis that is to split what it matches.
    pub(super) along: &'a [Entry],
    pub(super) prices: &'a Prices<'a>,
    pub(super) efficiencies: &'a Efficiencies,
    /// How much is done for each mesh.
    pub(super) effort: &'a Effort,
    /// Bytes of a device.
    pub(super) memory: u64,
}

impl<'a> Ground<'a> {
    /// Lets `look` see all layouts of a step that is spread so, and that keep to what is decided; nothing if there are
    /// none.
    ///
    /// # Errors
    /// What is wrong with what is decided.
    pub(super) fn layouts<T>(
        &self,
        graph: &SearchGraph<'_>,
        spread: &Spread,
        look: impl FnOnce(&mut LayoutSpace<'_>) -> T,
    ) -> Result<Option<T>> {
        self.layouts_from(0, graph, spread, look)
    }

    /// The same on devices of the machine from that one on.
    ///
    /// # Errors
    /// As [`Ground::layouts`].
    pub(super) fn layouts_from<T>(
        &self,
        first: usize,
        graph: &SearchGraph<'_>,
        spread: &Spread,
        look: impl FnOnce(&mut LayoutSpace<'_>) -> T,
    ) -> Result<Option<T>> {
        let axes = spread.axes.iter().enumerate().map(|(at, &size)| (axis(spread, at), size));
        let mesh = mesh::Mesh::new("mesh", axes);
        let fixed = self.fixed(graph.program(), spread)?;
        let devices: Vec<usize> = spread.devices(&mesh).into_iter().map(|device| first + device).collect();
        let Ground { machine, prices, efficiencies, .. } = *self;
        let on = MeshPlacement { mesh: &mesh, devices: &devices, machine, prices, efficiencies };
        let Some(mut layouts) = LayoutSpace::of(graph, on) else { return Ok(None) };
        let are_kept = layouts.restrict_to(&fixed).is_empty();
        Ok(are_kept.then(|| look(&mut layouts)))
    }

    /// What is decided of layouts, on the mesh of a spread.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(super) fn fixed(&self, program: &Program, spread: &Spread) -> Result<FixedLayouts> {
        let base = Plan { mesh: Some(self.mesh(spread)?), ..self.base.clone() };
        Ok(FixedLayouts::of(program, &base, self.along)?)
    }

    /// The mesh that layouts are on; where nobody names its axes they are numbered.
    fn mesh(&self, spread: &Spread) -> Result<Mesh> {
        let axes = spread.axes.iter().enumerate().map(|(at, &size)| (axis(spread, at), size));
        Ok(match &self.base.mesh {
            Some(mesh) => mesh.clone(),
            None => Mesh::new(axes)?,
        })
    }

    /// What is assumed of a step that is spread so.
    pub(super) fn assumed(&self, spread: &Spread, (waits, pieces): (Option<Overlap>, bool)) -> Assumptions {
        let room = MemoryLimit { bytes: self.memory as f64 * spread.stages as f64, alive: spread.alive() };
        Assumptions { overlap: waits, sharded_storage: pieces, memory: room }
    }

    /// The outline of a step that is spread so, with nothing computed again or with everything, whichever takes less;
    /// none if nothing fits.
    ///
    /// # Errors
    /// What is wrong with what is decided.
    pub(super) fn outline(&self, graph: &SearchGraph<'_>, spread: &Spread) -> Result<Option<Outline>> {
        let found = self.layouts(graph, spread, |layouts| {
            let mut outline = |recompute: bool| {
                let spread = Spread { recompute, ..spread.clone() };
                let found = layouts.best(&self.assumed(&spread, (None, true)), self.effort)?;
                Some(Outline { spread, found })
            };
            let kept = outline(false);
            let again = Spread { recompute: true, ..spread.clone() };
            // However much room there is, to compute again takes longer.
            match kept {
                Some(kept) if kept.seconds() <= again.seconds(kept.found.solution.limitless) => Some(kept),
                kept => outline(true).into_iter().chain(kept).min_by(|a, b| a.seconds().total_cmp(&b.seconds())),
            }
        })?;
        Ok(found.flatten())
    }
}
