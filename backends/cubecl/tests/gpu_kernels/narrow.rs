//! Narrow floats, which are rounded after each op.

use super::check;

#[test]
fn narrow_floats_are_rounded() {
    for dtype in ["bf16", "f16"] {
        // All but exactly: what is rounded twice may be off by one more digit.
        check(
            &format!(
                "form local
                input %x : {dtype}[6, 51]
                input %y : {dtype}[6, 51]
                input %w : f32[51]
                  %m = mul %x, %y : {dtype}[6, 51]
                  %a = add %m, %x : {dtype}[6, 51]
                  %c = convert %w : {dtype}[51]
                  %b = broadcast [1] %c : {dtype}[6, 51]
                  %d = sub %a, %b : {dtype}[6, 51]
                  %f = convert %d : f32[6, 51]
                  %g = transpose [1, 0] %d : {dtype}[51, 6]
                output %d \"d\"
                output %f \"f\"
                output %g \"g\""
            ),
            1e-6,
        );
    }
}

#[test]
fn narrow_floats_are_multiplied_and_added_up() {
    for dtype in ["bf16", "f16"] {
        check(
            &format!(
                "form local
                input %x : {dtype}[20, 70]
                input %w : {dtype}[70, 33]
                input %b : {dtype}[33]
                  %p = matmul %x, %w : {dtype}[20, 33]
                  %c = broadcast [1] %b : {dtype}[20, 33]
                  %a = add %p, %c : {dtype}[20, 33]
                  %g = gelu %a : {dtype}[20, 33]
                  %s = softmax dim 1 %g : {dtype}[20, 33]
                  %t = reduce sum [0] %x : {dtype}[70]
                output %p \"p\"
                output %g \"g\"
                output %s \"s\"
                output %t \"t\""
            ),
            2e-2,
        );
    }
}

#[test]
fn narrow_floats_attend() {
    for dtype in ["bf16", "f16"] {
        check(
            &format!(
                "form local
                input %q : {dtype}[2, 37, 24]
                input %k : {dtype}[2, 70, 24]
                input %v : {dtype}[2, 70, 16]
                input %g : {dtype}[2, 37, 16]
                  %y = attention causal scale 0.3 %q, %k, %v : {dtype}[2, 37, 16]
                  %a, %b, %c = attention_grad causal scale 0.3 %q, %k, %v, %y, %g : {dtype}[2, 37, 24], {dtype}[2, 70, 24], {dtype}[2, 70, 16]
                output %y \"y\"
                output %a \"a\"
                output %b \"b\"
                output %c \"c\""
            ),
            2e-2,
        );
    }
}
