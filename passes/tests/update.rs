//! The update of a training step by its numbers: learning rates, clipping, scales. What the optimizers make of a
//! gradient is tested where they are operations.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, run, widen, widen_tensors};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::parse;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;

/// The gradient of each of the four weights is 3.
const MODEL: &str = "form traced
    param %w \"w\" : f32[4]
    input %x : f32[4]
      %p = mul %w, %x : f32[4]
      %s = reduce sum [0] %p : f32[]
    output %s \"loss\"";

/// Twelve samples, each of which adds 3 to the gradient of the only weight.
const BATCHED: &str = "form traced
    param %w \"w\" : f32[1, 1]
    input %x : f32[12, 1]
      %p = matmul %x, %w : f32[12, 1]
      %s = reduce sum [0, 1] %p : f32[]
    output %s \"loss\"";

fn step(model: &str, mesh: &[(&str, u32)], train: &str) -> Program {
    let mut program = parse(&Source::new("model.pir", model)).unwrap_or_else(|e| panic!("{}", e[0]));
    let plan = Plan::new(Mesh::new(mesh.iter().copied()).unwrap()).train(train);
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::make_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    widen(&program)
}

/// By how much the first weight falls in each of so many steps.
fn falls(train: &str, steps: usize) -> Vec<f64> {
    falls_of(&step(MODEL, &[("data", 4), ("model", 2)], train), steps)
}

fn falls_of(program: &Program, steps: usize) -> Vec<f64> {
    let mut inputs = widen_tensors(&random_inputs(program, 1).unwrap());
    inputs[1] = Tensor::splat(inputs[1].ty.clone(), Scalar::Float(3.0));
    let main = &program.funcs[program.entry()];
    let mut falls = Vec::new();
    for _ in 0..steps {
        let before = inputs[0].get(0).to_f64();
        let outputs = run(program, inputs.clone()).unwrap();
        for (output, value) in main.outputs.iter().zip(outputs) {
            let Some(param) = output.alias else { continue };
            let at = main.inputs.iter().position(|v| *v == program.params[param].value).unwrap();
            inputs[at] = value;
        }
        falls.push(before - inputs[0].get(0).to_f64());
    }
    falls
}

/// Learning rates are numbers of `f32`.
fn assert_falls(train: &str, want: &[f64]) {
    let falls = falls(train, want.len());
    let close = falls.iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1e-3));
    assert!(close, "{train}: {falls:?}, not {want:?}");
}

#[test]
fn the_rate_follows_its_schedule() {
    assert_falls("sgd?lr=0.1", &[0.3, 0.3]);
    assert_falls("sgd?lr=0.1&warmup=4", &[0.075, 0.15, 0.225, 0.3, 0.3]);
    assert_falls("sgd?lr=0.1&schedule=linear&steps=4", &[0.225, 0.15, 0.075, 0.0, 0.0]);
    assert_falls("sgd?lr=0.1&schedule=linear&steps=4&end=0.5", &[0.2625, 0.225, 0.1875, 0.15, 0.15]);
    let root = 0.5f64.sqrt();
    assert_falls("sgd?lr=0.1&schedule=cosine&steps=4", &[0.15 * (1.0 + root), 0.15, 0.15 * (1.0 - root), 0.0]);
    assert_falls("sgd?lr=0.1&warmup=2&schedule=linear&steps=4", &[0.15, 0.3, 0.15, 0.0]);
}

/// Neither the names nor the sizes of axes matter, nor in how many parts the batch goes through the model.
#[test]
fn the_rate_grows_with_the_batch_alone() {
    for mesh in [&[("data", 1)][..], &[("data", 4), ("model", 2)], &[("dp", 3)], &[("rows", 12)], &[("data", 2)]] {
        for (options, want) in [
            ("lr=0.1", 3.6),
            ("lr=0.1&lr_base_batch=12", 3.6),
            ("lr=0.1&lr_base_batch=4", 10.8),
            ("lr=0.1&lr_base_batch=24", 1.8),
            ("lr=0.1&lr_base_batch=3&lr_scaling=sqrt", 7.2),
            ("lr=0.1&lr_base_batch=4&accumulate=3", 10.8),
        ] {
            let fall = falls_of(&step(BATCHED, mesh, &format!("sgd?{options}")), 1)[0];
            assert!((fall - want).abs() < 1e-6 * want, "{mesh:?}, {options}: {fall}, not {want}");
        }
    }
}

#[test]
fn gradients_are_clipped_together() {
    // Four gradients of 3 have a norm of 6.
    assert_falls("sgd?lr=0.1&clip=2", &[0.1 * 3.0 / 3.0]);
    assert_falls("sgd?lr=0.1&clip=7", &[0.3]);
    assert_falls("sgd?lr=0.1&clip=2&scale=1024", &[0.1]);
}

#[test]
fn a_scale_leaves_no_trace() {
    for scale in ["1024", "dynamic", "none"] {
        assert_falls(&format!("sgd?lr=0.1&scale={scale}"), &[0.3, 0.3]);
    }
}

#[test]
fn adam_begins_with_steps_of_its_rate() {
    assert_falls("adam?lr=0.1", &[0.1, 0.1, 0.1]);
    assert_falls("momentum?lr=0.1&beta=0.5", &[0.3, 0.45, 0.525]);
}

#[test]
fn norms_are_those_of_gradients_before_clipping_and_without_the_scale_of_the_loss() {
    for train in ["sgd?norms=true", "sgd?norms=true&clip=1", "sgd?norms=true&scale=1024"] {
        let program = step(MODEL, &[("data", 4), ("model", 2)], train);
        let inputs = widen_tensors(&random_inputs(&program, 0).unwrap());
        let x: f64 = inputs[1].scalars().map(|x| x.to_f64().powi(2)).sum();
        let outputs = run(&program, inputs).unwrap();
        let named: Vec<&str> = program.outputs().iter().map(|o| o.name.as_str()).collect();
        let at = named.iter().position(|&name| name == "norm.w").unwrap_or_else(|| panic!("{named:?}"));
        let norm = outputs[at].get(0).to_f64();
        assert!((norm - x.sqrt()).abs() < 1e-9, "{train}: {norm} {}", x.sqrt());
    }
}
