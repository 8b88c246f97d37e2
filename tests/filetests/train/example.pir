test train
// The example of the pass's documentation.
//plan train = "sgd?lr=0.1"
form traced
param %w "w" : f32[4, 4]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 4]
  %loss = reduce sum [0, 1] %y : f32[]
output %loss "loss"
//= form traced
//= param %w "w" : f32[4, 4]
//= input %x donated : f32[8, 4]
//=   %y = matmul %x, %w : f32[8, 4]
//=   %loss = reduce sum [0, 1] %y : f32[]
//=   %c = constant 1.0 : f32[] phase backward_input
//=   %y.grad = broadcast [] %c : f32[8, 4] phase backward_input
//=   %w.grad = dot_general contract [0]x[0] %x, %y.grad : f32[4, 4] phase backward_weight
//=   %c.1 = constant 0.1 : f32[] phase update
//=   %broadcast.1 = broadcast [] %c.1 : f32[4, 4] phase update
//=   %mul = mul %w.grad, %broadcast.1 : f32[4, 4] phase update
//=   %w.1 = sub %w, %mul : f32[4, 4] phase update
//= output %loss
//= output %w.1 "w" -> "w"
