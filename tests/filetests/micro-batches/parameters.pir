test micro-batches
// Functions of parameters are computed once, after the loop, and a parameter that is returned is not carried. The base
// of a scatter is added in the first micro-batch only.
//plan pipeline = 1
//plan microbatches = 2
form traced
param %w "w" : f32[4, 3]
param %e "e" : f32[10, 4]
input %x : f32[8, 4]
input %rows : i32[8, 1]
  %y = matmul %x, %w : f32[8, 3]
  %square = mul %w, %w : f32[4, 3]
  %norm = reduce sum [0, 1] %square : f32[]
  %sums = scatter sum window [1] inserted [0] map [0] vector 1 %e, %rows, %x : f32[10, 4]
output %y
output %norm
output %w "same"
output %sums
//= form traced
//= func @micro_batch(%parts.carried: i32[], %parts.carried.1: f32[4, 2, 3], %parts.carried.2: f32[10, 4], %parts.carried.3: f32[4, 3], %parts.carried.4: f32[10, 4], %parts.carried.5: f32[4, 2, 4], %parts.carried.6: i32[4, 2, 1]) {
//=   %parts.c.3 = constant 0 : i32[]
//=   %parts.turn = dynamic_slice [4, 1, 4] %parts.carried.5, %parts.c.3, %parts.carried, %parts.c.3 : f32[4, 1, 4]
//=   %parts.reshape.2 = reshape %parts.turn : f32[4, 4]
//=   %parts.c.4 = constant 0 : i32[]
//=   %parts.turn.1 = dynamic_slice [4, 1, 1] %parts.carried.6, %parts.c.4, %parts.carried, %parts.c.4 : i32[4, 1, 1]
//=   %parts.reshape.3 = reshape %parts.turn.1 : i32[4, 1]
//=   %y = matmul %parts.reshape.2, %parts.carried.3 : f32[4, 3]
//=   %parts.reshape.4 = reshape %y : f32[4, 1, 3]
//=   %parts.c.5 = constant 0 : i32[]
//=   %parts.stack = dynamic_update_slice %parts.carried.1, %parts.reshape.4, %parts.c.5, %parts.carried, %parts.c.5 : f32[4, 2, 3]
//=   %parts.c.6 = constant 0 : i32[]
//=   %parts.eq = compare eq %parts.carried, %parts.c.6 : bool[]
//=   %parts.broadcast = broadcast [] %parts.eq : bool[10, 4]
//=   %parts.c.7 = constant -0.0 : f32[10, 4]
//=   %parts.select = select %parts.broadcast, %parts.carried.4, %parts.c.7 : f32[10, 4]
//=   %sums = scatter sum window [1] inserted [0] map [0] vector 1 %parts.select, %parts.reshape.3, %parts.reshape.2 : f32[10, 4]
//=   %parts.add = add %parts.carried.2, %sums : f32[10, 4]
//=   %parts.c.8 = constant 1 : i32[]
//=   %parts.add.1 = add %parts.carried, %parts.c.8 : i32[]
//=   return %parts.add.1 "o0", %parts.stack "o1", %parts.add "o2", %parts.carried.3 "o3", %parts.carried.4 "o4", %parts.carried.5 "o5", %parts.carried.6 "o6"
//= }
//= param %w "w" : f32[4, 3]
//= param %e "e" : f32[10, 4]
//= input %x : f32[8, 4]
//= input %rows : i32[8, 1]
//=   %parts.c = constant 0 : i32[]
//=   %parts.c.1 = constant 0.0 : f32[4, 2, 3]
//=   %parts.c.2 = constant 0.0 : f32[10, 4]
//=   %parts.reshape = reshape %x : f32[4, 2, 4]
//=   %parts.reshape.1 = reshape %rows : i32[4, 2, 1]
//=   %parts.sum, %parts.sum.1, %parts.sum.2, %parts.sum.3, %parts.sum.4, %parts.sum.5, %parts.sum.6 = loop 2 of @micro_batch %parts.c, %parts.c.1, %parts.c.2, %w, %e, %parts.reshape, %parts.reshape.1 : i32[], f32[4, 2, 3], f32[10, 4], f32[4, 3], f32[10, 4], f32[4, 2, 4], i32[4, 2, 1]
//=   %parts.reshape.5 = reshape %parts.sum.1 : f32[8, 3]
//=   %square = mul %w, %w : f32[4, 3]
//=   %norm = reduce sum [0, 1] %square : f32[]
//= output %parts.reshape.5 "y"
//= output %norm
//= output %w "same"
//= output %parts.sum.2 "sums"
