test localize
// Ten rows over four devices: three each, of which the last device has one. A gathered dimension is sliced to its size, and the
// operand of a reduction is masked first.
form explicit
mesh @m = [data=4]
input %x : f32[10@data, 3]
  %e = exp %x : f32[10@data, 3]
  %s = reduce sum [0] %e : f32[3] sum(data)
  %t = all_reduce sum over data %s : f32[3] whole
  %g = all_gather dim 0 over data %e : f32[10, 3] whole
output %t
output %g
//= form local
//= mesh @m = [data=4]
//= input %x : f32[10@data, 3]
//=   %e = exp %x : f32[3, 3]
//=   %e.1 = mask zero dim 0 of 10 over data %e : f32[3, 3]
//=   %s = reduce sum [0] %e.1 : f32[3]
//=   %t = all_reduce sum over data %s : f32[3] whole
//=   %whole = all_gather dim 0 over data %e : f32[12, 3]
//=   %g = slice [0, 0] to [10, 3] %whole : f32[10, 3] whole
//= output %t
//= output %g
