test train
// The batch takes turns in a loop, which adds up the loss and the gradients.
//plan train = "sgd?lr=0.1&accumulate=3"
form traced
param %w "weight" : f32[4]
input %x : f32[6, 4]
  %b = broadcast [1] %w : f32[6, 4]
  %xw = mul %x, %b : f32[6, 4]
  %sum = reduce sum [0, 1] %xw : f32[]
  %n = constant 6.0 : f32[]
  %loss = div %sum, %n : f32[]
output %loss "loss"
//= form traced
//= func @micro_batch(%carried: i32[], %carried.1: f32[], %carried.2: f32[4], %carried.3: f32[4], %carried.4: f32[2, 3, 4]) {
//=   %c.4 = constant 0 : i32[]
//=   %turn = dynamic_slice [2, 1, 4] %carried.4, %c.4, %carried, %c.4 : f32[2, 1, 4]
//=   %reshape.1 = reshape %turn : f32[2, 4]
//=   %b = broadcast [1] %carried.3 : f32[2, 4]
//=   %xw = mul %reshape.1, %b : f32[2, 4]
//=   %sum = reduce sum [0, 1] %xw : f32[]
//=   %n = constant 6.0 : f32[]
//=   %loss = div %sum, %n : f32[]
//=   %add = add %carried.1, %loss : f32[] phase backward_weight
//=   %c = constant 1.0 : f32[] phase backward_input
//=   %sum.grad = div %c, %n : f32[] phase backward_input
//=   %xw.grad = broadcast [] %sum.grad : f32[2, 4] phase backward_input
//=   %b.grad = mul %xw.grad, %reshape.1 : f32[2, 4] phase backward_weight
//=   %w.grad = reduce sum [0] %b.grad : f32[4] phase backward_weight
//=   %add.1 = add %carried.2, %w.grad : f32[4] phase backward_weight
//=   %c.6 = constant 1 : i32[] phase backward_weight
//=   %add.2 = add %carried, %c.6 : i32[] phase backward_weight
//=   return %add.2 "o0", %add "o1", %add.1 "o2", %carried.3 "o3", %carried.4 "o4"
//= }
//= param %w "weight" : f32[4]
//= input %x donated : f32[6, 4]
//=   %c.1 = constant 0 : i32[] phase backward_weight
//=   %c.2 = constant 0.0 : f32[] phase backward_weight
//=   %c.3 = constant 0.0 : f32[4] phase backward_weight
//=   %reshape = reshape %x : f32[2, 3, 4] phase backward_weight
//=   %sum.3, %sum.4, %sum.5, %sum.6, %sum.7 = loop 3 of @micro_batch %c.1, %c.2, %c.3, %w, %reshape : i32[], f32[], f32[4], f32[4], f32[2, 3, 4] phase backward_weight
//=   %c.7 = constant 0.1 : f32[] phase update
//=   %broadcast.1 = broadcast [] %c.7 : f32[4] phase update
//=   %mul.1 = mul %sum.5, %broadcast.1 : f32[4] phase update
//=   %weight = sub %w, %mul.1 : f32[4] phase update
//= output %sum.4 "loss"
//= output %weight -> "weight"
