test freeze
// Frozen parameters are marked; any matching path suffices, not only the most specific one.
//plan freeze = ["up.*"]
form traced
param %w1 "up.weight"   : f32[4, 8]
param %b1 "up.bias"     : f32[8]
param %w2 "down.weight" : f32[8, 1]
input %x : f32[6, 4]
  %h = matmul %x, %w1 : f32[6, 8]
  %b = broadcast [1] %b1 : f32[6, 8]
  %hb = add %h, %b : f32[6, 8]
  %r = relu %hb : f32[6, 8]
  %y = matmul %r, %w2 : f32[6, 1]
  %loss = reduce sum [0, 1] %y : f32[]
output %loss "loss"
//= form traced
//= param %w1 "up.weight" frozen : f32[4, 8]
//= param %b1 "up.bias" frozen : f32[8]
//= param %w2 "down.weight" : f32[8, 1]
//= input %x : f32[6, 4]
//=   %h = matmul %x, %w1 : f32[6, 8]
//=   %b = broadcast [1] %b1 : f32[6, 8]
//=   %hb = add %h, %b : f32[6, 8]
//=   %r = relu %hb : f32[6, 8]
//=   %y = matmul %r, %w2 : f32[6, 1]
//=   %loss = reduce sum [0, 1] %y : f32[]
//= output %loss
