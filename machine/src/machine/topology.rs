//! Topology of a group of devices: a directed graph whose arcs take their bandwidth from lanes.
//!
//! A lane is a resource that serves one message at a time: a direction of a link or port, a link whose directions share
//! the bandwidth, a switch with limited bandwidth, or the network. An arc uses one or two lanes, and several arcs may
//! use the same lane. The first vertices are the ranks of the group in order. The other vertices forward messages:
//! switches, the network, and other devices. Other devices are included only if the ranks would otherwise be
//! disconnected, because their links belong to other groups.

#[cfg(test)]
mod tests;

use super::{Machine, Node, Vertex};
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Graph of the ranks of a group and the vertices that connect them.
#[derive(Clone, PartialEq, Debug)]
pub struct Topology {
    /// Number of ranks, which are the first vertices.
    pub ranks: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// Lanes that arcs share.
    pub lanes: Vec<Lane>,
    /// Directed arcs between vertices.
    pub arcs: Vec<Arc>,
}

/// Resource that serves one message at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// Name: `0>1`, `0=root` if both directions share the lane, `root`, `network`.
    pub name: String,
    /// Bandwidth in bytes per second.
    pub bandwidth: f64,
}

/// Directed arc between two vertices.
#[derive(Clone, PartialEq, Debug)]
pub struct Arc {
    /// Source and target vertex.
    pub ends: [usize; 2],
    /// Lanes used, in the order in which a message passes them.
    pub lanes: SmallVec<[usize; 2]>,
    /// Latency of the first byte in seconds.
    pub latency: f64,
    /// True if the arc connects two devices.
    pub is_direct: bool,
}

/// Route of messages from one rank to another.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Route {
    /// Lanes in order, each with the latency in seconds from its first byte to the first byte on the next lane or at
    /// the target.
    pub lanes: Vec<(usize, f64)>,
}

impl Route {
    /// Returns the total latency of the first byte in seconds.
    pub fn latency(&self) -> f64 {
        self.lanes.iter().map(|(_, latency)| latency).sum()
    }
}

impl Machine {
    /// Returns the machine without one link, given by the indices of its node group and of the link. The link is
    /// removed from all nodes of the group.
    pub fn without_link(&self, node: usize, link: usize) -> Machine {
        let mut machine = self.clone();
        if let Some(node) = machine.nodes.get_mut(node)
            && link < node.links.len()
        {
            node.links.remove(link);
        }
        machine
    }

    /// Returns the location of a device: the index in [`Machine::nodes`], the index among those equal nodes, and the
    /// index within the node.
    pub fn locate_device(&self, device: usize) -> Option<(usize, usize, usize)> {
        let mut left = device;
        for (position, node) in self.nodes.iter().enumerate() {
            let each = node.devices.len();
            if left < node.count * each {
                return Some((position, left / each, left % each));
            }
            left -= node.count * each;
        }
        None
    }
}

impl Topology {
    /// Returns the topology of these devices, where `groups` groups of the same shape use the same nodes at the same
    /// time with disjoint devices and share switches, network and ports. Returns `None` if a device does not exist or
    /// is repeated, or if the devices are not connected.
    pub fn for_devices(machine: &Machine, devices: &[usize], groups: usize) -> Option<Topology> {
        // Nodes of the devices, and the devices of each node with their ranks.
        let mut nodes: Vec<(usize, usize)> = Vec::new();
        let mut members: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut node_of: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for (rank, &device) in devices.iter().enumerate() {
            let (kind, number, local) = machine.locate_device(device)?;
            let at = *node_of.entry((kind, number)).or_insert(nodes.len());
            if at == nodes.len() {
                nodes.push((kind, number));
                members.push(Vec::new());
            }
            if members[at].iter().any(|&(other, _)| other == local) {
                return None;
            }
            members[at].push((local, rank));
        }
        [false, true].into_iter().find_map(|include_others| {
            let mut builder = TopologyBuilder::new(devices.len(), machine, groups, nodes.len() > 1);
            for ((kind, number), members) in nodes.iter().zip(&members) {
                let name = if nodes.len() > 1 { format!("{number}.") } else { String::new() };
                builder.node(&machine.nodes[*kind], &name, members, include_others);
            }
            builder.topology.is_connected(devices.len()).then_some(builder.topology)
        })
    }

    /// Returns the topology of these devices of one node and of the network, which is the vertex after the ranks.
    /// Returns `None` if the devices cannot reach the network.
    pub(crate) fn with_network(machine: &Machine, node: usize, devices: &[usize], groups: usize) -> Option<Topology> {
        let members: Vec<(usize, usize)> = devices.iter().enumerate().map(|(rank, &local)| (local, rank)).collect();
        [false, true].into_iter().find_map(|include_others| {
            let mut builder = TopologyBuilder::new(devices.len(), machine, groups, true);
            builder.node(machine.nodes.get(node)?, "", &members, include_others);
            builder.topology.is_connected(devices.len() + 1).then_some(builder.topology)
        })
    }

    /// Returns the topology restricted to device-to-device arcs, or to the other arcs. Returns `None` if these do not
    /// connect the ranks.
    pub fn restricted_to(&self, direct: bool) -> Option<Topology> {
        let mut restricted = self.clone();
        restricted.arcs.retain(|arc| arc.is_direct == direct);
        restricted.is_connected(self.ranks).then_some(restricted)
    }

    /// Returns true if the first vertices, `first` in number, are connected.
    fn is_connected(&self, first: usize) -> bool {
        let mut sets = UnionFind::<usize>::new(self.vertices);
        self.arcs.iter().for_each(|arc| {
            sets.union(arc.ends[0], arc.ends[1]);
        });
        first > 0 && (1..first).all(|vertex| sets.equiv(0, vertex))
    }

    /// Returns the routes from a vertex to all vertices, also through ranks: those of least latency, and among these
    /// the widest. Unreachable vertices have `None`.
    pub fn routes(&self, from: usize) -> Vec<Option<Route>> {
        let weight = |arc: &Arc| {
            let width = arc.lanes.iter().map(|&lane| self.lanes[lane].bandwidth).fold(f64::INFINITY, f64::min);
            Weight { sum: arc.latency, width }
        };
        let weights: Vec<Weight> = self.arcs.iter().map(weight).collect();
        let paths = self.shortest_paths(from, |_| true, &weights, &self.outgoing_arcs());
        (0..self.vertices).map(|to| Some(self.route(&paths.arcs(self, to)?))).collect()
    }

    /// Returns the shortest paths from a vertex: those of least total weight, and among these the widest. Paths pass
    /// only through vertices for which `open` returns true. The time is quadratic in the number of vertices (Dijkstra
    /// 1959).
    pub(crate) fn shortest_paths(
        &self,
        from: usize,
        open: impl Fn(usize) -> bool,
        weights: &[Weight],
        out: &[OutgoingArcs],
    ) -> ShortestPaths {
        let far = Weight { sum: f64::INFINITY, width: 0.0 };
        let mut paths = ShortestPaths { from, best: vec![far; self.vertices], last: vec![None; self.vertices] };
        let mut done = vec![false; self.vertices];
        paths.best[from] = Weight { sum: 0.0, width: f64::INFINITY };
        loop {
            let next = (0..self.vertices).filter(|&v| !done[v] && paths.best[v].sum.is_finite());
            let Some(vertex) = next.reduce(|a, b| if paths.best[b].is_better_than(paths.best[a]) { b } else { a })
            else {
                break;
            };
            done[vertex] = true;
            if vertex != from && !open(vertex) {
                continue;
            }
            for &arc in &out[vertex] {
                let (to, so_far) = (self.arcs[arc].ends[1], paths.best[vertex]);
                let found = Weight { sum: so_far.sum + weights[arc].sum, width: so_far.width.min(weights[arc].width) };
                if !done[to] && found.is_better_than(paths.best[to]) {
                    (paths.best[to], paths.last[to]) = (found, Some(arc));
                }
            }
        }
        paths
    }

    /// Returns the outgoing arcs of each vertex.
    pub(crate) fn outgoing_arcs(&self) -> Vec<OutgoingArcs> {
        let mut out = vec![SmallVec::new(); self.vertices];
        for (number, arc) in self.arcs.iter().enumerate() {
            out[arc.ends[0]].push(number);
        }
        out
    }

    /// Returns the route along a path of arcs.
    pub(crate) fn route(&self, arcs: &[usize]) -> Route {
        let mut route = Route::default();
        for arc in arcs.iter().map(|&arc| &self.arcs[arc]) {
            route.lanes.extend(arc.lanes.iter().map(|&lane| (lane, 0.0)));
            if let Some(last) = route.lanes.last_mut() {
                last.1 += arc.latency;
            }
        }
        route
    }
}

/// Outgoing arcs of a vertex.
pub(crate) type OutgoingArcs = SmallVec<[usize; 8]>;

/// Weight of an arc or a path.
#[derive(Clone, Copy)]
pub(crate) struct Weight {
    /// Sum over the arcs.
    pub(crate) sum: f64,
    /// Minimum bandwidth of the arcs.
    pub(crate) width: f64,
}

impl Weight {
    fn is_better_than(self, other: Weight) -> bool {
        self.sum < other.sum || (self.sum == other.sum && self.width > other.width)
    }
}

/// Shortest paths from one vertex to all.
pub(crate) struct ShortestPaths {
    from: usize,
    best: Vec<Weight>,
    /// Last arc of the path to each vertex.
    last: Vec<Option<usize>>,
}

impl ShortestPaths {
    /// Returns the total weight of the path to a vertex, or infinity if there is no path.
    pub(crate) fn sum(&self, to: usize) -> f64 {
        self.best[to].sum
    }

    /// Returns the arcs of the path to a vertex.
    pub(crate) fn arcs(&self, topology: &Topology, to: usize) -> Option<Vec<usize>> {
        let before = |arc: &usize| self.last[topology.arcs[*arc].ends[0]];
        let mut arcs: Vec<usize> = std::iter::successors(self.last[to], before).collect();
        arcs.reverse();
        (to == self.from || !arcs.is_empty()).then_some(arcs)
    }
}

/// Builder of a topology, node by node.
struct TopologyBuilder {
    topology: Topology,
    groups: f64,
    /// Vertex of the network, and its lane if its bandwidth is limited.
    network: Option<(usize, Option<usize>)>,
}

impl TopologyBuilder {
    fn new(ranks: usize, machine: &Machine, groups: usize, spans: bool) -> TopologyBuilder {
        let topology = Topology { ranks, vertices: ranks, lanes: Vec::new(), arcs: Vec::new() };
        let mut builder = TopologyBuilder { topology, groups: groups.max(1) as f64, network: None };
        if spans {
            let limit = machine.network.map(|all| builder.lane("network".into(), all / builder.groups));
            builder.network = Some((builder.vertex(), limit));
        }
        builder
    }

    fn vertex(&mut self) -> usize {
        self.topology.vertices += 1;
        self.topology.vertices - 1
    }

    fn lane(&mut self, name: String, bandwidth: f64) -> usize {
        self.topology.lanes.push(Lane { name, bandwidth });
        self.topology.lanes.len() - 1
    }

    /// Adds a node. `members` contains the local indices and ranks of its devices. With `include_others`, the other
    /// devices forward messages.
    fn node(&mut self, node: &Node, prefix: &str, members: &[(usize, usize)], include_others: bool) {
        let mut at: Vec<Option<usize>> = vec![None; node.vertex_count()];
        members.iter().for_each(|&(local, rank)| at[local] = Some(rank));
        for place in at.iter_mut().skip(if include_others { 0 } else { node.devices.len() }) {
            if place.is_none() {
                *place = Some(self.vertex());
            }
        }
        let name = |vertex: Vertex| match vertex {
            Vertex::Device(device) => format!("{prefix}{device}"),
            Vertex::Switch(switch) => format!("{prefix}{}", node.switches[switch].name),
        };
        let limits: Vec<Option<usize>> = node
            .switches
            .iter()
            .map(|switch| {
                let bandwidth = switch.bandwidth? / self.groups;
                Some(self.lane(format!("{prefix}{}", switch.name), bandwidth))
            })
            .collect();
        let into = |lane: usize, vertex: Vertex| match vertex {
            Vertex::Switch(switch) => [lane].into_iter().chain(limits[switch]).collect(),
            Vertex::Device(_) => SmallVec::from_elem(lane, 1),
        };
        for link in &node.links {
            let [Some(a), Some(b)] = link.ends.map(|end| at[node.vertex_index(end)]) else { continue };
            // Links between switches are shared by all groups.
            let trunk = link.ends.iter().all(|end| matches!(end, Vertex::Switch(_)));
            let bandwidth = if trunk { link.bandwidth / self.groups } else { link.bandwidth };
            let is_direct = link.ends.iter().all(|end| matches!(end, Vertex::Device(_)));
            let [x, y] = link.ends;
            let there =
                if link.is_shared { format!("{}={}", name(x), name(y)) } else { format!("{}>{}", name(x), name(y)) };
            let there = self.lane(there, bandwidth);
            let back = if link.is_shared { there } else { self.lane(format!("{}>{}", name(y), name(x)), bandwidth) };
            self.topology.arcs.push(Arc { ends: [a, b], lanes: into(there, y), latency: link.latency, is_direct });
            self.topology.arcs.push(Arc { ends: [b, a], lanes: into(back, x), latency: link.latency, is_direct });
        }
        let Some((network, limit)) = self.network else { return };
        let there = |number: usize| at[node.vertex_index(node.ports[number].at)];
        let usable = node.ports.iter().enumerate().filter(|(number, _)| there(*number).is_some());
        let (used, all) =
            (usable.map(|(_, port)| port.bandwidth).sum::<f64>(), node.ports.iter().map(|p| p.bandwidth).sum::<f64>());
        // Other groups use other ports as long as there are enough.
        let share = (all / self.groups / used).min(1.0);
        for (number, port) in node.ports.iter().enumerate() {
            let Some(vertex) = there(number) else { continue };
            let up = self.lane(format!("{}>network", name(port.at)), port.bandwidth * share);
            let down = self.lane(format!("network>{}", name(port.at)), port.bandwidth * share);
            let lanes = [up].into_iter().chain(limit).collect();
            self.topology.arcs.push(Arc { ends: [vertex, network], lanes, latency: port.latency, is_direct: false });
            self.topology.arcs.push(Arc {
                ends: [network, vertex],
                lanes: into(down, port.at),
                latency: 0.0,
                is_direct: false,
            });
        }
    }
}
