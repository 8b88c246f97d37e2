test dce
// Inputs stay, used or not; an op without readers is removed together with the ops that only it reads.
form traced
input %x : f32[4]
input %unused : f32[4]
  %a = exp %x : f32[4]
  %b = neg %a : f32[4]
  %c = neg %x : f32[4]
output %c
//= form traced
//= input %x : f32[4]
//= input %unused : f32[4]
//=   %c = neg %x : f32[4]
//= output %c
