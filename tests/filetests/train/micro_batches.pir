test train
// The batch is processed in a loop over micro-batches, which accumulates the loss and the gradients.
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
//= func @micro_batch(%parts.carried: i32[], %parts.carried.1: f32[], %parts.carried.2: f32[4], %parts.carried.3: f32[4], %parts.carried.4: f32[2, 3, 4]) {
//=   %parts.c.3 = constant 0 : i32[]
//=   %parts.turn = dynamic_slice [2, 1, 4] %parts.carried.4, %parts.c.3, %parts.carried, %parts.c.3 : f32[2, 1, 4]
//=   %parts.reshape.1 = reshape %parts.turn : f32[2, 4]
//=   %b = broadcast [1] %parts.carried.3 : f32[2, 4]
//=   %xw = mul %parts.reshape.1, %b : f32[2, 4]
//=   %sum = reduce sum [0, 1] %xw : f32[]
//=   %n = constant 6.0 : f32[]
//=   %loss = div %sum, %n : f32[]
//=   %parts.add = add %parts.carried.1, %loss : f32[]
//=   %c = constant 1.0 : f32[] phase backward_input
//=   %sum.grad = div %c, %n : f32[] phase backward_input
//=   %xw.grad = broadcast [] %sum.grad : f32[2, 4] phase backward_input
//=   %b.grad = mul %xw.grad, %parts.reshape.1 : f32[2, 4] phase backward_weight
//=   %w.grad = reduce sum [0] %b.grad : f32[4] phase backward_weight
//=   %parts.add.1 = add %parts.carried.2, %w.grad : f32[4] phase backward_weight
//=   %parts.c.5 = constant 1 : i32[] phase backward_weight
//=   %parts.add.2 = add %parts.carried, %parts.c.5 : i32[] phase backward_weight
//=   return %parts.add.2 "o0", %parts.add "o1", %parts.add.1 "o2", %parts.carried.3 "o3", %parts.carried.4 "o4"
//= }
//= param %w "weight" : f32[4]
//= input %x donated : f32[6, 4]
//=   %parts.c = constant 0 : i32[] phase backward_weight
//=   %parts.c.1 = constant 0.0 : f32[] phase backward_weight
//=   %parts.c.2 = constant 0.0 : f32[4] phase backward_weight
//=   %parts.reshape = reshape %x : f32[2, 3, 4]
//=   %parts.sum.1, %parts.sum.2, %parts.sum.3, %parts.sum.4, %parts.sum.5 = loop 3 of @micro_batch %parts.c, %parts.c.1, %parts.c.2, %w, %parts.reshape : i32[], f32[], f32[4], f32[4], f32[2, 3, 4] phase backward_weight
//=   %c.1 = constant 0.1 : f32[] phase update
//=   %broadcast.1 = broadcast [] %c.1 : f32[4] phase update
//=   %mul.1 = mul %parts.sum.3, %broadcast.1 : f32[4] phase update
//=   %weight = sub %w, %mul.1 : f32[4] phase update
//= output %parts.sum.2 "loss"
//= output %weight -> "weight"
