test apply-plan
// A glob with `%` does not match parameters, whose paths have no `%`.
//plan mesh = { data = 2 }
//plan [shard]
//plan "%layers.*.bias" = "data" # //~ L006
form traced
param %w0 "layers.0.weight" : f32[64, 64]
input %x : f32[32, 64]
  %layers.0.h = matmul %x, %w0 : f32[32, 64]
output %layers.0.h
//= error[L006]: no value matches `%layers.*.bias`
//=   --> plan:5:2 matches nothing
//=   = note: the model has `%layers.0.h`
//=   = help: write `%layers.*.bias?` if it may match nothing
