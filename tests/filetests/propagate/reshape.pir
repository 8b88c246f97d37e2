test propagate
// An axis that spans two factors is split into sub-axes.
form traced
mesh @m = [a=8]
input %x : f32[64@a]
  %y = reshape %x : f32[2, 32]
  %z = reshape %y : f32[4, 16]
output %z
//= form planned
//= mesh @m = [a=8]
//= input %x : f32[64@a]
//=   %y = reshape %x : f32[2@a:(1)2, 32@a:(2)4]
//=   %z = reshape %y : f32[4@a:(1)4, 16@a:(4)2]
//= output %z
