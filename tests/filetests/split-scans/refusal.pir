test split-scans
// This pass rejects no program. A sum along an unsharded dimension stays, a window that does not cover its
// dimension, and a sum of seven elements over two axes, whose shards padding would move.
form planned
mesh @m = [a=3, b=2]
input %x : f32[2@b, 6]
input %y : f32[6@a]
input %z : f32[7@a+b]
  %whole = reduce_window sum [(1), (6 pad 5 0)] %x : f32[2@b, 6]
  %window = reduce_window sum [(3 pad 2 0)] %y : f32[6@a]
  %uneven = reduce_window sum [(7 pad 6 0)] %z : f32[7@a+b]
output %whole
output %window
output %uneven
//= form planned
//= mesh @m = [a=3, b=2]
//= input %x : f32[2@b, 6]
//= input %y : f32[6@a]
//= input %z : f32[7@a+b]
//=   %whole = reduce_window sum [(1), (6 pad 5 0)] %x : f32[2@b, 6]
//=   %window = reduce_window sum [(3 pad 2 0)] %y : f32[6@a]
//=   %uneven = reduce_window sum [(7 pad 6 0)] %z : f32[7@a+b]
//= output %whole
//= output %window
//= output %uneven
