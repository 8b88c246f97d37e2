//! What a group of devices sees of a machine: a directed graph whose arcs take their bandwidth from lanes.
//!
//! A lane is what messages take turns on: a direction of a link or of a port, a link whose directions share it, a
//! switch with a bandwidth of its own, the network. An arc uses one lane or two, and several arcs may use the same one.
//! Vertices are the ranks of the group, in its order, and behind them what passes messages on: switches, the network,
//! and other devices, but these only where the ranks could not reach each other without them, since their links are
//! theirs.

#[cfg(test)]
mod tests;

use super::{Machine, Node, Vertex};
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A graph of ranks and of what connects them.
#[derive(Clone, PartialEq, Debug)]
pub struct Topology {
    /// How many ranks there are: the first vertices.
    pub ranks: usize,
    /// How many vertices there are.
    pub vertices: usize,
    /// What messages take turns on.
    pub lanes: Vec<Lane>,
    /// What leads from a vertex to another one.
    pub arcs: Vec<Arc>,
}

/// What carries one message after the other.
#[derive(Clone, PartialEq, Debug)]
pub struct Lane {
    /// What it is: `0>1`, `0=root` where both directions share it, `root`, `network`.
    pub name: String,
    /// Bytes a second.
    pub bandwidth: f64,
}

/// A way from a vertex to the next one.
#[derive(Clone, PartialEq, Debug)]
pub struct Arc {
    /// Where it begins and ends.
    pub ends: [usize; 2],
    /// The lanes that it takes, in this order.
    pub lanes: SmallVec<[usize; 2]>,
    /// Seconds until the first byte arrives.
    pub latency: f64,
    /// Whether it leads from a device to a device.
    pub is_direct: bool,
}

/// The way from a rank to another one.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Route {
    /// The lanes in their order, each with the seconds from its first byte to that on the next one, or to the end.
    pub lanes: Vec<(usize, f64)>,
}

impl Route {
    /// Seconds until the first byte arrives.
    pub fn latency(&self) -> f64 {
        self.lanes.iter().map(|(_, latency)| latency).sum()
    }
}

impl Machine {
    /// The machine without one of the links of a node, by their numbers. Of several nodes that are alike all lose it.
    pub fn without(&self, node: usize, link: usize) -> Machine {
        let mut machine = self.clone();
        if let Some(node) = machine.nodes.get_mut(node)
            && link < node.links.len()
        {
            node.links.remove(link);
        }
        machine
    }

    /// The nodes, by their position in [`Machine::nodes`] and by number among those that are alike, that hold a device,
    /// and its number in there.
    pub fn place_of(&self, device: usize) -> Option<(usize, usize, usize)> {
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
    /// What these devices of a machine see, where so many groups like theirs use the same nodes at the same time, with
    /// other devices: these share switches, the network and ports with them. None if there is no such device, one is
    /// named twice, or they cannot reach each other.
    pub fn of(machine: &Machine, devices: &[usize], groups: usize) -> Option<Topology> {
        // By node, its devices and their ranks.
        let mut nodes: Vec<(usize, usize)> = Vec::new();
        let mut members: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut known: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        for (rank, &device) in devices.iter().enumerate() {
            let (kind, number, local) = machine.place_of(device)?;
            let at = *known.entry((kind, number)).or_insert(nodes.len());
            if at == nodes.len() {
                nodes.push((kind, number));
                members.push(Vec::new());
            }
            if members[at].iter().any(|&(other, _)| other == local) {
                return None;
            }
            members[at].push((local, rank));
        }
        [false, true].into_iter().find_map(|others| {
            let mut building = Building::new(devices.len(), machine, groups, nodes.len() > 1);
            for ((kind, number), members) in nodes.iter().zip(&members) {
                let name = if nodes.len() > 1 { format!("{number}.") } else { String::new() };
                building.node(&machine.nodes[*kind], &name, members, others);
            }
            building.topology.is_connected(devices.len()).then_some(building.topology)
        })
    }

    /// What these devices of one node see of it and of the network, which is the vertex behind them. None if they
    /// cannot reach it.
    pub(crate) fn outward(machine: &Machine, node: usize, devices: &[usize], groups: usize) -> Option<Topology> {
        let members: Vec<(usize, usize)> = devices.iter().enumerate().map(|(rank, &local)| (local, rank)).collect();
        [false, true].into_iter().find_map(|others| {
            let mut building = Building::new(devices.len(), machine, groups, true);
            building.node(machine.nodes.get(node)?, "", &members, others);
            building.topology.is_connected(devices.len() + 1).then_some(building.topology)
        })
    }

    /// The topology along arcs only that lead from device to device, or only along the others. `None` if these do not
    /// connect the ranks.
    pub fn only(&self, direct: bool) -> Option<Topology> {
        let mut only = self.clone();
        only.arcs.retain(|arc| arc.is_direct == direct);
        only.is_connected(self.ranks).then_some(only)
    }

    /// Whether so many of the first vertices can reach each other.
    fn is_connected(&self, first: usize) -> bool {
        let mut sets = UnionFind::<usize>::new(self.vertices);
        self.arcs.iter().for_each(|arc| {
            sets.union(arc.ends[0], arc.ends[1]);
        });
        first > 0 && (1..first).all(|vertex| sets.equiv(0, vertex))
    }

    /// The best ways from a vertex to all, also through ranks: first those of the least latency, of these the widest.
    /// `None` for those that cannot be reached.
    pub fn routes(&self, from: usize) -> Vec<Option<Route>> {
        let weight = |arc: &Arc| {
            let width = arc.lanes.iter().map(|&lane| self.lanes[lane].bandwidth).fold(f64::INFINITY, f64::min);
            Weight { sum: arc.latency, width }
        };
        let weights: Vec<Weight> = self.arcs.iter().map(weight).collect();
        let ways = self.ways(from, |_| true, &weights, &self.out());
        (0..self.vertices).map(|to| Some(self.route(&ways.arcs(self, to)?))).collect()
    }

    /// The ways from a vertex that have the least sums, of these the widest, through such vertices only that are open;
    /// in time that is quadratic in the vertices (Dijkstra 1959).
    pub(crate) fn ways(&self, from: usize, open: impl Fn(usize) -> bool, weights: &[Weight], out: &[Out]) -> Ways {
        let far = Weight { sum: f64::INFINITY, width: 0.0 };
        let mut ways = Ways { from, best: vec![far; self.vertices], last: vec![None; self.vertices] };
        let mut done = vec![false; self.vertices];
        ways.best[from] = Weight { sum: 0.0, width: f64::INFINITY };
        loop {
            let next = (0..self.vertices).filter(|&v| !done[v] && ways.best[v].sum.is_finite());
            let Some(vertex) = next.reduce(|a, b| if ways.best[b].beats(ways.best[a]) { b } else { a }) else { break };
            done[vertex] = true;
            if vertex != from && !open(vertex) {
                continue;
            }
            for &arc in &out[vertex] {
                let (to, so_far) = (self.arcs[arc].ends[1], ways.best[vertex]);
                let found = Weight { sum: so_far.sum + weights[arc].sum, width: so_far.width.min(weights[arc].width) };
                if !done[to] && found.beats(ways.best[to]) {
                    (ways.best[to], ways.last[to]) = (found, Some(arc));
                }
            }
        }
        ways
    }

    /// By vertex, the arcs that begin there.
    pub(crate) fn out(&self) -> Vec<Out> {
        let mut out = vec![SmallVec::new(); self.vertices];
        for (number, arc) in self.arcs.iter().enumerate() {
            out[arc.ends[0]].push(number);
        }
        out
    }

    /// The route along these arcs.
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

/// The arcs that begin at a vertex.
pub(crate) type Out = SmallVec<[usize; 8]>;

/// What a way is judged by.
#[derive(Clone, Copy)]
pub(crate) struct Weight {
    /// What its arcs add up to.
    pub(crate) sum: f64,
    /// The narrowest of them.
    pub(crate) width: f64,
}

impl Weight {
    fn beats(self, other: Weight) -> bool {
        self.sum < other.sum || (self.sum == other.sum && self.width > other.width)
    }
}

/// The best ways from a vertex to all.
pub(crate) struct Ways {
    from: usize,
    best: Vec<Weight>,
    /// By vertex, the last arc of the way to it.
    last: Vec<Option<usize>>,
}

impl Ways {
    /// What the way to a vertex adds up to; infinite if there is none.
    pub(crate) fn sum(&self, to: usize) -> f64 {
        self.best[to].sum
    }

    /// The arcs of the way to a vertex.
    pub(crate) fn arcs(&self, topology: &Topology, to: usize) -> Option<Vec<usize>> {
        let before = |arc: &usize| self.last[topology.arcs[*arc].ends[0]];
        let mut arcs: Vec<usize> = std::iter::successors(self.last[to], before).collect();
        arcs.reverse();
        (to == self.from || !arcs.is_empty()).then_some(arcs)
    }
}

/// A topology that grows node by node.
struct Building {
    topology: Topology,
    groups: f64,
    /// The vertex of the network and its lane, if it limits what passes.
    network: Option<(usize, Option<usize>)>,
}

impl Building {
    fn new(ranks: usize, machine: &Machine, groups: usize, spans: bool) -> Building {
        let topology = Topology { ranks, vertices: ranks, lanes: Vec::new(), arcs: Vec::new() };
        let mut building = Building { topology, groups: groups.max(1) as f64, network: None };
        if spans {
            let limit = machine.network.map(|all| building.lane("network".into(), all / building.groups));
            building.network = Some((building.vertex(), limit));
        }
        building
    }

    fn vertex(&mut self) -> usize {
        self.topology.vertices += 1;
        self.topology.vertices - 1
    }

    fn lane(&mut self, name: String, bandwidth: f64) -> usize {
        self.topology.lanes.push(Lane { name, bandwidth });
        self.topology.lanes.len() - 1
    }

    /// Adds a node of whose devices `members` are ranks; others, too, if they are to pass messages on.
    fn node(&mut self, node: &Node, prefix: &str, members: &[(usize, usize)], others: bool) {
        let mut at: Vec<Option<usize>> = vec![None; node.vertex_count()];
        members.iter().for_each(|&(local, rank)| at[local] = Some(rank));
        for place in at.iter_mut().skip(if others { 0 } else { node.devices.len() }) {
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
            let [Some(a), Some(b)] = link.ends.map(|end| at[node.number(end)]) else { continue };
            // What connects switches belongs to everybody.
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
        let there = |number: usize| at[node.number(node.ports[number].at)];
        let usable = node.ports.iter().enumerate().filter(|(number, _)| there(*number).is_some());
        let (used, all) =
            (usable.map(|(_, port)| port.bandwidth).sum::<f64>(), node.ports.iter().map(|p| p.bandwidth).sum::<f64>());
        // Other groups have ports of their own, as long as there are enough.
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
