test overlap-matmul
// The maximum reads the gathered value, which is assembled. It runs after the ring, as does the root, which depends on the first product.
//plan overlap = "all_gather, reduce_scatter"
form local
mesh @m = [model=2]
input %x : f32[4@model, 8]
input %v : f32[8, 6@model]
input %w : f32[8, 6@model]
  %shard = reshape %x : f32[2, 8]
  %whole = all_gather dim 0 over model %shard : f32[4, 8]
  %max = reduce max [0, 1] %whole : f32[] whole
  %a = matmul %whole, %v : f32[4, 3]
  %root = sqrt %a : f32[4, 6@model]
  %square = mul %w, %w : f32[8, 3]
  %b = matmul %whole, %square : f32[4, 6@model]
output %max
output %root
output %b
//= form local
//= mesh @m = [model=2]
//= input %x : f32[4@model, 8]
//= input %v : f32[8, 6@model]
//= input %w : f32[8, 6@model]
//=   %shard = reshape %x : f32[2, 8]
//=   %square = mul %w, %w : f32[8, 3]
//=   %c = constant 0 : i32[]
//=   %received = permute over model [0->1, 1->0] %shard : f32[2, 8]
//=   %constant = constant [0, 2] : i32[2, 1]
//=   %start = shard dim 0 over model %constant : i32[1, 1]
//=   %reshape = reshape %start : i32[1]
//=   %reshape.1 = reshape %reshape : i32[]
//=   %a.1 = matmul %shard, %v : f32[2, 3]
//=   %c.1 = constant 0.0 : f32[4, 3]
//=   %a.2 = dynamic_update_slice %c.1, %a.1, %reshape.1, %c : f32[4, 3]
//=   %b.1 = matmul %shard, %square : f32[2, 3]
//=   %c.2 = constant 0.0 : f32[4, 3]
//=   %b.2 = dynamic_update_slice %c.2, %b.1, %reshape.1, %c : f32[4, 3]
//=   %c.3 = constant 0.0 : f32[4, 8]
//=   %whole.1 = dynamic_update_slice %c.3, %shard, %reshape.1, %c : f32[4, 8]
//=   %constant.1 = constant [2, 0] : i32[2, 1]
//=   %start.1 = shard dim 0 over model %constant.1 : i32[1, 1]
//=   %reshape.2 = reshape %start.1 : i32[1]
//=   %reshape.3 = reshape %reshape.2 : i32[]
//=   %a.3 = matmul %received, %v : f32[2, 3]
//=   %a = dynamic_update_slice %a.2, %a.3, %reshape.3, %c : f32[4, 3]
//=   %b.3 = matmul %received, %square : f32[2, 3]
//=   %b = dynamic_update_slice %b.2, %b.3, %reshape.3, %c : f32[4, 6@model]
//=   %whole = dynamic_update_slice %whole.1, %received, %reshape.3, %c : f32[4, 8]
//=   %max = reduce max [0, 1] %whole : f32[] whole
//=   %root = sqrt %a : f32[4, 6@model]
//= output %max
//= output %root
//= output %b
