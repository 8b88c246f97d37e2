test insert-reshards
// Two partial sums that are added are reduced once.
form planned
mesh @m = [model=4]
param %v "v" : f32[32@model, 16]
param %w "w" : f32[32@model, 16]
input %x : f32[8, 32@model]
  %p = matmul %x, %v : f32[8, 16] whole
  %q = matmul %x, %w : f32[8, 16] whole
  %s = add %p, %q : f32[8, 16] whole
  %t = transpose [1, 0] %s : f32[16, 8] whole
  %y = relu %t : f32[16, 8] whole
output %y
//= form explicit
//= mesh @m = [model=4]
//= param %v "v" : f32[32@model, 16]
//= param %w "w" : f32[32@model, 16]
//= input %x : f32[8, 32@model]
//=   %p = matmul %x, %v : f32[8, 16] sum(model)
//=   %q = matmul %x, %w : f32[8, 16] sum(model)
//=   %s = add %p, %q : f32[8, 16] sum(model)
//=   %t = transpose [1, 0] %s : f32[16, 8] sum(model)
//=   %t.1 = reshard %t : f32[16, 8] whole
//=   %y = relu %t.1 : f32[16, 8] whole
//= output %y
