test remat
// Half of the bytes of a layer are saved by the activation function, which takes less time than the product before it.
// The last layer recomputes nothing.
//plan remat = "cheapest?share=50%"
form planned
mesh @m = [data=2]
param %w0 "embed.weight" : f32[4, 4] whole
param %w1 "up.weight" : f32[4, 16] whole
param %w2 "down.weight" : f32[16, 4] whole
param %w3 "head.weight" : f32[4, 16] whole
input %x : f32[6@data, 4]
  %e = matmul %x, %w0 : f32[6@data, 4]
  %h = matmul %e, %w1 : f32[6@data, 16]
  %g = gelu %h : f32[6@data, 16]
  %y = matmul %g, %w2 : f32[6@data, 4]
  %z = add %y, %e : f32[6@data, 4]
  %o = matmul %z, %w3 : f32[6@data, 16]
  %t = tanh %o : f32[6@data, 16]
  %loss = reduce sum [0, 1] %t : f32[] whole
  %o.grad = mul %t, %o : f32[6@data, 16] phase backward_input
  %w3.grad = dot_general contract [0]x[0] %z, %o.grad : f32[4, 16] whole phase backward_weight
  %y.grad = dot_general contract [1]x[1] %o.grad, %w3 : f32[6@data, 4] phase backward_input
  %w2.grad = dot_general contract [0]x[0] %g, %y.grad : f32[16, 4] whole phase backward_weight
  %g.grad = dot_general contract [1]x[1] %y.grad, %w2 : f32[6@data, 16] phase backward_input
  %h.grad = mul %g.grad, %h : f32[6@data, 16] phase backward_input
  %w1.grad = dot_general contract [0]x[0] %e, %h.grad : f32[4, 16] whole phase backward_weight
  %w1.new = sub %w1, %w1.grad : f32[4, 16] whole phase update
  %w2.new = sub %w2, %w2.grad : f32[16, 4] whole phase update
  %w3.new = sub %w3, %w3.grad : f32[4, 16] whole phase update
output %loss
output %w1.new
output %w2.new
output %w3.new
//= form planned
//= mesh @m = [data=2]
//= param %w0 "embed.weight" : f32[4, 4] whole
//= param %w1 "up.weight" : f32[4, 16] whole
//= param %w2 "down.weight" : f32[16, 4] whole
//= param %w3 "head.weight" : f32[4, 16] whole
//= input %x : f32[6@data, 4]
//=   %e = matmul %x, %w0 : f32[6@data, 4]
//=   %h = matmul %e, %w1 : f32[6@data, 16]
//=   %g = gelu %h : f32[6@data, 16]
//=   %y = matmul %g, %w2 : f32[6@data, 4]
//=   %z = add %y, %e : f32[6@data, 4]
//=   %o = matmul %z, %w3 : f32[6@data, 16]
//=   %t = tanh %o : f32[6@data, 16]
//=   %loss = reduce sum [0, 1] %t : f32[] whole
//=   %o.grad = mul %t, %o : f32[6@data, 16] phase backward_input
//=   %w3.grad = dot_general contract [0]x[0] %z, %o.grad : f32[4, 16] whole phase backward_weight
//=   %y.grad = dot_general contract [1]x[1] %o.grad, %w3 : f32[6@data, 4] phase backward_input
//=   %g.1 = gelu %h : f32[6@data, 16] phase recompute
//=   %w2.grad = dot_general contract [0]x[0] %g.1, %y.grad : f32[16, 4] whole phase backward_weight
//=   %g.grad = dot_general contract [1]x[1] %y.grad, %w2 : f32[6@data, 16] phase backward_input
//=   %h.grad = mul %g.grad, %h : f32[6@data, 16] phase backward_input
//=   %w1.grad = dot_general contract [0]x[0] %e, %h.grad : f32[4, 16] whole phase backward_weight
//=   %w1.new = sub %w1, %w1.grad : f32[4, 16] whole phase update
//=   %w2.new = sub %w2, %w2.grad : f32[16, 4] whole phase update
//=   %w3.new = sub %w3, %w3.grad : f32[4, 16] whole phase update
//= output %loss
//= output %w1.new
//= output %w2.new
//= output %w3.new
