test decompose
// The example of the pass's documentation.
form planned
mesh @m = [model=4]
input %x : f32[8, 64@model]
  %s = softmax dim 1 %x : f32[8, 64@model]
output %s
//= form planned
//= mesh @m = [model=4]
//= input %x : f32[8, 64@model]
//=   %max = reduce max [1] %x : f32[8] whole
//=   %broadcast = broadcast [0] %max : f32[8, 64] whole
//=   %sub = sub %x, %broadcast : f32[8, 64@model]
//=   %exp = exp %sub : f32[8, 64@model]
//=   %sum = reduce sum [1] %exp : f32[8] whole
//=   %broadcast.1 = broadcast [0] %sum : f32[8, 64] whole
//=   %div = div %exp, %broadcast.1 : f32[8, 64@model]
//= output %div "s"
