test overlap-matmul
// Not a collective.
//plan overlap = "all_gathers" # //~ L016 is not a collective
form local
mesh @m = [model=2]
input %x : f32[4@model, 8]
  %shard = reshape %x : f32[2, 8]
  %whole = all_gather dim 0 over model %shard : f32[4, 8] whole
output %whole
//= error[L016]: `all_gathers` is not a collective that overlaps with products
//=   --> plan:3:12 expected `all_gather`, `reduce_scatter`, both, or `none`
//=   = help: write `all_gather`
