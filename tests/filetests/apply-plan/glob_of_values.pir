test apply-plan
// A glob with `%` matches values by name: here the results of all layers.
//plan mesh = { data = 2 }
//plan [shard]
//plan "%layers.*.h" = "data, _"
form traced
param %w0 "layers.0.weight" : f32[64, 64]
param %w1 "layers.1.weight" : f32[64, 64]
input %x : f32[32, 64]
  %layers.0.h = matmul %x, %w0 : f32[32, 64]
  %layers.1.h = matmul %layers.0.h, %w1 : f32[32, 64]
  %y = relu %layers.1.h : f32[32, 64]
output %y
//= form traced
//= mesh @mesh = [data=2]
//= param %w0 "layers.0.weight" : f32[64, 64]
//= param %w1 "layers.1.weight" : f32[64, 64]
//= input %x : f32[32, 64]
//=   %layers.0.h = matmul %x, %w0 : f32[32@data, 64]
//=   %layers.1.h = matmul %layers.0.h, %w1 : f32[32@data, 64]
//=   %y = relu %layers.1.h : f32[32, 64]
//= output %y
