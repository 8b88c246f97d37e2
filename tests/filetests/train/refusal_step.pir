test train
// A training step cannot be derived from a training step.
//plan train = "sgd?lr=0.1" # //~ D002 is a training step already
form traced
param %w "w" : f32[4]
input %x : f32[4]
  %xw = mul %x, %w : f32[4]
  %loss = reduce sum [0] %xw : f32[]
  %new = sub %w, %x : f32[4] phase update
output %loss "loss"
output %new -> "w"
//= error[D002]: `train/refusal_step.pir` is a training step already
//=   --> plan:3:10 requests the training step of a model
//=   = help: leave `--train` out, or train the forward function that it was made from
