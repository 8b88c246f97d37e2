//! Propagation on small programs.

use expect_test::{Expect, expect};
use partita_ir::diag::Source;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text::{parse, print};
use partita_passes::driver::{Findings, Input, Pass};
use partita_passes::planning::apply_plan::ApplyPlan;
use partita_passes::planning::propagate::Propagate;
use proptest::prelude::*;

fn propagate(text: &str) -> (Program, Findings) {
    let mut program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) = (Input::default(), Findings::default());
    Propagate.run(&mut program, &input, &mut findings).unwrap();
    (program, findings)
}

/// Checks the body of the planned program.
fn check(text: &str, expected: Expect) {
    let (program, _) = propagate(text);
    let printed = print(&program);
    let shown = printed.lines().filter(|l| !l.starts_with("form") && !l.starts_with("mesh") && !l.is_empty());
    expected.assert_eq(&shown.map(|l| format!("{l}\n")).collect::<String>());
}

#[test]
fn a_column_and_a_row_split_follow_from_the_weights() {
    check(
        "form traced
         mesh @m = [data=2, model=4]
         param %w1 \"up.weight\" : f32[64, 512@model]
         param %b1 \"up.bias\" : f32[512]
         param %w2 \"down.weight\" : f32[512, 64]
         input %x : f32[32@data, 64]
           %h = matmul %x, %w1 : f32[32, 512]
           %b = broadcast [1] %b1 : f32[32, 512]
           %a = add %h, %b : f32[32, 512]
           %r = tanh %a : f32[32, 512]
           %p = matmul %r, %w2 : f32[32, 64]",
        expect![[r#"
            param %w1 "up.weight" : f32[64, 512@model]
            param %b1 "up.bias" : f32[512@model]
            param %w2 "down.weight" : f32[512@model, 64]
            input %x : f32[32@data, 64]
              %h = matmul %x, %w1 : f32[32@data, 512@model]
              %b = broadcast [1] %b1 : f32[32@data, 512@model]
              %a = add %h, %b : f32[32@data, 512@model]
              %r = tanh %a : f32[32@data, 512@model]
              %p = matmul %r, %w2 : f32[32@data, 64]
            output %p
        "#]],
    );
}

#[test]
fn explain_traces_axes_to_the_annotation() {
    let (program, findings) = propagate(
        "form traced
         mesh @m = [data=2, model=4]
         param %w1 \"up.weight\" : f32[64, 512@model]
         param %w2 \"down.weight\" : f32[512, 64]
         input %x : f32[32@data, 64]
           %h = matmul %x, %w1 : f32[32, 512]
           %r = tanh %h : f32[32, 512]
           %p = matmul %r, %w2 : f32[32, 64]",
    );
    let w2 = program.params.values().find(|p| p.path == "down.weight").unwrap().value;
    let model = program.values[w2].layout.as_ref().unwrap().dims[0].axes[0];
    let text = findings.provenance.explain(&program, w2, 0, model);
    expect![[r#"
        down.weight dim 0 is split by `model`:
          up.weight dim 1                  annotated in the model
          %h dim 1                         from up.weight dim 1 through `matmul %h` (test.pir:6)
          %r dim 1                         from %h dim 1 through `tanh %r` (test.pir:7)
          down.weight dim 0                from %r dim 1 through `matmul %p` (test.pir:8)
    "#]]
    .assert_eq(&text);
}

#[test]
fn heads_follow_from_a_merged_dimension() {
    check(
        "form traced
         mesh @m = [data=2, model=4]
         param %w \"q.weight\" : f32[64, 64@model]
         input %x : f32[8@data, 16, 64]
           %q = matmul %x, %w : f32[8, 16, 64]
           %r = reshape %q : f32[8, 16, 8, 8]
           %s = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %r, %r : f32[8, 8, 16, 16]
           %e = exp %s : f32[8, 8, 16, 16]",
        expect![[r#"
            param %w "q.weight" : f32[64, 64@model]
            input %x : f32[8@data, 16, 64]
              %q = matmul %x, %w : f32[8@data, 16, 64@model]
              %r = reshape %q : f32[8@data, 16, 8@model, 8]
              %s = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %r, %r : f32[8@data, 8@model, 16, 16]
              %e = exp %s : f32[8@data, 8@model, 16, 16]
            output %e
        "#]],
    );
}

#[test]
fn a_merged_dimension_takes_axes_factor_by_factor() {
    check(
        "form traced
         mesh @m = [a=8, b=2]
         input %x : f32[16@a+b]
           %y = reshape %x : f32[4, 4]
           %z = reshape %y : f32[16]",
        expect![[r#"
            input %x : f32[16@a+b]
              %y = reshape %x : f32[4@a:(1)4, 4@a:(4)2+b]
              %z = reshape %y : f32[16@a+b]
            output %z
        "#]],
    );
}

#[test]
fn a_large_tensor_wins_over_a_small_one() {
    check(
        "form traced
         mesh @m = [a=2]
         input %x : f32[64@a, 8]
         input %w : f32[8, 4@a]
           %y = matmul %x, %w : f32[64, 4]",
        expect![[r#"
            input %x : f32[64@a, 8]
            input %w : f32[8, 4@a]
              %y = matmul %x, %w : f32[64@a, 4]
            output %y
        "#]],
    );
}

#[test]
fn a_bias_does_not_determine_its_sum() {
    check(
        "form traced
         mesh @m = [a=2, b=2]
         input %x : f32[8@a, 8]
         input %bias : f32[8@a]
           %c = broadcast [1] %bias : f32[8, 8]
           %y = add %x, %c : f32[8, 8]",
        expect![[r#"
            input %x : f32[8@a, 8]
            input %bias : f32[8@a]
              %c = broadcast [1] %bias : f32[8@a, 8]
              %y = add %x, %c : f32[8@a, 8]
            output %y
        "#]],
    );
}

#[test]
fn closed_and_replicated_dims_are_unchanged() {
    check(
        "form traced
         mesh @m = [a=2, b=2]
         input %x : f32[8@a, 8@b]
         input %closed : f32[8, 8?]
         input %kept : f32[8?, 8?] all(a)
         input %small : f32[1, 8]
           %y = add %x, %closed : f32[8, 8]
           %z = add %x, %kept : f32[8, 8]
           %t = broadcast [0, 1] %small : f32[8, 8]
           %u = add %x, %t : f32[8, 8]",
        expect![[r#"
            input %x : f32[8@a, 8@b]
            input %closed : f32[8, 8@b]
            input %kept : f32[8, 8@b] all(a)
            input %small : f32[1, 8@b]
              %y = add %x, %closed : f32[8@a, 8@b]
              %z = add %x, %kept : f32[8@a, 8@b]
              %t = broadcast [0, 1] %small : f32[8@a, 8@b]
              %u = add %x, %t : f32[8@a, 8@b]
            output %u
        "#]],
    );
}

#[test]
fn priorities_are_applied_in_order() {
    check(
        "form traced
         mesh @m = [a=2]
         input %late : f32[64@a!1, 8]
         input %early : f32[8, 4@a]
           %y = matmul %late, %early : f32[64, 4]",
        expect![[r#"
            input %late : f32[64@a, 8]
            input %early : f32[8, 4@a]
              %y = matmul %late, %early : f32[64, 4@a]
            output %y
        "#]],
    );
}

#[test]
fn empty_shards_need_an_annotation() {
    check(
        "form traced
         mesh @m = [a=4]
         input %x : f32[3@a]
         input %y : f32[6@a]
           %u = exp %x : f32[3]
           %v = exp %y : f32[6]",
        expect![[r#"
            input %x : f32[3@a]
            input %y : f32[6@a]
              %u = exp %x : f32[3] whole
              %v = exp %y : f32[6@a]
            output %v
        "#]],
    );
}

#[test]
fn loop_bodies_and_results_get_layouts() {
    check(
        "form traced
         mesh @m = [a=2]
         func @body(%i: f32[8, 4]) {
           %o = tanh %i : f32[8, 4]
           return %o
         }
         input %x : f32[8@a, 4]
           %y = loop 3 of @body %x : f32[8, 4]
           %z = exp %y : f32[8, 4]",
        expect![[r#"
            func @body(%i: f32[8@a, 4]) {
              %o = tanh %i : f32[8@a, 4]
              return %o
            }
            input %x : f32[8@a, 4]
              %y = loop 3 of @body %x : f32[8@a, 4]
              %z = exp %y : f32[8@a, 4]
            output %z
        "#]],
    );
}

#[test]
fn planned_layouts_are_unchanged() {
    let (once, _) = propagate(
        "form traced
         mesh @m = [data=2, model=4]
         param %w1 \"up.weight\" : f32[64, 512@model]
         param %w2 \"down.weight\" : f32[512, 64@data]
         input %x : f32[32@data, 64]
           %h = matmul %x, %w1 : f32[32, 512]
           %r = tanh %h : f32[32, 512]
           %p = matmul %r, %w2 : f32[32, 64]",
    );
    let mut twice = once.clone();
    twice.form = partita_ir::program::Form::Traced;
    Propagate.run(&mut twice, &Input::default(), &mut Findings::default()).unwrap();
    assert_eq!(once, twice);
}

proptest! {
    /// For any annotations, closed dimensions are unchanged, and no axis is used twice in a value.
    #[test]
    fn layouts_are_sound(
        dims in prop::collection::vec(prop::sample::select(vec!["_", "a", "b", "a+b", "?", "a?"]), 6),
        m in 1usize..9, k in 1usize..9, n in 1usize..9,
    ) {
        let text = format!(
            "form traced
             mesh @m = [a=2, b=3]
             input %x : f32[{m}, {k}]
             input %w : f32[{k}, {n}]
             input %c : f32[{m}, {n}]
               %y = matmul %x, %w : f32[{m}, {n}]
               %s = add %y, %c : f32[{m}, {n}]
               %t = transpose [1, 0] %s : f32[{n}, {m}]
               %u = reshape %t : f32[{size}]",
            size = m * n,
        );
        let mut program = parse(&Source::new("random.pir", text)).unwrap();
        let mut plan = Plan::default().allow_reshard("**");
        for (name, pair) in ["x", "w", "c"].iter().zip(dims.chunks(2)) {
            plan = plan.shard(*name, pair.join(", "));
        }
        let (input, mut findings) = (Input::with_plan(plan), Findings::default());
        if ApplyPlan.run(&mut program, &input, &mut findings).is_err() {
            return Ok(()); // an axis twice in one annotation
        }
        let before = program.clone();
        Propagate.run(&mut program, &input, &mut findings).unwrap();
        for (value, v) in program.values.iter() {
            let layout = v.layout.as_ref().unwrap();
            let used: Vec<_> = layout.used_axes().collect();
            for (i, a) in used.iter().enumerate() {
                prop_assert!(used[..i].iter().all(|b| !a.overlaps(*b)), "{}", print(&program));
            }
            let old = before.values[value].layout.iter().flat_map(|l| &l.dims);
            for (old, new) in old.zip(&layout.dims) {
                prop_assert!(!new.open);
                prop_assert!(old.open || old.axes == new.axes, "{}", print(&program));
                prop_assert!(new.axes.starts_with(&old.axes), "{}", print(&program));
            }
        }
    }
}
