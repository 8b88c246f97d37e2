test apply-plan
// A misspelt axis, an axis that shards two dimensions of a parameter, a layout of the wrong rank, and a path without a match.
//plan mesh = { data = 2, model = 4 }
//plan [shard]
//plan "a" = "_, modle" # //~ L001 mesh has no axis `modle`
//plan "b" = "model, model" # //~ L002
//plan "c" = "model" # //~ L009
//plan "e" = "model" # //~ L006
form traced
param %a "a" : f32[8, 8]
param %b "b" : f32[8, 8]
param %c "c" : f32[8, 8]
input %x : f32[8, 8]
  %y = matmul %x, %a : f32[8, 8]
output %y
//= error[L006]: no parameter or input matches `e`
//=   --> plan:8:2 matches nothing
//=   = help: there is one with a similar name: `a`
//= error[L001]: mesh has no axis `modle`
//=   --> plan:5:11 not an axis of this mesh
//=   --> plan:3:8 its axes are `data` (2) and `model` (4)
//=   = help: there is an axis with a similar name: `model`
//= error[L002]: axis `model` splits two dimensions of `b`
//=   --> plan:6:8 first here, dimension 0 (8)
//=   --> plan:6:15 and again here, dimension 1 (8)
//=   = note: a device has one position on `model`, so it can store only one shard along it
//=   = help: for a column split write `_, model`; for a row split write `model, _`
//= error[L009]: `c` has 2 dimensions, but this layout has 1 entry
//=   --> plan:7:8 1 entry for f32[8, 8]
//=   = help: write one entry for each dimension, as in `_, _`
