test simplify-real
// This pass rejects no program. There is no cheaper term for a sum with one or the exponential of a sum, and a value
// with a user layout stays.
form traced
mesh @m = [data=2]
input %x : f32[4]
input %y : f32[4]
  %a = add %x, %y : f32[4]
  %b = exp %a : f32[4]
  %c = constant 0.0 : f32[4]
  %d = add %x, %c : f32[4@data]
  %e = constant 1.0 : f32[4]
  %f = add %y, %e : f32[4]
output %b
output %d
output %f
//= form traced
//= mesh @m = [data=2]
//= input %x : f32[4]
//= input %y : f32[4]
//=   %a = add %x, %y : f32[4]
//=   %b = exp %a : f32[4]
//=   %c = constant 0.0 : f32[4]
//=   %d = add %x, %c : f32[4@data]
//=   %e = constant 1.0 : f32[4]
//=   %f = add %y, %e : f32[4]
//= output %b
//= output %d
//= output %f
