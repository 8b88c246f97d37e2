test bucket
// Micro-batches in the body of a loop: a scalar, a gradient without elements and seven elements of a narrower type fill
// a bucket of 16 bytes. The gradient after them is reduced alone.
//plan bucket = "16B"
form explicit
mesh @m = [data=3]
func @turn(%x: f32[7@data], %none: f32[7@data, 0], %h: bf16[6@data, 7], %sum.a: f32[] whole, %sum.b: f32[0] whole, %sum.c: bf16[7] whole, %sum.d: f32[] whole) {
  %a = reduce sum [0] %x : f32[] sum(data) phase backward_weight
  %a.1 = all_reduce sum over data %a : f32[] whole phase backward_weight
  %next.a = add %sum.a, %a.1 : f32[] whole phase backward_weight
  %b = reduce sum [0] %none : f32[0] sum(data) phase backward_weight
  %b.1 = all_reduce sum over data %b : f32[0] whole phase backward_weight
  %next.b = add %sum.b, %b.1 : f32[0] whole phase backward_weight
  %c = reduce sum [0] %h : bf16[7] sum(data) phase backward_weight
  %c.1 = all_reduce sum over data %c : bf16[7] whole phase backward_weight
  %next.c = add %sum.c, %c.1 : bf16[7] whole phase backward_weight
  %d = reduce sum [0] %x : f32[] sum(data) phase backward_weight
  %d.1 = all_reduce sum over data %d : f32[] whole phase backward_weight
  %next.d = add %sum.d, %d.1 : f32[] whole phase backward_weight
  return %x "x", %none "none", %h "h", %next.a "a", %next.b "b", %next.c "c", %next.d "d"
}
input %x.1 : f32[7@data]
input %none.1 : f32[7@data, 0]
input %h.1 : bf16[6@data, 7]
input %a.2 : f32[] whole
input %b.2 : f32[0] whole
input %c.2 : bf16[7] whole
input %d.2 : f32[] whole
  %x.2, %none.2, %h.2, %a.3, %b.3, %c.3, %d.3 = loop 3 of @turn %x.1, %none.1, %h.1, %a.2, %b.2, %c.2, %d.2 : f32[7@data], f32[7@data, 0], bf16[6@data, 7], f32[] whole, f32[0] whole, bf16[7] whole, f32[] whole phase backward_weight
output %a.3
output %b.3
output %c.3
output %d.3
//= form explicit
//= mesh @m = [data=3]
//= func @turn(%x: f32[7@data], %none: f32[7@data, 0], %h: bf16[6@data, 7], %sum.a: f32[] whole, %sum.b: f32[0] whole, %sum.c: bf16[7] whole, %sum.d: f32[] whole) {
//=   %a = reduce sum [0] %x : f32[] sum(data) phase backward_weight
//=   %b = reduce sum [0] %none : f32[0] sum(data) phase backward_weight
//=   %c = reduce sum [0] %h : bf16[7] sum(data) phase backward_weight
//=   %a.1, %b.1, %c.1 = all_reduce sum over data %a, %b, %c : f32[] whole, f32[0] whole, bf16[7] whole phase backward_weight
//=   %next.a = add %sum.a, %a.1 : f32[] whole phase backward_weight
//=   %next.b = add %sum.b, %b.1 : f32[0] whole phase backward_weight
//=   %next.c = add %sum.c, %c.1 : bf16[7] whole phase backward_weight
//=   %d = reduce sum [0] %x : f32[] sum(data) phase backward_weight
//=   %d.1 = all_reduce sum over data %d : f32[] whole phase backward_weight
//=   %next.d = add %sum.d, %d.1 : f32[] whole phase backward_weight
//=   return %x, %none, %h, %next.a "a", %next.b "b", %next.c "c", %next.d "d"
//= }
//= input %x.1 : f32[7@data]
//= input %none.1 : f32[7@data, 0]
//= input %h.1 : bf16[6@data, 7]
//= input %a.2 : f32[] whole
//= input %b.2 : f32[0] whole
//= input %c.2 : bf16[7] whole
//= input %d.2 : f32[] whole
//=   %x.2, %none.2, %h.2, %a.3, %b.3, %c.3, %d.3 = loop 3 of @turn %x.1, %none.1, %h.1, %a.2, %b.2, %c.2, %d.2 : f32[7@data], f32[7@data, 0], bf16[6@data, 7], f32[] whole, f32[0] whole, bf16[7] whole, f32[] whole phase backward_weight
//= output %a.3
//= output %b.3
//= output %c.3
//= output %d.3
