//! Cheapest algorithms by size and topology, and agreement of closed forms with simulation.

use super::{Choice, Prices, cheapest};
use crate::Machine;
use crate::collective::check::check;
use crate::collective::routed::RoutedAlgorithm;
use crate::collective::{CollectiveKind, InterGroup, Method};
use crate::topology::Topology;
use expect_test::expect;

fn table(name: &str, devices: &[usize], groups: usize) -> String {
    let machine = Machine::named(name).unwrap();
    let prices = Prices::new(&machine);
    let pairs = (1..devices.len()).map(|rank| (rank - 1, rank)).collect();
    let kinds = [
        CollectiveKind::AllReduce,
        CollectiveKind::AllGather,
        CollectiveKind::AllToAll,
        CollectiveKind::Broadcast(0),
        CollectiveKind::Permute(pairs),
    ];
    let line = |kind: &CollectiveKind| {
        let price = |bytes: u64| prices.cheapest(kind, bytes, devices, groups).unwrap();
        let format_choice = |choice: Choice| format!("{} {:.1} us", choice.name, choice.seconds * 1e6);
        format!("{}: {}", kind.name(), [1 << 12, 1 << 20, 1 << 30].map(|bytes| format_choice(price(bytes))).join(", "))
    };
    kinds.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn price(name: &str, kind: &CollectiveKind, bytes: u64, devices: &[usize], groups: usize) -> Choice {
    cheapest(kind, bytes, devices, &Machine::named(name).unwrap(), groups).unwrap()
}

#[test]
fn choices_follow_size_and_topology() {
    let all = |devices: usize| (0..devices).collect::<Vec<usize>>();
    expect![[r#"
        all_reduce: direct 6.1 us, trees(3) 26.4 us, trees(3) 14776.0 us
        all_gather: direct 3.0 us, direct 13.5 us, rings(4) 8062.1 us
        all_to_all: direct 3.0 us, direct 5.6 us, direct 2687.4 us
        broadcast: direct 3.2 us, trees(4) 19.7 us, trees(4) 10998.1 us
        permute: direct 3.1 us, direct 17.0 us, direct 14319.6 us"#]]
    .assert_eq(&table("dgx1-v100", &all(4), 1));
    expect![[r#"
        all_reduce: direct 12.1 us, trees(10) 30.4 us, rings(6) 12548.0 us
        all_gather: direct 6.1 us, direct 20.6 us, rings(6) 6281.5 us
        all_to_all: direct 6.0 us, direct 7.6 us, direct 2016.3 us
        broadcast: direct 6.3 us, trees(6) 25.4 us, trees(6) 7620.7 us
        permute: direct 6.0 us, direct 10.8 us, direct 6138.7 us"#]]
    .assert_eq(&table("dgx1-v100", &all(8), 1));
    expect![[r#"
        all_reduce: trees(8) 6.0 us, trees(8) 10.9 us, trees(8) 6266.5 us
        all_gather: direct 3.0 us, direct 6.1 us, direct 3134.7 us
        all_to_all: direct 3.0 us, direct 3.4 us, direct 394.5 us
        broadcast: direct 3.1 us, trees(6) 9.6 us, trees(6) 3641.1 us
        permute: direct 3.0 us, direct 3.5 us, direct 514.3 us"#]]
    .assert_eq(&table("dgx-a100", &all(8), 1));
    expect![[r#"
        all_reduce: trees(4) 20.3 us, trees(4) 141.1 us, trees(4) 134227.7 us
        all_gather: direct 10.3 us, direct 75.5 us, direct 67118.9 us
        all_to_all: direct 10.1 us, direct 26.4 us, direct 16787.2 us
        broadcast: direct 11.0 us, trees(2) 109.3 us, trees(2) 90896.6 us
        permute: direct 10.1 us, direct 39.1 us, direct 29836.2 us"#]]
    .assert_eq(&table("pcie4", &all(4), 1));
    expect![[r#"
        all_reduce: direct 12.1 us, split(4 + 4) 30.7 us, split(4 + 4) 14690.1 us
        all_gather: direct 6.0 us, bidirectional 16.5 us, rings(9) 7486.5 us
        all_to_all: direct 6.0 us, direct 9.1 us, direct 4029.5 us
        broadcast: direct 6.2 us, trees(9) 25.9 us, trees(9) 10144.5 us
        permute: direct 3.0 us, direct 10.0 us, direct 7161.3 us"#]]
    .assert_eq(&table("k80+v100", &[4, 5, 6, 7], 1));
    expect![[r#"
        all_reduce: hierarchical(8, halving_doubling) 76.1 us, hierarchical(8, halving_doubling) 92.5 us, hierarchical(8, halving_doubling) 16993.0 us
        all_gather: hierarchical(8, halving_doubling) 38.0 us, hierarchical(8, halving_doubling) 46.3 us, hierarchical(8, halving_doubling) 8496.5 us
        all_to_all: hierarchical(8) 638.0 us, hierarchical(8) 638.0 us, hierarchical(8) 682.7 us
        broadcast: hierarchical(8, halving_doubling) 39.2 us, hierarchical(8, halving_doubling) 338.2 us, hierarchical(8, chain) 57629.3 us
        permute: direct 5.0 us, direct 5.0 us, direct 47.0 us"#]]
    .assert_eq(&table("dgx-a100?nodes=128", &all(1024), 1));
    expect![[r#"
        all_reduce: halving_doubling 70.3 us, halving_doubling 153.2 us, halving_doubling 85298.3 us
        all_gather: halving_doubling 35.2 us, halving_doubling 76.6 us, halving_doubling 42649.1 us
        all_to_all: pairwise 635.0 us, pairwise 635.3 us, pairwise 967.9 us
        broadcast: halving_doubling 36.1 us, halving_doubling 328.6 us, chain 53988.2 us
        permute: direct 5.0 us, direct 5.3 us, direct 343.2 us"#]]
    .assert_eq(&table("dgx-a100?nodes=128", &(0..128).map(|node| 8 * node).collect::<Vec<_>>(), 8));
}

/// Returns the simulated seconds of a method.
fn simulated_seconds(name: &str, method: Method, kind: &CollectiveKind, bytes: u64, devices: &[usize]) -> f64 {
    let topology = Topology::for_devices(&Machine::named(name).unwrap(), devices, 1).unwrap();
    let algorithm = check(method.build(kind, devices.len()).unwrap()).unwrap();
    RoutedAlgorithm::new(algorithm, &topology).unwrap().seconds(bytes as f64)
}

#[test]
fn closed_forms_agree_with_simulation() {
    let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.15;
    let one_each: Vec<usize> = (0..4).map(|node| 8 * node).collect();
    for bytes in [1 << 10, 1 << 24, 1 << 30] {
        for (kind, method) in [
            (CollectiveKind::AllReduce, Method::HalvingDoubling),
            (CollectiveKind::AllGather, Method::HalvingDoubling),
            (CollectiveKind::Broadcast(0), Method::HalvingDoubling),
            (CollectiveKind::AllToAll, Method::Pairwise),
        ] {
            let choice = price("dgx-a100?nodes=4", &kind, bytes, &one_each, 1);
            let simulated = simulated_seconds("dgx-a100?nodes=4", method, &kind, bytes, &one_each);
            // A chain is faster, and independent messages of consecutive steps overlap.
            let overlaps = choice.seconds < simulated || kind == CollectiveKind::AllToAll;
            assert!(near(choice.seconds, simulated) || overlaps, "{} {bytes}: {choice:?} {simulated}", kind.name());
        }
        // With two nodes all inter-group methods are equal.
        let two: Vec<usize> = (0..16).collect();
        for kind in [CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather] {
            let choice = price("dgx-a100?nodes=2", &kind, bytes, &two, 1);
            let method = Method::Hierarchical { group: 8, inter_group: InterGroup::Direct };
            let simulated = simulated_seconds("dgx-a100?nodes=2", method, &kind, bytes, &two);
            // Rings over all devices use links and ports at the same time.
            let is_rings = choice.name == "rings" && bytes == 1 << 30 && choice.seconds < simulated;
            let is_hierarchical = choice.name.starts_with("hierarchical(8, ") && near(choice.seconds, simulated);
            assert!(is_rings || is_hierarchical, "{} {bytes}: {choice:?} {simulated}", kind.name());
        }
    }
}

#[test]
fn inter_node_algorithms_can_be_built() {
    let mut built = 0;
    for (name, nodes, each) in [("dgx-a100", 4, 8), ("dgx-a100", 3, 2), ("hgx-h100", 5, 1), ("pcie4", 2, 4)] {
        let name = format!("{name}?nodes={nodes}");
        let machine = Machine::named(&name).unwrap();
        let all = machine.nodes[0].devices.len();
        let devices: Vec<usize> =
            (0..nodes).flat_map(|node| (0..each).map(move |device| node * all + device)).collect();
        let topology = Topology::for_devices(&machine, &devices, 1).unwrap();
        for bytes in [1 << 10, 1 << 20, 1 << 26] {
            let choice = cheapest(&CollectiveKind::AllReduce, bytes, &devices, &machine, 1).unwrap();
            let Some(algorithm) = choice.algorithm else { continue };
            let routed = algorithm.routed(&CollectiveKind::AllReduce, &topology).unwrap();
            assert_eq!(routed.algorithm.name.split(['(', ',']).next(), choice.name.split(['(', ',']).next());
            let seconds = routed.seconds(bytes as f64);
            assert!((choice.seconds / seconds - 1.0).abs() < 0.15, "{name} {bytes}: {choice:?} {seconds}");
            built += 1;
        }
    }
    assert!(built >= 10, "{built}");
}

#[test]
fn concurrent_groups_share_ports() {
    let bytes = 1 << 30;
    let seconds =
        |name: &str, devices: &[usize], groups| price(name, &CollectiveKind::AllReduce, bytes, devices, groups).seconds;
    let times = |name: &str, devices: &[usize], groups: usize| {
        (seconds(name, devices, groups) / seconds(name, devices, 1) * 100.0).round() / 100.0
    };
    // Each device has its own port.
    assert_eq!(times("dgx-a100?nodes=2", &[0, 8], 8), 1.0);
    // Four ports for eight devices.
    assert_eq!([4, 8].map(|groups| times("dgx1-v100?nodes=2", &[0, 8], groups)), [1.0, 2.0]);
    // One port for four devices.
    assert_eq!(times("pcie4?nodes=2", &[0, 4], 4), 4.0);
    // A group on all devices of a node has all ports of the node; a group on two devices has two.
    let each = |devices: &[usize]| seconds("hgx-h100?nodes=2", devices, 1);
    let (one, two) = (each(&[0, 8]), each(&[0, 1, 8, 9]));
    assert!(one / two > 1.6 && one / two < 2.0, "{one} {two}");
}

#[test]
fn prices_are_independent_of_query_order() {
    let machine = Machine::named("dgx1-v100?nodes=2").unwrap();
    let groups: [&[usize]; 5] = [&[0, 1, 2, 3], &[0, 8], &[4, 5, 6, 7], &[0, 1, 8, 9], &[3, 2, 1, 0]];
    let prices = Prices::new(&machine);
    let query = |devices: &[usize]| prices.cheapest(&CollectiveKind::AllReduce, 12_345_678, devices, 1).unwrap();
    let in_order: Vec<Choice> = groups.iter().map(|devices| query(devices)).collect();
    let in_reverse: Vec<Choice> = groups.iter().rev().map(|devices| query(devices)).collect();
    assert!(in_order.iter().eq(in_reverse.iter().rev()));
    // Four devices linked like the first four, and a node whose devices have other numbers.
    assert_eq!(in_order[0], in_order[2]);
    assert_eq!(in_order[0], price("dgx1-v100?nodes=2", &CollectiveKind::AllReduce, 12_345_678, &[8, 9, 10, 11], 1));
}

#[test]
fn invalid_groups_have_no_price() {
    let machine = Machine::named("dgx1-v100").unwrap();
    let choice = |devices: &[usize]| cheapest(&CollectiveKind::AllReduce, 1 << 20, devices, &machine, 1);
    assert_eq!(choice(&[3]).map(|choice| (choice.name, choice.seconds)), Some(("none".into(), 0.0)));
    assert_eq!([&[][..], &[8], &[1, 1]].map(choice), [None, None, None]);
    for kind in [
        CollectiveKind::Broadcast(2),
        CollectiveKind::Reduce(2),
        CollectiveKind::ParameterServer(3),
        CollectiveKind::Permute(vec![(0, 2)]),
    ] {
        assert_eq!(cheapest(&kind, 1 << 20, &[0, 1], &machine, 1), None);
    }
}

#[test]
fn intra_node_algorithms_can_be_built() {
    for (name, devices, bytes) in [("dgx1-v100", 4, 1 << 24), ("dgx-a100", 8, 1 << 10), ("pcie4", 4, 1 << 30)] {
        let devices: Vec<usize> = (0..devices).collect();
        let topology = Topology::for_devices(&Machine::named(name).unwrap(), &devices, 1).unwrap();
        for kind in [
            CollectiveKind::AllReduce,
            CollectiveKind::ReduceScatter,
            CollectiveKind::Broadcast(1),
            CollectiveKind::Reduce(0),
            CollectiveKind::AllToAll,
        ] {
            let choice = price(name, &kind, bytes, &devices, 1);
            let seconds = choice.algorithm.unwrap().routed(&kind, &topology).unwrap().seconds(bytes as f64);
            assert!((choice.seconds / seconds - 1.0).abs() < 1e-3, "{choice:?} {seconds}");
        }
    }
}
