test overlap-matmul
// The gather of a parameter stays, as do a gather without products, a maximum of products, and the reduction of a gradient of a parameter.
//plan overlap = "all_gather, reduce_scatter"
form local
mesh @m = [model=2]
input %x : f32[4@model, 8]
input %y : f32[4, 8@model]
param %w "w" : f32[8@model, 6]
  %narrow = convert %w : f32[4, 6]
  %weight = all_gather dim 0 over model %narrow : f32[8, 6]
  %a = matmul %x, %weight : f32[4@model, 6]
  %shard = reshape %x : f32[2, 8]
  %whole = all_gather dim 0 over model %shard : f32[4, 8] whole
  %root = sqrt %whole : f32[4, 8] whole
  %b = matmul %y, %narrow : f32[4, 6]
  %c = reduce_scatter max dim 0 over model %b : f32[4@model, 6]
  %d = matmul %y, %narrow : f32[4, 6] phase backward_weight
  %e = reduce_scatter sum dim 0 over model %d : f32[4@model, 6] phase backward_weight
output %a
output %whole
output %root
output %c
output %e
//= form local
//= mesh @m = [model=2]
//= input %x : f32[4@model, 8]
//= input %y : f32[4, 8@model]
//= param %w "w" : f32[8@model, 6]
//=   %narrow = convert %w : f32[4, 6]
//=   %weight = all_gather dim 0 over model %narrow : f32[8, 6]
//=   %a = matmul %x, %weight : f32[4@model, 6]
//=   %shard = reshape %x : f32[2, 8]
//=   %whole = all_gather dim 0 over model %shard : f32[4, 8] whole
//=   %root = sqrt %whole : f32[4, 8] whole
//=   %b = matmul %y, %narrow : f32[4, 6]
//=   %c = reduce_scatter max dim 0 over model %b : f32[4@model, 6]
//=   %d = matmul %y, %narrow : f32[4, 6] phase backward_weight
//=   %e = reduce_scatter sum dim 0 over model %d : f32[4@model, 6] phase backward_weight
//= output %a
//= output %whole
//= output %root
//= output %c
//= output %e
