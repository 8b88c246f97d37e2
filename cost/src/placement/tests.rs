//! Placement of devices, and the groups and routes that result.

use super::{LinkTable, PlacementError, first_group, groups_per_node};
use crate::roofline::Efficiencies;
use partita_ir::arena::{AxisId, Id};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_machine::Machine;

fn machine() -> Machine {
    Machine::named("dgx-a100?nodes=4").unwrap()
}

fn axes(mesh: &DeviceMesh, names: &[usize]) -> Axes {
    names.iter().map(|&axis| AxisRef::full(mesh, AxisId::from_index(axis))).collect()
}

#[test]
fn groups_share_nodes() {
    let mesh = DeviceMesh::new("m", [("data", 4), ("model", 4)]);
    let devices: Vec<usize> = (8..24).collect();
    let group = |names: &[usize]| {
        let found = first_group(&machine(), &mesh, &devices, &axes(&mesh, names));
        (found.devices, found.groups, found.link.bandwidth)
    };
    // Two groups of four in each node.
    assert_eq!(group(&[1]), (vec![8, 9, 10, 11], 2, 0.78));
    // Four groups, with two devices of each in a node.
    assert_eq!(group(&[0]), (vec![8, 12, 16, 20], 4, 0.85));
    assert_eq!(group(&[0, 1]), (devices.clone(), 1, 0.85));
    assert_eq!(groups_per_node(&machine(), &devices, &[8]), 8);
}

#[test]
fn routes_share_links_of_the_same_name() {
    let (mut lanes, usual) = (LinkTable::default(), Efficiencies::default());
    let (there, latency) = lanes.route(&machine(), 0, 8, 8, &usual).unwrap();
    let names: Vec<&str> = there.iter().map(|&lane| &*lanes.names[lane]).collect();
    assert_eq!(names, ["dgx-a100 0.0>network", "dgx-a100 network>1.0"]);
    assert!(there.iter().all(|&lane| lanes.bandwidths[lane] == 0.85 * 25e9) && latency > 0.0);
    let (other, _) = lanes.route(&machine(), 0, 16, 8, &usual).unwrap();
    assert_eq!((there[0], there[1] == other[1]), (other[0], false));
    let (within, _) = lanes.route(&machine(), 0, 1, 8, &usual).unwrap();
    assert!(within.iter().all(|&lane| lanes.bandwidths[lane] == 0.78 * 300e9));
    assert_eq!(lanes.route(&machine(), 0, 99, 1, &usual), Err(PlacementError::Unreachable(0, 99)));
}
