test localize
// In the body of a loop, a window fetches a halo and masks elements beyond the ends; zero rows, five dimensions,
// device positions, and a scalar.
form explicit
mesh @m = [a=3]
func @turn(%h: f32[1, 7@a, 1]) {
  %next = reduce_window sum [(1), (3 pad 1 1), (1)] %h : f32[1, 7@a, 1]
  return %next "next"
}
input %x : f32[1, 7@a, 1]
input %none : f32[0@a, 5]
input %deep : f32[1, 2, 7@a, 1, 1]
input %s : f32[] whole
  %looped = loop 3 of @turn %x : f32[1, 7@a, 1]
  %sum = reduce sum [0] %none : f32[5] sum(a)
  %sum.1 = all_reduce sum over a %sum : f32[5] whole
  %max = reduce max [1, 2] %deep : f32[1, 1, 1] max(a)
  %max.1 = all_reduce max over a %max : f32[1, 1, 1] whole
  %place = iota dim 0 : i32[7@a]
  %wide = broadcast [] %s : f32[7@a, 2]
output %looped
output %sum.1
output %max.1
output %place
output %wide
//= form local
//= mesh @m = [a=3]
//= func @turn(%h: f32[1, 3, 1]) {
//=   %range = slice [0, 2, 0] to [1, 3, 1] %h : f32[1, 1, 1]
//=   %from = permute over a [0->1, 1->2] %range : f32[1, 1, 1]
//=   %range.1 = slice [0, 0, 0] to [1, 1, 1] %h : f32[1, 1, 1]
//=   %from.1 = permute over a [1->0, 2->1] %range.1 : f32[1, 1, 1]
//=   %received = concatenate dim 1 %from, %h, %from.1 : f32[1, 5, 1]
//=   %constant = constant [-1, 2, 5] : i32[3]
//=   %position = piece_start of 3 over a : i32[]
//=   %entry = dynamic_slice [1] %constant, %position : i32[1]
//=   %reshape = reshape %entry : i32[]
//=   %broadcast = broadcast [] %reshape : i32[1, 5, 1]
//=   %i = iota dim 1 : i32[1, 5, 1]
//=   %add = add %i, %broadcast : i32[1, 5, 1]
//=   %c = constant 0 : i32[1, 5, 1]
//=   %in = compare ge %add, %c : bool[1, 5, 1]
//=   %c.1 = constant 7 : i32[1, 5, 1]
//=   %in.1 = compare lt %add, %c.1 : bool[1, 5, 1]
//=   %and = and %in, %in.1 : bool[1, 5, 1]
//=   %c.2 = constant 0.0 : f32[1, 5, 1]
//=   %padded = select %and, %received, %c.2 : f32[1, 5, 1]
//=   %next = reduce_window sum [(1), (3), (1)] %padded : f32[1, 3, 1]
//=   return %next
//= }
//= input %x : f32[1, 7@a, 1]
//= input %none : f32[0@a, 5]
//= input %deep : f32[1, 2, 7@a, 1, 1]
//= input %s : f32[] whole
//=   %looped = loop 3 of @turn %x : f32[1, 7@a, 1]
//=   %sum = reduce sum [0] %none : f32[5]
//=   %sum.1 = all_reduce sum over a %sum : f32[5] whole
//=   %deep.1 = mask lowest dim 2 of 7 over a %deep : f32[1, 2, 3, 1, 1]
//=   %max = reduce max [1, 2] %deep.1 : f32[1, 1, 1]
//=   %max.1 = all_reduce max over a %max : f32[1, 1, 1] whole
//=   %iota = iota dim 0 : i32[3]
//=   %start = piece_start of 7 over a : i32[]
//=   %start.1 = broadcast [] %start : i32[3]
//=   %place = add %iota, %start.1 : i32[7@a]
//=   %wide = broadcast [] %s : f32[7@a, 2]
//= output %looped
//= output %sum.1
//= output %max.1
//= output %place
//= output %wide
