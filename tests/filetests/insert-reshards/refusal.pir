test insert-reshards
// The layout of `%y` requires a partial sum over an axis that shards no operand.
form planned
mesh @m = [data=2, model=4]
input %x : f32[32, 512@model]
input %w : f32[512@model, 64]
  %y = matmul %x, %w : f32[32, 64] sum(data) //~ L013 no op leaves `%y` partial
  %r = relu %y : f32[32, 64] whole
output %r
//= error[L013]: no op leaves `%y` partial as its layout requires
//=   --> insert-reshards/refusal.pir:7
//=   = help: shard a contracted dimension over that axis, or remove `sum(...)` from the layout
