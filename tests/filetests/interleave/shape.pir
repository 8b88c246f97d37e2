test interleave
// Examples of one feature, in batches of a prime number, and parts of one example, which stay.
form traced
input %x : f32[7, 1]
input %y : f32[7, 1]
input %one : f32[1, 4]
input %two : f32[1, 4]
  %xy = concatenate dim 0 %x, %y : f32[14, 1]
  %e = exp %xy : f32[14, 1]
  %r = reshape %e : f32[14]
  %u = slice [7] to [14] %r : f32[7]
  %both = concatenate dim 0 %one, %two : f32[2, 4]
  %f = exp %both : f32[2, 4]
  %w = slice [1, 0] to [2, 4] %f : f32[1, 4]
output %u
output %w
//= form traced
//= input %x : f32[7, 1]
//= input %y : f32[7, 1]
//= input %one : f32[1, 4]
//= input %two : f32[1, 4]
//=   %reshape = reshape %x : f32[7, 1, 1]
//=   %reshape.1 = reshape %y : f32[7, 1, 1]
//=   %concatenate = concatenate dim 1 %reshape, %reshape.1 : f32[7, 2, 1]
//=   %reshape.2 = reshape %concatenate : f32[14, 1]
//=   %e = exp %reshape.2 : f32[14, 1]
//=   %r = reshape %e : f32[14]
//=   %reshape.3 = reshape %r : f32[7, 2]
//=   %slice = slice [0, 1] to [7, 2] %reshape.3 : f32[7, 1]
//=   %reshape.4 = reshape %slice : f32[7]
//=   %both = concatenate dim 0 %one, %two : f32[2, 4]
//=   %f = exp %both : f32[2, 4]
//=   %w = slice [1, 0] to [2, 4] %f : f32[1, 4]
//= output %reshape.4 "u"
//= output %w
