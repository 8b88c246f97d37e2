//! Fourier transforms, factorizations and triangular systems: import, export, and invalid calls of LAPACK.

#![allow(clippy::panic, reason = "a panic is how a test fails")]

mod common;

use common::{imported, module, parsed, refused};
use expect_test::{Expect, expect};

/// Checks the error of a body with the argument `%arg0: tensor<4x8xf32>`.
fn check_body(body: &str, expected: Expect) {
    let body = format!("{body}\n    %r = stablehlo.constant dense<0.0> : tensor<f32>\n    return %r : tensor<f32>");
    expected.assert_eq(&refused(&module("%arg0: tensor<4x8xf32>", &body)));
}

#[test]
fn routines_of_lapack() {
    let call = |config: &str, results: &str| {
        let attributes = format!("{{mhlo.backend_config = {{{config}}}}}");
        format!(
            "    %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) {attributes} : (tensor<4x8xf32>) -> ({results})"
        )
    };
    check_body(&call("uplo = 76 : ui8", "tensor<4x8xf32>, tensor<i32>"), expect![[""]]);
    check_body(&call("uplo = 65 : ui8", "tensor<4x8xf32>, tensor<i32>"), expect![[""]]);
    check_body(
        "    %0 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>",
        expect![[""]],
    );
    check_body(
        "    %m = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
         %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%m) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>)",
        expect![[""]],
    );
    check_body(
        "    %m = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
         %0:7 = stablehlo.custom_call @lapack_sgeev_ffi(%m) {mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>)",
        expect![[""]],
    );
}

#[test]
fn factorizations_and_their_failures() {
    let body = r#"    %m = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %l:2 = stablehlo.custom_call @lapack_spotrf_ffi(%m) {mhlo.backend_config = {uplo = 85 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<i32>)
    %lu:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%m) {mhlo.backend_config = {}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
    %s:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%m) {mhlo.backend_config = {mode = 78 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>)
    %e:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%m) {mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>)
    %r = stablehlo.constant dense<0.0> : tensor<f32>
    return %r : tensor<f32>"#;
    expect![[""]].assert_eq(&imported(&module("%arg0: tensor<4x8xf32>", body)));
}

#[test]
fn complex_numbers_are_exported_as_one_value() {
    let text = "form traced
input %x : f32[2, 6]
input %a.re : f64[2, 2]
input %a.im : f64[2, 2]
  %y.re, %y.im = fft real_forward length [6] %x : f32[2, 4], f32[2, 4]
  %z.re, %z.im = fft inverse length [2, 4] %y.re, %y.im : f32[2, 4], f32[2, 4]
  %w = fft real_inverse length [6] %z.re, %z.im : f32[2, 6]
  %l.re, %l.im = cholesky upper %a.re, %a.im : f64[2, 2], f64[2, 2]
  %s.re, %s.im = triangular_solve right with adjoint %l.re, %l.im, %a.re, %a.im : f64[2, 2], f64[2, 2]
  %t = triangular_solve upper unit_diagonal %l.re, %a.re : f64[2, 2]
output %w
output %s.re
output %s.im
output %t
";
    let exported = partita_stablehlo::export(&parsed(text)).unwrap_or_else(|e| panic!("{}", e[0]));
    expect![[""]].assert_eq(&exported);
    expect![[""]].assert_eq(&imported(&exported));
}

#[test]
fn factorizations_without_counterpart_are_not_exported() {
    let text = "form traced\ninput %x : f32[2, 2]\n  %q, %t = qr %x : f32[2, 2], f32[2]\noutput %q\n";
    let errors = partita_stablehlo::export(&parsed(text)).err().unwrap_or_default();
    let text: String = errors.iter().map(|e| format!("{e}\n")).collect();
    expect![[""]].assert_eq(&text);
}
