test quantise
// Weights of 8 bits cannot be trained.
//plan precision = "int8" # //~ D005 weights of 8 bits are for inference
//plan train = "sgd?lr=0.1"
form traced
param %w "w" : f32[4, 2]
input %x : f32[8, 4]
  %h = matmul %x, %w : f32[8, 2]
  %loss = reduce sum [0, 1] %h : f32[]
output %loss "loss"
//= error[D005]: weights of 8 bits are for inference: they cannot be trained
//=   --> plan:3:14
//=   = help: train in `bf16`, and run the result in `int8`
