//! Seconds by size of every way within a node.
//!
//! A way is carried out at some sizes; in between, seconds are on a line. They are nearly lines in any case: a chunk's
//! latency and the time that a link takes for it, as often as chunks wait for each other.

use crate::collective::choice::Choice;
use crate::collective::packed::Packed;
use crate::collective::packing::MOST_RANKS;
use crate::collective::routed::Routed;
use crate::collective::way::Way;
use crate::collective::{CollectiveKind, Method};
use crate::topology::Topology;
use rustc_hash::FxHashMap;
use std::mem::discriminant;

/// The sizes at which ways are carried out.
const BYTES: [f64; 6] = [0.0, 16384.0, 262_144.0, 4_194_304.0, 67_108_864.0, 1_073_741_824.0];

/// Most messages of trees that are carried out.
const MOST_MESSAGES: usize = 1 << 15;

/// The ways of a kind on a topology.
#[derive(Debug)]
pub(super) struct Curves(Vec<Curve>);

#[derive(Debug)]
struct Curve {
    name: String,
    way: Way,
    seconds: [f64; BYTES.len()],
}

impl Curves {
    pub(super) fn of(kind: &CollectiveKind, topology: &Topology) -> Curves {
        if topology.ranks > MOST_RANKS {
            return Curves(estimated(kind, topology));
        }
        let mut packed = FxHashMap::default();
        let mut curves = Vec::new();
        for way in Way::all(kind, topology.ranks) {
            let known = packed.entry(discriminant(&way)).or_insert_with(|| way.packed(kind, topology));
            let (Some(routed), name) = routed(way, known.as_ref(), kind, topology) else { continue };
            curves.push(Curve { name, way, seconds: BYTES.map(|bytes| routed.seconds(bytes)) });
        }
        Curves(curves)
    }

    /// The cheapest way; of equal ones the first.
    pub(super) fn cheapest(&self, bytes: f64) -> Option<Choice> {
        let prices = self.0.iter().map(|curve| (curve.at(bytes), curve));
        let (seconds, curve) = prices.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Choice { name: curve.name.clone(), seconds, way: Some(curve.way) })
    }
}

fn routed(way: Way, packed: Option<&Packed>, kind: &CollectiveKind, topology: &Topology) -> (Option<Routed>, String) {
    match (way, packed) {
        (Way::Trees { pipeline } | Way::Split { pipeline }, Some(packed)) => {
            let trees: usize = packed.packings().iter().map(|packing| packing.trees.len()).sum();
            let messages = 2 * trees * pipeline * topology.ranks;
            let routed = (messages <= MOST_MESSAGES).then(|| packed.algorithm(kind, topology, pipeline));
            (routed.flatten(), packed.name.clone())
        }
        (Way::Rings, Some(packed)) => (packed.algorithm(kind, topology, 1), packed.name.clone()),
        (Way::Method(_), _) => (way.routed(kind, topology), way.to_string()),
        (Way::Trees { .. } | Way::Split { .. } | Way::Rings, None) => (None, String::new()),
    }
}

impl Curve {
    fn at(&self, bytes: f64) -> f64 {
        let next = BYTES.partition_point(|&known| known < bytes).clamp(1, BYTES.len() - 1);
        let (x, y) = (&BYTES[next - 1..=next], &self.seconds[next - 1..=next]);
        y[0] + (y[1] - y[0]) * (bytes - x[0]) / (x[1] - x[0])
    }
}

/// Prices of many devices in one node, by the longest and the narrowest route from the first one.
fn estimated(kind: &CollectiveKind, topology: &Topology) -> Vec<Curve> {
    let routes = topology.routes(0);
    let routes = routes.iter().take(topology.ranks).skip(1).flatten();
    let (mut latency, mut rate) = (0.0f64, f64::INFINITY);
    for route in routes {
        latency = latency.max(route.latency());
        rate = route.lanes.iter().map(|&(lane, _)| topology.lanes[lane].bandwidth).fold(rate, f64::min);
    }
    let ranks = topology.ranks as f64;
    let (all, log) = (ranks - 1.0, ranks.log2().ceil());
    // Steps, and how often a rank sends the whole tensor.
    let (way, steps, sent) = match kind {
        CollectiveKind::AllReduce => (Method::HalvingDoubling, 2.0 * log, 2.0 * all / ranks),
        CollectiveKind::ReduceScatter | CollectiveKind::AllGather => (Method::HalvingDoubling, log, all / ranks),
        CollectiveKind::Broadcast(_) | CollectiveKind::Reduce(_) => (Method::HalvingDoubling, log, log),
        CollectiveKind::AllToAll => (Method::Pairwise, all, all / ranks / ranks),
        CollectiveKind::Permute(pairs) => (Method::Direct, 1.0, 1.0 / pairs.len().max(1) as f64),
        CollectiveKind::Served(workers) => {
            let servers = topology.ranks.saturating_sub(*workers);
            (Method::ParameterServer { servers }, 2.0, 2.0 * *workers as f64 / servers as f64)
        }
    };
    let seconds = BYTES.map(|bytes| steps * latency + sent * bytes / rate);
    vec![Curve { name: way.to_string(), way: Way::Method(way), seconds }]
}
