//! What is predicted is what the literature says where latencies are small, and what is worked out by hand where they
//! are not.

use crate::Machine;
use crate::collective::book;
use crate::collective::check::check;
use crate::collective::packed::Packed;
use crate::collective::routed::Routed;
use crate::collective::{CollectiveKind, Method};
use crate::topology::Topology;

fn seen(name: &str, devices: &[usize]) -> Topology {
    Topology::of(&Machine::named(name).unwrap(), devices, 1).unwrap()
}

fn routed(method: Method, kind: &CollectiveKind, topology: &Topology) -> Routed {
    Routed::new(check(method.build(kind, topology.ranks).unwrap()).unwrap(), topology).unwrap()
}

fn near(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-9
}

#[test]
fn formulas_of_the_book() {
    let (g, w, bandwidth) = (100e6, 50e6, 25e9);
    assert!(near(book::round(g, 2, bandwidth), 2e-3) && near(book::round(g, 3, bandwidth), 4e-3 / 3.0));
    assert!(near(book::whole_ring(g, 4, bandwidth), 28e-3));
    assert!(near(book::parameter_server(8, 1, g, w, bandwidth), 48e-3));
    assert!(near(book::parameter_server(8, 4, g, w, bandwidth), 12e-3));
    let [fast, slow] = book::split(25e9, 12.5e9);
    assert!(near(fast, 2.0 / 3.0) && near(slow, 1.0 / 3.0));
}

#[test]
fn methods_behind_a_switch_take_what_the_literature_says() {
    // Two links of 300 GB/s and 1.5 us each way.
    let (bandwidth, latency, bytes) = (300e9, 3e-6, 8e8);
    for n in [2, 4, 8] {
        let devices: Vec<usize> = (0..n).collect();
        let topology = seen("dgx-a100", &devices);
        let seconds = |method, kind: CollectiveKind| routed(method, &kind, &topology).seconds(bytes);
        let (count, part) = (n as f64, bytes / n as f64 / bandwidth);
        // Each step waits for the one before it.
        let ring = 2.0 * (count - 1.0) * (part + latency);
        assert!(near(seconds(Method::Ring, CollectiveKind::AllReduce), ring), "{n}");
        assert!(near(seconds(Method::Ring, CollectiveKind::AllGather), ring / 2.0));
        assert!(near(seconds(Method::Ring, CollectiveKind::ReduceScatter), ring / 2.0));
        // One worker's link brings a server all other operands, and takes the result to all others.
        let star = 2.0 * ((count - 1.0) * bytes / bandwidth + latency);
        assert!(near(seconds(Method::Star, CollectiveKind::AllReduce), star));
        let halving: f64 = (1..=n.ilog2()).map(|step| 2.0 * (bytes / f64::from(1 << step) / bandwidth + latency)).sum();
        // Chunks do not wait for their step, and so sometimes for those of another one.
        let taken = seconds(Method::HalvingDoubling, CollectiveKind::AllReduce);
        assert!((taken / halving - 1.0).abs() < 0.2, "{n}: {taken} {halving}");
        // M servers that work, too, bring N-1 operands each.
        for servers in [1, 2, n] {
            let method = Method::ParameterServer { servers };
            let push = (count - 1.0) * bytes / servers as f64 / bandwidth;
            let taken = seconds(method, CollectiveKind::AllReduce);
            assert!(taken >= push && taken <= 2.0 * push * 1.35 + 1e-5, "{n} {servers}: {}", taken / push);
        }
    }
}

#[test]
fn servers_take_what_the_book_says() {
    let taken = |workers: usize, servers: usize| {
        let devices: Vec<usize> = (0..workers + servers).collect();
        let topology = seen("dgx-a100", &devices);
        routed(Method::ParameterServer { servers }, &CollectiveKind::Served(workers), &topology).seconds(1e9)
    };
    let book = |workers, servers| book::parameter_server(workers, servers, 1e9, 1e9, 300e9);
    assert!(near(taken(4, 1), book(4, 1) + 6e-6));
    // A server's link waits for the first message that it gets, and for the first that it sends.
    for (workers, servers) in [(4, 2), (6, 2)] {
        let part = taken(workers, servers) / book(workers, servers);
        assert!(part > 1.0 && part < 1.13, "{workers} {servers}: {part}");
    }
    // With more servers than workers, workers' links are the slower ones.
    assert!((taken(3, 5) / (2.0 * 1e9 / 300e9) - 1.0).abs() < 0.01);
}

#[test]
fn four_gpus_of_a_dgx1_take_a_third_along_trees_and_three_eighths_around_rings() {
    let topology = seen("dgx1-v100", &[0, 1, 2, 3]);
    let unit = 1e9 / 25e9;
    let all = |packed: &Packed, chunks| {
        packed.algorithm(&CollectiveKind::AllReduce, &topology, chunks).unwrap().seconds(1e9) / unit
    };
    let trees = Packed::trees(&CollectiveKind::AllReduce, &topology).unwrap();
    let rings = Packed::rings(&CollectiveKind::AllReduce, &topology).unwrap();
    assert_eq!((trees.name.as_str(), rings.name.as_str()), ("trees(3)", "rings(4)"));
    // Chunks follow each other along a tree, so that going up and going down take no longer than one of them.
    let (few, many) = (all(&trees, 8), all(&trees, 256));
    assert!(few > 1.1 / 3.0 && many > 1.0 / 3.0 && many < 1.02 / 3.0, "{few} {many}");
    let around = all(&rings, 1);
    assert!(around > 3.0 / 8.0 && around < 1.01 * 3.0 / 8.0, "{around}");
    // A broadcast comes near the cut of four links.
    let kind = CollectiveKind::Broadcast(2);
    let spread = Packed::trees(&kind, &topology).unwrap().algorithm(&kind, &topology, 256).unwrap();
    assert!(spread.seconds(1e9) / unit < 1.02 / 4.0);
}

#[test]
fn eight_gpus_of_a_dgx1_come_near_both_bounds() {
    let topology = seen("dgx1-v100", &[0, 1, 2, 3, 4, 5, 6, 7]);
    // Six links leave the root, and links make up 24/7 trees.
    for (kind, bound) in [(CollectiveKind::Broadcast(3), 6.0), (CollectiveKind::AllReduce, 24.0 / 7.0)] {
        let trees = Packed::trees(&kind, &topology).unwrap().algorithm(&kind, &topology, 128).unwrap();
        let reached = 4e9 / trees.seconds(4e9) / 25e9;
        assert!(reached > 0.95 * bound && reached < bound, "{}: {reached} of {bound}", kind.name());
    }
}

#[test]
fn latency_is_paid_by_hop() {
    // A chain of two hops of 3 us for nothing, and of 40 ms each for a whole link's second.
    let topology = seen("dgx1-v100", &[0, 1, 5]);
    let ring = routed(Method::Ring, &CollectiveKind::Broadcast(0), &topology);
    assert!(near(ring.seconds(0.0), 6e-6));
    assert!(near(ring.seconds(1e9), 40e-3 + 20e-3 + 6e-6));
    // Both messages to 1 take the same link, one after the other: 5 reaches 0 through it.
    let gather = routed(Method::Direct, &CollectiveKind::Reduce(0), &topology);
    assert!(near(gather.seconds(1e9), 80e-3 + 3e-6), "{}", gather.seconds(1e9));
    assert_eq!(gather.loads(1_000_000_000).iter().fold(0.0f64, |a, &b| a.max(b)), 2e9);
}

#[test]
fn links_of_two_classes_are_split_by_bandwidth() {
    let topology = seen("k80+v100", &[4, 5, 6, 7]);
    for kind in [CollectiveKind::AllReduce, CollectiveKind::Broadcast(0), CollectiveKind::Reduce(3)] {
        let split = Packed::split(&kind, &topology).unwrap();
        let [fast, slow] = [0, 1].map(|class| split.packings()[class].rate());
        // A ring of links of 50 GB/s against a star of 12 GB/s each.
        let (links, ends) = if kind == CollectiveKind::AllReduce { (4.0 / 3.0, 4.0 / 6.0) } else { (2.0, 1.0) };
        assert!((fast / (links * 50e9) - 1.0).abs() < 0.04 && (slow / (ends * 12e9) - 1.0).abs() < 0.04);
        let algorithm = split.algorithm(&kind, &topology, 256).unwrap();
        // Of each chunk on slow links one of three messages of its tree comes over a device's link.
        let loads = algorithm.loads(1_000_000_000);
        let named = topology.lanes.iter().zip(&loads).filter(|(lane, _)| lane.name.ends_with(">root"));
        let edges = if kind == CollectiveKind::AllReduce { 6.0 } else { 3.0 };
        let carried = named.map(|(_, load)| load).sum::<f64>() / edges / 1e9;
        let [_, wanted] = book::split(fast, slow);
        assert!((carried / wanted - 1.0).abs() < 0.03, "{carried} of {wanted}");
        let alone = Packed::trees(&kind, &topology.only(true).unwrap()).unwrap();
        let alone = alone.algorithm(&kind, &topology, 256).unwrap();
        assert!(algorithm.seconds(1e9) < alone.seconds(1e9), "{}", kind.name());
    }
    assert!(Packed::split(&CollectiveKind::AllReduce, &seen("dgx-a100", &[0, 1])).is_none());
}
