test precision
// Integers, floats other than f32, exponentials, losses, and the readers of an excepted parameter keep their types.
//plan [precision]
//plan "**" = "bf16"
//plan "kept" = "f32"
form traced
param %w "kept" : f32[4]
input %i : i32[4]
input %d : f64[4]
input %x : f32[4]
  %j = add %i, %i : i32[4]
  %e = mul %d, %d : f64[4]
  %p = mul %x, %w : f32[4]
  %exp = exp %x : f32[4]
  %loss = reduce sum [0] %exp : f32[]
output %j
output %e
output %p
output %loss
//= form traced
//= param %w "kept" : f32[4]
//= input %i : i32[4]
//= input %d : f64[4]
//= input %x : f32[4]
//=   %j = add %i, %i : i32[4]
//=   %e = mul %d, %d : f64[4]
//=   %p = mul %x, %w : f32[4]
//=   %exp = exp %x : f32[4]
//=   %loss = reduce sum [0] %exp : f32[]
//= output %j
//= output %e
//= output %p
//= output %loss
