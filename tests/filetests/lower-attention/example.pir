test lower-attention
// The example of the pass's documentation.
form local
mesh @m = [context=2]
input %q : f32[6@context, 4]
input %k : f32[6@context, 4]
input %v : f32[6@context, 4]
  %y = attention scale 0.5 context gather of 6 over context %q, %k, %v : f32[6@context, 4]
output %y
//= form local
//= mesh @m = [context=2]
//= input %q : f32[6@context, 4]
//= input %k : f32[6@context, 4]
//= input %v : f32[6@context, 4]
//=   %shard = reshape %q : f32[3, 4]
//=   %shard.1 = reshape %k : f32[3, 4]
//=   %shard.2 = reshape %v : f32[3, 4]
//=   %keys = all_gather dim 0 over context %shard.1 : f32[6, 4]
//=   %values = all_gather dim 0 over context %shard.2 : f32[6, 4]
//=   %attention = attention scale 0.5 %shard, %keys, %values : f32[6@context, 4]
//= output %attention "y"
