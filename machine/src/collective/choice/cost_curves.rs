//! Cost curves: predicted seconds by size, for every algorithm within a node.
//!
//! Each algorithm is simulated at a few sizes, with linear interpolation in between. The curves are nearly linear in
//! any case: latency and transmission time of a chunk, times the length of the dependency chain.

use crate::collective::algorithm_kind::AlgorithmKind;
use crate::collective::choice::Choice;
use crate::collective::packed::PackedTrees;
use crate::collective::packing::MAX_PACKED_RANKS;
use crate::collective::routed::RoutedAlgorithm;
use crate::collective::{CollectiveKind, Method};
use crate::topology::Topology;
use rustc_hash::FxHashMap;
use std::mem::discriminant;

/// Simulated sizes of the global tensor, in bytes.
const SAMPLE_BYTES: [f64; 6] = [0.0, 16384.0, 262_144.0, 4_194_304.0, 67_108_864.0, 1_073_741_824.0];

/// Maximum number of messages of a simulated tree algorithm.
const MAX_SIMULATED_MESSAGES: usize = 1 << 15;

/// Cost curves of all algorithms of a kind on a topology.
#[derive(Debug)]
pub(super) struct CostCurves(Vec<CostCurve>);

#[derive(Debug)]
struct CostCurve {
    name: String,
    algorithm: AlgorithmKind,
    seconds: [f64; SAMPLE_BYTES.len()],
}

impl CostCurves {
    pub(super) fn new(kind: &CollectiveKind, topology: &Topology) -> CostCurves {
        if topology.ranks > MAX_PACKED_RANKS {
            return CostCurves(estimated(kind, topology));
        }
        let mut packed = FxHashMap::default();
        let mut curves = Vec::new();
        for algorithm in AlgorithmKind::candidates(kind, topology.ranks) {
            let known = packed.entry(discriminant(&algorithm)).or_insert_with(|| algorithm.packed(kind, topology));
            let (Some(routed), name) = routed(algorithm, known.as_ref(), kind, topology) else { continue };
            curves.push(CostCurve { name, algorithm, seconds: SAMPLE_BYTES.map(|bytes| routed.seconds(bytes)) });
        }
        CostCurves(curves)
    }

    /// Returns the cheapest algorithm, and the first one among equals.
    pub(super) fn cheapest(&self, bytes: f64) -> Option<Choice> {
        let prices = self.0.iter().map(|curve| (curve.seconds_at(bytes), curve));
        let (seconds, curve) = prices.min_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(Choice { name: curve.name.clone(), seconds, algorithm: Some(curve.algorithm) })
    }
}

fn routed(
    algorithm: AlgorithmKind,
    packed: Option<&PackedTrees>,
    kind: &CollectiveKind,
    topology: &Topology,
) -> (Option<RoutedAlgorithm>, String) {
    match (algorithm, packed) {
        (AlgorithmKind::Trees { pipeline } | AlgorithmKind::Split { pipeline }, Some(packed)) => {
            let trees: usize = packed.packings().iter().map(|packing| packing.trees.len()).sum();
            let messages = 2 * trees * pipeline * topology.ranks;
            let routed = (messages <= MAX_SIMULATED_MESSAGES).then(|| packed.build(kind, topology, pipeline));
            (routed.flatten(), packed.name.clone())
        }
        (AlgorithmKind::Rings, Some(packed)) => (packed.build(kind, topology, 1), packed.name.clone()),
        (AlgorithmKind::Method(_), _) => (algorithm.routed(kind, topology), algorithm.to_string()),
        (AlgorithmKind::Trees { .. } | AlgorithmKind::Split { .. } | AlgorithmKind::Rings, None) => {
            (None, String::new())
        }
    }
}

impl CostCurve {
    fn seconds_at(&self, bytes: f64) -> f64 {
        let next = SAMPLE_BYTES.partition_point(|&known| known < bytes).clamp(1, SAMPLE_BYTES.len() - 1);
        let (x, y) = (&SAMPLE_BYTES[next - 1..=next], &self.seconds[next - 1..=next]);
        y[0] + (y[1] - y[0]) * (bytes - x[0]) / (x[1] - x[0])
    }
}

/// Returns an estimated curve for many devices in one node, by the latency of the longest and the bandwidth of the
/// narrowest route from rank 0.
fn estimated(kind: &CollectiveKind, topology: &Topology) -> Vec<CostCurve> {
    let routes = topology.routes(0);
    let routes = routes.iter().take(topology.ranks).skip(1).flatten();
    let (mut latency, mut rate) = (0.0f64, f64::INFINITY);
    for route in routes {
        latency = latency.max(route.latency());
        rate = route.lanes.iter().map(|&(lane, _)| topology.lanes[lane].bandwidth).fold(rate, f64::min);
    }
    let ranks = topology.ranks as f64;
    let (all, log) = (ranks - 1.0, ranks.log2().ceil());
    // Number of steps, and fraction of the global tensor that a rank sends.
    let (algorithm, steps, sent) = match kind {
        CollectiveKind::AllReduce => (Method::HalvingDoubling, 2.0 * log, 2.0 * all / ranks),
        CollectiveKind::ReduceScatter | CollectiveKind::AllGather => (Method::HalvingDoubling, log, all / ranks),
        CollectiveKind::Broadcast(_) | CollectiveKind::Reduce(_) => (Method::HalvingDoubling, log, log),
        CollectiveKind::AllToAll => (Method::Pairwise, all, all / ranks / ranks),
        CollectiveKind::Permute(pairs) => (Method::Direct, 1.0, 1.0 / pairs.len().max(1) as f64),
        CollectiveKind::ParameterServer(workers) => {
            let servers = topology.ranks.saturating_sub(*workers);
            (Method::ParameterServer { servers }, 2.0, 2.0 * *workers as f64 / servers as f64)
        }
    };
    let seconds = SAMPLE_BYTES.map(|bytes| steps * latency + sent * bytes / rate);
    vec![CostCurve { name: algorithm.to_string(), algorithm: AlgorithmKind::Method(algorithm), seconds }]
}
