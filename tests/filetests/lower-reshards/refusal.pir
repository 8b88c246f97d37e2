test lower-reshards
// This pass rejects no program. Existing collectives stay, however expensive. A reshard to its operand's layout
// moves no data, and is removed.
form explicit
mesh @m = [data=2, model=4]
input %x : f32[8@data, 32@model]
  %g = all_gather dim 1 over model %x : f32[8@data, 32]
  %s = shard dim 1 over model %g : f32[8@data, 32@model]
  %r = relu %s : f32[8@data, 32@model]
  %same = reshard %r : f32[8@data, 32@model]
output %same
//= form explicit
//= mesh @m = [data=2, model=4]
//= input %x : f32[8@data, 32@model]
//=   %g = all_gather dim 1 over model %x : f32[8@data, 32]
//=   %s = shard dim 1 over model %g : f32[8@data, 32@model]
//=   %r = relu %s : f32[8@data, 32@model]
//= output %r "same"
