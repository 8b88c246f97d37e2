//! Topologies of groups of devices on preset machines.

use super::Topology;
use crate::Machine;
use expect_test::expect;

fn describe_routes(name: &str, devices: &[usize], groups: usize) -> String {
    let machine = Machine::named(name).unwrap();
    let Some(topology) = Topology::for_devices(&machine, devices, groups) else { return "none".into() };
    let lane = |lane: usize| format!("{} {:.2}", topology.lanes[lane].name, topology.lanes[lane].bandwidth / 1e9);
    let path = |from: usize, to: usize| {
        let route = topology.routes(from)[to].clone().unwrap();
        let lanes: Vec<String> = route.lanes.iter().map(|&(number, _)| lane(number)).collect();
        format!("{from} to {to}: {} in {:.1} us", lanes.join(", "), route.latency() * 1e6)
    };
    let paths: Vec<String> = (1..devices.len()).flat_map(|to| [path(0, to), path(to, 0)]).collect();
    format!("{} vertices\n{}", topology.vertices, paths.join("\n"))
}

#[test]
fn links_switches_and_ports_are_lanes() {
    expect![[r#"
        3 vertices
        0 to 1: 0>1 25.00 in 3.0 us
        1 to 0: 1>0 25.00 in 3.0 us
        0 to 2: 0>3 50.00 in 3.0 us
        2 to 0: 3>0 50.00 in 3.0 us"#]]
    .assert_eq(&describe_routes("dgx1-v100", &[0, 1, 3], 1));
    // The devices are not linked, so another device forwards their messages.
    expect![[r#"
        8 vertices
        0 to 1: 0>4 50.00, 4>5 25.00 in 6.0 us
        1 to 0: 5>1 50.00, 1>0 25.00 in 6.0 us"#]]
    .assert_eq(&describe_routes("dgx1-v100", &[0, 5], 1));
    expect![[r#"
        3 vertices
        0 to 1: 2>nvswitch 300.00, nvswitch>5 300.00 in 3.0 us
        1 to 0: 5>nvswitch 300.00, nvswitch>2 300.00 in 3.0 us"#]]
    .assert_eq(&describe_routes("dgx-a100", &[2, 5], 1));
    expect![[r#"
        6 vertices
        0 to 1: 0.2>network 25.00, network>1.0 25.00 in 5.0 us
        1 to 0: 1.0>network 25.00, network>0.2 25.00 in 5.0 us
        0 to 2: 0.2>network 25.00, network>1.1 25.00 in 5.0 us
        2 to 0: 1.1>network 25.00, network>0.2 25.00 in 5.0 us"#]]
    .assert_eq(&describe_routes("dgx-a100?nodes=2", &[2, 8, 9], 1));
    // Device 1 has no port, but its neighbours have.
    expect![[r#"
        17 vertices
        0 to 1: 0.1>0.2 50.00, 0.2>network 12.50, network>1.0 12.50, 1.0>1.1 25.00 in 11.0 us
        1 to 0: 1.1>1.2 50.00, 1.2>network 12.50, network>0.0 12.50, 0.0>0.1 25.00 in 11.0 us"#]]
    .assert_eq(&describe_routes("dgx1-v100?nodes=2", &[1, 9], 1));
}

#[test]
fn groups_share_ports_if_there_are_too_few() {
    for (name, groups, port) in [("dgx-a100", 8, "25.00"), ("dgx1-v100", 8, "6.25"), ("pcie4", 4, "0.31")] {
        let each = Machine::named(name).unwrap().nodes[0].devices.len();
        let shown = describe_routes(&format!("{name}?nodes=2"), &[0, each], groups);
        assert!(shown.contains(&format!(">network {port}")), "{name}: {shown}");
    }
}

#[test]
fn invalid_groups_have_no_topology() {
    assert_eq!(
        ["none"; 3],
        [&[][..], &[0, 8], &[1, 1]]
            .map(|devices| describe_routes("dgx1-v100", devices, 1))
            .each_ref()
            .map(String::as_str)
    );
    let dgx1 = Machine::named("dgx1-v100").unwrap();
    let mut four = dgx1.clone();
    // Without its links to 2 and 3, device 0 has one link to 1 and one to 4.
    for ends in [[0, 2], [0, 3]] {
        let index_of = |node: &crate::Node| {
            let at = ends.map(crate::Vertex::Device);
            node.links.iter().position(|link| link.ends == at).unwrap()
        };
        four = four.without_link(0, index_of(&four.nodes[0]));
    }
    assert_eq!(four.nodes[0].links.len(), 14);
    let topology = Topology::for_devices(&four, &[0, 2, 3], 1).unwrap();
    assert_eq!(topology.vertices, 8, "others pass on what 0 has for 2 and 3");
    assert!(Topology::for_devices(&dgx1, &[0, 1], 1).unwrap().restricted_to(false).is_none());
}
