test precision
// With `autocast`, the sum of an f32 and a bf16 value is f32, as are norms, and a bias adapts to the product.
//plan precision = "autocast"
form traced
param %w "weight" : f32[4, 4]
param %b "bias" : f32[4]
input %x : f32[8, 4]
  %h = matmul %x, %w : f32[8, 4]
  %bb = broadcast [1] %b : f32[8, 4]
  %hb = add %h, %bb : f32[8, 4]
  %g = gelu %hb : f32[8, 4]
  %y = add %x, %g : f32[8, 4]
  %z = softmax dim 1 %y : f32[8, 4]
output %z
//= form traced
//= param %w "weight" : bf16[4, 4]
//= param %b "bias" : f32[4]
//= input %x : f32[8, 4]
//=   %x.bf16 = convert %x : bf16[8, 4]
//=   %h.bf16 = matmul %x.bf16, %w : bf16[8, 4]
//=   %bb = broadcast [1] %b : f32[8, 4]
//=   %b.bf16 = convert %b : bf16[4]
//=   %bb.bf16 = broadcast [1] %b.bf16 : bf16[8, 4]
//=   %hb.bf16 = add %h.bf16, %bb.bf16 : bf16[8, 4]
//=   %g.bf16 = gelu %hb.bf16 : bf16[8, 4]
//=   %g = convert %g.bf16 : f32[8, 4]
//=   %y = add %x, %g : f32[8, 4]
//=   %z = softmax dim 1 %y : f32[8, 4]
//= output %z
