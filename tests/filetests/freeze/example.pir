test freeze
// The example of the pass's documentation.
//plan freeze = ["embed.*"]
form traced
param %w "embed.weight" : f32[8, 4]
param %v "head.weight" : f32[4, 1]
input %x : f32[6, 8]
  %h = matmul %x, %w : f32[6, 4]
  %y = matmul %h, %v : f32[6, 1]
output %y
//= form traced
//= param %w "embed.weight" frozen : f32[8, 4]
//= param %v "head.weight" : f32[4, 1]
//= input %x : f32[6, 8]
//=   %h = matmul %x, %w : f32[6, 4]
//=   %y = matmul %h, %v : f32[6, 1]
//= output %y
