test canonicalise
// A scalar, dimensions of one element and of none, five dimensions, and the body of a loop.
form traced
func @turn(%h: f32[3, 1, 5]) {
  %a = neg %h : f32[3, 1, 5]
  %b = neg %a : f32[3, 1, 5]
  %t = transpose [2, 1, 0] %b : f32[5, 1, 3]
  %u = transpose [2, 1, 0] %t : f32[3, 1, 5]
  %e = exp %u : f32[3, 1, 5]
  return %e "e"
}
input %s : f32[]
input %x : f32[3, 1, 5]
input %none : f32[0, 7]
input %high : f32[1, 2, 1, 3, 1]
  %s.1 = reshape %s : f32[1]
  %s.2 = reshape %s.1 : f32[1, 1]
  %s.3 = broadcast [0, 1] %s.2 : f32[7, 5]
  %looped = loop 3 of @turn %x : f32[3, 1, 5]
  %none.1 = transpose [0, 1] %none : f32[0, 7]
  %none.2 = reshape %none.1 : f32[7, 0]
  %none.3 = reshape %none.2 : f32[0, 7]
  %high.1 = transpose [4, 1, 2, 3, 0] %high : f32[1, 2, 1, 3, 1]
  %high.2 = reshape %high.1 : f32[2, 3]
output %s.3
output %looped
output %none.3
output %high.2
//= form traced
//= func @turn(%h: f32[3, 1, 5]) {
//=   %a = neg %h : f32[3, 1, 5]
//=   %t = transpose [2, 1, 0] %h : f32[5, 1, 3]
//=   %e = exp %h : f32[3, 1, 5]
//=   return %e
//= }
//= input %s : f32[]
//= input %x : f32[3, 1, 5]
//= input %none : f32[0, 7]
//= input %high : f32[1, 2, 1, 3, 1]
//=   %s.1 = reshape %s : f32[1]
//=   %s.2 = reshape %s : f32[1, 1]
//=   %s.3 = broadcast [] %s : f32[7, 5]
//=   %looped = loop 3 of @turn %x : f32[3, 1, 5]
//=   %none.2 = reshape %none : f32[7, 0]
//=   %high.1 = transpose [4, 1, 2, 3, 0] %high : f32[1, 2, 1, 3, 1]
//=   %high.2 = reshape %high.1 : f32[2, 3]
//= output %s.3
//= output %looped
//= output %none "none.3"
//= output %high.2
