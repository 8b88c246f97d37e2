test precision
// The gradient is narrow. Its norm and the update stay f32.
//plan precision = "bf16"
form traced
param %w "w" : f32[4, 1]
input %x : f32[6, 4]
  %y = matmul %x, %w : f32[6, 1]
  %twice = add %y, %y : f32[6, 1] phase backward_input
  %w.grad = dot_general contract [0]x[0] %x, %twice : f32[4, 1] phase backward_weight
  %square = mul %w.grad, %w.grad : f32[4, 1] phase backward_input
  %norm = reduce sum [0, 1] %square : f32[] phase backward_weight
  %wide = broadcast [] %norm : f32[4, 1] phase update
  %step = div %w.grad, %wide : f32[4, 1] phase update
  %new = sub %w, %step : f32[4, 1] phase update
output %new -> "w"
//= form traced
//= param %w "w" : f32[4, 1]
//= input %x : f32[6, 4]
//=   %x.bf16 = convert %x : bf16[6, 4]
//=   %w.bf16 = convert %w : bf16[4, 1]
//=   %y.bf16 = matmul %x.bf16, %w.bf16 : bf16[6, 1]
//=   %twice.bf16 = add %y.bf16, %y.bf16 : bf16[6, 1] phase backward_input
//=   %w.grad.bf16 = dot_general contract [0]x[0] %x.bf16, %twice.bf16 : bf16[4, 1] phase backward_weight
//=   %w.grad = convert %w.grad.bf16 : f32[4, 1] phase backward_weight
//=   %square = mul %w.grad, %w.grad : f32[4, 1] phase backward_input
//=   %norm = reduce sum [0, 1] %square : f32[] phase backward_weight
//=   %wide = broadcast [] %norm : f32[4, 1] phase update
//=   %step = div %w.grad, %wide : f32[4, 1] phase update
//=   %new = sub %w, %step : f32[4, 1] phase update
//= output %new -> "w"
