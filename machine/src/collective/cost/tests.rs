//! Predicted times equal the formulas of the literature where latencies are small, and manually computed times
//! elsewhere.

use crate::Machine;
use crate::collective::check::check;
use crate::collective::packed::PackedTrees;
use crate::collective::routed::RoutedAlgorithm;
use crate::collective::textbook;
use crate::collective::{CollectiveKind, Method};
use crate::topology::Topology;

fn topology_of(name: &str, devices: &[usize]) -> Topology {
    Topology::for_devices(&Machine::named(name).unwrap(), devices, 1).unwrap()
}

fn routed(method: Method, kind: &CollectiveKind, topology: &Topology) -> RoutedAlgorithm {
    RoutedAlgorithm::new(check(method.build(kind, topology.ranks).unwrap()).unwrap(), topology).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

#[test]
fn textbook_formulas() {
    let (g, w, bandwidth) = (100e6, 50e6, 25e9);
    assert!(
        near(textbook::path_seconds(g, 2, bandwidth), 2e-3)
            && near(textbook::path_seconds(g, 3, bandwidth), 4e-3 / 3.0)
    );
    assert!(near(textbook::unchunked_ring_seconds(g, 4, bandwidth), 28e-3));
    assert!(near(textbook::parameter_server_seconds(8, 1, g, w, bandwidth), 48e-3));
    assert!(near(textbook::parameter_server_seconds(8, 4, g, w, bandwidth), 12e-3));
    let [fast, slow] = textbook::split_fractions(25e9, 12.5e9);
    assert!(near(fast, 2.0 / 3.0) && near(slow, 1.0 / 3.0));
}

#[test]
fn methods_on_a_switch_match_the_literature() {
    // Two links of 300 GB/s and 1.5 us in each direction.
    let (bandwidth, latency, bytes) = (300e9, 3e-6, 8e8);
    for n in [2, 4, 8] {
        let devices: Vec<usize> = (0..n).collect();
        let topology = topology_of("dgx-a100", &devices);
        let seconds = |method, kind: CollectiveKind| routed(method, &kind, &topology).seconds(bytes);
        let (count, part) = (n as f64, bytes / n as f64 / bandwidth);
        // Each step waits for the previous one.
        let ring = 2.0 * (count - 1.0) * (part + latency);
        assert!(near(seconds(Method::Ring, CollectiveKind::AllReduce), ring), "{n}");
        assert!(near(seconds(Method::Ring, CollectiveKind::AllGather), ring / 2.0));
        assert!(near(seconds(Method::Ring, CollectiveKind::ReduceScatter), ring / 2.0));
        // A single link carries all other operands to the server, and the result to all others.
        let star = 2.0 * ((count - 1.0) * bytes / bandwidth + latency);
        assert!(near(seconds(Method::Star, CollectiveKind::AllReduce), star));
        let halving: f64 = (1..=n.ilog2()).map(|step| 2.0 * (bytes / f64::from(1 << step) / bandwidth + latency)).sum();
        // Chunks wait for each other only on lanes, not for the end of a step.
        let simulated = seconds(Method::HalvingDoubling, CollectiveKind::AllReduce);
        assert!((simulated / halving - 1.0).abs() < 0.2, "{n}: {simulated} {halving}");
        // M servers that are also workers receive N-1 operands each.
        for servers in [1, 2, n] {
            let method = Method::ParameterServer { servers };
            let push = (count - 1.0) * bytes / servers as f64 / bandwidth;
            let simulated = seconds(method, CollectiveKind::AllReduce);
            assert!(simulated >= push && simulated <= 2.0 * push * 1.35 + 1e-5, "{n} {servers}: {}", simulated / push);
        }
    }
}

#[test]
fn parameter_servers_match_the_textbook() {
    let simulated = |workers: usize, servers: usize| {
        let devices: Vec<usize> = (0..workers + servers).collect();
        let topology = topology_of("dgx-a100", &devices);
        routed(Method::ParameterServer { servers }, &CollectiveKind::ParameterServer(workers), &topology).seconds(1e9)
    };
    let book = |workers, servers| textbook::parameter_server_seconds(workers, servers, 1e9, 1e9, 300e9);
    assert!(near(simulated(4, 1), book(4, 1) + 6e-6));
    // The link of a server is idle until the first message arrives and until the first one departs.
    for (workers, servers) in [(4, 2), (6, 2)] {
        let part = simulated(workers, servers) / book(workers, servers);
        assert!(part > 1.0 && part < 1.13, "{workers} {servers}: {part}");
    }
    // With more servers than workers, the links of the workers are the bottleneck.
    assert!((simulated(3, 5) / (2.0 * 1e9 / 300e9) - 1.0).abs() < 0.01);
}

#[test]
fn four_gpus_of_a_dgx1_reach_the_rates_of_trees_and_rings() {
    let topology = topology_of("dgx1-v100", &[0, 1, 2, 3]);
    let unit = 1e9 / 25e9;
    let all = |packed: &PackedTrees, chunks| {
        packed.build(&CollectiveKind::AllReduce, &topology, chunks).unwrap().seconds(1e9) / unit
    };
    let trees = PackedTrees::trees(&CollectiveKind::AllReduce, &topology).unwrap();
    let rings = PackedTrees::rings(&CollectiveKind::AllReduce, &topology).unwrap();
    assert_eq!((trees.name.as_str(), rings.name.as_str()), ("trees(3)", "rings(4)"));
    // Chunks are pipelined along a tree, so that both directions together take no longer than one.
    let (few, many) = (all(&trees, 8), all(&trees, 256));
    assert!(few > 1.1 / 3.0 && many > 1.0 / 3.0 && many < 1.02 / 3.0, "{few} {many}");
    let around = all(&rings, 1);
    assert!(around > 3.0 / 8.0 && around < 1.01 * 3.0 / 8.0, "{around}");
    // A broadcast approaches the cut of four links.
    let kind = CollectiveKind::Broadcast(2);
    let broadcast = PackedTrees::trees(&kind, &topology).unwrap().build(&kind, &topology, 256).unwrap();
    assert!(broadcast.seconds(1e9) / unit < 1.02 / 4.0);
}

#[test]
fn eight_gpus_of_a_dgx1_approach_both_bounds() {
    let topology = topology_of("dgx1-v100", &[0, 1, 2, 3, 4, 5, 6, 7]);
    // Six links leave the root, and all links together form 24/7 trees.
    for (kind, bound) in [(CollectiveKind::Broadcast(3), 6.0), (CollectiveKind::AllReduce, 24.0 / 7.0)] {
        let trees = PackedTrees::trees(&kind, &topology).unwrap().build(&kind, &topology, 128).unwrap();
        let reached = 4e9 / trees.seconds(4e9) / 25e9;
        assert!(reached > 0.95 * bound && reached < bound, "{}: {reached} of {bound}", kind.name());
    }
}

#[test]
fn each_hop_adds_latency() {
    // A chain of two hops, each with a latency of 3 us and a transmission time of 40 ms.
    let topology = topology_of("dgx1-v100", &[0, 1, 5]);
    let ring = routed(Method::Ring, &CollectiveKind::Broadcast(0), &topology);
    assert!(near(ring.seconds(0.0), 6e-6));
    assert!(near(ring.seconds(1e9), 40e-3 + 20e-3 + 6e-6));
    // Both messages to rank 1 use the same link, one after the other: rank 5 reaches rank 0 through rank 1.
    let gather = routed(Method::Direct, &CollectiveKind::Reduce(0), &topology);
    assert!(near(gather.seconds(1e9), 80e-3 + 3e-6), "{}", gather.seconds(1e9));
    assert_eq!(gather.lane_bytes(1_000_000_000).iter().fold(0.0f64, |a, &b| a.max(b)), 2e9);
}

#[test]
fn two_link_classes_share_the_tensor_by_bandwidth() {
    let topology = topology_of("k80+v100", &[4, 5, 6, 7]);
    for kind in [CollectiveKind::AllReduce, CollectiveKind::Broadcast(0), CollectiveKind::Reduce(3)] {
        let split = PackedTrees::split(&kind, &topology).unwrap();
        let [fast, slow] = [0, 1].map(|class| split.packings()[class].rate());
        // A ring of links of 50 GB/s against a star of links of 12 GB/s.
        let (links, ends) = if kind == CollectiveKind::AllReduce { (4.0 / 3.0, 4.0 / 6.0) } else { (2.0, 1.0) };
        assert!((fast / (links * 50e9) - 1.0).abs() < 0.04 && (slow / (ends * 12e9) - 1.0).abs() < 0.04);
        let algorithm = split.build(&kind, &topology, 256).unwrap();
        // One of three messages of a tree per chunk on slow links passes the link of a given device.
        let loads = algorithm.lane_bytes(1_000_000_000);
        let named = topology.lanes.iter().zip(&loads).filter(|(lane, _)| lane.name.ends_with(">root"));
        let edges = if kind == CollectiveKind::AllReduce { 6.0 } else { 3.0 };
        let carried = named.map(|(_, load)| load).sum::<f64>() / edges / 1e9;
        let [_, wanted] = textbook::split_fractions(fast, slow);
        assert!((carried / wanted - 1.0).abs() < 0.03, "{carried} of {wanted}");
        let alone = PackedTrees::trees(&kind, &topology.restricted_to(true).unwrap()).unwrap();
        let alone = alone.build(&kind, &topology, 256).unwrap();
        assert!(algorithm.seconds(1e9) < alone.seconds(1e9), "{}", kind.name());
    }
    assert!(PackedTrees::split(&CollectiveKind::AllReduce, &topology_of("dgx-a100", &[0, 1])).is_none());
}
