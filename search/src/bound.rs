//! Lower bound of the simulated step time of all plans of a search space.
//!
//! Each number of pipeline stages has a bound. Without communication it is the work of the step, divided over all
//! devices: shards are at best equal, and each kernel is launched for each micro-batch. With communication, it is the
//! minimum over all layouts of [`LayoutSpace::least_step_seconds`], whose collectives cannot overlap with kernels. The
//! stages of a pipeline wait for each other ([`stages`]). The bound of the space is the smallest one; communication is
//! added until the smallest bound contains it.

mod stages;

use crate::composition::{AxisSizes, Space, prime_factors};
use crate::configs::ParallelConfig;
use crate::evaluate::SimulatedPlan;
use crate::intra_op::{IdealSeconds, Layers, LayoutSpace, LeastSeconds, SearchGraph, with_layouts};
use crate::limits::BoundLimits;
use crate::problem::{SearchProblem, Step};
use partita_cost::placement::LinkTable;
use partita_ir::mesh::DeviceMesh;
use partita_ir::schedule::ScheduleKind;
use partita_machine::DeviceKind;
use stages::{LayerTimes, staggered_seconds};
use std::collections::BTreeMap;

/// Returns a lower bound in seconds of the simulated step time of all plans of a space, of which `best` is the fastest
/// known one. Returns `None` if a device is unknown.
pub(crate) fn lower_bound(
    problem: &SearchProblem<'_>,
    step: &Step,
    space: &Space,
    best: &SimulatedPlan,
) -> Option<f64> {
    let machine = problem.machine();
    let kinds: Option<Vec<&DeviceKind>> = (0..space.devices).map(|device| machine.kind_of(device)).collect();
    let kinds = kinds?;
    let graph = SearchGraph::new(&step.program, &step.classes);
    let layers = Layers::partition(&graph, usize::MAX);
    let kind = *kinds.first()?;
    if kinds.iter().any(|other| other.name != kind.name) {
        let ideal = graph.ideal_seconds(&layers, &kinds, problem.efficiencies);
        return Some(ideal.iter().map(IdealSeconds::step).sum::<f64>().min(best.seconds));
    }
    let transfer = Transfer::fastest(problem, space.devices, layers.least_crossing_bytes(&graph));
    let on_one_device = graph.ideal_seconds(&layers, &[kind], problem.efficiencies);
    let mut bounds =
        StageBounds { problem, graph: &graph, space, on_one_device, transfer, by_devices: BTreeMap::new() };
    loop {
        let all: Vec<usize> = bounds.stages().collect();
        let all = all.into_iter().map(|stages| (bounds.seconds(stages), stages));
        let (bound, stages) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
        if bound >= best.seconds || !bounds.refine(stages) {
            return Some(bound.min(best.seconds));
        }
    }
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
    graph: &'a SearchGraph<'a>,
    space: &'a Space,
    on_one_device: Vec<IdealSeconds>,
    transfer: Transfer,
    /// Ideal seconds of each layer, and bounds with communication, by the number of devices of a stage.
    by_devices: BTreeMap<usize, (Vec<IdealSeconds>, Option<LeastSeconds>)>,
}

impl StageBounds<'_> {
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

    fn ideal(&mut self, devices: usize) -> &(Vec<IdealSeconds>, Option<LeastSeconds>) {
        let divide = || (self.on_one_device.iter().map(|ideal| ideal.divided_by(devices)).collect(), None);
        self.by_devices.entry(devices).or_insert_with(divide)
    }

    /// Returns a lower bound of the step time with a number of stages.
    fn seconds(&mut self, stages: usize) -> f64 {
        let devices = self.stage_devices(stages);
        let most = devices.iter().copied().max().unwrap_or(1);
        // A stage with a fraction of the step has the same fraction of its time on the devices of the stage.
        let rates = devices.iter().map(|&devices| {
            let (ideal, refined) = self.ideal(devices);
            let step: f64 = ideal.iter().map(IdealSeconds::step).sum();
            step.max(refined.map_or(0.0, |refined| refined.step)).recip()
        });
        let step = stages as f64 / rates.sum::<f64>();
        let (chunks, transfer) = (self.chunks(stages), self.transfer);
        let micro_batches = self.space.micro_batches.clone();
        let (ideal, refined) = self.ideal(most);
        let spine = refined.map_or(0.0, |refined| refined.spine);
        let with_micro_batches = |micro_batches: u64| {
            let count = micro_batches.max(1) as f64;
            let times: Vec<LayerTimes> = ideal.iter().map(|ideal| LayerTimes::new(ideal, count)).collect();
            let step = step + (count - 1.0) * times.iter().map(|times| times.launching).sum::<f64>();
            if stages == 1 {
                return step;
            }
            let hop = transfer.seconds(count, most);
            let in_chunks = |chunks: usize| {
                let forward: f64 = times.iter().map(|times| times.forward).sum();
                // Each micro-batch passes through all chunks forward and backward.
                let path = times.iter().map(LayerTimes::spine).sum::<f64>().max(spine / count);
                let path = path + 2.0 * (stages * chunks - 1) as f64 * hop;
                staggered_seconds(stages, step, forward / chunks as f64)
                    .max(stages::least_seconds_in_any_order(&times, stages, path))
            };
            let contiguous = stages::least_seconds(&times, stages, count, hop).max(in_chunks(1));
            chunks.iter().map(|&chunks| in_chunks(chunks)).fold(contiguous, f64::min)
        };
        micro_batches.into_iter().map(with_micro_batches).fold(f64::INFINITY, f64::min)
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

    /// Adds communication to the bound of a number of stages. Returns false if that is not possible.
    fn refine(&mut self, stages: usize) -> bool {
        let SearchProblem { constraints, effort, .. } = *self.problem;
        let names_axes = constraints.mesh.is_none() && !constraints.axis_names.is_empty();
        let mut devices = self.stage_devices(stages);
        devices.sort_unstable();
        devices.dedup();
        devices.retain(|&devices| self.ideal(devices).1.is_none());
        if devices.is_empty() || names_axes || self.graph.node_count() > BoundLimits::TUNED.max_nodes {
            return false;
        }
        for devices in devices {
            let (names, axes): (Vec<String>, Vec<u32>) = match &constraints.mesh {
                Some(axes) => axes.iter().cloned().unzip(),
                // Every layout on another mesh of as many devices is a layout on the mesh of prime axes.
                None if devices == 1 => (Vec::new(), vec![1]),
                None => (Vec::new(), prime_factors(devices).iter().map(|&size| size as u32).collect()),
            };
            if axes.iter().filter(|&&size| size > 1).count() > BoundLimits::TUNED.max_axes {
                return false;
            }
            let order = (0..axes.len()).collect();
            let config = ParallelConfig { stages, axes, names, order, micro_batches: 1, recompute: false };
            let mesh = DeviceMesh::new("mesh", config.named_axes());
            let least = |layouts: &mut LayoutSpace<'_>| layouts.least_step_seconds(&mesh, effort);
            let Ok(Some(least)) = with_layouts(self.problem, self.graph, &config, 0, least) else { return false };
            if let Some((_, refined)) = self.by_devices.get_mut(&devices) {
                *refined = Some(least);
            }
        }
        true
    }
}
