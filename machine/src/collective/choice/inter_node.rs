//! Closed-form cost of inter-node collectives in a latency-bandwidth model (Thakur, Rabenseifner and Gropp 2005,
//! <https://doi.org/10.1177/1094342005051521>).
//!
//! A node sends one message at a time, each of which takes a latency plus its bytes divided by the rate of the ports
//! that the node's devices of the group use. Intra-node phases before and after are priced by simulation.

use crate::collective::algorithm_kind::AlgorithmKind;
use crate::collective::choice::{Choice, GroupShape, NodeView};
use crate::collective::{CollectiveKind, InterGroup, Method, textbook};
use crate::topology::Topology;

/// Maximum number of pipelined chunks per half of a double tree.
const MAX_PIPELINE_CHUNKS: usize = 64;

/// Connection from the devices of a node to the network.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct NetworkPath {
    /// Seconds until the first byte reaches a device of another node.
    latency: f64,
    /// Rate of all devices together, in bytes per second.
    rate: f64,
    /// Rate of the slowest single device, in bytes per second.
    device_rate: f64,
}

impl NetworkPath {
    /// Returns the connection to the network for a topology in which the network is the vertex after the ranks.
    pub(super) fn from_topology(topology: &Topology) -> Option<NetworkPath> {
        let network = topology.ranks;
        let back = topology.routes(network);
        let mut network_path = NetworkPath { latency: 0.0, rate: 0.0, device_rate: f64::INFINITY };
        let mut arrives = 0.0f64;
        // Lanes of ports with the total rate of the devices that use each of them.
        let mut ports: Vec<(usize, f64)> = Vec::new();
        let port_lanes: Vec<usize> =
            topology.arcs.iter().filter(|arc| arc.ends[1] == network).map(|arc| arc.lanes[0]).collect();
        for (rank, back) in back.iter().enumerate().take(topology.ranks) {
            let route = topology.routes(rank)[network].clone()?;
            let width = |lane: usize| topology.lanes[lane].bandwidth;
            let narrowest = route.lanes.iter().map(|&(lane, _)| width(lane)).fold(f64::INFINITY, f64::min);
            let port = route.lanes.iter().map(|&(lane, _)| lane).find(|lane| port_lanes.contains(lane))?;
            match ports.iter_mut().find(|(known, _)| *known == port) {
                Some((_, rate)) => *rate = (*rate + narrowest).min(width(port)),
                None => ports.push((port, narrowest)),
            }
            network_path.latency = network_path.latency.max(route.latency());
            network_path.device_rate = network_path.device_rate.min(narrowest);
            arrives = arrives.max(back.as_ref()?.latency());
        }
        network_path.latency += arrives;
        network_path.rate = ports.iter().map(|(_, rate)| rate).sum();
        Some(network_path)
    }
}

/// Function that prices a collective within a node.
pub(super) type IntraNodePrice<'a> = dyn FnMut(&CollectiveKind, f64, &NodeView) -> Option<Choice> + 'a;

/// Group of devices on several nodes.
pub(super) struct MultiNodeGroup<'s> {
    shape: &'s GroupShape,
    nodes: f64,
    ranks: f64,
    /// Largest number of devices per node.
    max_devices: usize,
    network_path: NetworkPath,
}

impl<'s> MultiNodeGroup<'s> {
    /// Returns the group, or `None` if a node is not connected to the network. `network` is the group's share of the
    /// network, in bytes per second.
    pub(super) fn new(shape: &'s GroupShape, network: Option<f64>) -> Option<MultiNodeGroup<'s>> {
        let nodes = shape.nodes.len() as f64;
        let mut network_path = NetworkPath { latency: 0.0, rate: f64::INFINITY, device_rate: f64::INFINITY };
        for view in &shape.node_views {
            let path = view.network_path?;
            network_path.latency = network_path.latency.max(path.latency);
            network_path.rate = network_path.rate.min(path.rate);
            network_path.device_rate = network_path.device_rate.min(path.device_rate);
        }
        if let Some(network) = network {
            network_path.rate = network_path.rate.min(network / nodes);
            network_path.device_rate = network_path.device_rate.min(network);
        }
        let max_devices = shape.node_views.iter().map(|view| view.topology.ranks).max()?;
        Some(MultiNodeGroup { shape, nodes, ranks: shape.places.len() as f64, max_devices, network_path })
    }

    /// Returns the cheapest algorithm, where `intra_node` prices the intra-node phases.
    pub(super) fn cheapest(
        &self,
        kind: &CollectiveKind,
        bytes: f64,
        intra_node: &mut IntraNodePrice<'_>,
    ) -> Option<Choice> {
        let inner = match kind {
            CollectiveKind::AllToAll => return self.all_to_all(bytes, intra_node),
            CollectiveKind::Permute(pairs) => return self.permute(pairs, bytes, intra_node),
            CollectiveKind::ParameterServer(workers) => return self.parameter_server(*workers, bytes),
            CollectiveKind::AllReduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::AllGather
            | CollectiveKind::Broadcast(_)
            | CollectiveKind::Reduce(_) => self.intra_node_seconds(kind, bytes, intra_node)?,
        };
        let mut choices: Vec<Choice> = Vec::new();
        for (inter_group, seconds) in self.inter_node_methods(kind, bytes) {
            let name = inter_group.map_or("chain".into(), |inter_group| inter_group.method().to_string());
            let name = if self.max_devices == 1 { name } else { format!("hierarchical({}, {name})", self.max_devices) };
            let algorithm = inter_group.and_then(|inter_group| self.algorithm(kind, inter_group));
            choices.push(Choice { name, seconds: seconds + inner, algorithm });
        }
        if self.max_devices > 1
            && let Some(passes) = kind.ring_passes()
        {
            // A ring over all devices uses as many rings as the ports have room for. Its rate is limited by the slowest
            // node.
            let mut rate = self.network_path.rate;
            for view in self.shape.node_views.iter().filter(|view| view.topology.ranks > 1) {
                let ranks = view.topology.ranks as f64;
                let gathered = intra_node(&CollectiveKind::AllGather, 1e12, view)?;
                rate = rate.min(1e12 * (ranks - 1.0) / ranks / gathered.seconds);
            }
            let seconds =
                f64::from(passes) * (self.ranks - 1.0) * (self.network_path.latency + bytes / self.ranks / rate);
            choices.push(Choice { name: "rings".into(), seconds, algorithm: None });
        }
        choices.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// Returns the inter-node methods with their costs in seconds. A chain of nodes has no method.
    fn inter_node_methods(&self, kind: &CollectiveKind, bytes: f64) -> Vec<(Option<InterGroup>, f64)> {
        let (n, NetworkPath { latency, rate, device_rate }) = (self.nodes, self.network_path);
        let (log, time) = (n.log2().ceil(), bytes / rate);
        // Pipelined time over `steps` steps with the best number of chunks: the first chunk passes all steps, the
        // remaining ones follow through the last step.
        let pipelined = |steps: f64, time: f64| ((steps * latency).sqrt() + time.sqrt()).powi(2);
        match kind {
            CollectiveKind::AllReduce => {
                // Nodes beyond a power of two send their operands to a partner first and receive the result from it.
                let (floor, core) = (n.log2().floor(), n.log2().floor().exp2());
                let remainder = if core == n { 0.0 } else { 2.0 * (latency + time) };
                let pipeline = ((2.0 * log * 2.0 * time / latency).sqrt() as usize).clamp(1, MAX_PIPELINE_CHUNKS);
                vec![
                    (Some(InterGroup::Ring), 2.0 * (n - 1.0) * (latency + time / n)),
                    (
                        Some(InterGroup::HalvingDoubling),
                        2.0 * floor * latency + 2.0 * (core - 1.0) / core * time + remainder,
                    ),
                    (Some(InterGroup::DoubleTree { pipeline }), pipelined(2.0 * log, 2.0 * time)),
                ]
            }
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => vec![
                (Some(InterGroup::HalvingDoubling), log * latency + (n - 1.0) / n * time),
                (Some(InterGroup::Ring), (n - 1.0) * (latency + time / n)),
            ],
            CollectiveKind::Broadcast(_) | CollectiveKind::Reduce(_) => vec![
                (Some(InterGroup::HalvingDoubling), log * (latency + bytes / device_rate)),
                (None, latency + pipelined((n - 2.0).max(0.0), bytes / device_rate)),
            ],
            CollectiveKind::AllToAll | CollectiveKind::Permute(_) | CollectiveKind::ParameterServer(_) => Vec::new(),
        }
    }

    /// Returns the algorithm, if its method supports ranks in this order of nodes.
    fn algorithm(&self, kind: &CollectiveKind, inter_group: InterGroup) -> Option<AlgorithmKind> {
        let group = self.max_devices;
        let in_order = self.shape.places.iter().enumerate().all(|(rank, &place)| place == (rank / group, rank % group));
        let method = match group {
            1 => inter_group.method(),
            _ => Method::Hierarchical { group, inter_group },
        };
        (in_order && method.supports(kind, self.shape.places.len())).then_some(AlgorithmKind::Method(method))
    }

    /// Returns the cost of the intra-node phases before and after: the time of the slowest node.
    fn intra_node_seconds(
        &self,
        kind: &CollectiveKind,
        bytes: f64,
        intra_node: &mut IntraNodePrice<'_>,
    ) -> Option<f64> {
        let kinds: &[CollectiveKind] = match kind {
            CollectiveKind::AllReduce => &[CollectiveKind::ReduceScatter, CollectiveKind::AllGather],
            CollectiveKind::ReduceScatter => &[CollectiveKind::ReduceScatter],
            CollectiveKind::AllGather => &[CollectiveKind::AllGather],
            CollectiveKind::Broadcast(_) => &[CollectiveKind::Broadcast(0)],
            CollectiveKind::Reduce(_) => &[CollectiveKind::Reduce(0)],
            CollectiveKind::AllToAll => &[CollectiveKind::AllToAll],
            CollectiveKind::Permute(_) | CollectiveKind::ParameterServer(_) => &[],
        };
        let mut slowest = 0.0f64;
        for view in self.shape.node_views.iter().filter(|view| view.topology.ranks > 1) {
            let mut seconds = 0.0;
            for kind in kinds {
                seconds += intra_node(kind, bytes, view)?.seconds;
            }
            slowest = slowest.max(seconds);
        }
        Some(slowest)
    }

    /// Prices `all_to_all`: pairwise, or hierarchical with a proxy per target node.
    fn all_to_all(&self, bytes: f64, intra_node: &mut IntraNodePrice<'_>) -> Option<Choice> {
        let node_fraction = self.max_devices as f64 / self.ranks;
        let out = bytes * node_fraction * (1.0 - node_fraction) / self.network_path.rate;
        let seconds = (self.ranks - 1.0) * self.network_path.latency + out;
        let pairwise =
            Choice { name: "pairwise".into(), seconds, algorithm: Some(AlgorithmKind::Method(Method::Pairwise)) };
        if self.max_devices == 1 {
            return Some(pairwise);
        }
        let inner = self.intra_node_seconds(&CollectiveKind::AllToAll, bytes * node_fraction, intra_node)?;
        let seconds = (self.nodes - 1.0) * self.network_path.latency + out + inner;
        let hierarchical = Choice { name: format!("hierarchical({})", self.max_devices), seconds, algorithm: None };
        Some(if hierarchical.seconds < pairwise.seconds { hierarchical } else { pairwise })
    }

    /// Prices parameter servers: push of gradients, pull of weights.
    fn parameter_server(&self, workers: usize, bytes: f64) -> Option<Choice> {
        let servers = self.shape.places.len().checked_sub(workers).filter(|servers| *servers > 0)?;
        let method = Method::ParameterServer { servers };
        let seconds = textbook::parameter_server_seconds(workers, servers, bytes, bytes, self.network_path.device_rate)
            + 2.0 * self.network_path.latency;
        Some(Choice { name: method.to_string(), seconds, algorithm: Some(AlgorithmKind::Method(method)) })
    }

    /// Prices `permute`: all messages are concurrent. Messages between nodes share the ports, and messages within a
    /// node share its links.
    fn permute(&self, pairs: &[(usize, usize)], bytes: f64, intra_node: &mut IntraNodePrice<'_>) -> Option<Choice> {
        let block = bytes / pairs.len().max(1) as f64;
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
            seconds = self.network_path.latency
                + (block / self.network_path.device_rate).max(most * block / self.network_path.rate);
        }
        for (pairs, &view) in local.into_iter().zip(&self.shape.nodes).filter(|(pairs, _)| !pairs.is_empty()) {
            let all = block * pairs.len() as f64;
            seconds =
                seconds.max(intra_node(&CollectiveKind::Permute(pairs), all, &self.shape.node_views[view])?.seconds);
        }
        Some(Choice { name: "direct".into(), seconds, algorithm: Some(AlgorithmKind::Method(Method::Direct)) })
    }
}
