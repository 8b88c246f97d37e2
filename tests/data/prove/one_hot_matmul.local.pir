form local
mesh @mesh = [d=2]
input %arg0 : i32[8@d]
input %arg1 : f32[10, 4] whole
  %_one_hot.1 = iota dim 1 : i32[1, 10]
  %_one_hot.2 = broadcast [0] %arg0 : i32[4, 10]
  %_one_hot.3 = broadcast [0, 1] %_one_hot.1 : i32[4, 10]
  %_one_hot.4 = compare eq %_one_hot.2, %_one_hot.3 : bool[4, 10]
  %_one_hot.5 = convert %_one_hot.4 : f32[4, 10]
  %1 = matmul %_one_hot.5, %arg1 : f32[8@d, 4]
output %1 "out0"
