test quantise
// A weight with zero elements, and one of 1 x 1; a kernel, whose output channels are its smallest dimension; and a weight
// that a loop reads, which is dequantised before the loop.
//plan precision = "int8"
form traced
func @turn(%h: f32[2, 5], %w: f32[5, 5]) {
  %next = matmul %h, %w : f32[2, 5]
  return %next "next", %w "w"
}
param %none "none" : f32[0, 3]
param %one "one" : f32[1, 1]
param %k "kernel" : f32[3, 3, 7, 2]
param %w "looped" : f32[5, 5]
input %x : f32[4, 0]
input %y : f32[4, 1]
input %image : f32[1, 5, 5, 7]
input %h : f32[2, 5]
  %a = matmul %x, %none : f32[4, 3]
  %b = matmul %y, %one : f32[4, 1]
  %c = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 pad 1 1), (3 pad 1 1)] %image, %k : f32[1, 5, 5, 2]
  %d, %w.1 = loop 3 of @turn %h, %w : f32[2, 5], f32[5, 5]
output %a
output %b
output %c
output %d
//= form traced
//= func @turn(%h: f32[2, 5], %w: f32[5, 5]) {
//=   %next = matmul %h, %w : f32[2, 5]
//=   return %next, %w
//= }
//= param %none "none" : i8[0, 3]
//= param %one "one" : i8[1, 1]
//= param %k "kernel" : i8[3, 3, 7, 2]
//= param %w "looped" : i8[5, 5]
//= input %x : f32[4, 0]
//= input %y : f32[4, 1]
//= input %image : f32[1, 5, 5, 7]
//= input %h : f32[2, 5]
//= param %none.scale "none.scale" const of "none" : f32[1, 3]
//= param %one.scale "one.scale" const of "one" : f32[1, 1]
//= param %k.scale "kernel.scale" const of "kernel" : f32[1, 1, 1, 2]
//= param %w.scale "looped.scale" const of "looped" : f32[1, 5]
//=   %convert = convert %none : f32[0, 3]
//=   %broadcast = broadcast [0, 1] %none.scale : f32[0, 3]
//=   %mul = mul %convert, %broadcast : f32[0, 3]
//=   %a = matmul %x, %mul : f32[4, 3]
//=   %convert.1 = convert %one : f32[1, 1]
//=   %broadcast.1 = broadcast [0, 1] %one.scale : f32[1, 1]
//=   %mul.1 = mul %convert.1, %broadcast.1 : f32[1, 1]
//=   %b = matmul %y, %mul.1 : f32[4, 1]
//=   %convert.2 = convert %k : f32[3, 3, 7, 2]
//=   %broadcast.2 = broadcast [0, 1, 2, 3] %k.scale : f32[3, 3, 7, 2]
//=   %mul.2 = mul %convert.2, %broadcast.2 : f32[3, 3, 7, 2]
//=   %c = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 pad 1 1), (3 pad 1 1)] %image, %mul.2 : f32[1, 5, 5, 2]
//=   %convert.3 = convert %w : f32[5, 5]
//=   %broadcast.3 = broadcast [0, 1] %w.scale : f32[5, 5]
//=   %mul.3 = mul %convert.3, %broadcast.3 : f32[5, 5]
//=   %d, %w.1 = loop 3 of @turn %h, %mul.3 : f32[2, 5], f32[5, 5]
//= output %a
//= output %b
//= output %c
//= output %d
