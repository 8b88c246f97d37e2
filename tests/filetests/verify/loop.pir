test verify
// A value carried by a loop has one layout before, within and after the loop, and one set of partial axes.
form explicit
mesh @m = [data=2]
func @turn(%sum: f32[4, 4] sum(data), %x: f32[8@data, 4]) {
  %g = dot_general contract [0]x[0] %x, %x : f32[4, 4] sum(data)
  %next = add %sum, %g : f32[4, 4] sum(data)
  return %next "next", %x "x"
}
func @reads(%sum: f32[4, 4] sum(data)) {
  %next = relu %sum : f32[4, 4] whole //~ L012 reads a partial sum
  return %next "next"
}
input %x : f32[8@data, 4]
  %zero = constant 0.0 : f32[4, 4] sum(data)
  %one = constant 1.0 : f32[4, 4] whole
  %a, %b = loop 3 of @turn %zero, %x : f32[4, 4] sum(data), f32[8@data, 4]
  %c, %d = loop 3 of @turn %one, %x : f32[4, 4] sum(data), f32[8@data, 4] //~ V003 carried value 0
  %e, %f = loop 3 of @turn %zero, %x : f32[4, 4] whole, f32[8@data, 4] //~ V003 carried value 0
  %g1 = loop 3 of @reads %zero : f32[4, 4] sum(data) //~ V003 carried value 0
  %y = all_reduce sum over data %a : f32[4, 4] whole
output %y
//= error[L012]: `relu %next`: reads a partial sum, but is not linear in exactly the operands that are partial
//=   --> verify/loop.pir:11
//= error[V003]: `loop %c`: carried value 0 has different layouts before, inside and after the loop
//=   --> verify/loop.pir:18
//= error[V003]: `loop %e`: carried value 0 has different layouts before, inside and after the loop
//=   --> verify/loop.pir:19
//= error[V003]: `loop %g1`: carried value 0 has different layouts before, inside and after the loop
//=   --> verify/loop.pir:20
