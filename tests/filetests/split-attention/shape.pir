test split-attention
// Two positions of bf16 heads, in causal order and through a mask of the keys, in the body of a loop.
form planned
mesh @m = [context=2]
func @turn(%q: bf16[3, 2, 1], %k: bf16[3, 32@context, 1], %mask: bool[32@context]) {
  %y = attention causal scale 0.5 %q, %k, %k, %mask : bf16[3, 2, 1] whole
  return %y "q", %k "k", %mask "mask"
}
input %q : bf16[3, 2, 1] whole
input %k : bf16[3, 32@context, 1]
input %mask : bool[32@context]
  %a, %b, %c = loop 3 of @turn %q, %k, %mask : bf16[3, 2, 1] whole, bf16[3, 32@context, 1], bool[32@context]
output %a
//= 
