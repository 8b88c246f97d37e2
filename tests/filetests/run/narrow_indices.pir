test run
// 8-bit indices into shards that begin beyond the range of 8 bits.
form traced
mesh @m = [a=4]
param %t "table" : f32[400@a, 3]
input %i : u8[16, 1]
input %j : i8[16, 1]
input %u : f32[16, 3]
  %x = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 3] %t, %i : f32[16, 3]
  %y = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 3] fill %t, %j : f32[16, 3]
  %z = scatter sum window [1] inserted [0] map [0] vector 1 %t, %i, %u : f32[400, 3]
output %x
output %y
output %z
//= 4 devices agree
//= all_reduce 2
//= piece_start 3
