test interleave
// The example of the pass's documentation.
form traced
input %x : f32[3, 4]
input %y : f32[3, 4]
  %xy = concatenate dim 0 %x, %y : f32[6, 4]
  %z = exp %xy : f32[6, 4]
  %u = slice [0, 0] to [3, 4] %z : f32[3, 4]
  %v = slice [3, 0] to [6, 4] %z : f32[3, 4]
output %u
output %v
//= form traced
//= input %x : f32[3, 4]
//= input %y : f32[3, 4]
//=   %reshape = reshape %x : f32[3, 1, 4]
//=   %reshape.1 = reshape %y : f32[3, 1, 4]
//=   %concatenate = concatenate dim 1 %reshape, %reshape.1 : f32[3, 2, 4]
//=   %reshape.2 = reshape %concatenate : f32[6, 4]
//=   %z = exp %reshape.2 : f32[6, 4]
//=   %reshape.3 = reshape %z : f32[3, 2, 4]
//=   %slice = slice [0, 0, 0] to [3, 1, 4] %reshape.3 : f32[3, 1, 4]
//=   %reshape.4 = reshape %slice : f32[3, 4]
//=   %reshape.5 = reshape %z : f32[3, 2, 4]
//=   %slice.1 = slice [0, 1, 0] to [3, 2, 4] %reshape.5 : f32[3, 1, 4]
//=   %reshape.6 = reshape %slice.1 : f32[3, 4]
//= output %reshape.4 "u"
//= output %reshape.6 "v"
