test overlap-matmul
// The gather of a parameter, one whose value only an output and an elementwise op read, and a maximum of products stay.
//plan overlap = "matmul"
form local
mesh @m = [model=2]
input %x : f32[4@model, 8]
param %w "w" : f32[8@model, 6]
  %narrow = convert %w : f32[4, 6]
  %weight = all_gather dim 0 over model %narrow : f32[8, 6]
  %a = matmul %x, %weight : f32[4@model, 6]
  %shard = reshape %x : f32[2, 8]
  %whole = all_gather dim 0 over model %shard : f32[4, 8] whole
  %root = sqrt %whole : f32[4, 8] whole
  %b = matmul %whole, %weight : f32[4, 6]
  %c = reduce_scatter max dim 0 over model %b : f32[4@model, 6]
output %a
output %whole
output %root
output %c
