test lower-reshards
// A sum that is sharded immediately is a reduce_scatter; axes that move to another dimension are an all_to_all.
form explicit
mesh @m = [data=2, model=4]
param %w "w" : f32[32@model, 16]
input %x : f32[8@data, 32@model]
  %p = matmul %x, %w : f32[8@data, 16] sum(model)
  %a = reshard %p : f32[8@data, 16]
  %b = reshard %p : f32[8@data, 16@model]
  %c = reshard %b : f32[8@data+model, 16]
  %d = reshard %c : f32[8, 16] whole
  %e = reshard %d : f32[8, 16@data]
output %a
output %e
//= form explicit
//= mesh @m = [data=2, model=4]
//= param %w "w" : f32[32@model, 16]
//= input %x : f32[8@data, 32@model]
//=   %p = matmul %x, %w : f32[8@data, 16] sum(model)
//=   %a = all_reduce sum over model %p : f32[8@data, 16]
//=   %b = reduce_scatter sum dim 1 over model %p : f32[8@data, 16@model]
//=   %c = all_to_all dim 1 -> dim 0 over model %b : f32[8@data+model, 16]
//=   %d = all_gather dim 0 over data+model %c : f32[8, 16] whole
//=   %e = shard dim 1 over data %d : f32[8, 16@data]
//= output %a
//= output %e
