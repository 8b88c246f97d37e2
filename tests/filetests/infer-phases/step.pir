test infer-phases
// An imported step: the ops of the loss, of the gradient, of the sum that has the parameter's shape, and of the update.
form traced
input %w : f32[4]
input %v : f32[3]
input %x : f32[6, 4]
input %y : f32[6, 3]
  %wb = broadcast [1] %w : f32[6, 4]
  %xw = mul %x, %wb : f32[6, 4]
  %loss = reduce sum [0, 1] %xw : f32[]
  %two = constant 2.0 : f32[6, 4]
  %x2 = mul %x, %two : f32[6, 4]
  %w.grad = reduce sum [0] %x2 : f32[4]
  %v.grad = reduce sum [0] %y : f32[3]
  %rate = constant 0.1 : f32[4]
  %w.step = mul %w.grad, %rate : f32[4]
  %w.new = sub %w, %w.step : f32[4]
  %v.new = sub %v, %v.grad : f32[3]
output %loss "loss"
output %w.new "w"
output %v.new "v"
//= form traced
//= input %w : f32[4]
//= input %v : f32[3]
//= input %x : f32[6, 4]
//= input %y : f32[6, 3]
//=   %wb = broadcast [1] %w : f32[6, 4]
//=   %xw = mul %x, %wb : f32[6, 4]
//=   %loss = reduce sum [0, 1] %xw : f32[]
//=   %two = constant 2.0 : f32[6, 4] phase backward_input
//=   %x2 = mul %x, %two : f32[6, 4] phase backward_input
//=   %w.grad = reduce sum [0] %x2 : f32[4] phase backward_weight
//=   %v.grad = reduce sum [0] %y : f32[3] phase backward_weight
//=   %rate = constant 0.1 : f32[4] phase update
//=   %w.step = mul %w.grad, %rate : f32[4] phase update
//=   %w.new = sub %w, %w.step : f32[4] phase update
//=   %v.new = sub %v, %v.grad : f32[3] phase update
//= output %loss
//= output %w.new "w"
//= output %v.new "v"
