test insert-reshards
// The bias is added after the sum, since it would be added four times otherwise.
form planned
mesh @m = [data=2, model=4]
param %w "down.weight" : f32[32@model, 16]
param %b "down.bias" : f32[16] whole
input %r : f32[8@data, 32@model]
  %p = matmul %r, %w : f32[8@data, 16]
  %bb = broadcast [1] %b : f32[8@data, 16]
  %y = add %p, %bb : f32[8@data, 16]
output %y
//= form explicit
//= mesh @m = [data=2, model=4]
//= param %w "down.weight" : f32[32@model, 16]
//= param %b "down.bias" : f32[16] whole
//= input %r : f32[8@data, 32@model]
//=   %p = matmul %r, %w : f32[8@data, 16] sum(model)
//=   %bb = broadcast [1] %b : f32[8@data, 16]
//=   %p.1 = reshard %p : f32[8@data, 16]
//=   %y = add %p.1, %bb : f32[8@data, 16]
//= output %y
