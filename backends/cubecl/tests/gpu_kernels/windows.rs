//! Sliding windows.

use super::check;

#[test]
fn windows_match_the_interpreter() {
    check(
        "form local
        input %x : f32[2, 9, 11, 3]
        input %i : i32[7, 40]
          %m = reduce_window max [(1), (3 stride 2 pad 1 1), (2 stride 2), (1)] %x : f32[2, 5, 5, 3]
          %s = reduce_window sum [(1), (3 pad 2 1 dilate 2), (2 pad 1 -1 base 2), (3 pad 1 1)] %x : f32[2, 8, 20, 3]
          %n = reduce_window min [(2), (5 stride 3 pad -1 0)] %i : i32[6, 12]
        output %m \"m\"
        output %s \"s\"
        output %n \"n\"",
        1e-5,
    );
}

#[test]
fn cumulative_reductions() {
    check(
        "form local
        input %x : f32[3, 700, 2]
        input %i : i32[5, 12]
        input %y : f32[1000]
          %s = reduce_window sum [(1), (700 pad 699 0), (1)] %x : f32[3, 700, 2]
          %b = reduce_window sum [(1), (700 pad 0 699), (1)] %x : f32[3, 700, 2]
          %c = reduce_window sum [(1), (12 pad 11 0)] %i : i32[5, 12]
          %m = reduce_window max [(1000 pad 999 0)] %y : f32[1000]
        output %s \"s\"
        output %b \"b\"
        output %c \"c\"
        output %m \"m\"",
        1e-4,
    );
}

#[test]
fn gradients_of_pooling() {
    check(
        "form local
        input %x : f32[2, 9, 11]
        input %a : f32[2, 4, 5]
        input %b : f32[2, 9, 5]
        input %i : i32[12]
        input %j : i32[6]
          %p = select_and_scatter max [(1), (2 stride 2), (2 stride 2)] %x, %a : f32[2, 9, 11]
          %q = select_and_scatter min [(1), (3 pad 1 1), (4 stride 2 pad 1 0)] %x, %b : f32[2, 9, 11]
          %r = select_and_scatter max [(2 stride 2)] %i, %j : i32[12]
        output %p \"p\"
        output %q \"q\"
        output %r \"r\"",
        1e-5,
    );
}

#[test]
fn convolutions_of_every_kind() {
    check(
        "form local
        input %x : f32[2, 9, 11, 4]
        input %k : f32[3, 2, 4, 6]
        input %g : f32[3, 3, 2, 6]
        input %d : f32[3, 3, 1, 4]
        input %y : f32[4, 8, 8, 2]
        input %h : f32[3, 3, 2, 6]
        input %l : f32[3, 5, 20]
        input %w : f32[7, 5, 4]
        input %v : f32[1, 2, 5, 6, 4]
        input %z : f32[3, 2, 2, 2, 3]
          %a = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 stride 2 pad 1 1), (2 pad 0 1)] %x, %k : f32[2, 5, 11, 6]
          %b = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 pad 2 2 dilate 2), (3 pad -1 1 base 2)] reverse [1] groups 2 %x, %g : f32[2, 9, 19, 6]
          %c = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 pad 1 1), (3 pad 1 1)] groups 4 %x, %d : f32[2, 9, 11, 4]
          %e = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3), (3)] batch_groups 2 %y, %h : f32[2, 6, 6, 6]
          %f = convolution [0, 1, 2]x[1, 0, 2]->[1, 0, 2] window [(4 stride 3 pad 2 0)] %l, %w : f32[7, 3, 7]
          %o = convolution [0, 1, 2, 3, 4]x[1, 0, 2, 3, 4]->[0, 1, 2, 3, 4] window [(2), (2 pad 1 1), (3 stride 2)] %v, %z : f32[1, 3, 4, 7, 1]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\"
        output %e \"e\"
        output %f \"f\"
        output %o \"o\"",
        1e-5,
    );
}

#[test]
fn a_convolution_is_one_kernel_with_its_bias() {
    let kernels = check(
        "form local
        input %x : f32[2, 9, 11, 40]
        input %k : f32[3, 3, 40, 70]
        input %b : f32[70]
          %y = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 pad 1 1), (3 pad 1 1)] %x, %k : f32[2, 9, 11, 70]
          %c = broadcast [3] %b : f32[2, 9, 11, 70]
          %s = add %y, %c : f32[2, 9, 11, 70]
          %r = relu %s : f32[2, 9, 11, 70]
        output %r \"r\"",
        1e-4,
    );
    assert_eq!(kernels, 1);
}
