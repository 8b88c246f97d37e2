//! Random numbers are equal to those of the interpreter.

use super::check;

#[test]
fn random_bits_match_the_reference() {
    check(
        "form local
        input %key : u32[2]
        input %state : u32[4]
        input %i : i32[]
          %u = random uniform %key : f32[7, 33]
          %b = random bits %key : u32[7, 33]
          %p = random uniform piece of [20, 33] %key, %i, %i : f32[7, 20]
          %t, %x = rng_bits threefry %state : u32[4], u32[5, 6]
          %t3, %y = rng_bits threefry %state : u32[4], u32[3, 5]
          %t4, %z = rng_bits threefry %state : u32[4], u32[]
          %q, %w = rng_bits philox %state : u32[4], u32[5, 7]
        output %u \"u\"
        output %b \"b\"
        output %p \"p\"
        output %t \"t\"
        output %x \"x\"
        output %t3 \"t3\"
        output %y \"y\"
        output %t4 \"t4\"
        output %z \"z\"
        output %q \"q\"
        output %w \"w\"",
        0.0,
    );
}

#[test]
fn normal_numbers_match_the_reference() {
    check(
        "form local
        input %key : u32[2]
          %n = random normal %key : f32[300, 70]
        output %n \"n\"",
        1e-5,
    );
}
