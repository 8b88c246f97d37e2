test lower-reshards
// A partial scalar, a maximum of zero elements, seven rows over six devices whose axis moves to another dimension, one
// row over three devices, and the body of a loop.
form explicit
mesh @m = [a=3, b=2]
func @turn(%h: f32[7@a, 5]) {
  %next = reshard %h : f32[7, 5@a]
  %back = reshard %next : f32[7@a, 5]
  return %back "back"
}
input %x : f32[7@a+b]
input %none : f32[0@a]
input %deep : f32[1, 7@a+b, 1, 5]
input %one : f32[1@a]
input %h : f32[7@a, 5]
  %s = reduce sum [0] %x : f32[] sum(a+b)
  %t = reshard %s : f32[] whole
  %m = reduce max [0] %none : f32[] max(a)
  %n = reshard %m : f32[] whole
  %d = reshard %deep : f32[1, 7@a, 1, 5@b]
  %o = reshard %one : f32[1] whole
  %looped = loop 3 of @turn %h : f32[7@a, 5]
output %t
output %n
output %d
output %o
output %looped
//= form explicit
//= mesh @m = [a=3, b=2]
//= func @turn(%h: f32[7@a, 5]) {
//=   %next = all_to_all dim 0 -> dim 1 over a %h : f32[7, 5@a]
//=   %back = all_to_all dim 1 -> dim 0 over a %next : f32[7@a, 5]
//=   return %back
//= }
//= input %x : f32[7@a+b]
//= input %none : f32[0@a]
//= input %deep : f32[1, 7@a+b, 1, 5]
//= input %one : f32[1@a]
//= input %h : f32[7@a, 5]
//=   %s = reduce sum [0] %x : f32[] sum(a+b)
//=   %t = all_reduce sum over a+b %s : f32[] whole
//=   %m = reduce max [0] %none : f32[] max(a)
//=   %n = all_reduce max over a %m : f32[] whole
//=   %d = all_to_all dim 1 -> dim 3 over b %deep : f32[1, 7@a, 1, 5@b]
//=   %o = all_gather dim 0 over a %one : f32[1] whole
//=   %looped = loop 3 of @turn %h : f32[7@a, 5]
//= output %t
//= output %n
//= output %d
//= output %o
//= output %looped
