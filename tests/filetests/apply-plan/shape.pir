test apply-plan
// Seven rows over four devices are padded. Dimensions of sizes 1 and 0 are sharded like any other, two axes shard the middle
// one of five dimensions, and a scalar has no dimension to shard.
//plan mesh = { data = 3, model = 4 }
//plan [shard]
//plan "uneven" = "model, _"
//plan "one" = "model"
//plan "none" = "_, data"
//plan "deep" = "_, _, data+model, _, _"
//plan "scalar" = ""
form traced
param %a "uneven" : f32[7, 5]
param %b "one" : f32[1]
param %c "none" : f32[5, 0]
param %d "deep" : f32[1, 2, 13, 2, 1]
param %e "scalar" : f32[]
input %x : f32[5, 7]
  %y = matmul %x, %a : f32[5, 5]
output %y
//= form traced
//= mesh @mesh = [data=3, model=4]
//= param %a "uneven" : f32[7@model, 5]
//= param %b "one" : f32[1@model]
//= param %c "none" : f32[5, 0@data]
//= param %d "deep" : f32[1, 2, 13@data+model, 2, 1]
//= param %e "scalar" : f32[] whole
//= input %x : f32[5, 7]
//=   %y = matmul %x, %a : f32[5, 5]
//= output %y
