//! Packings reach independently computed bounds on preset machines, machines with missing links and random machines.

use super::{PackedStructure, PackedTree, Packing};
use crate::collective::CollectiveKind;
use crate::collective::packed::PackedTrees;
use crate::profile::AchievedLink;
use crate::topology::Topology;
use crate::{Link, Machine, Switch, Vertex};
use expect_test::expect;
use partita_ir::diag::Source;

fn topology_of(machine: &Machine, devices: usize) -> Topology {
    let devices: Vec<usize> = (0..devices).collect();
    Topology::for_devices(machine, &devices, 1).unwrap()
}

/// Returns the maximum flow between two vertices, where each arc has its own lane.
fn max_flow(topology: &Topology, from: usize, to: usize) -> f64 {
    let mut left = vec![vec![0.0; topology.vertices]; topology.vertices];
    for arc in &topology.arcs {
        left[arc.ends[0]][arc.ends[1]] += topology.lanes[arc.lanes[0]].bandwidth;
    }
    let mut flow = 0.0;
    loop {
        let mut last = vec![None; topology.vertices];
        let mut next = vec![from];
        while let Some(at) = next.pop() {
            for to in 0..topology.vertices {
                if left[at][to] > 1.0 && last[to].is_none() && to != from {
                    last[to] = Some(at);
                    next.push(to);
                }
            }
        }
        let path: Vec<(usize, usize)> =
            std::iter::successors(last[to].map(|at| (at, to)), |&(at, _)| Some((last[at]?, at))).collect();
        let Some(most) = path.iter().map(|&(a, b)| left[a][b]).min_by(f64::total_cmp) else { return flow };
        for (a, b) in path {
            left[a][b] -= most;
            left[b][a] += most;
        }
        flow += most;
    }
}

/// Returns the upper bound on the rate of every broadcast: the minimum over all ranks of the maximum flow from the
/// root.
fn broadcast_bound(topology: &Topology, root: usize) -> f64 {
    let others = (0..topology.ranks).filter(|&rank| rank != root);
    others.map(|rank| max_flow(topology, root, rank)).fold(f64::INFINITY, f64::min)
}

/// Returns the upper bound on the rate of every packing of spanning trees: the minimum over all partitions of the
/// bandwidth between parts divided by the number of parts minus one (Nash-Williams, Tutte). Requires links with two
/// directions that connect ranks.
fn spanning_tree_bound(topology: &Topology) -> f64 {
    fn bound(topology: &Topology, part: &mut Vec<usize>, parts: usize) -> f64 {
        if part.len() < topology.ranks {
            return (0..=parts)
                .map(|next| {
                    part.push(next);
                    let least = bound(topology, part, parts.max(next + 1));
                    part.pop();
                    least
                })
                .fold(f64::INFINITY, f64::min);
        }
        let between = topology.arcs.iter().filter(|arc| part[arc.ends[0]] != part[arc.ends[1]]);
        let all: f64 = between.map(|arc| topology.lanes[arc.lanes[0]].bandwidth).sum();
        if parts > 1 { all / 2.0 / (parts - 1) as f64 } else { f64::INFINITY }
    }
    assert_eq!(topology.ranks, topology.vertices);
    bound(topology, &mut Vec::new(), 0)
}

/// Returns true if no lane is overfull and each tree spans all ranks.
fn is_packing(topology: &Topology, packing: &Packing) -> bool {
    let mut used = vec![0.0; topology.lanes.len()];
    for (tree, (_, _, route)) in packing.trees.iter().flat_map(|tree| tree.edges.iter().map(move |edge| (tree, edge))) {
        route.lanes.iter().for_each(|&(lane, _)| used[lane] += tree.rate);
    }
    let spans = |tree: &PackedTree| {
        let mut reached = vec![0];
        while let Some(&(from, to, _)) =
            tree.edges.iter().find(|edge| reached.contains(&edge.0) != reached.contains(&edge.1))
        {
            reached.push(if reached.contains(&from) { to } else { from });
        }
        reached.len() == topology.ranks && tree.pairs(packing.structure).len() == topology.ranks - 1
    };
    used.iter().zip(&topology.lanes).all(|(used, lane)| *used <= lane.bandwidth * (1.0 + 1e-9))
        && packing.trees.iter().all(spans)
}

/// Verifies the packings and the algorithms of a topology, and compares the packings with bounds: flows if there are no
/// shared lanes, partitions if all links connect ranks. Returns the fractions of the bounds that broadcast and
/// all-reduce reach.
fn verify_packings(topology: &Topology) -> [f64; 2] {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-5;
    let mut reached = [1.0f64; 2];
    for (kind, structure) in [
        (CollectiveKind::Broadcast(0), PackedStructure::OutTree(0)),
        (CollectiveKind::Reduce(topology.ranks - 1), PackedStructure::InTree(topology.ranks - 1)),
        (CollectiveKind::AllReduce, PackedStructure::SpanningTree),
    ] {
        let packing = Packing::compute(topology, structure).unwrap();
        assert!(is_packing(topology, &packing), "{packing:?}");
        let bound = match structure {
            // Links have equal bandwidth in both directions, so that the bound of a reduction equals that of a
            // broadcast.
            PackedStructure::OutTree(root) | PackedStructure::InTree(root) => broadcast_bound(topology, root),
            PackedStructure::SpanningTree if topology.vertices == topology.ranks => spanning_tree_bound(topology),
            PackedStructure::SpanningTree | PackedStructure::Ring => packing.bound,
        };
        assert!(near(packing.bound, bound), "{structure:?}: {} is not {bound}", packing.bound);
        let part = packing.rate() / bound;
        let place = &mut reached[usize::from(structure == PackedStructure::SpanningTree)];
        *place = place.min(part);
        let packed = PackedTrees::trees(&kind, topology).unwrap();
        assert!(packed.build(&kind, topology, 2).is_some(), "{packed:?}");
    }
    reached
}

#[test]
fn packings_of_a_dgx1_are_printed() {
    let dgx1 = Machine::named("dgx1-v100").unwrap();
    let format_packing =
        |topology: &Topology, structure: PackedStructure| Packing::compute(topology, structure).unwrap().to_string();
    let four = topology_of(&dgx1, 4);
    expect![[r#"
        25.0 GB/s: 0-1 1-2 2-3
        25.0 GB/s: 0-2 1-2 0-3
        25.0 GB/s: 0-3 1-3 2-3
    "#]]
    .assert_eq(&format_packing(&four, PackedStructure::SpanningTree));
    expect![[r#"
        25.0 GB/s: 0>3 2>1 3>2
        25.0 GB/s: 0>1 1>2 1>3
        25.0 GB/s: 2>1 0>2 2>3
        25.0 GB/s: 0>3 3>1 1>2
    "#]]
    .assert_eq(&format_packing(&four, PackedStructure::OutTree(0)));
    expect![[r#"
        25.0 GB/s: 0>3 3>2 2>1 1>0
        25.0 GB/s: 0>1 1>2 2>3 3>0
        25.0 GB/s: 0>3 3>1 1>2 2>0
        25.0 GB/s: 0>2 2>1 1>3 3>0
    "#]]
    .assert_eq(&format_packing(&four, PackedStructure::Ring));
    assert_eq!(Packing::compute(&four, PackedStructure::OutTree(4)), None);
    let eight = topology_of(&dgx1, 8);
    let rates = |structure| {
        Packing::compute(&eight, structure).map(|p| (p.trees.len(), p.rate() / 25e9, p.bound / 25e9)).unwrap()
    };
    let (trees, rate, bound) = rates(PackedStructure::OutTree(0));
    assert_eq!((trees, rate), (6, 6.0));
    assert!((bound - 6.0).abs() < 1e-6);
    let (trees, rate, bound) = rates(PackedStructure::SpanningTree);
    assert!(
        (bound - 24.0 / 7.0).abs() < 1e-6 && rate / bound > 0.97 && trees <= 10,
        "{trees} trees, {rate} of {bound}"
    );
}

#[test]
fn half_duplex_links_of_four_gpus_fit_two_rings_and_three_trees() {
    // The textbook's model: a link carries one direction at a time.
    let mut dgx1 = Machine::named("dgx1-v100").unwrap();
    dgx1.nodes[0].links.iter_mut().for_each(|link| link.is_shared = true);
    let links = |structure| Packing::compute(&topology_of(&dgx1, 4), structure).unwrap().bound / 25e9;
    assert_eq!(
        [PackedStructure::Ring, PackedStructure::OutTree(0)].map(|structure| (links(structure) + 1e-6).floor()),
        [2.0, 3.0]
    );
}

#[test]
fn dgx1_with_one_missing_link_is_packed() {
    let dgx1 = Machine::named("dgx1-v100").unwrap();
    for devices in [4, 8] {
        let complete = verify_packings(&topology_of(&dgx1, devices));
        assert!(complete.iter().all(|part| *part >= 0.95), "{complete:?}");
        let links = &dgx1.nodes[0].links;
        for (number, link) in links.iter().enumerate() {
            let broken = verify_packings(&topology_of(&dgx1.without_link(0, number), devices));
            assert!(broken.iter().all(|part| *part >= 0.95), "without {:?}: {broken:?}", link.ends);
            // One of two NVLinks remains.
            let mut halved = dgx1.clone();
            halved.nodes[0].links[number].bandwidth = 25e9;
            let halved = verify_packings(&topology_of(&halved, devices));
            assert!(halved.iter().all(|part| *part >= 0.95), "half of {:?}: {halved:?}", link.ends);
        }
    }
}

/// Returns a machine whose devices are attached to two switches, which are attached to a root.
fn pcie(devices: usize, shared: bool) -> Machine {
    let half = devices / 2;
    let ends: Vec<String> =
        (0..devices).map(|device| format!("\"{device}-{}\"", if device < half { "left" } else { "right" })).collect();
    let text = format!(
        r#"
[kind.T4]
flops = {{ f32 = "8.1T" }}
memory = "16GB"
bandwidth = "320GB/s"
[node.pcie]
devices = ["{devices} T4"]
switches = {{ left = {{}}, right = {{}}, root = {{}} }}
links = [{{ between = [{}, "left-root", "right-root"], bandwidth = "12GB/s", latency = "5us", shared = {shared} }}]
"#,
        ends.join(", ")
    );
    Machine::from_toml(&Source::new("pcie.toml", text)).unwrap()
}

#[test]
fn trees_of_switches_are_packed() {
    for devices in [2, 4, 6, 8] {
        let n = devices as f64;
        let tree = topology_of(&pcie(devices, false), devices);
        let part = verify_packings(&tree);
        assert!(part.iter().all(|part| *part >= 0.95), "{part:?}");
        let bound = |topology: &Topology, structure| Packing::compute(topology, structure).unwrap().bound / 12e9;
        // Each edge of a tree uses the links of two devices, which bounds the number of trees.
        let both = (n / (2.0 * (n - 1.0))).min(1.0);
        assert!((bound(&tree, PackedStructure::SpanningTree) - both).abs() < 1e-5, "{devices}");
        assert!((bound(&tree, PackedStructure::OutTree(0)) - 1.0).abs() < 1e-5);
        // A bus has half the bandwidth, but a root only sends and a leaf only receives.
        let bus = topology_of(&pcie(devices, true), devices);
        assert!((bound(&bus, PackedStructure::SpanningTree) - both / 2.0).abs() < 1e-5, "{devices}");
        let packing = Packing::compute(&bus, PackedStructure::OutTree(0)).unwrap();
        assert!((packing.bound / 12e9 - both).abs() < 1e-5, "{devices}: {}", packing.bound);
        assert!(packing.rate() >= 0.95 * packing.bound && is_packing(&bus, &packing));
    }
    let star = topology_of(&Machine::named("dgx2").unwrap(), 16);
    let packing = Packing::compute(&star, PackedStructure::SpanningTree).unwrap();
    assert!((packing.rate() / 150e9 - 16.0 / 30.0).abs() < 1e-6);
}

/// Returns a topology of sixteen devices with links between the given pairs, in units of 10 GB/s.
fn linked(units: impl Fn(usize, usize) -> usize) -> Topology {
    let mut machine = Machine::named("dgx2").unwrap();
    let node = &mut machine.nodes[0];
    (node.switches, node.links) = (Vec::new(), Vec::new());
    for (a, b) in (0..16).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| units(a, b) > 0) {
        let ends = [Vertex::Device(a), Vertex::Device(b)];
        node.links.push(Link {
            ends,
            bandwidth: 10e9 * units(a, b) as f64,
            latency: 1e-6,
            is_shared: false,
            achieved: AchievedLink::default(),
        });
    }
    topology_of(&machine, 16)
}

#[test]
fn dense_topologies_of_sixteen_devices_are_packed() {
    let torus = linked(|a, b| {
        let distance = |x: usize, y: usize| (x + 4 - y) % 4;
        let (rows, columns) = (distance(a / 4, b / 4), distance(a % 4, b % 4));
        5 * usize::from((rows == 0 && columns % 2 == 1) || (columns == 0 && rows % 2 == 1))
    });
    let rates = |topology: &Topology, structure| {
        let packing = Packing::compute(topology, structure).unwrap();
        assert!(is_packing(topology, &packing) && packing.rate() >= 0.95 * packing.bound);
        packing.bound / 10e9
    };
    // Four links leave a device, and 32 links form trees of 15 edges.
    assert!((rates(&torus, PackedStructure::OutTree(0)) - 20.0).abs() < 1e-4);
    assert!((rates(&torus, PackedStructure::SpanningTree) - 5.0 * 32.0 / 15.0).abs() < 1e-4);
    // No two devices are symmetric.
    let dense = linked(|a, b| if (7 * a + 13 * b) % 5 < 3 { 1 + (3 * a + 5 * b) % 7 } else { 0 });
    assert!((rates(&dense, PackedStructure::OutTree(3)) * 10e9 / broadcast_bound(&dense, 3) - 1.0).abs() < 1e-5);
    assert!(rates(&dense, PackedStructure::SpanningTree) > 15.0);
}

/// Returns a machine with random links, some of them with switches.
fn random(seed: u64) -> Machine {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let mut machine = Machine::named("dgx1-v100").unwrap();
    let node = &mut machine.nodes[0];
    let devices = 3 + below(6);
    node.devices.truncate(devices);
    node.links.clear();
    let link =
        |ends, bandwidth| Link { ends, bandwidth, latency: 3e-6, is_shared: false, achieved: AchievedLink::default() };
    for b in 1..devices {
        let first = below(b);
        let more = (0..b).filter(|&a| a == first || below(3) == 0).collect::<Vec<_>>();
        let ends = more.into_iter().map(|a| [Vertex::Device(a), Vertex::Device(b)]);
        node.links.extend(ends.map(|ends| link(ends, 25e9 * (1 + below(3)) as f64)));
    }
    if below(2) == 0 {
        node.switches = ["left", "right"].map(|name| Switch { name: name.into(), bandwidth: None }).to_vec();
        node.links.push(link([Vertex::Switch(0), Vertex::Switch(1)], 12e9 * (1 + below(2)) as f64));
        let ends = (0..devices).map(|device| [Vertex::Device(device), Vertex::Switch(below(2))]);
        node.links.extend(ends.collect::<Vec<_>>().into_iter().map(|ends| link(ends, 12e9)));
    }
    machine
}

#[test]
fn random_topologies_are_packed() {
    let mut switched = 0;
    for seed in 0..100 {
        let machine = random(seed);
        let topology = topology_of(&machine, machine.device_count());
        let parts = verify_packings(&topology);
        assert!(parts.iter().all(|part| *part >= 0.95), "{seed}: {parts:?}");
        switched += usize::from(topology.vertices > topology.ranks);
    }
    assert!((30..70).contains(&switched), "{switched}");
}
