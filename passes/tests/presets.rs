//! Presets on small programs, expanded to explicit plans.

mod megatron;
use crate::programs::{STEP, program};
use expect_test::{Expect, expect};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::text::print;
use partita_passes::driver::{Findings, Input, Pass};
use partita_passes::planning::apply_plan::ApplyPlan;

const MLP: &str = r#"
form traced
param %w1 "up.weight" : f32[64, 512]
param %b1 "up.bias" : f32[512]
param %w2 "down.weight" : f32[512, 64]
param %b2 "down.bias" : f32[64]
input %x : f32[32, 64]
input %t : f32[32, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %b = broadcast [1] %b1 : f32[32, 512]
  %a = add %h, %b : f32[32, 512]
  %r = tanh %a : f32[32, 512]
  %p = matmul %r, %w2 : f32[32, 64]
  %c = broadcast [1] %b2 : f32[32, 64]
  %y = add %p, %c : f32[32, 64]
  %d = sub %y, %t : f32[32, 64]
"#;

/// Returns the program as an imported function with undeclared parameters.
fn with_undeclared_params(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("param ").and_then(|rest| rest.split_once(" \"")) {
        Some((name, rest)) => format!("input {name}{}", &rest[rest.find('"').unwrap() + 1..]),
        None => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A block of a language model with a tied embedding and heads as a weight dimension.
const BLOCK: &str = r#"
form traced
param %e "embed" : f32[96, 32]
param %q "q" : f32[32, 4, 8]
param %k "k" : f32[32, 4, 8]
param %v "v" : f32[32, 4, 8]
param %bv "v.bias" : f32[4, 8]
param %o "o" : f32[4, 8, 32]
param %g "norm.gamma" : f32[32]
param %s "norm.beta" : f32[32]
param %up "up" : f32[32, 64]
param %down "down" : f32[64, 32]
input %ids : i64[8, 16]
input %labels : i64[8, 16]
  %x = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 32] %e, %ids : f32[8, 16, 32]
  %n = layer_norm eps 1e-5 %x, %g, %s : f32[8, 16, 32]
  %xq = dot_general contract [2]x[0] %n, %q : f32[8, 16, 4, 8]
  %xk = dot_general contract [2]x[0] %n, %k : f32[8, 16, 4, 8]
  %xv0 = dot_general contract [2]x[0] %n, %v : f32[8, 16, 4, 8]
  %bvs = broadcast [2, 3] %bv : f32[8, 16, 4, 8]
  %xv = add %xv0, %bvs : f32[8, 16, 4, 8]
  %tq = transpose [0, 2, 1, 3] %xq : f32[8, 4, 16, 8]
  %tk = transpose [0, 2, 1, 3] %xk : f32[8, 4, 16, 8]
  %tv = transpose [0, 2, 1, 3] %xv : f32[8, 4, 16, 8]
  %at = attention causal scale 0.5 %tq, %tk, %tv : f32[8, 4, 16, 8]
  %ao = dot_general contract [1, 3]x[0, 1] %at, %o : f32[8, 16, 32]
  %r = add %x, %ao : f32[8, 16, 32]
  %m = layer_norm eps 1e-5 %r, %g, %s : f32[8, 16, 32]
  %h = matmul %m, %up : f32[8, 16, 64]
  %act = gelu %h : f32[8, 16, 64]
  %f = matmul %act, %down : f32[8, 16, 32]
  %z = add %r, %f : f32[8, 16, 32]
  %l = layer_norm eps 1e-5 %z, %g, %s : f32[8, 16, 32]
  %logits = dot_general contract [2]x[1] %l, %e : f32[8, 16, 96]
  %loss = cross_entropy %logits, %labels : f32[8, 16]
"#;

const CONV: &str = r#"
form traced
param %k1 "conv1" : f32[8, 3, 3, 3]
param %b1 "bias1" : f32[8]
param %k2 "conv2" : f32[12, 8, 3, 3]
param %w "dense" : f32[1200, 5]
input %x : f32[16, 3, 14, 14]
  %c = convolution [0, 1, 2, 3]x[1, 0, 2, 3]->[0, 1, 2, 3] window [(3), (3)] %x, %k1 : f32[16, 8, 12, 12]
  %b = broadcast [1] %b1 : f32[16, 8, 12, 12]
  %a = add %c, %b : f32[16, 8, 12, 12]
  %r = relu %a : f32[16, 8, 12, 12]
  %d = convolution [0, 1, 2, 3]x[1, 0, 2, 3]->[0, 1, 2, 3] window [(3), (3)] %r, %k2 : f32[16, 12, 10, 10]
  %f = reshape %d : f32[16, 1200]
  %y = matmul %f, %w : f32[16, 5]
"#;

const EXPERTS: &str = r#"
form traced
param %g "gate" : f32[16, 4]
param %up "up" : f32[4, 16, 24]
param %down "down" : f32[4, 24, 16]
input %x : f32[8, 12, 16]
  %scores = matmul %x, %g : f32[8, 12, 4]
  %p = softmax dim 2 %scores : f32[8, 12, 4]
  %in = dot_general contract [1]x[1] batch [0]x[0] %p, %x : f32[8, 4, 16]
  %h = dot_general contract [2]x[1] batch [1]x[0] %in, %up : f32[4, 8, 24]
  %r = relu %h : f32[4, 8, 24]
  %out = matmul %r, %down : f32[4, 8, 16]
  %y = dot_general contract [2]x[0] batch [0]x[1] %p, %out : f32[8, 12, 16]
"#;

fn plan(mesh: &[(&str, u32)], presets: &str) -> Plan {
    Plan::new(Mesh::new(mesh.iter().copied()).unwrap()).preset(presets)
}

/// Returns the program with a plan applied, and the plan with its presets expanded.
fn apply(text: &str, plan: Plan) -> (Program, Plan) {
    let mut program = program(text);
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    ApplyPlan.run(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    (program, findings.plan(&input.plan).clone())
}

/// Checks the expanded plan, without its mesh, and that applying it gives the same program as the presets.
fn check(text: &str, plan: Plan, expected: Expect) {
    let (by_preset, expanded) = apply(text, plan);
    let toml = expanded.to_toml();
    // The version and the mesh precede what the preset decides.
    expected.assert_eq(toml.splitn(3, '\n').nth(2).unwrap());
    let (explicit, _) = apply(text, expanded);
    assert_eq!(print(&by_preset), print(&explicit));
}

/// Checks the errors of a plan.
fn check_errors(text: &str, plan: Plan, expected: Expect) {
    let mut program = program(text);
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    let errors = ApplyPlan.run(&mut program, &input, &mut findings).err().unwrap_or_default();
    expected.assert_eq(&errors.iter().map(|e| format!("{}: {}\n", e.code, e.title)).collect::<String>());
}

#[test]
fn data_shards_the_batch() {
    check(
        MLP,
        plan(&[("data", 4)], "data"),
        expect![[r#"

        [shard]
        "x" = "data, _"
        "t" = "data, _"
    "#]],
    );
    assert_eq!(
        apply(MLP, plan(&[("data", 4)], "data")).1,
        apply(&with_undeclared_params(MLP), plan(&[("data", 4)], "data")).1
    );
    check(
        BLOCK,
        plan(&[("data", 4)], "data"),
        expect![[r#"

        [shard]
        "ids" = "data, _"
        "labels" = "data, _"
    "#]],
    );
    check(
        CONV,
        plan(&[("data", 4)], "data"),
        expect![[r#"

        [shard]
        "x" = "data, _, _, _"
    "#]],
    );
}

#[test]
fn sequence_shards_the_residual_stream() {
    check(
        BLOCK,
        plan(&[("model", 4)], "megatron,sequence"),
        expect![[r#"

            [shard]
            "embed" = "model, _"
            "q" = "_, model, _"
            "k" = "_, model, _"
            "v" = "_, model, _"
            "v.bias" = "model, _"
            "o" = "model, _, _"
            "up" = "_, model"
            "down" = "model, _"
            "%x" = "_?, _, _? sum(model)"
            "%n" = "_?, _, _?"
            "%ao" = "_?, _, _? sum(model)"
            "%r" = "_?, model, _?"
            "%m" = "_?, _, _?"
            "%f" = "_?, _, _? sum(model)"
            "%z" = "_?, model, _?"
            "%l" = "_?, _, _?"

            [store]
            "%x" = "_?, model, _?"
            "%n" = "_?, model, _?"
            "%ao" = "_?, model, _?"
            "%m" = "_?, model, _?"
            "%f" = "_?, model, _?"
            "%l" = "_?, model, _?"
        "#]],
    );
}

#[test]
fn tokens_are_exchanged_with_experts() {
    check(
        EXPERTS,
        plan(&[("data", 2)], "expert"),
        expect![[r#"

        [shard]
        "up" = "data, _, _"
        "down" = "data, _, _"
        "x" = "data, _, _"
        "%in" = "_, data, _?"
        "%out" = "_, data, _?"

        [store]
        "%in" = "data, _, _?"
        "%out" = "data, _, _?"
    "#]],
    );
    check(
        EXPERTS,
        plan(&[("data", 2), ("expert", 2)], "data, expert"),
        expect![[r#"

        [shard]
        "x" = "data+expert, _, _"
        "up" = "expert, _, _"
        "down" = "expert, _, _"
        "%in" = "data, expert, _?"
        "%out" = "_, data+expert, _?"

        [store]
        "%in" = "data+expert, _, _?"
        "%out" = "expert, data, _?"
    "#]],
    );
}

#[test]
fn zero_stores_shards() {
    for preset in ["zero1", "zero2", "zero3"] {
        let (program, _) = apply(STEP, plan(&[("data", 4)], preset));
        let copies = print(&program).matches("constrain fresh").count();
        assert_eq!(
            copies,
            match preset {
                "zero1" => 0,
                "zero2" => 1,
                _ => 2,
            },
            "{preset}"
        );
    }
    check(
        STEP,
        plan(&[("data", 4)], "zero1"),
        expect![[r#"
            bucket = "25MiB"

            [shard]
            "x" = "data, _"
            "t" = "data, _"
            "w" = "_, _"
            "m" = "_, data"
            "%c" = "_, data"
            "%g" = "_, _ sum(data)"
        "#]],
    );
    check(
        STEP,
        plan(&[("data", 4)], "zero2"),
        expect![[r#"
            bucket = "25MiB"

            [shard]
            "x" = "data, _"
            "t" = "data, _"
            "w" = "_, _"
            "m" = "_, data"
            "%c" = "_, data"
            "%g" = "_, _ sum(data)"

            [store]
            "%g" = "_, data"
        "#]],
    );
    check(
        STEP,
        plan(&[("data", 4)], "fsdp"),
        expect![[r#"
            bucket = "25MiB"

            [shard]
            "x" = "data, _"
            "t" = "data, _"
            "w" = "_, _"
            "m" = "_, data"
            "%c" = "_, data"
            "%g" = "_, _ sum(data)"

            [store]
            "w" = "_, data"
            "%g" = "_, data"
        "#]],
    );
}

#[test]
fn zero_shards_within_groups() {
    check(
        STEP,
        plan(&[("data", 2), ("shard", 2)], "zero3"),
        expect![[r#"
            bucket = "12800KiB"

            [shard]
            "x" = "data+shard, _"
            "t" = "data+shard, _"
            "w" = "_, _"
            "m" = "_, shard"
            "%c" = "_, shard"
            "%g" = "_, _ sum(data+shard)"

            [store]
            "w" = "_, shard"
            "%g" = "_, shard"
        "#]],
    );
    check(
        STEP,
        plan(&[("data", 2), ("shard", 2)], "zero1?axis=data"),
        expect![[r#"
            bucket = "12800KiB"

            [shard]
            "x" = "data+shard, _"
            "t" = "data+shard, _"
            "w" = "_, _"
            "m" = "_, data"
            "%c" = "_, data"
            "%g" = "_, _ sum(data+shard)"
        "#]],
    );
    check_errors(
        STEP,
        plan(&[("data", 2)], "zero1?axis=shard"),
        expect![[r#"
        L001: `zero1` needs a mesh axis `shard`
    "#]],
    );
}

/// No dimension divides evenly: the largest is padded; unsharded dimensions are preferred.
#[test]
fn zero_prefers_dimensions_that_divide() {
    check(
        STEP,
        plan(&[("data", 5)], "zero1"),
        expect![[r#"
            bucket = "25MiB"

            [shard]
            "x" = "data, _"
            "t" = "data, _"
            "w" = "_, _"
            "m" = "_, data"
            "%c" = "_, data"
            "%g" = "_, _ sum(data)"
        "#]],
    );
    let own = plan(&[("data", 2), ("model", 4)], "zero1").shard("w", "_, model");
    check(
        STEP,
        own,
        expect![[r#"
            bucket = "25MiB"

            [shard]
            "w" = "_, model"
            "x" = "data, _"
            "t" = "data, _"
            "m" = "data, model"
            "%c" = "data, model"
            "%g" = "_, model sum(data)"
        "#]],
    );
}

/// Explicit layouts by path, glob or rule are retained, and never contradicted.
#[test]
fn explicit_layouts_take_precedence() {
    let by_path = plan(&[("data", 2), ("model", 4)], "megatron,data").shard("up.weight", "data, _").shard("x", "_, _");
    check(
        MLP,
        by_path,
        expect![[r#"

        [shard]
        "up.weight" = "data, _"
        "x" = "_, _"
        "t" = "data, _"
        "up.bias" = "model"
        "down.weight" = "model, _"
    "#]],
    );
    let by_rule = plan(&[("data", 2), ("model", 4)], "megatron,data").name("x", "batch, wide").rules("wide:model");
    check(
        MLP,
        by_rule,
        expect![[r#"
        rules = ["wide:model"]

        [name]
        "x" = "batch, wide"

        [shard]
        "t" = "data, _"
        "up.bias" = "model"
        "down.weight" = "model, _"
    "#]],
    );
}

#[test]
fn inapplicable_presets_are_refused() {
    let two = &[("data", 2), ("model", 4)][..];
    check_errors(
        MLP,
        plan(two, "megatorn"),
        expect![[r#"
        L016: no preset is called `megatorn`
    "#]],
    );
    check_errors(
        MLP,
        plan(two, "sequence"),
        expect![[r#"
        L015: `sequence` needs `megatron`
    "#]],
    );
    check_errors(
        MLP,
        plan(two, "zero1,zero3"),
        expect![[r#"
        L015: `zero1` and `zero3` exclude each other
    "#]],
    );
    check_errors(
        MLP,
        plan(two, "zero1"),
        expect![[r#"
        L014: `zero1` does not apply to `model.pir`
    "#]],
    );
    check_errors(
        MLP,
        plan(two, "expert"),
        expect![[r#"
        L014: `expert` does not apply to `model.pir`
    "#]],
    );
    check_errors(
        MLP,
        plan(two, "megatron,sequence"),
        expect![[r#"
        L014: `sequence` does not apply to `model.pir`
    "#]],
    );
    check_errors(
        MLP,
        plan(&[("x", 2)], "data,megatron,expert"),
        expect![[r#"
            L001: `data` needs a mesh axis `data` or `shard`
            L001: `megatron` needs a mesh axis `model`
            L001: `expert` needs a mesh axis `expert` or `data`
        "#]],
    );
    check_errors(
        "form traced\ninput %x : f32[4]\n  %y = neg %x : f32[4]\n",
        plan(two, "megatron,data"),
        expect![[r#"
        L014: `megatron` does not apply to `model.pir`
    "#]],
    );
}
