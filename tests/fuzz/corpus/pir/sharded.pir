form traced
mesh @m = [data=2, model=4]
param %w1 "up.weight" : f32[64, 512@model]
param %w2 "down.weight" : f32[512@model, 64]
input %x : f32[32@data, 64]
  %h = matmul %x, %w1 : f32[32, 512]
  %r = relu %h : f32[32, 512]
  %y = matmul %r, %w2 : f32[32, 64]
  %q = mul %y, %y : f32[32, 64]
  %loss = reduce sum [0, 1] %q : f32[]
output %loss "loss"
