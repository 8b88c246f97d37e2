test micro-batches
// The example of the pass's documentation.
//plan pipeline = 2
//plan microbatches = 2
form traced
param %w "w" : f32[4, 3]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 3]
output %y
//= form traced
//= func @micro_batch(%parts.carried: i32[], %parts.carried.1: f32[4, 2, 3], %parts.carried.2: f32[4, 3], %parts.carried.3: f32[4, 2, 4]) {
//=   %parts.c.2 = constant 0 : i32[]
//=   %parts.turn = dynamic_slice [4, 1, 4] %parts.carried.3, %parts.c.2, %parts.carried, %parts.c.2 : f32[4, 1, 4]
//=   %parts.reshape.1 = reshape %parts.turn : f32[4, 4]
//=   %y = matmul %parts.reshape.1, %parts.carried.2 : f32[4, 3]
//=   %parts.reshape.2 = reshape %y : f32[4, 1, 3]
//=   %parts.c.3 = constant 0 : i32[]
//=   %parts.stack = dynamic_update_slice %parts.carried.1, %parts.reshape.2, %parts.c.3, %parts.carried, %parts.c.3 : f32[4, 2, 3]
//=   %parts.c.4 = constant 1 : i32[]
//=   %parts.add = add %parts.carried, %parts.c.4 : i32[]
//=   return %parts.add "o0", %parts.stack "o1", %parts.carried.2 "o2", %parts.carried.3 "o3"
//= }
//= param %w "w" : f32[4, 3]
//= input %x : f32[8, 4]
//=   %parts.c = constant 0 : i32[]
//=   %parts.c.1 = constant 0.0 : f32[4, 2, 3]
//=   %parts.reshape = reshape %x : f32[4, 2, 4]
//=   %parts.sum, %parts.sum.1, %parts.sum.2, %parts.sum.3 = loop 2 of @micro_batch %parts.c, %parts.c.1, %w, %parts.reshape : i32[], f32[4, 2, 3], f32[4, 3], f32[4, 2, 4]
//=   %parts.reshape.3 = reshape %parts.sum.1 : f32[8, 3]
//= output %parts.reshape.3 "y"
