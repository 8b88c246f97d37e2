test split-attention
// This pass rejects no program. If the axes do not divide the keys, or shard the queries too, or if there are many
// queries, the keys are gathered.
form planned
mesh @m = [context=2]
input %q : f32[1, 4] whole
input %rows : f32[2@context, 4]
input %many : f32[8, 4] whole
input %odd : f32[33@context, 4]
input %k : f32[32@context, 4]
  %a = attention scale 0.5 %q, %odd, %odd : f32[1, 4] whole
  %b = attention scale 0.5 %rows, %k, %k : f32[2@context, 4]
  %c = attention scale 0.5 %many, %k, %k : f32[8, 4] whole
output %a
output %b
output %c
//= form planned
//= mesh @m = [context=2]
//= input %q : f32[1, 4] whole
//= input %rows : f32[2@context, 4]
//= input %many : f32[8, 4] whole
//= input %odd : f32[33@context, 4]
//= input %k : f32[32@context, 4]
//=   %a = attention scale 0.5 %q, %odd, %odd : f32[1, 4] whole
//=   %b = attention scale 0.5 %rows, %k, %k : f32[2@context, 4]
//=   %c = attention scale 0.5 %many, %k, %k : f32[8, 4] whole
//= output %a
//= output %b
//= output %c
