test insert-reshards
// An op of the forward pass reads a value that an op of the backward pass has resharded before: it is resharded in the
// forward pass.
form planned
mesh @m = [a=2]
input %x : f32[4@a, 4]
input %w : f32[4, 4] whole
  %y = exp %x : f32[4@a, 4]
  %g = reverse [0] %y : f32[4, 4] whole phase backward_input
  %z = reverse [0] %y : f32[4, 4] whole
output %g
output %z
//= form explicit
//= mesh @m = [a=2]
//= input %x : f32[4@a, 4]
//= input %w : f32[4, 4] whole
//=   %y = exp %x : f32[4@a, 4]
//=   %y.1 = reshard %y : f32[4, 4] whole
//=   %g = reverse [0] %y.1 : f32[4, 4] whole phase backward_input
//=   %z = reverse [0] %y.1 : f32[4, 4] whole
//= output %g
//= output %z
