test simplify
// The example of the pass's documentation.
form traced
input %x : f32[4, 6]
input %y : f32[4, 6]
  %o = constant 1.0 : f32[4, 6]
  %m = mul %x, %o : f32[4, 6]
  %n = neg %y : f32[4, 6]
  %z = add %m, %n : f32[4, 6]
output %z
//= form traced
//= input %x : f32[4, 6]
//= input %y : f32[4, 6]
//=   %z = sub %x, %y : f32[4, 6]
//= output %z
