test remat
// All values of the named layer but its inputs are recomputed, and broadcasts of constants always are.
//plan [remat]
//plan "layers.1.**" = "full"
form planned
mesh @m = [data=2]
param %w1 "layers.0.weight" : f32[4, 4] whole
param %w2 "layers.1.weight" : f32[4, 4] whole
input %x : f32[6@data, 4]
  %h = matmul %x, %w1 : f32[6@data, 4]
  %t = tanh %h : f32[6@data, 4]
  %h2 = matmul %t, %w2 : f32[6@data, 4]
  %t2 = tanh %h2 : f32[6@data, 4]
  %loss = reduce sum [0, 1] %t2 : f32[] whole
  %c = constant 1.0 : f32[] whole phase backward_input
  %t2.grad = broadcast [] %c : f32[6@data, 4] phase backward_input
  %mul = mul %t2, %t2 : f32[6@data, 4] phase backward_input
  %c.1 = constant 1.0 : f32[6@data, 4] phase backward_input
  %sub = sub %c.1, %mul : f32[6@data, 4] phase backward_input
  %h2.grad = mul %t2.grad, %sub : f32[6@data, 4] phase backward_input
  %t.grad = dot_general contract [1]x[1] %h2.grad, %w2 : f32[6@data, 4] phase backward_input
  %w2.grad = dot_general contract [0]x[0] %t, %h2.grad : f32[4, 4] whole phase backward_weight
  %mul.2 = mul %t, %t : f32[6@data, 4] phase backward_input
  %c.2 = constant 1.0 : f32[6@data, 4] phase backward_input
  %sub.1 = sub %c.2, %mul.2 : f32[6@data, 4] phase backward_input
  %h.grad = mul %t.grad, %sub.1 : f32[6@data, 4] phase backward_input
  %w1.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 4] whole phase backward_weight
  %c.3 = constant 0.01 : f32[] whole phase update
  %broadcast.1 = broadcast [] %c.3 : f32[4, 4] whole phase update
  %mul.4 = mul %w1.grad, %broadcast.1 : f32[4, 4] whole phase update
  %layers.0.weight = sub %w1, %mul.4 : f32[4, 4] whole phase update
  %broadcast.2 = broadcast [] %c.3 : f32[4, 4] whole phase update
  %mul.5 = mul %w2.grad, %broadcast.2 : f32[4, 4] whole phase update
  %layers.1.weight = sub %w2, %mul.5 : f32[4, 4] whole phase update
output %loss
output %layers.0.weight -> "layers.0.weight"
output %layers.1.weight -> "layers.1.weight"
//= form planned
//= mesh @m = [data=2]
//= param %w1 "layers.0.weight" : f32[4, 4] whole
//= param %w2 "layers.1.weight" : f32[4, 4] whole
//= input %x : f32[6@data, 4]
//=   %h = matmul %x, %w1 : f32[6@data, 4]
//=   %t = tanh %h : f32[6@data, 4]
//=   %h2 = matmul %t, %w2 : f32[6@data, 4]
//=   %t2 = tanh %h2 : f32[6@data, 4]
//=   %loss = reduce sum [0, 1] %t2 : f32[] whole
//=   %c = constant 1.0 : f32[] whole phase backward_input
//=   %t2.grad = broadcast [] %c : f32[6@data, 4] phase backward_input
//=   %h2.1 = matmul %t, %w2 : f32[6@data, 4] phase recompute
//=   %t2.1 = tanh %h2.1 : f32[6@data, 4] phase recompute
//=   %mul = mul %t2.1, %t2.1 : f32[6@data, 4] phase backward_input
//=   %c.1 = constant 1.0 : f32[6@data, 4] phase backward_input
//=   %sub = sub %c.1, %mul : f32[6@data, 4] phase backward_input
//=   %h2.grad = mul %t2.grad, %sub : f32[6@data, 4] phase backward_input
//=   %t.grad = dot_general contract [1]x[1] %h2.grad, %w2 : f32[6@data, 4] phase backward_input
//=   %w2.grad = dot_general contract [0]x[0] %t, %h2.grad : f32[4, 4] whole phase backward_weight
//=   %mul.2 = mul %t, %t : f32[6@data, 4] phase backward_input
//=   %c.2 = constant 1.0 : f32[6@data, 4] phase backward_input
//=   %sub.1 = sub %c.2, %mul.2 : f32[6@data, 4] phase backward_input
//=   %h.grad = mul %t.grad, %sub.1 : f32[6@data, 4] phase backward_input
//=   %w1.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 4] whole phase backward_weight
//=   %c.3 = constant 0.01 : f32[] whole phase update
//=   %broadcast.1 = broadcast [] %c.3 : f32[4, 4] whole phase update
//=   %mul.4 = mul %w1.grad, %broadcast.1 : f32[4, 4] whole phase update
//=   %layers.0.weight = sub %w1, %mul.4 : f32[4, 4] whole phase update
//=   %broadcast.2 = broadcast [] %c.3 : f32[4, 4] whole phase update
//=   %mul.5 = mul %w2.grad, %broadcast.2 : f32[4, 4] whole phase update
//=   %layers.1.weight = sub %w2, %mul.5 : f32[4, 4] whole phase update
//= output %loss
//= output %layers.0.weight -> "layers.0.weight"
//= output %layers.1.weight -> "layers.1.weight"
