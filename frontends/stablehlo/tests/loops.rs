//! Loops with a static trip count, and loops that end by a condition.

use crate::common::{self, imported};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&imported(text));
}

#[test]
fn loops_with_a_static_trip_count() {
    let text = |init: i32, bound: i32, relation: &str, step: &str| {
        common::module(
            "%arg0: tensor<f32>, %arg1: tensor<f32>",
            &format!(
                "%c = stablehlo.constant dense<{init}> : tensor<i32>
                 %b = stablehlo.constant dense<{bound}> : tensor<i32>
                 %two = stablehlo.constant dense<2.0> : tensor<f32>
                 %0:3 = stablehlo.while(%i = %c, %x = %arg0, %n = %b) : tensor<i32>, tensor<f32>, tensor<i32>
                 cond {{
                   %1 = stablehlo.compare {relation}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                   stablehlo.return %1 : tensor<i1>
                 }} do {{
                   %s = stablehlo.constant dense<3> : tensor<i32>
                   %1 = stablehlo.{step} : tensor<i32>
                   %2 = stablehlo.multiply %x, %two : tensor<f32>
                   %3 = stablehlo.add %2, %arg1 : tensor<f32>
                   stablehlo.return %1, %3, %n : tensor<i32>, tensor<f32>, tensor<i32>
                 }}
                 return %0#1 : tensor<f32>"
            ),
        )
    };
    let trips = |init, bound, relation, step| {
        let program = imported(&text(init, bound, relation, step));
        let trips = program.split_once("loop ").and_then(|(_, rest)| rest.split(' ').next()).map(str::to_owned);
        trips.unwrap_or(program)
    };
    check(
        &text(0, 10, "LT, %i, %b", "add %i, %s"),
        expect![[r#"
            form traced
            func @loop1(%i.1: i32[], %x.1: f32[], %n.1: i32[], %arg1.1: f32[]) {
              %s = constant 3 : i32[]
              %1.1 = add %i.1, %s : i32[]
              %c.2 = constant 2.0 : f32[]
              %2 = mul %x.1, %c.2 : f32[]
              %3 = add %2, %arg1.1 : f32[]
              return %1.1 "out0", %3 "out1", %n.1 "out2", %arg1.1 "out3"
            }
            input %arg0 : f32[]
            input %arg1 : f32[]
              %c = constant 0 : i32[]
              %b = constant 10 : i32[]
              %0.0, %0.1, %0.2, %same = loop 4 of @loop1 %c, %arg0, %b, %arg1 : i32[], f32[], i32[], f32[]
            output %0.1 "out0"
        "#]],
    );
    assert_eq!(trips(0, 9, "LT, %i, %n", "add %i, %s"), "3");
    assert_eq!(trips(0, 9, "LE, %i, %n", "add %s, %i"), "4");
    assert_eq!(trips(0, 10, "LT, %i, %n", "add %i, %s"), "4");
    assert_eq!(trips(0, 10, "GT, %n, %i", "add %i, %s"), "4");
    assert_eq!(trips(10, 0, "GT, %i, %n", "subtract %i, %s"), "4");
    assert_eq!(trips(10, 1, "GE, %i, %n", "subtract %i, %s"), "4");
    assert_eq!(trips(1, 10, "NE, %i, %n", "add %i, %s"), "3");
    assert_eq!(trips(7, 7, "NE, %i, %n", "add %i, %s"), "0");
    assert_eq!(trips(9, 3, "LT, %i, %n", "add %i, %s"), "0");
    // The counter skips the bound, moves away from it, overflows, or has a step that is not constant.
    for (init, bound, relation, step) in [
        (0, 10, "NE, %i, %n", "add %i, %s"),
        (0, 10, "LT, %i, %n", "subtract %i, %s"),
        (0, i32::MAX, "LE, %i, %n", "add %i, %s"),
        (0, 10, "LT, %i, %n", "multiply %i, %s"),
    ] {
        let program = imported(&text(init, bound, relation, step));
        assert!(program.contains("loop 100 of @loop1 while 1000000 %"), "{relation}: {program}");
    }
}

#[test]
fn a_counter_in_a_conjunction_limits_the_iterations() {
    let text = |connective: &str| {
        format!(
            r#"
module @m {{
  func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {{
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%i = %c, %x = %arg0) : tensor<i32>, tensor<f32> cond {{
      %n = stablehlo.constant dense<5> : tensor<i32>
      %b = stablehlo.constant dense<9.0> : tensor<f32>
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %2 = stablehlo.compare LT, %x, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.{connective} %2, %1 : tensor<i1>
      stablehlo.return %3 : tensor<i1>
    }} do {{
      %s = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %i, %s : tensor<i32>
      %2 = stablehlo.add %x, %x : tensor<f32>
      stablehlo.return %1, %2 : tensor<i32>, tensor<f32>
    }}
    return %0#1 : tensor<f32>
  }}
}}"#
        )
    };
    assert!(imported(&text("and")).contains("loop 5 of @loop1 while 5 %"));
    assert!(imported(&text("or")).contains("loop 100 of @loop1 while 1000000 %"));
}

#[test]
fn loops_with_a_condition_carry_it() {
    check(
        r#"
module @jit_f {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<i1>) -> tensor<f32> {
    %0 = "stablehlo.if"(%arg2) ({
      stablehlo.return %arg0 : tensor<f32>
    }, {
      %1 = stablehlo.while(%x = %arg0) : tensor<f32> cond {
        %2 = stablehlo.compare LT, %x, %arg1 : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2 = stablehlo.add %x, %x : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}"#,
        expect![[r#"
            form traced
            func @loop1(%condition: bool[], %x.2: f32[], %arg1.2: f32[]) {
              %2.3 = add %x.2, %x.2 : f32[]
              %2.4 = compare lt %2.3, %arg1.2 : bool[]
              return %2.4 "out0", %2.3 "out1", %arg1.2 "out2"
            }
            input %arg0 : f32[]
            input %arg1 : f32[]
            input %arg2 : bool[]
              %2.2 = compare lt %arg0, %arg1 : bool[]
              %not = not %arg2 : bool[]
              %and = and %not, %2.2 : bool[]
              %same, %1, %same.1 = loop 100 of @loop1 while 1000000 %and, %arg0, %arg1 : bool[], f32[], f32[]
              %selected = select %arg2, %arg0, %1 : f32[]
            output %selected "out0"
        "#]],
    );
}
