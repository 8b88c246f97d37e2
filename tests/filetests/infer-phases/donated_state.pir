test infer-phases
// A result can have the memory of any input. State with a dimension of the examples is not a parameter.
form traced
input %w : f32[4, 4]
input %b : f32[4]
input %carried : f32[6, 4]
input %x : f32[6, 4]
  %h = matmul %carried, %w : f32[6, 4]
  %next = add %h, %x : f32[6, 4]
  %loss = reduce sum [0, 1] %next : f32[]
  %one = constant 1.0 : f32[6, 4]
  %w.grad = dot_general contract [0]x[0] %carried, %one : f32[4, 4]
  %b.grad = reduce sum [0] %one : f32[4]
  %w.new = sub %w, %w.grad : f32[4, 4]
  %b.new = sub %b, %b.grad : f32[4]
output %loss
output %w.new -> %w
output %b.new -> %b
output %next -> %carried
//= form traced
//= input %w : f32[4, 4]
//= input %b : f32[4]
//= input %carried : f32[6, 4]
//= input %x : f32[6, 4]
//=   %h = matmul %carried, %w : f32[6, 4]
//=   %next = add %h, %x : f32[6, 4]
//=   %loss = reduce sum [0, 1] %next : f32[]
//=   %one = constant 1.0 : f32[6, 4] phase backward_input
//=   %w.grad = dot_general contract [0]x[0] %carried, %one : f32[4, 4] phase backward_weight
//=   %b.grad = reduce sum [0] %one : f32[4] phase backward_weight
//=   %w.new = sub %w, %w.grad : f32[4, 4] phase update
//=   %b.new = sub %b, %b.grad : f32[4] phase update
//= output %loss
//= output %w.new -> %w
//= output %b.new -> %b
//= output %next -> %carried
