//! Loops, and reductions by a user-defined function.

use super::harness::{Case, case};

/// Loop body that multiplies its state by a matrix, adds an element of a sequence, and increments a counter.
const RECURRENT: &str = "func @step(%h: f64[2, 3], %w: f64[3, 3], %xs: f64[4, 3], %t: i32[], %sum: f64[]) {
      %zero = constant 0 : i32[]
      %x = dynamic_slice [1, 3] %xs, %t, %zero : f64[1, 3]
      %r = reshape %x : f64[3]
      %b = broadcast [1] %r : f64[2, 3]
      %m = matmul %h, %w : f64[2, 3]
      %a = add %m, %b : f64[2, 3]
      %n = tanh %a : f64[2, 3]
      %q = mul %n, %n : f64[2, 3]
      %s = reduce sum [0, 1] %q : f64[]
      %u = add %sum, %s : f64[]
      %one = constant 1 : i32[]
      %next = add %t, %one : i32[]
      return %n, %w, %xs, %next, %u
    }";

pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (trip, read) in [
        (4, "output %a output %e"),
        (4, "output %e"),
        (4, "output %b output %a"),
        (1, "output %a output %e"),
        (0, "output %a output %b output %e"),
        (4, "%z = sin %c : f64[4, 3] output %z output %a"),
    ] {
        cases.push(case(format!(
            "{RECURRENT}
             input %h : f64[2, 3] input %w : f64[3, 3] input %xs : f64[4, 3]
             %t = constant 0 : i32[] %s = constant 0.0 : f64[]
             %a, %b, %c, %d, %e = loop {trip} of @step %h, %w, %xs, %t, %s :
               f64[2, 3], f64[3, 3], f64[4, 3], i32[], f64[] {read}"
        )));
    }
    // Carried values are permuted, one is replaced by a constant, and one is overwritten.
    cases.push(case(
        "func @turn(%x: f64[2], %y: f64[2], %z: f64[2], %c: f64[2]) {
           %s = mul %x, %z : f64[2]
           %k = constant 0.5 : f64[2]
           return %y, %s, %x, %k
         }
         input %x : f64[2] input %y : f64[2] input %z : f64[2] input %c : f64[2]
         %a, %b, %d, %e = loop 5 of @turn %x, %y, %z, %c : f64[2], f64[2], f64[2], f64[2]
         output %a output %b output %d output %e",
    ));
    // Nested loops, and a loop after them.
    cases.push(case(
        "func @inner(%x: f64[2], %w: f64[2]) {
           %p = mul %x, %w : f64[2]
           %s = sin %p : f64[2]
           return %s, %w
         }
         func @outer(%x: f64[2], %w: f64[2], %n: f64[2]) {
           %a, %b = loop 3 of @inner %x, %w : f64[2], f64[2]
           %c = add %a, %n : f64[2]
           %d, %e = loop 2 of @inner %c, %n : f64[2], f64[2]
           %f = mul %d, %x : f64[2]
           return %f, %b, %n
         }
         input %x : f64[2] input %w : f64[2] input %n : f64[2]
         %a, %b, %c = loop 3 of @outer %x, %w, %n : f64[2], f64[2], f64[2]
         %d, %e = loop 2 of @inner %a, %x : f64[2], f64[2] output %d",
    ));
    // A linear loop, whose backward pass reads no value of the iterations.
    cases.push(case(
        "func @double(%x: f64[2]) { %y = add %x, %x : f64[2] return %y }
         input %x : f64[2] %y = loop 3 of @double %x : f64[2] output %y",
    ));
    // A sort inside a loop.
    cases.push(case(
        "func @less(%a: f64[], %b: f64[]) { %c = compare lt %a, %b : bool[] return %c }
         func @step(%x: f64[4], %w: f64[4]) {
           %s = sort dim 0 by @less %x : f64[4]
           %p = mul %s, %w : f64[4]
           return %p, %w
         }
         input %x : f64[4] input %w : f64[4] %a, %b = loop 3 of @step %x, %w : f64[4], f64[4] output %a",
    ));
    cases.extend(bounded_loops());
    cases.extend(reducers());
    cases
}

/// Returns `while` loops with a limit: they end before it, after it has been reached, or at once.
fn bounded_loops() -> Vec<Case> {
    let body = "func @step(%go: bool[], %x: f64[2], %w: f64[2], %n: i32[]) {
          %p = mul %x, %w : f64[2]
          %s = sin %p : f64[2]
          %one = constant 1 : i32[]
          %m = add %n, %one : i32[]
          %q = mul %s, %s : f64[2]
          %r = reduce sum [0] %q : f64[]
          %end = constant 0.0001 : f64[]
          %far = compare gt %r, %end : bool[]
          %last = constant 4 : i32[]
          %early = compare lt %m, %last : bool[]
          %on = and %far, %early : bool[]
          return %on, %s, %w, %m
        }";
    let starts = [(1, 0), (1, 2), (0, 0)];
    let run = |(go, n): (i64, i64)| {
        case(format!(
            "{body}
             input %x : f64[2] input %w : f64[2]
             %go = constant {go} : bool[] %n = constant {n} : i32[]
             %a, %b, %c, %d = loop 4 of @step while 4 %go, %x, %w, %n : bool[], f64[2], f64[2], i32[]
             output %b output %c"
        ))
    };
    let mut cases: Vec<Case> = starts.into_iter().map(run).collect();
    // A linear body, whose backward pass reads no value of the iterations, inside of another loop.
    cases.push(case(
        "func @double(%go: bool[], %x: f64[2], %n: i32[]) {
           %y = add %x, %x : f64[2]
           %one = constant 1 : i32[]
           %m = add %n, %one : i32[]
           %last = constant 3 : i32[]
           %on = compare lt %m, %last : bool[]
           return %on, %y, %m
         }
         func @outer(%x: f64[2], %n: i32[]) {
           %go = constant 1 : bool[]
           %a, %y, %b = loop 5 of @double while 5 %go, %x, %n : bool[], f64[2], i32[]
           %z = sin %y : f64[2]
           %one = constant 1 : i32[]
           %m = add %n, %one : i32[]
           return %z, %m
         }
         input %x : f64[2] %n = constant 0 : i32[]
         %y, %m = loop 2 of @outer %x, %n : f64[2], i32[] output %y",
    ));
    cases
}

fn reducers() -> Vec<Case> {
    let argmax = "func @argmax(%a: f64[], %i: i32[], %b: f64[], %j: i32[]) {
          %first = compare ge %a, %b : bool[]
          %best = select %first, %a, %b : f64[]
          %at = select %first, %i, %j : i32[]
          return %best, %at
        }";
    // The logarithm of a sum of exponentials, times two constants that cancel.
    let soft = "func @soft(%a: f64[], %b: f64[]) {
          %k = constant [2.0] : f64[]
          %x = exp %a : f64[]
          %y = exp %b : f64[]
          %s = add %x, %y : f64[]
          %l = log %s : f64[]
          %t = mul %l, %k : f64[]
          %u = div %t, %k : f64[]
          return %u
        }";
    let mut cases = Vec::new();
    for (dims, to) in [("[1]", "[2, 3]"), ("[0, 2]", "[5]"), ("[2, 1, 0]", "[]"), ("[]", "[2, 5, 3]")] {
        cases.push(case(format!(
            "{argmax} input %x : f64[2, 5, 3] %i = iota dim 1 : i32[2, 5, 3]
             %low = constant -9.0 : f64[] %none = constant -1 : i32[]
             %v, %p = reduce_func {dims} with @argmax %x, %i, %low, %none : f64{to}, i32{to}
             %s = sin %v : f64{to} output %s output %p"
        )));
        cases.push(case(format!(
            "{soft} input %x : f64[2, 5, 3] input %first : f64[]
             %v = reduce_func {dims} with @soft %x, %first : f64{to} %s = sin %v : f64{to} output %s"
        )));
    }
    // Complex products, in which one operand occurs twice.
    cases.push(case(
        "func @times(%a: f64[], %b: f64[], %c: f64[], %d: f64[]) {
           %p = mul %a, %c : f64[]
           %q = mul %b, %d : f64[]
           %r = mul %a, %d : f64[]
           %s = mul %b, %c : f64[]
           %x = sub %p, %q : f64[]
           %y = add %r, %s : f64[]
           return %x, %y
         }
         input %x : f64[5] input %one : f64[] input %zero : f64[]
         %u, %v = reduce_func [0] with @times %x, %x, %one, %zero : f64[], f64[] output %u output %v",
    ));
    cases.push(case(format!(
        "{soft} input %x : f64[2, 0] input %first : f64[]
         %v = reduce_func [1] with @soft %x, %first : f64[2] %s = sin %v : f64[2] output %s"
    )));
    cases
}

#[test]
fn gradients_match_finite_differences() {
    super::check_all(cases());
}
