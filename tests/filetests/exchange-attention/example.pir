test exchange-attention
// The example of the pass's documentation.
form planned
mesh @m = [context=2]
input %q : f32[6@context, 4]
input %k : f32[6@context, 4]
input %v : f32[6@context, 4]
  %y = attention scale 0.5 %q, %k, %v : f32[6@context, 4]
output %y
//= form planned
//= mesh @m = [context=2]
//= input %q : f32[6@context, 4]
//= input %k : f32[6@context, 4]
//= input %v : f32[6@context, 4]
//=   %y = attention scale 0.5 context ring %q, %k, %v : f32[6@context, 4]
//= output %y
