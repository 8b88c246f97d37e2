test collectives
// The example of the pass's documentation.
form explicit
mesh @m = [a=2]
input %x : f32[8@a, 4]
input %y : f32[8@a, 4]
  %p = reduce sum [0] %x : f32[4] sum(a)
  %q = reduce sum [0] %y : f32[4] sum(a)
  %r = all_reduce sum over a %p : f32[4] whole
  %s = all_reduce sum over a %q : f32[4] whole
  %z = add %r, %s : f32[4] whole
output %z
//= form explicit
//= mesh @m = [a=2]
//= input %x : f32[8@a, 4]
//= input %y : f32[8@a, 4]
//=   %p = reduce sum [0] %x : f32[4] sum(a)
//=   %q = reduce sum [0] %y : f32[4] sum(a)
//=   %z.1 = add %p, %q : f32[4] sum(a)
//=   %z = all_reduce sum over a %z.1 : f32[4] whole
//= output %z
