test insert-reshards
// Reducing %h would move fewer bytes, but a layout requires %y to be partial.
form planned
mesh @m = [model=4]
input %x : f32[32, 512@model]
input %w : f32[512@model, 4]
input %v : f32[4, 64] whole
  %h = matmul %x, %w : f32[32, 4] whole
  %y = matmul %h, %v : f32[32, 64] sum(model)
  %r = relu %y : f32[32, 64] whole
output %r
//= form explicit
//= mesh @m = [model=4]
//= input %x : f32[32, 512@model]
//= input %w : f32[512@model, 4]
//= input %v : f32[4, 64] whole
//=   %h = matmul %x, %w : f32[32, 4] sum(model)
//=   %y = matmul %h, %v : f32[32, 64] sum(model)
//=   %y.1 = reshard %y : f32[32, 64] whole
//=   %r = relu %y.1 : f32[32, 64] whole
//= output %r
