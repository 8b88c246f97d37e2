//! Placement of a pipeline's devices on a machine, and the costs of collectives and transfers that follow from it.
//!
//! The mesh of a stage is a grid over consecutive devices. Axes with more communication are minor, so that their groups
//! stay within a node (Narayanan et al. 2021, section 3), where reductions are many times faster than between nodes.
//! The plan can override the order of axes. Stages are outermost, one after another.

#[cfg(test)]
mod tests;

use super::roofline::Efficiencies;
use super::traffic::collectives;
use partita_ir::class::Collective;
use partita_ir::mesh::{Axes, DeviceMesh, group_rank};
use partita_ir::op::OpKind;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::{Op, Program};
use partita_machine::Machine;
use partita_machine::collective::CollectiveKind;
use partita_machine::collective::choice::{Choice, Prices};
use partita_machine::profile::AchievedLink;
use partita_machine::topology::Topology;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use std::borrow::Cow;

/// Assignment of a pipeline's devices to devices of a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// Machine device of each rank in the mesh of each stage.
    pub stages: Vec<Vec<usize>>,
}

/// Reason why a placement is impossible or invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlacementError {
    /// The machine has too few devices.
    TooFewDevices {
        /// Number of devices that the pipeline needs.
        needed: usize,
        /// Number of devices of the machine.
        available: usize,
    },
    /// The placement does not match the stages of the pipeline, uses a device twice, or contains a device that does not
    /// exist.
    Invalid,
    /// No route connects two devices.
    Unreachable(usize, usize),
}

/// Bytes that a device of each stage sends along each mesh axis in a step.
#[derive(Clone, PartialEq, Debug)]
pub struct AxisLoads {
    stages: Vec<Vec<f64>>,
}

impl AxisLoads {
    /// Returns the loads of the axes of a pipeline.
    pub fn new(pipeline: &Pipeline) -> AxisLoads {
        let of_stage = |stage: usize| {
            let mesh = mesh_of(pipeline, stage)?;
            let tasks = pipeline.chunks_of(stage).flat_map(|c| pipeline.chunks[c].tasks.iter().map(move |t| (c, t)));
            let programs = tasks.map(|(chunk, task)| (pipeline.runs_per_step(chunk, task.moment), &task.program));
            Some(bytes_per_axis(mesh, programs))
        };
        AxisLoads { stages: (0..pipeline.schedule.stages).map(|stage| of_stage(stage).unwrap_or_default()).collect() }
    }

    /// Returns the loads of the same stages of a deeper model: `self + times * (more - self)`.
    pub fn extrapolated(&self, more: &AxisLoads, times: f64) -> AxisLoads {
        let axes = |(fewer, more): (&Vec<f64>, &Vec<f64>)| {
            fewer.iter().zip(more).map(|(fewer, more)| fewer + times * (more - fewer)).collect()
        };
        AxisLoads { stages: self.stages.iter().zip(&more.stages).map(axes).collect() }
    }
}

impl Placement {
    /// Places stages on consecutive devices. Within a stage, the axes in `map` are ordered from major to minor. The
    /// other axes are minor to those in `map`, ordered by ascending bytes sent per step.
    ///
    /// # Errors
    /// Returns [`PlacementError::TooFewDevices`] if the machine is too small.
    pub fn for_pipeline(pipeline: &Pipeline, machine: &Machine, map: &[SmolStr]) -> Result<Placement, PlacementError> {
        Placement::for_loads(pipeline, machine, map, &AxisLoads::new(pipeline))
    }

    /// Places stages as [`Placement::for_pipeline`], with the given loads of the axes.
    ///
    /// # Errors
    /// Returns [`PlacementError::TooFewDevices`] if the machine is too small.
    pub fn for_loads(
        pipeline: &Pipeline,
        machine: &Machine,
        map: &[SmolStr],
        loads: &AxisLoads,
    ) -> Result<Placement, PlacementError> {
        let (needed, available) = (pipeline.device_count(), machine.device_count());
        if needed > available {
            return Err(PlacementError::TooFewDevices { needed, available });
        }
        let mut first = 0;
        let mut stages = Vec::with_capacity(pipeline.schedule.stages);
        for (stage, loads) in loads.stages.iter().enumerate() {
            let Some(mesh) = mesh_of(pipeline, stage) else { continue };
            let devices = assign_devices(mesh, loads, first, map);
            first += devices.len();
            stages.push(devices);
        }
        Ok(Placement { stages })
    }

    /// Checks that the placement is valid for a pipeline and a machine.
    ///
    /// # Errors
    /// Returns [`PlacementError::Invalid`] if not.
    pub fn check(&self, pipeline: &Pipeline, machine: &Machine) -> Result<(), PlacementError> {
        let mut all: Vec<usize> = self.stages.iter().flatten().copied().collect();
        all.sort_unstable();
        let is_sound = all.windows(2).all(|pair| pair[0] < pair[1])
            && all.last().is_none_or(|&last| last < machine.device_count())
            && self.stages.len() == pipeline.schedule.stages
            && (0..self.stages.len())
                .all(|stage| mesh_of(pipeline, stage).map_or(0, DeviceMesh::device_count) == self.stages[stage].len());
        if is_sound { Ok(()) } else { Err(PlacementError::Invalid) }
    }
}

/// Returns the mesh of a stage, which is the mesh of its first chunk.
fn mesh_of(pipeline: &Pipeline, stage: usize) -> Option<&DeviceMesh> {
    let chunk = pipeline.schedule.stage_of_chunk.iter().position(|&home| home == stage)?;
    Some(&pipeline.chunks[chunk].mesh)
}

/// Returns the machine device of each rank of a mesh.
fn assign_devices(mesh: &DeviceMesh, loads: &[f64], first: usize, map: &[SmolStr]) -> Vec<usize> {
    // Axes from major to minor. Axes with equal loads keep the order of the mesh.
    let mut order: Vec<usize> = (0..mesh.axes.len()).collect();
    let map_position = |axis: usize| map.iter().position(|name| *name == mesh.axes[axis].name).unwrap_or(map.len());
    order.sort_by(|&a, &b| map_position(a).cmp(&map_position(b)).then(loads[a].total_cmp(&loads[b])));
    let device = |rank: usize| {
        let coords = mesh.coords(rank);
        let number = order.iter().fold(0, |at, &axis| at * mesh.axes[axis].size as usize + coords[axis] as usize);
        first + number
    };
    (0..mesh.device_count()).map(device).collect()
}

/// Returns the bytes that a device sends along each axis in a step, given programs and the number of times each runs.
fn bytes_per_axis<'p>(mesh: &DeviceMesh, programs: impl IntoIterator<Item = (u64, &'p Program)>) -> Vec<f64> {
    let mut loads = vec![0.0; mesh.axes.len()];
    for (times, program) in programs {
        for collective in collectives(program) {
            for axis in &collective.axes {
                loads[partita_ir::arena::Id::index(axis.axis)] +=
                    times as f64 * collective.wire_bytes as f64 * collective.count as f64;
            }
        }
    }
    loads
}

/// Costs of the collectives of a stage, from the perspective of one of its devices.
pub struct CollectiveCosts<'a> {
    machine: &'a Machine,
    prices: &'a Prices<'a>,
    mesh: &'a DeviceMesh,
    devices: Cow<'a, [usize]>,
    /// For each set of axes, one group of devices.
    groups: FxHashMap<Axes, CommunicatingGroup>,
}

/// Devices of a collective.
struct CommunicatingGroup {
    devices: Vec<usize>,
    /// Number of such groups that share the nodes of this one.
    groups: usize,
    /// Achieved performance of the links that the group uses.
    link: AchievedLink,
}

impl<'a> CollectiveCosts<'a> {
    /// Creates the cost evaluator for a mesh placed on the given devices.
    pub fn new(
        machine: &'a Machine,
        prices: &'a Prices<'a>,
        mesh: &'a DeviceMesh,
        devices: impl Into<Cow<'a, [usize]>>,
    ) -> CollectiveCosts<'a> {
        CollectiveCosts { machine, prices, mesh, devices: devices.into(), groups: FxHashMap::default() }
    }

    /// Returns the seconds of a collective at the full bandwidth of the data sheet. Returns `None` if its devices are
    /// not connected.
    pub fn seconds(&mut self, program: &Program, op: &Op) -> Option<f64> {
        self.cheapest(program, op).map(|choice| choice.seconds)
    }

    /// Returns the cheapest algorithm for a collective. Returns `None` if its devices are not connected.
    pub fn cheapest(&mut self, program: &Program, op: &Op) -> Option<Choice> {
        let local_bytes = |values: &[_]| -> u64 {
            values.iter().map(|&v| program.values[v].local_type().bytes()).fold(0, u64::saturating_add)
        };
        self.cheapest_for_bytes(&op.kind, local_bytes(&op.args), local_bytes(&op.outs))
    }

    /// Returns the cheapest algorithm for a collective with the given operand and result bytes per device. Returns
    /// `None` if its devices are not connected.
    pub fn cheapest_for_bytes(&mut self, kind: &OpKind, operand_bytes: u64, result_bytes: u64) -> Option<Choice> {
        let collective = kind.collective()?;
        let prices = self.prices;
        let CommunicatingGroup { devices, groups, .. } = self.group(collective.axes());
        let ranks = devices.len() as u64;
        let (kind, bytes) = match collective {
            Collective::AllReduce(_) => (CollectiveKind::AllReduce, result_bytes),
            Collective::AllGather(_) => (CollectiveKind::AllGather, result_bytes),
            Collective::ReduceScatter(_) => (CollectiveKind::ReduceScatter, operand_bytes),
            Collective::AllToAll(_) => (CollectiveKind::AllToAll, operand_bytes.saturating_mul(ranks)),
            Collective::Permute(permute) => {
                let pairs: Vec<(usize, usize)> =
                    permute.pairs.iter().map(|&(from, to)| (from as usize, to as usize)).collect();
                let bytes = operand_bytes.saturating_mul(pairs.len() as u64);
                (CollectiveKind::Permute(pairs), bytes)
            }
        };
        prices.cheapest(&kind, bytes, devices, *groups)
    }

    fn group(&mut self, axes: &Axes) -> &CommunicatingGroup {
        self.groups.entry(axes.clone()).or_insert_with(|| first_group(self.machine, self.mesh, &self.devices, axes))
    }

    /// Returns the seconds of a collective at the bandwidth that links achieve. Returns `None` if its devices are not
    /// connected.
    pub fn achieved_seconds(&mut self, program: &Program, op: &Op, efficiencies: &Efficiencies) -> Option<f64> {
        let seconds = self.seconds(program, op)?;
        Some(efficiencies.collective_seconds(self.group(op.kind.collective()?.axes()).link, seconds))
    }

    /// Returns the seconds of a collective with the given operand and result bytes per device, at the bandwidth that
    /// links achieve. Returns `None` if its devices are not connected.
    pub fn achieved_seconds_for_bytes(
        &mut self,
        kind: &OpKind,
        operand_bytes: u64,
        result_bytes: u64,
        efficiencies: &Efficiencies,
    ) -> Option<f64> {
        let seconds = self.cheapest_for_bytes(kind, operand_bytes, result_bytes)?.seconds;
        Some(efficiencies.collective_seconds(self.group(kind.collective()?.axes()).link, seconds))
    }
}

/// Returns rank 0's group along the given axes, ordered by position.
fn first_group(machine: &Machine, mesh: &DeviceMesh, devices: &[usize], axes: &Axes) -> CommunicatingGroup {
    let mut members: Vec<(usize, usize)> = Vec::new();
    for (rank, &device) in devices.iter().enumerate() {
        let coords = mesh.coords(rank);
        // A member has the coordinates of rank 0 except along the given axes.
        let mut rest = coords.clone();
        for axis in axes {
            let post = mesh.size(axis.axis) / (axis.pre * axis.size);
            rest[partita_ir::arena::Id::index(axis.axis)] -= axis.index_of(mesh, &coords) * post;
        }
        if rest.iter().all(|&coord| coord == 0) {
            members.push((group_rank(axes, mesh, &coords), device));
        }
    }
    members.sort_unstable();
    let group: Vec<usize> = members.into_iter().map(|(_, device)| device).collect();
    let (groups, link) = (groups_per_node(machine, devices, &group), machine.achieved_link(&group));
    CommunicatingGroup { devices: group, groups, link }
}

/// Returns the number of groups of the same kind that use the first node of `group` simultaneously, if `devices` is
/// partitioned into such groups.
fn groups_per_node(machine: &Machine, devices: &[usize], group: &[usize]) -> usize {
    let node = |device: usize| machine.locate_device(device).map(|(kind, number, _)| (kind, number));
    let here = group.first().and_then(|&device| node(device));
    let count = |devices: &[usize]| devices.iter().filter(|&&device| node(device) == here).count().max(1);
    (count(devices) / count(group)).max(1)
}

/// Links between devices, by name, with their bandwidths.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct LinkTable {
    /// Name of each link.
    pub names: Vec<String>,
    /// Bandwidth that large messages reach on each link, in bytes per second.
    pub bandwidths: Vec<f64>,
    numbers: FxHashMap<String, usize>,
}

impl LinkTable {
    /// Returns the links of the route between two devices and its latency in seconds, if `pairs` pairs of devices of
    /// the same two nodes communicate simultaneously. New links are added to the table.
    ///
    /// # Errors
    /// Returns [`PlacementError::Unreachable`] if no route exists.
    pub fn route(
        &mut self,
        machine: &Machine,
        from: usize,
        to: usize,
        pairs: usize,
        efficiencies: &Efficiencies,
    ) -> Result<(Vec<usize>, f64), PlacementError> {
        let unreachable = PlacementError::Unreachable(from, to);
        let (here, there) = (machine.locate_device(from), machine.locate_device(to));
        let (Some((kind, number, _)), Some(there)) = (here, there) else { return Err(unreachable) };
        let is_within = (kind, number) == (there.0, there.1);
        let topology = Topology::for_devices(machine, &[from, to], pairs).ok_or_else(|| unreachable.clone())?;
        let mut routes = topology.routes(0);
        let route = routes.get_mut(1).and_then(Option::take).ok_or(unreachable)?;
        // The name includes the node index within one node, and the node kinds if the machine has several.
        let node = &machine.nodes[kind].name;
        let prefix = match (is_within, machine.nodes.len() > 1) {
            (true, _) => format!("{node} {number}."),
            (false, true) => format!("{node} > {} ", machine.nodes[there.0].name),
            (false, false) => format!("{node} "),
        };
        let achieved = machine.achieved_link(&[from, to]);
        let share = efficiencies.link_share(achieved);
        let lanes = route.lanes.iter().map(|&(lane, _)| {
            let lane = &topology.lanes[lane];
            self.link(format!("{prefix}{}", lane.name), share * lane.bandwidth)
        });
        let lanes = lanes.collect();
        Ok((lanes, achieved.setup + route.latency()))
    }

    fn link(&mut self, name: String, bandwidth: f64) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
            self.bandwidths.push(bandwidth);
        }
        self.bandwidths[number] = self.bandwidths[number].min(bandwidth);
        number
    }
}
