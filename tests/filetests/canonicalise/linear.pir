test canonicalise
// A Linear layer on three dimensions: flattened, multiplied, reshaped back.
form traced
param %w "w" : f32[16, 32]
param %b "b" : f32[32]
input %x : f32[2, 8, 16]
  %f = reshape %x : f32[16, 16]
  %m = matmul %f, %w : f32[16, 32]
  %u = reshape %m : f32[2, 8, 32]
  %bb = broadcast [2] %b : f32[2, 8, 32]
  %y = add %u, %bb : f32[2, 8, 32]
output %y
//= form traced
//= param %w "w" : f32[16, 32]
//= param %b "b" : f32[32]
//= input %x : f32[2, 8, 16]
//=   %f = reshape %x : f32[16, 16]
//=   %m = matmul %x, %w : f32[2, 8, 32]
//=   %reshape = reshape %m : f32[16, 32]
//=   %bb = broadcast [2] %b : f32[2, 8, 32]
//=   %y = add %m, %bb : f32[2, 8, 32]
//= output %y
