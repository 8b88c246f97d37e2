//! Recomputation does not change any bit of the results.

use super::steps::{Task, mesh, part, single_device_plan};
use partita::{Machine, Plan, ProgramExt};

const GPT: &str = "zoo:gpt?layers=3&width=16&heads=4&hidden=20&seq=8&vocab=20&batch=8&dropout=0.1";
const MLP: &str = "zoo:mlp?layers=5&width=12&hidden=20&batch=8&dropout=0.25";
const CNN: &str = "zoo:mnist-cnn?image=8&batch=8&batch_norm=true&dropout=0.25";
const TRAIN: &str = "adamw?lr=1e-2&clip=1";

#[test]
fn recomputation_is_bit_exact() {
    for spec in [GPT, MLP, CNN] {
        for task in [Task::new, Task::narrow].map(|task| task(spec, &single_device_plan().train(TRAIN))) {
            for (axes, presets) in [(&[("data", 1)][..], "data"), (&[("data", 2), ("model", 2)], "megatron,zero3")] {
                let plan = || mesh(axes).preset(presets).train(TRAIN);
                let trained = |plan: Plan| task.run_op_by_op(&part(spec, &plan), task.start(), 3);
                let kept = trained(plan());
                let policies =
                    ["none", "selective", "cheapest?share=30%", "cheapest?share=80%", "full", "auto?budget=1KiB"];
                for how in policies {
                    assert!(trained(plan().remat("**", how)) == kept, "{spec} by {presets}, {how}");
                }
            }
        }
    }
}

#[test]
fn recomputation_is_bit_exact_with_sequence_parallelism() {
    let plan = || mesh(&[("data", 2), ("model", 2)]).preset("megatron,sequence,zero2").train(TRAIN);
    let task = Task::narrow(GPT, &single_device_plan().train(TRAIN));
    let trained = |plan: Plan| task.run_op_by_op(&part(GPT, &plan), task.start(), 2);
    let kept = trained(plan());
    let policies = [
        ("**", "full"),
        ("**", "selective"),
        ("blocks.1.**", "full"),
        ("**", "cheapest?share=50%"),
        ("**", "ops:gelu,layer_norm,softmax"),
        ("blocks.*.feed_forward.**", "ops"),
        ("blocks.*.attention", "ops:dot_general,softmax"),
    ];
    for (path, how) in policies {
        assert!(trained(plan().remat(path, how)) == kept, "{path}={how}");
    }
}

/// The most specific of several path entries applies, in any order.
#[test]
fn by_path() {
    let held = |entries: &[(&str, &str)]| {
        let plan = entries.iter().fold(single_device_plan().train(TRAIN), |plan, (path, how)| plan.remat(*path, *how));
        part(GPT, &plan).report().memory.activation_bytes
    };
    let (none, all) = (held(&[]), held(&[("**", "full")]));
    let one = held(&[("blocks.1.**", "full")]);
    assert!(all < one && one < none, "{all} {one} {none}");
    let others = held(&[("blocks.1.**", "none"), ("**", "full")]);
    assert_eq!(others, held(&[("**", "full"), ("blocks.1.**", "none")]));
    assert_eq!(none - one, others - all);
}

/// Returns the bytes of activations and the recomputed FLOPs of a step with a policy.
fn costs(spec: &str, path: &str, how: &str) -> (u64, u64) {
    let plan = mesh(&[("data", 2), ("model", 2)]).preset("data,megatron").train(TRAIN).remat(path, how);
    let report = part(spec, &plan).report();
    let again = report.phases.iter().filter(|p| p.phase == "recompute").map(|p| p.flops).sum();
    (report.memory.activation_bytes, again)
}

/// A model with the proportions of a large one: products take most of the time.
const WIDE: &str = "zoo:gpt?layers=4&width=64&heads=4&seq=16&vocab=20&batch=8";

#[test]
fn a_larger_share_saves_more_bytes_for_more_flops() {
    let [none, full] = ["none", "full"].map(|how| costs(WIDE, "**", how));
    let mut before = none;
    for share in [25, 50, 75] {
        let (held, again) = costs(WIDE, "**", &format!("cheapest?share={share}%"));
        assert!(held < before.0 && again >= before.1, "{share} %: {held} after {before:?}");
        // The last of four layers recomputes nothing.
        assert!((none.0 - held) * 150 >= (none.0 - full.0) * share, "{share} %: {held} of {none:?} and {full:?}");
        before = (held, again);
    }
    let all = costs(WIDE, "**", "cheapest?share=100%");
    assert!(all.0 < before.0 && all.0 > full.0 && all.1 < full.1, "{all:?} {full:?}");
    // The first half of the bytes are results of norms and activation functions, which take few FLOPs.
    let half = costs(WIDE, "**", "cheapest?share=50%").1;
    assert!(half * 10 < full.1, "{half} of {}", full.1);
}

#[test]
fn results_of_ops_are_recomputed_by_kind_and_module() {
    let none = costs(WIDE, "**", "none");
    let gelu = costs(WIDE, "**", "ops:gelu");
    // The results of four activation functions, 4 examples of 16 tokens with 256 / 2 features.
    assert_eq!(none.0 - gelu.0, 4 * 4 * 16 * 128 * 4);
    assert_eq!(costs(WIDE, "blocks.1.feed_forward.**", "ops:gelu").0, none.0 - (none.0 - gelu.0) / 4);
    let module = costs(WIDE, "blocks.*.feed_forward.**", "ops");
    assert!(module.0 < gelu.0 && module.1 > gelu.1, "{module:?} {gelu:?}");
}

/// Paths of single layers apply to the stages that have them. A path without a match is an error in stages, too.
#[test]
fn paths_apply_in_stages() {
    let program = partita::load(WIDE).unwrap();
    let plan = |path: &str, how: &str| {
        mesh(&[("data", 2)]).preset("data").train("sgd").pipeline("2").micro_batches("2").remat(path, how)
    };
    for (path, how) in [("blocks.0.**", "full"), ("blocks.3.**", "ops:gelu"), ("norm.**", "ops:layer_norm")] {
        crate::zoo::partition_and_check(&program, &plan(path, how), &format!("{path}={how}"));
    }
    for (path, how) in [("blocks.4.**", "full"), ("blocks.4.**", "ops:gelu"), ("blocks.0.**", "ops:softmax")] {
        assert!(program.partition(&plan(path, how)).is_err(), "{path}={how}");
    }
}

/// A search for a step that does not fit without recomputation recomputes just enough: faster than full recomputation.
#[test]
fn search_recomputes_as_much_as_the_memory_requires() {
    let machine = Machine::named("hgx-h100").unwrap();
    let program = partita::load("zoo:gpt?layers=8&width=512&heads=8&seq=2048&vocab=1024&batch=64").unwrap();
    let plan =
        mesh(&[("data", 8)]).preset("data").train("adam").precision("**", "bf16").pipeline("1").micro_batches("1");
    let best = |plan: Plan, memory: u64| {
        let found = partita::search(&program, &machine).plan(&plan).memory(memory).run().unwrap();
        found.plans()[0].clone()
    };
    let [none, full] = ["none", "full"].map(|how| best(plan.clone().remat("**", how), 80 << 30));
    assert!(full.peak < none.peak && full.seconds > none.seconds);
    assert_eq!(best(plan.clone(), 80 << 30).recompute, "none");
    let memory = full.peak + (none.peak - full.peak) / 2;
    let chosen = best(plan.clone(), memory);
    assert!(chosen.recompute.starts_with("cheapest"), "{chosen}");
    assert!(chosen.peak <= memory, "{chosen}");
    assert!(chosen.seconds < full.seconds && chosen.seconds > none.seconds, "{chosen}");
}

/// A memory budget is satisfied if possible, with little recomputation.
#[test]
fn remat_to_a_memory_budget() {
    let by = |how: &str| {
        let part = part(GPT, &mesh(&[("data", 2)]).preset("zero1").train(TRAIN).remat("**", how));
        let warnings: Vec<String> = part.warnings().iter().map(ToString::to_string).collect();
        let report = part.report();
        let again: u64 = report.phases.iter().filter(|p| p.phase == "recompute").map(|p| p.flops).sum();
        (report.memory.peak_bytes, again, warnings)
    };
    let (most, _, _) = by("none");
    let (least, all, _) = by("full");
    assert!(least < most);
    let (peak, again, warnings) = by("auto?budget=1GiB");
    assert_eq!((peak, again, warnings.len()), (most, 0, 0));
    let mut before = 0;
    for share in [0.9, 0.7, 0.5, 0.3, 0.1] {
        let budget = least + ((most - least) as f64 * share) as u64;
        let (peak, again, warnings) = by(&format!("auto?budget={budget}"));
        assert!(warnings.is_empty() == (peak <= budget), "{share}: {peak} of {budget}, {warnings:?}");
        assert!(again >= before && again <= all, "{share}: {again}");
        assert!(share < 0.4 || peak <= budget, "{share}: {peak} of {budget}");
        before = again;
    }
    let (peak, _, warnings) = by("auto?budget=1KiB");
    assert!(peak <= least, "{peak}");
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("even with full recomputation"), "{warnings:?}");
}

/// Inference is unaffected by recomputation policies.
#[test]
fn inference_ignores_remat() {
    let plan = || mesh(&[("data", 2)]).preset("data");
    let [plain, full] = [plan(), plan().remat("**", "full")].map(|plan| part(GPT, &plan));
    assert_eq!(plain.local().unwrap(), full.local().unwrap());
}
