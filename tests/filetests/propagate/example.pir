test propagate
// The example of the pass's documentation.
form traced
mesh @m = [data=2, model=4]
param %w "up.weight" : f32[64, 512@model]
input %x : f32[32, 64]
  %h = matmul %x, %w : f32[32, 512]
output %h
//= form planned
//= mesh @m = [data=2, model=4]
//= param %w "up.weight" : f32[64, 512@model]
//= input %x : f32[32, 64] whole
//=   %h = matmul %x, %w : f32[32, 512@model]
//= output %h
