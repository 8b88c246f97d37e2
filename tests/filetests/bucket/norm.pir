test bucket
// Converted gradients whose norms are computed after the backward pass share a bucket.
//plan bucket = "1MiB"
form explicit
mesh @m = [data=2]
input %x : bf16[8@data, 4]
input %g : bf16[8@data, 4]
input %w : bf16[4, 4] whole
  %a.grad = dot_general contract [0]x[0] %x, %g : bf16[4, 4] sum(data) phase backward_weight
  %a.1 = all_reduce sum over data %a.grad : bf16[4, 4] whole phase backward_weight
  %a.2 = convert %a.1 : f32[4, 4] whole phase backward_weight
  %h = matmul %g, %w : bf16[8@data, 4] phase backward_input
  %b.grad = dot_general contract [0]x[0] %h, %g : bf16[4, 4] sum(data) phase backward_weight
  %b.1 = all_reduce sum over data %b.grad : bf16[4, 4] whole phase backward_weight
  %b.2 = convert %b.1 : f32[4, 4] whole phase backward_weight
  %a.norm = reduce sum [0, 1] %a.2 : f32[] whole phase update
  %b.norm = reduce sum [0, 1] %b.2 : f32[] whole phase update
  %norm = add %a.norm, %b.norm : f32[] whole phase update
output %a.2
output %b.2
output %norm
//= form explicit
//= mesh @m = [data=2]
//= input %x : bf16[8@data, 4]
//= input %g : bf16[8@data, 4]
//= input %w : bf16[4, 4] whole
//=   %a.grad = dot_general contract [0]x[0] %x, %g : bf16[4, 4] sum(data) phase backward_weight
//=   %h = matmul %g, %w : bf16[8@data, 4] phase backward_input
//=   %b.grad = dot_general contract [0]x[0] %h, %g : bf16[4, 4] sum(data) phase backward_weight
//=   %a.1, %b.1 = all_reduce sum over data %a.grad, %b.grad : bf16[4, 4] whole, bf16[4, 4] whole phase backward_weight
//=   %a.2 = convert %a.1 : f32[4, 4] whole phase backward_weight
//=   %b.2 = convert %b.1 : f32[4, 4] whole phase backward_weight
//=   %a.norm = reduce sum [0, 1] %a.2 : f32[] whole phase update
//=   %b.norm = reduce sum [0, 1] %b.2 : f32[] whole phase update
//=   %norm = add %a.norm, %b.norm : f32[] whole phase update
//= output %a.2
//= output %b.2
//= output %norm
