//! Complete error messages of user mistakes, with exit code 1.

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

const UNKNOWN_OP: &str = r#"module @m {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.frobnicate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"#;

const PLAN: &str = r#"mesh = { data = 2, model = 4 }
rules = "batch:data; hidden:modle"

[name]
"x" = "batch, _"
"up.weight" = "_, hidden"
"#;

/// Returns a file of one tensor `x` whose header claims `claimed` bytes, with `there` bytes of data.
fn tensors(dtype: &str, shape: &str, claimed: u64, there: usize) -> Vec<u8> {
    let header = format!(r#"{{"x":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[0,{claimed}]}}}}"#);
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &vec![0; there]].concat()
}

/// Runs the command in a folder with `mlp.pir` and other inputs.
fn check(args: &[&str], expected: Expect) {
    let folder = Folder::new(&format!(
        "errors-{:x}",
        args.iter().flat_map(|a| a.bytes()).fold(7u64, |h, b| h.wrapping_mul(31) + u64::from(b))
    ));
    folder.write("mlp.pir", MLP).write("plan.toml", PLAN).write("unknown.mlir", UNKNOWN_OP);
    folder.write("cut.mlir", &UNKNOWN_OP[..60]).write("cut.pir", &MLP[..80]);
    folder.write("cut.safetensors", [200, 1, 0, 0, 0, 0, 0, 0, b'{']);
    folder.write("lying.safetensors", tensors("F32", "[64, 64]", 1 << 50, 16));
    folder.write("wide.safetensors", tensors("F64", "[4]", 32, 32));
    folder.write("wrong.pir", MLP.replace("relu %h        : f32[32, 512]", "relu %h : f32[32, 51]"));
    // An output of the program is not one of its inputs.
    folder.write(
        "neg.pir",
        "form traced\nmesh @m = [data=2]\ninput %x : f32[4@data]\n  %y = neg %x : f32[4]\noutput %y \"up.weight\"\n",
    );
    let made = partita(&folder, ["run", "neg.pir", "--output", "small.safetensors"]);
    assert_eq!(made.code, Some(0), "{}", made.transcript());
    let ended = partita(&folder, args);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.out.is_empty(), "{}", ended.transcript());
    expected.assert_eq(&ended.err);
}

const MESH: [&str; 2] = ["--mesh", "data=2,model=4"];

/// Runs `plan mlp.pir --mesh data=2,model=4` with further arguments.
fn plan(more: &[&str], expected: Expect) {
    let args: Vec<&str> = ["plan", "mlp.pir"].into_iter().chain(MESH).chain(more.iter().copied()).collect();
    check(&args, expected);
}

#[test]
fn unknown_axis() {
    plan(
        &["--shard", "up.weight=_, modle"],
        expect![[r#"
        error[L001]: mesh has no axis `modle`
         --> --shard:1:14
          |
        1 | up.weight=_, modle
          |              ^^^^^ not an axis of this mesh
          |
         ::: --mesh:1:1
          |
        1 | data=2,model=4
          | -------------- its axes are `data` (2) and `model` (4)
          |
        help: there is an axis with a similar name
          |
        1 - up.weight=_, modle
        1 + up.weight=_, model
          |
    "#]],
    );
}

#[test]
fn unknown_axis_in_a_plan_file() {
    check(
        &["plan", "mlp.pir", "--plan", "plan.toml"],
        expect![[r#"
        error[L001]: mesh has no axis `modle`
         --> plan.toml:2:29
          |
        1 | mesh = { data = 2, model = 4 }
          |        ----------------------- its axes are `data` (2) and `model` (4)
        2 | rules = "batch:data; hidden:modle"
          |                             ^^^^^ not an axis of this mesh
          |
        help: there is an axis with a similar name
          |
        2 - rules = "batch:data; hidden:modle"
        2 + rules = "batch:data; hidden:model"
          |
    "#]],
    );
}

#[test]
fn axis_used_twice() {
    plan(
        &["--shard", "up.weight=model, model"],
        expect![[r#"
        error[L002]: axis `model` splits two dimensions of `up.weight`
         --> --shard:1:18
          |
        1 | up.weight=model, model
          |           -----  ^^^^^ and again here, dimension 1 (512)
          |           |
          |           first here, dimension 0 (64)
          |
          = note: a device has one position on `model`, so it can store only one shard along it
          = help: for a column split write `_, model`; for a row split write `model, _`
    "#]],
    );
}

#[test]
fn axis_of_one_device_used_twice() {
    check(
        &["plan", "mlp.pir", "--mesh", "model=1", "--name", "up.weight=n0, n1", "--rules", "n0:model; n1:model"],
        expect![[r#"
            error[L002]: axis `model` splits two dimensions of `up.weight`
             --> --rules:1:1
              |
            1 | n0:model; n1:model
              | ^^^^^^^^  ^^^^^^^^ splits dimension 1
              | |
              | splits dimension 0
              |
              = note: a device has one position on `model`, so it can store only one shard along it
              = help: set the layout of `up.weight` by its path: for a column split write `_, model`; for a row split write `model, _`
        "#]],
    );
}

#[test]
fn partial_sum_on_an_input() {
    plan(
        &["--shard", "up.weight=_, _ sum(model)"],
        expect![[r#"
        error[L013]: `up.weight` is an input of the program and cannot be partial
         --> --shard:1:11
          |
        1 | up.weight=_, _ sum(model)
          |           ^^^^^^^^^^^^^^^ requires a partial sum
          |
          = help: write `sum(...)` for an intermediate value, `%name`, or remove it
    "#]],
    );
}

#[test]
fn rule_without_match() {
    plan(
        &["--name", "up.weight=_, hidden", "--rules", "hiden:model"],
        expect![[r#"
        error[L006]: no dimension is called `hiden`
         --> --rules:1:1
          |
        1 | hiden:model
          | ^^^^^
          |
        help: there is a dimension with a similar name
          |
        1 | hidden:model
          |    +
    "#]],
    );
}

#[test]
fn path_without_match() {
    plan(
        &["--shard", "up.wieght=_, model"],
        expect![[r#"
        error[L006]: no parameter or input matches `up.wieght`
         --> --shard:1:1
          |
        1 | up.wieght=_, model
          | ^^^^^^^^^ matches nothing
          |
        help: there is one with a similar name
          |
        1 - up.wieght=_, model
        1 + up.weight=_, model
          |
    "#]],
    );
}

#[test]
fn contradictory_annotations() {
    plan(
        &["--shard", "up.weight=_, model", "--shard", "down.weight=data, _"],
        expect![[r#"
            error[L004]: two annotations ask for different layouts of dimension 1 of `up.weight` (512) and dimension 0 of `down.weight`
             --> --shard:1:11
              |
            1 | up.weight=_, model
              |           ^^^^^^^^ makes `up.weight` f32[64, 512@model]
              |
             ::: --shard:1:13
              |
            1 | down.weight=data, _
              |             ^^^^^^^ makes `down.weight` f32[512@data, 64]
              |
              = note: `relu %r` connects them and needs one layout for both
              = note: up.weight dim 1 -> matmul %h -> %h dim 1 -> relu %r -> %r dim 1 -> matmul %y -> down.weight dim 0
            help: make them agree: no communication
              |
            1 - down.weight=data, _
            1 + down.weight=model, _
              |
            help: or keep both and reshard 128.0 KiB per step: `--allow-reshard down.weight`
        "#]],
    );
}

#[test]
fn layout_of_the_wrong_rank() {
    plan(
        &["--shard", "up.weight=model"],
        expect![[r#"
        error[L009]: `up.weight` has 2 dimensions, but this layout has 1 entry
         --> --shard:1:11
          |
        1 | up.weight=model
          |           ^^^^^ 1 entry for f32[64, 512]
          |
          = help: write one entry for each dimension, as in `_, _`
    "#]],
    );
}

#[test]
fn mesh_of_size_zero() {
    check(
        &["plan", "mlp.pir", "--mesh", "data=0"],
        expect![[r#"
        error[L007]: axis `data` has size 0
         --> --mesh:1:1
          |
        1 | data=0
          | ^^^^^^ the mesh
          |
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
}

#[test]
fn mesh_that_is_too_large() {
    check(
        &["plan", "mlp.pir", "--mesh", "data=4096,model=4096"],
        expect![[r#"
        error[L007]: 4096 x 4096 devices are more than the limit of 65536
         --> --mesh:1:1
          |
        1 | data=4096,model=4096
          | ^^^^^^^^^^^^^^^^^^^^ the mesh
          |
          = help: a mesh is one or more axes with a size each: `data=2,model=4`
    "#]],
    );
}

#[test]
fn no_mesh() {
    check(
        &["plan", "mlp.pir"],
        expect![[r#"
        error[L007]: there is no mesh to partition over
          |
          = help: declare one: `--mesh data=2,model=4`
    "#]],
    );
}

#[test]
fn several_bad_flags_are_all_reported() {
    check(
        &["plan", "mlp.pir", "--mesh", "data", "--shard", "up.weight"],
        expect![[r#"
        error[L007]: `data` is not an axis of a mesh
         --> --mesh:1:1
          |
        1 | data
          | ^^^^
          |
          = help: an axis is a name and a size: `--mesh data=2,model=4`

        error[L008]: `--shard` expects a path and a text, joined by `=`
         --> --shard:1:1
          |
        1 | up.weight
          | ^^^^^^^^^ there is no `=`
          |
          = help: write `--shard "up.weight=_, model"`
    "#]],
    );
}

#[test]
fn unknown_frontend_operation() {
    check(
        &["plan", "unknown.mlir"],
        expect![[r#"
        error[F001]: the operation `stablehlo.frobnicate` is not supported
         --> unknown.mlir:3:10
          |
        3 |     %0 = stablehlo.frobnicate %arg0 : tensor<4xf32>
          |          ^^^^^^^^^^^^^^^^^^^^
          |
          = help: rewrite the model without it, or lower it to operations of StableHLO
    "#]],
    );
}

#[test]
fn truncated_files() {
    check(
        &["plan", "cut.mlir"],
        expect![[r#"
        error[F002]: expected a function or a mesh, found `-`
         --> cut.mlir:2:48
          |
        2 |   func.func public @main(%arg0: tensor<4xf32>) -
          |                                                ^
    "#]],
    );
    check(
        &["plan", "cut.pir"],
        expect![[r#"
        error[T001]: expected `[`, the text ends here
         --> cut.pir:3:30
          |
        3 | param %w2 "down.weight" : f32
          |                              ^
    "#]],
    );
}

#[test]
fn program_text_with_a_wrong_type() {
    check(
        &["plan", "wrong.pir"],
        expect![[r#"
            error[V001]: `relu %r`: the operation yields f32[32, 512], not f32[32, 51]
             --> wrong.pir:6:3
              |
            6 |   %r = relu %h : f32[32, 51]
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^

            error[V001]: `matmul %y`: contracts dimension 1 of f32[32, 51] with dimension 0 of f32[512, 64], but 51 is not 512
             --> wrong.pir:7:3
              |
            7 |   %y = matmul %r, %w2 : f32[32, 64]
              |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        "#]],
    );
}

#[test]
fn inputs_that_are_not_tensor_files() {
    check(
        &["run", "mlp.pir", "--mesh", "data=2", "--input", "lying.safetensors"],
        expect![[r#"
            warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2
              | ^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh data=1`

            error[F002]: `lying.safetensors` is truncated, or not a safetensors file
              |
              = note: invalid shape, data type, or offset for tensor
        "#]],
    );
    check(
        &["run", "mlp.pir", "--mesh", "data=2", "--input", "missing.safetensors"],
        expect![[r#"
            warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2
              | ^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh data=1`

            error[C001]: cannot read `missing.safetensors`: there is no such file or folder
        "#]],
    );
    check(
        &["run", "mlp.pir", "--mesh", "data=2", "--input", "cut.safetensors"],
        expect![[r#"
            warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2
              | ^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh data=1`

            error[F002]: `cut.safetensors` is truncated, or not a safetensors file
              |
              = note: invalid header length
        "#]],
    );
}

#[test]
fn input_of_the_wrong_dtype() {
    check(
        &["run", "neg.pir", "--input", "wide.safetensors"],
        expect![[r#"
        error[R002]: `x` is f32[4] in the model, but f64[4] in the file
          |
          = help: element types are not converted: store it as f32
    "#]],
    );
}

#[test]
fn input_of_the_wrong_shape() {
    check(
        &["run", "mlp.pir", "--mesh", "data=2", "--input", "small.safetensors"],
        expect![[r#"
            warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2
              | ^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh data=1`

            error[R002]: `up.weight` is f32[64, 512] in the model, but f32[4] in the file
        "#]],
    );
}

#[test]
fn missing_input() {
    check(
        &["run", "neg.pir", "--input", "small.safetensors"],
        expect![[r#"
        error[R001]: `small.safetensors` has no tensor `x`
          |
          = help: the file has `up.weight`
    "#]],
    );
}

#[test]
fn invalid_model() {
    check(
        &["plan", "model.tflite"],
        expect![[r#"
            error[F004]: `model.tflite` is not a model
              |
              = note: a model is a file that ends in `.mlir` (StableHLO), `.onnx`, `.pt2` (PyTorch) or `.pir` (program text), or `zoo:NAME?option=value`
              = help: `partita models` lists the built-in models
        "#]],
    );
    check(
        &["plan", "missing.mlir"],
        expect![[r#"
            error[C001]: cannot read `missing.mlir`: there is no such file or folder
        "#]],
    );
}

#[test]
fn unknown_name() {
    let args: Vec<&str> = ["explain", "mlp.pir", "up.wieght"].into_iter().chain(MESH).collect();
    check(
        &args,
        expect![[r#"
            warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2,model=4
              | ^^^^^^^^^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh model=4`

            warning[L018]: no dimension is sharded over axis `model`: its 4 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2,model=4
              | ^^^^^^^^^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:model` or a preset, or leave it out: `--mesh data=2`

            error[C002]: the model has no value `up.wieght`
              |
              = help: there is `up.weight`
        "#]],
    );
    let args: Vec<&str> = ["explain", "mlp.pir", "--collective", "7"].into_iter().chain(MESH).collect();
    check(
        &args,
        expect![[r#"
            warning[L018]: no dimension is sharded over axis `data`: its 2 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2,model=4
              | ^^^^^^^^^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:data` or a preset, or leave it out: `--mesh model=4`

            warning[L018]: no dimension is sharded over axis `model`: its 4 devices compute identical values
             --> --mesh:1:1
              |
            1 | data=2,model=4
              | ^^^^^^^^^^^^^^ declared here
              |
              = help: shard a dimension over it, `--shard PATH=LAYOUT`, `--rules DIM:model` or a preset, or leave it out: `--mesh data=2`

            error[C002]: there is no collective 7
              |
              = note: this partition has none
        "#]],
    );
}

#[test]
fn unknown_error_code() {
    check(
        &["explain", "L0004"],
        expect![[r#"
        error[C002]: `L0004` is neither a model nor an error code
          |
          = help: use the code `L004`
    "#]],
    );
}

#[test]
fn unknown_pass() {
    check(
        &["dev", "opt", "--pass", "propogate", "mlp.pir"],
        expect![[r#"
            error[P002]: there is no pass `propogate`
              |
              = note: the passes are `canonicalise`, `raise`, `block-slices`, `unsort`, `interleave`, `dce`, `infer-phases`, `name-layers`, `quantise`, `precision`, `freeze`, `train`, `micro-batches`, `apply-plan`, `propagate`, `remat`, `split-scans`, `pad-reshapes`, `split-attention`, `exchange-attention`, `decompose`, `insert-reshards`, `lower-reshards`, `bucket`, `early-reductions`, `localize`, `lower-attention`, `overlap-matmul`, `simplify`, `simplify-real`, `collectives`
              = help: there is `propagate`
        "#]],
    );
    check(
        &["dev", "opt", "--pass", "localize", "mlp.pir"],
        expect![[r#"
        error[P001]: `localize` needs a program in form explicit, and this one is traced
    "#]],
    );
    plan(
        &["--dump=propogate"],
        expect![[r#"
            error[P002]: there is no pass `propogate`
              |
              = note: the passes are `canonicalise`, `raise`, `block-slices`, `unsort`, `interleave`, `dce`, `infer-phases`, `name-layers`, `quantise`, `precision`, `freeze`, `train`, `micro-batches`, `apply-plan`, `propagate`, `remat`, `split-scans`, `pad-reshapes`, `split-attention`, `exchange-attention`, `decompose`, `insert-reshards`, `lower-reshards`, `bucket`, `early-reductions`, `localize`, `lower-attention`, `overlap-matmul`, `simplify`, `simplify-real`, `collectives`
              = help: there is `propagate`
        "#]],
    );
}

#[test]
fn invalid_command_line_exits_with_two() {
    let folder = Folder::new("usage");
    for args in [vec!["plan", "--frobnicate"], vec!["frobnicate"], vec![], vec!["plan", "a.pir", "--json", "--passes"]]
    {
        let ended = partita(&folder, &args);
        assert_eq!(ended.code, Some(2), "{args:?}: {}", ended.transcript());
    }
    assert_eq!(partita(&folder, ["--help"]).code, Some(0));
}
