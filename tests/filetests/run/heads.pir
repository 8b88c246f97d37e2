test run
// Seven heads over four devices: elements on the wrong side of a shard boundary are moved without a gather.
form traced
mesh @m = [model=4]
param %q "q" : f32[6, 35@model]
param %k "k" : f32[6, 35@model]
param %v "v" : f32[6, 35@model]
param %o "o" : f32[35@model, 6]
input %x : f32[2, 3, 6]
  %xq = matmul %x, %q : f32[2, 3, 35]
  %xk = matmul %x, %k : f32[2, 3, 35]
  %xv = matmul %x, %v : f32[2, 3, 35]
  %hq = reshape %xq : f32[2, 3, 7, 5]
  %hk = reshape %xk : f32[2, 3, 7, 5]
  %hv = reshape %xv : f32[2, 3, 7, 5]
  %scores = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %hq, %hk : f32[2, 7, 3, 3]
  %p = softmax dim 3 %scores : f32[2, 7, 3, 3]
  %mixed = dot_general contract [3]x[1] batch [0, 1]x[0, 2] %p, %hv : f32[2, 7, 3, 5]
  %back = transpose [0, 2, 1, 3] %mixed : f32[2, 3, 7, 5]
  %merged = reshape %back : f32[2, 3, 35]
  %y = matmul %merged, %o : f32[2, 3, 6]
output %y
//= 4 devices agree
//= all_reduce 1
//= mask 1
//= permute 4
//= piece_start 8
