test bucket
//plan bucket = "1MiB"
// %b waits for the bucket of %a and %d, and so does the reduction of %b over the other axis.
form explicit
mesh @m = [data=2, model=2]
input %x : f32[8@data+model, 8]
input %y : f32[8@model, 8]
  %a = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data+model) phase backward_weight
  %a.1 = all_reduce sum over model %a : f32[8, 8] sum(data) phase backward_weight
  %b = neg %a.1 : f32[8, 8] sum(data) phase backward_weight
  %d = dot_general contract [0]x[0] %y, %y : f32[8, 8] sum(model) phase backward_weight
  %d.1 = all_reduce sum over model %d : f32[8, 8] whole phase backward_weight
  %b.1 = all_reduce sum over data %b : f32[8, 8] whole phase backward_weight
output %b.1
output %d.1
//= form explicit
//= mesh @m = [data=2, model=2]
//= input %x : f32[8@data+model, 8]
//= input %y : f32[8@model, 8]
//=   %a = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data+model) phase backward_weight
//=   %d = dot_general contract [0]x[0] %y, %y : f32[8, 8] sum(model) phase backward_weight
//=   %a.1, %d.1 = all_reduce sum over model %a, %d : f32[8, 8] sum(data), f32[8, 8] whole phase backward_weight
//=   %b = neg %a.1 : f32[8, 8] sum(data) phase backward_weight
//=   %b.1 = all_reduce sum over data %b : f32[8, 8] whole phase backward_weight
//= output %b.1
//= output %d.1
