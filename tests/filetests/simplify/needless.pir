test simplify
// Identities are removed: a product with one, a double negation, a maximum over no dimension; a transpose waits for its inverse.
form traced
input %x : f32[4, 6]
input %y : f32[4, 6]
input %b : f32[6]
  %c = constant 1.0 : f32[]
  %one = broadcast [] %c : f32[4, 6]
  %m = mul %x, %one : f32[4, 6]
  %n = neg %y : f32[4, 6]
  %z = add %m, %n : f32[4, 6]
  %s = reduce max [] %z : f32[4, 6]
  %t = transpose [1, 0] %s : f32[6, 4]
  %e = exp %t : f32[6, 4]
  %d = broadcast [0] %b : f32[6, 4]
  %f = mul %e, %d : f32[6, 4]
  %u = transpose [1, 0] %f : f32[4, 6]
output %u
//= form traced
//= input %x : f32[4, 6]
//= input %y : f32[4, 6]
//= input %b : f32[6]
//=   %u.1 = sub %x, %y : f32[4, 6]
//=   %u.2 = exp %u.1 : f32[4, 6]
//=   %u.3 = broadcast [1] %b : f32[4, 6]
//=   %u = mul %u.3, %u.2 : f32[4, 6]
//= output %u
