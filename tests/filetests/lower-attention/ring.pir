test lower-attention
// Keys and values circulate, and the results of both steps are merged by log-sum-exp. Without a causal mask, no
// positions are needed.
form local
mesh @m = [context=2]
input %q : bf16[6@context, 4]
input %k : bf16[6@context, 4]
  %y = attention scale 0.5 context ring of 6 over context %q, %k, %k : bf16[6@context, 4]
output %y
//= form local
//= mesh @m = [context=2]
//= input %q : bf16[6@context, 4]
//= input %k : bf16[6@context, 4]
//=   %shard = reshape %q : bf16[3, 4]
//=   %shard.1 = reshape %k : bf16[3, 4]
//=   %shard.2 = reshape %k : bf16[3, 4]
//=   %received = permute over context [0->1, 1->0] %shard.1 : bf16[3, 4]
//=   %received.1 = permute over context [0->1, 1->0] %shard.2 : bf16[3, 4]
//=   %attention, %attention.1 = attention scale 0.5 log_sum_exp %shard, %shard.1, %shard.2 : bf16[3, 4], f32[3]
//=   %convert = convert %attention : f32[3, 4]
//=   %attention.2, %attention.3 = attention scale 0.5 log_sum_exp %shard, %received, %received.1 : bf16[3, 4], f32[3]
//=   %convert.1 = convert %attention.2 : f32[3, 4]
//=   %max = max %attention.1, %attention.3 : f32[3]
//=   %sub = sub %attention.1, %max : f32[3]
//=   %exp = exp %sub : f32[3]
//=   %sub.1 = sub %attention.3, %max : f32[3]
//=   %exp.1 = exp %sub.1 : f32[3]
//=   %add = add %exp, %exp.1 : f32[3]
//=   %log = log %add : f32[3]
//=   %add.1 = add %max, %log : f32[3]
//=   %div = div %exp, %add : f32[3]
//=   %broadcast = broadcast [0] %div : f32[3, 4]
//=   %mul = mul %convert, %broadcast : f32[3, 4]
//=   %div.1 = div %exp.1, %add : f32[3]
//=   %broadcast.1 = broadcast [0] %div.1 : f32[3, 4]
//=   %mul.1 = mul %convert.1, %broadcast.1 : f32[3, 4]
//=   %add.2 = add %mul, %mul.1 : f32[3, 4]
//=   %convert.2 = convert %add.2 : bf16[6@context, 4]
//= output %convert.2 "y"
