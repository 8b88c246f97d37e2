//! Training on the command line: error messages of training steps that cannot be derived.

use crate::support::{CommandOutput, Folder, partita};
use expect_test::{Expect, expect};

/// Two layers, a spare parameter, and a loss that is not the first output.
pub const MLP: &str = r#"form traced
param %w1 "up.weight"   : f32[4, 8]
param %w2 "down.weight" : f32[8, 4]
param %unused "spare.weight" : f32[4, 4]
input %x : f32[6, 4]
  %h = matmul %x, %w1 : f32[6, 8]
  %r = relu %h        : f32[6, 8]
  %y = matmul %r, %w2 : f32[6, 4]
  %sum = reduce sum [0, 1] %y : f32[]
output %y "y"
output %sum "loss"
"#;

const BITS: &str = r#"form traced
param %w "weight" : f32[4, 4]
input %x : f32[6, 4]
  %y = matmul %x, %w : f32[6, 4]
  %bits = bitcast %y : f16[6, 4, 2]
  %sum = reduce sum [0, 1, 2] %bits : f16[]
output %sum "loss"
"#;

const STEP: &str = r#"form traced
param %w "weight" : f32[4]
input %x : f32[4]
  %xw = mul %x, %w : f32[4]
  %sum = reduce sum [0] %xw : f32[]
  %new = sub %w, %x : f32[4] phase update
output %sum "loss"
output %new "weight" -> "weight"
"#;

/// Runs the command in a folder with some models.
fn run(name: &str, args: &[&str]) -> CommandOutput {
    let folder = Folder::new(&format!("training-{name}"));
    folder.write("mlp.pir", MLP).write("bits.pir", BITS).write("step.pir", STEP);
    partita(&folder, args)
}

/// Plans a model with flags.
fn plan(name: &str, model: &str, flags: &[&str]) -> CommandOutput {
    run(name, &[&["plan", model, "--mesh", "data=2"], flags].concat())
}

pub fn refused(name: &str, model: &str, flags: &[&str], expected: Expect) {
    let ended = plan(name, model, flags);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.out.is_empty(), "{}", ended.transcript());
    expected.assert_eq(&ended.err);
}

const LOSS: [&str; 2] = ["--train", "sgd?lr=0.1&loss=loss"];

#[test]
fn frozen_path_without_match() {
    refused(
        "frozen-nothing",
        "mlp.pir",
        &[&LOSS[..], &["--freeze", "up.wieght"]].concat(),
        expect![[r#"
        error[L006]: no parameter or input matches `up.wieght`
         --> --freeze:1:1
          |
        1 | up.wieght
          | ^^^^^^^^^ matches nothing
          |
        help: there is one with a similar name
          |
        1 - up.wieght
        1 + up.weight
          |
    "#]],
    );
    refused(
        "frozen-glob",
        "mlp.pir",
        &[&LOSS[..], &["--freeze", "blocks.*.weight"]].concat(),
        expect![[r#"
        error[L006]: no parameter or input matches `blocks.*.weight`
         --> --freeze:1:1
          |
        1 | blocks.*.weight
          | ^^^^^^^^^^^^^^^ matches nothing
          |
          = note: the model has `up.weight`, `down.weight`, `spare.weight`, `x`
          = help: write `blocks.*.weight?` if it may match nothing
    "#]],
    );
    refused(
        "trained-nothing",
        "mlp.pir",
        &[&LOSS[..], &["--train-only", "head.**"]].concat(),
        expect![[r#"
        error[L006]: no parameter or input matches `head.**`
         --> --train-only:1:1
          |
        1 | head.**
          | ^^^^^^^ matches nothing
          |
          = note: the model has `up.weight`, `down.weight`, `spare.weight`, `x`
          = help: write `head.**?` if it may match nothing
    "#]],
    );
    refused(
        "frozen-input",
        "mlp.pir",
        &[&LOSS[..], &["--freeze", "x"]].concat(),
        expect![[r#"
        error[L006]: `x` is an input, and only parameters are trained
         --> --freeze:1:1
          |
        1 | x
          | ^ not a parameter
    "#]],
    );
}

#[test]
fn nothing_left_to_train() {
    refused(
        "all-frozen",
        "mlp.pir",
        &[&LOSS[..], &["--freeze", "**"]].concat(),
        expect![[r#"
            error[D004]: there is nothing to train
             --> --train:1:1
              |
            1 | sgd?lr=0.1&loss=loss
              | ^^^^^^^^^^^^^^^^^^^^ requests a training step
              |
              = note: all 3 parameters are frozen
              = help: freeze fewer parameters, or name those to train: `--train-only PATH`
        "#]],
    );
}

#[test]
fn non_scalar_loss() {
    refused(
        "no-scalar",
        "mlp.pir",
        &["--train", "sgd"],
        expect![[r#"
        error[D002]: output `y` is f32[6, 4], which is not a scalar loss
         --> --train:1:1
          |
        1 | sgd
          | ^^^ the loss must have one element
          |
          = help: output `loss` has one element: write `loss=loss`
    "#]],
    );
    refused(
        "no-scalar-named",
        "mlp.pir",
        &["--train", "sgd?loss=y"],
        expect![[r#"
        error[D002]: output `y` is f32[6, 4], which is not a scalar loss
         --> --train:1:10
          |
        1 | sgd?loss=y
          |          ^ the loss must have one element
          |
          = help: output `loss` has one element: write `loss=loss`
    "#]],
    );
    refused(
        "no-output",
        "mlp.pir",
        &["--train", "sgd?loss=los"],
        expect![[r#"
        error[D002]: the model has no output `los`
         --> --train:1:10
          |
        1 | sgd?loss=los
          |          ^^^
          |
        help: there is one with a similar name
          |
        1 | sgd?loss=loss
          |             +
    "#]],
    );
    refused(
        "logits",
        "zoo:mlp?layers=1&loss=false",
        &["--train", "sgd"],
        expect![[r#"
        error[D002]: output `output.0` is f32[32, 512], which is not a scalar loss
         --> --train:1:1
          |
        1 | sgd
          | ^^^ the loss must have one element
          |
          = help: build the model with its loss: write `loss=true`
    "#]],
    );
}

#[test]
fn parameter_unreachable_from_the_loss() {
    let ended = plan("unreached", "mlp.pir", &LOSS);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    expect![[r#"
        warning[D004]: the loss does not depend on `spare.weight`, which is therefore not trained
          |
          = note: no path from it to `%sum` has a gradient
          = help: if that is intended, state it: `--freeze spare.weight`

        warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
         --> --mesh:1:1
          |
        1 | data=2
          | ^^^^^^ declared here
          |
          = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh data=1`

    "#]]
    .assert_eq(&ended.err);
    assert!(ended.out.contains("spare.weight"), "{}", ended.transcript());
    // Explicit freezing suppresses the warning.
    let ended = plan("unreached-frozen", "mlp.pir", &[&LOSS[..], &["--freeze", "spare.weight"]].concat());
    assert!(ended.code == Some(0) && !ended.err.contains("spare.weight"), "{}", ended.transcript());
}

#[test]
fn op_without_adjoint() {
    refused(
        "bits",
        "bits.pir",
        &["--train", "sgd"],
        expect![[r#"
        error[D001]: `bitcast` (%bits) cannot be differentiated: the bits of f32 are read as f16
         --> bits.pir:5:3
          |
        5 |   %bits = bitcast %y : f16[6, 4, 2]
          |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = help: freeze the parameters before it, so that no gradient is needed: `--freeze GLOB`
    "#]],
    );
}

#[test]
fn indivisible_batch() {
    refused(
        "parts",
        "mlp.pir",
        &["--train", "sgd?loss=loss&accumulate=4"],
        expect![[r#"
        error[D007]: a batch of 6 cannot be split into 4 equal micro-batches
         --> --train:1:26
          |
        1 | sgd?loss=loss&accumulate=4
          |                          ^ requests micro-batches
          |
          = note: `x`: 6 = 4 x 1 + 2
          = note: possible numbers: 1, 2, 3, 6
          = help: write `accumulate=3`
    "#]],
    );
    refused(
        "parts-zoo",
        "zoo:mlp?layers=1&width=4&hidden=4&batch=8",
        &["--train", "adamw?accumulate=5"],
        expect![[r#"
        error[D007]: a batch of 8 cannot be split into 5 equal micro-batches
         --> --train:1:18
          |
        1 | adamw?accumulate=5
          |                  ^ requests micro-batches
          |
          = note: `input.0`: 8 = 5 x 1 + 3
          = note: possible numbers: 1, 2, 4, 8
          = help: write `accumulate=4`
    "#]],
    );
}

#[test]
fn micro_batches_with_dependencies() {
    let model = "zoo:mnist-cnn?image=8&batch=8&batch_norm=true";
    refused(
        "parts-norm",
        model,
        &["--train", "sgd?accumulate=2"],
        expect![[r#"
        error[D007]: `reduce %sum` mixes examples, and the batch is split into micro-batches
         --> --train:1:16
          |
        1 | sgd?accumulate=2
          |                ^ requests micro-batches
          |
          = note: it is part of `norm`
          = note: norms over the batch and products of batch means mix examples
          = help: write `accumulate=1`, and split the batch over more devices
    "#]],
    );
}

#[test]
fn optimizers_and_their_options() {
    refused(
        "optimizer",
        "mlp.pir",
        &["--train", "adamm?lr=0.1"],
        expect![[r#"
        error[D003]: there is no optimizer `adamm`
         --> --train:1:1
          |
        1 | adamm?lr=0.1
          | ^^^^^
          |
          = note: the optimizers are `sgd`, `momentum`, `adam`, `adamw`
        help: there is one with a similar name
          |
        1 - adamm?lr=0.1
        1 + adam?lr=0.1
          |
    "#]],
    );
    refused(
        "no-optimizer",
        "mlp.pir",
        &["--train", ""],
        expect![[r#"
        error[D003]: there is no optimizer ``
         --> --train:1:1
          |
        1 |
          | ^
          |
          = note: the optimizers are `sgd`, `momentum`, `adam`, `adamw`
    "#]],
    );
    refused(
        "option",
        "mlp.pir",
        &["--train", "adamw?lr=0.1&wramup=3"],
        expect![[r#"
        error[D003]: `adamw` has no option `wramup`
         --> --train:1:14
          |
        1 | adamw?lr=0.1&wramup=3
          |              ^^^^^^ not an option of it
          |
          = note: its options and their defaults: lr=0.001, decay=0.01, beta1=0.9, beta2=0.999, eps=1e-8, warmup=0, schedule=constant, steps=0, end=0, lr_base_batch=, lr_scaling=linear, clip=, accumulate=1, scale=, loss=, norms=false
        help: there is an option with a similar name
          |
        1 - adamw?lr=0.1&wramup=3
        1 + adamw?lr=0.1&warmup=3
          |
    "#]],
    );
    refused(
        "other-option",
        "mlp.pir",
        &["--train", "sgd?beta1=0.9"],
        expect![[r#"
        error[D003]: `sgd` has no option `beta1`
         --> --train:1:5
          |
        1 | sgd?beta1=0.9
          |     ^^^^^ not an option of it
          |
          = note: its options and their defaults: lr=0.01, decay=0, warmup=0, schedule=constant, steps=0, end=0, lr_base_batch=, lr_scaling=linear, clip=, accumulate=1, scale=, loss=, norms=false
    "#]],
    );
    refused(
        "twice",
        "mlp.pir",
        &["--train", "sgd?lr=0.1&lr=0.2"],
        expect![[r#"
        error[D003]: option `lr` is given twice
         --> --train:1:15
          |
        1 | sgd?lr=0.1&lr=0.2
          |        ---    ^^^ and again here
          |        |
          |        first here
    "#]],
    );
    refused(
        "range",
        "mlp.pir",
        &["--train", "adamw?lr=0.1&beta2=1"],
        expect![[r#"
            error[D003]: option `beta2` cannot be `1`
             --> --train:1:20
              |
            1 | adamw?lr=0.1&beta2=1
              |                    ^ expected a number from 0 up to, but not including, 1
              |
              = note: `beta2`: decay factor of the second moment per step; 0.999 when not given
        "#]],
    );
    refused(
        "rate",
        "mlp.pir",
        &["--train", "adamw?lr=-1"],
        expect![[r#"
        error[D003]: option `lr` cannot be `-1`
         --> --train:1:10
          |
        1 | adamw?lr=-1
          |          ^^ expected a number above 0
          |
          = note: `lr`: learning rate; 0.001 when not given
    "#]],
    );
    refused(
        "word",
        "mlp.pir",
        &["--train", "sgd?schedule=sine"],
        expect![[r#"
        error[D003]: option `schedule` cannot be `sine`
         --> --train:1:14
          |
        1 | sgd?schedule=sine
          |              ^^^^ expected `constant`, `linear`, `cosine`
          |
          = note: `schedule`: learning-rate schedule after the warm-up; constant when not given
    "#]],
    );
    refused(
        "schedule",
        "mlp.pir",
        &["--train", "sgd?schedule=cosine"],
        expect![[r#"
        error[D003]: the learning-rate schedule has no steps left after the warm-up
         --> --train:1:14
          |
        1 | sgd?schedule=cosine
          |              ^^^^^^ falls
          |
          = note: 0 steps in all, of which 0 are warm-up
          = help: set the total number of steps: `steps=1000`
    "#]],
    );
    refused(
        "short",
        "mlp.pir",
        &["--train", "sgd?schedule=linear&steps=5&warmup=5"],
        expect![[r#"
        error[D003]: the learning-rate schedule has no steps left after the warm-up
         --> --train:1:14
          |
        1 | sgd?schedule=linear&steps=5&warmup=5
          |              ^^^^^^ falls
          |
          = note: 5 steps in all, of which 5 are warm-up
          = help: set the total number of steps: `steps=1005`
    "#]],
    );
}

#[test]
fn precision() {
    refused(
        "precision",
        "mlp.pir",
        &["--precision", "fp8"],
        expect![[r#"
            error[D005]: cannot compute in `fp8`
             --> --precision:1:1
              |
            1 | fp8
              | ^^^ expected `bf16`, `f16`, `autocast`, `f32` or `int8`
              |
              = help: write `--precision bf16`, and `--precision PATH=f32` for layers that stay in `f32`
        "#]],
    );
    refused(
        "two-types",
        "mlp.pir",
        &["--precision", "bf16", "--precision", "up.weight=f16"],
        expect![[r#"
            error[D005]: a model computes in one narrow type, not in both bf16 and f16
             --> --precision:1:11
              |
            1 | up.weight=f16
              |           ^^^ and then this
              |
             ::: --precision:1:1
              |
            1 | bf16
              | ---- first here
              |
              = help: keep parts of it in `f32` instead: `PATH=f32`
        "#]],
    );
    refused(
        "precision-path",
        "mlp.pir",
        &["--precision", "bf16", "--precision", "norm.**=f32"],
        expect![[r#"
        error[L006]: no parameter or input matches `norm.**`
         --> --precision:1:1
          |
        1 | norm.**=f32
          | ^^^^^^^ matches nothing
          |
          = note: the model has `up.weight`, `down.weight`, `spare.weight`, `x`
          = help: write `norm.**?` if it may match nothing
    "#]],
    );
}

#[test]
fn remat() {
    let with = |rule| [&LOSS[..], &["--remat", rule]].concat();
    refused(
        "rule",
        "mlp.pir",
        &with("ful"),
        expect![[r#"
            error[D006]: unknown recomputation policy `ful`
             --> --remat:1:1
              |
            1 | ful
              | ^^^ expected `none`, `selective`, `alternate`, `full`, `cheapest?share=50%`, `ops:softmax,gelu` or `auto?budget=8GiB`
              |
              = help: there is `full`
        "#]],
    );
    refused(
        "budget",
        "mlp.pir",
        &with("auto"),
        expect![[r#"
        error[D006]: `auto` requires a memory budget per device
         --> --remat:1:1
          |
        1 | auto
          | ^^^^ expected `auto?budget=SIZE`
          |
          = help: state it in bytes or with a unit: `auto?budget=8GiB`
    "#]],
    );
    refused(
        "budget-unit",
        "mlp.pir",
        &with("auto?budget=8 pages"),
        expect![[r#"
        error[D006]: `auto` requires a memory budget per device
         --> --remat:1:1
          |
        1 | auto?budget=8 pages
          | ^^^^^^^^^^^^^^^^^^^ expected `auto?budget=SIZE`
          |
          = help: state it in bytes or with a unit: `auto?budget=8GiB`
    "#]],
    );
    refused(
        "remat-path",
        "mlp.pir",
        &with("blocks.*.attention.**=full"),
        expect![[r#"
        error[L006]: no parameter or input matches `blocks.*.attention.**`
         --> --remat:1:1
          |
        1 | blocks.*.attention.**=full
          | ^^^^^^^^^^^^^^^^^^^^^ matches nothing
          |
          = note: the model has `up.weight`, `down.weight`, `spare.weight`, `x`
          = help: write `blocks.*.attention.**?` if it may match nothing
    "#]],
    );
}

#[test]
fn training_a_training_step_is_rejected() {
    refused(
        "again",
        "step.pir",
        &["--train", "sgd"],
        expect![[r#"
        error[D002]: `step.pir` is a training step already
         --> --train:1:1
          |
        1 | sgd
          | ^^^ requests the training step of a model
          |
          = help: leave `--train` out, or train the forward function that it was made from
    "#]],
    );
}
