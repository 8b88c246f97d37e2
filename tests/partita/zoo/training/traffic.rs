//! Communication of devices in a training step.

use super::steps::{mesh, part};
use partita::{CollectiveRow, Report};

const SEQ: u64 = 8;
const BATCH: u64 = 8;
const WIDTH: u64 = 48;
const GPT: &str = "width=48&heads=16&hidden=80&seq=8&vocab=32&batch=8&dropout=0.1";
/// Bytes of an activation.
const ACTIVATION: u64 = BATCH * SEQ * WIDTH * 4;

fn gpt(layers: u64, axis: &str, n: u32, presets: &str) -> Report {
    let spec = format!("zoo:gpt?layers={layers}&{GPT}");
    // The figures must be available to a program that reads the JSON report.
    let report = part(&spec, &mesh(&[(axis, n)]).preset(presets).train("adamw")).report();
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["totals"]["wire_bytes"], report.totals.wire_bytes);
    assert_eq!(json["collectives"].as_array().unwrap().len(), report.collectives.len());
    report
}

fn count(report: &Report, is: impl Fn(&CollectiveRow) -> bool) -> u64 {
    report.collectives.iter().filter(|c| is(c)).map(|c| c.count).sum()
}

/// Returns the bytes of an all-gather or reduce-scatter of `bytes` on a ring of `n` devices.
fn ring(n: u32, bytes: u64) -> u64 {
    bytes / u64::from(n) * u64::from(n - 1)
}

/// Megatron reduces activations after attention and after the feed-forward, in both passes; once after the embedding,
/// and once before the head.
#[test]
fn megatron_training_has_four_sums_per_layer() {
    for (layers, n) in [(1, 2), (2, 4), (3, 8)] {
        let report = gpt(layers, "model", n, "megatron");
        let large = count(&report, |c| c.payload_bytes >= ACTIVATION);
        let sums = count(&report, |c| c.kind == "all_reduce" && c.payload_bytes == ACTIVATION);
        assert_eq!((sums, large), (4 * layers + 2, 4 * layers + 2), "{layers} layers, model={n}:\n{report}");
        // The remaining collectives reduce rows of the loss.
        let small = count(&report, |c| c.payload_bytes <= BATCH * SEQ * 4 && c.kind == "all_reduce");
        assert_eq!(small + large, count(&report, |_| true), "{report}");
        // The number of small collectives does not depend on the number of layers.
        assert!(small <= 7, "{small}:\n{report}");
        assert!(report.fallbacks.is_empty());
    }
}

#[test]
fn sequence_parallelism_adds_two_gathers_per_layer() {
    for (layers, n) in [(1, 2), (2, 4), (3, 8)] {
        let [whole, split] = ["megatron", "megatron,sequence"].map(|presets| gpt(layers, "model", n, presets));
        // Both parameters of the norms of each layer, and of the norm before the head.
        let norms = 2 * (2 * layers + 1) * WIDTH * 4;
        // The inputs of column-sharded layers and of the head are gathered again in the backward pass.
        let again = (2 * layers + 1) * ring(n, ACTIVATION);
        let more = 2 * ring(n, norms) + again;
        assert_eq!(split.totals.wire_bytes, whole.totals.wire_bytes + more, "{layers} layers, model={n}:\n{split}");
        let kind = |kind: &str| count(&split, |c| c.kind == kind && c.payload_bytes == ACTIVATION);
        assert_eq!(kind("reduce_scatter"), 4 * layers + 2, "{split}");
        assert_eq!(kind("all_gather"), 4 * layers + 2 + 2 * layers + 1, "{split}");
        assert_eq!(kind("all_reduce"), 0, "{split}");
    }
}

/// ZeRO stages one and two send as many bytes as data parallelism: a sum is a reduce-scatter and an all-gather.
#[test]
fn zero_sends_as_much_as_data_parallelism() {
    for n in [2, 4, 8] {
        let [data, one, two, three] = ["data", "zero1", "zero2", "zero3"].map(|presets| gpt(2, "data", n, presets));
        let bytes: u64 = trained(&data).map(|(_, bytes)| bytes).sum();
        // The loss is a scalar.
        let loss = data.totals.wire_bytes - 2 * ring(n, bytes);
        assert!(loss <= 8, "data={n}:\n{data}");
        assert_eq!(one.totals.wire_bytes, data.totals.wire_bytes, "data={n}:\n{one}");
        assert_eq!(two.totals.wire_bytes, data.totals.wire_bytes, "data={n}:\n{two}");
        let mut expected = loss;
        for (name, bytes) in trained(&data) {
            let gathers = count(&three, |c| c.kind == "all_gather" && is_of(c, name));
            // The backward pass does not need operands of additions.
            let once = name.ends_with("bias") || name.ends_with("beta") || name == "positions.weight";
            assert_eq!(gathers, if once { 1 } else { 2 }, "{name}, data={n}:\n{three}");
            expected += ring(n, bytes) * (1 + gathers);
        }
        assert_eq!(three.totals.wire_bytes, expected, "data={n}:\n{three}");
        assert!(2 * three.totals.wire_bytes <= 3 * data.totals.wire_bytes, "data={n}:\n{three}");
    }
}

/// Returns the parameters and their bytes.
fn trained(report: &Report) -> impl Iterator<Item = (&str, u64)> {
    let rows = report.params.iter().filter(|p| p.dtype == "f32" && !p.name.starts_with("optimizer."));
    rows.map(|p| (p.name.as_str(), 4 * p.shape.iter().product::<usize>() as u64))
}

/// Returns true if a collective gathers the parameter; its copies are named `%NAME.4.1`.
fn is_of(c: &CollectiveRow, name: &str) -> bool {
    let copy = c.op.strip_prefix("constrain %").and_then(|v| v.strip_prefix(name));
    copy.is_some_and(|rest| rest.chars().all(|c| c == '.' || c.is_ascii_digit()))
}

/// Gradients and copies are sent in the type in which they are computed: half the bits, half the bytes.
#[test]
fn low_precision_gradients_are_reduced_in_low_precision() {
    for presets in ["data", "zero1", "zero2", "zero3"] {
        let spec = format!("zoo:gpt?layers=2&{GPT}");
        let plan = || mesh(&[("data", 4)]).preset(presets).train("adamw");
        let wide = part(&spec, &plan()).report().totals.wire_bytes;
        let narrow = part(&spec, &plan().precision("**", "bf16")).report();
        let share = narrow.totals.wire_bytes as f64 / wide as f64;
        assert!((share - 0.5).abs() < 0.02, "{presets}: {share}\n{narrow}");
    }
}
