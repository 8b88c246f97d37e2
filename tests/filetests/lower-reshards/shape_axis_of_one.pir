test lower-reshards
// An axis of one device is treated as any other: a sum over it is reduced, and a shard along it gathered.
form explicit
mesh @m = [data=2, model=1]
param %w "w" : f32[32@model, 16]
input %x : f32[8@data, 32@model]
  %p = matmul %x, %w : f32[8@data, 16] sum(model)
  %a = reshard %p : f32[8@data, 16]
  %r = relu %a : f32[8@data, 16]
  %b = reshard %x : f32[8@data, 32]
  %c = reshard %b : f32[8@model, 32@data]
output %r
output %c
//= form explicit
//= mesh @m = [data=2, model=1]
//= param %w "w" : f32[32@model, 16]
//= input %x : f32[8@data, 32@model]
//=   %p = matmul %x, %w : f32[8@data, 16] sum(model)
//=   %a = all_reduce sum over model %p : f32[8@data, 16]
//=   %r = relu %a : f32[8@data, 16]
//=   %b = all_gather dim 1 over model %x : f32[8@data, 32]
//=   %c.1 = all_to_all dim 0 -> dim 1 over data %b : f32[8, 32@data]
//=   %c = shard dim 0 over model %c.1 : f32[8@model, 32@data]
//= output %r
//= output %c
