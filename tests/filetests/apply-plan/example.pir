test apply-plan
// The example of the pass's documentation.
//plan mesh = { data = 2, model = 4 }
//plan [shard]
//plan "up.weight" = "_, model"
form traced
param %w1 "up.weight" : f32[64, 512]
input %x : f32[32, 64]
  %h = matmul %x, %w1 : f32[32, 512]
output %h
//= form traced
//= mesh @mesh = [data=2, model=4]
//= param %w1 "up.weight" : f32[64, 512@model]
//= input %x : f32[32, 64]
//=   %h = matmul %x, %w1 : f32[32, 512]
//= output %h
