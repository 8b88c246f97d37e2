test propagate
// Five dimensions, several of size 1, a dimension of zero elements, and thirteen rows over three devices, into a loop
// and out of it. A scalar and two rows, fewer than the devices, are replicated.
form traced
mesh @m = [a=3]
func @turn(%h: f32[13, 5]) {
  %next = neg %h : f32[13, 5]
  return %next "next"
}
input %deep : f32[1, 13@a, 1, 2, 1]
input %none : f32[0, 13@a]
input %x : f32[13@a, 5]
input %small : f32[2, 3@a]
input %s : f32[]
  %d.1 = transpose [4, 3, 2, 1, 0] %deep : f32[1, 2, 1, 13, 1]
  %d.2 = reshape %d.1 : f32[2, 13]
  %n.1 = transpose [1, 0] %none : f32[13, 0]
  %looped = loop 3 of @turn %x : f32[13, 5]
  %square = dot_general contract [1]x[1] %small, %small : f32[2, 2]
  %rows = transpose [1, 0] %small : f32[3, 2]
  %part = slice [0, 0] to [2, 5] %x : f32[2, 5]
  %wide = broadcast [] %s : f32[2, 3]
  %few = add %wide, %small : f32[2, 3]
output %d.2
output %n.1
output %looped
output %square
output %rows
output %few
output %part
//= form planned
//= mesh @m = [a=3]
//= func @turn(%h: f32[13@a, 5]) {
//=   %next = neg %h : f32[13@a, 5]
//=   return %next
//= }
//= input %deep : f32[1, 13@a, 1, 2, 1]
//= input %none : f32[0, 13@a]
//= input %x : f32[13@a, 5]
//= input %small : f32[2, 3@a]
//= input %s : f32[] whole
//=   %d.1 = transpose [4, 3, 2, 1, 0] %deep : f32[1, 2, 1, 13@a, 1]
//=   %d.2 = reshape %d.1 : f32[2, 13@a]
//=   %n.1 = transpose [1, 0] %none : f32[13@a, 0]
//=   %looped = loop 3 of @turn %x : f32[13@a, 5]
//=   %square = dot_general contract [1]x[1] %small, %small : f32[2, 2] whole
//=   %rows = transpose [1, 0] %small : f32[3@a, 2]
//=   %part = slice [0, 0] to [2, 5] %x : f32[2, 5] whole
//=   %wide = broadcast [] %s : f32[2, 3@a]
//=   %few = add %wide, %small : f32[2, 3@a]
//= output %d.2
//= output %n.1
//= output %looped
//= output %square
//= output %rows
//= output %few
//= output %part
