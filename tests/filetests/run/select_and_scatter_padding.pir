test run
// Windows that contain only padding, equal elements beside padding, and windows wider than a shard.
form traced
mesh @m = [a=3]
input %dx : f32[10]
input %dy : f32[7]
input %du : i32[5]
  %x = constant -inf : f32[8@a]
  %u = constant 0 : i32[5@a]
  %y = iota dim 0 : f32[7@a]
  %equal = select_and_scatter max [(2 pad 2 1)] %x, %dx : f32[8]
  %wide = select_and_scatter max [(5 pad 2 2)] %y, %dy : f32[7]
  %zeros = select_and_scatter max [(3 pad 1 1)] %u, %du : i32[5]
output %equal
output %wide
output %zeros
//= 3 devices agree
//= permute 10
//= piece_start 13
