test run
// Sums accumulated by a loop, some of them carried as partial, and a nested loop.
form traced
mesh @m = [data=3, model=2]
func @inner(%sum: f32[6, 6], %x: f32[9, 6]) {
  %g = dot_general contract [0]x[0] %x, %x : f32[6, 6]
  %next = add %sum, %g : f32[6, 6]
  return %next "next", %x "x"
}
func @outer(%total: f32[6, 6], %from_one: f32[6, 6], %x: f32[9, 6]) {
  %zero = constant 0.0 : f32[6, 6]
  %s, %same = loop 2 of @inner %zero, %x : f32[6, 6], f32[9, 6]
  %next = add %s, %total : f32[6, 6]
  %g2 = dot_general contract [0]x[0] %x, %x : f32[6, 6]
  %next_one = add %from_one, %g2 : f32[6, 6]
  return %next "next", %next_one "next_one", %x "x"
}
input %x : f32[9@data, 6]
  %zero = constant 0.0 : f32[6, 6]
  %one = constant 1.0 : f32[6, 6]
  %a, %b, %c = loop 3 of @outer %zero, %one, %x : f32[6, 6], f32[6, 6], f32[9, 6]
  %r = relu %a : f32[6, 6]
output %r
output %b
//= 6 devices agree
//= all_reduce 2
