test infer-phases
// This pass rejects no program. Outputs of a forward model are not gradients, although they have the types of parameters.
form traced forward
param %w "w" : f32[4, 4]
input %x : f32[4, 4]
  %h = matmul %x, %w : f32[4, 4]
  %y = add %h, %w : f32[4, 4]
  %loss = reduce sum [0, 1] %y : f32[]
output %loss "loss"
output %h
output %y
//= form traced forward
//= param %w "w" : f32[4, 4]
//= input %x : f32[4, 4]
//=   %h = matmul %x, %w : f32[4, 4]
//=   %y = add %h, %w : f32[4, 4]
//=   %loss = reduce sum [0, 1] %y : f32[]
//= output %loss
//= output %h
//= output %y
