test insert-reshards
// A sum that a loop accumulates from zero is carried as partial and reduced once after the loop. A sum that starts from another value, and
// one that is read inside the loop, is reduced in each iteration: an initial one would count once per device.
form planned
mesh @m = [data=2]
func @turn(%sum: f32[4, 4] whole, %from_one: f32[4, 4] whole, %seen: f32[4, 4] whole, %x: f32[8@data, 4]) {
  %g = dot_general contract [0]x[0] %x, %x : f32[4, 4] whole
  %n = neg %g : f32[4, 4] whole
  %next = add %n, %sum : f32[4, 4] whole
  %h = dot_general contract [0]x[0] %x, %x : f32[4, 4] whole
  %next_one = add %from_one, %h : f32[4, 4] whole
  %next_seen = add %seen, %h : f32[4, 4] whole
  %r = relu %next_seen : f32[4, 4] whole
  %m = matmul %x, %r : f32[8@data, 4]
  return %next "next", %next_one "next_one", %next_seen "next_seen", %m "m"
}
input %x : f32[8@data, 4]
  %zero = constant 0.0 : f32[4, 4] whole
  %one = constant 1.0 : f32[4, 4] whole
  %a, %b, %c, %d = loop 3 of @turn %zero, %one, %zero, %x : f32[4, 4] whole, f32[4, 4] whole, f32[4, 4] whole, f32[8@data, 4]
  %t = transpose [1, 0] %a : f32[4, 4] whole
  %y = relu %t : f32[4, 4] whole
output %y
output %b
output %c
//= form explicit
//= mesh @m = [data=2]
//= func @turn(%sum: f32[4, 4] sum(data), %from_one: f32[4, 4] whole, %seen: f32[4, 4] whole, %x: f32[8@data, 4]) {
//=   %g = dot_general contract [0]x[0] %x, %x : f32[4, 4] sum(data)
//=   %n = neg %g : f32[4, 4] sum(data)
//=   %next = add %n, %sum : f32[4, 4] sum(data)
//=   %h = dot_general contract [0]x[0] %x, %x : f32[4, 4] sum(data)
//=   %h.1 = reshard %h : f32[4, 4] whole
//=   %next_one = add %from_one, %h.1 : f32[4, 4] whole
//=   %next_seen = add %seen, %h.1 : f32[4, 4] whole
//=   %r = relu %next_seen : f32[4, 4] whole
//=   %m = matmul %x, %r : f32[8@data, 4]
//=   return %next, %next_one, %next_seen, %m
//= }
//= input %x : f32[8@data, 4]
//=   %zero = constant 0.0 : f32[4, 4] whole
//=   %one = constant 1.0 : f32[4, 4] whole
//=   %zero.1 = constant 0.0 : f32[4, 4] sum(data)
//=   %a, %b, %c, %d = loop 3 of @turn %zero.1, %one, %zero, %x : f32[4, 4] sum(data), f32[4, 4] whole, f32[4, 4] whole, f32[8@data, 4]
//=   %t = transpose [1, 0] %a : f32[4, 4] sum(data)
//=   %t.1 = reshard %t : f32[4, 4] whole
//=   %y = relu %t.1 : f32[4, 4] whole
//= output %y
//= output %b
//= output %c
