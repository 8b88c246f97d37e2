//! Products of tensors.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let dot = |x: &str, y: &str, op: &str, z: &str| {
        case(format!("input %x : f64{x} input %y : f64{y} %z = {op} %x, %y : f64{z} %s = sin %z : f64{z} output %s"))
    };
    vec![
        dot("[2, 3]", "[3, 4]", "matmul", "[2, 4]"),
        dot("[2, 5, 3]", "[3, 4]", "matmul", "[2, 5, 4]"),
        dot("[2, 5, 3]", "[2, 3, 4]", "matmul", "[2, 5, 4]"),
        dot("[3]", "[3]", "dot_general contract [0]x[0]", "[]"),
        dot("[2]", "[3]", "dot_general", "[2, 3]"),
        dot("[3, 2]", "[4, 3]", "dot_general contract [0]x[1]", "[2, 4]"),
        dot("[2, 3, 4]", "[4, 5, 3]", "dot_general contract [1, 2]x[2, 0]", "[2, 5]"),
        dot("[4, 3, 2]", "[5, 2, 3]", "dot_general contract [2]x[1] batch [1]x[2]", "[3, 4, 5]"),
        dot("[2, 3, 2, 2]", "[3, 2, 2, 4]", "dot_general contract [0]x[2] batch [1, 3]x[0, 1]", "[3, 2, 2, 4]"),
        dot("[2, 3]", "[2, 3]", "dot_general batch [0, 1]x[0, 1]", "[2, 3]"),
    ]
}

#[test]
fn gradients_are_differences() {
    super::check_all(cases());
}
