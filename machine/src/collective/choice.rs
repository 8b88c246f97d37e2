//! Selection of the cheapest algorithm for a collective on a machine.
//!
//! Within a node, every candidate is simulated on the topology (module `cost_curves`), once for each topology and kind;
//! after that a price is a look-up. Across nodes, closed forms (module `inter_node`) combine intra-node prices with the
//! cost of ports and of the network. Each group of devices is analysed once.

mod cost_curves;
mod inter_node;
#[cfg(test)]
mod tests;

use crate::Machine;
use crate::collective::CollectiveKind;
use crate::collective::algorithm_kind::AlgorithmKind;
use crate::topology::Topology;
use cost_curves::CostCurves;
use inter_node::{MultiNodeGroup, NetworkPath};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Cheapest algorithm of a collective, with its cost.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// Name of the algorithm: `ring`, `trees(3)`, `hierarchical(8, ring)`.
    pub name: String,
    /// Predicted run time in seconds.
    pub seconds: f64,
    /// Kind of the algorithm, or `None` for inter-node algorithms for which only the cost is available.
    pub algorithm: Option<AlgorithmKind>,
}

/// Returns the cheapest algorithm of a collective on these devices of a machine, for a global tensor of `bytes`.
/// `groups` groups of the same shape use the same nodes at the same time. Returns `None` if a device does not exist,
/// the kind does not fit the number of devices, or the devices are not connected. For repeated queries use [`Prices`].
pub fn cheapest(
    kind: &CollectiveKind,
    bytes: u64,
    devices: &[usize],
    machine: &Machine,
    groups: usize,
) -> Option<Choice> {
    Prices::new(machine).cheapest(kind, bytes, devices, groups)
}

/// Cache of the costs of a machine's collectives. Its size grows with the number of distinct groups of devices queried.
#[derive(Debug)]
pub struct Prices<'m> {
    machine: &'m Machine,
    cache: Mutex<PriceCache>,
}

/// Cached results.
#[derive(Default, Debug)]
struct PriceCache {
    /// Shapes by devices and number of groups.
    shapes: FxHashMap<Vec<usize>, Vec<CachedShape>>,
    /// Views by node, devices in the node and number of groups.
    node_views: FxHashMap<(usize, Vec<usize>, usize), Option<NodeView>>,
    /// Indices of topologies by their cost-relevant properties.
    topologies: FxHashMap<Vec<u64>, usize>,
    /// Cost curves by index of the topology and kind.
    curves: FxHashMap<(usize, CollectiveKind), Arc<CostCurves>>,
}

/// Number of groups, and the shape of each group if it is valid.
type CachedShape = (usize, Option<Arc<GroupShape>>);

/// Devices of a group in one node, with their topology and their connection to the network.
#[derive(Clone, Debug)]
struct NodeView {
    /// Index of the topology. Equivalent topologies have the same index.
    number: usize,
    topology: Arc<Topology>,
    /// Connection to the network, if there is one.
    network_path: Option<NetworkPath>,
}

/// Group of devices.
#[derive(Debug)]
struct GroupShape {
    /// For each rank, its node in the group and its position among the group's devices of that node.
    places: Vec<(usize, usize)>,
    /// For each node, the index of its view in `node_views`.
    nodes: Vec<usize>,
    /// Distinct views of nodes.
    node_views: Vec<NodeView>,
}

impl<'m> Prices<'m> {
    /// Returns an empty cache for a machine.
    pub fn new(machine: &'m Machine) -> Prices<'m> {
        Prices { machine, cache: Mutex::default() }
    }

    /// Returns the machine.
    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// Returns the result of [`cheapest`]. The first query of a group is linear in the number of devices, later ones
    /// are look-ups.
    pub fn cheapest(&self, kind: &CollectiveKind, bytes: u64, devices: &[usize], groups: usize) -> Option<Choice> {
        if !kind.is_valid_for(devices.len()) {
            return None;
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let shape = cache.shape(self.machine, devices, groups)?;
        match (&shape.node_views[..], &shape.nodes[..]) {
            _ if devices.len() == 1 => Some(Choice { name: "none".into(), seconds: 0.0, algorithm: None }),
            ([view], [_]) => cache.intra_node(kind, bytes as f64, view),
            _ => {
                let nodes = MultiNodeGroup::new(&shape, self.machine.network.map(|all| all / groups.max(1) as f64))?;
                let mut intra_node =
                    |kind: &CollectiveKind, bytes: f64, view: &NodeView| cache.intra_node(kind, bytes, view);
                nodes.cheapest(kind, bytes as f64, &mut intra_node)
            }
        }
    }
}

impl PriceCache {
    fn shape(&mut self, machine: &Machine, devices: &[usize], groups: usize) -> Option<Arc<GroupShape>> {
        let found = self.shapes.get(devices).and_then(|all| all.iter().find(|(known, _)| *known == groups));
        if let Some((_, shape)) = found {
            return shape.clone();
        }
        let shape = self.analyze_group(machine, devices, groups).map(Arc::new);
        self.shapes.entry(devices.to_vec()).or_default().push((groups, shape.clone()));
        shape
    }

    /// Analyses a group of devices.
    fn analyze_group(&mut self, machine: &Machine, devices: &[usize], groups: usize) -> Option<GroupShape> {
        let mut node_of: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        let mut nodes: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut places = Vec::with_capacity(devices.len());
        for &device in devices {
            let (kind, number, local) = machine.locate_device(device)?;
            let node = *node_of.entry((kind, number)).or_insert(nodes.len());
            if node == nodes.len() {
                nodes.push((kind, Vec::new()));
            }
            places.push((node, nodes[node].1.len()));
            nodes[node].1.push(local);
        }
        let mut shape = GroupShape { places, nodes: Vec::with_capacity(nodes.len()), node_views: Vec::new() };
        for (kind, locals) in nodes {
            let view = self.node_view(machine, kind, locals, groups)?;
            let is_equivalent =
                |known: &NodeView| known.number == view.number && known.network_path == view.network_path;
            let position = shape.node_views.iter().position(is_equivalent).unwrap_or(shape.node_views.len());
            if position == shape.node_views.len() {
                shape.node_views.push(view);
            }
            shape.nodes.push(position);
        }
        (!shape.nodes.is_empty()).then_some(shape)
    }

    fn node_view(&mut self, machine: &Machine, node: usize, locals: Vec<usize>, groups: usize) -> Option<NodeView> {
        let key = (node, locals, groups);
        if let Some(view) = self.node_views.get(&key) {
            return view.clone();
        }
        let first: usize = machine.nodes[..node].iter().map(|node| node.count * node.devices.len()).sum();
        let devices: Vec<usize> = key.1.iter().map(|local| first + local).collect();
        let view = Topology::for_devices(machine, &devices, groups).map(|topology| {
            let next = self.topologies.len();
            let number = *self.topologies.entry(topology_key(&topology)).or_insert(next);
            let network_path = Topology::with_network(machine, node, &key.1, groups)
                .and_then(|topology| NetworkPath::from_topology(&topology));
            NodeView { number, topology: Arc::new(topology), network_path }
        });
        self.node_views.insert(key, view.clone());
        view
    }

    /// Returns the cheapest algorithm within a node.
    fn intra_node(&mut self, kind: &CollectiveKind, bytes: f64, view: &NodeView) -> Option<Choice> {
        let curves = match self.curves.get(&(view.number, kind.clone())) {
            Some(curves) => curves.clone(),
            None => {
                let curves = Arc::new(CostCurves::new(kind, &view.topology));
                self.curves.insert((view.number, kind.clone()), curves.clone());
                curves
            }
        };
        curves.cheapest(bytes)
    }
}

/// Returns the cost-relevant properties of a topology.
fn topology_key(topology: &Topology) -> Vec<u64> {
    let mut all = vec![topology.ranks as u64, topology.vertices as u64, topology.lanes.len() as u64];
    all.extend(topology.lanes.iter().map(|lane| lane.bandwidth.to_bits()));
    for arc in &topology.arcs {
        all.extend(arc.ends.iter().chain(&arc.lanes).map(|&n| n as u64));
        all.extend([arc.latency.to_bits(), arc.lanes.len() as u64, u64::from(arc.is_direct)]);
    }
    all
}
