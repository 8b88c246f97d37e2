test simplify-real
// The example of the pass's documentation.
form traced
input %x : f32[4]
input %y : f32[4]
  %c = constant 0.0 : f32[4]
  %a = add %x, %c : f32[4]
  %z = mul %a, %y : f32[4]
output %z
//= form traced
//= input %x : f32[4]
//= input %y : f32[4]
//=   %z = mul %x, %y : f32[4]
//= output %z
