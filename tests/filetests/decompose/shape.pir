test decompose
// Seven elements over three devices, along the middle one of five dimensions in the body of a loop; a softmax of one
// element, and one of zero elements.
form planned
mesh @m = [a=3]
func @turn(%h: f32[1, 2, 7@a, 1, 1]) {
  %next = log_softmax dim 2 %h : f32[1, 2, 7@a, 1, 1]
  return %next "next"
}
input %x : f32[1, 2, 7@a, 1, 1]
input %one : f32[3@a, 1]
input %none : f32[2, 0@a]
  %looped = loop 3 of @turn %x : f32[1, 2, 7@a, 1, 1]
  %single = softmax dim 1 %one : f32[3@a, 1]
  %nothing = softmax dim 1 %none : f32[2, 0@a]
output %looped
output %single
output %nothing
//= form planned
//= mesh @m = [a=3]
//= func @turn(%h: f32[1, 2, 7@a, 1, 1]) {
//=   %max = reduce max [2] %h : f32[1, 2, 1, 1] whole
//=   %broadcast = broadcast [0, 1, 3, 4] %max : f32[1, 2, 7, 1, 1] whole
//=   %sub = sub %h, %broadcast : f32[1, 2, 7@a, 1, 1]
//=   %exp = exp %sub : f32[1, 2, 7@a, 1, 1]
//=   %sum = reduce sum [2] %exp : f32[1, 2, 1, 1] whole
//=   %log = log %sum : f32[1, 2, 1, 1] whole
//=   %broadcast.1 = broadcast [0, 1, 3, 4] %log : f32[1, 2, 7, 1, 1] whole
//=   %sub.1 = sub %sub, %broadcast.1 : f32[1, 2, 7@a, 1, 1]
//=   return %sub.1 "next"
//= }
//= input %x : f32[1, 2, 7@a, 1, 1]
//= input %one : f32[3@a, 1]
//= input %none : f32[2, 0@a]
//=   %looped = loop 3 of @turn %x : f32[1, 2, 7@a, 1, 1]
//=   %single = softmax dim 1 %one : f32[3@a, 1]
//=   %max.1 = reduce max [1] %none : f32[2] whole
//=   %broadcast.2 = broadcast [0] %max.1 : f32[2, 0] whole
//=   %sub.2 = sub %none, %broadcast.2 : f32[2, 0@a]
//=   %exp.1 = exp %sub.2 : f32[2, 0@a]
//=   %sum.1 = reduce sum [1] %exp.1 : f32[2] whole
//=   %broadcast.3 = broadcast [0] %sum.1 : f32[2, 0] whole
//=   %div = div %exp.1, %broadcast.3 : f32[2, 0@a]
//= output %looped
//= output %single
//= output %div "nothing"
