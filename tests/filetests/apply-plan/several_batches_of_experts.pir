test apply-plan
// A product of several batch dimensions, such as the modes of a Fourier transform, has one of experts.
//plan mesh = { expert = 2 }
//plan presets = "expert"
form traced
param %w "w" : f32[4, 6, 8, 8]
input %x : f32[10, 4, 6, 8]
  %y = dot_general contract [3]x[2] batch [1, 2]x[0, 1] %x, %w : f32[4, 6, 10, 8]
  %t = transpose [2, 0, 1, 3] %y : f32[10, 4, 6, 8]
  %z = reduce sum [1, 2] %t : f32[10, 8]
output %z
//= form traced
//= mesh @mesh = [expert=2]
//= param %w "w" : f32[4@expert, 6, 8, 8]
//= input %x : f32[10@expert, 4, 6?, 8?]
//=   %x.1 = constrain fresh %x : f32[10@expert, 4, 6, 8]
//=   %y = dot_general contract [3]x[2] batch [1, 2]x[0, 1] %x.1, %w : f32[4@expert, 6?, 10, 8?]
//=   %y.1 = constrain fresh %y : f32[4, 6?, 10@expert, 8?]
//=   %t = transpose [2, 0, 1, 3] %y.1 : f32[10, 4, 6, 8]
//=   %z = reduce sum [1, 2] %t : f32[10, 8]
//= output %z
