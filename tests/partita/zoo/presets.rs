//! The built-in models with presets: all devices must agree with one, and communication matches the papers.

use super::models::traced;
use super::partition_and_check;
use partita::CollectiveRow;
use partita::cost::roofline::Efficiencies;
use partita::prelude::*;
use partita::{Simulation, load_machine};

const GPT: &str = "zoo:gpt?layers=2&width=48&heads=12&hidden=40&seq=8&vocab=24&batch=8";
const BERT: &str = "zoo:bert?layers=1&width=48&heads=12&hidden=40&seq=8&vocab=24&batch=8&tied=false";
const MLP: &str = "zoo:mlp?layers=4&width=12&hidden=20&batch=8";
const CNN: &str = "zoo:mnist-cnn?image=8&batch=8";
const MOE: &str = "zoo:moe?layers=2&width=8&hidden=12&experts=8&seq=6&batch=8";

/// Numbers of devices, and the axis sizes of a two-dimensional mesh.
const DEVICES: [(u32, [u32; 2]); 5] = [(2, [1, 2]), (3, [3, 1]), (4, [2, 2]), (6, [2, 3]), (8, [2, 4])];

fn plan(axes: &[(&str, u32)], presets: &str) -> Plan {
    Plan::new(Mesh::new(axes.iter().copied()).unwrap()).preset(presets)
}

/// Returns the report of a model with presets, after checking that all devices agree with one.
fn report_with_presets(spec: &str, axes: &[(&str, u32)], presets: &str) -> Report {
    let what = format!("{spec} by {presets} on {axes:?}");
    let report = partition_and_check(&traced(spec), &plan(axes, presets), &what).report();
    assert!(report.totals.flops < report.totals.model_flops, "{what}");
    report
}

/// Returns the number of collectives of a kind with the given payload bytes.
fn count(report: &Report, kind: &str, bytes: u64) -> u64 {
    let is = |c: &&CollectiveRow| c.kind == kind && c.payload_bytes == bytes;
    report.collectives.iter().filter(is).map(|c| c.count).sum()
}

#[test]
fn single_presets() {
    for (n, [data, model]) in DEVICES {
        for spec in [GPT, BERT, MLP, CNN] {
            report_with_presets(spec, &[("data", n)], "data");
            report_with_presets(spec, &[("model", n)], "megatron");
            report_with_presets(spec, &[("data", data), ("model", model)], "mesh");
        }
        report_with_presets(MOE, &[("data", n)], "expert");
        report_with_presets(MOE, &[("expert", n)], "expert");
        report_with_presets(MOE, &[("model", n)], "megatron");
    }
}

#[test]
fn two_presets() {
    for (n, [data, model]) in DEVICES {
        let mesh = [("data", data), ("model", model)];
        for spec in [GPT, BERT] {
            report_with_presets(spec, &[("model", n)], "megatron,sequence");
            report_with_presets(spec, &mesh, "data,megatron,sequence");
            report_with_presets(spec, &mesh, "mesh,megatron");
        }
        for spec in [GPT, MLP, CNN, MOE] {
            report_with_presets(spec, &mesh, "data,megatron");
        }
        report_with_presets(MOE, &mesh, "expert,megatron");
        report_with_presets(MOE, &mesh, "expert,mesh");
        report_with_presets(MOE, &[("data", data), ("expert", model)], "expert,data");
    }
}

/// Returns true if the communication is Megatron's: two activation sums per layer, one after the embedding, and no
/// collective as large as the logits.
fn is_megatron(report: &Report) -> bool {
    let (activation, logits) = (8 * 8 * 48 * 4, 8 * 8 * 24 * 4);
    let gathered = |kind| report.collectives.iter().any(|c| c.kind == kind && c.payload_bytes >= logits);
    count(report, "all_reduce", activation) == 2 * 2 + 1
        && count(report, "all_reduce", 8 * 8 * 4) == 3
        && report.fallbacks.is_empty()
        && !gathered("all_gather")
        && !gathered("all_to_all")
}

#[test]
fn megatron_has_two_sums_per_layer() {
    for n in [2, 3, 4, 6, 8] {
        let report = report_with_presets(GPT, &[("model", n)], "megatron");
        assert!(is_megatron(&report), "model={n}:\n{report}");
    }
}

/// Sharding both layers of a pair by columns is detected, and so is an axis on the wrong dimension.
#[test]
fn wrong_megatron_layouts_are_detected() {
    let program = traced(GPT);
    for (path, layout) in [
        ("blocks.*.feed_forward.down.weight", "_, model"),
        ("blocks.*.attention.query.weight", "model, _"),
        ("tokens.weight", "_, model"),
    ] {
        let plan = plan(&[("model", 4)], "megatron").shard(path, layout);
        let report = partition_and_check(&program, &plan, path).report();
        assert!(!is_megatron(&report), "{path} = {layout}:\n{report}");
    }
}

/// A sum split into reduce-scatter and all-gather moves as many bytes.
#[test]
fn sequence_parallelism_moves_as_many_bytes_as_megatron() {
    for n in [2, 4, 8] {
        let [whole, split] =
            ["megatron", "megatron,sequence"].map(|presets| report_with_presets(GPT, &[("model", n)], presets));
        assert_eq!(whole.totals.wire_bytes, split.totals.wire_bytes, "model={n}:\n{split}");
        assert_eq!(count(&split, "reduce_scatter", 8 * 8 * 48 * 4), 5, "model={n}:\n{split}");
        assert_eq!(count(&split, "all_gather", 8 * 8 * 48 * 4), 5, "model={n}:\n{split}");
    }
}

/// Tokens are sent to their experts and back; no other collective is as large.
#[test]
fn experts_have_two_all_to_alls_per_layer() {
    for n in [2, 4, 8] {
        let report = report_with_presets(MOE, &[("data", n)], "expert");
        let large = report.collectives.iter().filter(|c| c.payload_bytes > 64);
        assert!(large.clone().all(|c| c.kind == "all_to_all"), "data={n}:\n{report}");
        assert_eq!(large.map(|c| c.count).sum::<u64>(), 4, "data={n}:\n{report}");
    }
}

/// ZeRO stages one and two move as many bytes as data parallelism, stage three at most 50% more, and each stage stores
/// less.
#[test]
fn zero_traffic_and_memory() {
    let program = traced(MLP);
    for n in [2, 3, 4, 6, 8] {
        let of = |presets: &str| {
            let plan = plan(&[("data", n)], presets).train("adamw?lr=1e-2");
            partition_and_check(&program, &plan, &format!("{presets} on data={n}")).report()
        };
        let [data, one, two, three] = ["data", "zero1", "zero2", "zero3"].map(of);
        assert!(one.memory.entry_bytes < data.memory.entry_bytes, "data={n}:\n{one}");
        assert!(three.memory.entry_bytes < one.memory.entry_bytes, "data={n}:\n{three}");
        if 12 % n == 0 && 20 % n == 0 {
            assert_eq!(data.totals.wire_bytes, one.totals.wire_bytes, "data={n}:\n{one}");
            assert_eq!(data.totals.wire_bytes, two.totals.wire_bytes, "data={n}:\n{two}");
            assert!(2 * three.totals.wire_bytes <= 3 * data.totals.wire_bytes, "data={n}:\n{three}");
        }
    }
}

/// Gradients accumulated over micro-batches are reduced once after the last one, unless they are stored sharded.
#[test]
fn accumulated_gradients_are_reduced_once() {
    let spec = "zoo:mlp?layers=2&width=12&hidden=24&batch=12&loss=true";
    let program = traced(spec);
    let of = |axes: &[(&str, u32)], presets: &str, parts: u64| {
        let plan = plan(axes, presets).train(format!("adamw?lr=1e-2&accumulate={parts}"));
        partition_and_check(&program, &plan, &format!("{presets} on {axes:?} in {parts} parts")).report()
    };
    for axes in [&[("data", 2)][..], &[("data", 3)], &[("data", 2), ("model", 2)]] {
        let presets = |zero: &str| if axes.len() > 1 { format!("{zero},megatron") } else { zero.to_owned() };
        for zero in ["data", "zero1"] {
            let sums = |report: &Report, kind: &str| -> u64 {
                let rows = report.collectives.iter().filter(|c| c.kind == kind && c.axes == ["data"]);
                rows.map(|c| c.count * c.payload_bytes).sum()
            };
            let [whole, parts] = [1, 2].map(|parts| of(axes, &presets(zero), parts));
            for kind in ["all_reduce", "reduce_scatter", "all_gather"] {
                assert_eq!(sums(&whole, kind), sums(&parts, kind), "{zero} on {axes:?}: {kind}\n{parts}");
            }
        }
        let turns = of(axes, &presets("zero2"), 2);
        let scattered = turns.collectives.iter().filter(|c| c.kind == "reduce_scatter");
        assert!(scattered.clone().count() > 0 && scattered.clone().all(|c| c.count % 2 == 0), "{axes:?}:\n{turns}");
    }
}

/// With `shard` in the mesh, state is sharded over `shard` and replicated over `data`, also on unevenly split
/// dimensions and in combination with tensor parallelism and pipelines.
#[test]
fn hybrid_sharding_agrees_with_one_device() {
    let gpt = format!("{GPT}&loss=true");
    for zero in ["zero1", "zero2", "zero3", "zero3?axis=data"] {
        for axes in [[("data", 2), ("shard", 3)], [("shard", 2), ("data", 2)]] {
            for spec in [&gpt, MLP, CNN] {
                let plan = plan(&axes, zero).train("adamw?lr=1e-2");
                let part = partition_and_check(&traced(spec), &plan, &format!("{spec}: {zero} on {axes:?}"));
                let axis = if zero.contains('?') { "data" } else { "shard" };
                let rows = part.report().collectives;
                let is_scattered = |row: &CollectiveRow| row.kind == "reduce_scatter" && row.axes == [axis];
                assert!(rows.iter().any(is_scattered), "{spec}: {zero} on {axes:?}");
                // Only the loss is reduced over both axes at once. The first convolution is never reduce-scattered.
                let joint = rows.iter().filter(|row| row.axes.len() > 1 && spec != CNN);
                let largest = joint.map(|row| row.payload_bytes).max();
                assert!(largest <= Some(8), "{spec}: {zero} on {axes:?}: {largest:?} bytes");
            }
        }
    }
    let axes = [("data", 2), ("shard", 2), ("model", 2)];
    let plan = plan(&axes, "zero3,megatron").train("adamw?lr=1e-2");
    partition_and_check(&traced(&gpt), &plan, "hybrid sharding with tensor parallelism");
    for schedule in ["1f1b", "zb-h1"] {
        let plan = self::plan(&axes[..2], "zero2").train("adamw?lr=1e-2");
        let plan = plan.pipeline("2").micro_batches("2").schedule(schedule);
        partition_and_check(&traced(&gpt), &plan, &format!("hybrid sharding in two stages, {schedule}"));
    }
}

/// Hybrid sharding reduces only the shards of gradients across groups, and only once for all micro-batches.
#[test]
fn hybrid_sharding_reduces_shards_across_groups() {
    let program = traced("zoo:mlp?layers=2&width=12&hidden=24&batch=16&loss=true");
    let bytes = |zero: &str, parts: u64, kind: &str, axis: &str| -> u64 {
        let train = format!("adamw?lr=1e-2&accumulate={parts}");
        let plan = plan(&[("data", 2), ("shard", 4)], zero).train(train);
        let report = partition_and_check(&program, &plan, &format!("{zero} in {parts} parts")).report();
        let rows = report.collectives.iter().filter(|c| c.kind == kind && c.axes == [axis]);
        rows.map(|c| c.count * c.payload_bytes).sum()
    };
    for zero in ["zero1", "zero2", "zero3"] {
        let within = bytes(zero, 1, "reduce_scatter", "shard");
        let across = bytes(zero, 1, "all_reduce", "data");
        assert!(across > 0 && within == 4 * across, "{zero}: {within} within, {across} across");
        assert_eq!(bytes(zero, 2, "all_reduce", "data"), across, "{zero}");
    }
}

/// On hosts with a slow network between them, a search prefers replicas of the state on each host to one copy on all
/// hosts, if the state does not fit on a device and gradients are accumulated.
#[test]
fn hybrid_sharding_is_chosen_on_a_slow_network() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/machines/slow-network.toml");
    let (program, machine) =
        (traced("zoo:mlp?layers=8&width=128&hidden=128&batch=4096&loss=true"), load_machine(path).unwrap());
    let step = Plan::default().train("adam?accumulate=4").precision("**", "bf16").bucket("8KiB");
    let memory = 1550 << 10;
    let outcome = partita::search(&program, &machine).plan(&step).memory(memory).run().unwrap();
    let best = &outcome.plans()[0];
    let presets: Vec<&str> = best.plan.presets.iter().map(|preset| preset.text.as_str()).collect();
    assert_eq!((best.mesh.as_str(), &presets[..]), ("data=2,shard=4", &["data", "zero3"][..]), "{outcome}");
    for zero in ["data", "zero1", "zero2", "zero3"] {
        let flat = plan(&[("data", 8)], zero).then(step.clone());
        let flat = program.partition(&flat).unwrap();
        let simulation = Simulation::new(&flat, &machine, &Efficiencies::default()).unwrap();
        let (seconds, peak) = (simulation.prediction().seconds, simulation.prediction().peak_bytes());
        assert!(peak > memory || seconds > 1.3 * best.seconds, "{zero}: {seconds} s, {peak} bytes");
    }
    partition_and_check(&program, &best.plan, "hybrid sharding on a slow network");
}

/// Bucketed gradients need fewer collectives, with equal bytes.
#[test]
fn gradients_are_bucketed() {
    let program = traced(&format!("{GPT}&loss=true"));
    for axes in [&[("data", 2)][..], &[("data", 3)], &[("data", 2), ("model", 2)]] {
        let presets = if axes.len() > 1 { "data,megatron" } else { "data" };
        let of = |bucket: &str| {
            let plan = plan(axes, presets).train("adamw?lr=1e-2").bucket(bucket);
            partition_and_check(&program, &plan, &format!("{presets} on {axes:?} in buckets of {bucket}")).report()
        };
        let [alone, small, large] = ["none", "16KiB", "25MiB"].map(of);
        let sums = |report: &Report| -> (u64, u64) {
            let rows = report.collectives.iter().filter(|c| c.kind == "all_reduce" && c.axes == ["data"]);
            rows.fold((0, 0), |(count, bytes), c| (count + c.count, bytes + c.count * c.payload_bytes))
        };
        let (ones, bytes) = sums(&alone);
        assert!(ones > 20, "{axes:?}:\n{alone}");
        assert_eq!(sums(&large), (2, bytes), "{axes:?}:\n{large}");
        let (buckets, same) = sums(&small);
        assert!(buckets > 2 && buckets <= bytes.div_ceil(16 << 10) + 1, "{axes:?}: {buckets} buckets\n{small}");
        assert_eq!(same, bytes, "{axes:?}:\n{small}");
        let reason = &large.collectives.iter().max_by_key(|c| c.payload_bytes).unwrap().reason;
        assert_eq!(*reason, format!("{} gradients in one bucket", ones - 1));
        let by_default =
            partition_and_check(&program, &plan(axes, presets).train("adamw?lr=1e-2"), "the bucket of the preset");
        assert_eq!(sums(&by_default.report()), sums(&large));
    }
}

#[test]
fn zero_combines_with_other_presets() {
    let spec = format!("{GPT}&dropout=0.25");
    let program = traced(&spec);
    for presets in
        ["zero1,megatron", "zero2,megatron,sequence", "zero3,megatron", "fsdp,megatron,sequence", "zero2,mesh"]
    {
        for axes in [[("data", 2), ("model", 2)], [("data", 2), ("model", 3)]] {
            let plan = plan(&axes, presets).train("adamw?lr=1e-2");
            partition_and_check(&program, &plan, &format!("{presets} on {axes:?}"));
        }
    }
}

/// A run needs little more memory than the plan states: no device keeps the gradients of all layers until the update.
#[test]
fn runs_need_the_memory_of_the_plan() {
    let spec = "zoo:gpt?layers=6&width=256&heads=8&seq=16&vocab=64&batch=8";
    for (axis, presets) in [("data", "zero3"), ("model", "megatron"), ("model", "megatron,sequence")] {
        let plan = plan(&[(axis, 4)], presets).train("adamw");
        let partition = traced(spec).partition(&plan).unwrap_or_else(|e| panic!("{presets}: {e}"));
        let planned = partition.report().memory.peak_bytes;
        let footprint = partition.footprint().unwrap();
        assert!(footprint.total() as f64 <= 1.15 * planned as f64, "{presets}: {footprint}, {planned} bytes planned");
    }
}

/// Each ZeRO stage lowers peak memory, and so does sharding over the sequence.
#[test]
fn peak_memory_decreases_with_zero_stages() {
    let peak = |spec: &str, axis: &str, presets: &str| {
        let plan = plan(&[(axis, 8)], presets).train("adamw");
        traced(spec).partition(&plan).unwrap_or_else(|e| panic!("{presets}: {e}")).report().memory.peak_bytes
    };
    let deep = "zoo:mlp?layers=16&batch=16";
    let peaks = ["data", "zero1", "zero2", "zero3"].map(|presets| peak(deep, "data", presets));
    assert!(peaks.windows(2).all(|w| w[1] < w[0]), "{peaks:?}");
    let gpt = format!("{GPT}&dropout=0.25");
    assert!(peak(&gpt, "model", "megatron,sequence") < peak(&gpt, "model", "megatron"));
}
