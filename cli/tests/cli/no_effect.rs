//! Warnings about options without effect; the command succeeds.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};
use serde_json::Value;

const MLP: &str = r#"form traced
param %w1 "up.weight" : f32[64, 512]
param %b1 "up.bias" : f32[512]
param %w2 "down.weight" : f32[512, 64]
input %x : f32[32, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %b = broadcast [1] %b1 : f32[32, 512]
  %a = add %h, %b : f32[32, 512]
  %r = relu %a : f32[32, 512]
  %y = matmul %r, %w2 : f32[32, 64]
  %l = reduce sum [0, 1] %y : f32[]
output %l "loss"
"#;

/// A model without roles of its inputs.
const IMPORTED: &str = r#"module @m {
  func.func public @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
}
"#;

/// Plans a model on two devices. Returns the warnings on standard error, which must be equal to those in JSON.
fn warned(model: &str, flags: &[&str]) -> String {
    let folder = Folder::new(&format!("no_effect-{}", flags.concat().replace(['/', '*', '=', ','], "-")));
    folder.write("mlp.pir", MLP).write("imported.mlir", IMPORTED);
    let args = [&["plan", model], flags].concat();
    let ended = partita(&folder, &args);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let json = partita(&folder, [&args[..], &["--json"]].concat());
    let json: Value = serde_json::from_str(&json.out).unwrap();
    let warnings = json["warnings"].as_array().unwrap();
    assert_eq!(warnings.is_empty(), ended.err.is_empty(), "{}", ended.transcript());
    for warning in warnings {
        let (message, help) = (warning["message"].as_str().unwrap(), &warning["help"]);
        assert!(
            ended.err.contains(message) && !help.as_array().unwrap().is_empty(),
            "{warning} is not in {}",
            ended.transcript()
        );
    }
    ended.err
}

fn check(model: &str, flags: &[&str], expected: Expect) {
    expected.assert_eq(&warned(model, flags));
}

const DATA: [&str; 4] = ["--mesh", "data=2", "--preset", "data"];

fn on_data<'f>(flags: &[&'f str]) -> Vec<&'f str> {
    [&DATA[..], flags].concat()
}

#[test]
fn effective_options_cause_no_warning() {
    for flags in [
        &[][..],
        &["--train", "adam", "--freeze", "up.*", "--remat", "full", "--bucket", "1MiB"],
        &["--train", "sgd", "--pipeline", "1", "--microbatches", "2", "--remat", "none"],
        &["--precision", "bf16", "--precision", "down.*=f32"],
        &["--precision", "int8"],
        &["--bucket", "none", "--remat", "none"],
    ] {
        assert_eq!(warned("mlp.pir", &on_data(flags)), "", "{flags:?}");
    }
}

#[test]
fn options_of_training_without_training() {
    let flags = ["--freeze", "up.*", "--train-only", "down.*", "--remat", "full", "--bucket", "1MiB"];
    check(
        "mlp.pir",
        &on_data(&flags),
        expect![[r#"
        warning[L018]: `freeze` has no effect: nothing is trained
         --> --freeze:1:1
          |
        1 | up.*
          | ^^^^
          |
          = help: build a training step, `--train adam`, or leave it out

        warning[L018]: `train_only` has no effect: nothing is trained
         --> --train-only:1:1
          |
        1 | down.*
          | ^^^^^^
          |
          = help: build a training step, `--train adam`, or leave it out

        warning[L018]: `remat` has no effect: without a backward pass nothing is recomputed
         --> --remat:1:1
          |
        1 | full
          | ^^^^
          |
          = help: build a training step, `--train adam`, or leave it out

        warning[L018]: `bucket` has no effect: there are no gradients to reduce
         --> --bucket:1:1
          |
        1 | 1MiB
          | ^^^^
          |
          = help: build a training step, `--train adam`, or leave it out

    "#]],
    );
}

#[test]
fn buckets_where_no_gradient_is_reduced() {
    let flags = ["--mesh", "model=2", "--shard", "up.weight=_, model", "--train", "sgd", "--bucket", "1MiB"];
    check(
        "mlp.pir",
        &flags,
        expect![[r#"
            warning[L018]: `bucket` has no effect: no gradient is reduced over devices by an `all_reduce`
             --> --bucket:1:1
              |
            1 | 1MiB
              | ^^^^
              |
              = help: split the batch over devices, `--preset data`, or leave it out

        "#]],
    );
}

#[test]
fn int8_weights_of_a_model_without_weights() {
    check(
        "imported.mlir",
        &["--mesh", "data=2", "--shard", "arg0=data, _", "--precision", "int8"],
        expect![[r#"
        warning[L018]: `int8` has no effect: no weight with two or more dimensions is named
         --> --precision:1:1
          |
        1 | int8
          | ^^^^
          |
          = note: the model does not declare which inputs are weights; StableHLO never does
          = help: export it as ONNX with its weights, declare them as `param` in `.pir`, or leave `int8` out

    "#]],
    );
}

#[test]
fn int8_weights_that_are_vectors() {
    check(
        "mlp.pir",
        &on_data(&["--precision", "up.bias=int8"]),
        expect![[r#"
        warning[L018]: `int8` has no effect: no weight with two or more dimensions is named
         --> --precision:1:9
          |
        1 | up.bias=int8
          |         ^^^^
          |
          = help: name weights of `f32`; biases and other vectors keep their type

    "#]],
    );
}

#[test]
fn unused_precisions() {
    check(
        "mlp.pir",
        &on_data(&["--precision", "up.*=f32"]),
        expect![[r#"
        warning[L018]: `f32` has no effect: the plan selects no narrower type
         --> --precision:1:6
          |
        1 | up.*=f32
          |      ^^^
          |
          = help: add `--precision bf16`, or leave it out

    "#]],
    );
}

#[test]
fn axis_that_shards_nothing() {
    check(
        "mlp.pir",
        &["--mesh", "data=2,model=4", "--preset", "data"],
        expect![[r#"
        warning[L018]: no dimension is sharded over axis `model`: its 4 devices compute identical values
         --> --mesh:1:1
          |
        1 | data=2,model=4
          | ^^^^^^^^^^^^^^ declared here
          |
          = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:model` or a preset, or leave it out: `--mesh data=2`

    "#]],
    );
    check(
        "mlp.pir",
        &["--mesh", "data=2"],
        expect![[r#"
        warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
         --> --mesh:1:1
          |
        1 | data=2
          | ^^^^^^ declared here
          |
          = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh data=1`

    "#]],
    );
    let stages =
        ["--mesh", "data=2,model=4", "--preset", "data", "--train", "sgd", "--pipeline", "2", "--microbatches", "2"];
    assert!(warned("mlp.pir", &stages).contains("no dimension is sharded over axis `model`"));
}

#[test]
fn axis_mapping_without_machine() {
    check(
        "mlp.pir",
        &on_data(&["--map", "data"]),
        expect![[r#"
        warning[L018]: `map` has no effect: it places the mesh on a machine, and no machine is given
         --> --map:1:1
          |
        1 | data
          | ^^^^
          |
          = help: name the machine: `plan` and `simulate` accept `--machine`

    "#]],
    );
}

#[test]
fn collectives_that_are_not_beside_products() {
    let flags = on_data(&["--overlap", "all_gather"]);
    check(
        "mlp.pir",
        &flags,
        expect![[r#"
        warning[L018]: `overlap` has no effect: no such collective is beside a matrix product
         --> --overlap:1:1
          |
        1 | all_gather
          | ^^^^^^^^^^
          |
          = help: shard the sequence between layers, `--preset megatron,sequence`, or leave it out

    "#]],
    );
    assert_eq!(warned("mlp.pir", &on_data(&["--overlap", "none"])), "");
}

/// An axis of the mesh of the model cannot be left out of the plan.
#[test]
fn idle_axes_of_models() {
    let folder = Folder::new("no_effect-own-mesh");
    let model = "form traced\nmesh @m = [s=2, t=2]\ninput %x : f32[4@s]\n%y = neg %x : f32[4]\noutput %y\n";
    let ended = partita(folder.write("meshed.pir", model), ["plan", "meshed.pir"]);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.err.contains("or remove it from the mesh of the model"), "{}", ended.transcript());
    assert!(!ended.err.contains("--mesh"), "{}", ended.transcript());
}
