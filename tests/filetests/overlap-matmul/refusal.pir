test overlap-matmul
// Not a kind of overlap.
//plan overlap = "matmull" # //~ L016 is not a kind of overlap
form local
mesh @m = [model=2]
input %x : f32[4@model, 8]
  %shard = reshape %x : f32[2, 8]
  %whole = all_gather dim 0 over model %shard : f32[4, 8] whole
output %whole
//= error[L016]: `matmull` is not a kind of overlap
//=   --> plan:3:12 expected `matmul` or `none`
//=   = help: there is one with a similar name: `matmul`
