test train
// The loss must be a scalar.
//plan train = "sgd?lr=0.1" # //~ D002 which is not a scalar loss
form traced
param %w "w" : f32[4, 4]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 4]
output %y "loss"
//= error[D002]: output `loss` is f32[8, 4], which is not a scalar loss
//=   --> plan:3:10 the loss must have one element
//=   = help: return the mean loss from the model
