test propagate
// Every device of `model` would compute the first two products in full. Sharing the first one takes less time than
// repeating it, and its features shard the next one. The last product is too small for a gather of its result. The axis
// `pod` shards nothing, and stays unused.
form traced
mesh @m = [data=2, model=4, pod=2]
param %up "up.weight" : f32[512, 2048]
param %down "down.weight" : f32[2048, 512]
param %small "head.weight" : f32[512, 4]
input %x : f32[1024@data, 512]
input %other : f32[8@model]
  %h = matmul %x, %up : f32[1024, 2048]
  %r = relu %h : f32[1024, 2048]
  %y = matmul %r, %down : f32[1024, 512]
  %z = matmul %y, %small : f32[1024, 4]
  %n = neg %z : f32[1024, 4]
  %o = neg %other : f32[8]
output %n
output %o
//= form planned
//= mesh @m = [data=2, model=4, pod=2]
//= param %up "up.weight" : f32[512, 2048@model]
//= param %down "down.weight" : f32[2048@model, 512]
//= param %small "head.weight" : f32[512, 4] whole
//= input %x : f32[1024@data, 512]
//= input %other : f32[8@model]
//=   %h = matmul %x, %up : f32[1024@data, 2048@model]
//=   %r = relu %h : f32[1024@data, 2048@model]
//=   %y = matmul %r, %down : f32[1024@data, 512]
//=   %z = matmul %y, %small : f32[1024@data, 4]
//=   %n = neg %z : f32[1024@data, 4]
//=   %o = neg %other : f32[8@model]
//= output %n
//= output %o
