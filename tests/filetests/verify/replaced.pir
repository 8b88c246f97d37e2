test verify
// The replacement of a parameter has the parameter's layout.
form explicit
mesh @m = [data=4]
param %w "w" : f32[32, 16] whole
param %v "v" : f32[32, 16] whole
input %g : f32[32@data, 16]
  %w.1 = shard dim 0 over data %w : f32[32@data, 16]
  %pieces = sub %w.1, %g : f32[32@data, 16] //~ V002 differs from that of the input
  %v.1 = shard dim 0 over data %v : f32[32@data, 16]
  %part = sub %v.1, %g : f32[32@data, 16]
  %new = all_gather dim 0 over data %part : f32[32, 16] whole
output %pieces -> "w"
output %new -> "v"
//= error[V002]: `sub %pieces`: the layout of its result differs from that of the input that it replaces
//=   --> verify/replaced.pir:9
