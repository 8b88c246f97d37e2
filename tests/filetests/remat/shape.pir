test remat
// Micro-batches in the body of a loop: seven examples over three devices, of a single feature, and a scalar weight,
// whose broadcast is recomputed with the layer.
//plan remat = "full"
form planned
mesh @m = [data=3]
func @turn(%sum: f32[1, 1] whole, %w: f32[1, 1] whole, %s: f32[] whole, %x: f32[7@data, 1]) {
  %wide = broadcast [] %s : f32[7@data, 1]
  %h = matmul %x, %w : f32[7@data, 1]
  %y = mul %h, %wide : f32[7@data, 1]
  %t = tanh %y : f32[7@data, 1]
  %g = mul %t, %wide : f32[7@data, 1] phase backward_input
  %w.grad = dot_general contract [0]x[0] %x, %g : f32[1, 1] whole phase backward_weight
  %next = add %sum, %w.grad : f32[1, 1] whole phase backward_weight
  return %next "next", %w "w", %s "s", %x "x"
}
param %w.1 "layers.0.weight" : f32[1, 1] whole
param %s.1 "layers.0.scale" : f32[] whole
input %x.1 : f32[7@data, 1]
  %zero = constant 0.0 : f32[1, 1] whole
  %sum.1, %w.2, %s.2, %x.2 = loop 5 of @turn %zero, %w.1, %s.1, %x.1 : f32[1, 1] whole, f32[1, 1] whole, f32[] whole, f32[7@data, 1] phase backward_weight
  %w.new = sub %w.1, %sum.1 : f32[1, 1] whole phase update
output %w.new -> "layers.0.weight"
//= form planned
//= mesh @m = [data=3]
//= func @turn(%sum: f32[1, 1] whole, %w: f32[1, 1] whole, %s: f32[] whole, %x: f32[7@data, 1]) {
//=   %wide = broadcast [] %s : f32[7@data, 1]
//=   %h = matmul %x, %w : f32[7@data, 1]
//=   %y = mul %h, %wide : f32[7@data, 1]
//=   %t = tanh %y : f32[7@data, 1]
//=   %wide.1 = broadcast [] %s : f32[7@data, 1] phase recompute
//=   %h.1 = matmul %x, %w : f32[7@data, 1] phase recompute
//=   %y.1 = mul %h.1, %wide.1 : f32[7@data, 1] phase recompute
//=   %t.1 = tanh %y.1 : f32[7@data, 1] phase recompute
//=   %g = mul %t.1, %wide.1 : f32[7@data, 1] phase backward_input
//=   %w.grad = dot_general contract [0]x[0] %x, %g : f32[1, 1] whole phase backward_weight
//=   %next = add %sum, %w.grad : f32[1, 1] whole phase backward_weight
//=   return %next, %w, %s, %x
//= }
//= param %w.1 "layers.0.weight" : f32[1, 1] whole
//= param %s.1 "layers.0.scale" : f32[] whole
//= input %x.1 : f32[7@data, 1]
//=   %zero = constant 0.0 : f32[1, 1] whole
//=   %sum.1, %w.2, %s.2, %x.2 = loop 5 of @turn %zero, %w.1, %s.1, %x.1 : f32[1, 1] whole, f32[1, 1] whole, f32[] whole, f32[7@data, 1] phase backward_weight
//=   %w.new = sub %w.1, %sum.1 : f32[1, 1] whole phase update
//= output %w.new -> "layers.0.weight"
