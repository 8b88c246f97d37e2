//! What collectives across nodes take, in closed forms of a latency and a rate (Thakur, Rabenseifner and Gropp 2005,
//! <https://doi.org/10.1177/1094342005051521>).
//!
//! A node sends one message after the other, each of which takes a latency and its bytes over the rate of the ports that its devices of the
//! group use. What happens within nodes before and after is priced there.

use crate::collective::Kind;
use crate::collective::choice::{Choice, Shape, Site};
use crate::machine::topology::Topology;

/// The way from devices of a node to the network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Wire {
    /// Seconds until the first byte is at a device of another node.
    latency: f64,
    /// Bytes a second of all devices together.
    rate: f64,
    /// Bytes a second of the slowest device alone.
    one: f64,
}

impl Wire {
    /// What devices see that look outward: the network is the vertex behind the ranks.
    pub(super) fn of(topology: &Topology) -> Option<Wire> {
        let network = topology.ranks;
        let back = topology.routes(network);
        let mut wire = Wire { latency: 0.0, rate: 0.0, one: f64::INFINITY };
        let mut arrives = 0.0f64;
        // By the lane of a port, what the devices bring that use it.
        let mut ports: Vec<(usize, f64)> = Vec::new();
        let doors: Vec<usize> =
            topology.arcs.iter().filter(|arc| arc.ends[1] == network).map(|arc| arc.lanes[0]).collect();
        for (rank, back) in back.iter().enumerate().take(topology.ranks) {
            let route = topology.routes(rank)[network].clone()?;
            let width = |lane: usize| topology.lanes[lane].bandwidth;
            let narrowest = route.lanes.iter().map(|&(lane, _)| width(lane)).fold(f64::INFINITY, f64::min);
            let port = route.lanes.iter().map(|&(lane, _)| lane).find(|lane| doors.contains(lane))?;
            match ports.iter_mut().find(|(known, _)| *known == port) {
                Some((_, brought)) => *brought = (*brought + narrowest).min(width(port)),
                None => ports.push((port, narrowest)),
            }
            wire.latency = wire.latency.max(route.latency());
            wire.one = wire.one.min(narrowest);
            arrives = arrives.max(back.as_ref()?.latency());
        }
        wire.latency += arrives;
        wire.rate = ports.iter().map(|(_, brought)| brought).sum();
        Some(wire)
    }
}

/// Prices a kind within a node.
pub(super) type Within<'a> = dyn FnMut(&Kind, f64, &Site) -> Option<Choice> + 'a;

/// A group on several nodes.
pub(super) struct Across<'s> {
    shape: &'s Shape,
    nodes: f64,
    ranks: f64,
    /// Most devices of a node.
    most: usize,
    wire: Wire,
}

impl<'s> Across<'s> {
    /// `None` if a node cannot reach the network, which carries so many bytes a second for this group.
    pub(super) fn new(shape: &'s Shape, network: Option<f64>) -> Option<Across<'s>> {
        let nodes = shape.nodes.len() as f64;
        let mut wire = Wire { latency: 0.0, rate: f64::INFINITY, one: f64::INFINITY };
        for site in &shape.sites {
            let of = site.wire?;
            wire.latency = wire.latency.max(of.latency);
            wire.rate = wire.rate.min(of.rate);
            wire.one = wire.one.min(of.one);
        }
        if let Some(network) = network {
            wire.rate = wire.rate.min(network / nodes);
            wire.one = wire.one.min(network);
        }
        let most = shape.sites.iter().map(|site| site.topology.ranks).max()?;
        Some(Across { shape, nodes, ranks: shape.places.len() as f64, most, wire })
    }

    /// The cheapest way, and its seconds.
    pub(super) fn cheapest(&self, kind: &Kind, bytes: f64, within: &mut Within<'_>) -> Option<(String, f64)> {
        let mut ways: Vec<(String, f64)> = Vec::new();
        let (n, wire) = (self.nodes, self.wire);
        let (log, time) = (n.log2().ceil(), bytes / wire.rate);
        // What pairs of steps take whose last one a tensor cut into many chunks does not wait for.
        let pipelined = |steps: f64, time: f64| ((steps * wire.latency).sqrt() + time.sqrt()).powi(2);
        let outer: Vec<(&str, f64)> = match kind {
            Kind::AllReduce => {
                // Nodes beyond a power of two send theirs to another one first, and get all back.
                let beyond = if n.log2().fract() == 0.0 { 0.0 } else { 2.0 * (wire.latency + time) };
                let (floor, core) = (n.log2().floor(), n.log2().floor().exp2());
                vec![
                    ("ring", 2.0 * (n - 1.0) * (wire.latency + time / n)),
                    ("halving_doubling", 2.0 * floor * wire.latency + 2.0 * (core - 1.0) / core * time + beyond),
                    ("double_tree", pipelined(2.0 * log, 2.0 * time)),
                ]
            }
            Kind::ReduceScatter | Kind::AllGather => vec![
                ("halving_doubling", log * wire.latency + (n - 1.0) / n * time),
                ("ring", (n - 1.0) * (wire.latency + time / n)),
            ],
            Kind::Broadcast(_) | Kind::Reduce(_) => {
                let time = bytes / wire.one;
                vec![
                    ("halving_doubling", log * (wire.latency + time)),
                    ("chain", wire.latency + pipelined((n - 2.0).max(0.0), time)),
                ]
            }
            Kind::AllToAll => return self.all_to_all(bytes, within),
            Kind::Permute(pairs) => return self.permute(pairs, bytes, within),
        };
        let inner = self.inner(kind, bytes, within)?;
        for (name, seconds) in outer {
            let named = if self.most == 1 { name.to_owned() } else { format!("hierarchical({}, {name})", self.most) };
            ways.push((named, seconds + inner));
        }
        if self.most > 1 && matches!(kind, Kind::AllReduce | Kind::ReduceScatter | Kind::AllGather) {
            // Around all devices at once, by as many rings as ports have room for; none is faster than within its slowest node.
            let mut rate = wire.rate;
            for site in self.shape.sites.iter().filter(|site| site.topology.ranks > 1) {
                let ranks = site.topology.ranks as f64;
                let gathered = within(&Kind::AllGather, 1e12, site)?;
                rate = rate.min(1e12 * (ranks - 1.0) / ranks / gathered.seconds);
            }
            let times = if *kind == Kind::AllReduce { 2.0 } else { 1.0 };
            ways.push(("ring".into(), times * (self.ranks - 1.0) * (wire.latency + bytes / self.ranks / rate)));
        }
        ways.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// What is done within nodes, before and after: the slowest node's time.
    fn inner(&self, kind: &Kind, bytes: f64, within: &mut Within<'_>) -> Option<f64> {
        let kinds: &[Kind] = match kind {
            Kind::AllReduce => &[Kind::ReduceScatter, Kind::AllGather],
            Kind::ReduceScatter => &[Kind::ReduceScatter],
            Kind::AllGather => &[Kind::AllGather],
            Kind::Broadcast(_) => &[Kind::Broadcast(0)],
            Kind::Reduce(_) => &[Kind::Reduce(0)],
            Kind::AllToAll => &[Kind::AllToAll],
            Kind::Permute(_) => &[],
        };
        let mut slowest = 0.0f64;
        for site in self.shape.sites.iter().filter(|site| site.topology.ranks > 1) {
            let mut seconds = 0.0;
            for kind in kinds {
                seconds += within(kind, bytes, site)?.seconds;
            }
            slowest = slowest.max(seconds);
        }
        Some(slowest)
    }

    /// To everybody in turn; or within nodes to those who send to one device of each node.
    fn all_to_all(&self, bytes: f64, within: &mut Within<'_>) -> Option<(String, f64)> {
        let held = self.most as f64 / self.ranks;
        let out = bytes * held * (1.0 - held) / self.wire.rate;
        let pairwise = ("pairwise".to_owned(), (self.ranks - 1.0) * self.wire.latency + out);
        if self.most == 1 {
            return Some(pairwise);
        }
        let inner = self.inner(&Kind::AllToAll, bytes * held, within)?;
        let hierarchical = (self.nodes - 1.0) * self.wire.latency + out + inner;
        let hierarchical = (format!("hierarchical({})", self.most), hierarchical);
        Some(if hierarchical.1 < pairwise.1 { hierarchical } else { pairwise })
    }

    /// All at the same time: messages of a node share its ports, and those within a node its links.
    fn permute(&self, pairs: &[(usize, usize)], bytes: f64, within: &mut Within<'_>) -> Option<(String, f64)> {
        let piece = bytes / pairs.len().max(1) as f64;
        let mut crossing = vec![[0.0f64; 2]; self.shape.nodes.len()];
        let mut local: Vec<Vec<(usize, usize)>> = vec![Vec::new(); self.shape.nodes.len()];
        for &(from, to) in pairs {
            let ((from, a), (to, b)) = (*self.shape.places.get(from)?, *self.shape.places.get(to)?);
            if from == to {
                local[from].push((a, b));
            } else {
                crossing[from][0] += 1.0;
                crossing[to][1] += 1.0;
            }
        }
        let most = crossing.iter().flatten().fold(0.0f64, |a, &b| a.max(b));
        let mut seconds = 0.0f64;
        if most > 0.0 {
            seconds = self.wire.latency + (piece / self.wire.one).max(most * piece / self.wire.rate);
        }
        for (pairs, &site) in local.into_iter().zip(&self.shape.nodes).filter(|(pairs, _)| !pairs.is_empty()) {
            let all = piece * pairs.len() as f64;
            seconds = seconds.max(within(&Kind::Permute(pairs), all, &self.shape.sites[site])?.seconds);
        }
        Some(("direct".into(), seconds))
    }
}
