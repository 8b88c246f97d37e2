//! Presets on the command line: the equivalent plan, and errors of presets that do not match.

use crate::support::{Folder, partita};
use expect_test::{Expect, expect};

const MLP: &str = r#"form traced
param %w1 "up.weight"   : f32[64, 512]
param %w2 "down.weight" : f32[512, 64]
input %x : f32[32, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %r = relu %h        : f32[32, 512]
  %y = matmul %r, %w2 : f32[32, 64]
output %y "y"
"#;

const ONE_LAYER: &str = r#"form traced
param %w "weight" : f32[64, 64]
input %x : f32[32, 64]
  %y = matmul %x, %w : f32[32, 64]
output %y "y"
"#;

const PLAN: &str = "mesh = { data = 2 }\npresets = [\"data\", \"megatron\"]\n";

/// Runs the command in a folder with two models and a plan.
fn run(name: &str, args: &[&str], code: i32) -> (String, String) {
    let folder = Folder::new(&format!("presets-{name}"));
    folder.write("mlp.pir", MLP).write("one.pir", ONE_LAYER).write("plan.toml", PLAN);
    let ended = partita(&folder, args);
    assert_eq!(ended.code, Some(code), "{}", ended.transcript());
    (ended.out, ended.err)
}

fn refused(name: &str, args: &[&str], expected: Expect) {
    let (out, err) = run(name, args, 1);
    assert!(out.is_empty(), "{out}");
    expected.assert_eq(&err);
}

#[test]
fn emits_a_plan() {
    let args =
        ["plan", "mlp.pir", "--mesh", "data=2,model=4", "--preset", "megatron,data", "--shard", "down.weight=_, _"];
    let (out, _) = run("emit", &[&args[..], &["--emit", "plan"]].concat(), 0);
    expect![[r#"
        version = 1
        mesh = { "data" = 2, "model" = 4 }

        [shard]
        "down.weight" = "_, _"
        "x" = "data, _"
        "up.weight" = "_, model"
    "#]]
    .assert_eq(&out);
}

#[test]
fn explained() {
    let (out, _) = run(
        "explain",
        &["explain", "mlp.pir", "h", "--mesh", "data=2,model=4", "--preset", "megatron", "--preset", "data"],
        0,
    );
    expect![[r#"
        `%h` is f32[32@data, 512@model]

        %h dim 0 is split by `data`:
          %x dim 0                         you wrote `preset data` (--preset:1:1)
          %h dim 0                         from %x dim 0 through `matmul %h` (mlp.pir:5)

        %h dim 1 is split by `model`:
          up.weight dim 1                  you wrote `preset megatron` (--preset:1:1)
          %h dim 1                         from up.weight dim 1 through `matmul %h` (mlp.pir:5)

        each device stores f32[16, 128], 8.0 KiB
    "#]]
    .assert_eq(&out);
}

/// Dimension names are listed without a preset.
#[test]
fn dimensions_are_listed() {
    let args = ["plan", "mlp.pir", "--mesh", "data=2,model=4", "--preset", "megatron,data", "--dims"];
    let (out, _) = run("dims", &args, 0);
    assert!(out.contains("up.weight 1, down.weight 0"), "{out}");
}

#[test]
fn nothing_found() {
    refused(
        "nothing",
        &["plan", "one.pir", "--mesh", "model=4", "--preset", "megatron"],
        expect![[r#"
            error[L014]: `megatron` does not apply to `one.pir`
             --> --preset:1:1
              |
            1 | megatron
              | ^^^^^^^^
              |
              = note: it requires two parameters, of which the first produces a dimension of activations that the second contracts, or a vocabulary
              = note: the model has 1 parameter and 1 other input, a batch of 32, and returns neither gradients nor updates
        "#]],
    );
}

#[test]
fn missing_axis() {
    refused(
        "axis",
        &["plan", "mlp.pir", "--mesh", "data=2", "--preset", "data,megatron"],
        expect![[r#"
        error[L001]: `megatron` needs a mesh axis `model`
         --> --preset:1:6
          |
        1 | data,megatron
          |      ^^^^^^^^
          |
         ::: --mesh:1:1
          |
        1 | data=2
          | ------ its only axis is `data` (2)
          |
        help: add it
         --> --mesh:1:7
          |
        1 | data=2,model=2
          |       ++++++++
    "#]],
    );
}

#[test]
fn misspelt_axis_is_renamed() {
    refused(
        "misspelt",
        &["plan", "mlp.pir", "--mesh", "data=2,modle=4", "--preset", "megatron"],
        expect![[r#"
        error[L001]: `megatron` needs a mesh axis `model`
         --> --preset:1:1
          |
        1 | megatron
          | ^^^^^^^^
          |
         ::: --mesh:1:1
          |
        1 | data=2,modle=4
          | -------------- its axes are `data` (2) and `modle` (4)
          |
        help: rename the axis
         --> --mesh:1:1
          |
        1 - data=2,modle=4
        1 + data=2,model=4
          |
    "#]],
    );
}

#[test]
fn missing_axis_in_a_plan_file() {
    refused(
        "file",
        &["plan", "mlp.pir", "--plan", "plan.toml"],
        expect![[r#"
        error[L001]: `megatron` needs a mesh axis `model`
         --> plan.toml:2:21
          |
        1 | mesh = { data = 2 }
          |        ------------ its only axis is `data` (2)
        2 | presets = ["data", "megatron"]
          |                     ^^^^^^^^
          |
        help: add it
          |
        1 | mesh = { data = 2, model = 2 }
          |                  +++++++++++
    "#]],
    );
}

#[test]
fn no_mesh() {
    refused(
        "mesh",
        &["plan", "mlp.pir", "--preset", "data"],
        expect![[r#"
        error[L007]: there is no mesh to partition over
         --> --preset:1:1
          |
        1 | data
          | ^^^^ needs axes of a mesh
          |
          = help: declare one: `--mesh data=2,model=4`
    "#]],
    );
}

#[test]
fn two_zero_stages_are_rejected() {
    let args = ["plan", "mlp.pir", "--mesh", "data=2", "--preset", "zero1,zero3"];
    refused(
        "stages",
        &args,
        expect![[r#"
        error[L015]: `zero1` and `zero3` exclude each other
         --> --preset:1:1
          |
        1 | zero1,zero3
          | ^^^^^ ^^^^^
          |
          = note: `zero3` includes `zero1`
          = help: remove one of them
    "#]],
    );
}

#[test]
fn no_training_step() {
    refused(
        "step",
        &["plan", "mlp.pir", "--mesh", "data=2", "--preset", "zero1"],
        expect![[r#"
            error[L014]: `zero1` does not apply to `mlp.pir`
             --> --preset:1:1
              |
            1 | zero1
              | ^^^^^
              |
              = note: it requires a training step: outputs that replace parameters
              = note: the model has 2 parameters and 1 other input, a batch of 32, and returns neither gradients nor updates
              = help: generate a training step: `--train adamw`
        "#]],
    );
}

#[test]
fn sequence_alone() {
    refused(
        "sequence",
        &["plan", "mlp.pir", "--mesh", "model=2", "--preset", "sequence"],
        expect![[r#"
        error[L015]: `sequence` needs `megatron`
         --> --preset:1:1
          |
        1 | sequence
          | ^^^^^^^^ extends `megatron`
          |
        help: request both
          |
        1 | megatron,sequence
          | +++++++++
    "#]],
    );
}

#[test]
fn unknown() {
    refused(
        "unknown",
        &["plan", "mlp.pir", "--mesh", "model=2", "--preset", "data, megatrn"],
        expect![[r#"
            error[L016]: no preset is called `megatrn`
             --> --preset:1:7
              |
            1 | data, megatrn
              |       ^^^^^^^
              |
              = note: presets are `data`, `mesh`, `megatron`, `expert`, `context`, `sequence`, `zero1`, `zero2`, `zero3`
            help: there is one with a similar name
              |
            1 | data, megatron
              |             +
        "#]],
    );
}
