//! Sorting.

use super::check;

#[test]
fn lines_are_sorted_together_and_stable() {
    check(
        "form local
        func @less(%a: i32[], %b: i32[], %x: f32[], %y: f32[]) {
          %p = compare lt %a, %b : bool[]
          return %p
        }
        func @no_less(%a: f32[], %b: f32[]) {
          %p = compare ge total %a, %b : bool[]
          return %p
        }
        input %k : i32[3, 77, 2]
        input %v : f32[3, 77, 2]
        input %w : f32[1000]
        input %one : f32[4, 1]
          %a, %b = sort dim 1 stable by @less %k, %v : i32[3, 77, 2], f32[3, 77, 2]
          %c = sort dim 0 by @no_less %w : f32[1000]
          %d = sort dim 1 by @no_less %one : f32[4, 1]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\"
        output %d \"d\"",
        0.0,
    );
}

#[test]
fn top_k_returns_the_largest_elements() {
    check(
        "form local
        input %x : f32[5, 300]
        input %g : f32[4, 6, 8]
        input %i : i32[3, 50]
          %a, %b = top_k 7 %x : f32[5, 7], i32[5, 7]
          %t = transpose [1, 0, 2] %g : f32[6, 4, 8]
          %c, %d = top_k 2 %t : f32[6, 4, 2], i32[6, 4, 2]
          %e, %f = top_k 50 %i : i32[3, 50], i32[3, 50]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\"
        output %d \"d\"
        output %e \"e\"
        output %f \"f\"",
        0.0,
    );
}
