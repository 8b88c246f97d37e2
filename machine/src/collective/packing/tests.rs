//! Packings come near bounds that are computed in another way, on machines that are known, broken and random.

use super::{Packing, Span, Tree};
use crate::collective::CollectiveKind;
use crate::collective::packed::Packed;
use crate::topology::Topology;
use crate::{Link, Machine, Switch, Vertex};
use expect_test::expect;
use partita_ir::diag::Source;

fn seen(machine: &Machine, devices: usize) -> Topology {
    let devices: Vec<usize> = (0..devices).collect();
    Topology::of(machine, &devices, 1).unwrap()
}

/// The largest flow from a vertex to another one, where each arc has a lane of its own.
fn flow(topology: &Topology, from: usize, to: usize) -> f64 {
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

/// What every broadcast is bounded by: the smallest of the largest flows.
fn cut(topology: &Topology, root: usize) -> f64 {
    let others = (0..topology.ranks).filter(|&rank| rank != root);
    others.map(|rank| flow(topology, root, rank)).fold(f64::INFINITY, f64::min)
}

/// What every packing of spanning trees is bounded by: over all partitions, the bandwidth between parts for each part
/// but one (Nash-Williams, Tutte). Links have two directions and connect ranks.
fn partitions(topology: &Topology) -> f64 {
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

/// No lane is overfull, and each tree connects all.
fn is_packing(topology: &Topology, packing: &Packing) -> bool {
    let mut used = vec![0.0; topology.lanes.len()];
    for (tree, (_, _, route)) in packing.trees.iter().flat_map(|tree| tree.edges.iter().map(move |edge| (tree, edge))) {
        route.lanes.iter().for_each(|&(lane, _)| used[lane] += tree.rate);
    }
    let spans = |tree: &Tree| {
        let mut reached = vec![0];
        while let Some(&(from, to, _)) =
            tree.edges.iter().find(|edge| reached.contains(&edge.0) != reached.contains(&edge.1))
        {
            reached.push(if reached.contains(&from) { to } else { from });
        }
        reached.len() == topology.ranks && tree.pairs(packing.span).len() == topology.ranks - 1
    };
    used.iter().zip(&topology.lanes).all(|(used, lane)| *used <= lane.bandwidth * (1.0 + 1e-9))
        && packing.trees.iter().all(spans)
}

/// Proves the packings and the schedules of a topology, and compares them with bounds: of flows if there are no shared
/// lanes, of partitions if there are only links between ranks. Returns the parts of the bounds that broadcast and
/// all-reduce reach.
fn prove(topology: &Topology) -> [f64; 2] {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-5;
    let mut reached = [1.0f64; 2];
    for (kind, span) in [
        (CollectiveKind::Broadcast(0), Span::From(0)),
        (CollectiveKind::Reduce(topology.ranks - 1), Span::To(topology.ranks - 1)),
        (CollectiveKind::AllReduce, Span::Both),
    ] {
        let packing = Packing::of(topology, span).unwrap();
        assert!(is_packing(topology, &packing), "{packing:?}");
        let bound = match span {
            // Both directions of links are alike, so that what leads to a rank is bounded as what leads from it.
            Span::From(root) | Span::To(root) => cut(topology, root),
            Span::Both if topology.vertices == topology.ranks => partitions(topology),
            Span::Both | Span::Ring => packing.bound,
        };
        assert!(near(packing.bound, bound), "{span:?}: {} is not {bound}", packing.bound);
        let part = packing.rate() / bound;
        let place = &mut reached[usize::from(span == Span::Both)];
        *place = place.min(part);
        let packed = Packed::trees(&kind, topology).unwrap();
        assert!(packed.algorithm(&kind, topology, 2).is_some(), "{packed:?}");
    }
    reached
}

#[test]
fn trees_of_the_dgx1_read_like_this() {
    let dgx1 = Machine::named("dgx1-v100").unwrap();
    let shown = |topology: &Topology, span: Span| Packing::of(topology, span).unwrap().to_string();
    let four = seen(&dgx1, 4);
    expect![[r#"
        25.0 GB/s: 0-1 1-2 2-3
        25.0 GB/s: 0-2 1-2 0-3
        25.0 GB/s: 0-3 1-3 2-3
    "#]]
    .assert_eq(&shown(&four, Span::Both));
    expect![[r#"
        25.0 GB/s: 0>3 2>1 3>2
        25.0 GB/s: 0>1 1>2 1>3
        25.0 GB/s: 2>1 0>2 2>3
        25.0 GB/s: 0>3 3>1 1>2
    "#]]
    .assert_eq(&shown(&four, Span::From(0)));
    expect![[r#"
        25.0 GB/s: 0>3 3>2 2>1 1>0
        25.0 GB/s: 0>1 1>2 2>3 3>0
        25.0 GB/s: 0>3 3>1 1>2 2>0
        25.0 GB/s: 0>2 2>1 1>3 3>0
    "#]]
    .assert_eq(&shown(&four, Span::Ring));
    assert_eq!(Packing::of(&four, Span::From(4)), None);
    let eight = seen(&dgx1, 8);
    let rates = |span| Packing::of(&eight, span).map(|p| (p.trees.len(), p.rate() / 25e9, p.bound / 25e9)).unwrap();
    let (trees, rate, bound) = rates(Span::From(0));
    assert_eq!((trees, rate), (6, 6.0));
    assert!((bound - 6.0).abs() < 1e-6);
    let (trees, rate, bound) = rates(Span::Both);
    assert!(
        (bound - 24.0 / 7.0).abs() < 1e-6 && rate / bound > 0.97 && trees <= 10,
        "{trees} trees, {rate} of {bound}"
    );
}

#[test]
fn one_way_links_of_four_have_two_rings_and_three_trees() {
    // The model of the book: a link carries one direction at a time.
    let mut dgx1 = Machine::named("dgx1-v100").unwrap();
    dgx1.nodes[0].links.iter_mut().for_each(|link| link.is_shared = true);
    let links = |span| Packing::of(&seen(&dgx1, 4), span).unwrap().bound / 25e9;
    assert_eq!([Span::Ring, Span::From(0)].map(|span| (links(span) + 1e-6).floor()), [2.0, 3.0]);
}

#[test]
fn dgx1_without_any_one_link_is_packed() {
    let dgx1 = Machine::named("dgx1-v100").unwrap();
    for devices in [4, 8] {
        let whole = prove(&seen(&dgx1, devices));
        assert!(whole.iter().all(|part| *part >= 0.95), "{whole:?}");
        let links = &dgx1.nodes[0].links;
        for (number, link) in links.iter().enumerate() {
            let broken = prove(&seen(&dgx1.without(0, number), devices));
            assert!(broken.iter().all(|part| *part >= 0.95), "without {:?}: {broken:?}", link.ends);
            // One of two NVLinks.
            let mut halved = dgx1.clone();
            halved.nodes[0].links[number].bandwidth = 25e9;
            let halved = prove(&seen(&halved, devices));
            assert!(halved.iter().all(|part| *part >= 0.95), "half of {:?}: {halved:?}", link.ends);
        }
    }
}

/// Devices at two switches, which are at a root.
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
        let tree = seen(&pcie(devices, false), devices);
        let part = prove(&tree);
        assert!(part.iter().all(|part| *part >= 0.95), "{part:?}");
        let bound = |topology: &Topology, span| Packing::of(topology, span).unwrap().bound / 12e9;
        // A tree has an end at a device for each of its edges, two times: all links together have room for so many.
        let both = (n / (2.0 * (n - 1.0))).min(1.0);
        assert!((bound(&tree, Span::Both) - both).abs() < 1e-5, "{devices}");
        assert!((bound(&tree, Span::From(0)) - 1.0).abs() < 1e-5);
        // A bus has half of it, but a root only sends, and a leaf only gets.
        let bus = seen(&pcie(devices, true), devices);
        assert!((bound(&bus, Span::Both) - both / 2.0).abs() < 1e-5, "{devices}");
        let packing = Packing::of(&bus, Span::From(0)).unwrap();
        assert!((packing.bound / 12e9 - both).abs() < 1e-5, "{devices}: {}", packing.bound);
        assert!(packing.rate() >= 0.95 * packing.bound && is_packing(&bus, &packing));
    }
    let star = seen(&Machine::named("dgx2").unwrap(), 16);
    let packing = Packing::of(&star, Span::Both).unwrap();
    assert!((packing.rate() / 150e9 - 16.0 / 30.0).abs() < 1e-6);
}

/// Sixteen devices with links between these pairs, in units of 10 GB/s.
fn linked(units: impl Fn(usize, usize) -> usize) -> Topology {
    let mut machine = Machine::named("dgx2").unwrap();
    let node = &mut machine.nodes[0];
    (node.switches, node.links) = (Vec::new(), Vec::new());
    for (a, b) in (0..16).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|&(a, b)| units(a, b) > 0) {
        let ends = [Vertex::Device(a), Vertex::Device(b)];
        node.links.push(Link { ends, bandwidth: 10e9 * units(a, b) as f64, latency: 1e-6, is_shared: false });
    }
    seen(&machine, 16)
}

#[test]
fn sixteen_with_many_links_are_packed() {
    let torus = linked(|a, b| {
        let apart = |x: usize, y: usize| (x + 4 - y) % 4;
        let (rows, columns) = (apart(a / 4, b / 4), apart(a % 4, b % 4));
        5 * usize::from((rows == 0 && columns % 2 == 1) || (columns == 0 && rows % 2 == 1))
    });
    let rates = |topology: &Topology, span| {
        let packing = Packing::of(topology, span).unwrap();
        assert!(is_packing(topology, &packing) && packing.rate() >= 0.95 * packing.bound);
        packing.bound / 10e9
    };
    // Four links leave a device; 32 links make up trees of 15.
    assert!((rates(&torus, Span::From(0)) - 20.0).abs() < 1e-4);
    assert!((rates(&torus, Span::Both) - 5.0 * 32.0 / 15.0).abs() < 1e-4);
    // No two devices are alike.
    let dense = linked(|a, b| if (7 * a + 13 * b) % 5 < 3 { 1 + (3 * a + 5 * b) % 7 } else { 0 });
    assert!((rates(&dense, Span::From(3)) * 10e9 / cut(&dense, 3) - 1.0).abs() < 1e-5);
    assert!(rates(&dense, Span::Both) > 15.0);
}

/// A machine with links at random, some of them also with switches.
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
    let link = |ends, bandwidth| Link { ends, bandwidth, latency: 3e-6, is_shared: false };
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
        let topology = seen(&machine, machine.device_count());
        let parts = prove(&topology);
        assert!(parts.iter().all(|part| *part >= 0.95), "{seed}: {parts:?}");
        switched += usize::from(topology.vertices > topology.ranks);
    }
    assert!((30..70).contains(&switched), "{switched}");
}
