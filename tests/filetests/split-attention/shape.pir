test split-attention
// Two positions of bf16 heads, in causal order and through a mask of the keys, in the body of a loop.
form planned
mesh @m = [context=2]
func @turn(%q: bf16[3, 2, 1] whole, %k: bf16[3, 32@context, 1], %mask: bool[32@context]) {
  %y = attention causal scale 0.5 %q, %k, %k, %mask : bf16[3, 2, 1] whole
  return %y "q", %k "k", %mask "mask"
}
input %q : bf16[3, 2, 1] whole
input %k : bf16[3, 32@context, 1]
input %mask : bool[32@context]
  %a, %b, %c = loop 3 of @turn %q, %k, %mask : bf16[3, 2, 1] whole, bf16[3, 32@context, 1], bool[32@context]
output %a
//= form planned
//= mesh @m = [context=2]
//= func @turn(%q: bf16[3, 2, 1] whole, %k: bf16[3, 32@context, 1], %mask: bool[32@context]) {
//=   %broadcast = broadcast [0, 2, 3] %q : bf16[3, 2, 2, 1] whole
//=   %reshape = reshape %k : bf16[3, 2@context, 16, 1]
//=   %reshape.1 = reshape %k : bf16[3, 2@context, 16, 1]
//=   %reshape.2 = reshape %mask : bool[1, 2@context, 16]
//=   %transpose = transpose [1, 0, 2] %reshape.2 : bool[2@context, 1, 16]
//=   %index = iota dim 0 : i64[2, 2, 16] whole
//=   %index.1 = iota dim 1 : i64[2, 2, 16] whole
//=   %index.2 = iota dim 2 : i64[2, 2, 16] whole
//=   %c.1 = constant 16 : i64[2, 2, 16] whole
//=   %mul = mul %index, %c.1 : i64[2, 2, 16] whole
//=   %add = add %mul, %index.2 : i64[2, 2, 16] whole
//=   %c.2 = constant 30 : i64[2, 2, 16] whole
//=   %add.1 = add %index.1, %c.2 : i64[2, 2, 16] whole
//=   %le = compare le %add, %add.1 : bool[2, 2, 16] whole
//=   %broadcast.1 = broadcast [0, 1, 2] %transpose : bool[2@context, 2, 16]
//=   %and = and %broadcast.1, %le : bool[2@context, 2, 16]
//=   %parts, %parts.1 = attention scale 0.5 log_sum_exp %broadcast, %reshape, %reshape.1, %and : bf16[3, 2@context, 2, 1], f32[3, 2@context, 2]
//=   %convert = convert %parts : f32[3, 2@context, 2, 1]
//=   %max = reduce max [1] %parts.1 : f32[3, 2] whole
//=   %broadcast.2 = broadcast [0, 2] %max : f32[3, 2, 2] whole
//=   %sub = sub %parts.1, %broadcast.2 : f32[3, 2@context, 2]
//=   %exp = exp %sub : f32[3, 2@context, 2]
//=   %sum = reduce sum [1] %exp : f32[3, 2] whole
//=   %broadcast.3 = broadcast [0, 1, 2] %exp : f32[3, 2@context, 2, 1]
//=   %mul.1 = mul %convert, %broadcast.3 : f32[3, 2@context, 2, 1]
//=   %sum.1 = reduce sum [1] %mul.1 : f32[3, 2, 1] whole
//=   %broadcast.4 = broadcast [0, 1] %sum : f32[3, 2, 1] whole
//=   %div = div %sum.1, %broadcast.4 : f32[3, 2, 1] whole
//=   %convert.1 = convert %div : bf16[3, 2, 1] whole
//=   return %convert.1 "q", %k, %mask
//= }
//= input %q : bf16[3, 2, 1] whole
//= input %k : bf16[3, 32@context, 1]
//= input %mask : bool[32@context]
//=   %a, %b, %c = loop 3 of @turn %q, %k, %mask : bf16[3, 2, 1] whole, bf16[3, 32@context, 1], bool[32@context]
//= output %a
