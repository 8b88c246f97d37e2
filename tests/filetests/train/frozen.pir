test train
// No gradient is computed for frozen parameters, nor for the ops before them.
//plan train = "sgd?lr=0.1"
form traced
param %w1 "up.weight" frozen : f32[4, 8]
param %b1 "up.bias" frozen : f32[8]
param %w2 "down.weight" : f32[8, 1]
input %x : f32[6, 4]
  %h = matmul %x, %w1 : f32[6, 8]
  %b = broadcast [1] %b1 : f32[6, 8]
  %hb = add %h, %b : f32[6, 8]
  %r = relu %hb : f32[6, 8]
  %y = matmul %r, %w2 : f32[6, 1]
  %loss = reduce sum [0, 1] %y : f32[]
output %loss "loss"
//= form traced
//= param %w1 "up.weight" frozen : f32[4, 8]
//= param %b1 "up.bias" frozen : f32[8]
//= param %w2 "down.weight" : f32[8, 1]
//= input %x donated : f32[6, 4]
//=   %h = matmul %x, %w1 : f32[6, 8]
//=   %b = broadcast [1] %b1 : f32[6, 8]
//=   %hb = add %h, %b : f32[6, 8]
//=   %r = relu %hb : f32[6, 8]
//=   %y = matmul %r, %w2 : f32[6, 1]
//=   %loss = reduce sum [0, 1] %y : f32[]
//=   %c = constant 1.0 : f32[] phase backward_input
//=   %y.grad = broadcast [] %c : f32[6, 1] phase backward_input
//=   %w2.grad = dot_general contract [0]x[0] %r, %y.grad : f32[8, 1] phase backward_weight
//=   %c.1 = constant 0.1 : f32[] phase update
//=   %broadcast.1 = broadcast [] %c.1 : f32[8, 1] phase update
//=   %mul = mul %w2.grad, %broadcast.1 : f32[8, 1] phase update
//=   %down.weight = sub %w2, %mul : f32[8, 1] phase update
//= output %loss
//= output %down.weight -> "down.weight"
