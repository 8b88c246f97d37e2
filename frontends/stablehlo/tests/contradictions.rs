//! Detection of contradicting types. Each type in a module that contains all operations is changed, and each change
//! must produce a user error.

use crate::common;
use partita_ir::diag::Code;
use partita_stablehlo::{import, operations};
use std::ops::Range;

const EVERY_OP: &str = include_str!("data/every_op.mlir");

/// Returns the ranges of the types in a text.
fn types(text: &str) -> Vec<Range<usize>> {
    let end = |at: usize| {
        let mut open = 0;
        let closes = |byte: u8| {
            open += i32::from(byte == b'<') - i32::from(byte == b'>');
            byte == b'>' && open == 0
        };
        at + text[at..].bytes().position(closes).unwrap() + 1
    };
    text.match_indices("tensor<").map(|(at, _)| at..end(at)).collect()
}

/// Returns variations of a type: other element types, an additional dimension, and each dimension changed to a larger
/// size, to 1 and to 0.
fn others(ty: &str) -> Vec<String> {
    let inside = ty.strip_prefix("tensor<").unwrap().strip_suffix('>').unwrap();
    let element = inside.trim_start_matches(|c: char| c.is_ascii_digit() || c == 'x');
    let dims: Vec<&str> = inside.strip_suffix(element).unwrap().split_terminator('x').collect();
    let spell = |dims: &[String], element: &str| {
        format!("tensor<{}{element}>", dims.iter().map(|d| format!("{d}x")).collect::<String>())
    };
    let dims: Vec<String> = dims.into_iter().map(str::to_owned).collect();
    let elements = ["f64", "f32", "f16", "bf16", "i64", "i32", "i8", "ui64", "ui32", "ui8", "i1"];
    let mut all: Vec<String> = elements.iter().filter(|e| **e != element).map(|e| spell(&dims, e)).collect();
    all.push(spell(&[&dims[..], &["2".to_owned()]].concat(), element));
    for at in 0..dims.len() {
        let size: usize = dims[at].parse().unwrap();
        for other in [size + 1, 1, 0] {
            if other != size {
                let mut dims = dims.clone();
                dims[at] = other.to_string();
                all.push(spell(&dims, element));
            }
        }
    }
    all
}

/// Replaces each type of a text by each variation, and returns the number of errors. Panics if a change is accepted.
fn check_every_change_is_an_error(name: &str, text: &str, most: usize) -> usize {
    let program = common::program(name, text);
    assert!(partita_ir::verify::verify(&program).is_ok(), "{name}");
    let places = types(text);
    let every = places.len().div_ceil(most).max(1);
    let mut refused = 0;
    for place in places.into_iter().step_by(every) {
        for other in others(&text[place.clone()]) {
            let changed = format!("{}{other}{}", &text[..place.start], &text[place.end..]);
            let line = text[..place.start].matches('\n').count() + 1;
            match import(name, &changed) {
                Ok(_) => panic!("{name}:{line}: `{}` may be {other}", &text[place.clone()]),
                Err(errors) => {
                    assert!(!errors.is_empty());
                    for error in errors {
                        assert_ne!(error.code, Code::B001, "{name}:{line}: {error}");
                        assert!(!error.labels.is_empty(), "{name}:{line}: {error}");
                    }
                }
            }
            refused += 1;
        }
    }
    refused
}

#[test]
fn every_operation_occurs() {
    for name in operations() {
        let name = name.strip_prefix("func.return").map_or(name, |_| "return");
        assert!(
            EVERY_OP.contains(&format!("{name} "))
                || EVERY_OP.contains(&format!("{name}("))
                || EVERY_OP.contains(&format!("\"{name}\"")),
            "{name}"
        );
    }
}

#[test]
fn every_changed_type_of_any_operation_is_an_error() {
    let refused = check_every_change_is_an_error("every_op.mlir", EVERY_OP, usize::MAX);
    println!("{refused} changes were refused");
    assert!(refused > 4500, "{refused}");
}

#[test]
fn every_changed_type_of_exported_text_is_an_error() {
    // The exporter prints generic form.
    let program = common::program("every_op.mlir", EVERY_OP);
    let Ok(exported) = partita_stablehlo::export(&program) else { panic!("it is not exported") };
    assert!(check_every_change_is_an_error("exported.mlir", &exported, usize::MAX) > 5000);
}

#[test]
fn a_contradiction_shows_both_places() {
    let text = "module @m {
  func.func public @main(%arg0: tensor<16x32xf32>, %arg1: tensor<16x32xf32>) -> (tensor<f32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
";
    expect_test::expect![[r#"
        error[V001]: `stablehlo.reduce` takes `%arg1` as tensor<f32>, but it is tensor<16x32xf32>
          --> m.mlir:3:117 `%arg1` is written as tensor<f32>
          --> m.mlir:2:52 defined here, as tensor<16x32xf32>
          = help: write tensor<16x32xf32>, or convert `%arg1` first
    "#]]
    .assert_eq(&common::refused(text));
}

/// A sample of the types of each module of the test data.
#[test]
#[ignore = "takes minutes"]
fn every_changed_type_of_the_test_data_is_an_error() {
    let mut refused = 0;
    for file in common::data_files() {
        let (name, text) = common::read(&file);
        refused += check_every_change_is_an_error(&name, &text, 60);
    }
    println!("{refused} changes were refused");
}
