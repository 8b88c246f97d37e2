form local
mesh @mesh = [d=3]
input %arg0 : f32[10@d, 4]
input %arg1 : i32[7] whole
input %arg2 : f32[7, 4] whole
  %c = constant 0 : i32[] phase backward_input
  %0 = broadcast [] %c : i32[7] phase backward_input
  %1 = compare lt %arg1, %0 : bool[7] phase backward_input
  %c_0 = constant 10 : i32[] phase backward_input
  %2 = broadcast [] %c_0 : i32[7] phase backward_input
  %3 = add %arg1, %2 : i32[7] phase backward_input
  %4 = select %1, %3, %arg1 : i32[7] phase backward_input
  %5 = broadcast [0] %4 : i32[7, 1] phase backward_input
  %start = piece_start of 10 over d : i32[] phase backward_weight
  %broadcast = broadcast [] %start : i32[7, 1] phase backward_weight
  %relative = sub %5, %broadcast : i32[7, 1] phase backward_weight
  %6 = scatter sum window [1] inserted [0] map [0] vector 1 %arg0, %relative, %arg2 : f32[10@d, 4] phase backward_weight
output %6 "out0"
