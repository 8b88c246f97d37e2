test remat
// The backward pass compares `%h2` with the stored maximum `%m`, so that `%h2` is not recomputed. The first layer has
// no such comparison.
//plan remat = "full"
form planned
mesh @m = [data=2]
param %w1 "layers.0.weight" : f32[4, 4] whole
param %w2 "layers.1.weight" : f32[4, 4] whole
param %w3 "layers.2.weight" : f32[4, 4] whole
input %x : f32[6@data, 4]
  %h = matmul %x, %w1 : f32[6@data, 4]
  %t = tanh %h : f32[6@data, 4]
  %h2 = matmul %t, %w2 : f32[6@data, 4]
  %zeros = constant 0.0 : f32[6@data, 4]
  %m = max %h2, %zeros : f32[6@data, 4]
  %h3 = matmul %m, %w3 : f32[6@data, 4]
  %loss = reduce sum [0, 1] %h3 : f32[] whole
  %c = constant 1.0 : f32[6@data, 4] phase backward_input
  %w3.grad = dot_general contract [0]x[0] %m, %c : f32[4, 4] whole phase backward_weight
  %is_max = compare eq %h2, %m : bool[6@data, 4] phase backward_input
  %m.grad = dot_general contract [1]x[1] %c, %w3 : f32[6@data, 4] phase backward_input
  %z = constant 0.0 : f32[6@data, 4] phase backward_input
  %h2.grad = select %is_max, %m.grad, %z : f32[6@data, 4] phase backward_input
  %w2.grad = dot_general contract [0]x[0] %t, %h2.grad : f32[4, 4] whole phase backward_weight
output %loss
output %w2.grad
output %w3.grad
//= form planned
//= mesh @m = [data=2]
//= param %w1 "layers.0.weight" : f32[4, 4] whole
//= param %w2 "layers.1.weight" : f32[4, 4] whole
//= param %w3 "layers.2.weight" : f32[4, 4] whole
//= input %x : f32[6@data, 4]
//=   %h = matmul %x, %w1 : f32[6@data, 4]
//=   %t = tanh %h : f32[6@data, 4]
//=   %h2 = matmul %t, %w2 : f32[6@data, 4]
//=   %zeros = constant 0.0 : f32[6@data, 4]
//=   %m = max %h2, %zeros : f32[6@data, 4]
//=   %h3 = matmul %m, %w3 : f32[6@data, 4]
//=   %loss = reduce sum [0, 1] %h3 : f32[] whole
//=   %c = constant 1.0 : f32[6@data, 4] phase backward_input
//=   %w3.grad = dot_general contract [0]x[0] %m, %c : f32[4, 4] whole phase backward_weight
//=   %is_max = compare eq %h2, %m : bool[6@data, 4] phase backward_input
//=   %m.grad = dot_general contract [1]x[1] %c, %w3 : f32[6@data, 4] phase backward_input
//=   %z = constant 0.0 : f32[6@data, 4] phase backward_input
//=   %h2.grad = select %is_max, %m.grad, %z : f32[6@data, 4] phase backward_input
//=   %w2.grad = dot_general contract [0]x[0] %t, %h2.grad : f32[4, 4] whole phase backward_weight
//= output %loss
//= output %w2.grad
//= output %w3.grad
