//! Numbers of a training step's update: learning rates, clipping, loss scales. The optimizers themselves are tested as
//! ops.

use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, run, widen, widen_tensors};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::parse;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;

/// A model with four weights, each with a gradient of 3.
const MODEL: &str = "form traced
    param %w \"w\" : f32[4]
    input %x : f32[4]
      %p = mul %w, %x : f32[4]
      %s = reduce sum [0] %p : f32[]
    output %s \"loss\"";

/// A model with one weight and twelve samples, each of which adds 3 to its gradient.
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
    pipelines::build_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    widen(&program)
}

/// Returns the decrease of the first weight in each of `steps` steps.
fn decreases(train: &str, steps: usize) -> Vec<f64> {
    decreases_of(&step(MODEL, &[("data", 4), ("model", 2)], train), steps)
}

fn decreases_of(program: &Program, steps: usize) -> Vec<f64> {
    let mut inputs = widen_tensors(&random_inputs(program, 1).unwrap());
    inputs[1] = Tensor::splat(inputs[1].ty.clone(), Scalar::Float(3.0));
    let main = &program.funcs[program.entry()];
    let mut decreases = Vec::new();
    for _ in 0..steps {
        let before = inputs[0].get(0).to_f64();
        let outputs = run(program, inputs.clone()).unwrap();
        for (output, value) in main.outputs.iter().zip(outputs) {
            let Some(replaced) = output.replaces else { continue };
            let at = main.inputs.iter().position(|&input| input == replaced).unwrap();
            inputs[at] = value;
        }
        decreases.push(before - inputs[0].get(0).to_f64());
    }
    decreases
}

/// Compares decreases. The tolerance allows for learning rates in `f32`.
fn assert_decreases(train: &str, want: &[f64]) {
    let decreases = decreases(train, want.len());
    let close = decreases.iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs().max(1e-3));
    assert!(close, "{train}: {decreases:?}, not {want:?}");
}

#[test]
fn the_rate_follows_its_schedule() {
    assert_decreases("sgd?lr=0.1", &[0.3, 0.3]);
    assert_decreases("sgd?lr=0.1&warmup=4", &[0.075, 0.15, 0.225, 0.3, 0.3]);
    assert_decreases("sgd?lr=0.1&schedule=linear&steps=4", &[0.225, 0.15, 0.075, 0.0, 0.0]);
    assert_decreases("sgd?lr=0.1&schedule=linear&steps=4&end=0.5", &[0.2625, 0.225, 0.1875, 0.15, 0.15]);
    let root = 0.5f64.sqrt();
    assert_decreases("sgd?lr=0.1&schedule=cosine&steps=4", &[0.15 * (1.0 + root), 0.15, 0.15 * (1.0 - root), 0.0]);
    assert_decreases("sgd?lr=0.1&warmup=2&schedule=linear&steps=4", &[0.15, 0.3, 0.15, 0.0]);
}

/// The names and sizes of mesh axes and the number of micro-batches have no influence.
#[test]
fn the_rate_scales_with_the_batch_only() {
    for mesh in [&[("data", 1)][..], &[("data", 4), ("model", 2)], &[("dp", 3)], &[("rows", 12)], &[("data", 2)]] {
        for (options, want) in [
            ("lr=0.1", 3.6),
            ("lr=0.1&lr_base_batch=12", 3.6),
            ("lr=0.1&lr_base_batch=4", 10.8),
            ("lr=0.1&lr_base_batch=24", 1.8),
            ("lr=0.1&lr_base_batch=3&lr_scaling=sqrt", 7.2),
            ("lr=0.1&lr_base_batch=4&accumulate=3", 10.8),
        ] {
            let decrease = decreases_of(&step(BATCHED, mesh, &format!("sgd?{options}")), 1)[0];
            assert!((decrease - want).abs() < 1e-6 * want, "{mesh:?}, {options}: {decrease}, not {want}");
        }
    }
}

#[test]
fn clipping_uses_the_global_norm() {
    // Four gradients of 3 have a norm of 6.
    assert_decreases("sgd?lr=0.1&clip=2", &[0.1 * 3.0 / 3.0]);
    assert_decreases("sgd?lr=0.1&clip=7", &[0.3]);
    assert_decreases("sgd?lr=0.1&clip=2&scale=1024", &[0.1]);
}

#[test]
fn loss_scaling_does_not_change_updates() {
    for scale in ["1024", "dynamic", "none"] {
        assert_decreases(&format!("sgd?lr=0.1&scale={scale}"), &[0.3, 0.3]);
    }
}

#[test]
fn first_adam_steps_equal_the_rate() {
    assert_decreases("adam?lr=0.1", &[0.1, 0.1, 0.1]);
    assert_decreases("momentum?lr=0.1&beta=0.5", &[0.3, 0.45, 0.525]);
}

#[test]
fn reported_norms_are_unclipped_and_unscaled() {
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
