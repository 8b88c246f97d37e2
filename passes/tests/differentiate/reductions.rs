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
    cases
}

#[test]
fn gradients_are_differences() {
    super::check_all(cases());
}
