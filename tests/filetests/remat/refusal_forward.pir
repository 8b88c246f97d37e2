test remat
// A forward model has no backward pass that could recompute values.
//plan remat = "full"
form planned
mesh @m = [data=2]
param %w "layers.0.weight" : f32[4, 4] whole
input %x : f32[6@data, 4]
  %h = matmul %x, %w : f32[6@data, 4]
  %t = tanh %h : f32[6@data, 4]
output %t
//= form planned
//= mesh @m = [data=2]
//= param %w "layers.0.weight" : f32[4, 4] whole
//= input %x : f32[6@data, 4]
//=   %h = matmul %x, %w : f32[6@data, 4]
//=   %t = tanh %h : f32[6@data, 4]
//= output %t
