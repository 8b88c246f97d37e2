test fallbacks
// The largest elements along a sharded dimension require a gather, which is reported.
form traced
mesh @m = [data=4]
input %x : f32[3, 8@data]
  %v, %i = top_k 2 %x : f32[3, 2], i32[3, 2]
output %v
output %i
//= top_k %v: dimension 1 of %x is gathered: the rule cannot split this dimension
