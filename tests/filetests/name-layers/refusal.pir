test name-layers
// Parameters whose paths have no numbers do not name their layers, and fewer than four equal layers are not found.
form traced
param %w0 "first.weight" : f32[4, 4]
param %w1 "second.weight" : f32[4, 4]
param %w2 "third.weight" : f32[4, 4]
param %w3 "fourth.weight" : f32[4, 4]
input %x : f32[4, 4]
  %matmul = matmul %x, %w0 : f32[4, 4]
  %matmul.1 = matmul %matmul, %w1 : f32[4, 4]
  %matmul.2 = matmul %matmul.1, %w2 : f32[4, 4]
  %matmul.3 = matmul %matmul.2, %w3 : f32[4, 4]
output %matmul.3
//= form traced
//= param %w0 "first.weight" : f32[4, 4]
//= param %w1 "second.weight" : f32[4, 4]
//= param %w2 "third.weight" : f32[4, 4]
//= param %w3 "fourth.weight" : f32[4, 4]
//= input %x : f32[4, 4]
//=   %matmul = matmul %x, %w0 : f32[4, 4]
//=   %matmul.1 = matmul %matmul, %w1 : f32[4, 4]
//=   %matmul.2 = matmul %matmul.1, %w2 : f32[4, 4]
//=   %matmul.3 = matmul %matmul.2, %w3 : f32[4, 4]
//= output %matmul.3
