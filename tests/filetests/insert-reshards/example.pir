test insert-reshards
// The example of the pass's documentation.
form planned
mesh @m = [data=2, model=4]
param %w2 "down.weight" : f32[512@model, 64]
input %r : f32[32@data, 512@model]
input %b2 : f32[32@data, 64]
  %p = matmul %r, %w2 : f32[32@data, 64]
  %y = add %p, %b2 : f32[32@data, 64]
output %y
//= form explicit
//= mesh @m = [data=2, model=4]
//= param %w2 "down.weight" : f32[512@model, 64]
//= input %r : f32[32@data, 512@model]
//= input %b2 : f32[32@data, 64]
//=   %p = matmul %r, %w2 : f32[32@data, 64] sum(model)
//=   %p.1 = reshard %p : f32[32@data, 64]
//=   %y = add %p.1, %b2 : f32[32@data, 64]
//= output %y
