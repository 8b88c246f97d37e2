test exchange-attention
// Seven positions over three devices, in the body of a loop. The gradient reads the log-sum-exp of the attention.
form planned
mesh @m = [context=3]
func @turn(%q: f32[2, 7@context, 1], %k: f32[2, 7@context, 1], %g: f32[2, 7@context, 1]) {
  %y = attention causal scale 0.5 context gather %q, %k, %k : f32[2, 7@context, 1]
  %dq, %dk, %dv = attention_grad causal scale 0.5 context gather %q, %k, %k, %y, %g : f32[2, 7@context, 1], f32[2, 7@context, 1], f32[2, 7@context, 1]
  return %dq "q", %dk "k", %dv "v"
}
input %x : f32[2, 7@context, 1]
  %a, %b, %c = loop 3 of @turn %x, %x, %x : f32[2, 7@context, 1], f32[2, 7@context, 1], f32[2, 7@context, 1]
output %a
output %b
output %c
//= form planned
//= mesh @m = [context=3]
//= func @turn(%q: f32[2, 7@context, 1], %k: f32[2, 7@context, 1], %g: f32[2, 7@context, 1]) {
//=   %y, %log_sum_exp = attention causal scale 0.5 log_sum_exp context gather %q, %k, %k : f32[2, 7@context, 1], f32[2, 7@context]
//=   %dq, %dk, %dv = attention_grad causal scale 0.5 context gather %q, %k, %k, %y, %g, %log_sum_exp : f32[2, 7@context, 1], f32[2, 7@context, 1], f32[2, 7@context, 1]
//=   return %dq "q", %dk "k", %dv "v"
//= }
//= input %x : f32[2, 7@context, 1]
//=   %a, %b, %c = loop 3 of @turn %x, %x, %x : f32[2, 7@context, 1], f32[2, 7@context, 1], f32[2, 7@context, 1]
//= output %a
//= output %b
//= output %c
