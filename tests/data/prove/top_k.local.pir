form local
mesh @mesh = [d=2]
input %arg0 : f32[8@d, 6]
  %values, %indices = top_k 2 %arg0 : f32[8@d, 2], i32[8@d, 2]
output %values "out0"
output %indices "out1"
