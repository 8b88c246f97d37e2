test canonicalise
// The example of the pass's documentation.
form traced
param %w "w" : f32[64, 128]
param %b "b" : f32[128]
input %x : f32[4, 8, 64]
  %f = reshape %x : f32[32, 64]
  %m = matmul %f, %w : f32[32, 128]
  %r = reshape %b : f32[1, 128]
  %c = broadcast [0, 1] %r : f32[32, 128]
  %a = add %m, %c : f32[32, 128]
  %y = reshape %a : f32[4, 8, 128]
output %y
//= form traced
//= param %w "w" : f32[64, 128]
//= param %b "b" : f32[128]
//= input %x : f32[4, 8, 64]
//=   %f = reshape %x : f32[32, 64]
//=   %m = matmul %x, %w : f32[4, 8, 128]
//=   %reshape = reshape %m : f32[32, 128]
//=   %r = reshape %b : f32[1, 128]
//=   %c = broadcast [1] %b : f32[32, 128]
//=   %broadcast.1 = broadcast [2] %b : f32[4, 8, 128]
//=   %a = add %m, %broadcast.1 : f32[4, 8, 128]
//=   %reshape.1 = reshape %a : f32[32, 128]
//= output %a "y"
