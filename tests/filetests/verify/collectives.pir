test verify
form explicit
mesh @m = [data=2, model=4]
input %x : f32[8@data+model, 4]
  %g = all_gather dim 0 over model %x : f32[8@data, 4]
  %h = all_gather dim 0 over model:(2)2 %x : f32[8@data+model:(1)2, 4]
  %major = all_gather dim 0 over data %x : f32[8@model, 4] //~ V003 does not follow
  %t = all_to_all dim 0 -> dim 1 over model %x : f32[8@data, 4@model]
  %s = shard dim 1 over model %g : f32[8@data, 4@model]
  %o = shard dim 1 over data %s : f32[8@data, 4@model] //~ V003
  %q = partial over model %g : f32[8@data, 4] sum(model)
  %k = reduce_scatter sum dim 1 over model %q : f32[8@data, 4@model]
  %m = reduce_scatter max dim 1 over model %q : f32[8@data, 4@model] //~ V003
  %u = add %t, %k : f32[8@data, 4] //~ V003 do not follow from one assignment
//= error[V003]: `all_gather %major`: the layout of its result does not follow from that of its operand
//=   --> verify/collectives.pir:7
//= error[V003]: `shard %o`: the layout of its result does not follow from that of its operand
//=   --> verify/collectives.pir:10
//= error[V003]: `reduce_scatter %m`: the layout of its result does not follow from that of its operand
//=   --> verify/collectives.pir:13
//= error[V003]: `add %u`: the layouts do not follow from one assignment of axes to the factors of its rule ([a,b],[a,b])->([a,b]) {a=8,b=4} linear=[{0,1}]
//=   --> verify/collectives.pir:14
