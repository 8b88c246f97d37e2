test train
// No gradient flows through `stop_gradient`, which the step does not contain.
//plan train = "sgd?lr=0.1"
form traced
param %w "w" : f32[4, 4]
param %v "v" : f32[4]
input %x : f32[8, 4]
  %h = matmul %x, %w : f32[8, 4]
  %s = stop_gradient %h : f32[8, 4]
  %b = broadcast [1] %v : f32[8, 4]
  %y = mul %s, %b : f32[8, 4]
  %z = add %y, %h : f32[8, 4]
  %loss = reduce sum [0, 1] %z : f32[]
output %loss "loss"
output %s "hidden"
//= form traced
//= param %w "w" : f32[4, 4]
//= param %v "v" : f32[4]
//= input %x donated : f32[8, 4]
//=   %h = matmul %x, %w : f32[8, 4]
//=   %b = broadcast [1] %v : f32[8, 4]
//=   %y = mul %h, %b : f32[8, 4]
//=   %z = add %y, %h : f32[8, 4]
//=   %loss = reduce sum [0, 1] %z : f32[]
//=   %c = constant 1.0 : f32[] phase backward_input
//=   %z.grad = broadcast [] %c : f32[8, 4] phase backward_input
//=   %b.grad = mul %z.grad, %h : f32[8, 4] phase backward_weight
//=   %v.grad = reduce sum [0] %b.grad : f32[4] phase backward_weight
//=   %w.grad = dot_general contract [0]x[0] %x, %z.grad : f32[4, 4] phase backward_weight
//=   %c.1 = constant 0.1 : f32[] phase update
//=   %broadcast.1 = broadcast [] %c.1 : f32[4, 4] phase update
//=   %mul.1 = mul %w.grad, %broadcast.1 : f32[4, 4] phase update
//=   %broadcast.2 = broadcast [] %c.1 : f32[4] phase update
//=   %mul.2 = mul %v.grad, %broadcast.2 : f32[4] phase update
//=   %w.1 = sub %w, %mul.1 : f32[4, 4] phase update
//=   %v.1 = sub %v, %mul.2 : f32[4] phase update
//= output %loss
//= output %h "hidden"
//= output %w.1 "w" -> "w"
//= output %v.1 "v" -> "v"
