//! Arithmetic of the phases of a training step: unnecessary values are not computed.

use super::steps::{mesh, part, single_device_plan};
use partita::{Plan, Report};

/// Number of layers, which are equal.
const LAYERS: u64 = 5;
const MLP: &str = "zoo:mlp?layers=5&width=16&hidden=16&batch=8&dropout=0.1";
/// Forward FLOPs of a layer.
const LAYER: u64 = 2 * 8 * 16 * 16;

/// Returns the FLOPs of a phase.
fn flops(report: &Report, phase: &str) -> u64 {
    report.phases.iter().find(|p| p.phase == phase).map_or(0, |p| p.flops)
}

fn ops(report: &Report, phase: &str) -> usize {
    report.phases.iter().find(|p| p.phase == phase).map_or(0, |p| p.ops)
}

fn trained(spec: &str, plan: Plan) -> Report {
    let report = part(spec, &plan.train("sgd")).report();
    let sum: u64 = report.phases.iter().map(|p| p.flops).sum();
    assert_eq!(sum, report.totals.flops, "{report}");
    report
}

#[test]
fn all_layers_trained() {
    let report = trained(MLP, single_device_plan());
    assert_eq!(flops(&report, "forward"), LAYERS * LAYER, "{report}");
    // The gradient of the data is unused.
    assert_eq!(flops(&report, "backward_input"), (LAYERS - 1) * LAYER, "{report}");
    assert_eq!(flops(&report, "backward_weight"), LAYERS * LAYER, "{report}");
    assert_eq!((flops(&report, "recompute"), flops(&report, "update")), (0, 0), "{report}");
}

#[test]
fn frozen_prefix_has_no_backward_pass() {
    let mut before = trained(MLP, single_device_plan());
    for k in 1..LAYERS {
        let frozen = |plan: Plan| (0..k).fold(plan, |plan, i| plan.freeze(format!("layers.{i}.**")));
        let report = trained(MLP, frozen(single_device_plan()));
        assert_eq!(flops(&report, "forward"), LAYERS * LAYER, "{k}:\n{report}");
        assert_eq!(flops(&report, "backward_input"), (LAYERS - 1 - k) * LAYER, "{k}:\n{report}");
        assert_eq!(flops(&report, "backward_weight"), (LAYERS - k) * LAYER, "{k}:\n{report}");
        for phase in ["backward_input", "backward_weight", "update"] {
            assert!(ops(&report, phase) < ops(&before, phase), "{k}, {phase}:\n{report}");
        }
        // The remaining ops of frozen layers are forward ops.
        let local = part(MLP, &frozen(single_device_plan()).train("sgd"));
        let local = local.local().unwrap();
        for &op in local.funcs[local.entry()].ops() {
            let op = &local.ops[op];
            let is_frozen = (0..k).any(|i| *op.origin.scope == *format!("layers.{i}"));
            assert!(!is_frozen || op.phase.name() == "forward", "{k}: {:?} {:?}", op.phase, op.kind);
        }
        before = report;
    }
}

#[test]
fn frozen_middle_layer_propagates_gradients() {
    let report = trained(MLP, single_device_plan().freeze("layers.2.**"));
    assert_eq!(flops(&report, "backward_input"), (LAYERS - 1) * LAYER, "{report}");
    assert_eq!(flops(&report, "backward_weight"), (LAYERS - 1) * LAYER, "{report}");
    // Gradients of the frozen layer are not reduced, either.
    let sent = |plan: Plan| trained(MLP, plan).totals.by_kind.iter().find(|k| k.0 == "all_reduce").unwrap().1.count;
    let data = || mesh(&[("data", 2)]).preset("data").bucket("none");
    assert_eq!(sent(data()) - sent(data().freeze("layers.2.**")), 2);
}

#[test]
fn inference_has_no_backward_pass() {
    let report = part(MLP, &single_device_plan()).report();
    assert!(report.phases.is_empty(), "{report}");
    assert_eq!(report.totals.flops, LAYERS * LAYER, "{report}");
    assert_eq!((report.memory.gradient_bytes, report.memory.activation_bytes), (0, 0));
}

/// A GPT with 16 features, 32 hidden features and 64 tokens per batch.
const GPT: &str = "width=16&heads=4&hidden=32&seq=8&vocab=24&batch=8&dropout=0.1";
/// FLOPs of the product that computes a layer's result, which nothing in the layer reads.
const DOWN: u64 = 2 * 64 * 32 * 16;
/// FLOPs of attention scores. The product of weights and values is not recomputed.
const SCORES: u64 = 2 * 64 * 8 * 16;

#[test]
fn layers_are_recomputed_once() {
    let of = |layers: u32, plan: Plan| trained(&format!("zoo:gpt?layers={layers}&{GPT}"), plan);
    let layer = (flops(&of(6, single_device_plan()), "forward") - flops(&of(4, single_device_plan()), "forward")) / 2;
    let recomputed = |how: &str| {
        let [six, four] = [6, 4].map(|layers| of(layers, single_device_plan().remat("**", how)));
        // The other phases are unchanged.
        for phase in ["forward", "backward_input", "backward_weight"] {
            assert_eq!(flops(&six, phase), flops(&of(6, single_device_plan()), phase), "{how}, {phase}:\n{six}");
        }
        (flops(&six, "recompute") - flops(&four, "recompute")) / 2
    };
    assert_eq!(recomputed("none"), 0);
    assert_eq!(recomputed("selective"), SCORES);
    assert_eq!(recomputed("full"), layer - DOWN);
    let one = of(4, single_device_plan().remat("blocks.1.**", "full"));
    assert_eq!(flops(&one, "recompute"), layer - DOWN, "{one}");
}
