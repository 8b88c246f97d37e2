test propagate
// The annotations of three parameters and the batch reach everything between them.
form traced
mesh @m = [data=2, model=4]
param %w1 "up.weight" : f32[16, 32@model]
param %w2 "down.weight" : f32[32@model, 16]
input %x : f32[8@data, 16?]
  %h = matmul %x, %w1 : f32[8, 32]
  %r = relu %h : f32[8, 32]
  %y = matmul %r, %w2 : f32[8, 16]
output %y
//= form planned
//= mesh @m = [data=2, model=4]
//= param %w1 "up.weight" : f32[16, 32@model]
//= param %w2 "down.weight" : f32[32@model, 16]
//= input %x : f32[8@data, 16]
//=   %h = matmul %x, %w1 : f32[8@data, 32@model]
//=   %r = relu %h : f32[8@data, 32@model]
//=   %y = matmul %r, %w2 : f32[8@data, 16]
//= output %y
