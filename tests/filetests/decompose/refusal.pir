test decompose
// This pass rejects no program. Composites that are sharded along other dimensions only, or replicated, are not
// decomposed.
form planned
mesh @m = [model=4]
param %g "gamma" : f32[64] whole
input %x : f32[8@model, 64]
input %y : f32[8, 64] whole
input %label : i32[8@model]
  %s = softmax dim 1 %x : f32[8@model, 64]
  %n = rms_norm eps 0.001 %y, %g : f32[8, 64] whole
  %loss = cross_entropy %x, %label : f32[8@model]
output %s
output %n
output %loss
//= form planned
//= mesh @m = [model=4]
//= param %g "gamma" : f32[64] whole
//= input %x : f32[8@model, 64]
//= input %y : f32[8, 64] whole
//= input %label : i32[8@model]
//=   %s = softmax dim 1 %x : f32[8@model, 64]
//=   %n = rms_norm eps 0.001 %y, %g : f32[8, 64] whole
//=   %loss = cross_entropy %x, %label : f32[8@model]
//= output %s
//= output %n
//= output %loss
