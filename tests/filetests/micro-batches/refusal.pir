test micro-batches
// Eight examples do not divide into three micro-batches.
//plan pipeline = 1
//plan microbatches = 3 # //~ D007 a batch of 8 cannot be split into 3 equal micro-batches
form traced
param %w "w" : f32[4, 3]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 3]
output %y
//= error[D007]: a batch of 8 cannot be split into 3 equal micro-batches
//=   --> plan:4:16 requests micro-batches
//=   = note: `x`: 8 = 3 x 2 + 2
//=   = note: possible numbers: 1, 2, 4, 8
//=   = help: write `--microbatches 2`
