test dce
// Inputs stay, used or not; an op whose results nobody reads goes, and what only it reads with it.
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
