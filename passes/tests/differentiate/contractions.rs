//! Products of tensors.

use super::harness::{Case, case};

pub fn cases() -> Vec<Case> {
    let dot = |x: &str, y: &str, op: &str, z: &str| {
        case(format!("input %x : f64{x} input %y : f64{y} %z = {op} %x, %y : f64{z} %s = sin %z : f64{z} output %s"))
    };
    let mut cases = vec![
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
    ];
    // Strides, padding, dilations, a mirrored kernel, dimension orders and groups.
    let plain = "[0, 1, 2]x[1, 0, 2]->[0, 1, 2]";
    let line = |window: &str, more: &str, taps: usize, outs: usize| {
        let (x, y, z) = ("[2, 4, 7]", format!("[3, 4, {taps}]"), format!("[2, 3, {outs}]"));
        dot(x, &y, &format!("convolution {plain} window [({taps}{window})]{more}"), &z)
    };
    cases.extend([
        line("", "", 3, 5),
        line(" stride 2", "", 3, 3),
        line(" stride 3 pad 2 1", "", 2, 3),
        line(" pad 2 3", " reverse [0]", 3, 10),
        line(" pad -1 -2", "", 2, 3),
        line(" pad -2 1 dilate 2", "", 3, 2),
        line(" stride 2 pad 1 0 base 2", "", 3, 6),
        line(" stride 3 pad 3 2 dilate 2 base 3", "", 4, 6),
        line(" stride 2 pad 0 4 dilate 3", "", 1, 6),
        line("", "", 1, 7),
    ]);
    let groups = |x: &str, y: &str, z: &str, more: &str| dot(x, y, &format!("convolution {more}"), z);
    cases.extend([
        groups("[2, 6, 5]", "[4, 3, 2]", "[2, 4, 4]", "[0, 1, 2]x[1, 0, 2]->[0, 1, 2] window [(2)] groups 2"),
        groups("[2, 6, 5]", "[6, 1, 2]", "[2, 6, 4]", "[0, 1, 2]x[1, 0, 2]->[0, 1, 2] window [(2)] groups 6"),
        groups("[5, 6, 2]", "[2, 4, 3]", "[4, 2, 2]", "[2, 1, 0]x[2, 1, 0]->[2, 0, 1] window [(2 stride 2)] groups 2"),
        groups("[4, 3, 5]", "[3, 6, 2]", "[2, 6, 4]", "[0, 1, 2]x[0, 1, 2]->[0, 1, 2] window [(2)] batch_groups 2"),
        groups(
            "[5, 3, 6]",
            "[2, 3, 6]",
            "[6, 2, 3]",
            "[2, 1, 0]x[1, 2, 0]->[1, 0, 2] window [(2 stride 2 pad 1 0)] batch_groups 3",
        ),
        dot(
            "[2, 5, 4, 3]",
            "[2, 3, 3, 2]",
            "convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(2 stride 2 pad 1 1), (3 pad 1 0)] reverse [1]",
            "[2, 3, 3, 2]",
        ),
        dot("[2, 3]", "[3, 4]", "convolution [0, 1]x[0, 1]->[0, 1]", "[2, 4]"),
    ]);
    cases
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}
