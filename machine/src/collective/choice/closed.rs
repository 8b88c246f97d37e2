//! What collectives across nodes take, in closed forms of a latency and a rate (Thakur, Rabenseifner and Gropp 2005,
//! <https://doi.org/10.1177/1094342005051521>).
//!
//! A node sends one message after the other, each of which takes a latency and its bytes over the rate of the ports
//! that its devices of the group use. What happens within nodes before and after is priced there.

use crate::collective::choice::{Choice, Shape, Site};
use crate::collective::way::Way;
use crate::collective::{Across, CollectiveKind, Method, book};
use crate::topology::Topology;

/// Most chunks of a half of a double tree.
const MOST_CHUNKS: usize = 64;

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
pub(super) type Within<'a> = dyn FnMut(&CollectiveKind, f64, &Site) -> Option<Choice> + 'a;

/// A group on several nodes.
pub(super) struct Nodes<'s> {
    shape: &'s Shape,
    nodes: f64,
    ranks: f64,
    /// Most devices of a node.
    most: usize,
    wire: Wire,
}

impl<'s> Nodes<'s> {
    /// `None` if a node cannot reach the network, which carries so many bytes a second for this group.
    pub(super) fn new(shape: &'s Shape, network: Option<f64>) -> Option<Nodes<'s>> {
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
        Some(Nodes { shape, nodes, ranks: shape.places.len() as f64, most, wire })
    }

    /// The cheapest way.
    pub(super) fn cheapest(&self, kind: &CollectiveKind, bytes: f64, within: &mut Within<'_>) -> Option<Choice> {
        let inner = match kind {
            CollectiveKind::AllToAll => return self.all_to_all(bytes, within),
            CollectiveKind::Permute(pairs) => return self.permute(pairs, bytes, within),
            CollectiveKind::Served(workers) => return self.served(*workers, bytes),
            CollectiveKind::AllReduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllGather
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_) => self.inner(kind, bytes, within)?,
        };
        let mut choices: Vec<Choice> = Vec::new();
        for (across, seconds) in self.methods(kind, bytes) {
            let name = across.map_or("chain".into(), |across| across.method().to_string());
            let name = if self.most == 1 { name } else { format!("hierarchical({}, {name})", self.most) };
            let way = across.and_then(|across| self.way(kind, across));
            choices.push(Choice { name, seconds: seconds + inner, way });
        }
        if self.most > 1
            && let Some(rounds) = kind.rounds()
        {
            // Around all devices at once, by as many rings as ports have room for; none is faster than within its
            // slowest node.
            let mut rate = self.wire.rate;
            for site in self.shape.sites.iter().filter(|site| site.topology.ranks > 1) {
                let ranks = site.topology.ranks as f64;
                let gathered = within(&CollectiveKind::AllGather, 1e12, site)?;
                rate = rate.min(1e12 * (ranks - 1.0) / ranks / gathered.seconds);
            }
            let seconds = f64::from(rounds) * (self.ranks - 1.0) * (self.wire.latency + bytes / self.ranks / rate);
            choices.push(Choice { name: "rings".into(), seconds, way: None });
        }
        choices.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// What nodes may do with each other, and what it takes; a chain of nodes has no method.
    fn methods(&self, kind: &CollectiveKind, bytes: f64) -> Vec<(Option<Across>, f64)> {
        let (n, Wire { latency, rate, one }) = (self.nodes, self.wire);
        let (log, time) = (n.log2().ceil(), bytes / rate);
        // Of so many steps a tensor takes the first ones with its first chunk, and the last one with all others; with
        // the best number of chunks.
        let pipelined = |steps: f64, time: f64| ((steps * latency).sqrt() + time.sqrt()).powi(2);
        match kind {
            CollectiveKind::AllReduce => {
                // Nodes beyond a power of two send theirs to another one first, and get all back.
                let (floor, core) = (n.log2().floor(), n.log2().floor().exp2());
                let beyond = if core == n { 0.0 } else { 2.0 * (latency + time) };
                let pipeline = ((2.0 * log * 2.0 * time / latency).sqrt() as usize).clamp(1, MOST_CHUNKS);
                vec![
                    (Some(Across::Ring), 2.0 * (n - 1.0) * (latency + time / n)),
                    (Some(Across::HalvingDoubling), 2.0 * floor * latency + 2.0 * (core - 1.0) / core * time + beyond),
                    (Some(Across::DoubleTree { pipeline }), pipelined(2.0 * log, 2.0 * time)),
                ]
            }
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => vec![
                (Some(Across::HalvingDoubling), log * latency + (n - 1.0) / n * time),
                (Some(Across::Ring), (n - 1.0) * (latency + time / n)),
            ],
            CollectiveKind::Broadcast(_) | CollectiveKind::Reduce(_) => vec![
                (Some(Across::HalvingDoubling), log * (latency + bytes / one)),
                (None, latency + pipelined((n - 2.0).max(0.0), bytes / one)),
            ],
            CollectiveKind::AllToAll | CollectiveKind::Permute(_) | CollectiveKind::Served(_) => Vec::new(),
        }
    }

    /// The method, if there is one for ranks that are in the order of their nodes.
    fn way(&self, kind: &CollectiveKind, across: Across) -> Option<Way> {
        let group = self.most;
        let in_order = self.shape.places.iter().enumerate().all(|(rank, &place)| place == (rank / group, rank % group));
        let method = match group {
            1 => across.method(),
            _ => Method::Hierarchical { group, across },
        };
        (in_order && method.suits(kind, self.shape.places.len())).then_some(Way::Method(method))
    }

    /// What is done within nodes, before and after: the slowest node's time.
    fn inner(&self, kind: &CollectiveKind, bytes: f64, within: &mut Within<'_>) -> Option<f64> {
        let kinds: &[CollectiveKind] = match kind {
            CollectiveKind::AllReduce => &[CollectiveKind::ReduceScatter, CollectiveKind::AllGather],
            CollectiveKind::ReduceScatter => &[CollectiveKind::ReduceScatter],
            CollectiveKind::AllGather => &[CollectiveKind::AllGather],
            CollectiveKind::Broadcast(_) => &[CollectiveKind::Broadcast(0)],
            CollectiveKind::Reduce(_) => &[CollectiveKind::Reduce(0)],
            CollectiveKind::AllToAll => &[CollectiveKind::AllToAll],
            CollectiveKind::Permute(_) | CollectiveKind::Served(_) => &[],
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
    fn all_to_all(&self, bytes: f64, within: &mut Within<'_>) -> Option<Choice> {
        let held = self.most as f64 / self.ranks;
        let out = bytes * held * (1.0 - held) / self.wire.rate;
        let seconds = (self.ranks - 1.0) * self.wire.latency + out;
        let pairwise = Choice { name: "pairwise".into(), seconds, way: Some(Way::Method(Method::Pairwise)) };
        if self.most == 1 {
            return Some(pairwise);
        }
        let inner = self.inner(&CollectiveKind::AllToAll, bytes * held, within)?;
        let seconds = (self.nodes - 1.0) * self.wire.latency + out + inner;
        let hierarchical = Choice { name: format!("hierarchical({})", self.most), seconds, way: None };
        Some(if hierarchical.seconds < pairwise.seconds { hierarchical } else { pairwise })
    }

    /// Gradients to servers, and weights back.
    fn served(&self, workers: usize, bytes: f64) -> Option<Choice> {
        let servers = self.shape.places.len().checked_sub(workers).filter(|servers| *servers > 0)?;
        let method = Method::ParameterServer { servers };
        let seconds = book::parameter_server(workers, servers, bytes, bytes, self.wire.one) + 2.0 * self.wire.latency;
        Some(Choice { name: method.to_string(), seconds, way: Some(Way::Method(method)) })
    }

    /// All at the same time: messages of a node share its ports, and those within a node its links.
    fn permute(&self, pairs: &[(usize, usize)], bytes: f64, within: &mut Within<'_>) -> Option<Choice> {
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
            seconds = seconds.max(within(&CollectiveKind::Permute(pairs), all, &self.shape.sites[site])?.seconds);
        }
        Some(Choice { name: "direct".into(), seconds, way: Some(Way::Method(Method::Direct)) })
    }
}
