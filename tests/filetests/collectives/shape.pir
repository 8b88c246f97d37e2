test collectives
// Scalars, zero elements, seven rows over three devices, two axes at once, and the body of a loop.
form explicit
mesh @m = [a=3, b=2]
func @turn(%sum: f32[] whole, %x: f32[7@a]) {
  %p = reduce sum [0] %x : f32[] sum(a)
  %e = exp %x : f32[7@a]
  %q = reduce sum [0] %e : f32[] sum(a)
  %r = all_reduce sum over a %p : f32[] whole
  %s = all_reduce sum over a %q : f32[] whole
  %both = add %r, %s : f32[] whole
  %next = add %sum, %both : f32[] whole
  return %next "next", %x "x"
}
input %x.1 : f32[7@a]
input %none : f32[6@a, 0]
input %w : f32[7@a+b, 5]
  %zero = constant 0.0 : f32[] whole
  %total, %x.2 = loop 3 of @turn %zero, %x.1 : f32[] whole, f32[7@a]
  %n.1 = reduce sum [0] %none : f32[0] sum(a)
  %n.2 = all_reduce sum over a %n.1 : f32[0] whole
  %n.3 = add %n.2, %n.2 : f32[0] whole
  %g = all_gather dim 0 over a+b %w : f32[7, 5] whole
  %h = convert %g : bf16[7, 5] whole
output %total
output %n.3
output %h
//= form explicit
//= mesh @m = [a=3, b=2]
//= func @turn(%sum: f32[] whole, %x: f32[7@a]) {
//=   %p = reduce sum [0] %x : f32[] sum(a)
//=   %e = exp %x : f32[7@a]
//=   %q = reduce sum [0] %e : f32[] sum(a)
//=   %both.1 = add %p, %q : f32[] sum(a)
//=   %both = all_reduce sum over a %both.1 : f32[] whole
//=   %next = add %sum, %both : f32[] whole
//=   return %next, %x
//= }
//= input %x.1 : f32[7@a]
//= input %none : f32[6@a, 0]
//= input %w : f32[7@a+b, 5]
//=   %zero = constant 0.0 : f32[] whole
//=   %total, %x.2 = loop 3 of @turn %zero, %x.1 : f32[] whole, f32[7@a]
//=   %n.1 = reduce sum [0] %none : f32[0] sum(a)
//=   %n.2 = all_reduce sum over a %n.1 : f32[0] whole
//=   %n.3 = add %n.2, %n.2 : f32[0] whole
//=   %h.1 = convert %w : bf16[7@a+b, 5]
//=   %h = all_gather dim 0 over a+b %h.1 : bf16[7, 5] whole
//= output %total
//= output %n.3
//= output %h
