//! GPU kernels of the built-in models: the number of kernels of a layer, and no elementwise op in a separate kernel
//! that could be fused.

use super::models::{Axes, MODELS, Model, name, traced};
use partita::prelude::*;
use partita::{KernelReport, Plan};

/// One device, and several devices with uneven shards.
const MESHES: [Axes; 2] = [&[("device", 1)], &[("data", 2), ("model", 3)]];

fn kernels(program: &Program, plan: &Plan, what: &str) -> KernelReport {
    let part = program.partition(plan).unwrap_or_else(|e| panic!("{what}: {e}"));
    part.explain_kernels("cuda:sm_90", None).unwrap_or_else(|e| panic!("{what}: {e}"))
}

/// Returns the plan for a mesh, with optimizer and precision.
fn planned(model: &Model, axes: Axes, train: &str, precision: &str) -> Plan {
    let plan = model.plan(axes);
    let plan = if train.is_empty() { plan } else { plan.train(train) };
    if precision.is_empty() { plan } else { plan.precision("**", precision) }
}

#[test]
fn no_missed_elementwise_fusion() {
    for model in &MODELS {
        let program = model.program(model.spec.contains("gpt"));
        for axes in MESHES {
            for (train, precision) in [("", ""), ("sgd", ""), ("adamw?clip=1", "bf16")] {
                let what = format!("{} on {}, {train} {precision}", model.spec, name(axes));
                let report = kernels(&program, &planned(model, axes, train, precision), &what);
                let missed: Vec<_> = report.kernels.iter().filter(|row| row.purpose.missed_fusion).collect();
                assert!(missed.is_empty(), "{what}: {missed:#?}");
            }
        }
    }
}

/// Returns the number of launches that one more transformer layer adds.
fn launches_a_layer(train: &str) -> u64 {
    let launches = |layers: u32| {
        let program = traced(&format!("zoo:gpt?layers={layers}&width=48&heads=4&seq=6&vocab=20&batch=8"));
        let plan = Plan::new(Mesh::new([("device", 1)]).unwrap());
        let plan = if train.is_empty() { plan } else { plan.train(train) };
        kernels(&program, &plan, train).totals.launches
    };
    launches(3) - launches(2)
}

#[test]
fn transformer_layer_launch_counts() {
    assert_eq!(launches_a_layer(""), 9);
    // Twenty-one of them are eighteen products, attention and its two gradients.
    assert_eq!(launches_a_layer("sgd"), 35);
    assert_eq!(launches_a_layer("adamw"), 36);
}

/// Gradients of a bucket are reduced together in place: no kernel packs or unpacks them.
#[test]
fn buckets_are_not_packed() {
    let program = traced("zoo:gpt?layers=2&width=48&heads=4&seq=6&vocab=20&batch=8");
    for train in ["sgd", "adamw"] {
        let of = |axis: &str, size: u32| Plan::new(Mesh::new([(axis, size)]).unwrap()).train(train);
        let (one, two) = (of("device", 1), of("data", 2).preset("data"));
        let [one, two] = [one, two].map(|plan| kernels(&program, &plan, train));
        let copies = |report: &KernelReport| -> u64 {
            let copies = report.kernels.iter().filter(|row| row.name.starts_with("copy"));
            copies.map(|row| row.launches).sum()
        };
        // One all-reduce of all gradients, and one of the loss.
        assert_eq!((one.totals.communication_count, two.totals.communication_count), (0, 2), "{two}");
        assert_eq!(copies(&one), copies(&two), "{two}");
    }
}
