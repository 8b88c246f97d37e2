test pad-reshapes
// This pass rejects no program. There is no padding where the axis divides the factor, where the reshape only adds a
// dimension of 1, so that both shapes are sharded identically, and where the operand is not sharded.
form planned
mesh @m = [data=2, model=3]
input %x : f32[4@data, 192@model]
input %y : f32[7@model]
input %z : f32[4@data, 7]
  %heads = reshape %x : f32[4@data, 6@model, 32]
  %one = reshape %y : f32[7@model, 1]
  %flat = reshape %z : f32[28@data]
output %heads
output %one
output %flat
//= form planned
//= mesh @m = [data=2, model=3]
//= input %x : f32[4@data, 192@model]
//= input %y : f32[7@model]
//= input %z : f32[4@data, 7]
//=   %heads = reshape %x : f32[4@data, 6@model, 32]
//=   %one = reshape %y : f32[7@model, 1]
//=   %flat = reshape %z : f32[28@data]
//= output %heads
//= output %one
//= output %flat
