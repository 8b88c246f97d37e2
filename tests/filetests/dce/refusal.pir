test dce
// This pass rejects no program. Ops that an output needs through other ops stay, and so do inputs and parameters
// without readers.
form traced
param %w "w" : f32[4, 4]
input %x : f32[4]
input %unused : f32[4]
  %a = exp %x : f32[4]
  %b = neg %a : f32[4]
  %m = broadcast [0] %b : f32[4, 4]
  %y = add %m, %m : f32[4, 4]
output %y
output %a
//= form traced
//= param %w "w" : f32[4, 4]
//= input %x : f32[4]
//= input %unused : f32[4]
//=   %a = exp %x : f32[4]
//=   %b = neg %a : f32[4]
//=   %m = broadcast [0] %b : f32[4, 4]
//=   %y = add %m, %m : f32[4, 4]
//= output %y
//= output %a
