//! Complex and quantised numbers: their lowered programs, and errors.

use crate::common::{self, imported, refused};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&imported(text));
}

/// Checks a function with the given arguments, results and body.
fn check_body(args: &str, results: &str, body: &str, expected: Expect) {
    let text = format!("module @m {{\n  func.func public @main({args}) -> ({results}) {{\n{body}\n  }}\n}}\n");
    check(&text, expected);
}

#[test]
fn arguments_and_results_have_parts() {
    check(
        r#"
module @jit_f {
  func.func public @main(%arg0: tensor<2xcomplex<f32>> {tf.aliasing_output = 1 : i32}, %arg1: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xcomplex<f32>>) {
    %0 = stablehlo.complex %arg1, %arg1 : tensor<2xcomplex<f32>>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2xcomplex<f32>>
    %2 = stablehlo.imag %1 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
    return %2, %1 : tensor<2xf32>, tensor<2xcomplex<f32>>
  }
}"#,
        expect![[r#"
            form traced
            input %arg0.re : f32[2]
            input %arg0.im : f32[2]
            input %arg1 : f32[2]
              %1 = mul %arg0.re, %arg1 : f32[2]
              %1.1 = mul %arg0.im, %arg1 : f32[2]
              %1.2 = mul %arg0.re, %arg1 : f32[2]
              %1.3 = mul %arg0.im, %arg1 : f32[2]
              %1.4 = sub %1, %1.1 : f32[2]
              %1.5 = add %1.2, %1.3 : f32[2]
            output %1.5 "out0"
            output %1.4 "out1.re" -> %arg0.re
            output %1.5 "out1.im" -> %arg0.im
        "#]],
    );
}

#[test]
fn literals_alternate_between_parts() {
    check_body(
        "",
        "tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<complex<f32>>",
        "%0 = stablehlo.constant dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>
         %1 = stablehlo.constant dense<(5.0, -6.0)> : tensor<2xcomplex<f32>>
         %2 = stablehlo.constant dense<\"0x0000803F00000040\"> : tensor<complex<f32>>
         return %0, %1, %2 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>, tensor<complex<f32>>",
        expect![[r#"
            form traced
              %0 = constant [1.0, 3.0] : f32[2]
              %0.1 = constant [2.0, 4.0] : f32[2]
              %1 = constant 5.0 : f32[2]
              %1.1 = constant -6.0 : f32[2]
              %2 = constant 1.0 : f32[]
              %2.1 = constant 2.0 : f32[]
            output %0 "out0.re"
            output %0.1 "out0.im"
            output %1 "out1.re"
            output %1.1 "out1.im"
            output %2 "out2.re"
            output %2.1 "out2.im"
        "#]],
    );
}

#[test]
fn quantised_numbers_are_rounded_after_each_operation() {
    check_body(
        "%arg0: tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>",
        "tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>",
        "%0 = stablehlo.negate %arg0 : tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>
         %1 = stablehlo.reverse %0, dims = [0] : tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>
         return %1 : tensor<2x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>",
        expect![[r#"
            form traced
            input %arg0 : i8[2]
              %0 = convert %arg0 : f32[2]
              %0.1 = constant [0.5, 0.25] : f32[2]
              %0.2 = broadcast [0] %0.1 : f32[2]
              %0.3 = constant [1.0, 0.0] : f32[2]
              %0.4 = broadcast [0] %0.3 : f32[2]
              %0.5 = sub %0, %0.4 : f32[2]
              %0.6 = mul %0.5, %0.2 : f32[2]
              %0.7 = neg %0.6 : f32[2]
              %0.8 = constant [0.5, 0.25] : f32[2]
              %0.9 = broadcast [0] %0.8 : f32[2]
              %0.10 = constant [1.0, 0.0] : f32[2]
              %0.11 = broadcast [0] %0.10 : f32[2]
              %0.12 = div %0.7, %0.9 : f32[2]
              %0.13 = round_even %0.12 : f32[2]
              %0.14 = add %0.13, %0.11 : f32[2]
              %0.15 = constant -127.0 : f32[2]
              %0.16 = constant 127.0 : f32[2]
              %0.17 = max %0.15, %0.14 : f32[2]
              %0.18 = min %0.16, %0.17 : f32[2]
              %0.19 = convert %0.18 : i8[2]
              %1 = reverse [0] %0.19 : i8[2]
            output %1 "out0"
        "#]],
    );
}

#[test]
fn operations_that_are_not_defined_for_complex_numbers() {
    for (operation, message) in [
        ("stablehlo.floor %arg0 : tensor<2xcomplex<f32>>", "elements must be floats"),
        ("stablehlo.remainder %arg0, %arg0 : tensor<2xcomplex<f32>>", "`stablehlo.remainder` of complex numbers"),
        (
            "stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2xcomplex<f32>>, tensor<2xf32>) -> tensor<4xcomplex<f32>>",
            "operand 1 of `stablehlo.concatenate` is not complex",
        ),
        ("stablehlo.reverse %arg0, dims = [0] : (tensor<2xcomplex<f32>>) -> tensor<2xf32>", "must be equal"),
        (
            "stablehlo.slice %arg0 [0:1] : (tensor<2xcomplex<f32>>) -> tensor<1xf32>",
            "of complex numbers does not return",
        ),
    ] {
        let text = common::module(
            "%arg0: tensor<2xcomplex<f32>>, %arg1: tensor<2xf32>",
            &format!("%0 = {operation}\n %z = stablehlo.constant dense<0.0> : tensor<f32>\n return %z : tensor<f32>"),
        );
        let error = refused(&text);
        assert!(error.contains(message), "{operation}: {error}");
    }
}
