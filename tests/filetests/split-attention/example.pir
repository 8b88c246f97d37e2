test split-attention
// The example of the pass's documentation.
form planned
mesh @m = [context=2]
input %q : f32[1, 4] whole
input %k : f32[16@context, 4]
input %v : f32[16@context, 4]
  %y = attention scale 0.5 %q, %k, %v : f32[1, 4] whole
output %y
//= 
