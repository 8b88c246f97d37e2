test simplify
// Scalars, zero elements, five dimensions, several of size 1, integers, and the body of a loop.
form traced
func @turn(%h: f32[7, 1]) {
  %a = neg %h : f32[7, 1]
  %b = neg %a : f32[7, 1]
  %next = exp %b : f32[7, 1]
  return %next "next"
}
input %s : f32[]
input %none : f32[0, 5]
input %deep : f32[1, 7, 1, 2, 1]
input %i : i32[7]
input %h : f32[7, 1]
  %one = constant 1.0 : f32[]
  %s.1 = mul %s, %one : f32[]
  %s.2 = exp %s.1 : f32[]
  %n.1 = neg %none : f32[0, 5]
  %n.2 = neg %n.1 : f32[0, 5]
  %n.3 = exp %n.2 : f32[0, 5]
  %d.1 = transpose [4, 3, 2, 1, 0] %deep : f32[1, 2, 1, 7, 1]
  %d.2 = exp %d.1 : f32[1, 2, 1, 7, 1]
  %d.3 = transpose [4, 3, 2, 1, 0] %d.2 : f32[1, 7, 1, 2, 1]
  %i.1 = neg %i : i32[7]
  %i.2 = neg %i.1 : i32[7]
  %i.3 = mul %i.2, %i : i32[7]
  %looped = loop 3 of @turn %h : f32[7, 1]
output %s.2
output %n.3
output %d.3
output %i.3
output %looped
//= form traced
//= func @turn(%h: f32[7, 1]) {
//=   %next = exp %h : f32[7, 1]
//=   return %next
//= }
//= input %s : f32[]
//= input %none : f32[0, 5]
//= input %deep : f32[1, 7, 1, 2, 1]
//= input %i : i32[7]
//= input %h : f32[7, 1]
//=   %s.2 = exp %s : f32[]
//=   %n.3 = exp %none : f32[0, 5]
//=   %d.3 = exp %deep : f32[1, 7, 1, 2, 1]
//=   %i.3 = mul %i, %i : i32[7]
//=   %looped = loop 3 of @turn %h : f32[7, 1]
//= output %s.2
//= output %n.3
//= output %d.3
//= output %i.3
//= output %looped
