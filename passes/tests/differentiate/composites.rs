//! Composites.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let unary = |op: &str| {
        case(format!("input %x : f64[2, 3, 4] %y = {op} %x : f64[2, 3, 4] %z = sin %y : f64[2, 3, 4] output %z"))
    };
    let mut cases: Vec<Case> =
        ["softmax dim 2", "softmax dim 0", "log_softmax dim 1", "log_softmax dim 2"].map(unary).into();
    cases.extend(["gelu", "gelu tanh", "gelu constants f32", "gelu tanh constants bf16"].map(unary));
    cases.push(case(
        "input %x : f64[2, 3, 4] input %g : f64[4] input %b : f64[4]
         %y = layer_norm eps 0.01 %x, %g, %b : f64[2, 3, 4] %z = sin %y : f64[2, 3, 4] output %z",
    ));
    cases.push(case(
        "input %x : f64[3, 4] input %g : f64[4] %y = layer_norm eps 0.1 %x, %g : f64[3, 4] %z = sin %y : f64[3, 4] output %z",
    ));
    cases.push(case(
        "input %x : f64[2, 3, 4] input %g : f64[3] input %b : f64[3] input %m : f64[3] input %r : f64[3]
         %v = exp %r : f64[3] %y = batch_norm dim 1 eps 0.01 %x, %g, %b, %m, %v : f64[2, 3, 4]
         %z = sin %y : f64[2, 3, 4] output %z",
    ));
    for dtype in ["i32", "i64", "i8", "u8"] {
        cases.push(case(format!(
            "input %x : f64[2, 3, 4] %l = constant [0, 3, 2, 1, 4, 100] : {dtype}[2, 3]
             %y = cross_entropy %x, %l : f64[2, 3] %z = sin %y : f64[2, 3] output %z"
        )));
    }
    cases.push(case(
        "input %x : f64[2, 200] %l = constant [-1, 100] : i8[2] %y = cross_entropy %x, %l : f64[2] output %y",
    ));
    cases
}

#[test]
fn gradients_are_differences() {
    super::check_all(cases());
}
