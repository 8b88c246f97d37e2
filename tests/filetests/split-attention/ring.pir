test split-attention
// An exchange that the plan requests for the attention of full sequences does not apply to few queries.
form planned
mesh @m = [c=2]
input %q : f32[1, 4] whole
input %k : f32[16@c, 4]
input %v : f32[16@c, 4]
%y = attention scale 1 context ring %q, %k, %v : f32[1, 4] whole
output %y
//= form planned
//= mesh @m = [c=2]
//= input %q : f32[1, 4] whole
//= input %k : f32[16@c, 4]
//= input %v : f32[16@c, 4]
//=   %broadcast = broadcast [1, 2] %q : f32[2, 1, 4] whole
//=   %reshape = reshape %k : f32[2@c, 8, 4]
//=   %reshape.1 = reshape %v : f32[2@c, 8, 4]
//=   %parts, %parts.1 = attention scale 1.0 log_sum_exp %broadcast, %reshape, %reshape.1 : f32[2@c, 1, 4], f32[2@c, 1]
//=   %max = reduce max [0] %parts.1 : f32[1] whole
//=   %broadcast.1 = broadcast [1] %max : f32[2, 1] whole
//=   %sub = sub %parts.1, %broadcast.1 : f32[2@c, 1]
//=   %exp = exp %sub : f32[2@c, 1]
//=   %sum = reduce sum [0] %exp : f32[1] whole
//=   %broadcast.2 = broadcast [0, 1] %exp : f32[2@c, 1, 4]
//=   %mul = mul %parts, %broadcast.2 : f32[2@c, 1, 4]
//=   %sum.1 = reduce sum [0] %mul : f32[1, 4] whole
//=   %broadcast.3 = broadcast [0] %sum : f32[1, 4] whole
//=   %div = div %sum.1, %broadcast.3 : f32[1, 4] whole
//= output %div "y"
