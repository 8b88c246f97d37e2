test overlap-matmul
// A gradient of a weight contracts the gathered rows: the products of the shards are added, in a wider type.
//plan overlap = "matmul"
form local
mesh @m = [model=2]
input %x : bf16[4@model, 8]
input %g : bf16[4, 6@model]
  %shard = reshape %x : bf16[2, 8]
  %whole = all_gather dim 0 over model %shard : bf16[4, 8] phase recompute
  %y = dot_general contract [0]x[0] %whole, %g : bf16[8, 6@model] phase backward_weight
output %y
//= form local
//= mesh @m = [model=2]
//= input %x : bf16[4@model, 8]
//= input %g : bf16[4, 6@model]
//=   %shard = reshape %x : bf16[2, 8]
//=   %c = constant 0 : i32[] phase recompute
//=   %received = permute over model [0->1, 1->0] %shard : bf16[2, 8] phase recompute
//=   %constant = constant [0, 2] : i32[2, 1] phase recompute
//=   %start = shard dim 0 over model %constant : i32[1, 1] phase recompute
//=   %reshape = reshape %start : i32[1] phase recompute
//=   %reshape.1 = reshape %reshape : i32[] phase recompute
//=   %block = dynamic_slice [2, 3] %g, %reshape.1, %c : bf16[2, 3] phase backward_weight
//=   %y.1 = dot_general contract [0]x[0] %shard, %block : f32[8, 3] phase backward_weight
//=   %constant.1 = constant [2, 0] : i32[2, 1] phase recompute
//=   %start.1 = shard dim 0 over model %constant.1 : i32[1, 1] phase recompute
//=   %reshape.2 = reshape %start.1 : i32[1] phase recompute
//=   %reshape.3 = reshape %reshape.2 : i32[] phase recompute
//=   %block.1 = dynamic_slice [2, 3] %g, %reshape.3, %c : bf16[2, 3] phase backward_weight
//=   %y.2 = dot_general contract [0]x[0] %received, %block.1 : f32[8, 3] phase backward_weight
//=   %add = add %y.1, %y.2 : f32[8, 3] phase backward_weight
//=   %y = convert %add : bf16[8, 6@model] phase backward_weight
//= output %y
