test precision
// Only floating-point types are precisions.
//plan precision = "i32" # //~ D005 cannot compute in `i32`
form traced
param %w "w" : f32[2, 4]
input %x : f32[8, 2]
  %h = matmul %x, %w : f32[8, 4]
output %h
//= error[D005]: cannot compute in `i32`
//=   --> plan:3:14 expected `bf16`, `f16`, `autocast`, `f32` or `int8`
//=   = help: write `--precision bf16`, and `--precision PATH=f32` for layers that stay in `f32`
