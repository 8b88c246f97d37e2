//! Programs whose integers are proven to fit, and programs that are rejected.

use super::*;
use partita_ir::diag::Source;
use partita_ir::text::parse;

fn checked(body: &str) -> Result<(), String> {
    let text = format!("form local\ninput %x : i64[4, 6]\ninput %f : f32[4, 6]\n{body}");
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    check(&program, &vec![InputSource::Outside; program.inputs().len()])
        .map_err(|e| format!("{} {:?}", e.title, e.notes.first()))
}

#[test]
fn bounded_values_are_proven() {
    checked(
        "func @add(%a: i64[], %b: i64[]) {
           %s = add %a, %b : i64[]
           return %s
         }
         func @turn(%i: i64[], %x: i64[4, 6]) {
           %one = constant 1 : i64[]
           %j = add %i, %one : i64[]
           %k = convert %j : i32[]
           %l = convert %k : i64[]
           %b = broadcast [] %l : i64[4, 6]
           %m = max %x, %b : i64[4, 6]
           return %j, %m
         }
         %i = iota dim 1 : i64[4, 6]
         %d = sub %x, %i : i64[4, 6]
         %n = neg %d : i64[4, 6]
         %p = compare lt %n, %i : bool[4, 6]
         %q = convert %p : i64[4, 6]
         %s = reduce sum [0, 1] %q : i64[]
         %m = mul %s, %s : i64[]
         %zero = constant 0 : i64[]
         %c, %y = loop 60 of @turn %zero, %x : i64[], i64[4, 6]
         %h = and %y, %q : i64[4, 6]
         %r = rem %x, %i : i64[4, 6]
         output %m \"m\"
         output %c \"c\"
         output %h \"h\"
         output %r \"r\"
         output %d \"d\"",
    )
    .unwrap();
}

#[test]
fn integers_stored_as_floats_are_proven() {
    let counted = "%zero = constant 0.5 : f32[4, 6]
         %p = compare gt %f, %zero : bool[4, 6]
         %c = convert %p : DTYPE[4, 6]
         %w = reduce_window sum [(1), (6 pad 5 0)] %c : DTYPE[4, 6]
         %one = constant 1 : DTYPE[4, 6]
         %s = sub %w, %one : DTYPE[4, 6]
         %m = mul %s, %c : DTYPE[4, 6]
         %r = reduce sum [1] %m : DTYPE[4]
         %y = convert %r : i64[4]
         output %y \"y\"";
    checked(&counted.replace("DTYPE", "f32")).unwrap();
    checked(&counted.replace("DTYPE", "bf16")).unwrap();
    let unknown = counted.replace("DTYPE", "f32").replace("mul %s, %c", "mul %s, %f");
    assert!(checked(&unknown).unwrap_err().contains("its range is unbounded"));
    // Not all integers of this size are floats.
    let large = "%k = constant 20000 : f32[4, 6]
         %l = mul %k, %k : f32[4, 6]
         %y = convert %l : i64[4, 6]
         output %y \"y\"";
    assert!(checked(large).unwrap_err().contains("its range is unbounded"));
}

#[test]
fn values_that_may_overflow_are_rejected() {
    let product = checked("%y = mul %x, %x : i64[4, 6]\noutput %y \"y\"").unwrap_err();
    assert_eq!(
        product,
        "`%y = mul` of i64[4, 6], i64[4, 6] may exceed the 32 bits that GPUs use for i64 \
         Some(\"its proven range is -1152921504606846976 to 1152921504606846976\")"
    );
    let sum = checked("%y = reduce sum [0] %x : i64[6]\noutput %y \"y\"").unwrap_err();
    assert!(sum.contains("-4294967296 to 4294967296"), "{sum}");
    let float = checked("%y = convert %f : i64[4, 6]\noutput %y \"y\"").unwrap_err();
    assert!(float.contains("its range is unbounded"), "{float}");
    let doubled = "func @turn(%a: i64[4, 6]) {
           %b = add %a, %a : i64[4, 6]
           return %b
         }
         %i = iota dim 1 : i64[4, 6]
         %y = loop TRIP of @turn %i : i64[4, 6]
         output %y \"y\"";
    checked(&doubled.replace("TRIP", "20")).unwrap();
    assert!(checked(&doubled.replace("TRIP", "40")).is_err());
    assert!(checked(&doubled.replace("TRIP", "1000000")).is_err());
    for wide in ["clz %x", "popcnt %x", "shr_logical %x, %x", "not %x"] {
        let text = format!("%y = {wide} : i64[4, 6]\noutput %y \"y\"");
        assert_eq!(checked(&text).is_ok(), wide == "not %x", "{wide}");
    }
}

#[test]
fn ranges_contain_the_results_of_the_interpreter() {
    use BinaryOp::{Add, And, Div, Max, Min, Mul, Or, Rem, ShiftLeft, ShiftRight, Sub, Xor};
    let eval = |op: BinaryOp, a: i64, b: i64| match op {
        Add => a + b,
        Sub => a - b,
        Mul => a * b,
        Max => a.max(b),
        Min => a.min(b),
        Div => a.checked_div(b).unwrap_or(-1),
        Rem => a.checked_rem(b).unwrap_or(a),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        ShiftLeft => a << b,
        _ => a >> b,
    };
    let ranges = [(-5, 7), (0, 3), (3, 9), (-6, -2), (0, 0), (-1, 0)].map(|(low, high)| Range { low, high });
    for op in [Add, Sub, Mul, Div, Rem, Max, Min, And, Or, Xor, ShiftLeft, ShiftRight] {
        for a in ranges {
            for b in ranges {
                let Some(range) = binary(op, a, b) else { continue };
                for (x, y) in (a.low..=a.high).flat_map(|x| (b.low..=b.high).map(move |y| (x, y))) {
                    let z = eval(op, x, y);
                    assert!(range.contains(Range { low: z, high: z }), "{op:?} of {x} and {y}: {z} in {range:?}");
                }
            }
        }
    }
}
