test dce
// The example of the pass's documentation.
form traced
input %x : f32[4]
  %a = exp %x : f32[4]
  %b = neg %x : f32[4]
output %b
//= form traced
//= input %x : f32[4]
//=   %b = neg %x : f32[4]
//= output %b
