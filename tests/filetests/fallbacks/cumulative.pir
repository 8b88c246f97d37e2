test fallbacks
// Cumulative sums from either end along sharded dimensions, evenly and unevenly. The last one is sharded over two axes.
form traced
mesh @m = [a=3, b=2]
input %x : f32[4, 12@a]
input %y : i32[7@a, 5]
input %z : i64[2, 12@a+b, 3]
  %even = reduce_window sum [(1), (12 pad 11 0)] %x : f32[4, 12]
  %back = reduce_window sum [(1), (12 pad 0 11)] %x : f32[4, 12]
  %uneven = reduce_window sum [(7 pad 6 0), (1)] %y : i32[7, 5]
  %uneven_back = reduce_window sum [(7 pad 0 6), (1)] %y : i32[7, 5]
  %both = reduce_window sum [(1), (12 pad 11 0), (1)] %z : i64[2, 12, 3]
output %even
output %back
output %uneven
output %uneven_back
output %both
