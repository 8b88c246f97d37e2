test infer-phases
// A function that returns the gradient of a parameter: the output has the type and the dimensions of the input.
form traced
input %w : f32[4, 3]
input %x : f32[6, 4]
  %h = matmul %x, %w : f32[6, 3]
  %t = tanh %h : f32[6, 3]
  %loss = reduce sum [0, 1] %t : f32[]
  %square = mul %t, %t : f32[6, 3]
  %one = constant 1.0 : f32[6, 3]
  %slope = sub %one, %square : f32[6, 3]
  %w.grad = dot_general contract [0]x[0] %x, %slope : f32[4, 3]
output %loss
output %w.grad
//= form traced
//= input %w : f32[4, 3]
//= input %x : f32[6, 4]
//=   %h = matmul %x, %w : f32[6, 3]
//=   %t = tanh %h : f32[6, 3]
//=   %loss = reduce sum [0, 1] %t : f32[]
//=   %square = mul %t, %t : f32[6, 3] phase backward_input
//=   %one = constant 1.0 : f32[6, 3] phase backward_input
//=   %slope = sub %one, %square : f32[6, 3] phase backward_input
//=   %w.grad = dot_general contract [0]x[0] %x, %slope : f32[4, 3] phase backward_weight
//= output %loss
//= output %w.grad
