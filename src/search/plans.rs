//! From layouts to plans, and from plans to what a step comes to.

use super::Candidate;
use super::outline::{Ground, Made, in_parts};
use super::spreads::Spread;
use crate::error::Result;
use crate::partition::Partition;
use crate::simulate::Simulation;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh;
use partita_ir::plan::{Mesh, Plan, Written};
use partita_ir::program::Program;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::presets::BUCKET;
use partita_search::SearchLimits;
use partita_search::intra_op::ChosenLayouts;
use partita_search::write::{self, Detail};
use partita_search::{FixedLayouts, SearchGraph};
use std::collections::BTreeMap;

/// What plans are made for.
#[derive(Clone, Copy)]
pub(super) struct Plans<'a> {
    pub(super) program: &'a Program,
    pub(super) ground: &'a Ground<'a>,
    /// By parts of the batch, the step.
    pub(super) subjects: &'a BTreeMap<u64, SearchGraph<'a>>,
    /// The same as programs, where it may be looked at whether weights are better kept otherwise than they are used.
    pub(super) may_keep: Option<&'a [Made]>,
}

/// What plans have to have in common for the same to be computed: what they say of training, micro-batches and stages.
pub(super) type Same = [Option<String>; 4];

/// A candidate, and how many ops its step has.
pub(super) type Simulated = (Candidate, usize);

impl<'a> Plans<'a> {
    /// The step of a spread.
    pub(super) fn graph(&self, spread: &Spread) -> Option<&'a SearchGraph<'a>> {
        self.subjects.get(&spread.parts)
    }

    /// Whether plans take long enough that what hardly wins is not looked at.
    pub(super) fn are_large(&self) -> bool {
        self.subjects.values().any(|graph| graph.program().ops.len() > SearchLimits::TUNED.autotuned_ops)
    }

    /// The step of a spread, whose weights may be kept otherwise than they are used; none where that is not looked at.
    pub(super) fn with_param_storage(&self, spread: &Spread) -> Option<SearchGraph<'a>> {
        let made = self.may_keep.filter(|_| !self.are_large())?.iter().find(|made| made.parts == spread.parts)?;
        Some(SearchGraph::of(&made.program, &made.classes).with_param_storage())
    }

    /// The plan with these layouts that says so much of them.
    ///
    /// # Errors
    /// What is wrong with what is decided.
    pub(super) fn write(&self, spread: &Spread, found: &ChosenLayouts, detail: Detail) -> Result<Plan> {
        let Some(graph) = self.graph(spread) else {
            let title = format!("a batch of `{}` cannot be cut into {} parts", self.program.source, spread.parts);
            return Err(Diagnostic::new(Code::G001, title).into());
        };
        let base = self.laid_out(graph, spread, found)?;
        let fixed = FixedLayouts::of(graph.program(), &base, self.ground.along)?;
        let axes = base.mesh.iter().flat_map(|mesh| &mesh.axes).map(|axis| (axis.name.clone(), axis.size));
        let shape = mesh::Mesh::new("mesh", axes);
        let base = if base.bucket.is_none() { base.bucket(BUCKET) } else { base };
        let plan = write::plan(&base, graph.program(), &shape, found, &fixed, detail)?;
        Ok(self.in_stages(plan, spread))
    }

    /// The base of all plans on the mesh of a spread, which lies on the machine as that says.
    fn laid_out(&self, graph: &SearchGraph<'_>, spread: &Spread, found: &ChosenLayouts) -> Result<Plan> {
        let base = self.ground.base.clone().on_one_mesh();
        let names = match &spread.names[..] {
            [] => named(graph, &spread.axes, found),
            names => names.to_vec(),
        };
        let mesh = Mesh::new(names.iter().cloned().zip(spread.axes.iter().copied()))?;
        let base = Plan { mesh: Some(base.mesh.unwrap_or(mesh)), ..base };
        let order: Vec<&str> = spread.order.iter().map(|&axis| names[axis].as_str()).collect();
        Ok(if base.map.is_none() { base.map(order.join(", ")) } else { base })
    }

    /// A plan in the stages and parts of a spread, as far as they are not decided.
    fn in_stages(&self, plan: Plan, spread: &Spread) -> Plan {
        let base = self.ground.base;
        if spread.stages == 1 && base.said_of_stages().is_none() {
            return in_parts(plan, spread.parts);
        }
        let plan = plan.with_stages_of(base);
        let plan = if plan.pipeline.is_none() { plan.pipeline(spread.stages.to_string()) } else { plan };
        if plan.micro_batches.is_none() { plan.micro_batches(spread.parts.to_string()) } else { plan }
    }

    /// A plan of a single stage with its micro-batches as tasks in an order: what is made of parameters alone is then
    /// made once for all of them, and gradients are reduced together. None where the order is decided.
    pub(super) fn in_order(&self, plan: &Plan) -> Option<Plan> {
        let is_open = self.ground.base.schedule.is_none() && plan.schedule.is_none();
        let staged = |plan: Plan| if plan.pipeline.is_none() { plan.pipeline("1") } else { plan };
        is_open.then(|| staged(plan.clone()).schedule("1f1b"))
    }

    /// What may be computed again, in the order in which it is tried: nothing if that fits, or else little.
    pub(super) fn ways(&self, recompute: bool) -> &'static [&'static str] {
        let base = self.ground.base;
        match (base.remat.is_empty() && base.train.is_some(), recompute) {
            (false, _) => &["none"],
            (true, true) => &["selective", "full"],
            (true, false) => &["none", "selective", "full"],
        }
    }

    /// What [`Plans::make`] depends on.
    pub(super) fn same(plan: &Plan) -> Same {
        let text = |written: &Option<Written>| written.as_ref().map(|written| written.text.clone());
        let stages = text(&plan.pipeline).filter(|_| plan.micro_batches.is_none());
        // Where tasks of a single stage have an order, there is a loop also over one micro-batch.
        let is_single = plan.pipeline.as_ref().is_some_and(|stages| stages.text.trim() == "1");
        let order = text(&plan.schedule).filter(|_| is_single);
        [text(&plan.train), text(&plan.micro_batches), stages, order]
    }

    /// What is to be computed by a plan: of those that differ in layouts alone it is the same.
    ///
    /// # Errors
    /// What is wrong with the plan.
    pub(super) fn make(&self, plan: &Plan) -> Result<Program> {
        let mut step = self.program.clone();
        let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
        pipelines::pipeline(Milestone::Model, Milestone::Step, Variant::default())?.run(
            &mut step,
            &input,
            &mut findings,
            &mut |_| Ok(()),
        )?;
        Ok(step)
    }

    /// A plan with what its step comes to, where `made` is what is to be computed and `recompute` says what of it
    /// again.
    ///
    /// # Errors
    /// Why it cannot be carried out.
    pub(super) fn simulate(&self, made: &Program, plan: &Plan, recompute: &'static str) -> Result<Simulated> {
        let Ground { machine, prices, efficiencies, .. } = *self.ground;
        let pipeline = Partition::draft(made, &without_budget(plan), machine)?;
        let simulated = Simulation::by(&pipeline, (prices, efficiencies))?;
        let prediction = simulated.prediction();
        let candidate = Candidate {
            mesh: pipeline.stages()?.list_meshes(),
            stages: pipeline.stages()?.schedule.stages,
            parts: pipeline.micro_batches(),
            recompute,
            schedule: pipeline.schedule().map(|schedule| schedule.name.to_string()),
            seconds: prediction.seconds,
            peak: prediction.peak_bytes(),
            devices: prediction.devices,
            layouts: pipeline.stages()?.input_layouts(),
            plan: plan.clone(),
        };
        Ok((candidate, made.ops.len()))
    }
}

/// A plan as it would be carried out: in the way that is predicted to be fastest, where the step is not too large to
/// try several. Plans are compared in the usual one, which takes a fraction of the time.
pub(super) fn in_best_way(of: &Plans<'_>, candidate: Candidate) -> Candidate {
    if of.are_large() {
        return candidate;
    }
    let Ground { prices, efficiencies, memory, .. } = *of.ground;
    let by = (prices, efficiencies);
    let made = Partition::make(of.program, &without_budget(&candidate.plan), Some(by), &mut |_| Ok(()));
    let Ok(simulated) = made.and_then(|pipeline| Simulation::by(&pipeline, by)) else {
        return candidate;
    };
    let (seconds, peak) = (simulated.prediction().seconds, simulated.prediction().peak_bytes());
    let is_better = seconds < candidate.seconds && peak <= memory.max(candidate.peak);
    if is_better { Candidate { seconds, peak, ..candidate } } else { candidate }
}

/// The plan whatever it needs: what does not fit is shown as such.
pub(super) fn without_budget(plan: &Plan) -> Plan {
    Plan { budget: None, ..plan.clone() }
}

/// Names of axes by what they split: `data` where it is examples.
fn named(graph: &SearchGraph<'_>, axes: &[u32], found: &ChosenLayouts) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for at in 0..axes.len() {
        let base = if graph.splits_examples(found, at) { "data" } else { "model" };
        let count = names.iter().filter(|name| name.starts_with(base)).count();
        names.push(if count == 0 { base.to_string() } else { format!("{base}{}", count + 1) });
    }
    names
}
