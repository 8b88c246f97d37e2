test early-reductions
// The example of the pass's documentation.
form explicit
mesh @m = [data=2]
input %x : f32[8@data, 4]
input %a : f32[8, 8] whole
input %b : f32[8, 8] whole
  %p = reduce sum [0] %x : f32[4] sum(data)
  %y = dot_general contract [0]x[0] %a, %b : f32[8, 8] whole
  %s = all_reduce sum over data %p : f32[4] whole
  %z = mul %s, %s : f32[4] whole
output %y
output %z
//= form explicit
//= mesh @m = [data=2]
//= input %x : f32[8@data, 4]
//= input %a : f32[8, 8] whole
//= input %b : f32[8, 8] whole
//=   %p = reduce sum [0] %x : f32[4] sum(data)
//=   %s = all_reduce sum over data %p : f32[4] whole
//=   %y = dot_general contract [0]x[0] %a, %b : f32[8, 8] whole
//=   %z = mul %s, %s : f32[4] whole
//= output %y
//= output %z
