test bucket
//plan bucket = "1MiB"
// An addition to the accumulated gradient of a loop waits for the bucket. A gradient with an immediate reader does not: %b is reduced
// before %c is computed, though %sum.b could wait.
form explicit
mesh @m = [data=2]
input %x : f32[8@data, 8]
input %acc.a : f32[8, 8] whole
input %acc.b : f32[8, 8] whole
input %acc.c : f32[8, 8] whole
  %a = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
  %a.1 = all_reduce sum over data %a : f32[8, 8] whole phase backward_weight
  %at = transpose [1, 0] %a.1 : f32[8, 8] whole phase backward_weight
  %sum.a = add %acc.a, %at : f32[8, 8] whole phase backward_weight
  %b = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
  %b.1 = all_reduce sum over data %b : f32[8, 8] whole phase backward_weight
  %sum.b = add %acc.b, %b.1 : f32[8, 8] whole phase backward_weight
  %n = reduce max [0] %b.1 : f32[8] whole phase backward_weight
  %c = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
  %c.1 = all_reduce sum over data %c : f32[8, 8] whole phase backward_weight
  %sum.c = add %acc.c, %c.1 : f32[8, 8] whole phase backward_weight
output %sum.a
output %sum.b
output %sum.c
output %n
//= form explicit
//= mesh @m = [data=2]
//= input %x : f32[8@data, 8]
//= input %acc.a : f32[8, 8] whole
//= input %acc.b : f32[8, 8] whole
//= input %acc.c : f32[8, 8] whole
//=   %a = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
//=   %b = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
//=   %a.1, %b.1 = all_reduce sum over data %a, %b : f32[8, 8] whole, f32[8, 8] whole phase backward_weight
//=   %at = transpose [1, 0] %a.1 : f32[8, 8] whole phase backward_weight
//=   %sum.a = add %acc.a, %at : f32[8, 8] whole phase backward_weight
//=   %sum.b = add %acc.b, %b.1 : f32[8, 8] whole phase backward_weight
//=   %n = reduce max [0] %b.1 : f32[8] whole phase backward_weight
//=   %c = dot_general contract [0]x[0] %x, %x : f32[8, 8] sum(data) phase backward_weight
//=   %c.1 = all_reduce sum over data %c : f32[8, 8] whole phase backward_weight
//=   %sum.c = add %acc.c, %c.1 : f32[8, 8] whole phase backward_weight
//= output %sum.a
//= output %sum.b
//= output %sum.c
//= output %n
