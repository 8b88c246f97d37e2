test localize
// This pass rejects no program. Inputs, parameters and results keep their global types, also a parameter that is a
// result, and ops on replicated values get no mask, halo or device position.
form explicit
mesh @m = [data=4]
param %w "w" : f32[10@data]
input %x : f32[7, 3] whole
  %s = reduce sum [0] %x : f32[3] whole
  %place = iota dim 0 : i32[7] whole
  %window = reduce_window sum [(3 pad 1 1), (1)] %x : f32[7, 3] whole
output %w "same"
output %s
output %place
output %window
//= form local
//= mesh @m = [data=4]
//= param %w "w" : f32[10@data]
//= input %x : f32[7, 3] whole
//=   %s = reduce sum [0] %x : f32[3] whole
//=   %place = iota dim 0 : i32[7] whole
//=   %window = reduce_window sum [(3 pad 1 1), (1)] %x : f32[7, 3] whole
//= output %w "same"
//= output %s
//= output %place
//= output %window
