test propagate
// `%h` is explicitly replicated, and no axis shards `%c` twice, though both operands are sharded by `model`.
form traced
mesh @m = [model=4]
input %x : f32[8@model, 16]
input %w : f32[16, 32@model]
  %h = relu %x : f32[8, 16] all(model)
  %c = matmul %x, %w : f32[8, 32]
output %h
output %c
//= form planned
//= mesh @m = [model=4]
//= input %x : f32[8@model, 16]
//= input %w : f32[16, 32@model]
//=   %h = relu %x : f32[8, 16] all(model)
//=   %c = matmul %x, %w : f32[8, 32@model]
//= output %h
//= output %c
