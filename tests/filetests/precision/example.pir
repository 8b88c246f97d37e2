test precision
// The example of the pass's documentation.
//plan precision = "bf16"
form traced
param %w "w" : f32[2, 4]
input %x : f32[8, 2]
  %h = matmul %x, %w : f32[8, 4]
output %h
//= form traced
//= param %w "w" : bf16[2, 4]
//= input %x : f32[8, 2]
//=   %x.bf16 = convert %x : bf16[8, 2]
//=   %h.bf16 = matmul %x.bf16, %w : bf16[8, 4]
//=   %h = convert %h.bf16 : f32[8, 4]
//= output %h
