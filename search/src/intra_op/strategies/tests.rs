//! Costs with interchangeable axes are lower bounds of those over all exchanges.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::intra_op::pricing::{Bucketing, LayoutId, LayoutPricing};
use crate::intra_op::{LayoutSpace, MeshPlacement, SearchGraph};
use partita_cost::roofline::Efficiencies;
use partita_ir::arena::MeshId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::planning::name_dims::DimClasses;

/// Returns all layouts of a matrix in which each axis shards a dimension, or none, or leaves partial sums.
fn layouts(axes: &[AxisRef], are_partial: bool) -> Vec<Layout> {
    let mut all = vec![Layout::replicated(MeshId(0), 2)];
    for &axis in axes {
        let with = |layout: &Layout, place: usize| {
            let mut layout = layout.clone();
            match place {
                0 => {}
                3 => layout.partial.push((axis, Monoid::Sum)),
                dim => layout.dims[dim - 1].axes.push(axis),
            }
            layout
        };
        let places = if are_partial { 4 } else { 3 };
        all = all.iter().flat_map(|layout| (0..places).map(move |place| with(layout, place))).collect();
    }
    all
}

fn seconds(pricing: &mut LayoutPricing<'_>, ty: &Type, from: LayoutId, to: LayoutId) -> f64 {
    pricing.least_reshard_seconds(ty, (from, to), Bucketing::Separate)
}

#[test]
fn interchangeable_axes_have_the_least_costs() {
    let program = partita_models::program("zoo:mlp").unwrap();
    let classes = DimClasses::new(&program);
    let graph = SearchGraph::new(&program, &classes);
    let mesh = DeviceMesh::new("mesh", [("a", 2), ("b", 2), ("c", 2)]);
    let axes: Vec<AxisRef> = mesh.axis_ids().map(|axis| AxisRef::full(&mesh, axis)).collect();
    let devices: Vec<usize> = (0..8).collect();
    let efficiencies = Efficiencies::default();
    // Links between the devices of these machines differ.
    for (machine, shape) in [("dgx1-v100", [64, 512]), ("dgx1-v100", [6, 4096]), ("pcie4?nodes=2", [512, 512])] {
        let machine = Machine::named(machine).unwrap();
        let prices = Prices::new(&machine);
        let on = MeshPlacement {
            mesh: &mesh,
            devices: &devices,
            machine: &machine,
            prices: &prices,
            efficiencies: &efficiencies,
        };
        let mut distinct = LayoutSpace::new(&graph, on).unwrap().pricing;
        let mut interchangeable = LayoutSpace::with_interchangeable_axes(&graph, on).unwrap().pricing;
        let ty = Type::new(DType::F32, shape);
        for from in layouts(&axes, true) {
            for to in layouts(&axes, false) {
                let same = [&from, &to].map(|layout| interchangeable.axes.exchanged(layout));
                let [from, to] = [&from, &to].map(|layout| interchangeable.layout_id(layout.clone()));
                let least = seconds(&mut interchangeable, &ty, from, to);
                let [froms, tos] =
                    same.map(|all| all.into_iter().map(|layout| distinct.layout_id(layout)).collect::<Vec<_>>());
                let all = froms.iter().flat_map(|&from| tos.iter().map(move |&to| (from, to)));
                let best = all.map(|(from, to)| seconds(&mut distinct, &ty, from, to)).fold(f64::INFINITY, f64::min);
                // The order of devices in a group depends on the order of its axes.
                let is_least = least <= best * (1.0 + 1e-9) && least >= 0.9 * best;
                let layout = |id| interchangeable.layout(id);
                assert!(is_least, "{least}, not {best}: {:?} to {:?}", layout(from), layout(to));
            }
        }
    }
}
