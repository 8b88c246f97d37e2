test quantise
// The example of the pass's documentation.
//plan precision = "int8"
form traced
param %w "w" : f32[64, 512]
input %x : f32[8, 64]
  %h = matmul %x, %w : f32[8, 512]
output %h
//= form traced
//= param %w "w" : i8[64, 512]
//= input %x : f32[8, 64]
//= param %w.scale "w.scale" const of "w" : f32[1, 512]
//=   %convert = convert %w : f32[64, 512]
//=   %broadcast = broadcast [0, 1] %w.scale : f32[64, 512]
//=   %mul = mul %convert, %broadcast : f32[64, 512]
//=   %h = matmul %x, %mul : f32[8, 512]
//= output %h
