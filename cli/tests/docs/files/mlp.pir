form traced
param %w1 "up.weight" : f32[64, 512]
param %w2 "down.weight" : f32[512, 64]
input %x : f32[32, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %r = relu %h : f32[32, 512]
  %y = matmul %r, %w2 : f32[32, 64]
output %y "y"
