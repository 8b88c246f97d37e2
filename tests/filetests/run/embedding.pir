test run
// A vocabulary sharded over the devices: each looks up its rows, and the sum of the partial results is the embedding.
form traced
mesh @m = [data=2, model=3]
param %table "embedding" : f32[10@model, 4]
input %ids : i32[6@data, 1]
  %e = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %table, %ids : f32[6, 4]
output %e
//= 6 devices agree
//= all_reduce 1
//= piece_start 1
