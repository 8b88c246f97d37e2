test insert-reshards
// The replacement of a parameter has the parameter's layout, independently of its computation: the next step takes it unchanged.
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
