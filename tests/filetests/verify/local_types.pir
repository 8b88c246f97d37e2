test verify
// The local result types must follow from the local operand types.
form local
mesh @m = [a=2]
input %x : f32[4@a, 3]
  %g = all_gather dim 0 over a %x : f32[4, 3]
  %s = shard dim 0 over a %g : f32[4, 3] //~ V001 yields f32[2, 3]
output %g
//= error[V001]: `shard %s`: the operation yields f32[2, 3], not f32[4, 3]
//=   --> verify/local_types.pir:7
