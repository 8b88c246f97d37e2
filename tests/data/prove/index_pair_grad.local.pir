form local
mesh @mesh = [a=2, b=3]
input %arg0 : f32[10@a, 6@b]
input %arg1 : i32[8] whole
input %arg2 : i32[8] whole
  %c = constant 0 : i32[] phase backward_input
  %0 = broadcast [] %c : i32[8] phase backward_input
  %1 = compare lt %arg1, %0 : bool[8] phase backward_input
  %c_0 = constant 10 : i32[] phase backward_input
  %2 = broadcast [] %c_0 : i32[8] phase backward_input
  %3 = add %arg1, %2 : i32[8] phase backward_input
  %4 = select %1, %3, %arg1 : i32[8] phase backward_input
  %c_1 = constant 0 : i32[] phase backward_input
  %5 = broadcast [] %c_1 : i32[8] phase backward_input
  %6 = compare lt %arg2, %5 : bool[8] phase backward_input
  %c_2 = constant 6 : i32[] phase backward_input
  %7 = broadcast [] %c_2 : i32[8] phase backward_input
  %8 = add %arg2, %7 : i32[8] phase backward_input
  %9 = select %6, %8, %arg2 : i32[8] phase backward_input
  %10 = broadcast [0] %4 : i32[8, 1] phase backward_input
  %11 = broadcast [0] %9 : i32[8, 1] phase backward_input
  %12 = concatenate dim 1 %10, %11 : i32[8, 2] phase backward_input
  %c.1 = constant 0 : i32[8, 2] phase backward_input
  %c.2 = constant 9 : i32[8, 2] phase backward_input
  %clamped = clamp %c.1, %12, %c.2 : i32[8, 2] phase backward_input
  %i = iota dim 1 : i32[8, 2] phase backward_input
  %c.3 = constant 0 : i32[8, 2] phase backward_input
  %is = compare eq %i, %c.3 : bool[8, 2] phase backward_input
  %indices = select %is, %clamped, %12 : i32[8, 2] phase backward_input
  %c.4 = constant 0 : i32[8, 2] phase backward_input
  %c.5 = constant 5 : i32[8, 2] phase backward_input
  %clamped.1 = clamp %c.4, %indices, %c.5 : i32[8, 2] phase backward_input
  %i.1 = iota dim 1 : i32[8, 2] phase backward_input
  %c.6 = constant 1 : i32[8, 2] phase backward_input
  %is.1 = compare eq %i.1, %c.6 : bool[8, 2] phase backward_input
  %indices.1 = select %is.1, %clamped.1, %indices : i32[8, 2] phase backward_input
  %start = piece_start of 10 over a : i32[] phase backward_input
  %broadcast = broadcast [] %start : i32[8, 2] phase backward_input
  %relative = sub %indices.1, %broadcast : i32[8, 2] phase backward_input
  %i.2 = iota dim 1 : i32[8, 2] phase backward_input
  %c.7 = constant 0 : i32[8, 2] phase backward_input
  %is.2 = compare eq %i.2, %c.7 : bool[8, 2] phase backward_input
  %indices.2 = select %is.2, %relative, %indices.1 : i32[8, 2] phase backward_input
  %start.1 = piece_start of 6 over b : i32[] phase backward_input
  %broadcast.1 = broadcast [] %start.1 : i32[8, 2] phase backward_input
  %relative.1 = sub %indices.2, %broadcast.1 : i32[8, 2] phase backward_input
  %i.3 = iota dim 1 : i32[8, 2] phase backward_input
  %c.8 = constant 1 : i32[8, 2] phase backward_input
  %is.3 = compare eq %i.3, %c.8 : bool[8, 2] phase backward_input
  %indices.3 = select %is.3, %relative.1, %indices.2 : i32[8, 2] phase backward_input
  %13 = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] fill %arg0, %indices.3 : f32[8] phase backward_input
  %13.1 = all_reduce sum over a+b %13 : f32[8] phase backward_input
  %14 = cos %13.1 : f32[8] phase backward_input
  %cst = constant 1.0 : f32[] phase backward_input
  %15 = broadcast [] %cst : f32[8] phase backward_input
  %16 = mul %15, %14 : f32[8] phase backward_input
  %cst_3 = constant 0.0 : f32[] phase backward_input
  %17 = broadcast [] %cst_3 : f32[10, 6] phase backward_input
  %18 = scatter sum inserted [0, 1] map [0, 1] vector 1 %17, %12, %16 : f32[10, 6] whole phase backward_weight
output %18 "out0"
