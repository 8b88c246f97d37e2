test infer-phases
// The example of the pass's documentation.
form traced
param %w "w" : f32[4]
input %x : f32[6, 4]
  %loss = reduce sum [0, 1] %x : f32[]
  %two = constant 2.0 : f32[6, 4]
  %twice = mul %x, %two : f32[6, 4]
  %w.grad = reduce sum [0] %twice : f32[4]
  %new = sub %w, %w.grad : f32[4]
output %loss
output %new -> "w"
//= form traced
//= param %w "w" : f32[4]
//= input %x : f32[6, 4]
//=   %loss = reduce sum [0, 1] %x : f32[]
//=   %two = constant 2.0 : f32[6, 4] phase backward_input
//=   %twice = mul %x, %two : f32[6, 4] phase backward_input
//=   %w.grad = reduce sum [0] %twice : f32[4] phase backward_weight
//=   %new = sub %w, %w.grad : f32[4] phase update
//= output %loss
//= output %new -> "w"
