test partition
// Megatron's column and row sharding: one sum of the result.
form traced
mesh @m = [data=2, model=4]
param %w1 "up.weight" : f32[16, 32@model]
param %b1 "up.bias" : f32[32@model]
param %w2 "down.weight" : f32[32@model, 16]
param %b2 "down.bias" : f32[16]
input %x : f32[8@data, 16]
  %h = matmul %x, %w1 : f32[8, 32]
  %b1.b = broadcast [1] %b1 : f32[8, 32]
  %a = add %h, %b1.b : f32[8, 32]
  %r = relu %a : f32[8, 32]
  %p = matmul %r, %w2 : f32[8, 16]
  %b2.b = broadcast [1] %b2 : f32[8, 16]
  %y = add %p, %b2.b : f32[8, 16]
//= form local
//= mesh @m = [data=2, model=4]
//= param %w1 "up.weight" : f32[16, 32@model]
//= param %b1 "up.bias" : f32[32@model]
//= param %w2 "down.weight" : f32[32@model, 16]
//= param %b2 "down.bias" : f32[16] whole
//= input %x : f32[8@data, 16]
//=   %h = matmul %x, %w1 : f32[4, 8]
//=   %b1.b = broadcast [1] %b1 : f32[4, 8]
//=   %a = add %h, %b1.b : f32[4, 8]
//=   %r = relu %a : f32[4, 8]
//=   %p = matmul %r, %w2 : f32[4, 16]
//=   %b2.b = broadcast [1] %b2 : f32[4, 16]
//=   %p.1 = all_reduce sum over model %p : f32[4, 16]
//=   %y = add %p.1, %b2.b : f32[8@data, 16]
//= output %y
