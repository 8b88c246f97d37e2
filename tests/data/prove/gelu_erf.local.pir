form local
mesh @mesh = [d=2]
input %arg0 : f32[8@d, 6]
  %6 = gelu erfc %arg0 : f32[8@d, 6]
output %6 "out0"
