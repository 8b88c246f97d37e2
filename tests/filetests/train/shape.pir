test train
// A scalar parameter that multiplies in each iteration of a loop, one of a single element, and one with zero elements, on
// which no loss depends: it is unchanged. The batch is one example.
//plan train = "sgd?lr=0.5"
form traced
func @turn(%h: f32[], %s: f32[]) {
  %next = mul %h, %s : f32[]
  return %next "next", %s "s"
}
param %s "scale" : f32[]
param %b "bias" : f32[1]
param %none "none" : f32[0]
input %x : f32[1, 1]
  %begin = reduce sum [0, 1] %x : f32[]
  %looped, %s.1 = loop 3 of @turn %begin, %s : f32[], f32[]
  %bias = reduce sum [0] %b : f32[]
  %nothing = reduce sum [0] %none : f32[]
  %sum = add %looped, %bias : f32[]
  %loss = add %sum, %nothing : f32[]
output %loss "loss"
//= form traced
//= func @turn_kept(%h: f32[], %s: f32[], %round.1: i32[], %h.all.1: f32[3]) {
//=   %c.2 = constant 1 : i32[]
//=   %add.2 = add %round.1, %c.2 : i32[]
//=   %reshape = reshape %h : f32[1]
//=   %kept = dynamic_update_slice %h.all.1, %reshape, %round.1 : f32[3]
//=   %next = mul %h, %s : f32[]
//=   return %next, %s, %add.2, %kept
//= }
//= func @turn_backward(%round: i32[], %h.grad: f32[], %s.grad: f32[], %s: f32[], %h.all: f32[3]) {
//=   %c.1 = constant -1 : i32[] phase backward_input
//=   %add.1 = add %round, %c.1 : i32[] phase backward_input
//=   %then = dynamic_slice [1] %h.all, %round : f32[1] phase backward_input
//=   %h = reshape %then : f32[] phase backward_input
//=   %h.grad.1 = mul %h.grad, %s : f32[] phase backward_input
//=   %mul.1 = mul %h.grad, %h : f32[] phase backward_weight
//=   %s.grad.1 = add %s.grad, %mul.1 : f32[] phase backward_weight
//=   return %add.1, %h.grad.1, %s.grad.1, %s, %h.all
//= }
//= param %s "scale" : f32[]
//= param %b "bias" : f32[1]
//= param %none "none" : f32[0]
//= input %x donated : f32[1, 1]
//=   %begin = reduce sum [0, 1] %x : f32[]
//=   %c.3 = constant 0 : i32[]
//=   %c.4 = constant 0.0 : f32[3]
//=   %looped, %s.1, %rounds, %all = loop 3 of @turn_kept %begin, %s, %c.3, %c.4 : f32[], f32[], i32[], f32[3]
//=   %bias = reduce sum [0] %b : f32[]
//=   %nothing = reduce sum [0] %none : f32[]
//=   %sum = add %looped, %bias : f32[]
//=   %loss = add %sum, %nothing : f32[]
//=   %c = constant 1.0 : f32[] phase backward_input
//=   %b.grad = broadcast [] %c : f32[1] phase backward_weight
//=   %c.5 = constant 2 : i32[] phase backward_input
//=   %c.6 = constant 0.0 : f32[] phase backward_input
//=   %back, %back.1, %s.grad.2, %back.3, %back.4 = loop 3 of @turn_backward %c.5, %c, %c.6, %s, %all : i32[], f32[], f32[], f32[], f32[3] phase backward_input
//=   %c.7 = constant 0.5 : f32[] phase update
//=   %broadcast.1 = broadcast [] %c.7 : f32[] phase update
//=   %mul.2 = mul %s.grad.2, %broadcast.1 : f32[] phase update
//=   %broadcast.2 = broadcast [] %c.7 : f32[1] phase update
//=   %mul.3 = mul %b.grad, %broadcast.2 : f32[1] phase update
//=   %scale = sub %s, %mul.2 : f32[] phase update
//=   %bias.1 = sub %b, %mul.3 : f32[1] phase update
//= output %loss
//= output %scale -> "scale"
//= output %bias.1 "bias" -> "bias"
