test dce
// A local program. In the body of a loop, an op that no result needs is removed, even one with zero elements; a value
// that each iteration only passes on stays. Both results of an op stay while one is read.
form local
mesh @m = [data=3]
func @turn(%h: f32[7], %idle: f32[0, 5]) {
  %dead = exp %idle : f32[0, 5]
  %sum = reduce sum [0] %h : f32[]
  %next = neg %h : f32[7]
  return %next "next", %idle "idle"
}
input %x : f32[21@data]
input %none : f32[0, 5] whole
  %scalar = reduce max [0] %x : f32[]
  %looped, %idle = loop 3 of @turn %x, %none : f32[7], f32[0, 5]
  %sum.1 = reduce sum [0] %looped : f32[]
  %both, %unread = all_reduce sum over data %sum.1, %scalar : f32[], f32[]
output %both
//= form local
//= mesh @m = [data=3]
//= func @turn(%h: f32[7], %idle: f32[0, 5]) {
//=   %next = neg %h : f32[7]
//=   return %next, %idle
//= }
//= input %x : f32[21@data]
//= input %none : f32[0, 5] whole
//=   %scalar = reduce max [0] %x : f32[]
//=   %looped, %idle = loop 3 of @turn %x, %none : f32[7], f32[0, 5]
//=   %sum.1 = reduce sum [0] %looped : f32[]
//=   %both, %unread = all_reduce sum over data %sum.1, %scalar : f32[], f32[]
//= output %both
