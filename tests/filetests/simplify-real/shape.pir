test simplify-real
// Scalars, zero elements, and dimensions of 7 and 1.
form traced
input %s : f32[]
input %t : f32[]
input %none : f32[0, 5]
input %x : f32[7, 1]
input %y : f32[7, 1]
input %w : f32[7, 1]
  %a = mul %s, %t : f32[]
  %b = mul %s, %s : f32[]
  %c = add %a, %b : f32[]
  %zero = constant 0.0 : f32[0, 5]
  %d = add %none, %zero : f32[0, 5]
  %e = exp %d : f32[0, 5]
  %f = mul %x, %w : f32[7, 1]
  %g = mul %y, %w : f32[7, 1]
  %h = add %f, %g : f32[7, 1]
output %c
output %e
output %h
//= form traced
//= input %s : f32[]
//= input %t : f32[]
//= input %none : f32[0, 5]
//= input %x : f32[7, 1]
//= input %y : f32[7, 1]
//= input %w : f32[7, 1]
//=   %a = mul %s, %t : f32[]
//=   %b = mul %s, %s : f32[]
//=   %c = add %a, %b : f32[]
//=   %e = exp %none : f32[0, 5]
//=   %f = mul %x, %w : f32[7, 1]
//=   %g = mul %y, %w : f32[7, 1]
//=   %h = add %f, %g : f32[7, 1]
//= output %c
//= output %e
//= output %h
