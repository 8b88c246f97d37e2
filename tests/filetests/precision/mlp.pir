test precision
// Products and the ops around them have low precision, each parameter is converted once, and the loss is accumulated in f32.
//plan precision = "bf16"
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
//= param %w1 "up.weight" : bf16[4, 8]
//= param %b1 "up.bias" : bf16[8]
//= param %w2 "down.weight" : bf16[8, 1]
//= input %x : f32[6, 4]
//=   %x.bf16 = convert %x : bf16[6, 4]
//=   %h.bf16 = matmul %x.bf16, %w1 : bf16[6, 8]
//=   %b.bf16 = broadcast [1] %b1 : bf16[6, 8]
//=   %hb.bf16 = add %h.bf16, %b.bf16 : bf16[6, 8]
//=   %r.bf16 = relu %hb.bf16 : bf16[6, 8]
//=   %y.bf16 = matmul %r.bf16, %w2 : bf16[6, 1]
//=   %y = convert %y.bf16 : f32[6, 1]
//=   %loss = reduce sum [0, 1] %y : f32[]
//= output %loss
