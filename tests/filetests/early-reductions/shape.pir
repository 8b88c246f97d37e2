test early-reductions
// Scalars, dimensions of one element, and several operands at once. A reduction moves before the first product after its operands, but
// not before short ops.
form explicit
mesh @m = [data=2, model=3]
input %x : f32[8@data, 1]
input %w : f32[1, 1] whole
  %p = reduce sum [0, 1] %x : f32[] sum(data)
  %q = reduce sum [0] %x : f32[1] sum(data)
  %n = neg %w : f32[1, 1] whole
  %y = dot_general contract [1]x[0] %n, %w : f32[1, 1] whole
  %z = dot_general contract [1]x[0] %y, %w : f32[1, 1] whole
  %s, %t = all_reduce sum over data %p, %q : f32[] whole, f32[1] whole
  %r = reduce sum [0] %x : f32[1] sum(data)
  %u = dot_general contract [1]x[0] %z, %w : f32[1, 1] whole
  %v = all_reduce sum over data %r : f32[1] whole
output %s
output %t
output %u
output %v
//= form explicit
//= mesh @m = [data=2, model=3]
//= input %x : f32[8@data, 1]
//= input %w : f32[1, 1] whole
//=   %p = reduce sum [0, 1] %x : f32[] sum(data)
//=   %q = reduce sum [0] %x : f32[1] sum(data)
//=   %n = neg %w : f32[1, 1] whole
//=   %s, %t = all_reduce sum over data %p, %q : f32[] whole, f32[1] whole
//=   %y = matmul %n, %w : f32[1, 1] whole
//=   %z = matmul %y, %w : f32[1, 1] whole
//=   %r = reduce sum [0] %x : f32[1] sum(data)
//=   %v = all_reduce sum over data %r : f32[1] whole
//=   %u = matmul %z, %w : f32[1, 1] whole
//= output %s
//= output %t
//= output %u
//= output %v
