//! What is not needed is not computed: the parts of a training step, by their arithmetic.

use super::steps::{alone, mesh, part};
use partita::{Plan, Report};

/// Layers, all alike.
const LAYERS: u64 = 5;
const MLP: &str = "zoo:mlp?layers=5&width=16&hidden=16&batch=8&dropout=0.1";
/// What a layer computes forward.
const LAYER: u64 = 2 * 8 * 16 * 16;

/// Arithmetic of a part of the step.
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
fn all_is_trained() {
    let report = trained(MLP, alone());
    assert_eq!(flops(&report, "forward"), LAYERS * LAYER, "{report}");
    // Nobody needs the gradient of the data.
    assert_eq!(flops(&report, "backward_input"), (LAYERS - 1) * LAYER, "{report}");
    assert_eq!(flops(&report, "backward_weight"), LAYERS * LAYER, "{report}");
    assert_eq!((flops(&report, "recompute"), flops(&report, "update")), (0, 0), "{report}");
}

#[test]
fn a_frozen_prefix_has_no_backward_part() {
    let mut before = trained(MLP, alone());
    for k in 1..LAYERS {
        let frozen = |plan: Plan| (0..k).fold(plan, |plan, i| plan.freeze(format!("layers.{i}.**")));
        let report = trained(MLP, frozen(alone()));
        assert_eq!(flops(&report, "forward"), LAYERS * LAYER, "{k}:\n{report}");
        assert_eq!(flops(&report, "backward_input"), (LAYERS - 1 - k) * LAYER, "{k}:\n{report}");
        assert_eq!(flops(&report, "backward_weight"), (LAYERS - k) * LAYER, "{k}:\n{report}");
        for phase in ["backward_input", "backward_weight", "update"] {
            assert!(ops(&report, phase) < ops(&before, phase), "{k}, {phase}:\n{report}");
        }
        // Nothing that is left stands in a frozen layer.
        let local = part(MLP, &frozen(alone()).train("sgd"));
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
fn a_frozen_layer_in_between_passes_gradients_on() {
    let report = trained(MLP, alone().freeze("layers.2.**"));
    assert_eq!(flops(&report, "backward_input"), (LAYERS - 1) * LAYER, "{report}");
    assert_eq!(flops(&report, "backward_weight"), (LAYERS - 1) * LAYER, "{report}");
    // Neither do its gradients travel.
    let sent = |plan: Plan| trained(MLP, plan).totals.by_kind.iter().find(|k| k.0 == "all_reduce").unwrap().1.count;
    let data = || mesh(&[("data", 2)]).preset("data").bucket("none");
    assert_eq!(sent(data()) - sent(data().freeze("layers.2.**")), 2);
}

#[test]
fn inference_has_no_backward_part() {
    let report = part(MLP, &alone()).report();
    assert!(report.phases.is_empty(), "{report}");
    assert_eq!(report.totals.flops, LAYERS * LAYER, "{report}");
    assert_eq!((report.memory.gradient_bytes, report.memory.activation_bytes), (0, 0));
}

/// Features, hidden features and tokens of the batch.
const GPT: &str = "width=16&heads=4&hidden=32&seq=8&vocab=24&batch=8&dropout=0.1";
/// The product that gives a layer its result, which nothing in the layer reads.
const DOWN: u64 = 2 * 64 * 32 * 16;
/// What is quadratic in the sequence; that it is weighted with values is not computed again.
const SCORES: u64 = 2 * 64 * 8 * 16;

#[test]
fn layers_are_recomputed_once() {
    let of = |layers: u32, plan: Plan| trained(&format!("zoo:gpt?layers={layers}&{GPT}"), plan);
    let layer = (flops(&of(6, alone()), "forward") - flops(&of(4, alone()), "forward")) / 2;
    let recomputed = |how: &str| {
        let [six, four] = [6, 4].map(|layers| of(layers, alone().remat("**", how)));
        // All else is as it was.
        for phase in ["forward", "backward_input", "backward_weight"] {
            assert_eq!(flops(&six, phase), flops(&of(6, alone()), phase), "{how}, {phase}:\n{six}");
        }
        (flops(&six, "recompute") - flops(&four, "recompute")) / 2
    };
    assert_eq!(recomputed("none"), 0);
    assert_eq!(recomputed("selective"), SCORES);
    assert_eq!(recomputed("full"), layer - DOWN);
    let one = of(4, alone().remat("blocks.1.**", "full"));
    assert_eq!(flops(&one, "recompute"), layer - DOWN, "{one}");
}
