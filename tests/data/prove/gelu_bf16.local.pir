form local
mesh @mesh = [d=2]
input %arg0 : bf16[8@d, 6]
  %12 = gelu tanh constants bf16 %arg0 : bf16[8@d, 6]
output %12 "out0"
