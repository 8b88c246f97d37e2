test micro-batches
// The results are divided by the number of positive inputs of the batch, which is computed once.
//plan pipeline = 1
//plan microbatches = 2
form traced
param %w "w" : f32[4, 3]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 3]
  %zeros = constant 0.0 : f32[8, 4]
  %positive = compare gt %x, %zeros : bool[8, 4]
  %ones = convert %positive : f32[8, 4]
  %count = reduce sum [0, 1] %ones : f32[]
  %wide = broadcast [] %count : f32[8, 3]
  %shares = div %y, %wide : f32[8, 3]
output %shares
//= form traced
//= func @micro_batch(%parts.carried: i32[], %parts.carried.1: f32[4, 2, 3], %parts.carried.2: f32[4, 3], %parts.carried.3: f32[4, 2, 4], %parts.carried.4: f32[]) {
//=   %parts.c.2 = constant 0 : i32[]
//=   %parts.turn = dynamic_slice [4, 1, 4] %parts.carried.3, %parts.c.2, %parts.carried, %parts.c.2 : f32[4, 1, 4]
//=   %parts.reshape.1 = reshape %parts.turn : f32[4, 4]
//=   %y = matmul %parts.reshape.1, %parts.carried.2 : f32[4, 3]
//=   %wide = broadcast [] %parts.carried.4 : f32[4, 3]
//=   %shares = div %y, %wide : f32[4, 3]
//=   %parts.reshape.2 = reshape %shares : f32[4, 1, 3]
//=   %parts.c.3 = constant 0 : i32[]
//=   %parts.stack = dynamic_update_slice %parts.carried.1, %parts.reshape.2, %parts.c.3, %parts.carried, %parts.c.3 : f32[4, 2, 3]
//=   %parts.c.4 = constant 1 : i32[]
//=   %parts.add = add %parts.carried, %parts.c.4 : i32[]
//=   return %parts.add "o0", %parts.stack "o1", %parts.carried.2 "o2", %parts.carried.3 "o3", %parts.carried.4 "o4"
//= }
//= param %w "w" : f32[4, 3]
//= input %x : f32[8, 4]
//=   %parts.constant = constant 0.0 : f32[8, 4]
//=   %parts.compare = compare gt %x, %parts.constant : bool[8, 4]
//=   %parts.convert = convert %parts.compare : f32[8, 4]
//=   %parts.reduce = reduce sum [0, 1] %parts.convert : f32[]
//=   %parts.c = constant 0 : i32[]
//=   %parts.c.1 = constant 0.0 : f32[4, 2, 3]
//=   %parts.reshape = reshape %x : f32[4, 2, 4]
//=   %parts.sum, %parts.sum.1, %parts.sum.2, %parts.sum.3, %parts.sum.4 = loop 2 of @micro_batch %parts.c, %parts.c.1, %w, %parts.reshape, %parts.reduce : i32[], f32[4, 2, 3], f32[4, 3], f32[4, 2, 4], f32[]
//=   %parts.reshape.3 = reshape %parts.sum.1 : f32[8, 3]
//= output %parts.reshape.3 "shares"
