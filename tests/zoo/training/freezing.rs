//! What is frozen stays, and all else is trained as ever.

use super::models::traced;
use super::steps::{Task, Trained, alone, mesh, part};
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

/// What a step of another task takes: by name what was given last, or else was taken; new data.
fn hand_over(from: &Task, taken: &[Tensor], given: &Trained, to: &Task, step: u64) -> Vec<Tensor> {
    let given = from.next(taken, &given.outputs, step);
    let (before, after) = (&from.program, &to.program);
    let fresh = to.data(step);
    let each = after.inputs().iter().zip(fresh);
    each.map(|(&v, fresh)| {
        let at = before.inputs().iter().position(|&old| before.path_of(old) == after.path_of(v));
        at.map_or(fresh, |at| given[at].clone())
    })
    .collect()
}

/// Ten steps of all, ten with a frozen prefix, ten of all: as if what belongs to the prefix had been put back after
/// each step.
#[test]
fn freezing_for_a_while_is_masking_updates() {
    let plan = |n| mesh(&[("data", n)]).preset("zero2");
    let (all, some) = (Task::new(GPT, &alone().train(ADAM)), Task::new(GPT, &prefix(alone())));
    let parts = [part(GPT, &plan(2).train(ADAM)), part(GPT, &prefix(plan(2)))];
    let run = |task: &Task, part: &Partition, start: &[Tensor], first: u64| -> (Vec<Tensor>, Trained) {
        // The last step's inputs are what is handed on.
        let mut inputs = start.to_vec();
        let (mut losses, mut outputs) = (Vec::new(), Vec::new());
        for step in 0..10 {
            if step > 0 {
                inputs = task.next(&inputs, &outputs, first + step);
            }
            let one = task.together(part, inputs.clone(), 1);
            losses.extend(one.losses);
            outputs = one.outputs;
        }
        (inputs, Trained { losses, outputs })
    };
    let (taken, first) = run(&all, &parts[0], &all.data(0), 0);
    let start = hand_over(&all, &taken, &first, &some, 10);
    let (frozen_taken, second) = run(&some, &parts[1], &start, 10);
    // State that only the first task knows goes on with the third.
    let mut start = hand_over(&all, &taken, &first, &all, 20);
    let learned = hand_over(&some, &frozen_taken, &second, &all, 20);
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
        let one = all.alone(inputs.clone(), 1);
        losses.extend(&one.losses);
        let masked = (10..20).contains(&step);
        let next = all.next(&inputs, &one.outputs, step + 1);
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

/// What is not to be trained, or what alone is: two ways to say one thing.
#[test]
fn training_only_some_is_freezing_the_others() {
    let plan = || mesh(&[("data", 2), ("model", 2)]).preset("megatron,zero1").train(ADAM);
    let frozen = prefix(plan());
    let only = plan().train_only("blocks.1.**").train_only("blocks.2.**").train_only("norm.**");
    let [frozen, only] = [frozen, only].map(|plan| part(GPT, &plan));
    assert_eq!(frozen.local().unwrap(), only.local().unwrap());
    let task = Task::new(GPT, &prefix(alone()));
    let alone = task.alone(task.data(0), 4);
    task.assert_close(&task.together(&frozen, task.data(0), 4), &alone, "frozen");
    // No result is called like what is frozen, and no state is kept of it.
    let main = &task.program.funcs[task.program.entry()];
    let names = main.inputs.iter().map(|&v| task.program.path_of(v)).filter(|name| name.starts_with("optimizer."));
    assert!(names.chain(main.outputs.iter().map(|o| o.name.as_str())).all(|name| !is_frozen(name)));
}

/// A step that was made elsewhere, as text: what replaces a frozen parameter, and its state, is what came in.
#[test]
fn a_step_that_is_there_already_is_frozen() {
    let plan = || alone().train("momentum?lr=1e-2");
    let spec = "zoo:mlp?layers=3&width=8&hidden=12&batch=8";
    let text = |plan: &Plan| partita_ir::text::print(&Task::narrow(spec, plan).program);
    let whole = partita::parse("step.pir", &text(&plan())).unwrap();
    let part = whole.partition(&mesh(&[("data", 2)]).preset("zero1").freeze("layers.0.**")).unwrap();
    let inputs = part.random_inputs(1).unwrap();
    let outputs = part.run(&inputs).unwrap();
    let forward = traced(spec);
    let made = forward.partition(&mesh(&[("data", 2)]).preset("zero1").train("momentum?lr=1e-2").freeze("layers.0.**"));
    let made = made.unwrap();
    // No more is computed than where it was frozen from the start.
    assert_eq!(part.report().totals.flops, made.report().totals.flops);
    let planned = part.planned();
    let main = &planned.funcs[planned.entry()];
    for (output, new) in main.outputs.iter().zip(&outputs) {
        let Some(param) = output.alias else { continue };
        let value = part.planned().params[param].value;
        let old = &inputs[main.inputs.iter().position(|&v| v == value).unwrap()];
        let is_frozen = output.name.contains("layers.0.");
        assert_eq!(old == new, is_frozen, "{}", output.name);
    }
}
