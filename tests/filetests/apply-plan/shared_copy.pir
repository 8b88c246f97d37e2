test apply-plan
// Ops of two phases read one copy in the layout of use. It has the phase of the earlier one, which is read later.
//plan mesh = { data = 2 }
//plan store.w = "data, _"
//plan shard.w = "_, _"
form traced
param %w "w" : f32[4, 4]
input %x : f32[4, 4]
input %g : f32[4, 4]
  %b = matmul %g, %w : f32[4, 4] phase backward_input
  %f = matmul %x, %w : f32[4, 4]
output %b
output %f
//= form traced
//= mesh @mesh = [data=2]
//= param %w "w" : f32[4@data, 4]
//= input %x : f32[4, 4]
//= input %g : f32[4, 4]
//=   %w.1 = constrain fresh %w : f32[4, 4] whole
//=   %b = matmul %g, %w.1 : f32[4, 4] phase backward_input
//=   %f = matmul %x, %w.1 : f32[4, 4]
//= output %b
//= output %f
