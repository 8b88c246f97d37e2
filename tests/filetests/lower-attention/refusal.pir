test lower-attention
// This pass rejects no program. Attention on sequences that are not sharded stays as it is.
form local
mesh @m = [context=2]
input %q : f32[6, 4] whole
  %y = attention causal scale 0.5 %q, %q, %q : f32[6, 4]
  %z = attention scale 0.5 context ring %q, %q, %y : f32[6, 4]
output %z
//= form local
//= mesh @m = [context=2]
//= input %q : f32[6, 4] whole
//=   %y = attention causal scale 0.5 %q, %q, %q : f32[6, 4]
//=   %z = attention scale 0.5 context ring %q, %q, %y : f32[6, 4]
//= output %z
