//! What devices send each other in a training step.

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
    // What is sent must be seen by a program that reads the report.
    let report = part(&spec, &mesh(&[(axis, n)]).preset(presets).train("adamw")).report();
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["totals"]["wire_bytes"], report.totals.wire_bytes);
    assert_eq!(json["collectives"].as_array().unwrap().len(), report.collectives.len());
    report
}

fn count(report: &Report, is: impl Fn(&CollectiveRow) -> bool) -> u64 {
    report.collectives.iter().filter(|c| is(c)).map(|c| c.count).sum()
}

/// Bytes on a ring of `n` for gathering, or reducing to pieces, so many bytes.
fn ring(n: u32, bytes: u64) -> u64 {
    bytes / u64::from(n) * u64::from(n - 1)
}

/// Forward and backward, behind attention and behind the feed-forward; once behind the embedding, and once in front of
/// the head.
#[test]
fn megatron_sums_four_times_a_layer() {
    for (layers, n) in [(1, 2), (2, 4), (3, 8)] {
        let report = gpt(layers, "model", n, "megatron");
        let large = count(&report, |c| c.payload_bytes >= ACTIVATION);
        let sums = count(&report, |c| c.kind == "all_reduce" && c.payload_bytes == ACTIVATION);
        assert_eq!((sums, large), (4 * layers + 2, 4 * layers + 2), "{layers} layers, model={n}:\n{report}");
        // What is left are rows of the loss.
        let small = count(&report, |c| c.payload_bytes <= BATCH * SEQ * 4 && c.kind == "all_reduce");
        assert_eq!(small + large, count(&report, |_| true), "{report}");
        // As many, however many layers there are.
        assert!(small <= 7, "{small}:\n{report}");
        assert!(report.fallbacks.is_empty());
    }
}

#[test]
fn sequence_gathers_twice_more_a_layer() {
    for (layers, n) in [(1, 2), (2, 4), (3, 8)] {
        let [whole, split] = ["megatron", "megatron,sequence"].map(|presets| gpt(layers, "model", n, presets));
        // Both parameters of the norms of a layer, and of the one in front of the head.
        let norms = 2 * (2 * layers + 1) * WIDTH * 4;
        // What a layer with split columns reads is gathered again in the backward part, and what the head reads.
        let again = (2 * layers + 1) * ring(n, ACTIVATION);
        let more = 2 * ring(n, norms) + again;
        assert_eq!(split.totals.wire_bytes, whole.totals.wire_bytes + more, "{layers} layers, model={n}:\n{split}");
        let kind = |kind: &str| count(&split, |c| c.kind == kind && c.payload_bytes == ACTIVATION);
        assert_eq!(kind("reduce_scatter"), 4 * layers + 2, "{split}");
        assert_eq!(kind("all_gather"), 4 * layers + 2 + 2 * layers + 1, "{split}");
        assert_eq!(kind("all_reduce"), 0, "{split}");
    }
}

/// The first stages send what data parallelism sends: a sum is a reduction to pieces, and gathering them.
#[test]
fn zero_sends_what_data_sends() {
    for n in [2, 4, 8] {
        let [data, one, two, three] = ["data", "zero1", "zero2", "zero3"].map(|presets| gpt(2, "data", n, presets));
        let bytes: u64 = trained(&data).map(|(_, bytes)| bytes).sum();
        // The loss, which is a number.
        let loss = data.totals.wire_bytes - 2 * ring(n, bytes);
        assert!(loss <= 8, "data={n}:\n{data}");
        assert_eq!(one.totals.wire_bytes, data.totals.wire_bytes, "data={n}:\n{one}");
        assert_eq!(two.totals.wire_bytes, data.totals.wire_bytes, "data={n}:\n{two}");
        let mut expected = loss;
        for (name, bytes) in trained(&data) {
            let gathers = count(&three, |c| c.kind == "all_gather" && is_of(c, name));
            // What only an addition reads is not needed in the backward part.
            let once = name.ends_with("bias") || name.ends_with("beta") || name == "positions.weight";
            assert_eq!(gathers, if once { 1 } else { 2 }, "{name}, data={n}:\n{three}");
            expected += ring(n, bytes) * (1 + gathers);
        }
        assert_eq!(three.totals.wire_bytes, expected, "data={n}:\n{three}");
        assert!(2 * three.totals.wire_bytes <= 3 * data.totals.wire_bytes, "data={n}:\n{three}");
    }
}

/// Parameters and their bytes in all.
fn trained(report: &Report) -> impl Iterator<Item = (&str, u64)> {
    let rows = report.params.iter().filter(|p| p.dtype == "f32" && !p.name.starts_with("optimizer."));
    rows.map(|p| (p.name.as_str(), 4 * p.shape.iter().product::<usize>() as u64))
}

/// Whether a collective gathers that parameter: its copies are called `%NAME.4.1`.
fn is_of(c: &CollectiveRow, name: &str) -> bool {
    let copy = c.op.strip_prefix("constrain %").and_then(|v| v.strip_prefix(name));
    copy.is_some_and(|rest| rest.chars().all(|c| c == '.' || c.is_ascii_digit()))
}

/// Half of the digits, half of the bytes: gradients and copies are sent as narrow as they are computed.
#[test]
fn narrow_gradients_are_sent_narrow() {
    for presets in ["data", "zero1", "zero2", "zero3"] {
        let spec = format!("zoo:gpt?layers=2&{GPT}");
        let plan = || mesh(&[("data", 4)]).preset(presets).train("adamw");
        let wide = part(&spec, &plan()).report().totals.wire_bytes;
        let narrow = part(&spec, &plan().precision("**", "bf16")).report();
        let share = narrow.totals.wire_bytes as f64 / wide as f64;
        assert!((share - 0.5).abs() < 0.02, "{presets}: {share}\n{narrow}");
    }
}
