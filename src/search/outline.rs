//! What there is to choose beside layouts: stages, the mesh of each, parts of the batch, and whether the forward pass is computed again.
//! Each is priced by the best layouts that it has, and what looks best is looked at first.

use crate::error::Result;
use partita_ir::collective::choice::Prices;
use partita_ir::machine::Machine;
use partita_ir::mesh;
use partita_ir::op::OpKind;
use partita_ir::plan::Plan;
use partita_ir::program::{Phase, Program};
use partita_passes::analysis::cost::Efficiencies;
use partita_passes::pass::Cx;
use partita_passes::pipelines;
use partita_passes::plan::name_dims::Classes;
use partita_passes::search::intra::{Assumed, Intra, Layouts, On, Room};
use partita_passes::search::{Effort, Subject};
use std::collections::BTreeSet;

/// How a step is spread, but for layouts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Spread {
    /// Stages of a pipeline; 1 is none.
    pub(super) stages: usize,
    /// Sizes of the axes of each stage's mesh, the last of which lies within nodes.
    pub(super) axes: Vec<u32>,
    /// Into how many parts the batch is cut, one after the other.
    pub(super) parts: u64,
    /// Whether the backward part computes again what it needs of the forward part.
    pub(super) recompute: bool,
}

impl Spread {
    /// How many micro-batches the first stage holds: those that are on their way, if it holds any.
    fn alive(&self) -> f64 {
        if self.recompute { 0.0 } else { (self.stages as u64).min(self.parts) as f64 }
    }

    /// By what all stages together need for the whole step, what a step takes: stages wait for the first micro-batch to come and for the
    /// last one to leave, and what is computed again is about a third of the rest.
    fn seconds(&self, cost: f64) -> f64 {
        let stages = self.stages as f64;
        let again = if self.recompute { 4.0 / 3.0 } else { 1.0 };
        cost / stages * again * (1.0 + (stages - 1.0) / self.parts as f64)
    }
}

/// A way to spread a step, with the layouts that are the best at first sight.
pub(super) struct Outline {
    pub(super) spread: Spread,
    pub(super) found: Intra,
}

impl Outline {
    /// About what a step takes.
    pub(super) fn seconds(&self) -> f64 {
        self.spread.seconds(self.found.solution.cost)
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
        let mut cx = Cx { plan: in_parts(base.clone().on_one_mesh(), parts), ..Cx::default() };
        pipelines::make()?.run(&mut step, &mut cx, &mut |_| Ok(()))?;
        let classes = Classes::of(&step);
        Ok(Made { parts, program: step, classes })
    }

    /// The step in all these numbers of parts, of those into which the batch can be cut; `whole` is in one.
    pub(super) fn all(program: &Program, base: &Plan, whole: Made, parts: impl Iterator<Item = u64>) -> Vec<Made> {
        let parts: BTreeSet<u64> = parts.filter(|&parts| parts > 1).collect();
        let cut = parts.into_iter().filter_map(|parts| Made::of(program, base, parts).ok());
        [whole].into_iter().chain(cut).collect()
    }
}

/// The plan whose gradients are those of so many parts of the batch.
pub(super) fn in_parts(mut plan: Plan, parts: u64) -> Plan {
    if let Some(train) = plan.train.as_ref().filter(|_| parts > 1) {
        let sign = if train.text.contains('?') { '&' } else { '?' };
        let text = format!("{}{sign}accumulate={parts}", train.text);
        plan = plan.train(text);
    }
    plan
}

/// Assumed at first sight: reductions of gradients are mostly hidden, and state may lie in pieces.
pub(super) const FIRST: (f64, bool) = (0.3, true);

/// What is looked at, and on what.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) machine: &'a Machine,
    pub(super) prices: &'a Prices<'a>,
    pub(super) efficiencies: &'a Efficiencies,
    /// How much is done for each mesh.
    pub(super) effort: &'a Effort,
    /// Bytes of a device.
    pub(super) memory: u64,
}

impl<'a> Ground<'a> {
    /// Lets `look` see all layouts of a step that is spread so; none if there are no devices.
    pub(super) fn layouts<T>(
        &self,
        subject: &Subject<'_>,
        spread: &Spread,
        look: impl FnOnce(&mut Layouts<'_>) -> T,
    ) -> Option<T> {
        let axes = spread.axes.iter().enumerate().map(|(at, &size)| (format!("axis{at}"), size));
        let mesh = mesh::Mesh::new("mesh", axes);
        let devices: Vec<usize> = (0..mesh.device_count()).collect();
        let Ground { machine, prices, efficiencies, .. } = *self;
        let on = On { mesh: &mesh, devices: &devices, machine, prices, efficiencies };
        Layouts::of(subject, on).map(|mut layouts| look(&mut layouts))
    }

    /// What is assumed of a step that is spread so.
    pub(super) fn assumed(&self, spread: &Spread, (waiting, pieces): (f64, bool)) -> Assumed {
        let room = Room { bytes: self.memory as f64 * spread.stages as f64, alive: spread.alive() };
        Assumed { waiting, pieces, room }
    }

    /// The outline of a step that is spread so: without anything computed again, if it fits so; none if nothing fits.
    pub(super) fn outline(&self, subject: &Subject<'_>, spread: &Spread) -> Option<Outline> {
        self.layouts(subject, spread, |layouts| {
            [false, true].into_iter().find_map(|recompute| {
                let spread = Spread { recompute, ..spread.clone() };
                let found = layouts.best(&self.assumed(&spread, FIRST), self.effort)?;
                Some(Outline { spread, found })
            })
        })?
    }
}

/// Stages that are looked at: of a training step, as many as have two products each.
pub(super) fn stages(step: &Program, devices: usize) -> Vec<usize> {
    let ops = || step.main().body.iter().map(|&op| &step.ops[op]);
    let is_trained = ops().any(|op| op.phase == Phase::Update);
    let is_product = |kind: &OpKind| matches!(kind, OpKind::DotGeneral(_) | OpKind::Convolution(_));
    let products = ops().filter(|op| op.phase == Phase::Forward && is_product(&op.kind)).count();
    let most = if is_trained { (products / 2).min(MOST_STAGES) } else { 1 };
    (1..=most.max(1)).filter(|&stages| devices.is_multiple_of(stages)).collect()
}

/// More stages are not looked at.
const MOST_STAGES: usize = 64;

/// Parts of the batch that are looked at, few first. With several stages they are so many that these are seldom idle: what is better is
/// found once plans are simulated.
pub(super) fn parts(step: &Program, stages: usize) -> Vec<u64> {
    let data = step.main().inputs.iter().filter(|&&input| step.param_of(input).is_none());
    let batch = data.filter_map(|&input| step.ty(input).shape.first()).max().copied().unwrap_or(1) as u64;
    let stages = stages as u64;
    let wanted = if stages == 1 { vec![1, 2, 4] } else { vec![4 * stages, 2 * stages, stages] };
    let mut parts: Vec<u64> = wanted.into_iter().filter(|&parts| batch.is_multiple_of(parts)).collect();
    if stages > 1 {
        parts.truncate(1);
    }
    parts
}

/// Shapes of a mesh: one axis, or two, of which the last one is at most [`WIDEST`].
pub(super) fn shapes(devices: usize) -> Vec<Vec<u32>> {
    let count = u32::try_from(devices).unwrap_or(u32::MAX);
    let mut shapes = vec![vec![count]];
    let inner = (2..count.min(WIDEST + 1)).rev().filter(|n| count.is_multiple_of(*n));
    shapes.extend(inner.map(|n| vec![count / n, n]));
    shapes
}

/// What lies within nodes, or close to it, has no longer axis.
const WIDEST: u32 = 64;
