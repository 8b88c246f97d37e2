//! `canonicalise` on the spellings of the frontends.

use expect_test::{Expect, expect};
use partita_ir::diag::Source;
use partita_ir::program::Form;
use partita_ir::text::{parse, print};
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::import::canonicalise::Canonicalise;
use partita_passes::optimising::dce::Dce;

/// Checks the body and the outputs of the program after `canonicalise` and `dce`.
fn check(text: &str, expected: Expect) {
    let mut program =
        parse(&Source::new("test.pir", format!("form traced\n{text}"))).unwrap_or_else(|e| panic!("{}", e[0]));
    let pipeline = Pipeline::new(vec![Box::new(Canonicalise), Box::new(Dce(Form::Traced))]).unwrap();
    pipeline
        .run(&mut program, &Input::default(), &mut Findings::default(), &mut |_| Ok(()))
        .unwrap_or_else(|e| panic!("{}", e[0]));
    let text = print(&program);
    let body: Vec<&str> = text.lines().filter(|l| l.starts_with("  ") || l.starts_with("output")).collect();
    expected.assert_eq(&format!("{}\n", body.join("\n")));
}

#[test]
fn a_linear_layer_is_one_matmul_and_one_add() {
    check(
        r#"param %w "w" : f32[64, 128]
        param %b "b" : f32[128]
        input %x : f32[4, 8, 64]
          %f = reshape %x : f32[32, 64]
          %m = matmul %f, %w : f32[32, 128]
          %r = reshape %b : f32[1, 128]
          %c = broadcast [0, 1] %r : f32[32, 128]
          %a = add %m, %c : f32[32, 128]
          %y = reshape %a : f32[4, 8, 128]
        output %y "y""#,
        expect![[r#"
              %m = matmul %x, %w : f32[4, 8, 128]
              %broadcast.1 = broadcast [2] %b : f32[4, 8, 128]
              %a = add %m, %broadcast.1 : f32[4, 8, 128]
            output %a "y"
        "#]],
    );
}

#[test]
fn a_batched_weight_is_one_matrix() {
    check(
        r#"param %w "w" : f32[64, 128]
        input %x : f32[4, 8, 64]
          %t = transpose [1, 0] %w : f32[128, 64]
          %r = reshape %t : f32[1, 128, 64]
          %s = reshape %r : f32[128, 64]
          %y = dot_general contract [2]x[1] %x, %s : f32[4, 8, 128]
        output %y "y""#,
        expect![[r#"
              %y = matmul %x, %w : f32[4, 8, 128]
            output %y
        "#]],
    );
}

#[test]
fn joined_heads_are_split_from_joined_positions() {
    check(
        r#"param %w "w" : f32[8, 6]
        input %x : f32[2, 3, 4, 2]
          %f = reshape %x : f32[6, 8]
          %m = matmul %f, %w : f32[6, 6]
          %y = reshape %m : f32[2, 3, 6]
        output %y "y""#,
        expect![[r#"
              %reshape = reshape %x : f32[2, 3, 8]
              %m = matmul %reshape, %w : f32[2, 3, 6]
            output %m "y"
        "#]],
    );
}

#[test]
fn joins_and_splits_around_a_transpose_cancel() {
    // The keys of attention, as PyTorch exports them to ONNX.
    check(
        r#"input %k : f32[6, 4, 8, 5]
          %f = reshape %k : f32[24, 8, 5]
          %t = transpose [0, 2, 1] %f : f32[24, 5, 8]
          %y = reshape %t : f32[6, 4, 5, 8]
        output %y "y""#,
        expect![[r#"
              %transpose = transpose [0, 1, 3, 2] %k : f32[6, 4, 5, 8]
            output %transpose "y"
        "#]],
    );
    // With heads that share keys.
    check(
        r#"input %k : f32[6, 2, 2, 8, 5]
          %f = reshape %k : f32[24, 8, 5]
          %t = transpose [0, 2, 1] %f : f32[24, 5, 8]
          %y = reshape %t : f32[6, 4, 5, 8]
        output %y "y""#,
        expect![[r#"
              %transpose = transpose [0, 1, 2, 4, 3] %k : f32[6, 2, 2, 5, 8]
              %y = reshape %transpose : f32[6, 4, 5, 8]
            output %y
        "#]],
    );
    // Dimensions that were joined stay joined.
    check(
        r#"input %x : f32[2, 3, 4]
          %f = reshape %x : f32[6, 4]
          %t = transpose [1, 0] %f : f32[4, 6]
          %y = reshape %t : f32[4, 3, 2]
        output %y "y""#,
        expect![[r#"
              %f = reshape %x : f32[6, 4]
              %t = transpose [1, 0] %f : f32[4, 6]
              %y = reshape %t : f32[4, 3, 2]
            output %y
        "#]],
    );
}

#[test]
fn joins_are_postponed_past_reductions_and_losses() {
    check(
        r#"input %x : f32[2, 3, 5]
        input %l : i64[2, 3]
          %f = reshape %x : f32[6, 5]
          %k = reshape %l : i64[6]
          %e = cross_entropy %f, %k : f32[6]
          %s = reduce sum [0] %e : f32[]
          %p = softmax dim 1 %f : f32[6, 5]
          %m = reduce max [1] %p : f32[6]
          %q = reshape %m : f32[2, 3]
        output %s "s"
        output %q "q""#,
        expect![[r#"
              %e = cross_entropy %x, %l : f32[2, 3]
              %s = reduce sum [0, 1] %e : f32[]
              %p = softmax dim 2 %x : f32[2, 3, 5]
              %m = reduce max [2] %p : f32[2, 3]
            output %s
            output %m "q"
        "#]],
    );
}

#[test]
fn chained_movement_is_merged() {
    check(
        r#"input %x : f32[2, 3, 4]
          %a = transpose [1, 0, 2] %x : f32[3, 2, 4]
          %b = transpose [1, 0, 2] %a : f32[2, 3, 4]
          %c = reshape %b : f32[2, 12]
          %d = reshape %c : f32[24]
          %e = broadcast [1] %d : f32[2, 24]
          %f = broadcast [0, 2] %e : f32[2, 5, 24]
          %g = neg %f : f32[2, 5, 24]
          %h = neg %g : f32[2, 5, 24]
        output %h "h""#,
        expect![[r#"
              %d = reshape %x : f32[24]
              %f = broadcast [2] %d : f32[2, 5, 24]
            output %f "h"
        "#]],
    );
}

#[test]
fn annotated_values_are_unchanged() {
    check(
        r#"mesh @m = [data=2]
        input %x : f32[4, 8]
          %f = reshape %x : f32[32@data]
          %g = reshape %f : f32[4, 8]
        output %g "g""#,
        expect![[r#"
              %f = reshape %x : f32[32@data]
              %g = reshape %f : f32[4, 8]
            output %g
        "#]],
    );
}

#[test]
fn norms_retain_their_dimension() {
    check(
        r#"param %s "s" : f32[4]
        input %x : f32[2, 4, 1]
          %f = reshape %x : f32[2, 4]
          %n = layer_norm eps 1e-5 %f, %s : f32[2, 4]
        output %n "n""#,
        expect![[r#"
              %f = reshape %x : f32[2, 4]
              %n = layer_norm eps 1e-5 %f, %s : f32[2, 4]
            output %n
        "#]],
    );
}
