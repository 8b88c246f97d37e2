test bucket
// Reductions of the forward pass, and of scalars of the update such as a norm, are not reductions of gradients.
//plan bucket = "1MiB"
form explicit
mesh @m = [model=2]
input %x : f32[8, 4@model]
input %w : f32[4@model, 8]
  %p = matmul %x, %w : f32[8, 8] sum(model)
  %p.1 = all_reduce sum over model %p : f32[8, 8] whole
  %q = matmul %x, %w : f32[8, 8] sum(model)
  %q.1 = all_reduce sum over model %q : f32[8, 8] whole
  %n = reduce sum [0, 1] %x : f32[] sum(model) phase update
  %n.1 = all_reduce sum over model %n : f32[] whole phase update
  %m = reduce sum [0, 1] %w : f32[] sum(model) phase update
  %m.1 = all_reduce sum over model %m : f32[] whole phase update
output %p.1
output %q.1
output %n.1
output %m.1
//= form explicit
//= mesh @m = [model=2]
//= input %x : f32[8, 4@model]
//= input %w : f32[4@model, 8]
//=   %p = matmul %x, %w : f32[8, 8] sum(model)
//=   %p.1 = all_reduce sum over model %p : f32[8, 8] whole
//=   %q = matmul %x, %w : f32[8, 8] sum(model)
//=   %q.1 = all_reduce sum over model %q : f32[8, 8] whole
//=   %n = reduce sum [0, 1] %x : f32[] sum(model) phase update
//=   %n.1 = all_reduce sum over model %n : f32[] whole phase update
//=   %m = reduce sum [0, 1] %w : f32[] sum(model) phase update
//=   %m.1 = all_reduce sum over model %m : f32[] whole phase update
//= output %p.1
//= output %q.1
//= output %n.1
//= output %m.1
