test early-reductions
// A `reduce_scatter` stays in its phase. Short ops between an operand and its reduction are no reason to move it.
form explicit
mesh @m = [data=2]
input %x : f32[8@data, 8]
input %w : f32[8, 8] whole
  %g = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
  %y = dot_general contract [0]x[0] %w, %w : f32[8, 8] whole phase backward_weight
  %g.1 = reduce_scatter sum dim 0 over data %g : f32[8@data, 8] phase update
  %m = reduce max [0] %x : f32[8] max(data) phase update
  %n = neg %y : f32[8, 8] whole phase update
  %m.1 = all_reduce max over data %m : f32[8] whole phase update
output %g.1
output %n
output %m.1
//= form explicit
//= mesh @m = [data=2]
//= input %x : f32[8@data, 8]
//= input %w : f32[8, 8] whole
//=   %g = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
//=   %y = dot_general contract [0]x[0] %w, %w : f32[8, 8] whole phase backward_weight
//=   %g.1 = reduce_scatter sum dim 0 over data %g : f32[8@data, 8] phase update
//=   %m = reduce max [0] %x : f32[8] max(data) phase update
//=   %n = neg %y : f32[8, 8] whole phase update
//=   %m.1 = all_reduce max over data %m : f32[8] whole phase update
//= output %g.1
//= output %n
//= output %m.1
