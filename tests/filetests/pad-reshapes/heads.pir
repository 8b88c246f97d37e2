test pad-reshapes
// Eight heads of 32 features over three devices, and back. Six heads, and the batch, are sharded without padding.
form planned
mesh @m = [data=2, model=3]
input %x : f32[4@data, 256@model]
input %y : f32[4@data, 192@model]
  %heads = reshape %x : f32[4@data, 8@model, 32]
  %merged = reshape %heads : f32[4@data, 256@model]
  %even = reshape %y : f32[4@data, 6@model, 32]
output %merged
output %even
//= form planned
//= mesh @m = [data=2, model=3]
//= input %x : f32[4@data, 256@model]
//= input %y : f32[4@data, 192@model]
//=   %c = constant 0.0 : f32[] whole
//=   %padded = pad high [0, 32] %x, %c : f32[4@data, 288@model]
//=   %reshape = reshape %padded : f32[4@data, 9@model, 32]
//=   %heads.1 = slice [0, 0, 0] to [4, 8, 32] %reshape : f32[4@data, 8@model, 32]
//=   %c.1 = constant 0.0 : f32[] whole
//=   %padded.1 = pad high [0, 1, 0] %heads.1, %c.1 : f32[4@data, 9@model, 32]
//=   %reshape.1 = reshape %padded.1 : f32[4@data, 288@model]
//=   %merged.1 = slice [0, 0] to [4, 256] %reshape.1 : f32[4@data, 256@model]
//=   %even = reshape %y : f32[4@data, 6@model, 32]
//= output %merged.1 "merged"
//= output %even
