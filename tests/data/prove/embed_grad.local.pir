form local
mesh @mesh = [d=2]
input %arg0 : f32[10, 4] whole
input %arg1 : i32[8@d, 3]
  %c = constant 0 : i32[]
  %0 = broadcast [] %c : i32[4, 3]
  %1 = compare lt %arg1, %0 : bool[4, 3]
  %c_0 = constant 10 : i32[]
  %2 = broadcast [] %c_0 : i32[4, 3]
  %3 = add %arg1, %2 : i32[4, 3]
  %4 = select %1, %3, %arg1 : i32[4, 3]
  %5 = broadcast [0, 1] %4 : i32[4, 3, 1]
  %6 = gather offset [2] collapsed [0] map [0] vector 2 sizes [1, 4] %arg0, %5 : f32[4, 3, 4]
  %7 = cos %6 : f32[4, 3, 4]
  %cst = constant 1.0 : f32[]
  %8 = broadcast [] %cst : f32[4, 3, 4]
  %9 = mul %8, %7 : f32[4, 3, 4]
  %10.1 = constant 0.0 : f32[10, 4]
  %11 = scatter sum window [2] inserted [0] map [0] vector 2 %10.1, %5, %9 : f32[10, 4]
  %11.1 = all_reduce sum over d %11 : f32[10, 4] whole
output %11.1 "out0"
