test interleave
// Three batches of two examples in the second dimension, tokens that are joined with the examples and divided again, a
// division into all parts, and the padding of a part, as in the gradient of a slice.
form traced
input %x : f32[5, 2]
input %y : f32[5, 2]
input %z : f32[5, 2]
input %dv : f32[5, 2]
  %all = concatenate dim 1 %x, %y, %z : f32[5, 6]
  %flat = transpose [1, 0] %all : f32[6, 5]
  %row = reshape %flat : f32[30]
  %e = exp %row : f32[30]
  %square = reshape %e : f32[6, 5]
  %back = transpose [1, 0] %square : f32[5, 6]
  %v = slice [0, 2] to [5, 4] %back : f32[5, 2]
  %parts = reshape %back : f32[5, 3, 2]
  %zero = constant 0.0 : f32[]
  %dall = pad low [0, 2] high [0, 2] %dv, %zero : f32[5, 6]
  %p = mul %dall, %back : f32[5, 6]
  %s = reduce sum [1] %p : f32[5]
output %v
output %parts
output %s
//= form traced
//= input %x : f32[5, 2]
//= input %y : f32[5, 2]
//= input %z : f32[5, 2]
//= input %dv : f32[5, 2]
//=   %reshape = reshape %x : f32[5, 2, 1]
//=   %reshape.1 = reshape %y : f32[5, 2, 1]
//=   %reshape.2 = reshape %z : f32[5, 2, 1]
//=   %concatenate = concatenate dim 2 %reshape, %reshape.1, %reshape.2 : f32[5, 2, 3]
//=   %reshape.3 = reshape %concatenate : f32[5, 6]
//=   %flat = transpose [1, 0] %reshape.3 : f32[6, 5]
//=   %row = reshape %flat : f32[30]
//=   %e = exp %row : f32[30]
//=   %square = reshape %e : f32[6, 5]
//=   %back = transpose [1, 0] %square : f32[5, 6]
//=   %reshape.4 = reshape %back : f32[5, 2, 3]
//=   %slice = slice [0, 0, 1] to [5, 2, 2] %reshape.4 : f32[5, 2, 1]
//=   %reshape.5 = reshape %slice : f32[5, 2]
//=   %reshape.6 = reshape %back : f32[5, 2, 3]
//=   %transpose = transpose [0, 2, 1] %reshape.6 : f32[5, 3, 2]
//=   %reshape.7 = reshape %transpose : f32[5, 3, 2]
//=   %zero = constant 0.0 : f32[]
//=   %reshape.8 = reshape %dv : f32[5, 2, 1]
//=   %pad = pad low [0, 0, 1] high [0, 0, 1] %reshape.8, %zero : f32[5, 2, 3]
//=   %reshape.9 = reshape %pad : f32[5, 6]
//=   %p = mul %reshape.9, %back : f32[5, 6]
//=   %s = reduce sum [1] %p : f32[5]
//= output %reshape.5 "v"
//= output %reshape.7 "parts"
//= output %s
