test micro-batches
// Seven scalar examples, one per micro-batch, with a model that contains a loop.
//plan pipeline = 1
//plan microbatches = 7
form traced
func @turn(%h: f32[7], %w: f32[7]) {
  %next = mul %h, %w : f32[7]
  return %next "next", %w "w"
}
param %w "w" : f32[]
input %x : f32[7]
  %wide = broadcast [] %w : f32[7]
  %y, %wide.1 = loop 3 of @turn %x, %wide : f32[7], f32[7]
output %y
//= form traced
//= func @turn.2(%parts.h: f32[1], %parts.w: f32[1]) {
//=   %next = mul %parts.h, %parts.w : f32[1]
//=   return %next, %parts.w "w"
//= }
//= func @micro_batch(%parts.carried: i32[], %parts.carried.1: f32[1, 7], %parts.carried.2: f32[], %parts.carried.3: f32[1, 7]) {
//=   %parts.c.2 = constant 0 : i32[]
//=   %parts.turn = dynamic_slice [1, 1] %parts.carried.3, %parts.c.2, %parts.carried : f32[1, 1]
//=   %parts.reshape.1 = reshape %parts.turn : f32[1]
//=   %wide = broadcast [] %parts.carried.2 : f32[1]
//=   %y, %wide.1 = loop 3 of @turn.2 %parts.reshape.1, %wide : f32[1], f32[1]
//=   %parts.reshape.2 = reshape %y : f32[1, 1]
//=   %parts.c.3 = constant 0 : i32[]
//=   %parts.stack = dynamic_update_slice %parts.carried.1, %parts.reshape.2, %parts.c.3, %parts.carried : f32[1, 7]
//=   %parts.c.4 = constant 1 : i32[]
//=   %parts.add = add %parts.carried, %parts.c.4 : i32[]
//=   return %parts.add "o0", %parts.stack "o1", %parts.carried.2 "o2", %parts.carried.3 "o3"
//= }
//= param %w "w" : f32[]
//= input %x : f32[7]
//=   %parts.c = constant 0 : i32[]
//=   %parts.c.1 = constant 0.0 : f32[1, 7]
//=   %parts.reshape = reshape %x : f32[1, 7]
//=   %parts.sum, %parts.sum.1, %parts.sum.2, %parts.sum.3 = loop 7 of @micro_batch %parts.c, %parts.c.1, %w, %parts.reshape : i32[], f32[1, 7], f32[], f32[1, 7]
//=   %parts.reshape.3 = reshape %parts.sum.1 : f32[7]
//= output %parts.reshape.3 "y"
