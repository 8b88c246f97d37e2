test verify
form local
mesh @m = [a=2]
input %x : f32[4@a, 3]
  %g = all_gather dim 0 over a %x : f32[4, 3]
  %r = reshard %g : f32[4, 3] //~ V002 not lowered
output %g
//= error[V002]: `reshard %r`: not lowered to collectives
//=   --> verify/local.pir:6
