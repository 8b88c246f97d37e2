//! Fourier transforms, Cholesky factorizations and triangular systems.

use super::harness::{Case, add_loss, case, floats_of, read, within};
use expect_test::expect;
use partita_passes::training::differentiate::gradients;

/// Returns a case for a triangular system. The elements of its matrix are positive.
fn system(attributes: &str, b: &str) -> Case {
    within(
        0.5,
        1.5,
        format!(
            "input %a : f64[2, 3, 3] input %b : f64{b} %s = sin %b : f64{b}
             %x = triangular_solve{attributes} %a, %s : f64{b} %y = sin %x : f64{b} output %y"
        ),
    )
}

/// Returns a case for a Cholesky factorization of `x * x^T + 2`.
fn factorization(attributes: &str) -> Case {
    case(format!(
        "input %x : f64[2, 3, 3] %t = transpose [0, 2, 1] %x : f64[2, 3, 3]
         %p = dot_general contract [2]x[1] batch [0]x[0] %x, %t : f64[2, 3, 3]
         %i = iota dim 1 : i32[2, 3, 3] %j = iota dim 2 : i32[2, 3, 3] %d = compare eq %i, %j : bool[2, 3, 3]
         %two = constant 2.0 : f64[2, 3, 3] %zero = constant 0.0 : f64[2, 3, 3]
         %e = select %d, %two, %zero : f64[2, 3, 3] %a = add %p, %e : f64[2, 3, 3]
         %l = cholesky{attributes} %a : f64[2, 3, 3] %y = sin %l : f64[2, 3, 3] output %y"
    ))
}

pub fn cases() -> Vec<Case> {
    let complex = |transform: &str, lengths: &str, shape: &str| {
        case(format!(
            "input %x : f64{shape} input %y : f64{shape}
             %a, %b = fft {transform} length {lengths} %x, %y : f64{shape}, f64{shape}
             %s = sin %a : f64{shape} %t = cos %b : f64{shape} output %s output %t"
        ))
    };
    let real = |lengths: &str, shape: &str, half: &str| {
        case(format!(
            "input %x : f64{shape} %a, %b = fft real_forward length {lengths} %x : f64{half}, f64{half}
             %s = sin %a : f64{half} %t = cos %b : f64{half}
             %z = fft real_inverse length {lengths} %s, %t : f64{shape} %u = sin %z : f64{shape}
             output %s output %t output %u"
        ))
    };
    vec![
        complex("forward", "[5]", "[2, 5]"),
        complex("forward", "[2, 3]", "[2, 2, 3]"),
        complex("inverse", "[4]", "[3, 4]"),
        real("[5]", "[2, 5]", "[2, 3]"),
        real("[6]", "[6]", "[4]"),
        real("[3, 4]", "[2, 3, 4]", "[2, 3, 3]"),
        // The gradient of one part only.
        case(
            "input %x : f64[5] %a, %b = fft real_forward length [5] %x : f64[3], f64[3] %s = sin %b : f64[3] output %s",
        ),
        factorization(""),
        factorization(" upper"),
        system("", "[2, 3, 4]"),
        system(" upper", "[2, 3, 1]"),
        system(" unit_diagonal with transpose", "[2, 3, 2]"),
        system(" upper with adjoint", "[2, 3, 2]"),
        system(" right", "[2, 4, 3]"),
        system(" right upper unit_diagonal", "[2, 2, 3]"),
        system(" right with transpose", "[2, 2, 3]"),
    ]
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}

/// Returns the error of differentiating a program.
fn error(text: &str) -> String {
    let mut program = read(text);
    let loss = add_loss(&mut program);
    let wrt = floats_of(&program);
    let errors = gradients(&mut program, loss, &wrt).unwrap_err();
    errors.iter().map(|e| format!("{e}\n")).collect()
}

#[test]
fn other_factorizations_have_no_adjoint() {
    expect![[r#"
        error[D001]: `svd` (%s) cannot be differentiated: it is a factorization without an adjoint: export the gradient from the framework of the model
          --> test.pir:2
          = help: freeze the parameters before it, so that no gradient is needed: `--freeze GLOB`
    "#]].assert_eq(&error(
        "input %x : f64[3, 3] %s, %u, %v = svd vectors thin %x : f64[3], f64[3, 3], f64[3, 3] output %s",
    ));
    expect![[r#"
        error[D001]: `cholesky` (%a) cannot be differentiated: its adjoint is for real matrices only: export the gradient from the framework of the model
          --> test.pir:2
          = help: freeze the parameters before it, so that no gradient is needed: `--freeze GLOB`
    "#]].assert_eq(&error(
        "input %x : f64[3, 3] input %y : f64[3, 3] %a, %b = cholesky %x, %y : f64[3, 3], f64[3, 3] output %a",
    ));
}
