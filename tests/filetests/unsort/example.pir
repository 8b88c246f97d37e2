test unsort
// The example of the pass's documentation.
form traced
input %labels : i32[6]
input %x : f32[6, 4]
  %t, %order = top_k 6 %labels : i32[6], i32[6]
  %at = reshape %order : i32[6, 1]
  %rows = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %x, %at : f32[6, 4]
  %y = exp %rows : f32[6, 4]
  %sum = reduce sum [0] %y : f32[4]
output %sum
//= form traced
//= input %labels : i32[6]
//= input %x : f32[6, 4]
//=   %iota = iota dim 0 : i32[6]
//=   %at = reshape %iota : i32[6, 1]
//=   %y = exp %x : f32[6, 4]
//=   %sum = reduce sum [0] %y : f32[4]
//= output %sum
