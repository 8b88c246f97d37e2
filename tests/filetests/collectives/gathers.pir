test collectives
// A slice of a gathered value is taken before the gather; a slice of a reduced value becomes a reduce_scatter.
form explicit
mesh @m = [data=4]
input %x : f32[8@data, 16]
input %y : f32[8, 16@data]
  %g = all_gather dim 0 over data %x : f32[8, 16] whole
  %h = convert %g : bf16[8, 16] whole
  %s = reduce sum [1] %y : f32[8] sum(data)
  %r = all_reduce sum over data %s : f32[8] whole
  %c = shard dim 0 over data %r : f32[8@data]
output %h
output %c
//= form explicit
//= mesh @m = [data=4]
//= input %x : f32[8@data, 16]
//= input %y : f32[8, 16@data]
//=   %h.1 = convert %x : bf16[8@data, 16]
//=   %h = all_gather dim 0 over data %h.1 : bf16[8, 16] whole
//=   %s = reduce sum [1] %y : f32[8] sum(data)
//=   %c = reduce_scatter sum dim 0 over data %s : f32[8@data]
//= output %h
//= output %c
