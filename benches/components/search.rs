//! Phases of the layout search on one mesh, at several depths: search graph, layout costs, layout selection, and
//! construction of the plan.

use crate::models::{depths, first_message, machine, mesh, training_step, unwrap_or_panic};
use criterion::{BenchmarkId, Criterion};
use partita_cost::roofline::Efficiencies;
use partita_ir::mesh;
use partita_ir::plan::Plan;
use partita_machine::collective::choice::Prices;
use partita_passes::planning::name_dims::DimClasses;
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
    let mesh = mesh::DeviceMesh::new("mesh", axes);
    let devices: Vec<usize> = (0..mesh.device_count()).collect();
    let overlap = Overlap { reductions: 1.0, backward: 1.0 };
    let assumptions = Assumptions {
        overlap: Some(overlap),
        sharded_storage: true,
        memory: MemoryLimit { bytes: f64::MAX, live_micro_batches: 1.0 },
    };
    for &layers in depths() {
        let step = training_step(layers);
        let classes = DimClasses::new(&step);
        group.bench_function(BenchmarkId::new("graph", layers), |b| {
            b.iter(|| SearchGraph::new(black_box(&step), &classes));
        });
        let graph = SearchGraph::new(&step, &classes);
        let on = || MeshPlacement {
            mesh: &mesh,
            devices: &devices,
            machine: &machine,
            prices: &prices,
            efficiencies: &efficiencies,
        };
        group.bench_function(BenchmarkId::new("costs", layers), |b| {
            b.iter(|| {
                LayoutSpace::new(black_box(&graph), on())
                    .map(|mut layouts| layouts.build_problem(&assumptions, overlap))
            });
        });
        let mut layouts = LayoutSpace::new(&graph, on()).unwrap_or_else(|| panic!("the step has no layouts"));
        group.bench_function(BenchmarkId::new("solving", layers), |b| {
            b.iter(|| layouts.best(black_box(&assumptions), &effort).is_some());
        });
        let found = layouts.best(&assumptions, &effort).unwrap_or_else(|| panic!("no layouts fit into memory"));
        let fixed = unwrap_or_panic(FixedLayouts::from_plan(&step, &base, &[]).map_err(first_message));
        unwrap_or_panic(write::plan(&base, &step, &mesh, &found, &fixed, Detail::Values).map_err(first_message));
        group.bench_function(BenchmarkId::new("writing", layers), |b| {
            b.iter(|| write::plan(&base, black_box(&step), &mesh, &found, &fixed, Detail::Values).is_ok());
        });
    }
    group.finish();
}
