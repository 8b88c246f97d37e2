test infer-phases
// A scalar parameter, and one of a single element whose gradient is computed by a loop: the loop and its body are in the
// backward-weight phase.
form traced
func @turn(%sum: f32[1], %x: f32[7, 1]) {
  %g = reduce sum [0] %x : f32[1]
  %next = add %sum, %g : f32[1]
  return %next "next", %x "x"
}
input %w : f32[1]
input %s : f32[]
input %x : f32[7, 1]
  %loss = reduce sum [0, 1] %x : f32[]
  %zero = constant 0.0 : f32[1]
  %w.grad, %x.1 = loop 3 of @turn %zero, %x : f32[1], f32[7, 1]
  %w.new = sub %w, %w.grad : f32[1]
  %square = mul %x, %x : f32[7, 1]
  %s.grad = reduce sum [0, 1] %square : f32[]
  %s.new = sub %s, %s.grad : f32[]
output %loss "loss"
output %w.new "w"
output %s.new "s"
//= form traced
//= func @turn(%sum: f32[1], %x: f32[7, 1]) {
//=   %g = reduce sum [0] %x : f32[1] phase backward_weight
//=   %next = add %sum, %g : f32[1] phase backward_weight
//=   return %next, %x
//= }
//= input %w : f32[1]
//= input %s : f32[]
//= input %x : f32[7, 1]
//=   %loss = reduce sum [0, 1] %x : f32[]
//=   %zero = constant 0.0 : f32[1] phase backward_input
//=   %w.grad, %x.1 = loop 3 of @turn %zero, %x : f32[1], f32[7, 1] phase backward_weight
//=   %w.new = sub %w, %w.grad : f32[1] phase update
//=   %square = mul %x, %x : f32[7, 1] phase backward_input
//=   %s.grad = reduce sum [0, 1] %square : f32[] phase backward_weight
//=   %s.new = sub %s, %s.grad : f32[] phase update
//= output %loss
//= output %w.new "w"
//= output %s.new "s"
