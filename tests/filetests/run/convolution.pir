test run
// Images sharded along their height: neighbours exchange halos.
form traced
mesh @m = [data=2, model=2]
param %k "kernel" : f32[3, 3, 2, 4]
input %x : f32[2, 9@data, 8@model, 2]
  %y = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3 pad 1 1), (3 pad 1 1)] %x, %k : f32[2, 9, 8, 4]
  %z = reduce_window max [(1), (2 stride 2), (2 stride 2), (1)] %y : f32[2, 4, 4, 4]
output %z
//= 4 devices agree
//= permute 5
//= piece_start 3
