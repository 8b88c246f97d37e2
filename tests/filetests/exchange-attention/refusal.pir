test exchange-attention
// This pass rejects no program. Attention with replicated keys, with another number of keys than queries, and with
// positions keeps its form: keys are gathered if necessary.
form planned
mesh @m = [context=2]
input %q : f32[6@context, 4]
input %k : f32[6, 4] whole
input %memory : f32[8@context, 4]
input %shard : f32[6@context, 4]
  %rows = iota dim 0 : i32[6@context]
  %columns = iota dim 0 : i32[6@context]
  %replicated = attention causal scale 0.5 %q, %k, %k : f32[6@context, 4]
  %cross = attention scale 0.5 %q, %memory, %memory : f32[6@context, 4]
  %ordered = attention causal scale 0.5 %q, %shard, %shard, %rows, %columns : f32[6@context, 4]
output %replicated
output %cross
output %ordered
//= form planned
//= mesh @m = [context=2]
//= input %q : f32[6@context, 4]
//= input %k : f32[6, 4] whole
//= input %memory : f32[8@context, 4]
//= input %shard : f32[6@context, 4]
//=   %rows = iota dim 0 : i32[6@context]
//=   %columns = iota dim 0 : i32[6@context]
//=   %replicated = attention causal scale 0.5 %q, %k, %k : f32[6@context, 4]
//=   %cross = attention scale 0.5 %q, %memory, %memory : f32[6@context, 4]
//=   %ordered = attention causal scale 0.5 %q, %shard, %shard, %rows, %columns : f32[6@context, 4]
//= output %replicated
//= output %cross
//= output %ordered
