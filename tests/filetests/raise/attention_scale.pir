test raise
// Factors of scores, queries and keys become the scale of the attention, unless their product would be rounded to `f32`.
form traced
input %q : f32[2, 6, 4]
input %k : f32[2, 6, 4]
input %v : f32[2, 6, 4]
  %root = constant 1.7320507764816284 : f32[2, 6, 6]
  %dot = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
  %scores = div %dot, %root : f32[2, 6, 6]
  %weights = softmax dim 2 %scores : f32[2, 6, 6]
  %divided = matmul %weights, %v : f32[2, 6, 4]

  %half = constant 0.7071067690849304 : f32[2, 6, 4]
  %q.1 = mul %q, %half : f32[2, 6, 4]
  %k.1 = mul %k, %half : f32[2, 6, 4]
  %scores.1 = dot_general contract [2]x[2] batch [0]x[0] %q.1, %k.1 : f32[2, 6, 6]
  %weights.1 = softmax dim 2 %scores.1 : f32[2, 6, 6]
  %both = matmul %weights.1, %v : f32[2, 6, 4]

  %four = constant 4.0 : f32[2, 6, 6]
  %quarter = constant 0.25 : f32[2, 6, 4]
  %q.2 = mul %q, %quarter : f32[2, 6, 4]
  %dot.2 = dot_general contract [2]x[2] batch [0]x[0] %q.2, %k : f32[2, 6, 6]
  %scores.2 = div %dot.2, %four : f32[2, 6, 6]
  %weights.2 = softmax dim 2 %scores.2 : f32[2, 6, 6]
  %exact = matmul %weights.2, %v : f32[2, 6, 4]
output %divided
output %both
output %exact
//= form traced
//= input %q : f32[2, 6, 4]
//= input %k : f32[2, 6, 4]
//= input %v : f32[2, 6, 4]
//=   %root = constant 1.7320507764816284 : f32[2, 6, 6]
//=   %c = constant 1.7320507764816284 : f32[2, 6, 4]
//=   %div = div %q, %c : f32[2, 6, 4]
//=   %divided = attention scale 1.0 %div, %k, %v : f32[2, 6, 4]
//=   %half = constant 0.7071067690849304 : f32[2, 6, 4]
//=   %k.1 = mul %k, %half : f32[2, 6, 4]
//=   %both = attention scale 0.7071067690849304 %q, %k.1, %v : f32[2, 6, 4]
//=   %four = constant 4.0 : f32[2, 6, 6]
//=   %quarter = constant 0.25 : f32[2, 6, 4]
//=   %exact = attention scale 0.0625 %q, %k, %v : f32[2, 6, 4]
//= output %divided
//= output %both
//= output %exact
