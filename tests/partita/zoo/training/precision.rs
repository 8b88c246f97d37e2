//! Low-precision training follows full precision.

use super::steps::{Task, mesh, part, single_device_plan};
use partita::Steps;
use partita::prelude::*;
use partita_ir::op::OpKind;
use partita_ir::program::Phase;

const MLP: &str = "zoo:mlp?layers=3&width=12&hidden=20&batch=8";
const GPT: &str = "zoo:gpt?layers=2&width=16&heads=4&hidden=32&seq=8&vocab=20&batch=8";
const CNN: &str = "zoo:mnist-cnn?image=8&batch=8";

/// Returns the loss of each step on two devices.
fn losses(spec: &str, train: &str, steps: u64, precision: &[(&str, &str)]) -> Vec<f64> {
    let plan = mesh(&[("data", 2)]).preset("zero2").train(train);
    let plan = precision.iter().fold(plan, |plan, (path, dtype)| plan.precision(*path, *dtype));
    let part = part(spec, &plan);
    let mut losses = Vec::new();
    let steps = Steps { count: steps, seed: Some(7) };
    part.run_steps(&part.random_inputs(7).unwrap(), steps, &mut |step| losses.push(step.loss)).unwrap();
    losses
}

fn follows(spec: &str, train: &str, steps: u64) {
    let wide = losses(spec, train, steps, &[]);
    assert!(wide[wide.len() - 1] != wide[0]);
    for dtype in ["bf16", "f16"] {
        let narrow = losses(spec, train, steps, &[("**", dtype)]);
        let off = narrow.iter().zip(&wide).map(|(a, b)| ((a - b) / b).abs());
        let worst = off.enumerate().fold((0, 0.0), |worst, (i, x)| if x <= worst.1 { worst } else { (i, x) });
        assert!(worst.1 <= 0.02, "{spec} in {dtype}: {worst:?}, {} not {}", narrow[worst.0], wide[worst.0]);
    }
}

#[test]
fn low_precision_losses_follow_f32() {
    follows(MLP, "adamw?lr=2e-3&scale=1024", 30);
    follows(GPT, "adamw?lr=2e-3&scale=1024", 15);
    follows(CNN, "sgd?lr=1e-2&scale=1024", 15);
}

#[test]
#[ignore = "long: cargo xtask soak"]
fn low_precision_losses_follow_f32_for_many_steps() {
    for scale in ["&scale=1024", ""] {
        follows(MLP, &format!("adamw?lr=2e-3{scale}"), 100);
        follows(GPT, &format!("adamw?lr=2e-3{scale}"), 100);
        follows(CNN, &format!("sgd?lr=1e-2{scale}"), 100);
    }
}

/// A step that overflows leaves parameters and state unchanged.
#[test]
fn overflow_skips_the_step() {
    for dtype in ["f16", "f32"] {
        let train = "adamw?lr=1e-2&scale=1e30";
        let task = Task::narrow(MLP, &single_device_plan().train(train).precision("**", dtype));
        let part = part(MLP, &mesh(&[("data", 2)]).preset("zero1").train(train).precision("**", dtype));
        let start = task.start();
        let end = task.run_partitioned(&part, start.clone(), 3);
        assert!(end.losses.iter().all(|loss| loss.is_finite()), "{:?}", end.losses);
        assert_eq!(task.next_inputs(&start, &end.outputs, 0), start, "{dtype}");
    }
}

/// A dynamic loss scale is halved by an overflow, until steps succeed again.
#[test]
fn overflow_halves_the_dynamic_loss_scale() {
    let train = "adamw?lr=1e-2&scale=dynamic";
    let task = Task::narrow(MLP, &single_device_plan().train(train).precision("**", "f16"));
    let part = part(MLP, &mesh(&[("data", 2)]).preset("zero1").train(train).precision("**", "f16"));
    let mut inputs = task.start();
    let main = &task.program.funcs[task.program.entry()];
    let position = |name: &str| main.inputs.iter().position(|&v| task.program.path_of(v) == name).unwrap();
    let (scale, good, weight) =
        (position("optimizer.scale"), position("optimizer.good_steps"), position("layers.0.weight"));
    inputs[scale] = Tensor::from_floats(inputs[scale].ty.clone(), vec![2f64.powi(40)]);
    let (mut skipped, mut made) = (0, 0);
    for step in 0..40 {
        let given = task.run_partitioned(&part, inputs.clone(), 1);
        let next = task.next_inputs(&inputs, &given.outputs, step + 1);
        let number = |inputs: &[Tensor], at: usize| inputs[at].get(0).to_f64();
        if next[weight] == inputs[weight] {
            assert_eq!(number(&next, scale), number(&inputs, scale) / 2.0, "step {step}");
            assert_eq!(number(&next, good), 0.0, "step {step}");
            skipped += 1;
        } else {
            assert_eq!(number(&next, scale), number(&inputs, scale), "step {step}");
            assert_eq!(number(&next, good), number(&inputs, good) + 1.0, "step {step}");
            made += 1;
        }
        inputs = next;
    }
    assert!(skipped > 5 && made > 5, "{skipped} skipped, {made} made");
}

/// Paths excepted from a precision compute in the original type.
#[test]
fn exceptions_by_path() {
    let products = |plan: Plan| -> Vec<(String, String)> {
        let part = part(GPT, &plan.train("sgd"));
        let local = part.local().unwrap();
        let body = local.entry_ops().map(|at| at.op);
        let products = body.filter(|op| matches!(op.kind, OpKind::DotGeneral(_)) && op.phase == Phase::Forward);
        let dtype = |v| local.ty(v).dtype.to_string();
        products.map(|op| (op.origin.scope.to_string(), dtype(op.args[0]))).collect()
    };
    let all = products(single_device_plan().precision("**", "bf16"));
    assert!(all.iter().all(|(_, dtype)| dtype == "bf16"), "{all:?}");
    let some = products(single_device_plan().precision("**", "bf16").precision("blocks.0.feed_forward.**", "f32"));
    let excepted = |scope: &str| scope.starts_with("blocks.0.feed_forward");
    assert!(some.iter().all(|(scope, dtype)| (dtype == "f32") == excepted(scope)), "{some:?}");
    assert_eq!(some.iter().filter(|(scope, _)| excepted(scope)).count(), 2, "{some:?}");
    // The inverse selection is equivalent.
    let one = products(single_device_plan().precision("blocks.1.attention.**", "bf16"));
    assert!(one.iter().any(|(_, dtype)| dtype == "bf16"), "{one:?}");
    assert!(one.iter().all(|(scope, dtype)| dtype == "f32" || scope.starts_with("blocks.1.attention")), "{one:?}");
}
