//! Memory of a device in a training step, compared with the formulas of the papers.

use super::steps::{mesh, part, single_device_plan};
use partita::{Plan, Report};

/// The dimensions of all parameters are multiples of 8.
const MLP: &str = "zoo:mlp?layers=4&width=64&hidden=128&batch=16";

/// Returns the number of parameters of the model.
fn count(report: &Report) -> u64 {
    let params = report.params.iter().filter(|p| p.dtype == "f32" && p.name.starts_with("layers."));
    params.map(|p| p.shape.iter().product::<usize>() as u64).sum()
}

/// Panics unless a device stores the given bytes per parameter for parameters, gradients and state, and `copies` bytes
/// of low-precision copies.
fn assert_bytes_per_parameter(plan: Plan, [parameter, gradient, state]: [f64; 3], copies: u64, what: &str) {
    let report = part(MLP, &plan.train("adamw")).report();
    let (count, memory) = (count(&report) as f64, report.memory);
    for (bytes, expected) in
        [(memory.parameter_bytes, parameter), (memory.gradient_bytes, gradient), (memory.state_bytes, state)]
    {
        // The step counter is state, too.
        assert!((bytes as f64 / count - expected).abs() < 1e-3, "{what}: not {expected} in {memory:?}");
    }
    assert_eq!(memory.copy_bytes, copies, "{what}: {memory:?}");
}

/// Rajbhandari et al. 2020, figure 1, with `f32` throughout: 4 bytes of parameter, 4 of gradient, 8 of state.
#[test]
fn zero_memory() {
    for n in [2, 4, 8] {
        let share = 1.0 / f64::from(n);
        for (presets, each) in [
            ("data", [4.0, 4.0, 8.0]),
            ("zero1", [4.0, 4.0, 8.0 * share]),
            ("zero2", [4.0, 4.0 * share, 8.0 * share]),
            ("zero3", [4.0 * share, 4.0 * share, 8.0 * share]),
        ] {
            assert_bytes_per_parameter(mesh(&[("data", n)]).preset(presets), each, 0, &format!("{presets}, data={n}"));
        }
    }
}

/// The same figure in mixed precision: 2 bytes of copy, 2 of gradient, and 12 of state, of which 4 are the master
/// weights.
#[test]
fn zero_memory_in_mixed_precision() {
    // The backward pass reads the weights after the first layer, and no bias.
    let copies = 2 * 3 * 64 * 128;
    for n in [2, 4, 8] {
        let share = 1.0 / f64::from(n);
        for (presets, each, copies) in [
            ("data", [4.0, 2.0, 8.0], copies),
            ("zero1", [4.0 * share, 2.0, 8.0 * share], copies),
            ("zero2", [4.0 * share, 2.0 * share, 8.0 * share], copies),
            ("zero3", [4.0 * share, 2.0 * share, 8.0 * share], copies / u64::from(n)),
        ] {
            let plan = mesh(&[("data", n)]).preset(presets).precision("**", "bf16");
            assert_bytes_per_parameter(plan, each, copies, &format!("{presets}, data={n}, bf16"));
        }
    }
}

const SEQ: f64 = 64.0;
const BATCH: f64 = 2.0;
const WIDTH: f64 = 128.0;
const HEADS: f64 = 8.0;
/// Attention score elements per token and feature.
const SCORES: f64 = 5.0 * HEADS * SEQ / WIDTH;

/// Returns the bytes per element of `s b h` that a `bf16` transformer layer stores for the backward pass.
fn activation_bytes_per_layer(plan: &Plan) -> f64 {
    let held = |layers: u32| {
        let spec =
            format!("zoo:gpt?layers={layers}&width={WIDTH}&heads={HEADS}&seq={SEQ}&vocab=64&batch={BATCH}&dropout=0.1");
        part(&spec, &plan.clone().precision("**", "bf16").train("adamw")).report().memory.activation_bytes as f64
    };
    (held(6) - held(4)) / 2.0 / (SEQ * BATCH * WIDTH)
}

fn assert_activation_bytes(plan: &Plan, expected: f64, what: &str) {
    let got = activation_bytes_per_layer(plan);
    assert!((got / expected - 1.0).abs() <= 0.02, "{what}: {got}, not {expected}");
}

/// Korthikanti et al. 2022, table 2.
#[test]
fn layer_memory_matches_the_paper() {
    assert_activation_bytes(&single_device_plan(), 34.0 + SCORES, "none");
    assert_activation_bytes(&single_device_plan().remat("**", "selective"), 34.0, "selective");
    assert_activation_bytes(&single_device_plan().remat("**", "full"), 2.0, "full");
}

#[test]
fn sharded_layer_memory_matches_the_paper() {
    for n in [2, 4, 8] {
        let t = f64::from(n);
        let tensor = || mesh(&[("model", n)]).preset("megatron");
        let sequence = || mesh(&[("model", n)]).preset("megatron,sequence");
        assert_activation_bytes(&tensor(), 10.0 + 24.0 / t + SCORES / t, &format!("tensor parallel, {n}"));
        assert_activation_bytes(&tensor().remat("**", "selective"), 10.0 + 24.0 / t, &format!("and selective, {n}"));
        assert_activation_bytes(&sequence(), 34.0 / t + SCORES / t, &format!("with sequence, {n}"));
        assert_activation_bytes(
            &sequence().remat("**", "selective"),
            34.0 / t,
            &format!("with sequence and selective, {n}"),
        );
    }
}

/// A frozen prefix needs no gradient, no state, and no stored activations.
#[test]
fn frozen_prefix_stores_parameters_only() {
    let held = |frozen: usize| {
        let mut plan = mesh(&[("data", 2)]).preset("data").train("adamw");
        for layer in 0..frozen {
            plan = plan.freeze(format!("layers.{layer}.**"));
        }
        part("zoo:mlp?layers=6&width=64&hidden=64&batch=16", &plan).report().memory
    };
    let whole = held(0);
    let layer = 64 * 64 * 4 + 64 * 4;
    // Activations of the hidden layers; a layer stores no other values.
    for k in 1..=4 {
        let [before, memory] = [held(k as usize - 1), held(k as usize)];
        assert_eq!(memory.parameter_bytes, whole.parameter_bytes, "{k}: {memory:?}");
        assert_eq!(memory.gradient_bytes, whole.gradient_bytes - k * layer, "{k}: {memory:?}");
        assert_eq!(memory.state_bytes, whole.state_bytes - 2 * k * layer, "{k}: {memory:?}");
        assert!(memory.activation_bytes <= before.activation_bytes, "{k}: {memory:?}");
    }
    let activation = 16 / 2 * 64 * 4;
    let [two, four] = [held(2), held(4)];
    assert_eq!(two.activation_bytes - four.activation_bytes, 2 * activation, "{two:?} {four:?}");
}
