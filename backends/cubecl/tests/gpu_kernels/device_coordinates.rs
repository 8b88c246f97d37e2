//! Ops that depend on the device's coordinates in the mesh.

use super::check;

#[test]
fn device_coordinates_match_the_interpreter() {
    check(
        "form local
        mesh @m = [x=2, y=3]
        input %x : f32[13@x+y, 5]
        input %w : f32[7, 11]
        input %n : i32[4]
          %s = piece_start of 13 over x+y : i32[]
          %b = broadcast [] %s : i32[3, 5]
          %f = convert %b : f32[3, 5]
          %m = mask lowest dim 0 of 13 over x+y %x : f32[3, 5]
          %a = add %m, %f : f32[13@x+y, 5]
          %t = transpose [1, 0] %w : f32[11, 7]
          %p = shard dim 0 over y+x %t : f32[11@y+x, 7]
          %q = partial over y %n : i32[4]
          %r = all_reduce sum over y %q : i32[4]
        output %a \"a\"
        output %p \"p\"
        output %r \"r\"",
        1e-6,
    );
}
