//! Frozen parameters are unchanged, and all others are trained as before.

use super::models::traced;
use super::steps::{Task, Trained, mesh, part, single_device_plan};
use partita::prelude::*;

const GPT: &str = "zoo:gpt?layers=3&width=16&heads=4&hidden=20&seq=6&vocab=20&batch=8&dropout=0.1";
const ADAM: &str = "adamw?lr=1e-2&warmup=5";
const PREFIX: [&str; 3] = ["tokens.**", "positions.**", "blocks.0.**"];

fn prefix(plan: Plan) -> Plan {
    PREFIX.into_iter().fold(plan.train(ADAM), |plan, path| plan.freeze(path))
}

fn is_frozen(name: &str) -> bool {
    PREFIX.iter().any(|path| name.contains(path.trim_end_matches("**")))
}

/// Returns the inputs of another task's step: for each name, the latest output or input, and new data.
fn inputs_of_next_task(from: &Task, taken: &[Tensor], given: &Trained, to: &Task, step: u64) -> Vec<Tensor> {
    let given = from.next_inputs(taken, &given.outputs, step);
    let (before, after) = (&from.program, &to.program);
    let fresh = to.data(step);
    let each = after.inputs().iter().zip(fresh);
    each.map(|(&v, fresh)| {
        let at = before.inputs().iter().position(|&old| before.path_of(old) == after.path_of(v));
        at.map_or(fresh, |at| given[at].clone())
    })
    .collect()
}

/// Ten steps of full training, ten with a frozen prefix, and ten of full training are equal to resetting the prefix
/// after each of the middle steps.
#[test]
fn temporary_freezing_equals_masked_updates() {
    let plan = |n| mesh(&[("data", n)]).preset("zero2");
    let (all, some) =
        (Task::new(GPT, &single_device_plan().train(ADAM)), Task::new(GPT, &prefix(single_device_plan())));
    let parts = [part(GPT, &plan(2).train(ADAM)), part(GPT, &prefix(plan(2)))];
    let run = |task: &Task, part: &Partition, start: &[Tensor], first: u64| -> (Vec<Tensor>, Trained) {
        // The next phase starts from the inputs and outputs of the last step.
        let mut inputs = start.to_vec();
        let (mut losses, mut outputs) = (Vec::new(), Vec::new());
        for step in 0..10 {
            if step > 0 {
                inputs = task.next_inputs(&inputs, &outputs, first + step);
            }
            let one = task.run_partitioned(part, inputs.clone(), 1);
            losses.extend(one.losses);
            outputs = one.outputs;
        }
        (inputs, Trained { losses, outputs })
    };
    let (taken, first) = run(&all, &parts[0], &all.data(0), 0);
    let start = inputs_of_next_task(&all, &taken, &first, &some, 10);
    let (frozen_taken, second) = run(&some, &parts[1], &start, 10);
    // State that only the first task has continues with the third.
    let mut start = inputs_of_next_task(&all, &taken, &first, &all, 20);
    let learned = inputs_of_next_task(&some, &frozen_taken, &second, &all, 20);
    for (i, &v) in all.program.inputs().iter().enumerate() {
        if !is_frozen(all.program.path_of(v)) {
            start[i] = learned[i].clone();
        }
    }
    let (_, third) = run(&all, &parts[0], &start, 20);

    let mut step = 0;
    let mut inputs = all.data(0);
    let (mut losses, mut last) = (Vec::new(), Vec::new());
    while step < 30 {
        let one = all.run_on_one_device(inputs.clone(), 1);
        losses.extend(&one.losses);
        let masked = (10..20).contains(&step);
        let next = all.next_inputs(&inputs, &one.outputs, step + 1);
        let each = all.program.inputs().iter().zip(inputs.into_iter().zip(next));
        inputs =
            each.map(|(&v, (old, new))| if masked && is_frozen(all.program.path_of(v)) { old } else { new }).collect();
        last = one.outputs;
        step += 1;
    }
    let together = [first.losses, second.losses, third.losses].concat();
    all.assert_close(
        &Trained { losses: together, outputs: third.outputs },
        &Trained { losses, outputs: last },
        "ten, ten frozen, and ten",
    );
}

/// Listing the frozen parameters is equivalent to listing the trained ones.
#[test]
fn train_only_equals_freezing_the_others() {
    let plan = || mesh(&[("data", 2), ("model", 2)]).preset("megatron,zero1").train(ADAM);
    let frozen = prefix(plan());
    let only = plan().train_only("blocks.1.**").train_only("blocks.2.**").train_only("norm.**");
    let [frozen, only] = [frozen, only].map(|plan| part(GPT, &plan));
    assert_eq!(frozen.local().unwrap(), only.local().unwrap());
    let task = Task::new(GPT, &prefix(single_device_plan()));
    let alone = task.run_on_one_device(task.data(0), 4);
    task.assert_close(&task.run_partitioned(&frozen, task.data(0), 4), &alone, "frozen");
    // No output is named after a frozen parameter, and no optimizer state exists for it.
    let main = &task.program.funcs[task.program.entry()];
    let names = main.inputs.iter().map(|&v| task.program.path_of(v)).filter(|name| name.starts_with("optimizer."));
    assert!(names.chain(main.outputs.iter().map(|o| o.name.as_str())).all(|name| !is_frozen(name)));
}

/// In an imported step, the outputs that replace a frozen parameter and its state are the corresponding inputs.
#[test]
fn imported_step_is_frozen() {
    let plan = || single_device_plan().train("momentum?lr=1e-2");
    let spec = "zoo:mlp?layers=3&width=8&hidden=12&batch=8";
    let text = |plan: &Plan| partita_ir::text::print(&Task::narrow(spec, plan).program);
    let whole = partita::parse("step.pir", &text(&plan())).unwrap();
    let part = whole.partition(&mesh(&[("data", 2)]).preset("zero1").freeze("layers.0.**")).unwrap();
    let inputs = part.random_inputs(1).unwrap();
    let outputs = part.run(&inputs).unwrap();
    let forward = traced(spec);
    let made = forward.partition(&mesh(&[("data", 2)]).preset("zero1").train("momentum?lr=1e-2").freeze("layers.0.**"));
    let made = made.unwrap();
    // The arithmetic is equal to freezing before differentiation.
    assert_eq!(part.report().totals.flops, made.report().totals.flops);
    let planned = part.planned();
    let main = &planned.funcs[planned.entry()];
    for (output, new) in main.outputs.iter().zip(&outputs) {
        let Some(replaced) = output.replaces else { continue };
        let old = &inputs[main.inputs.iter().position(|&input| input == replaced).unwrap()];
        let is_frozen = output.name.contains("layers.0.");
        assert_eq!(old == new, is_frozen, "{}", output.name);
    }
}
