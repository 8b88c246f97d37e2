//! Training with micro-batches has the results of the full batch.

use super::steps::{Task, mesh, part, single_device_plan};

/// Models with micro-batches. A mixture of experts is excluded, since its balance is a product of means over the batch.
const MODELS: [&str; 3] = [
    "zoo:mlp?layers=3&width=12&hidden=20&batch=8",
    "zoo:gpt?layers=2&width=16&heads=4&hidden=20&seq=6&vocab=20&batch=8",
    "zoo:mnist-cnn?image=8&batch=8",
];

#[test]
fn micro_batches_accumulate_to_the_full_batch() {
    for spec in MODELS {
        for optimizer in ["sgd?lr=1e-2", "adamw?lr=1e-2&clip=0.5"] {
            let task = Task::new(spec, &single_device_plan().train(optimizer));
            let whole = task.run_on_one_device(task.start(), 5);
            for parts in [2, 4, 8] {
                let train = format!("{optimizer}&accumulate={parts}");
                let in_parts = Task::new(spec, &single_device_plan().train(&train));
                task.assert_close(&in_parts.run_on_one_device(task.start(), 5), &whole, &format!("{parts} parts"));
            }
        }
    }
}

#[test]
fn micro_batches_are_sharded() {
    for spec in MODELS {
        let task = Task::new(spec, &single_device_plan().train("adamw?lr=1e-2"));
        let whole = task.run_on_one_device(task.start(), 4);
        for (axes, presets) in [
            (&[("data", 2)][..], "data"),
            (&[("data", 4)], "zero2"),
            (&[("data", 2)], "zero3"),
            (&[("model", 2)], "megatron"),
            (&[("data", 2), ("model", 2)], "megatron,zero1"),
            (&[("data", 3)], "zero1"),
        ] {
            let plan = mesh(axes).preset(presets).train("adamw?lr=1e-2&accumulate=2");
            let part = part(spec, &plan);
            task.assert_close(&task.run_partitioned(&part, task.start(), 4), &whole, &format!("{presets} on {axes:?}"));
        }
    }
}

/// Micro-batches need less memory: only the activations of one are stored at a time.
#[test]
fn micro_batches_need_less_memory() {
    let peak = |parts: u32| {
        let plan = mesh(&[("data", 2)]).preset("data").train(format!("sgd?accumulate={parts}"));
        part("zoo:gpt?layers=4&width=16&heads=4&hidden=20&seq=32&vocab=20&batch=32", &plan).report().memory.peak_bytes
    };
    let [one, two, four] = [1, 2, 4].map(peak);
    assert!(two < one * 2 / 3 && four < two * 2 / 3, "{one} {two} {four}");
}
