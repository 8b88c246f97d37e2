test insert-reshards
// What replaces a parameter lies as it does, wherever it was laid out: the next step takes it as it is.
form planned
mesh @m = [data=4]
param %w "w" : f32[32, 16] whole
input %g : f32[32@data, 16]
  %new = sub %w, %g : f32[32@data, 16]
output %new -> "w"
//= form explicit
//= mesh @m = [data=4]
//= param %w "w" : f32[32, 16] whole
//= input %g : f32[32@data, 16]
//=   %w.1 = reshard %w : f32[32@data, 16]
//=   %new = sub %w.1, %g : f32[32@data, 16]
//=   %new.1 = reshard %new : f32[32, 16] whole phase update
//= output %new.1 "new" -> "w"
