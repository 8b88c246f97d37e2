test remat
// The results of ops of one kind are recomputed.
//plan remat = "ops:gelu"
form planned
mesh @m = [data=2]
param %w1 "up.weight" : f32[4, 16] whole
param %w2 "down.weight" : f32[16, 4] whole
input %x : f32[6@data, 4]
  %h = matmul %x, %w1 : f32[6@data, 16]
  %g = gelu %h : f32[6@data, 16]
  %y = matmul %g, %w2 : f32[6@data, 4]
  %z = add %y, %x : f32[6@data, 4]
  %loss = reduce sum [0, 1] %z : f32[] whole
  %c = constant 1.0 : f32[] whole phase backward_input
  %y.grad = broadcast [] %c : f32[6@data, 4] phase backward_input
  %w2.grad = dot_general contract [0]x[0] %g, %y.grad : f32[16, 4] whole phase backward_weight
  %g.grad = dot_general contract [1]x[1] %y.grad, %w2 : f32[6@data, 16] phase backward_input
  %h.grad = mul %g.grad, %h : f32[6@data, 16] phase backward_input
  %w1.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 16] whole phase backward_weight
  %w1.new = sub %w1, %w1.grad : f32[4, 16] whole phase update
  %w2.new = sub %w2, %w2.grad : f32[16, 4] whole phase update
output %loss
output %w1.new
output %w2.new
//= form planned
//= mesh @m = [data=2]
//= param %w1 "up.weight" : f32[4, 16] whole
//= param %w2 "down.weight" : f32[16, 4] whole
//= input %x : f32[6@data, 4]
//=   %h = matmul %x, %w1 : f32[6@data, 16]
//=   %g = gelu %h : f32[6@data, 16]
//=   %y = matmul %g, %w2 : f32[6@data, 4]
//=   %z = add %y, %x : f32[6@data, 4]
//=   %loss = reduce sum [0, 1] %z : f32[] whole
//=   %c = constant 1.0 : f32[] whole phase backward_input
//=   %y.grad = broadcast [] %c : f32[6@data, 4] phase backward_input
//=   %g.1 = gelu %h : f32[6@data, 16] phase recompute
//=   %w2.grad = dot_general contract [0]x[0] %g.1, %y.grad : f32[16, 4] whole phase backward_weight
//=   %g.grad = dot_general contract [1]x[1] %y.grad, %w2 : f32[6@data, 16] phase backward_input
//=   %h.grad = mul %g.grad, %h : f32[6@data, 16] phase backward_input
//=   %w1.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 16] whole phase backward_weight
//=   %w1.new = sub %w1, %w1.grad : f32[4, 16] whole phase update
//=   %w2.new = sub %w2, %w2.grad : f32[16, 4] whole phase update
//= output %loss
//= output %w1.new
//= output %w2.new
