test train
// The loss must be one number.
//plan train = "sgd?lr=0.1" # //~ D002 which is no loss
form traced
param %w "w" : f32[4, 4]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 4]
output %y "loss"
//= error[D002]: output `loss` is f32[8, 4], which is no loss
//=   --> plan:3:10 needs one number to make smaller
//=   = help: let the model return the mean of its loss; a built-in model does with `loss=true`
