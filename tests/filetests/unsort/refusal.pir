test unsort
// The largest element, the sum of the elements before each, and a permutation of other rows depend on the order.
form traced
input %x : i32[6]
input %y : f32[6]
  %t, %order = top_k 6 %x : i32[6], i32[6]
  %first = slice [0] to [1] %t : i32[1]
  %t.1, %order.1 = top_k 6 %x : i32[6], i32[6]
  %sums = reduce_window sum [(6 pad 5 0)] %t.1 : i32[6]
  %t.2, %order.2 = top_k 6 %x : i32[6], i32[6]
  %start = constant 0 : i32[6]
  %n = iota dim 0 : i32[6]
  %at = reshape %order.2 : i32[6, 1]
  %inverse = scatter set inserted [0] map [0] vector 1 %start, %at, %n : i32[6]
  %back = reshape %inverse : i32[6, 1]
  %z = gather collapsed [0] map [0] vector 1 sizes [1] %y, %back : f32[6]
output %first
output %sums
output %z
//= form traced
//= input %x : i32[6]
//= input %y : f32[6]
//=   %t, %order = top_k 6 %x : i32[6], i32[6]
//=   %first = slice [0] to [1] %t : i32[1]
//=   %t.1, %order.1 = top_k 6 %x : i32[6], i32[6]
//=   %sums = reduce_window sum [(6 pad 5 0)] %t.1 : i32[6]
//=   %t.2, %order.2 = top_k 6 %x : i32[6], i32[6]
//=   %start = constant 0 : i32[6]
//=   %n = iota dim 0 : i32[6]
//=   %at = reshape %order.2 : i32[6, 1]
//=   %inverse = scatter set inserted [0] map [0] vector 1 %start, %at, %n : i32[6]
//=   %back = reshape %inverse : i32[6, 1]
//=   %z = gather collapsed [0] map [0] vector 1 sizes [1] %y, %back : f32[6]
//= output %first
//= output %sums
//= output %z
