test verify
// What one device holds of the results must follow from what it holds of the operands.
form local
mesh @m = [a=2]
input %x : f32[4@a, 3]
  %g = all_gather dim 0 over a %x : f32[4, 3]
  %s = shard dim 0 over a %g : f32[4, 3] //~ V001 gives f32[2, 3]
output %g
//= error[V001]: `shard %s`: it gives f32[2, 3], not f32[4, 3]
//=   --> verify/local_types.pir:7
