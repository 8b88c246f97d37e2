test infer-phases
// This pass rejects no program. A single output that is computed element by element from an input is the residual of a
// block, not an update.
form traced
input %x : f32[6, 4]
input %w : f32[4, 4]
  %h = matmul %x, %w : f32[6, 4]
  %y = add %x, %h : f32[6, 4]
  %norm = reduce sum [0, 1] %h : f32[]
output %y "y"
output %norm "norm"
//= form traced
//= input %x : f32[6, 4]
//= input %w : f32[4, 4]
//=   %h = matmul %x, %w : f32[6, 4]
//=   %y = add %x, %h : f32[6, 4]
//=   %norm = reduce sum [0, 1] %h : f32[]
//= output %y
//= output %norm
