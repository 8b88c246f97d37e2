//! Sorting and the largest elements.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let by = "func @by(%a: f64[], %b: f64[], %c: f64[], %d: f64[], %e: i32[], %f: i32[]) {
          %first = compare lt %a, %b : bool[]
          return %first
        }";
    let one = "func @by(%a: f64[], %b: f64[]) {
          %x = sin %a : f64[]
          %y = sin %b : f64[]
          %first = compare gt %x, %y : bool[]
          return %first
        }";
    vec![
        case(format!(
            "{by} input %x : f64[4, 3] input %y : f64[4, 3] %i = iota dim 0 : i32[4, 3]
             %a, %b, %c = sort dim 0 stable by @by %x, %y, %i : f64[4, 3], f64[4, 3], i32[4, 3]
             %s = sin %a : f64[4, 3] %t = cos %b : f64[4, 3] output %s output %t output %c"
        )),
        // Only the sorted operand is read.
        case(format!(
            "{by} input %x : f64[4, 3] input %y : f64[4, 3] %i = iota dim 0 : i32[4, 3]
             %a, %b, %c = sort dim 1 by @by %x, %y, %i : f64[4, 3], f64[4, 3], i32[4, 3]
             %t = cos %b : f64[4, 3] output %t"
        )),
        case(format!(
            "{one} input %x : f64[5] %a = sort dim 0 by @by %x : f64[5] %y = neg %x : f64[5] %b = sort dim 0 by @by %y : f64[5]
             %c = mul %a, %b : f64[5] output %c"
        )),
        case(
            "input %x : f64[2, 5] %v, %i = top_k 3 %x : f64[2, 3], i32[2, 3] %s = sin %v : f64[2, 3] output %s output %i",
        ),
        case("input %x : f64[5] %v, %i = top_k 5 %x : f64[5], i32[5] %s = sin %v : f64[5] output %s"),
    ]
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}
