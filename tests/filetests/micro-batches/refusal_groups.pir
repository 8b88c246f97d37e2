test micro-batches
// The batch is normalised in two groups of four examples, which do not divide into four micro-batches.
//plan pipeline = 1
//plan microbatches = 4 # //~ D007 a batch of 8 cannot be split into 4 equal micro-batches of groups of 4 examples
form traced
param %w "w" : f32[4, 3]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 3]
  %groups = reshape %y : f32[2, 4, 3]
  %sums = reduce sum [1] %groups : f32[2, 3]
  %wide = broadcast [0, 2] %sums : f32[2, 4, 3]
  %shares = div %groups, %wide : f32[2, 4, 3]
output %shares
//= error[D007]: a batch of 8 cannot be split into 4 equal micro-batches of groups of 4 examples
//=   --> plan:4:16 requests micro-batches
//=   --> micro-batches/refusal_groups.pir:8
//=   = note: `matmul %y`: 2 = 4 x 0 + 2
//=   = note: possible numbers: 1, 2
//=   = help: write `--microbatches 2`
