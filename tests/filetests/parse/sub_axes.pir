test parse
// Sub-axes, open dimensions, priorities, explicit replication, several meshes, host memory.
form planned
mesh @m = [data=2, model=8]
mesh @n = [x=2] on 16..18
mesh @o = [x=2] on [3, 1]
input %a : f32[8@model:(2)2?!3, 4] all(data)
input %b : f32[8@x] on @n
input %c : f32[] on @o
input %d : f32[8] whole host
  %e = neg %a : f32[8@model:(2)2?!3, 4] sum(data+model:(1)2)
//= form planned
//= mesh @m = [data=2, model=8]
//= mesh @n = [x=2] on 16..18
//= mesh @o = [x=2] on [3, 1]
//= input %a : f32[8@model:(2)2?!3, 4] all(data)
//= input %b : f32[8@x] on @n
//= input %c : f32[] on @o
//= input %d : f32[8] whole host
//=   %e = neg %a : f32[8@model:(2)2?!3, 4] sum(data+model:(1)2)
//= output %e
