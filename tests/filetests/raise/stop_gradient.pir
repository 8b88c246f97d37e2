test raise
// The maximum that is subtracted has no gradient, as `x.max().detach()` in PyTorch.
form traced
input %x : f32[8, 64]
  %m = reduce max [1] %x : f32[8]
  %k = stop_gradient %m : f32[8]
  %s = broadcast [0] %k : f32[8, 64]
  %d = sub %x, %s : f32[8, 64]
  %e = exp %d : f32[8, 64]
  %t = reduce sum [1] %e : f32[8]
  %u = broadcast [0] %t : f32[8, 64]
  %y = div %e, %u : f32[8, 64]
output %y
//= form traced
//= input %x : f32[8, 64]
//=   %y = softmax dim 1 %x : f32[8, 64]
//= output %y
