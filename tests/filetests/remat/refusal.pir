test remat
// An unknown policy.
//plan remat = "most" # //~ D006 unknown recomputation policy `most`
form planned
mesh @m = [data=2]
param %w "w" : f32[4, 4] whole
input %x : f32[6@data, 4]
  %h = matmul %x, %w : f32[6@data, 4]
  %t = tanh %h : f32[6@data, 4]
  %g = mul %t, %t : f32[6@data, 4] phase backward_input
output %t
output %g
//= error[D006]: unknown recomputation policy `most`
//=   --> plan:3:10 expected `none`, `selective`, `alternate`, `full`, `cheapest?share=50%`, `ops:softmax,gelu` or `auto?budget=8GiB`
