//! Fourier transforms, factorizations and triangular systems: import, export, and invalid calls of LAPACK.

use crate::common::{imported, module, parsed, refused};
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
    check_body(
        &call("uplo = 76 : ui8", "tensor<4x8xf32>, tensor<i32>"),
        expect![[r#"
        error[V001]: `stablehlo.custom_call` does not fit its operands: needs square matrices, not 4 x 8
          --> m.mlir:3:12
    "#]],
    );
    check_body(
        &call("uplo = 65 : ui8", "tensor<4x8xf32>, tensor<i32>"),
        expect![[r#"
        error[V001]: `stablehlo.custom_call` needs `uplo` in `mhlo.backend_config`, one of 76 (`L`) or 85 (`U`)
          --> m.mlir:3:12
    "#]],
    );
    check_body(
        "    %0 = stablehlo.custom_call @lapack_spotrf_ffi(%arg0) : (tensor<4x8xf32>) -> tensor<4x8xf32>",
        expect![[r#"
            error[V001]: `stablehlo.custom_call` calls LAPACK with another number of operands (1) or results (1)
              --> m.mlir:3:10
        "#]],
    );
    check_body(
        "    %m = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
         %0:2 = stablehlo.custom_call @lapack_spotrf_ffi(%m) {mhlo.backend_config = {uplo = 76 : ui8}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>)",
        expect![[r#"
            error[V001]: `stablehlo.custom_call` returns `info` as an `i32` for each matrix, not i32[4]
              --> m.mlir:4:17
        "#]],
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
    expect![[r#"
        form traced
        input %arg0 : f32[4, 8]
          %m = slice [0, 0] to [4, 4] %arg0 : f32[4, 4]
          %l.0 = cholesky upper %m : f32[4, 4]
          %nan = is_nan %l.0 : bool[4, 4]
          %failed = reduce or [0, 1] %nan : bool[]
          %info = convert %failed : i32[]
          %lu.0, %lu.1, %lu.2 = lu %m : f32[4, 4], i32[4], i32[]
          %one = constant 1 : i32[4]
          %pivots = add %lu.1, %one : i32[4]
          %s.1 = svd %m : f32[4]
          %nan.1 = is_nan %s.1 : bool[4]
          %failed.1 = reduce or [0] %nan.1 : bool[]
          %info.1 = convert %failed.1 : i32[]
          %e.1, %e.0 = eigh %m : f32[4], f32[4, 4]
          %nan.2 = is_nan %e.1 : bool[4]
          %failed.2 = reduce or [0] %nan.2 : bool[]
          %info.2 = convert %failed.2 : i32[]
          %r = constant 0.0 : f32[]
        output %r "out0"
    "#]]
    .assert_eq(&imported(&module("%arg0: tensor<4x8xf32>", body)));
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
    expect![[r#"
        module @main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
          func.func public @main(%arg0: tensor<2x6xf32>, %arg1: tensor<2x2xf64>, %arg2: tensor<2x2xf64>) -> (tensor<2x6xf32>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
            %0 = "stablehlo.fft"(%arg0) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
            %1 = "stablehlo.real"(%0) : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
            %2 = "stablehlo.imag"(%0) : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
            %3 = "stablehlo.complex"(%1, %2) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xcomplex<f32>>
            %4 = "stablehlo.fft"(%3) <{fft_length = array<i64: 2, 4>, fft_type = #stablehlo<fft_type IFFT>}> : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
            %5 = "stablehlo.real"(%4) : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
            %6 = "stablehlo.imag"(%4) : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
            %7 = "stablehlo.complex"(%5, %6) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xcomplex<f32>>
            %8 = "stablehlo.fft"(%7) <{fft_length = array<i64: 6>, fft_type = #stablehlo<fft_type IRFFT>}> : (tensor<2x4xcomplex<f32>>) -> tensor<2x6xf32>
            %9 = "stablehlo.complex"(%arg1, %arg2) : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xcomplex<f64>>
            %10 = "stablehlo.cholesky"(%9) <{lower = false}> : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
            %11 = "stablehlo.real"(%10) : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
            %12 = "stablehlo.imag"(%10) : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
            %13 = "stablehlo.complex"(%11, %12) : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xcomplex<f64>>
            %14 = "stablehlo.complex"(%arg1, %arg2) : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xcomplex<f64>>
            %15 = "stablehlo.triangular_solve"(%13, %14) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<2x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<2x2xcomplex<f64>>
            %16 = "stablehlo.real"(%15) : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
            %17 = "stablehlo.imag"(%15) : (tensor<2x2xcomplex<f64>>) -> tensor<2x2xf64>
            %18 = "stablehlo.triangular_solve"(%11, %arg1) <{left_side = true, lower = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>
            return %8, %16, %17, %18 : tensor<2x6xf32>, tensor<2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
          }
        }
    "#]].assert_eq(&exported);
    expect![[r#"
        form traced
        input %arg0 : f32[2, 6]
        input %arg1 : f64[2, 2]
        input %arg2 : f64[2, 2]
          %0, %0.1 = fft real_forward length [6] %arg0 : f32[2, 4], f32[2, 4]
          %4, %4.1 = fft inverse length [2, 4] %0, %0.1 : f32[2, 4], f32[2, 4]
          %8 = fft real_inverse length [6] %4, %4.1 : f32[2, 6]
          %10, %10.1 = cholesky upper %arg1, %arg2 : f64[2, 2], f64[2, 2]
          %15, %15.1 = triangular_solve right with adjoint %10, %10.1, %arg1, %arg2 : f64[2, 2], f64[2, 2]
          %18 = triangular_solve upper unit_diagonal %10, %arg1 : f64[2, 2]
        output %8 "out0"
        output %15 "out1"
        output %15.1 "out2"
        output %18 "out3"
    "#]]
    .assert_eq(&imported(&exported));
}

/// Factorizations of each kind, with and without the results that are optional.
const FACTORIZATIONS: &str = "form traced
mesh @m = [x=2]
input %x : f32[2, 4, 3]
input %a : f64[3, 3]
input %b.re : f32[3, 3]
input %b.im : f32[3, 3]
  %lu, %pivots, %info = lu %x : f32[2, 4, 3], i32[2, 3], i32[2]
  %packed, %tau = qr %x : f32[2, 4, 3], f32[2, 3]
  %q = householder_product %packed, %tau : f32[2, 4, 3]
  %s, %u, %v = svd vectors thin %x : f32[2, 3], f32[2, 4, 3], f32[2, 3, 3]
  %values = svd vectors none %a : f64[3]
  %w, %vectors.re, %vectors.im = eigh upper %b.re, %b.im : f32[3], f32[3, 3], f32[3, 3]
  %e.re, %e.im, %r.re, %r.im = eig %a : f64[3], f64[3], f64[3, 3], f64[3, 3]
  %f.re, %f.im, %g.re, %g.im, %h.re, %h.im = eig left %b.re, %b.im : f32[3], f32[3], f32[3, 3], f32[3, 3], f32[3, 3], f32[3, 3]
output %pivots
output %q
output %u
output %values
output %vectors.im
output %e.im
output %h.im
";

#[test]
fn factorizations_are_exported_as_calls_of_lapack() {
    let exported = partita_stablehlo::export(&parsed(FACTORIZATIONS)).unwrap_or_else(|e| panic!("{}", e[0]));
    let calls = exported.lines().filter(|line| line.contains("custom_call")).map(str::trim);
    expect![[r#"
        %0, %1, %2 = "stablehlo.custom_call"(%arg0) <{backend_config = "", call_target_name = "lapack_sgetrf_ffi", operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[0]> : tensor<1xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xi32>, tensor<2xi32>)
        %5, %6 = "stablehlo.custom_call"(%arg0) <{backend_config = "", call_target_name = "lapack_sgeqrf_ffi", operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>)
        %7 = "stablehlo.custom_call"(%5, %6) <{backend_config = "", call_target_name = "lapack_sorgqr_ffi", operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]}> {mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
        %8, %9, %10, %11, %12 = "stablehlo.custom_call"(%arg0) <{backend_config = "", call_target_name = "lapack_sgesdd_ffi", operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[0]> : tensor<1xindex>]}> {mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}} : (tensor<2x4x3xf32>) -> (tensor<2x4x3xf32>, tensor<2x3xf32>, tensor<2x4x3xf32>, tensor<2x3x3xf32>, tensor<2xi32>)
        %24, %25, %26, %27, %28 = "stablehlo.custom_call"(%arg1) <{backend_config = "", call_target_name = "lapack_dgesdd_ffi", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0]> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3xf64>, tensor<3x3xf64>, tensor<3x3xf64>, tensor<i32>)
        %35, %36, %37 = "stablehlo.custom_call"(%34) <{backend_config = "", call_target_name = "lapack_cheevd_ffi", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0]> : tensor<1xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {mode = 86 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}} : (tensor<3x3xcomplex<f32>>) -> (tensor<3x3xcomplex<f32>>, tensor<3xf32>, tensor<i32>)
        %51, %52, %53, %54, %55 = "stablehlo.custom_call"(%arg1) <{backend_config = "", call_target_name = "lapack_dgeev_ffi", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0]> : tensor<1xindex>, dense<[0]> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}} : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<i32>)
        %73, %74, %75, %76 = "stablehlo.custom_call"(%72) <{backend_config = "", call_target_name = "lapack_cgeev_ffi", operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0]> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]}> {mhlo.backend_config = {compute_left = 86 : ui8, compute_right = 86 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}} : (tensor<3x3xcomplex<f32>>) -> (tensor<3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<i32>)"#]].assert_eq(&calls.collect::<Vec<_>>().join("\n"));
    // Results are NaN where a routine fails, which the importer also derives from NaN.
    let around = ["is_nan", "reduce or", "convert", "constant", "compare", "broadcast", "select"];
    let imported = imported(&exported);
    let lines = imported.lines().filter(|line| !around.iter().any(|op| line.contains(&format!("= {op}"))));
    expect![[r#"
        form traced
        mesh @m = [x=2]
        input %arg0 : f32[2, 4, 3]
        input %arg1 : f64[3, 3]
        input %arg2 : f32[3, 3]
        input %arg3 : f32[3, 3]
          %0, %1, %2 = lu %arg0 : f32[2, 4, 3], i32[2, 3], i32[2]
          %pivots = add %1, %one : i32[2, 3]
          %4 = sub %pivots, %3 : i32[2, 3]
          %5, %6 = qr %arg0 : f32[2, 4, 3], f32[2, 3]
          %7 = householder_product %5, %6 : f32[2, 4, 3]
          %9, %10, %11 = svd vectors thin %arg0 : f32[2, 3], f32[2, 4, 3], f32[2, 3, 3]
          %25 = svd %arg1 : f64[3]
          %36, %35, %35.1 = eigh upper %arg2, %arg3 : f32[3], f32[3, 3], f32[3, 3]
          %51, %52, %54, %54.1 = eig %arg1 : f64[3], f64[3], f64[3, 3], f64[3, 3]
          %73, %73.1, %75, %75.1, %74, %74.1 = eig left %arg2, %arg3 : f32[3], f32[3], f32[3, 3], f32[3, 3], f32[3, 3], f32[3, 3]
        output %4 "out0"
        output %7 "out1"
        output %20 "out2"
        output %33 "out3"
        output %50 "out4"
        output %65 "out5"
        output %102 "out6""#]].assert_eq(&lines.collect::<Vec<_>>().join("\n"));
}

#[test]
fn factorizations_of_narrow_floats_are_not_exported() {
    let text = "form traced\ninput %x : bf16[2, 2]\n  %q, %t = qr %x : bf16[2, 2], bf16[2]\noutput %q\n";
    let errors = partita_stablehlo::export(&parsed(text)).err().unwrap_or_default();
    let text: String = errors.iter().map(|e| format!("{e}\n")).collect();
    expect![[r#"
        error[F003]: `qr` has no counterpart in StableHLO
          = note: it comes from line 3 of the model
    "#]]
    .assert_eq(&text);
}

#[test]
fn tridiagonal_systems_and_hessenberg_forms_are_exported_as_calls() {
    let text = "form traced
input %d : f64[2, 3]
input %b : f64[2, 3, 4]
input %a.re : f32[3, 3]
input %a.im : f32[3, 3]
  %x = tridiagonal_solve %d, %d, %d, %b : f64[2, 3, 4]
  %h.re, %h.im, %tau.re, %tau.im = hessenberg %a.re, %a.im : f32[3, 3], f32[3, 3], f32[2], f32[2]
output %x
output %h.re
output %tau.im
";
    let exported = partita_stablehlo::export(&parsed(text)).unwrap_or_else(|e| panic!("{}", e[0]));
    for part in [
        "call_target_name = \"lapack_dgtsv_ffi\", operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<[1, 0]> : \
         tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>]",
        "call_target_name = \"lapack_cgehrd_ffi\"",
        "mhlo.backend_config = {low = 1 : i32, high = 3 : i32}",
    ] {
        assert!(exported.contains(part), "{exported}");
    }
    let again = imported(&exported);
    for part in ["tridiagonal_solve %arg0, %arg0, %arg0, %arg1 : f64[2, 3, 4]", "= hessenberg %arg2, %arg3 : f32[3, 3]"]
    {
        assert!(again.contains(part), "{again}");
    }
}

#[test]
fn calls_with_other_options_are_errors() {
    check_body(
        "    %m = stablehlo.slice %arg0 [0:4, 0:4] : (tensor<4x8xf32>) -> tensor<4x4xf32>
    %h:3 = stablehlo.custom_call @lapack_sgehrd_ffi(%m) {mhlo.backend_config = {low = 2 : i32, high = 4 : i32}} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<3xf32>, tensor<i32>)",
        expect![[r#"
            error[V001]: `stablehlo.custom_call` reduces a part of a matrix, which is not supported
              --> m.mlir:4:12
        "#]],
    );
    check_body(
        "    %t = stablehlo.slice %arg0 [0:1, 0:4] : (tensor<4x8xf32>) -> tensor<1x4xf32>
    %tau = stablehlo.reshape %t : (tensor<1x4xf32>) -> tensor<4xf32>
    %q = stablehlo.custom_call @lapack_sormqr_ffi(%arg0, %tau, %arg0) {mhlo.backend_config = {left = false, transpose = false}} : (tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>",
        expect![[r#"
            error[V001]: `stablehlo.custom_call` cannot multiply f32[4, 8] with the reflections f32[4, 8] and f32[4]
              --> m.mlir:5:10
        "#]],
    );
}
