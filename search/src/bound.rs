//! Lower bound of the simulated step time of all plans of a search space.
//!
//! Each number of pipeline stages has a bound. Without communication it is the work of the step, divided over all
//! devices: shards are at best equal, and each kernel is launched for each micro-batch. With layouts and communication,
//! it is the minimum of [`LayoutSpace::least_step_seconds`]. The stages of a pipeline wait for each other ([`stages`]).
//! The lowering of a plan may recompute values and remove redundant ops, so that each form of the step has its own
//! bounds. The bound of the space is the smallest one; layouts are added until the smallest bound contains them.

mod stages;

use crate::composition::{AxisSizes, Space, prime_factors};
use crate::configs::ParallelConfig;
use crate::evaluate::SimulatedPlan;
use crate::intra_op::{
    Allowance, LayerSeconds, Layers, LayoutSpace, PassSeconds, SearchGraph, with_interchangeable_axes, with_layouts,
};
use crate::limits::{BoundLimits, SearchLimits};
use crate::problem::{SearchProblem, Step};
use partita_cost::placement::LinkTable;
use partita_ir::arena::OpId;
use partita_ir::ops::ContextMethod;
use partita_ir::program::Program;
use partita_ir::schedule::ScheduleKind;
use partita_machine::DeviceKind;
use partita_passes::partitioning::exchange_attention::set_method;
use partita_passes::partitioning::overlap_matmul::names_collectives;
use partita_passes::planning::name_dims::DimClasses;
use partita_passes::planning::remat::recompute_free_values;
use stages::LayerTimes;
use std::collections::BTreeMap;
use std::time::Instant;

/// Returns a lower bound in seconds of the simulated step time of all plans of a space, of which `best` is the fastest
/// known one. Returns `None` if a device is unknown, or if `best` contradicts the bound.
pub(crate) fn lower_bound(
    problem: &SearchProblem<'_>,
    step: &Step,
    space: &Space,
    best: &SimulatedPlan,
    deadline: Option<Instant>,
) -> Option<f64> {
    let machine = problem.machine();
    let kinds: Option<Vec<&DeviceKind>> = (0..space.devices).map(|device| machine.kind_of(device)).collect();
    let kinds = kinds?;
    let is_large = step.program.ops.len() > BoundLimits::TUNED.max_ops;
    let has_pipelines = space.stages.iter().any(|&stages| stages > 1) && !is_large;
    let most = if has_pipelines { BoundLimits::TUNED.max_micro_batches } else { 1 };
    let counts = space.micro_batches.iter().copied().filter(|count| (2..=most).contains(count));
    let more = Step::build_all(problem.program, problem.constraints, counts);
    let steps: Vec<&Step> = [step].into_iter().chain(&more).collect();
    let variants = step_variants(problem, &steps, &kinds);
    let kind = *kinds.first()?;
    if kinds.iter().any(|other| other.name != kind.name) {
        let first = variants.iter().filter_map(|steps| steps.first());
        return Some(first.map(|step| ideal_seconds(problem, step, &kinds)).fold(best.seconds, f64::min));
    }
    let mut variants: Vec<StageBounds<'_>> = variants
        .iter()
        .filter_map(|steps| StageBounds::new(problem, steps, space, kind, (is_large, deadline)))
        .collect();
    loop {
        let all = variants
            .iter()
            .enumerate()
            .flat_map(|(variant, bounds)| bounds.stages().map(move |stages| (bounds.seconds(stages), variant, stages)));
        let (bound, variant, stages) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
        if bound >= best.seconds || !variants[variant].refine(stages, best.seconds) {
            // A plan below the bounds of its own number of stages would show that they do not hold.
            let own = variants.iter().map(|bounds| bounds.seconds(best.stages)).fold(f64::INFINITY, f64::min);
            let holds = own <= best.seconds * (1.0 + BoundLimits::TUNED.tolerance);
            return holds.then_some(bound.min(best.seconds));
        }
    }
}

/// Returns the steps with each number of micro-batches as plans lower them, and in the other forms that are faster for
/// some number: without recomputed values, and without redundant ops, which are removed before values are recomputed or
/// afterwards.
fn step_variants(problem: &SearchProblem<'_>, steps: &[&Step], kinds: &[&DeviceKind]) -> Vec<Vec<Step>> {
    let lowered: Vec<Step> = steps.iter().map(|step| recomputing(step)).collect();
    if steps.iter().any(|step| step.program.ops.len() > SearchLimits::TUNED.max_autotuned_ops) {
        return vec![lowered];
    }
    let simplified = |step: &Step| step.simplified(problem.constraints, problem.machine()).ok();
    let each = |form: &dyn Fn(&Step) -> Option<Step>| steps.iter().map(|step| form(step)).collect();
    let forms: [Option<Vec<Step>>; 3] = [
        each(&|step| Some(in_rings(step.program.clone(), step.micro_batches))),
        each(&|step| Some(recomputing(&simplified(step)?))),
        each(&|step| simplified(&recomputing(step))),
    ];
    let seconds = |steps: &[Step]| steps.iter().map(|step| ideal_seconds(problem, step, kinds)).collect::<Vec<f64>>();
    let mut least = seconds(&lowered);
    let mut variants = vec![lowered];
    for others in forms.into_iter().flatten() {
        let of_others = seconds(&others);
        let is_faster = |(a, b): (&f64, &f64)| *a < b * (1.0 - BoundLimits::TUNED.tolerance);
        if of_others.iter().zip(&least).any(is_faster) {
            least.iter_mut().zip(of_others).for_each(|(least, seconds)| *least = least.min(seconds));
            variants.push(others);
        }
    }
    variants
}

/// Returns the seconds of a step whose work is divided over devices of different kinds in proportion to their rates.
fn ideal_seconds(problem: &SearchProblem<'_>, step: &Step, kinds: &[&DeviceKind]) -> f64 {
    let graph = SearchGraph::new(&step.program, &step.classes);
    let ideal = graph.ideal_seconds(&Layers::partition(&graph, usize::MAX), kinds, problem.efficiencies);
    ideal.iter().map(LayerSeconds::step).sum()
}

/// Returns a step as plans lower it, in which values are recomputed where that is free.
fn recomputing(step: &Step) -> Step {
    let mut program = step.program.clone();
    recompute_free_values(&mut program);
    in_rings(program, step.micro_batches)
}

/// Returns the step of a program in which the sequence of every attention can be sharded.
fn in_rings(mut program: Program, micro_batches: u64) -> Step {
    let ids: Vec<OpId> = program.ops.ids().collect();
    ids.into_iter().for_each(|id| set_method(&mut program, id, ContextMethod::Ring));
    let classes = DimClasses::new(&program);
    Step { micro_batches, program, classes }
}

/// Transfer between stages.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Transfer {
    latency: f64,
    /// Bytes per second.
    bandwidth: f64,
    bytes: f64,
}

impl Transfer {
    /// Returns a transfer with the smallest latency and the largest bandwidth between the first device and any other.
    fn fastest(problem: &SearchProblem<'_>, devices: usize, bytes: f64) -> Transfer {
        let mut fastest = Transfer { latency: f64::INFINITY, bandwidth: 0.0, bytes };
        let mut links = LinkTable::default();
        for to in 1..devices.min(BoundLimits::TUNED.max_routes) {
            let Ok((route, latency)) = links.route(problem.machine(), 0, to, 1, problem.efficiencies) else { continue };
            let narrowest = route.iter().map(|&link| links.bandwidths[link]).fold(f64::INFINITY, f64::min);
            fastest.latency = fastest.latency.min(latency);
            fastest.bandwidth = fastest.bandwidth.max(narrowest);
        }
        if fastest.latency.is_finite() { fastest } else { Transfer { latency: 0.0, ..fastest } }
    }

    /// Returns the seconds of one of `count` micro-batches whose stages have `devices` devices each.
    fn seconds(&self, count: f64, devices: usize) -> f64 {
        let moving = self.bytes / count / devices as f64 / self.bandwidth;
        self.latency + if moving.is_finite() { moving } else { 0.0 }
    }
}

/// Bounds for each number of stages on devices of one kind.
struct StageBounds<'a> {
    problem: &'a SearchProblem<'a>,
    /// Graphs of the step by the number of micro-batches.
    graphs: BTreeMap<u64, SearchGraph<'a>>,
    space: &'a Space,
    on_one_device: Vec<LayerSeconds>,
    transfer: Transfer,
    /// True if the step has too many ops for bounds with layouts.
    is_large: bool,
    /// Time from which layouts are not added any more.
    deadline: Option<Instant>,
    /// Bounds by the number of devices of a stage.
    by_devices: BTreeMap<usize, DeviceBounds>,
}

/// Bounds with all layouts on a number of devices.
#[derive(Default)]
struct DeviceBounds {
    /// Kernel seconds of the layers, by the number of micro-batches.
    layers: BTreeMap<u64, Vec<LayerSeconds>>,
    /// Seconds of all micro-batches with communication, by their number.
    passes: BTreeMap<u64, PassSeconds>,
    /// Seconds of a step with communication.
    step: f64,
}

impl<'a> StageBounds<'a> {
    /// Creates the bounds of a step without layouts. `steps` contains it with each number of micro-batches, beginning
    /// with the smallest one. Returns `None` if there are none.
    fn new(
        problem: &'a SearchProblem<'a>,
        steps: &'a [Step],
        space: &'a Space,
        kind: &DeviceKind,
        (is_large, deadline): (bool, Option<Instant>),
    ) -> Option<StageBounds<'a>> {
        let graphs: BTreeMap<u64, SearchGraph<'_>> =
            steps.iter().map(|step| (step.micro_batches, SearchGraph::new(&step.program, &step.classes))).collect();
        let graph = graphs.get(&steps.first()?.micro_batches)?;
        let layers = Layers::partition(graph, usize::MAX);
        let transfer = Transfer::fastest(problem, space.devices, layers.least_crossing_bytes(graph));
        let on_one_device = graph.ideal_seconds(&layers, &[kind], problem.efficiencies);
        let by_devices = BTreeMap::new();
        Some(StageBounds { problem, graphs, space, on_one_device, transfer, is_large, deadline, by_devices })
    }

    /// Returns the numbers of stages for which there are devices.
    fn stages(&self) -> impl Iterator<Item = usize> + '_ {
        let each = |sizes: AxisSizes| sizes.iter().map(|&size| size as usize).product();
        let per_stage = self.space.mesh.map_or(1, each);
        self.space.stages.iter().copied().filter(move |stages| stages * per_stage <= self.space.devices)
    }

    /// Returns the number of devices of each stage: as equal as possible, or that of the specified mesh.
    fn stage_devices(&self, stages: usize) -> Vec<usize> {
        let devices = self.space.devices;
        match self.space.mesh {
            Some(sizes) => vec![sizes.iter().map(|&size| size as usize).product(); stages],
            None => (0..stages).map(|stage| devices * (stage + 1) / stages - devices * stage / stages).collect(),
        }
    }

    /// Returns the least seconds of each layer for one of `count` micro-batches on a number of devices.
    fn layer_times(&self, devices: usize, count: u64) -> Vec<LayerTimes> {
        let times = |seconds: &LayerSeconds| LayerTimes::new(seconds, count.max(1) as f64);
        match self.by_devices.get(&devices).and_then(|bounds| bounds.layers.get(&count)) {
            Some(layers) => layers.iter().map(times).collect(),
            None => self.on_one_device.iter().map(|seconds| times(&seconds.divided_by(devices))).collect(),
        }
    }

    /// Returns a lower bound of the step time with a number of stages.
    fn seconds(&self, stages: usize) -> f64 {
        let all = self.space.micro_batches.iter();
        all.map(|&count| self.seconds_with(stages, count)).fold(f64::INFINITY, f64::min)
    }

    /// Returns a lower bound of the step time with a number of stages and of micro-batches.
    fn seconds_with(&self, stages: usize, micro_batches: u64) -> f64 {
        let devices = self.stage_devices(stages);
        let most = devices.iter().copied().max().unwrap_or(1);
        let fewest = devices.iter().copied().min().unwrap_or(1);
        let count = micro_batches.max(1) as f64;
        let communicating = |devices: usize| self.by_devices.get(&devices).map_or(0.0, |bounds| bounds.step);
        // A stage with a fraction of the step has the same fraction of its time on the devices of the stage.
        let mut stages_with: BTreeMap<usize, usize> = BTreeMap::new();
        devices.iter().for_each(|&devices| *stages_with.entry(devices).or_default() += 1);
        let rates = stages_with.into_iter().map(|(devices, stages)| {
            let times = self.layer_times(devices, micro_batches);
            let seconds = times.iter().map(|times| times.step(count)).sum::<f64>();
            let busy = self.pass_seconds(devices, micro_batches).busy;
            stages as f64 / seconds.max(busy).max(communicating(devices))
        });
        let step = stages as f64 / rates.sum::<f64>();
        if stages == 1 {
            return step;
        }
        let times = self.layer_times(most, micro_batches);
        let hop = self.transfer.seconds(count, most);
        let spine_on_most = self.pass_seconds(most, micro_batches).spine / count;
        let large = devices.iter().filter(|&&devices| devices == most).count();
        let small_times = self.layer_times(fewest, micro_batches);
        // Each micro-batch passes through all chunks forward and backward.
        let hops = |chunks: usize| 2.0 * (stages * chunks - 1) as f64 * hop;
        let mixed = match fewest < most {
            true => stages::least_seconds_of_two_sizes((&small_times, &times), large, count, hops(1)),
            false => 0.0,
        };
        let in_chunks = |chunks: usize, path: f64| {
            let path = path.max(spine_on_most) + hops(chunks);
            (step / stages as f64).max(mixed).max(stages::least_seconds_in_any_order(&times, stages, path))
        };
        let spine = times.iter().map(LayerTimes::spine).sum::<f64>();
        let contiguous = stages::least_seconds(&times, stages, count, hop).max(in_chunks(1, spine));
        // In interleaved schedules, the gradients of parameters are computed before gradients are sent.
        let passes = times.iter().map(LayerTimes::passes).sum::<f64>();
        let chunks = self.chunks(stages);
        chunks.iter().map(|&chunks| in_chunks(chunks, passes)).fold(contiguous, f64::min)
    }

    /// Returns the least seconds of all micro-batches on a number of devices. Their sum does not decrease with their
    /// number.
    fn pass_seconds(&self, devices: usize, count: u64) -> PassSeconds {
        let passes = self.by_devices.get(&devices).map(|bounds| &bounds.passes);
        let known = passes.and_then(|passes| passes.get(&count).or_else(|| passes.values().next()));
        known.copied().unwrap_or_default()
    }

    /// Returns the numbers of chunks per stage of interleaved schedules.
    fn chunks(&self, stages: usize) -> Vec<usize> {
        let chunks = |kind: &ScheduleKind| match kind {
            ScheduleKind::Interleaved { chunks } => Some(*chunks),
            ScheduleKind::Vanilla
            | ScheduleKind::Gpipe
            | ScheduleKind::OneFOneB
            | ScheduleKind::ZbH1
            | ScheduleKind::ZbH2 => None,
        };
        let all = self.space.schedules.iter().filter_map(chunks);
        all.filter(|chunks| stages * chunks <= self.on_one_device.len()).collect()
    }

    /// Adds the layouts of all ops and the communication between them to the bound of a number of stages, which need
    /// not exceed `enough` seconds. Returns false if that is not possible.
    fn refine(&mut self, stages: usize, enough: f64) -> bool {
        let SearchProblem { constraints, .. } = *self.problem;
        let names_axes = constraints.mesh.is_none() && !constraints.axis_names.is_empty();
        let mut devices = self.stage_devices(stages);
        devices.sort_unstable();
        devices.dedup();
        devices.retain(|devices| !self.by_devices.contains_key(devices));
        if devices.is_empty() || names_axes || self.is_large {
            return false;
        }
        for devices in devices {
            let Some(bounds) = self.device_bounds(devices, enough * stages as f64) else { return false };
            self.by_devices.insert(devices, bounds);
        }
        true
    }

    /// Returns the bounds with all layouts on a number of devices. Returns `None` if they have too many layouts, if the
    /// deadline has passed, or if no layouts satisfy the constraints.
    fn device_bounds(&self, devices: usize, enough: f64) -> Option<DeviceBounds> {
        let SearchProblem { constraints, effort, .. } = *self.problem;
        let (names, axes): (Vec<String>, Vec<u32>) = match &constraints.mesh {
            Some(axes) => axes.iter().cloned().unzip(),
            // Every layout on another mesh of as many devices is a layout on the mesh of prime axes.
            None if devices == 1 => (Vec::new(), vec![1]),
            None => (Vec::new(), prime_factors(devices).iter().map(|&size| size as u32).collect()),
        };
        let axis_count = axes.iter().filter(|&&size| size > 1).count();
        let are_interchangeable = axis_count > BoundLimits::TUNED.max_distinct_axes;
        let is_free = constraints.mesh.is_none() && self.problem.target.is_none();
        if are_interchangeable && !is_free || axis_count > BoundLimits::TUNED.max_axes {
            return None;
        }
        let order = (0..axes.len()).collect();
        let config = ParallelConfig { stages: 1, axes, names, order, micro_batches: 1, recompute: false };
        let overlaps = constraints.template().overlap.as_ref().is_none_or(names_collectives);
        let mut bounds = DeviceBounds::default();
        for (&count, graph) in &self.graphs {
            let layers = Layers::partition(graph, usize::MAX);
            let least = |layouts: &mut LayoutSpace<'_>| {
                layouts.allow(Allowance::limited(BoundLimits::TUNED.max_reshards, self.deadline));
                // With many layouts, the communication of one micro-batch is a bound for several.
                if count == 1 || !are_interchangeable {
                    let work = layouts.step_work(overlaps);
                    bounds.passes.insert(count, layouts.least_pass_seconds(&work, &layers, effort));
                    if count == 1 {
                        bounds.step = layouts.least_step_seconds(&work, &layers, effort, enough);
                    }
                }
                let least = layouts.least_layer_seconds(&layers);
                (!layouts.is_exhausted()).then_some(least)
            };
            let least = match are_interchangeable {
                true => with_interchangeable_axes(self.problem, graph, &config, least),
                false => with_layouts(self.problem, graph, &config, 0, least),
            };
            let least = least.ok()???;
            bounds.layers.insert(count, least);
        }
        Some(bounds)
    }
}
