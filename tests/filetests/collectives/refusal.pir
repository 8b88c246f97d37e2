test collectives
// This pass rejects no program. Sums over different axes, a sum with a second reader, the maximum of a sum,
// and a bias are not moved past the collectives.
form explicit
mesh @m = [a=2, b=2]
input %x : f32[8@a, 4]
input %y : f32[8@b, 4]
input %b : f32[4] whole
  %p = reduce sum [0] %x : f32[4] sum(a)
  %q = reduce sum [0] %y : f32[4] sum(b)
  %r = all_reduce sum over a %p : f32[4] whole
  %s = all_reduce sum over b %q : f32[4] whole
  %z = add %r, %s : f32[4] whole
  %t = add %z, %b : f32[4] whole
  %m = max %r, %b : f32[4] whole
output %t
output %m
output %r
//= form explicit
//= mesh @m = [a=2, b=2]
//= input %x : f32[8@a, 4]
//= input %y : f32[8@b, 4]
//= input %b : f32[4] whole
//=   %p = reduce sum [0] %x : f32[4] sum(a)
//=   %q = reduce sum [0] %y : f32[4] sum(b)
//=   %r = all_reduce sum over a %p : f32[4] whole
//=   %s = all_reduce sum over b %q : f32[4] whole
//=   %z = add %r, %s : f32[4] whole
//=   %t = add %z, %b : f32[4] whole
//=   %m = max %r, %b : f32[4] whole
//= output %t
//= output %m
//= output %r
