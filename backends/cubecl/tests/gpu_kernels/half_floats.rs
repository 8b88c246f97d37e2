//! 16-bit floats, which are rounded after each op.

use super::{check, check_by};
use partita_cubecl::MatmulStrategy;

/// Compares with the interpreter, with each 16-bit float type in place of `half`.
fn check_half_floats(text: &str, most: f64) {
    for dtype in ["bf16", "f16"] {
        check(&text.replace("half", dtype), most);
    }
}

#[test]
fn half_floats_are_rounded() {
    for dtype in ["bf16", "f16"] {
        // Double rounding may cause a difference in the last digit.
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
fn half_float_products_and_sums() {
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
fn half_float_attention() {
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

/// Two elements share a word, so rows of odd length may start in the middle of a word.
#[test]
fn half_float_data_movement() {
    check_half_floats(
        "form local
        input %t : half[4, 37]
        input %i : i32[3, 5]
        input %j : i32[]
        input %u : half[2, 31]
        input %c : half[]
          %r = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 37] %t, %i : half[3, 5, 37]
          %f = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 37] fill %t, %i : half[3, 5, 37]
          %s = dynamic_slice [3, 33] %t, %j, %j : half[3, 33]
          %d = dynamic_update_slice %t, %u, %j, %j : half[4, 37]
          %p = pad low [1, 2] high [0, 4] %t, %c : half[5, 43]
          %n = concatenate dim 1 %t, %d, %t : half[4, 111]
          %b = reverse [1] %t : half[4, 37]
          %v = slice [1, 3] to [4, 20] by [2, 1] %b : half[2, 17]
          %o = iota dim 1 : half[4, 37]
        output %r \"r\"
        output %f \"f\"
        output %s \"s\"
        output %d \"d\"
        output %p \"p\"
        output %n \"n\"
        output %v \"v\"
        output %o \"o\"",
        0.0,
    );
}

#[test]
fn half_float_scatter() {
    for how in ["set", "sum", "max"] {
        let text = "form local
            input %t : half[5, 31]
            input %i : i32[70]
            input %u : half[70, 31]
            input %x : half[5, 7]
            input %b : i32[5, 2, 1]
            input %v : half[5, 2]
              %a = scatter HOW window [1] inserted [0] map [0] vector 1 %t, %i, %u : half[5, 31]
              %s = scatter HOW inserted [1] operand_batch [0] index_batch [0] map [1] vector 2 %x, %b, %v : half[5, 7]
            output %a \"a\"
            output %s \"s\"";
        check_half_floats(&text.replace("HOW", how), 1e-2);
    }
}

#[test]
fn half_float_sort() {
    check_half_floats(
        "form local
        func @less(%a: half[], %b: half[], %x: i32[], %y: i32[]) {
          %p = compare lt %a, %b : bool[]
          return %p
        }
        func @no_less(%a: half[], %b: half[]) {
          %p = compare ge total %a, %b : bool[]
          return %p
        }
        input %k : half[3, 77]
        input %v : i32[3, 77]
        input %w : half[301]
        input %y : half[3, 77]
          %a, %b = sort dim 1 stable by @less %k, %v : half[3, 77], i32[3, 77]
          %c = sort dim 0 by @no_less %w : half[301]
          %d, %e = top_k 7 %k : half[3, 7], i32[3, 7]
          %o = compare lt total %k, %y : bool[3, 77]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\"
        output %d \"d\"
        output %e \"e\"
        output %o \"o\"",
        0.0,
    );
}

#[test]
fn half_float_windows() {
    check_half_floats(
        "form local
        input %x : half[2, 9, 11, 3]
        input %y : half[3, 701]
        input %z : half[2, 9, 11]
        input %a : half[2, 4, 5]
        input %k : half[3, 2, 3, 7]
          %m = reduce_window max [(1), (3 stride 2 pad 1 1), (2 stride 2), (1)] %x : half[2, 5, 5, 3]
          %s = reduce_window sum [(1), (3 pad 2 1 dilate 2), (2 pad 1 -1 base 2), (3 pad 1 1)] %x : half[2, 8, 20, 3]
          %c = reduce_window sum [(1), (701 pad 700 0)] %y : half[3, 701]
          %p = select_and_scatter max [(1), (2 stride 2), (2 stride 2)] %z, %a : half[2, 9, 11]
          %v = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 stride 2 pad 1 1), (2 pad 0 1)] %x, %k : half[2, 5, 11, 7]
        output %m \"m\"
        output %s \"s\"
        output %c \"c\"
        output %p \"p\"
        output %v \"v\"",
        2e-2,
    );
}

#[test]
fn half_float_random_numbers() {
    check_half_floats(
        "form local
        input %key : u32[2]
        input %s : i32[]
        input %i : i32[]
          %b = broadcast [] %s : i32[7, 33]
          %u = random uniform %key : half[7, 33]
          %p = random uniform piece of [20, 33] %key, %i, %i : half[7, 21]
        output %b \"b\"
        output %u \"u\"
        output %p \"p\"",
        0.0,
    );
    check_half_floats(
        "form local
        input %key : u32[2]
          %n = random normal %key : half[33, 71]
        output %n \"n\"",
        1e-2,
    );
}

#[test]
fn half_float_reduction_functions() {
    check_half_floats(
        "form local
        func @add(%a: half[], %b: half[]) {
          %s = add %a, %b : half[]
          return %s
        }
        input %x : half[5, 9, 3]
        input %z : half[]
          %r = reduce_func [1] with @add %x, %z : half[5, 3]
        output %r \"r\"",
        2e-2,
    );
}

#[test]
fn half_float_device_coordinates() {
    check_half_floats(
        "form local
        mesh @m = [x=2, y=3]
        func @step(%s: half[3, 5], %w: half[5]) {
          %b = broadcast [1] %w : half[3, 5]
          %t = mul %s, %b : half[3, 5]
          return %t, %w
        }
        input %x : half[13@x+y, 5]
        input %c : half[5]
        input %w : half[7, 11]
          %m = mask lowest dim 0 of 13 over x+y %x : half[3, 5]
          %l, %c2 = loop 3 of @step %m, %c : half[3, 5], half[5]
          %a = add %m, %x : half[13@x+y, 5]
          %t = transpose [1, 0] %w : half[11, 7]
          %p = shard dim 0 over y+x %t : half[11@y+x, 7]
          %q = partial over y %w : half[7, 11]
          %r = all_reduce sum over y %q : half[7, 11]
        output %a \"a\"
        output %p \"p\"
        output %r \"r\"",
        1e-2,
    );
}

#[test]
fn cubek_products_match_the_interpreter() {
    let module = check_by(
        "form local
            input %a : bf16[200, 72]
            input %b : bf16[72, 136]
            input %t : bf16[136, 72]
            input %c : f16[3, 64, 32]
            input %d : f16[3, 32, 40]
            input %o : bf16[9, 50]
            input %p : bf16[50, 7]
              %x = matmul %a, %b : bf16[200, 136]
              %y = dot_general contract [1]x[1] %a, %t : bf16[200, 136]
              %z = matmul %c, %d : f16[3, 64, 40]
              %w = matmul %o, %p : bf16[9, 7]
            output %x \"x\"
            output %y \"y\"
            output %z \"z\"
            output %w \"w\"",
        1e-2,
        MatmulStrategy::Cubek,
    );
    let names = module.kernels.iter().map(|kernel| kernel.name.as_str());
    assert_eq!(names.filter(|name| name.starts_with("cubek")).count(), 4);
}
