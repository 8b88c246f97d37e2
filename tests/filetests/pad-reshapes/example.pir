test pad-reshapes
// The example of the pass's documentation.
form planned
mesh @m = [model=3]
input %x : f32[4, 256@model]
  %q = reshape %x : f32[4, 8@model, 32]
output %q
//= form planned
//= mesh @m = [model=3]
//= input %x : f32[4, 256@model]
//=   %c = constant 0.0 : f32[] whole
//=   %padded = pad high [0, 32] %x, %c : f32[4, 288@model]
//=   %reshape = reshape %padded : f32[4, 9@model, 32]
//=   %q.1 = slice [0, 0, 0] to [4, 8, 32] %reshape : f32[4, 8@model, 32]
//= output %q.1 "q"
