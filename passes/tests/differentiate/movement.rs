//! Ops that move elements.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let unary = |from: &str, op: &str, to: &str| {
        case(format!("input %x : f64{from} %y = {op} %x : f64{to} %z = sin %y : f64{to} output %z"))
    };
    let padded = |from: &str, op: &str, to: &str| {
        case(format!(
            "input %x : f64{from} input %v : f64[] %y = {op} %x, %v : f64{to} %z = sin %y : f64{to} output %z"
        ))
    };
    let mut cases = vec![
        unary("[2, 3]", "broadcast [1, 2]", "[4, 2, 3]"),
        unary("[3, 2]", "broadcast [2, 0]", "[2, 4, 3]"),
        unary("[1, 3]", "broadcast [0, 1]", "[5, 3]"),
        unary("[1, 3, 1]", "broadcast [2, 0, 1]", "[3, 1, 5]"),
        unary("[]", "broadcast []", "[5, 3]"),
        unary("[2, 3]", "reshape", "[3, 2]"),
        unary("[2, 3]", "reshape", "[6, 1]"),
        unary("[2, 3, 4]", "transpose [1, 2, 0]", "[3, 4, 2]"),
        unary("[2, 3, 4]", "transpose [2, 0, 1]", "[4, 2, 3]"),
        unary("[4, 3]", "reverse [0]", "[4, 3]"),
        unary("[4, 3]", "reverse [0, 1]", "[4, 3]"),
        unary("[5, 6]", "slice [1, 2] to [4, 5]", "[3, 3]"),
        unary("[7, 6]", "slice [1, 0] to [6, 6] by [2, 3]", "[3, 2]"),
        unary("[7]", "slice [1] to [7] by [4]", "[2]"),
        padded("[3]", "pad low [2] high [1]", "[6]"),
        padded("[3, 2]", "pad low [1, 0] high [0, 2] interior [2, 1]", "[8, 5]"),
        padded("[5]", "pad low [-1] high [-2]", "[2]"),
        padded("[5]", "pad low [-1] high [3] interior [1]", "[11]"),
        padded("[4]", "pad low [-3] high [1] interior [2]", "[8]"),
        padded("[2]", "pad low [-3] high [2]", "[1]"),
    ];
    cases.push(case(
        "input %x : f64[2, 3] input %y : f64[2, 1] %z = concatenate dim 1 %x, %y, %x : f64[2, 7]
         %s = sin %z : f64[2, 7] output %s",
    ));
    for at in ["0", "2", "9", "-3"] {
        cases.push(case(format!(
            "input %x : f64[5, 3] input %u : f64[2, 3] %i = constant {at} : i32[] %z = constant 0 : i32[]
             %y = dynamic_slice [2, 2] %x, %i, %z : f64[2, 2] %s = sin %y : f64[2, 2]
             %v = dynamic_update_slice %x, %u, %i, %z : f64[5, 3] %t = cos %v : f64[5, 3] output %s output %t"
        )));
    }
    cases.push(case("input %x : f64[4] %y = constrain %x : f64[4] %z = sin %y : f64[4] output %z"));
    cases
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}
