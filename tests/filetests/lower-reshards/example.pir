test lower-reshards
// The example of the pass's documentation.
form explicit
mesh @m = [data=2, model=4]
param %w2 "down.weight" : f32[512@model, 64]
input %r : f32[32@data, 512@model]
  %p = matmul %r, %w2 : f32[32@data, 64] sum(model)
  %p.1 = reshard %p : f32[32@data, 64]
output %p.1
//= form explicit
//= mesh @m = [data=2, model=4]
//= param %w2 "down.weight" : f32[512@model, 64]
//= input %r : f32[32@data, 512@model]
//=   %p = matmul %r, %w2 : f32[32@data, 64] sum(model)
//=   %p.1 = all_reduce sum over model %p : f32[32@data, 64]
//= output %p.1
