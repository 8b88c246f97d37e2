//! Ops that load and store at data-dependent positions.

use super::check;

#[test]
fn gather_clamps_or_fills() {
    check(
        "form local
        input %t : f32[4, 37]
        input %i : i32[3, 5]
        input %w : i64[2, 7]
        input %x : f32[5, 6, 3]
        input %b : i32[5, 1, 1]
        input %y : f32[4, 6]
        input %u : u32[5]
          %r = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 37] %t, %i : f32[3, 5, 37]
          %f = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 37] fill %t, %i : f32[3, 5, 37]
          %p = gather offset [0, 2] collapsed [2] map [1, 2] vector 0 sizes [4, 3, 1] %x, %w : f32[4, 7, 3]
          %d = transpose [1, 0] %y : f32[6, 4]
          %g = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 3] %d, %u : f32[5, 3]
        output %r \"r\"
        output %f \"f\"
        output %p \"p\"
        output %g \"g\"",
        0.0,
    );
}

#[test]
fn gather_and_scatter_with_batch_dimensions() {
    check(
        "form local
        input %x : f32[5, 6]
        input %b : i32[5, 2, 1]
        input %v : f32[5, 2]
          %g = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 2 sizes [1, 1] %x, %b : f32[5, 2]
          %s = scatter sum inserted [1] operand_batch [0] index_batch [0] map [1] vector 2 %x, %b, %v : f32[5, 6]
        output %g \"g\"
        output %s \"s\"",
        1e-6,
    );
}

#[test]
fn scatter_applies_updates_in_order() {
    for how in ["set", "sum", "prod", "max", "min"] {
        check(
            &format!(
                "form local
                input %t : f32[5, 300]
                input %i : i32[70]
                input %u : f32[70, 300]
                input %n : i32[6]
                input %j : i32[700, 1]
                input %c : i32[700]
                input %g : f32[6, 4]
                input %k : i32[3, 2]
                input %w : f32[2, 3, 3]
                  %a = scatter {how} window [1] inserted [0] map [0] vector 1 %t, %i, %u : f32[5, 300]
                  %b = scatter {how} inserted [0] map [0] vector 1 %n, %j, %c : i32[6]
                  %c2 = scatter {how} window [0, 2] map [1, 0] vector 1 %g, %k, %w : f32[6, 4]
                output %a \"a\"
                output %b \"b\"
                output %c2 \"c\""
            ),
            1e-5,
        );
    }
}

#[test]
fn dynamic_slices_and_bitcasts() {
    check(
        "form local
        input %x : f32[7, 33]
        input %i : i32[]
        input %j : i64[]
        input %u : f32[2, 30]
        input %q : i32[7, 33]
          %y = add %x, %x : f32[7, 33]
          %s = dynamic_slice [3, 30] %y, %i, %i : f32[3, 30]
          %t = dynamic_update_slice %y, %u, %j, %j : f32[7, 33]
          %r = reverse [1] %q : i32[7, 33]
          %v = slice [1, 3] to [7, 20] by [2, 1] %r : i32[3, 17]
          %b = bitcast %x : i32[7, 33]
          %p = convert %b : f32[7, 33]
        output %s \"s\"
        output %t \"t\"
        output %v \"v\"
        output %b \"b\"
        output %p \"p\"",
        0.0,
    );
}
