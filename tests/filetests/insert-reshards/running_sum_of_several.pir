test insert-reshards
// A sum to which the body adds two partial summands is carried as partial and reduced once after the loop. One to which it also adds a value
// that is not partial is reduced in each iteration: that value would count once per device.
form planned
mesh @m = [data=2]
func @turn(%sum: f32[4, 4] whole, %mixed: f32[4, 4] whole, %x: f32[8@data, 4], %w: f32[4, 4] whole) {
  %g = dot_general contract [0]x[0] %x, %x : f32[4, 4] whole
  %first = add %sum, %g : f32[4, 4] whole
  %h = neg %g : f32[4, 4] whole
  %next = add %h, %first : f32[4, 4] whole
  %k = dot_general contract [0]x[0] %x, %x : f32[4, 4] whole
  %first_mixed = add %mixed, %k : f32[4, 4] whole
  %next_mixed = add %first_mixed, %w : f32[4, 4] whole
  return %next "next", %next_mixed "next_mixed", %x "x", %w "w"
}
input %x : f32[8@data, 4]
input %w : f32[4, 4] whole
  %zero = constant 0.0 : f32[4, 4] whole
  %a, %b, %c, %d = loop 3 of @turn %zero, %zero, %x, %w : f32[4, 4] whole, f32[4, 4] whole, f32[8@data, 4], f32[4, 4] whole
output %a
output %b
//= form explicit
//= mesh @m = [data=2]
//= func @turn(%sum: f32[4, 4] sum(data), %mixed: f32[4, 4] whole, %x: f32[8@data, 4], %w: f32[4, 4] whole) {
//=   %g = dot_general contract [0]x[0] %x, %x : f32[4, 4] sum(data)
//=   %first = add %sum, %g : f32[4, 4] sum(data)
//=   %h = neg %g : f32[4, 4] sum(data)
//=   %next = add %h, %first : f32[4, 4] sum(data)
//=   %k = dot_general contract [0]x[0] %x, %x : f32[4, 4] sum(data)
//=   %k.1 = reshard %k : f32[4, 4] whole
//=   %first_mixed = add %mixed, %k.1 : f32[4, 4] whole
//=   %next_mixed = add %first_mixed, %w : f32[4, 4] whole
//=   return %next, %next_mixed, %x, %w
//= }
//= input %x : f32[8@data, 4]
//= input %w : f32[4, 4] whole
//=   %zero = constant 0.0 : f32[4, 4] whole
//=   %zero.1 = constant 0.0 : f32[4, 4] sum(data)
//=   %a, %b, %c, %d = loop 3 of @turn %zero.1, %zero, %x, %w : f32[4, 4] sum(data), f32[4, 4] whole, f32[8@data, 4], f32[4, 4] whole
//=   %a.1 = reshard %a : f32[4, 4] whole
//= output %a.1 "a"
//= output %b
