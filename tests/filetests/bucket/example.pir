test bucket
// The example of the pass's documentation.
//plan bucket = "1MiB"
form explicit
mesh @m = [data=2]
input %x : f32[8@data, 4]
input %g : f32[8@data, 4]
  %a.grad = dot_general contract [0]x[0] %x, %g : f32[4, 4] sum(data) phase backward_weight
  %b.grad = reduce sum [0] %g : f32[4] sum(data) phase backward_weight
  %b.1 = all_reduce sum over data %b.grad : f32[4] whole phase backward_weight
  %a.1 = all_reduce sum over data %a.grad : f32[4, 4] whole phase backward_weight
output %a.1
output %b.1
//= form explicit
//= mesh @m = [data=2]
//= input %x : f32[8@data, 4]
//= input %g : f32[8@data, 4]
//=   %a.grad = dot_general contract [0]x[0] %x, %g : f32[4, 4] sum(data) phase backward_weight
//=   %b.grad = reduce sum [0] %g : f32[4] sum(data) phase backward_weight
//=   %a.1, %b.1 = all_reduce sum over data %a.grad, %b.grad : f32[4, 4] whole, f32[4] whole phase backward_weight
//= output %a.1
//= output %b.1
