test bucket
//plan bucket = "500B"
// Gradients are reduced in the order in which they are computed, independently of the update order: %c and %b fill a bucket of 500
// bytes, and %a is left for the next one. The loss is not a gradient, and a reduction over another axis has a separate bucket. %e is
// reduced alone, since %d is read before %e is computed.
form explicit
mesh @m = [data=2, model=2]
input %x : f32[8@data, 8]
input %y : f32[8@model, 8]
  %l = reduce sum [0, 1] %x : f32[] sum(data)
  %c = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
  %m = dot_general contract [0]x[0] %y, %y : f32[8, 8] sum(model) phase backward_weight
  %b = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
  %a = reduce sum [0] %x : f32[8] sum(data) phase backward_weight
  %d = reduce max [0] %x : f32[8] max(data) phase backward_weight
  %d.1 = all_reduce max over data %d : f32[8] whole phase backward_weight
  %f = reduce max [0] %d.1 : f32[] whole phase backward_weight
  %e = reduce max [0] %x : f32[8] max(data) phase backward_weight
  %a.1 = all_reduce sum over data %a : f32[8] whole phase backward_weight
  %b.1 = all_reduce sum over data %b : f32[8, 8] whole phase backward_weight
  %m.1 = all_reduce sum over model %m : f32[8, 8] whole phase backward_weight
  %c.1 = all_reduce sum over data %c : f32[8, 8] whole phase backward_weight
  %e.1 = all_reduce max over data %e : f32[8] whole phase backward_weight
  %l.1 = all_reduce sum over data %l : f32[] whole
output %l.1
output %a.1
output %b.1
output %c.1
output %f
output %e.1
output %m.1
//= form explicit
//= mesh @m = [data=2, model=2]
//= input %x : f32[8@data, 8]
//= input %y : f32[8@model, 8]
//=   %l = reduce sum [0, 1] %x : f32[] sum(data)
//=   %c = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
//=   %m = dot_general contract [0]x[0] %y, %y : f32[8, 8] sum(model) phase backward_weight
//=   %m.1 = all_reduce sum over model %m : f32[8, 8] whole phase backward_weight
//=   %b = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
//=   %c.1, %b.1 = all_reduce sum over data %c, %b : f32[8, 8] whole, f32[8, 8] whole phase backward_weight
//=   %a = reduce sum [0] %x : f32[8] sum(data) phase backward_weight
//=   %a.1 = all_reduce sum over data %a : f32[8] whole phase backward_weight
//=   %d = reduce max [0] %x : f32[8] max(data) phase backward_weight
//=   %d.1 = all_reduce max over data %d : f32[8] whole phase backward_weight
//=   %f = reduce max [0] %d.1 : f32[] whole phase backward_weight
//=   %e = reduce max [0] %x : f32[8] max(data) phase backward_weight
//=   %e.1 = all_reduce max over data %e : f32[8] whole phase backward_weight
//=   %l.1 = all_reduce sum over data %l : f32[] whole
//= output %l.1
//= output %a.1
//= output %b.1
//= output %c.1
//= output %f
//= output %e.1
//= output %m.1
