form local
mesh @mesh = [d=3]
input %arg0 : f32[10@d, 4]
input %arg1 : i32[8, 3] whole
  %c = constant 0 : i32[] phase backward_input
  %0 = broadcast [] %c : i32[8, 3] phase backward_input
  %1 = compare lt %arg1, %0 : bool[8, 3] phase backward_input
  %c_0 = constant 10 : i32[] phase backward_input
  %2 = broadcast [] %c_0 : i32[8, 3] phase backward_input
  %3 = add %arg1, %2 : i32[8, 3] phase backward_input
  %4 = select %1, %3, %arg1 : i32[8, 3] phase backward_input
  %5 = broadcast [0, 1] %4 : i32[8, 3, 1] phase backward_input
  %c.1 = constant 0 : i32[8, 3, 1] phase backward_input
  %c.2 = constant 9 : i32[8, 3, 1] phase backward_input
  %clamped = clamp %c.1, %5, %c.2 : i32[8, 3, 1] phase backward_input
  %start = piece_start of 10 over d : i32[] phase backward_input
  %broadcast = broadcast [] %start : i32[8, 3, 1] phase backward_input
  %relative = sub %clamped, %broadcast : i32[8, 3, 1] phase backward_input
  %6 = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 4] fill %arg0, %relative : f32[8, 3, 4] phase backward_input
  %6.1 = all_reduce sum over d %6 : f32[8, 3, 4] phase backward_input
  %7 = cos %6.1 : f32[8, 3, 4] phase backward_input
  %cst = constant 1.0 : f32[] phase backward_input
  %8 = broadcast [] %cst : f32[8, 3, 4] phase backward_input
  %9 = mul %8, %7 : f32[8, 3, 4] phase backward_input
  %cst_1 = constant 0.0 : f32[] phase backward_input
  %10 = broadcast [] %cst_1 : f32[10, 4] phase backward_input
  %11 = scatter sum window [2] inserted [0] map [0] vector 2 %10, %5, %9 : f32[10, 4] whole phase backward_weight
output %11 "out0"
