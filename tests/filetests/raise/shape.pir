test raise
// A softmax of one element, one of zero elements, and one along the middle one of five dimensions in the body of a loop.
form traced
func @turn(%h: f32[2, 1, 3, 1, 5]) {
  %m = reduce max [2] %h : f32[2, 1, 1, 5]
  %s = broadcast [0, 1, 3, 4] %m : f32[2, 1, 3, 1, 5]
  %d = sub %h, %s : f32[2, 1, 3, 1, 5]
  %e = exp %d : f32[2, 1, 3, 1, 5]
  %t = reduce sum [2] %e : f32[2, 1, 1, 5]
  %u = broadcast [0, 1, 3, 4] %t : f32[2, 1, 3, 1, 5]
  %y = div %e, %u : f32[2, 1, 3, 1, 5]
  return %y "y"
}
input %one : f32[1]
input %none : f32[7, 0]
input %high : f32[2, 1, 3, 1, 5]
  %m.1 = reduce max [0] %one : f32[]
  %s.1 = broadcast [] %m.1 : f32[1]
  %d.1 = sub %one, %s.1 : f32[1]
  %e.1 = exp %d.1 : f32[1]
  %t.1 = reduce sum [0] %e.1 : f32[]
  %u.1 = broadcast [] %t.1 : f32[1]
  %single = div %e.1, %u.1 : f32[1]
  %m.2 = reduce max [1] %none : f32[7]
  %s.2 = broadcast [0] %m.2 : f32[7, 0]
  %d.2 = sub %none, %s.2 : f32[7, 0]
  %e.2 = exp %d.2 : f32[7, 0]
  %t.2 = reduce sum [1] %e.2 : f32[7]
  %u.2 = broadcast [0] %t.2 : f32[7, 0]
  %nothing = div %e.2, %u.2 : f32[7, 0]
  %looped = loop 3 of @turn %high : f32[2, 1, 3, 1, 5]
output %single
output %nothing
output %looped
//= form traced
//= func @turn(%h: f32[2, 1, 3, 1, 5]) {
//=   %y = softmax dim 2 %h : f32[2, 1, 3, 1, 5]
//=   return %y
//= }
//= input %one : f32[1]
//= input %none : f32[7, 0]
//= input %high : f32[2, 1, 3, 1, 5]
//=   %single = softmax dim 0 %one : f32[1]
//=   %nothing = softmax dim 1 %none : f32[7, 0]
//=   %looped = loop 3 of @turn %high : f32[2, 1, 3, 1, 5]
//= output %single
//= output %nothing
//= output %looped
