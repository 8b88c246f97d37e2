test insert-reshards
// Of `x * x` only one operand could stay partial: the operand is reduced once for both uses.
form planned
mesh @m = [model=4]
param %w "w" : f32[32@model, 16]
input %x : f32[8, 32@model]
  %p = matmul %x, %w : f32[8, 16] whole
  %c = convert %p : f64[8, 16] whole
  %s = mul %c, %c : f64[8, 16] whole
  %n = reduce sum [0, 1] %s : f64[] whole
  %y = relu %p : f32[8, 16] whole
output %n
output %y
//= form explicit
//= mesh @m = [model=4]
//= param %w "w" : f32[32@model, 16]
//= input %x : f32[8, 32@model]
//=   %p = matmul %x, %w : f32[8, 16] sum(model)
//=   %p.1 = reshard %p : f32[8, 16] whole
//=   %c = convert %p.1 : f64[8, 16] whole
//=   %s = mul %c, %c : f64[8, 16] whole
//=   %n = reduce sum [0, 1] %s : f64[] whole
//=   %y = relu %p.1 : f32[8, 16] whole
//= output %n
//= output %y
