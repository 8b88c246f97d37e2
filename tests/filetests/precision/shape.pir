test precision
// Scalars, zero elements, and the body of a loop, in which the exponential is computed in f32.
//plan precision = "f16"
form traced
func @turn(%h: f32[7, 1], %w: f32[1, 1]) {
  %m = matmul %h, %w : f32[7, 1]
  %e = exp %m : f32[7, 1]
  %next = add %e, %h : f32[7, 1]
  return %next "next", %w "w"
}
param %s "scale" : f32[]
param %none "none" : f32[0, 5]
param %w "w" : f32[1, 1]
input %t : f32[]
input %x : f32[3, 0]
input %h : f32[7, 1]
  %scalar = mul %s, %t : f32[]
  %zeros = matmul %x, %none : f32[3, 5]
  %looped, %w.1 = loop 3 of @turn %h, %w : f32[7, 1], f32[1, 1]
output %scalar
output %zeros
output %looped
//= form traced
//= func @turn(%h: f32[7, 1], %w: f32[1, 1]) {
//=   %h.f16 = convert %h : f16[7, 1]
//=   %w.f16 = convert %w : f16[1, 1]
//=   %m.f16 = matmul %h.f16, %w.f16 : f16[7, 1]
//=   %m = convert %m.f16 : f32[7, 1]
//=   %e = exp %m : f32[7, 1]
//=   %next = add %e, %h : f32[7, 1]
//=   return %next, %w
//= }
//= param %s "scale" : f16[]
//= param %none "none" : f32[0, 5]
//= param %w "w" : f32[1, 1]
//= input %t : f32[]
//= input %x : f32[3, 0]
//= input %h : f32[7, 1]
//=   %t.f16 = convert %t : f16[]
//=   %scalar.f16 = mul %s, %t.f16 : f16[]
//=   %x.f16 = convert %x : f16[3, 0]
//=   %none.f16 = convert %none : f16[0, 5]
//=   %zeros.f16 = matmul %x.f16, %none.f16 : f16[3, 5]
//=   %looped, %w.1 = loop 3 of @turn %h, %w : f32[7, 1], f32[1, 1]
//=   %scalar = convert %scalar.f16 : f32[]
//=   %zeros = convert %zeros.f16 : f32[3, 5]
//= output %scalar
//= output %zeros
//= output %looped
