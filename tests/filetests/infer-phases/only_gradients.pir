test infer-phases
// Without a loss among the outputs, the forward pass consists of the first products with parameters.
form traced
input %w : f32[4, 3]
input %v : f32[3, 2]
input %x : f32[6, 4]
  %h = matmul %x, %w : f32[6, 3]
  %y = matmul %h, %v : f32[6, 2]
  %h.grad = dot_general contract [1]x[1] %y, %v : f32[6, 3]
  %v.grad = dot_general contract [0]x[0] %h, %y : f32[3, 2]
  %w.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 3]
output %w.grad
output %v.grad
//= form traced
//= input %w : f32[4, 3]
//= input %v : f32[3, 2]
//= input %x : f32[6, 4]
//=   %h = matmul %x, %w : f32[6, 3]
//=   %y = matmul %h, %v : f32[6, 2]
//=   %h.grad = dot_general contract [1]x[1] %y, %v : f32[6, 3] phase backward_input
//=   %v.grad = dot_general contract [0]x[0] %h, %y : f32[3, 2] phase backward_weight
//=   %w.grad = dot_general contract [0]x[0] %x, %h.grad : f32[4, 3] phase backward_weight
//= output %w.grad
//= output %v.grad
