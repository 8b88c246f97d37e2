form local
mesh @mesh = [d=2]
input %arg0 : f32[8@d, 3, 2, 4]
input %arg1 : f32[8@d, 3, 2, 4]
input %arg2 : f32[8@d, 3, 2, 4]
  %transpose.1 = transpose [0, 2, 1, 3] %arg0 : f32[4, 2, 3, 4]
  %transpose.2 = transpose [0, 2, 1, 3] %arg1 : f32[4, 2, 3, 4]
  %transpose.3 = transpose [0, 2, 1, 3] %arg2 : f32[4, 2, 3, 4]
  %attention = attention causal scale 0.5 %transpose.1, %transpose.2, %transpose.3 : f32[4, 2, 3, 4]
  %transpose.4 = transpose [0, 1, 3, 2] %attention : f32[4, 2, 4, 3]
  %22 = reshape %transpose.4 : f32[4, 2, 4, 1, 3]
  %24 = transpose [0, 4, 1, 3, 2] %22 : f32[4, 3, 2, 1, 4]
  %25 = reshape %24 : f32[8@d, 3, 2, 4]
output %25 "out0"
