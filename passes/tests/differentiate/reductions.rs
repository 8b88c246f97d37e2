//! Reductions.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for monoid in ["sum", "prod", "max", "min"] {
        for (dims, to) in [("[1]", "[2, 4]"), ("[2, 0]", "[3]"), ("[0, 1, 2]", "[]"), ("[]", "[2, 3, 4]")] {
            cases.push(case(format!(
                "input %x : f64[2, 3, 4] %y = reduce {monoid} {dims} %x : f64{to} %s = sin %y : f64{to} output %s"
            )));
        }
    }
    // Products with one zero factor and with two.
    for zeros in ["0.0, 1.0, 1.0", "0.0, 0.0, 1.0"] {
        cases.push(case(format!(
            "input %x : f64[3] %m = constant [{zeros}] : f64[3] %z = mul %x, %m : f64[3]
             %y = reduce prod [0] %z : f64[] %w = reduce_window prod [(2 pad 1 1)] %z : f64[4] output %y output %w"
        )));
    }
    for monoid in ["sum", "prod", "max", "min"] {
        for (window, to) in [
            ("(2)", 5),
            ("(2 stride 2)", 3),
            ("(3 stride 2 pad 1 1)", 3),
            ("(6 pad 5 0)", 6),
            ("(6 pad 0 5)", 6),
            ("(2 pad -1 -1)", 3),
            ("(2 stride 3 pad 2 2)", 3),
            ("(2 base 2)", 10),
            ("(3 stride 2 pad 1 0 base 3)", 8),
            ("(2 dilate 2)", 4),
            ("(3 pad 2 1 dilate 2)", 5),
            ("(2 stride 2 pad 1 2 dilate 3 base 2)", 6),
            ("(1)", 6),
        ] {
            // The maximum of an empty reduction is infinite.
            let bound = "%l = constant -9.0 : f64[] %h = constant 9.0 : f64[]";
            cases.push(case(format!(
                "input %x : f64[6] %y = reduce_window {monoid} [{window}] %x : f64[{to}] {bound}
                 %c = clamp %l, %y, %h : f64[{to}] %s = sin %c : f64[{to}] output %s"
            )));
        }
        cases.push(case(format!(
            "input %x : f64[2, 4, 5] %y = reduce_window {monoid} [(1), (2 stride 2), (3 pad 1 1)] %x : f64[2, 2, 5]
             %s = sin %y : f64[2, 2, 5] output %s"
        )));
    }
    for monoid in ["max", "min"] {
        for (window, to) in [("(2)", 5), ("(2 stride 2)", 3), ("(3 stride 2 pad 1 1)", 3), ("(2 stride 4 pad 4 0)", 3)]
        {
            cases.push(case(format!(
                "input %x : f64[6] input %u : f64[{to}] %y = select_and_scatter {monoid} [{window}] %x, %u : f64[6]
                 %s = sin %y : f64[6] output %s"
            )));
        }
    }
    cases
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}
