//! Gathers and scatters.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for fill in ["", "fill "] {
        cases.push(case(format!(
            "input %x : f64[5, 3] %i = constant [0, 4, 4, 7, -1, 2] : i32[6]
             %y = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 3] {fill}%x, %i : f64[6, 3]
             %s = sin %y : f64[6, 3] output %s"
        )));
        // Rows along a batch dimension.
        cases.push(case(format!(
            "input %x : f64[3, 4] %i = constant [0, 3, 3, 1, 9, -2] : i64[3, 2, 1]
             %y = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 2 sizes [1, 1] {fill}%x, %i : f64[3, 2]
             %s = sin %y : f64[3, 2] output %s"
        )));
        // Slices that are partly out of bounds, with index vectors in dimension 0.
        for dtype in ["i32", "i8", "u64"] {
            cases.push(case(format!(
                "input %x : f64[5, 4, 2] %i = constant [0, 3, 4, 1, 2, 2, 1, 3] : {dtype}[2, 4]
                 %y = gather offset [0, 2, 3] map [0, 1] vector 0 sizes [2, 2, 2] {fill}%x, %i : f64[2, 4, 2, 2]
                 %s = sin %y : f64[2, 4, 2, 2] output %s"
            )));
        }
    }
    for combine in ["sum", "set", "prod", "max", "min"] {
        // Several updates of one element, and updates that are out of bounds.
        cases.push(case(format!(
            "input %x : f64[5, 3] input %u : f64[6, 3] %i = constant [0, 4, 4, 7, -1, 0] : i32[6]
             %y = scatter {combine} window [1] inserted [0] map [0] vector 1 %x, %i, %u : f64[5, 3]
             %s = sin %y : f64[5, 3] output %s"
        )));
        cases.push(case(format!(
            "input %x : f64[3, 4] input %u : f64[3, 2] %i = constant [0, 3, 3, 3, 9, -2] : i64[3, 2, 1]
             %y = scatter {combine} inserted [1] operand_batch [0] index_batch [0] map [1] vector 2 %x, %i, %u : f64[3, 4]
             %s = sin %y : f64[3, 4] output %s"
        )));
        // Overlapping slices that are partly out of bounds.
        for (dtype, first) in [("i32", "-1"), ("i8", "-1"), ("u64", "-1")] {
            cases.push(case(format!(
                "input %x : f64[5, 4, 2] input %u : f64[2, 4, 2, 2]
                 %i = constant [{first}, 3, 4, 1, 2, 2, 1, 3] : {dtype}[2, 4]
                 %y = scatter {combine} window [0, 2, 3] map [0, 1] vector 0 %x, %i, %u : f64[5, 4, 2]
                 %s = sin %y : f64[5, 4, 2] output %s"
            )));
        }
        cases.push(case(format!(
            "input %x : f64[5] input %u : f64[2] %i = constant [2] : i32[1]
             %y = scatter {combine} window [0] map [0] vector 0 %x, %i, %u : f64[5] %s = sin %y : f64[5] output %s"
        )));
    }
    cases
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}
