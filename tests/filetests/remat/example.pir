test remat
// The example of the pass's documentation.
form planned
mesh @m = [data=2]
input %v : f32[8@data]
input %g : f32[8@data, 512]
  %b = broadcast [0] %v : f32[8@data, 512]
  %y = exp %b : f32[8@data, 512]
  %b.grad = mul %g, %b : f32[8@data, 512] phase backward_input
output %y
output %b.grad
//= form planned
//= mesh @m = [data=2]
//= input %v : f32[8@data]
//= input %g : f32[8@data, 512]
//=   %b = broadcast [0] %v : f32[8@data, 512]
//=   %y = exp %b : f32[8@data, 512]
//=   %b.1 = broadcast [0] %v : f32[8@data, 512] phase recompute
//=   %b.grad = mul %g, %b.1 : f32[8@data, 512] phase backward_input
//= output %y
//= output %b.grad
