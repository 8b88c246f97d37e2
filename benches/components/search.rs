//! The phases of the search for layouts on one mesh, by depth: its graph, the costs of layouts, their choice, and the
//! plan that says it.

use crate::models::{depths, expected, first, machine, mesh, step};
use criterion::{BenchmarkId, Criterion};
use partita_cost::roofline::Efficiencies;
use partita_ir::mesh;
use partita_ir::plan::Plan;
use partita_machine::collective::choice::Prices;
use partita_passes::planning::name_dims::Classes;
use partita_search::intra_op::{Assumptions, LayoutSpace, MemoryLimit, MeshPlacement, Overlap, SearchGraph};
use partita_search::write::{self, Detail};
use partita_search::{Effort, FixedLayouts};
use std::hint::black_box;

pub fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.sample_size(10);
    let (machine, efficiencies, effort) = (machine(), Efficiencies::default(), Effort::default());
    let prices = Prices::new(&machine);
    let base = Plan::new(mesh());
    let axes = base.mesh.iter().flat_map(|mesh| &mesh.axes).map(|axis| (axis.name.clone(), axis.size));
    let mesh = mesh::Mesh::new("mesh", axes);
    let devices: Vec<usize> = (0..mesh.device_count()).collect();
    let overlap = Overlap { reductions: 1.0, backward: 1.0 };
    let assumptions = Assumptions {
        overlap: Some(overlap),
        sharded_storage: true,
        memory: MemoryLimit { bytes: f64::MAX, alive: 1.0 },
    };
    for &layers in depths() {
        let step = step(layers);
        let classes = Classes::of(&step);
        group.bench_function(BenchmarkId::new("graph", layers), |b| {
            b.iter(|| SearchGraph::of(black_box(&step), &classes));
        });
        let graph = SearchGraph::of(&step, &classes);
        let on = || MeshPlacement {
            mesh: &mesh,
            devices: &devices,
            machine: &machine,
            prices: &prices,
            efficiencies: &efficiencies,
        };
        group.bench_function(BenchmarkId::new("costs", layers), |b| {
            b.iter(|| {
                LayoutSpace::of(black_box(&graph), on()).map(|mut layouts| layouts.problem(&assumptions, overlap))
            });
        });
        let mut layouts = LayoutSpace::of(&graph, on()).unwrap_or_else(|| panic!("the step has no layouts"));
        group.bench_function(BenchmarkId::new("solving", layers), |b| {
            b.iter(|| layouts.best(black_box(&assumptions), &effort).is_some());
        });
        let found = layouts.best(&assumptions, &effort).unwrap_or_else(|| panic!("nothing fits"));
        let fixed = expected(FixedLayouts::of(&step, &base, &[]).map_err(first));
        expected(write::plan(&base, &step, &mesh, &found, &fixed, Detail::Values).map_err(first));
        group.bench_function(BenchmarkId::new("writing", layers), |b| {
            b.iter(|| write::plan(&base, black_box(&step), &mesh, &found, &fixed, Detail::Values).is_ok());
        });
    }
    group.finish();
}
