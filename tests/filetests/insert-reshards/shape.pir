test insert-reshards
// Sums of seven elements, of zero elements, and over a dimension of one element, which is gathered; five dimensions that
// the operands shard differently; and a weight that is gathered in the body of a loop.
form planned
mesh @m = [a=3]
func @turn(%h: f32[7@a, 5], %w: f32[5@a, 5]) {
  %next = matmul %h, %w : f32[7@a, 5]
  return %next "next", %w "w"
}
input %x : f32[7@a]
input %none : f32[0@a]
input %one : f32[1@a]
input %deep : f32[1, 7@a, 1, 5, 1]
input %other : f32[1, 7, 1, 5@a, 1]
input %h : f32[7@a, 5]
input %w : f32[5@a, 5]
  %sum = reduce sum [0] %x : f32[] whole
  %zero = reduce sum [0] %none : f32[] whole
  %single = reduce sum [0] %one : f32[] whole
  %both = add %deep, %other : f32[1, 7, 1, 5@a, 1]
  %looped, %w.1 = loop 3 of @turn %h, %w : f32[7@a, 5], f32[5@a, 5]
output %sum
output %zero
output %single
output %both
output %looped
//= form explicit
//= mesh @m = [a=3]
//= func @turn(%h: f32[7@a, 5], %w: f32[5@a, 5]) {
//=   %w.2 = reshard %w : f32[5, 5] whole
//=   %next = matmul %h, %w.2 : f32[7@a, 5]
//=   return %next, %w
//= }
//= input %x : f32[7@a]
//= input %none : f32[0@a]
//= input %one : f32[1@a]
//= input %deep : f32[1, 7@a, 1, 5, 1]
//= input %other : f32[1, 7, 1, 5@a, 1]
//= input %h : f32[7@a, 5]
//= input %w : f32[5@a, 5]
//=   %sum = reduce sum [0] %x : f32[] sum(a)
//=   %zero = reduce sum [0] %none : f32[] sum(a)
//=   %one.1 = reshard %one : f32[1] whole
//=   %single = reduce sum [0] %one.1 : f32[] whole
//=   %deep.1 = reshard %deep : f32[1, 7, 1, 5@a, 1]
//=   %both = add %deep.1, %other : f32[1, 7, 1, 5@a, 1]
//=   %looped, %w.1 = loop 3 of @turn %h, %w : f32[7@a, 5], f32[5@a, 5]
//=   %sum.1 = reshard %sum : f32[] whole
//=   %zero.1 = reshard %zero : f32[] whole
//= output %sum.1 "sum"
//= output %zero.1 "zero"
//= output %single
//= output %both
//= output %looped
