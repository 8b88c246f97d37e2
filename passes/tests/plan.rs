//! Plans applied to programs, and errors of invalid plans.

use expect_test::{Expect, expect};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text::{parse, print};
use partita_passes::driver::{Findings, Input, Pass};
use partita_passes::planning::apply_plan::ApplyPlan;
use partita_passes::planning::name_dims;

const MLP: &str = r#"
form traced
param %w1 "up.weight" : f32[64, 512]
param %b1 "up.bias" : f32[512]
param %w2 "down.weight" : f32[512, 64]
param %b2 "down.bias" : f32[64]
input %x : f32[32, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %b = broadcast [1] %b1 : f32[32, 512]
  %a = add %h, %b : f32[32, 512]
  %r = tanh %a : f32[32, 512]
  %p = matmul %r, %w2 : f32[32, 64]
  %c = broadcast [1] %b2 : f32[32, 64]
  %y = add %p, %c : f32[32, 64]
"#;

/// Scores of a sequence with itself, with dimensions that are merged and split again.
const ATTENTION: &str = r#"
form traced
param %w "q.weight" : f32[64, 64]
input %x : f32[4, 16, 64]
  %q = matmul %x, %w : f32[4, 16, 64]
  %m = reshape %q : f32[64, 64]
  %n = tanh %m : f32[64, 64]
  %k = reshape %n : f32[4, 16, 64]
  %s = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[4, 16, 16]
  %e = exp %s : f32[4, 16, 16]
"#;

fn program(text: &str) -> Program {
    parse(&Source::new("model.pir", text.trim_start())).unwrap_or_else(|e| panic!("{}", e[0]))
}

/// Returns a plan in TOML, with the mesh added.
fn plan(toml: &str) -> Plan {
    let text = format!("mesh = {{ data = 2, model = 4 }}\n{toml}");
    Plan::from_toml(&Source::new("plan.toml", text)).unwrap_or_else(|e| panic!("{e}"))
}

fn apply(text: &str, toml: &str) -> Result<Program, Vec<Diagnostic>> {
    let mut program = program(text);
    let (input, mut findings) = (Input::with_plan(plan(toml)), Findings::default());
    ApplyPlan.run(&mut program, &input, &mut findings).map(|()| program)
}

/// Checks the declarations of the program with the plan applied, and intermediate values with a layout.
fn check(text: &str, toml: &str, expected: Expect) {
    let program = apply(text, toml).unwrap_or_else(|e| panic!("{}", e[0]));
    let printed = print(&program);
    let laid_out =
        |l: &&str| l.starts_with("param") || l.starts_with("input") || l.contains('@') || l.contains("whole");
    expected.assert_eq(&printed.lines().filter(laid_out).map(|l| format!("{l}\n")).collect::<String>());
}

fn check_errors(text: &str, toml: &str, expected: Expect) {
    let errors = apply(text, toml).unwrap_err();
    expected.assert_eq(&errors.iter().map(|e| format!("{e}\n")).collect::<String>());
}

#[test]
fn layouts_by_path_and_glob() {
    let toml = "[shard]\n'**.weight' = '_, data'\n'up.*' = 'model?'\nup.weight = '_?, model!1'\n'input.0' = 'data, _ all(model)'";
    check(
        MLP,
        toml,
        expect![[r#"
        mesh @mesh = [data=2, model=4]
        param %w1 "up.weight" : f32[64?, 512@model!1]
        param %b1 "up.bias" : f32[512@model?]
        param %w2 "down.weight" : f32[512, 64@data]
        param %b2 "down.bias" : f32[64]
        input %x : f32[32@data, 64] all(model)
    "#]],
    );
}

#[test]
fn rules_reach_every_parameter_and_input_of_a_class() {
    let toml = "rules = 'batch:data; hidden:model; embed:_'\nname.x = 'batch, embed'\nname.up.weight = '_, hidden'";
    check(
        MLP,
        toml,
        expect![[r#"
        mesh @mesh = [data=2, model=4]
        param %w1 "up.weight" : f32[64, 512@model]
        param %b1 "up.bias" : f32[512@model]
        param %w2 "down.weight" : f32[512@model, 64?]
        param %b2 "down.bias" : f32[64]
        input %x : f32[32@data, 64]
    "#]],
    );
}

#[test]
fn layouts_by_path_take_precedence_over_rules() {
    let toml = "rules = 'hidden:model'\nname.up.weight = '_, hidden'\nshard.up.bias = '_'";
    check(
        MLP,
        toml,
        expect![[r#"
        mesh @mesh = [data=2, model=4]
        param %w1 "up.weight" : f32[64?, 512@model]
        param %b1 "up.bias" : f32[512] whole
        param %w2 "down.weight" : f32[512@model, 64?]
        param %b2 "down.bias" : f32[64]
        input %x : f32[32, 64]
    "#]],
    );
}

#[test]
fn rules_of_classes_without_parameters_apply_to_intermediates() {
    let text = "form traced\n  %i = iota dim 0 : f32[8]\n  %j = exp %i : f32[8]";
    check(
        text,
        "rules = 'n:model'\nname.'%j' = 'n'",
        expect![[r#"
        mesh @mesh = [data=2, model=4]
          %i = iota dim 0 : f32[8@model]
          %j = exp %i : f32[8@model]
    "#]],
    );
}

#[test]
fn names_survive_reshapes() {
    let plan = plan("name.x = 'batch, seq, embed'");
    let list: Vec<String> = name_dims::list_classes(&program(ATTENTION), &plan)
        .unwrap()
        .iter()
        .map(|c| format!("{} {} {:?} and {} more\n", c.name.as_deref().unwrap_or("-"), c.size, c.dims, c.other_dims))
        .collect();
    expect![[r#"
        seq 16 [("x", 1)] and 6 more
        batch 4 [("x", 0)] and 4 more
        embed 64 [("q.weight", 0), ("x", 2)] and 0 more
        - 64 [("q.weight", 1)] and 4 more
    "#]]
    .assert_eq(&list.concat());
}

#[test]
fn unknown_axes_are_refused() {
    check_errors(
        MLP,
        "shard.up.weight = '_, modle'",
        expect![[r#"
        error[L001]: mesh has no axis `modle`
          --> plan.toml:2:23 not an axis of this mesh
          --> plan.toml:1:8 its axes are `data` (2) and `model` (4)
          = help: there is an axis with a similar name: `model`
    "#]],
    );
    check_errors(
        MLP,
        "rules = 'batch:dat'\nname.x = 'batch, _'",
        expect![[r#"
        error[L001]: mesh has no axis `dat`
          --> plan.toml:2:16 not an axis of this mesh
          --> plan.toml:1:8 its axes are `data` (2) and `model` (4)
          = help: there is an axis with a similar name: `data`
    "#]],
    );
    check_errors(
        MLP,
        "shard.up.weight = '_, model:(1)3'",
        expect![[r#"
        error[L008]: `model` has 4 devices, which do not split as (1)3
          --> plan.toml:2:23
    "#]],
    );
}

#[test]
fn an_axis_used_twice_is_refused() {
    check_errors(
        MLP,
        "shard.up.weight = 'model, model'",
        expect![[r#"
        error[L002]: axis `model` splits two dimensions of `up.weight`
          --> plan.toml:2:20 first here, dimension 0 (64)
          --> plan.toml:2:27 and again here, dimension 1 (512)
          = note: a device has one position on `model`, so it can store only one shard along it
          = help: for a column split write `_, model`; for a row split write `model, _`
    "#]],
    );
    check_errors(
        MLP,
        "shard.up.weight = 'data, model all(data)'",
        expect![[r#"
        error[L002]: axis `data` is used twice in the layout of `up.weight`
          --> plan.toml:2:20 first here, dimension 0 (64)
          --> plan.toml:2:36 and again here
          = note: a device has one position on `data`, so it can store only one shard along it
          = help: write `data` once
    "#]],
    );
    check_errors(
        MLP,
        "rules = 'a:model; b:model'\nname.up.weight = 'a, b'",
        expect![[r#"
        error[L002]: axis `model` splits two dimensions of `up.weight`
          --> plan.toml:2:10 splits dimension 0
          --> plan.toml:2:19 splits dimension 1
          = note: a device has one position on `model`, so it can store only one shard along it
          = help: set the layout of `up.weight` by its path: for a column split write `_, model`; for a row split write `model, _`
    "#]],
    );
    check_errors(
        ATTENTION,
        "rules = 'seq:model'\nname.x = '_, seq, _'",
        expect![[r#"
        error[L002]: axis `model` splits two dimensions of `%s`
          --> plan.toml:2:10 dimensions 1 and 2 of `%s` f32[4, 16, 16] are both `seq`
          = note: a device has one position on `model`, so it can store only one shard along it
          = help: set the layout of `%s` by its path: write `_, model, _` or `_, _, model`
    "#]],
    );
}

#[test]
fn an_explicit_layout_resolves_a_repeated_class() {
    check(
        ATTENTION,
        "rules = 'seq:model'\nname.x = '_, seq, _'\nshard.'%s' = '_, model, _'",
        expect![[r#"
        mesh @mesh = [data=2, model=4]
        param %w "q.weight" : f32[64, 64]
        input %x : f32[4?, 16@model, 64?]
          %s = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[4, 16@model, 16]
    "#]],
    );
}

#[test]
fn contradictory_annotations_are_refused() {
    check_errors(
        MLP,
        "[shard]\nup.weight = '_, model'\nup.bias = 'data'",
        expect![[r#"
        error[L004]: two annotations ask for different layouts of dimension 1 of `up.weight` (512) and dimension 0 of `up.bias`
          --> plan.toml:3:14 makes `up.weight` f32[64, 512@model]
          --> plan.toml:4:12 makes `up.bias` f32[512@data]
          --> model.pir:9
          = note: `add %a` connects them and needs one layout for both
          = note: up.weight dim 1 -> matmul %h -> %h dim 1 -> add %a -> %b dim 1 -> broadcast %b -> up.bias dim 0
          = help: make them agree: no communication: `model`
          = help: or keep both and reshard 2.0 KiB per step: `--allow-reshard up.bias`
    "#]],
    );
    check_errors(
        MLP,
        "rules = 'a:model; b:data'\nname.up.weight = '_, a'\nname.down.weight = 'b, _'",
        expect![[r#"
        error[L004]: two rules ask for different layouts of `a`, which is also called `b`
          --> plan.toml:2:10
          --> plan.toml:2:19
          = note: an operation relates these dimensions, so they must be split identically
          = help: remove one of the rules
    "#]],
    );
    let text = "form traced\nmesh @mesh = [data=2, model=4]\ninput %x : f32[8@data, 8]\n  %y = exp %x : f32[8, 8]";
    check_errors(
        text,
        "shard.x = 'model, _'",
        expect![[r#"
        error[L004]: two annotations ask for different layouts of `x`
          --> plan.toml:2:12 makes it f32[8@model, 8]
          = note: the model came with f32[8@data, 8]
          = help: make them agree: `data, _`
          = help: or let the plan win: allow_reshard `x`
    "#]],
    );
    let allowed = "allow_reshard = 'up.bias'\n[shard]\nup.weight = '_, model'\nup.bias = 'data'";
    assert!(apply(MLP, allowed).is_ok());
}

#[test]
fn annotations_that_match_nothing_are_refused() {
    check_errors(
        MLP,
        "shard.up.wieght = '_, model'",
        expect![[r#"
        error[L006]: no parameter or input matches `up.wieght`
          --> plan.toml:2:10 matches nothing
          = help: there is one with a similar name: `up.weight`
    "#]],
    );
    check_errors(
        MLP,
        "shard.'layers.*.w' = 'model'",
        expect![[r#"
        error[L006]: no parameter or input matches `layers.*.w`
          --> plan.toml:2:8 matches nothing
          = note: the model has `up.weight`, `up.bias`, `down.weight`, `down.bias`, `x`
          = help: write `layers.*.w?` if it may match nothing
    "#]],
    );
    check_errors(
        MLP,
        "rules = 'hiden:model'\nname.up.weight = '_, hidden'",
        expect![[r#"
        error[L006]: no dimension is called `hiden`
          --> plan.toml:2:10
          = help: there is a dimension with a similar name: `hidden`
    "#]],
    );
    check_errors(
        MLP,
        "rules = 'hidden:model'",
        expect![[r#"
        error[L006]: no dimension is called `hidden`
          --> plan.toml:2:10
          = help: name the dimensions of a parameter or input: `--name "x=batch, _"`
    "#]],
    );
    assert!(apply(MLP, "shard.'layers.*.w?' = 'model'").is_ok());
}

#[test]
fn layouts_of_the_wrong_rank_are_refused() {
    check_errors(
        MLP,
        "shard.up.bias = '_, model'",
        expect![[r#"
        error[L009]: `up.bias` has 1 dimension, but this layout has 2 entries
          --> plan.toml:2:18 2 entries for f32[512]
          = help: write one entry for each dimension, as in `_`
    "#]],
    );
    check_errors(
        MLP,
        "name.x = 'batch'",
        expect![[r#"
        error[L009]: `x` has 2 dimensions, but 1 is named
          --> plan.toml:2:11 `x` is f32[32, 64]
          = help: write one name for each dimension, `_` for one without a name
    "#]],
    );
}

/// A model without a mesh states names and layouts as text.
#[test]
fn texts_of_constraints_are_resolved_and_removed() {
    let text = r#"
form traced
param %w "up.weight" : f32[64, 512]
input %x : f32[32, 64]
  %n = constrain names "batch, _" %x : f32[32, 64]
  %h = matmul %n, %w : f32[32, 512]
  %s = constrain sharding "data, model" %h : f32[32, 512]
"#;
    check(
        text,
        "rules = 'batch:data'",
        expect![[r#"
            mesh @mesh = [data=2, model=4]
            param %w "up.weight" : f32[64, 512]
            input %x : f32[32@data, 64?]
              %s = constrain %h : f32[32@data, 512@model]
        "#]],
    );
    assert_eq!(print(&program(text)).lines().filter(|line| line.contains('"')).count(), 3);
    check_errors(
        text,
        "shard.'%s' = 'model, _'",
        expect![[r#"
            error[L004]: two annotations ask for different layouts of `%s`
              --> plan.toml:2:15 makes it f32[32@model, 512]
              --> model.pir:6:28 the model came with f32[32@data, 512@model]
              = help: make them agree: `data, model`
              = help: or let the plan win: allow_reshard `%s`
        "#]],
    );
    check_errors(
        &text.replace("data, model", "data, _, _"),
        "",
        expect![[r#"
            error[L009]: `%s` has 2 dimensions, but this layout has 3 entries
              --> model.pir:6:28 3 entries for f32[32, 512]
              = help: write one entry for each dimension, as in `_, _`
        "#]],
    );
    check_errors(
        &text.replace("data, model", "modle, _"),
        "",
        expect![[r#"
            error[L001]: mesh has no axis `modle`
              --> model.pir:6:28 not an axis of this mesh
              --> plan.toml:1:8 its axes are `data` (2) and `model` (4)
              = help: there is an axis with a similar name: `model`
        "#]],
    );
    check_errors(
        &text.replace("batch, _", "batch"),
        "",
        expect![[r#"
            error[L009]: `%n` has 2 dimensions, but 1 is named
              --> model.pir:4:25 `%n` is f32[32, 64]
              = help: write one name for each dimension, `_` for one without a name
        "#]],
    );
    check_errors(
        &text.replace("batch, _", "batch, batch"),
        "rules = 'batch:data'",
        expect![[r#"
            error[L002]: axis `data` splits two dimensions of `x`
              --> plan.toml:2:10 splits dimension 1
              --> plan.toml:2:10 splits dimension 0
              --> model.pir:4:25 names `batch`
              = note: a device has one position on `data`, so it can store only one shard along it
              = help: set the layout of `x` by its path: for a column split write `_, data`; for a row split write `data, _`
        "#]],
    );
}

#[test]
fn padding_can_be_forbidden() {
    let text = "form traced\ninput %x : f32[50257, 8]\n  %y = exp %x : f32[50257, 8]";
    check_errors(
        text,
        "no_padding = 'vocab'\nname.x = 'vocab, _'\nrules = 'vocab:model'",
        expect![[r#"
        error[L003]: `vocab` (50257) is not divisible by `model` (4)
          --> plan.toml:4:10 splits dimension 0 of `x`
          = note: 50257 = 4 x 12564 + 1; its only divisors are 29, 1733 and itself
          = help: leave out `--no-padding` to pad it to 50260 (3 more, +0.006%)
          = help: or replicate it on every device: remove `model`
    "#]],
    );
    check_errors(
        text,
        "no_padding = 'x'\nshard.x = 'data+model, _'",
        expect![[r#"
        error[L003]: `dimension 0 of x` (50257) is not divisible by `data+model` (8)
          --> plan.toml:3:12 splits dimension 0 of `x`
          = note: 50257 = 8 x 6282 + 1; its only divisors are 29, 1733 and itself
          = help: leave out `--no-padding` to pad it to 50264 (7 more, +0.014%)
          = help: or replicate it on every device: remove `data+model`
    "#]],
    );
    assert!(apply(text, "shard.x = 'data+model, _'").is_ok());
}

/// A model whose layouts name no axes, such as one with a Shardy mesh without axes, accepts any mesh. Replicated values
/// stay replicated.
#[test]
fn a_mesh_of_one_device_is_replaced() {
    let text = "form traced\nmesh @empty = [one=1]\ninput %x : f32[8, 8] whole\n  %y = exp %x : f32[8, 8]\noutput %y";
    check(
        text,
        "",
        expect![[r#"
        mesh @mesh = [data=2, model=4]
        input %x : f32[8, 8] whole
    "#]],
    );
    check_errors(
        &text.replace("f32[8, 8] whole", "f32[8@one, 8]"),
        "",
        expect![[r#"
        error[L007]: the plan's mesh differs from the mesh of the model
          --> plan.toml:1:8 the plan's mesh
          = note: the model's mesh is `one=1`
          = help: remove the mesh from the plan, or declare the mesh of the model
          = help: ignore the mesh and the layouts of a model file: `'FILE?shardings=none'`
    "#]],
    );
}

#[test]
fn meshes_must_agree() {
    let text = "form traced\nmesh @m = [data=4, model=2]\ninput %x : f32[8, 8]\n  %y = exp %x : f32[8, 8]";
    check_errors(
        text,
        "",
        expect![[r#"
        error[L007]: the plan's mesh differs from the mesh of the model
          --> plan.toml:1:8 the plan's mesh
          = note: the model's mesh is `data=4,model=2`
          = help: remove the mesh from the plan, or declare the mesh of the model
          = help: ignore the mesh and the layouts of a model file: `'FILE?shardings=none'`
    "#]],
    );
    let (input, mut findings) = (Input::with_plan(Plan::default().shard("x", "data, _")), Findings::default());
    let error = ApplyPlan.run(&mut program(MLP), &input, &mut findings).unwrap_err();
    assert_eq!(error[0].title, "there is no mesh to partition over");
}
