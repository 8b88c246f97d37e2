test interleave
// All pairs of rows, another slice, and numbers of the rows depend on their order; the concatenation itself is a result.
form traced
input %a : f32[2, 3]
input %b : f32[2, 3]
input %c : f32[3, 4]
input %d : f32[3, 4]
input %e : f32[4, 5]
input %f : f32[4, 5]
input %g : f32[5, 6]
input %h : f32[5, 6]
  %ab = concatenate dim 0 %a, %b : f32[4, 3]
  %pairs = dot_general contract [1]x[1] %ab, %ab : f32[4, 4]
  %cd = concatenate dim 0 %c, %d : f32[6, 4]
  %most = slice [0, 0] to [4, 4] %cd : f32[4, 4]
  %ef = concatenate dim 0 %e, %f : f32[8, 5]
  %n = iota dim 0 : f32[8, 5]
  %numbered = mul %ef, %n : f32[8, 5]
  %first = slice [0, 0] to [4, 5] %numbered : f32[4, 5]
  %gh = concatenate dim 0 %g, %h : f32[10, 6]
output %pairs
output %most
output %first
output %gh
//= form traced
//= input %a : f32[2, 3]
//= input %b : f32[2, 3]
//= input %c : f32[3, 4]
//= input %d : f32[3, 4]
//= input %e : f32[4, 5]
//= input %f : f32[4, 5]
//= input %g : f32[5, 6]
//= input %h : f32[5, 6]
//=   %ab = concatenate dim 0 %a, %b : f32[4, 3]
//=   %pairs = dot_general contract [1]x[1] %ab, %ab : f32[4, 4]
//=   %cd = concatenate dim 0 %c, %d : f32[6, 4]
//=   %most = slice [0, 0] to [4, 4] %cd : f32[4, 4]
//=   %ef = concatenate dim 0 %e, %f : f32[8, 5]
//=   %n = iota dim 0 : f32[8, 5]
//=   %numbered = mul %ef, %n : f32[8, 5]
//=   %first = slice [0, 0] to [4, 5] %numbered : f32[4, 5]
//=   %gh = concatenate dim 0 %g, %h : f32[10, 6]
//= output %pairs
//= output %most
//= output %first
//= output %gh
