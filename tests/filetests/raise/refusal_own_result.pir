test raise
// The addend of a layer norm is not its bias when it is the layer norm itself, or computed from it.
form traced
input %x : f32[4]
input %g : f32[4]
  %norm = layer_norm eps 0.5 %x, %g : f32[4]
  %twice = add %norm, %norm : f32[4]
  %norm.1 = layer_norm eps 0.5 %x, %g : f32[4]
  %tanh = tanh %norm.1 : f32[4]
  %bent = add %norm.1, %tanh : f32[4]
  %norm.2 = layer_norm eps 0.5 %x, %g : f32[4]
  %shifted = add %norm.2, %x : f32[4]
output %twice
output %bent
output %shifted
//= form traced
//= input %x : f32[4]
//= input %g : f32[4]
//=   %norm = layer_norm eps 0.5 %x, %g : f32[4]
//=   %twice = add %norm, %norm : f32[4]
//=   %norm.1 = layer_norm eps 0.5 %x, %g : f32[4]
//=   %tanh = tanh %norm.1 : f32[4]
//=   %bent = add %norm.1, %tanh : f32[4]
//=   %shifted = layer_norm eps 0.5 %x, %g, %x : f32[4]
//= output %twice
//= output %bent
//= output %shifted
