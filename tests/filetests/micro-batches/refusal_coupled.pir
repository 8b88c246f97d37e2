test micro-batches
// A mean over the batch needs all examples at once.
//plan pipeline = 1
//plan microbatches = 2 # //~ D007 mixes examples
form traced
param %w "w" : f32[4, 3]
input %x : f32[8, 4]
  %h = matmul %x, %w : f32[8, 3]
  %n = constant 8.0 : f32[3]
  %sum = reduce sum [0] %h : f32[3]
  %mean = div %sum, %n : f32[3]
  %wide = broadcast [1] %mean : f32[8, 3]
  %y = sub %h, %wide : f32[8, 3]
output %y
//= error[D007]: `reduce %sum` mixes examples, and the batch is split into micro-batches
//=   --> plan:4:16 requests micro-batches
//=   --> micro-batches/refusal_coupled.pir:10
//=   = note: norms over the batch and products of batch means mix examples
//=   = help: write `--microbatches 1`, and split the batch over more devices
