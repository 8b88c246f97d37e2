test infer-phases
// This pass rejects no program. A model that updates its own state is not a training step.
form traced
param %w "w" : f32[4, 4]
param %mean "norm.mean" state : f32[4]
input %x : f32[6, 4]
  %h = matmul %x, %w : f32[6, 4]
  %new = reduce sum [0] %h : f32[4]
  %next = add %mean, %new : f32[4]
  %loss = reduce sum [0, 1] %h : f32[]
output %loss "loss"
output %next "norm.mean" -> "norm.mean"
//= form traced
//= param %w "w" : f32[4, 4]
//= param %mean "norm.mean" state : f32[4]
//= input %x : f32[6, 4]
//=   %h = matmul %x, %w : f32[6, 4]
//=   %new = reduce sum [0] %h : f32[4]
//=   %next = add %mean, %new : f32[4]
//=   %loss = reduce sum [0, 1] %h : f32[]
//= output %loss
//= output %next "norm.mean" -> "norm.mean"
