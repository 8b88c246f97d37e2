//! Which way of carrying out a collective is the cheapest on a machine, and what it takes.
//!
//! Within a node every way that is known is carried out on the topology (`curves`), once for each topology and kind;
//! after that a price is a look-up. Across nodes there are closed forms (`closed`) that put prices within nodes
//! together with what ports and the network take. A group is gone over once, whatever its size.

mod closed;
mod curves;
#[cfg(test)]
mod tests;

use crate::Machine;
use crate::collective::CollectiveKind;
use crate::collective::way::Way;
use crate::topology::Topology;
use closed::{Nodes, Wire};
use curves::Curves;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The cheapest way.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// What it is called: `ring`, `trees(3)`, `hierarchical(8, ring)`.
    pub name: String,
    /// What it takes.
    pub seconds: f64,
    /// How it is carried out. None for ways across nodes of which only the price is known.
    pub way: Option<Way>,
}

/// The cheapest way of a collective, whose whole tensor has `bytes`, for these devices of a machine, where `groups`
/// groups of this shape use the same nodes at the same time. `None` if there are no such devices, they are not those
/// that the kind needs, or they cannot reach each other. Whoever asks often asks [`Prices`].
pub fn cheapest(
    kind: &CollectiveKind,
    bytes: u64,
    devices: &[usize],
    machine: &Machine,
    groups: usize,
) -> Option<Choice> {
    Prices::new(machine).cheapest(kind, bytes, devices, groups)
}

/// Prices of a machine's collectives, each worked out once. Their number grows with that of the groups that are asked
/// for.
#[derive(Debug)]
pub struct Prices<'m> {
    machine: &'m Machine,
    known: Mutex<Known>,
}

/// What has been worked out.
#[derive(Default, Debug)]
struct Known {
    /// By devices, and how many groups there are, the shape.
    shapes: FxHashMap<Vec<usize>, Vec<Looked>>,
    /// By node, devices in it, and how many groups there are, the site.
    sites: FxHashMap<(usize, Vec<usize>, usize), Option<Site>>,
    /// Topologies by what messages notice of them.
    topologies: FxHashMap<Vec<u64>, usize>,
    /// By topology and kind.
    curves: FxHashMap<(usize, CollectiveKind), Arc<Curves>>,
}

/// How many groups there are, and the shape of each if there is any.
type Looked = (usize, Option<Arc<Shape>>);

/// What a group's devices in one node see.
#[derive(Clone, Debug)]
struct Site {
    /// The number of the topology: sites that are alike have the same.
    number: usize,
    topology: Arc<Topology>,
    /// The way to the network, if there is one.
    wire: Option<Wire>,
}

/// A group of devices.
#[derive(Debug)]
struct Shape {
    /// By rank, its node and its number among the group's devices there.
    places: Vec<(usize, usize)>,
    /// By node, its site.
    nodes: Vec<usize>,
    /// The sites that differ.
    sites: Vec<Site>,
}

impl<'m> Prices<'m> {
    /// None worked out yet.
    pub fn new(machine: &'m Machine) -> Prices<'m> {
        Prices { machine, known: Mutex::default() }
    }

    /// The machine.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// [`cheapest`], in time linear in the number of devices, and after the first time without further work.
    pub fn cheapest(&self, kind: &CollectiveKind, bytes: u64, devices: &[usize], groups: usize) -> Option<Choice> {
        if !kind.suits(devices.len()) {
            return None;
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = known.shape(self.machine, devices, groups)?;
        match (&shape.sites[..], &shape.nodes[..]) {
            _ if devices.len() == 1 => Some(Choice { name: "none".into(), seconds: 0.0, way: None }),
            ([site], [_]) => known.within(kind, bytes as f64, site),
            _ => {
                let nodes = Nodes::new(&shape, self.machine.network.map(|all| all / groups.max(1) as f64))?;
                let mut within = |kind: &CollectiveKind, bytes: f64, site: &Site| known.within(kind, bytes, site);
                nodes.cheapest(kind, bytes as f64, &mut within)
            }
        }
    }
}

impl Known {
    fn shape(&mut self, machine: &Machine, devices: &[usize], groups: usize) -> Option<Arc<Shape>> {
        let found = self.shapes.get(devices).and_then(|all| all.iter().find(|(known, _)| *known == groups));
        if let Some((_, shape)) = found {
            return shape.clone();
        }
        let shape = self.look(machine, devices, groups).map(Arc::new);
        self.shapes.entry(devices.to_vec()).or_default().push((groups, shape.clone()));
        shape
    }

    /// Goes over a group.
    fn look(&mut self, machine: &Machine, devices: &[usize], groups: usize) -> Option<Shape> {
        let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut nodes: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut places = Vec::with_capacity(devices.len());
        for &device in devices {
            let (kind, number, local) = machine.place_of(device)?;
            let node = *known.entry((kind, number)).or_insert(nodes.len());
            if node == nodes.len() {
                nodes.push((kind, Vec::new()));
            }
            places.push((node, nodes[node].1.len()));
            nodes[node].1.push(local);
        }
        let mut shape = Shape { places, nodes: Vec::with_capacity(nodes.len()), sites: Vec::new() };
        for (kind, locals) in nodes {
            let site = self.site(machine, kind, locals, groups)?;
            let alike = |known: &Site| known.number == site.number && known.wire == site.wire;
            let position = shape.sites.iter().position(alike).unwrap_or(shape.sites.len());
            if position == shape.sites.len() {
                shape.sites.push(site);
            }
            shape.nodes.push(position);
        }
        (!shape.nodes.is_empty()).then_some(shape)
    }

    fn site(&mut self, machine: &Machine, node: usize, locals: Vec<usize>, groups: usize) -> Option<Site> {
        let key = (node, locals, groups);
        if let Some(site) = self.sites.get(&key) {
            return site.clone();
        }
        let first: usize = machine.nodes[..node].iter().map(|node| node.count * node.devices.len()).sum();
        let devices: Vec<usize> = key.1.iter().map(|local| first + local).collect();
        let site = Topology::of(machine, &devices, groups).map(|topology| {
            let next = self.topologies.len();
            let number = *self.topologies.entry(essence(&topology)).or_insert(next);
            let wire = Topology::outward(machine, node, &key.1, groups).and_then(|outward| Wire::of(&outward));
            Site { number, topology: Arc::new(topology), wire }
        });
        self.sites.insert(key, site.clone());
        site
    }

    /// The cheapest way within a node.
    fn within(&mut self, kind: &CollectiveKind, bytes: f64, site: &Site) -> Option<Choice> {
        let curves = match self.curves.get(&(site.number, kind.clone())) {
            Some(curves) => curves.clone(),
            None => {
                let curves = Arc::new(Curves::of(kind, &site.topology));
                self.curves.insert((site.number, kind.clone()), curves.clone());
                curves
            }
        };
        curves.cheapest(bytes)
    }
}

/// What messages notice of a topology.
fn essence(topology: &Topology) -> Vec<u64> {
    let mut all = vec![topology.ranks as u64, topology.vertices as u64, topology.lanes.len() as u64];
    all.extend(topology.lanes.iter().map(|lane| lane.bandwidth.to_bits()));
    for arc in &topology.arcs {
        all.extend(arc.ends.iter().chain(&arc.lanes).map(|&n| n as u64));
        all.extend([arc.latency.to_bits(), arc.lanes.len() as u64, u64::from(arc.is_direct)]);
    }
    all
}
