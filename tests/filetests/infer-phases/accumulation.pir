test infer-phases
// A loop adds up the gradients of two micro-batches: its body has a forward and a backward pass. The norm that the
// update is divided by is part of the update.
form traced
func @body(%i: i32[], %u: f32[4, 5], %w: f32[5, 3], %x: f32[2, 6, 4], %loss.sum: f32[], %u.sum: f32[4, 5], %w.sum: f32[5, 3]) {
  %one = constant 1 : i32[]
  %next = add %i, %one : i32[]
  %zero = constant 0 : i32[]
  %slice = dynamic_slice [1, 6, 4] %x, %i, %zero, %zero : f32[1, 6, 4]
  %part = reshape %slice : f32[6, 4]
  %h = matmul %part, %u : f32[6, 5]
  %t = tanh %h : f32[6, 5]
  %y = matmul %t, %w : f32[6, 3]
  %loss = reduce sum [0, 1] %y : f32[]
  %ones = constant 1.0 : f32[6, 3]
  %w.grad = dot_general contract [0]x[0] %t, %ones : f32[5, 3]
  %t.grad = dot_general contract [1]x[1] %ones, %w : f32[6, 5]
  %h.grad = mul %t.grad, %t : f32[6, 5]
  %u.grad = dot_general contract [0]x[0] %part, %h.grad : f32[4, 5]
  %loss.next = add %loss.sum, %loss : f32[]
  %u.next = add %u.grad, %u.sum : f32[4, 5]
  %w.next = add %w.sum, %w.grad : f32[5, 3]
  return %next "i", %u "u", %w "w", %x "x", %loss.next "loss", %u.next "du", %w.next "dw"
}
input %u0 : f32[4, 5]
input %w0 : f32[5, 3]
input %all : f32[12, 4]
  %first = constant 0 : i32[]
  %none = constant 0.0 : f32[]
  %u.none = constant 0.0 : f32[4, 5]
  %w.none = constant 0.0 : f32[5, 3]
  %parts = reshape %all : f32[2, 6, 4]
  %n, %u.same, %w.same, %x.same, %loss.all, %u.all, %w.all = loop 2 of @body %first, %u0, %w0, %parts, %none, %u.none, %w.none : i32[], f32[4, 5], f32[5, 3], f32[2, 6, 4], f32[], f32[4, 5], f32[5, 3]
  %mean = mul %loss.all, %loss.all : f32[]
  %square = mul %w.all, %w.all : f32[5, 3]
  %norm = reduce sum [0, 1] %square : f32[]
  %norm.all = broadcast [] %norm : f32[5, 3]
  %scaled = div %w.all, %norm.all : f32[5, 3]
  %u1 = sub %u0, %u.all : f32[4, 5]
  %w1 = sub %w0, %scaled : f32[5, 3]
output %mean
output %u1
output %w1
//= form traced
//= func @body(%i: i32[], %u: f32[4, 5], %w: f32[5, 3], %x: f32[2, 6, 4], %loss.sum: f32[], %u.sum: f32[4, 5], %w.sum: f32[5, 3]) {
//=   %one = constant 1 : i32[]
//=   %next = add %i, %one : i32[]
//=   %zero = constant 0 : i32[]
//=   %slice = dynamic_slice [1, 6, 4] %x, %i, %zero, %zero : f32[1, 6, 4]
//=   %part = reshape %slice : f32[6, 4]
//=   %h = matmul %part, %u : f32[6, 5]
//=   %t = tanh %h : f32[6, 5]
//=   %y = matmul %t, %w : f32[6, 3]
//=   %loss = reduce sum [0, 1] %y : f32[]
//=   %ones = constant 1.0 : f32[6, 3] phase backward_input
//=   %w.grad = dot_general contract [0]x[0] %t, %ones : f32[5, 3] phase backward_weight
//=   %t.grad = dot_general contract [1]x[1] %ones, %w : f32[6, 5] phase backward_input
//=   %h.grad = mul %t.grad, %t : f32[6, 5] phase backward_input
//=   %u.grad = dot_general contract [0]x[0] %part, %h.grad : f32[4, 5] phase backward_weight
//=   %loss.next = add %loss.sum, %loss : f32[]
//=   %u.next = add %u.grad, %u.sum : f32[4, 5] phase backward_weight
//=   %w.next = add %w.sum, %w.grad : f32[5, 3] phase backward_weight
//=   return %next "i", %u, %w, %x, %loss.next "loss", %u.next "du", %w.next "dw"
//= }
//= input %u0 : f32[4, 5]
//= input %w0 : f32[5, 3]
//= input %all : f32[12, 4]
//=   %first = constant 0 : i32[]
//=   %none = constant 0.0 : f32[]
//=   %u.none = constant 0.0 : f32[4, 5]
//=   %w.none = constant 0.0 : f32[5, 3]
//=   %parts = reshape %all : f32[2, 6, 4]
//=   %n, %u.same, %w.same, %x.same, %loss.all, %u.all, %w.all = loop 2 of @body %first, %u0, %w0, %parts, %none, %u.none, %w.none : i32[], f32[4, 5], f32[5, 3], f32[2, 6, 4], f32[], f32[4, 5], f32[5, 3] phase backward_weight
//=   %mean = mul %loss.all, %loss.all : f32[] phase update
//=   %square = mul %w.all, %w.all : f32[5, 3] phase update
//=   %norm = reduce sum [0, 1] %square : f32[] phase update
//=   %norm.all = broadcast [] %norm : f32[5, 3] phase update
//=   %scaled = div %w.all, %norm.all : f32[5, 3] phase update
//=   %u1 = sub %u0, %u.all : f32[4, 5] phase update
//=   %w1 = sub %w0, %scaled : f32[5, 3] phase update
//= output %mean
//= output %u1
//= output %w1
