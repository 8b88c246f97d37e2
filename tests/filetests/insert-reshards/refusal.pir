test insert-reshards
// The layout of `%y` asks for a partial sum over an axis that splits no operand.
form planned
mesh @m = [data=2, model=4]
input %x : f32[32, 512@model]
input %w : f32[512@model, 64]
  %y = matmul %x, %w : f32[32, 64] sum(data) //~ L013 `%y` is nowhere left partial
  %r = relu %y : f32[32, 64] whole
output %r
//= error[L013]: `%y` is nowhere left partial as its layout asks
//=   --> insert-reshards/refusal.pir:7
//=   = help: split a dimension that is summed over by that axis, or leave `sum(...)` out of the layout
