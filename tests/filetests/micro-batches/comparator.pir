test micro-batches
// A sort of gradients has a phase of its own, other than the ops of its comparator.
//plan pipeline = 2
//plan microbatches = 1
form traced
func @ascending(%a: f32[], %b: f32[]) {
  %less = compare lt %a, %b : bool[]
  return %less
}
param %w "w" : f32[4, 3]
input %x : f32[8, 4]
  %y = matmul %x, %w : f32[8, 3]
  %loss = reduce sum [0, 1] %y : f32[]
  %g = mul %y, %y : f32[8, 3] phase backward_input
  %sorted = sort dim 1 stable by @ascending %g : f32[8, 3] phase backward_input
  %w.grad = dot_general contract [0]x[0] %x, %sorted : f32[4, 3] phase backward_weight
  %new = sub %w, %w.grad : f32[4, 3] phase update
output %loss
output %new -> "w"
//= form traced
//= func @ascending.2(%parts.a: f32[], %parts.b: f32[]) {
//=   %less = compare lt %parts.a, %parts.b : bool[]
//=   return %less
//= }
//= func @micro_batch(%parts.carried: i32[], %parts.carried.1: f32[], %parts.carried.2: f32[4, 3], %parts.carried.3: f32[4, 3], %parts.carried.4: f32[8, 1, 4]) {
//=   %parts.c.3 = constant 0 : i32[]
//=   %parts.turn = dynamic_slice [8, 1, 4] %parts.carried.4, %parts.c.3, %parts.carried, %parts.c.3 : f32[8, 1, 4]
//=   %parts.reshape.1 = reshape %parts.turn : f32[8, 4]
//=   %y = matmul %parts.reshape.1, %parts.carried.3 : f32[8, 3]
//=   %loss = reduce sum [0, 1] %y : f32[]
//=   %parts.add = add %parts.carried.1, %loss : f32[]
//=   %g = mul %y, %y : f32[8, 3] phase backward_input
//=   %sorted = sort dim 1 stable by @ascending.2 %g : f32[8, 3] phase backward_input
//=   %w.grad = dot_general contract [0]x[0] %parts.reshape.1, %sorted : f32[4, 3] phase backward_weight
//=   %parts.add.1 = add %parts.carried.2, %w.grad : f32[4, 3] phase backward_weight
//=   %parts.c.4 = constant 1 : i32[] phase backward_weight
//=   %parts.add.2 = add %parts.carried, %parts.c.4 : i32[] phase backward_weight
//=   return %parts.add.2 "o0", %parts.add "o1", %parts.add.1 "o2", %parts.carried.3 "o3", %parts.carried.4 "o4"
//= }
//= param %w "w" : f32[4, 3]
//= input %x : f32[8, 4]
//=   %parts.c = constant 0 : i32[] phase backward_weight
//=   %parts.c.1 = constant 0.0 : f32[] phase backward_weight
//=   %parts.c.2 = constant 0.0 : f32[4, 3] phase backward_weight
//=   %parts.reshape = reshape %x : f32[8, 1, 4]
//=   %parts.sum, %parts.sum.1, %parts.sum.2, %parts.sum.3, %parts.sum.4 = loop 1 of @micro_batch %parts.c, %parts.c.1, %parts.c.2, %w, %parts.reshape : i32[], f32[], f32[4, 3], f32[4, 3], f32[8, 1, 4] phase backward_weight
//=   %new = sub %w, %parts.sum.2 : f32[4, 3] phase update
//= output %parts.sum.1 "loss"
//= output %new -> "w"
