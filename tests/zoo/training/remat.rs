//! Recomputation does not change any bit of the results.

use super::steps::{Task, mesh, part, single_device_plan};
use partita::Plan;

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
                for how in ["none", "selective", "full", "auto?budget=1KiB"] {
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
    for (path, how) in [("**", "full"), ("**", "selective"), ("blocks.1.**", "full")] {
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
