//! Scalar functions, and reductions of other types than floats.

use super::check;

#[test]
fn unary_float_functions_match_the_reference() {
    let check_functions = |functions: &[&str], operand: &str, most: f64| {
        let mut text = String::from(
            "form local
            input %x : f32[5, 61]
            %two = constant 2.0 : f32[5, 61]
            %half = constant 0.45 : f32[5, 61]
            %wide = mul %x, %x : f32[5, 61]
            %above = add %wide, %two : f32[5, 61]
            %near = mul %x, %half : f32[5, 61]\n",
        );
        for name in functions {
            text += &format!("%{name} = {name} %{operand} : f32[5, 61]\n");
        }
        for name in functions {
            text += &format!("output %{name} \"{name}\"\n");
        }
        check(&text, most);
    };
    check_functions(&["abs", "neg", "sign", "floor", "ceil", "round", "round_even"], "x", 0.0);
    check_functions(&["exp", "expm1", "cbrt", "sin", "cos", "sigmoid", "relu"], "x", 1e-5);
    check_functions(&["sinh", "cosh", "tanh", "asinh", "atan", "erf", "erfc"], "x", 1e-5);
    check_functions(&["tan", "asin", "acos", "atanh", "erf_inv", "log1p"], "near", 1e-4);
    check_functions(&["log", "sqrt", "rsqrt", "acosh", "reciprocal"], "above", 1e-5);
}

#[test]
fn rounding_of_ties_matches_the_reference() {
    check(
        "form local
        input %i : i32[20]
          %f = convert %i : f32[20]
          %h = constant 0.5 : f32[20]
          %x = add %f, %h : f32[20]
          %r = round %x : f32[20]
          %e = round_even %x : f32[20]
        output %r \"r\"
        output %e \"e\"",
        0.0,
    );
}

#[test]
fn binary_float_functions_match_the_reference() {
    check(
        "form local
        input %x : f32[77]
        input %y : f32[77]
          %t = atan2 %x, %y : f32[77]
          %r = rem %x, %y : f32[77]
          %p = pow %y, %x : f32[77]
          %n = is_nan %p : bool[77]
          %i = is_inf %p : bool[77]
          %o = compare lt total %x, %y : bool[77]
        output %t \"t\"
        output %r \"r\"
        output %n \"n\"
        output %i \"i\"
        output %o \"o\"",
        1e-4,
    );
}

#[test]
fn undefined_integer_operations_match_the_reference() {
    for dtype in ["i32", "u32"] {
        let names = ["div", "rem", "shl", "shr", "shr_logical", "and", "or", "xor", "max", "min", "sub", "mul"];
        let mut text = format!("form local\ninput %x : {dtype}[97]\ninput %y : {dtype}[97]\n");
        for name in names {
            text += &format!("%{name} = {name} %x, %y : {dtype}[97]\n");
        }
        for name in ["abs", "neg", "sign", "relu", "not", "popcnt", "clz"] {
            text += &format!("%{name} = {name} %x : {dtype}[97]\n");
        }
        for name in names.iter().chain(&["abs", "neg", "sign", "relu", "not", "popcnt", "clz"]) {
            text += &format!("output %{name} \"{name}\"\n");
        }
        check(&text, 0.0);
    }
}

#[test]
fn integers_and_bool_are_reduced() {
    check(
        "form local
        input %i : i32[70, 33]
        input %j : i32[70, 33]
        input %n : i32[3, 5000]
        input %l : i64[70, 33]
          %p = compare lt %i, %j : bool[70, 33]
          %a = reduce and [1] %p : bool[70]
          %o = reduce or [0] %p : bool[33]
          %s = reduce sum [1] %i : i32[70]
          %x = reduce max [0] %i : i32[33]
          %q = reduce prod [0, 1] %n : i32[]
          %t = reduce sum [1] %n : i32[3]
          %m = reduce min [0] %l : i64[33]
        output %a \"a\"
        output %o \"o\"
        output %s \"s\"
        output %x \"x\"
        output %q \"q\"
        output %t \"t\"
        output %m \"m\"",
        0.0,
    );
}

#[test]
fn reductions_by_a_function() {
    check(
        "form local
        func @argmax(%x: f32[], %i: i32[], %y: f32[], %j: i32[]) {
          %gt = compare gt %x, %y : bool[]
          %eq = compare eq %x, %y : bool[]
          %lt = compare lt %i, %j : bool[]
          %tie = and %eq, %lt : bool[]
          %keep = or %gt, %tie : bool[]
          %v = select %keep, %x, %y : f32[]
          %k = select %keep, %i, %j : i32[]
          return %v, %k
        }
        func @left(%x: f32[], %y: f32[]) {
          %s = sub %x, %y : f32[]
          %m = max %x, %y : f32[]
          return %m
        }
        input %x : f32[6, 3000]
        input %y : f32[40, 31, 5]
          %i = iota dim 1 : i32[6, 3000]
          %k = iota dim 1 : i32[40, 31, 5]
          %low = constant -1e30 : f32[]
          %none = constant 0 : i32[]
          %v, %a = reduce_func [1] with @argmax %x, %i, %low, %none : f32[6], i32[6]
          %w, %b = reduce_func [1] with @argmax %y, %k, %low, %none : f32[40, 5], i32[40, 5]
          %m = reduce_func [0, 2] with @left %y, %low : f32[31]
        output %v \"v\"
        output %a \"a\"
        output %w \"w\"
        output %b \"b\"
        output %m \"m\"",
        0.0,
    );
}

#[test]
fn i64_values_are_computed_with_32_bits() {
    check(
        "form local
        mesh @m = [x=2]
        input %x : i64[5, 6@x]
        input %f : f32[5, 6@x]
          %i = iota dim 1 : i64[5, 3]
          %s = piece_start of 6 over x : i64[]
          %b = broadcast [] %s : i64[5, 3]
          %p = add %i, %b : i64[5, 3]
          %d = sub %x, %p : i64[5, 3]
          %m = mul %p, %p : i64[5, 3]
          %e = compare eq %m, %d : bool[5, 3]
          %z = select %e, %d, %m : i64[5, 3]
          %r = reduce sum [0] %m : i64[3]
          %a = all_reduce sum over x %r : i64[3]
          %c = convert %d : f32[5, 3]
          %g = mul %c, %f : f32[5, 6@x]
          %y = add %z, %p : i64[5, 6@x]
        output %y \"y\"
        output %g \"g\"
        output %a \"a\"",
        0.0,
    );
}
