test train
// Gradient descent: the update of each parameter is a separate output.
//plan train = "sgd?lr=0.1"
form traced
param %w1 "up.weight"   : f32[4, 8]
param %b1 "up.bias"     : f32[8]
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
//= param %w1 "up.weight" : f32[4, 8]
//= param %b1 "up.bias" : f32[8]
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
//=   %r.grad = dot_general contract [1]x[1] %y.grad, %w2 : f32[6, 8] phase backward_input
//=   %w2.grad = dot_general contract [0]x[0] %r, %y.grad : f32[8, 1] phase backward_weight
//=   %c.1 = constant 0.0 : f32[6, 8] phase backward_input
//=   %gt = compare gt %r, %c.1 : bool[6, 8] phase backward_input
//=   %hb.grad = select %gt, %r.grad, %c.1 : f32[6, 8] phase backward_input
//=   %b1.grad = reduce sum [0] %hb.grad : f32[8] phase backward_weight
//=   %w1.grad = dot_general contract [0]x[0] %x, %hb.grad : f32[4, 8] phase backward_weight
//=   %c.2 = constant 0.1 : f32[] phase update
//=   %broadcast.1 = broadcast [] %c.2 : f32[4, 8] phase update
//=   %mul = mul %w1.grad, %broadcast.1 : f32[4, 8] phase update
//=   %broadcast.2 = broadcast [] %c.2 : f32[8] phase update
//=   %mul.1 = mul %b1.grad, %broadcast.2 : f32[8] phase update
//=   %broadcast.3 = broadcast [] %c.2 : f32[8, 1] phase update
//=   %mul.2 = mul %w2.grad, %broadcast.3 : f32[8, 1] phase update
//=   %up.weight = sub %w1, %mul : f32[4, 8] phase update
//=   %up.bias = sub %b1, %mul.1 : f32[8] phase update
//=   %down.weight = sub %w2, %mul.2 : f32[8, 1] phase update
//= output %loss
//= output %up.weight -> "up.weight"
//= output %up.bias -> "up.bias"
//= output %down.weight -> "down.weight"
