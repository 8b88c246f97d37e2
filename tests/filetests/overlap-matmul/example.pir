test overlap-matmul
// The example of the pass's documentation.
//plan overlap = "all_gather, reduce_scatter"
form local
mesh @m = [model=2]
input %x : f32[4@model, 8]
input %w : f32[8, 6@model]
  %shard = reshape %x : f32[2, 8]
  %whole = all_gather dim 0 over model %shard : f32[4, 8]
  %y = matmul %whole, %w : f32[4, 6@model]
output %y
//= form local
//= mesh @m = [model=2]
//= input %x : f32[4@model, 8]
//= input %w : f32[8, 6@model]
//=   %shard = reshape %x : f32[2, 8]
//=   %c = constant 0 : i32[]
//=   %received = permute over model [0->1, 1->0] %shard : f32[2, 8]
//=   %constant = constant [0, 2] : i32[2, 1]
//=   %start = shard dim 0 over model %constant : i32[1, 1]
//=   %reshape = reshape %start : i32[1]
//=   %reshape.1 = reshape %reshape : i32[]
//=   %y.1 = matmul %shard, %w : f32[2, 3]
//=   %c.1 = constant 0.0 : f32[4, 3]
//=   %y.2 = dynamic_update_slice %c.1, %y.1, %reshape.1, %c : f32[4, 3]
//=   %constant.1 = constant [2, 0] : i32[2, 1]
//=   %start.1 = shard dim 0 over model %constant.1 : i32[1, 1]
//=   %reshape.2 = reshape %start.1 : i32[1]
//=   %reshape.3 = reshape %reshape.2 : i32[]
//=   %y.3 = matmul %received, %w : f32[2, 3]
//=   %y = dynamic_update_slice %y.2, %y.3, %reshape.3, %c : f32[4, 6@model]
//= output %y
