//! Which device of a machine is which of a pipeline, and what its collectives and transfers see of the machine then.
//!
//! A stage's mesh is a grid over devices that follow each other. Axes along which devices talk often are minor, so that
//! they lie inside of a node (Narayanan et al. 2021, section 3): within a node data is reduced many times faster than
//! between them. The plan may say otherwise. Stages come one after the other, outermost.

#[cfg(test)]
mod tests;

use super::traffic::collectives;
use partita_ir::class::Collective;
use partita_ir::mesh::{Axes, Mesh, position};
use partita_ir::op::OpKind;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::{Op, Program};
use partita_machine::Machine;
use partita_machine::collective::CollectiveKind;
use partita_machine::collective::choice::{Choice, Prices};
use partita_machine::topology::Topology;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

/// Devices of a machine for the devices of a pipeline.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placement {
    /// By stage and rank in its mesh, the number of the device.
    pub stages: Vec<Vec<usize>>,
}

/// What does not fit on a machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misplaced {
    /// There are fewer devices than are needed.
    TooFew {
        /// How many are needed.
        needed: usize,
        /// How many there are.
        available: usize,
    },
    /// A placement is not for the stages of the pipeline, or names a device twice or one that does not exist.
    Unsound,
    /// Devices that cannot reach each other.
    Apart(usize, usize),
}

impl Placement {
    /// Stages after each other. In each of them axes lie from major to minor as `map` says; those that it leaves out
    /// are the more minor the more they carry in a step, inside of the others.
    ///
    /// # Errors
    /// [`Misplaced::TooFew`].
    pub fn of(pipeline: &Pipeline, machine: &Machine, map: &[SmolStr]) -> Result<Placement, Misplaced> {
        let (needed, available) = (pipeline.device_count(), machine.device_count());
        if needed > available {
            return Err(Misplaced::TooFew { needed, available });
        }
        let mut first = 0;
        let mut stages = Vec::with_capacity(pipeline.schedule.stages);
        for stage in 0..pipeline.schedule.stages {
            let Some(mesh) = mesh_of(pipeline, stage) else { continue };
            let tasks = pipeline.chunks_of(stage).flat_map(|c| pipeline.chunks[c].tasks.iter().map(move |t| (c, t)));
            let programs = tasks.map(|(chunk, task)| (pipeline.times(chunk, task.moment), &task.program));
            let devices = grid(mesh, &loads(mesh, programs), first, map);
            first += devices.len();
            stages.push(devices);
        }
        Ok(Placement { stages })
    }

    /// Whether it is one for a pipeline on a machine.
    ///
    /// # Errors
    /// [`Misplaced::Unsound`] if not.
    pub fn check(&self, pipeline: &Pipeline, machine: &Machine) -> Result<(), Misplaced> {
        let mut all: Vec<usize> = self.stages.iter().flatten().copied().collect();
        all.sort_unstable();
        let is_sound = all.windows(2).all(|pair| pair[0] < pair[1])
            && all.last().is_none_or(|&last| last < machine.device_count())
            && self.stages.len() == pipeline.schedule.stages
            && (0..self.stages.len())
                .all(|stage| mesh_of(pipeline, stage).map_or(0, Mesh::device_count) == self.stages[stage].len());
        if is_sound { Ok(()) } else { Err(Misplaced::Unsound) }
    }
}

/// The mesh of a stage: that of its first chunk.
fn mesh_of(pipeline: &Pipeline, stage: usize) -> Option<&Mesh> {
    let chunk = pipeline.schedule.home.iter().position(|&home| home == stage)?;
    Some(&pipeline.chunks[chunk].mesh)
}

/// By rank of a mesh, its device.
fn grid(mesh: &Mesh, loads: &[u64], first: usize, map: &[SmolStr]) -> Vec<usize> {
    // From major to minor; axes that carry alike stay in the order of the mesh.
    let mut order: Vec<usize> = (0..mesh.axes.len()).collect();
    let said = |axis: usize| map.iter().position(|name| *name == mesh.axes[axis].name).unwrap_or(map.len());
    order.sort_by_key(|&axis| (said(axis), loads[axis]));
    let device = |rank: usize| {
        let coords = mesh.coords(rank);
        let number = order.iter().fold(0, |at, &axis| at * mesh.axes[axis].size as usize + coords[axis] as usize);
        first + number
    };
    (0..mesh.device_count()).map(device).collect()
}

/// By axis, the bytes that a device sends along it in a step, in which programs run so often.
fn loads<'p>(mesh: &Mesh, programs: impl IntoIterator<Item = (u64, &'p Program)>) -> Vec<u64> {
    let mut loads = vec![0u64; mesh.axes.len()];
    for (times, program) in programs {
        for collective in collectives(program) {
            for axis in &collective.axes {
                let all = &mut loads[partita_ir::arena::Id::index(axis.axis)];
                *all = all.saturating_add(times.saturating_mul(collective.wire_bytes).saturating_mul(collective.count));
            }
        }
    }
    loads
}

/// Seconds of collectives of a stage, as one of its devices meets them.
pub struct Collectives<'a> {
    machine: &'a Machine,
    prices: &'a Prices<'a>,
    mesh: &'a Mesh,
    devices: &'a [usize],
    /// By axes, the devices of a group and how many groups use the same nodes.
    groups: FxHashMap<Axes, (Vec<usize>, usize)>,
}

impl<'a> Collectives<'a> {
    /// Those on these devices of a mesh.
    pub fn new(machine: &'a Machine, prices: &'a Prices<'a>, mesh: &'a Mesh, devices: &'a [usize]) -> Collectives<'a> {
        Collectives { machine, prices, mesh, devices, groups: FxHashMap::default() }
    }

    /// Seconds of a collective of a program, of links that reach their data sheets. None if its devices cannot reach
    /// each other.
    pub fn seconds(&mut self, program: &Program, op: &Op) -> Option<f64> {
        self.cheapest(program, op).map(|choice| choice.seconds)
    }

    /// The cheapest way of a collective of a program. None if its devices cannot reach each other.
    pub fn cheapest(&mut self, program: &Program, op: &Op) -> Option<Choice> {
        let held = |values: &[_]| -> u64 {
            values.iter().map(|&v| program.values[v].local_type().bytes()).fold(0, u64::saturating_add)
        };
        self.cheapest_of(&op.kind, held(&op.args), held(&op.outs))
    }

    /// The same of a collective that takes and gives so many bytes on each device.
    pub fn cheapest_of(&mut self, kind: &OpKind, taken: u64, given: u64) -> Option<Choice> {
        let collective = kind.collective()?;
        let axes = collective.axes();
        let (devices, groups) =
            self.groups.entry(axes.clone()).or_insert_with(|| group(self.machine, self.mesh, self.devices, axes));
        let ranks = devices.len() as u64;
        let (kind, bytes) = match collective {
            Collective::AllReduce(_) => (CollectiveKind::AllReduce, given),
            Collective::AllGather(_) => (CollectiveKind::AllGather, given),
            Collective::ReduceScatter(_) => (CollectiveKind::ReduceScatter, taken),
            Collective::AllToAll(_) => (CollectiveKind::AllToAll, taken.saturating_mul(ranks)),
            Collective::Permute(permute) => {
                let pairs: Vec<(usize, usize)> =
                    permute.pairs.iter().map(|&(from, to)| (from as usize, to as usize)).collect();
                let bytes = taken.saturating_mul(pairs.len() as u64);
                (CollectiveKind::Permute(pairs), bytes)
            }
        };
        self.prices.cheapest(&kind, bytes, devices, *groups)
    }
}

/// The devices of the group of rank 0 along axes, in the order of their positions, and how many such groups use the
/// same nodes.
fn group(machine: &Machine, mesh: &Mesh, devices: &[usize], axes: &Axes) -> (Vec<usize>, usize) {
    let mut members: Vec<(usize, usize)> = Vec::new();
    for (rank, &device) in devices.iter().enumerate() {
        let coords = mesh.coords(rank);
        // Along nothing but those axes it is where rank 0 is.
        let mut rest = coords.clone();
        for axis in axes {
            let post = mesh.size(axis.axis) / (axis.pre * axis.size);
            rest[partita_ir::arena::Id::index(axis.axis)] -= axis.index_of(mesh, &coords) * post;
        }
        if rest.iter().all(|&coord| coord == 0) {
            members.push((position(axes, mesh, &coords), device));
        }
    }
    members.sort_unstable();
    let group: Vec<usize> = members.into_iter().map(|(_, device)| device).collect();
    let shares = sharing(machine, devices, &group);
    (group, shares)
}

/// How many groups like that one use its first node at the same time, where all of these devices are in such groups.
fn sharing(machine: &Machine, devices: &[usize], group: &[usize]) -> usize {
    let node = |device: usize| machine.place_of(device).map(|(kind, number, _)| (kind, number));
    let here = group.first().and_then(|&device| node(device));
    let count = |devices: &[usize]| devices.iter().filter(|&&device| node(device) == here).count().max(1);
    (count(devices) / count(group)).max(1)
}

/// What carries messages, by name, and the bytes that it carries in a second.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Lanes {
    /// Names.
    pub names: Vec<String>,
    /// Bytes a second.
    pub bandwidths: Vec<f64>,
    numbers: FxHashMap<String, usize>,
}

impl Lanes {
    /// The lanes from a device to another one, and the seconds until the first byte arrives, where so many pairs of
    /// devices of the same nodes do the same.
    ///
    /// # Errors
    /// [`Misplaced::Apart`] when there is no way.
    pub fn route(
        &mut self,
        machine: &Machine,
        from: usize,
        to: usize,
        pairs: usize,
    ) -> Result<(Vec<usize>, f64), Misplaced> {
        let apart = Misplaced::Apart(from, to);
        let (here, there) = (machine.place_of(from), machine.place_of(to));
        let (Some((kind, number, _)), Some(there)) = (here, there) else { return Err(apart) };
        let is_within = (kind, number) == (there.0, there.1);
        let topology = Topology::of(machine, &[from, to], pairs).ok_or_else(|| apart.clone())?;
        let mut routes = topology.routes(0);
        let route = routes.get_mut(1).and_then(Option::take).ok_or(apart)?;
        // Of nodes of several kinds and of one node of many, names say which.
        let node = &machine.nodes[kind].name;
        let prefix = match (is_within, machine.nodes.len() > 1) {
            (true, _) => format!("{node} {number}."),
            (false, true) => format!("{node} > {} ", machine.nodes[there.0].name),
            (false, false) => format!("{node} "),
        };
        let lanes = route.lanes.iter().map(|&(lane, _)| {
            let lane = &topology.lanes[lane];
            self.lane(format!("{prefix}{}", lane.name), lane.bandwidth)
        });
        let lanes = lanes.collect();
        Ok((lanes, route.latency()))
    }

    fn lane(&mut self, name: String, bandwidth: f64) -> usize {
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
