test decompose
// Split along another dimension, a composite stays whole.
form planned
mesh @m = [model=4]
input %x : f32[8@model, 64]
  %s = softmax dim 1 %x : f32[8@model, 64]
output %s
//= form planned
//= mesh @m = [model=4]
//= input %x : f32[8@model, 64]
//=   %s = softmax dim 1 %x : f32[8@model, 64]
//= output %s
