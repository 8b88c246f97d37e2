//! Predictions of models: which results they consist of, which inputs they need, and which models are refused.

use expect_test::{Expect, expect};
use partita_ir::diag::Source;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text::{parse, print};
use partita_passes::inference::Inference;

fn program(body: &str) -> Program {
    parse(&Source::new("model.pir", format!("form traced\n{body}"))).unwrap()
}

fn check_prediction(body: &str, expected: Expect) {
    let inference = Inference::new(&program(body), &Plan::default()).unwrap_or_else(|e| panic!("{}", e[0]));
    expected.assert_eq(&print(&inference.program));
}

fn check_errors(body: &str, expected: Expect) {
    let errors = Inference::new(&program(body), &Plan::default()).err().expect("it is refused");
    expected.assert_eq(&errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
}

#[test]
fn logits_are_the_operand_of_a_cross_entropy() {
    check_prediction(
        r#"param %w "w" : f32[6, 3]
input %x : f32[4, 6]
input %label : i64[4]
input %key : u32[2]
  %u = random uniform %key : f32[4, 6]
  %p = constant 0.5 : f32[4, 6]
  %c = compare lt %u, %p : bool[4, 6]
  %m = convert %c : f32[4, 6]
  %d = mul %x, %m : f32[4, 6]
  %y = matmul %d, %w : f32[4, 3]
  %e = cross_entropy %y, %label : f32[4]
  %loss = reduce sum [0] %e : f32[]
output %loss "loss"
"#,
        expect![[r#"
            form traced
            param %w "w" : f32[6, 3]
            input %x : f32[4, 6]
              %m = constant 0.5 : f32[4, 6]
              %d = mul %x, %m : f32[4, 6]
              %y = matmul %d, %w : f32[4, 3]
            output %y "logits"
        "#]],
    );
}

#[test]
fn a_prediction_is_compared_with_an_independent_input() {
    check_prediction(
        r#"param %w "w" : f32[6, 3]
input %x : f32[4, 6]
input %target : f32[4, 3]
  %y = matmul %x, %w : f32[4, 3]
  %d = sub %y, %target : f32[4, 3]
  %s = mul %d, %d : f32[4, 3]
  %loss = reduce sum [0, 1] %s : f32[]
output %loss "loss"
"#,
        expect![[r#"
            form traced
            param %w "w" : f32[6, 3]
            input %x : f32[4, 6]
              %y = matmul %x, %w : f32[4, 3]
            output %y "prediction"
        "#]],
    );
}

#[test]
fn per_example_results_are_predictions_unless_they_depend_on_labels() {
    check_prediction(
        r#"param %w "w" : f32[6, 3]
input %x : f32[4, 6]
input %label : i64[4]
  %y = matmul %x, %w : f32[4, 3]
  %e = cross_entropy %y, %label : f32[4]
  %loss = reduce sum [0] %e : f32[]
  %r = relu %y : f32[4, 3]
output %loss "loss"
output %e "each"
output %r "scores"
"#,
        expect![[r#"
            form traced
            param %w "w" : f32[6, 3]
            input %x : f32[4, 6]
              %y = matmul %x, %w : f32[4, 3]
              %r = relu %y : f32[4, 3]
            output %r "scores"
        "#]],
    );
}

#[test]
fn mixed_examples_are_refused() {
    check_errors(
        r#"param %w "w" : f32[6, 3]
input %x : f32[4, 6]
  %y = matmul %x, %w : f32[4, 3]
  %s = reduce sum [0] %y : f32[3]
  %b = broadcast [1] %s : f32[4, 3]
  %z = sub %y, %b : f32[4, 3]
output %z "scores"
"#,
        expect![[r#"
            error[I001]: predictions of `model.pir` for an example depend on other examples of its batch
              --> model.pir:5
              = note: `reduce %s` mixes the examples of a batch
              = note: requests of different users share a batch, so one request could change the answer to another
              = help: use the model in inference mode, such as with running means in batch norms; for a built-in model, write `loss=false`"#]],
    );
    // Two adjacent rows are joined: no reduction, but examples are still mixed.
    check_errors(
        r#"param %w "w" : f32[12, 12]
input %x : f32[4, 6]
  %pairs = reshape %x : f32[2, 12]
  %y = matmul %pairs, %w : f32[2, 12]
  %z = reshape %y : f32[4, 6]
output %z "scores"
"#,
        expect![[r#"
            error[I001]: predictions of `model.pir` for an example depend on other examples of its batch
              --> model.pir:5
              = note: `matmul %y` mixes the examples of a batch
              = note: requests of different users share a batch, so one request could change the answer to another
              = help: use the model in inference mode, such as with running means in batch norms; for a built-in model, write `loss=false`"#]],
    );
}

#[test]
fn models_without_predictions_are_refused() {
    check_errors(
        r#"param %w "w" : f32[6, 3]
input %x : f32[4, 6]
  %y = matmul %x, %w : f32[4, 3]
  %loss = reduce sum [0, 1] %y : f32[]
output %loss "loss"
"#,
        expect![[r#"
            error[I001]: `model.pir` has no predictions
              = note: no output has a row for each example, and no value is compared with labels
              = help: use the model without its loss; for a built-in model, write `loss=false`"#]],
    );
}

#[test]
fn inputs_without_batch_are_refused() {
    check_errors(
        r#"param %w "w" : f32[6, 3]
input %x : f32[4, 6]
input %heat : f32[3]
  %y = matmul %x, %w : f32[4, 3]
  %h = broadcast [1] %heat : f32[4, 3]
  %z = div %y, %h : f32[4, 3]
output %z "scores"
"#,
        expect![[r#"
            error[I001]: `x` has 4 examples, but `heat` is f32[3]
              = note: the first dimension of every input that is not a parameter, and of every prediction, is the batch"#]],
    );
}
