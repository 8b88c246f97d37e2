test collectives
// Three sums that are reduced and then added are added first, and reduced once.
form explicit
mesh @m = [model=4]
input %x : f32[8, 16@model]
input %w : f32[16@model, 32]
input %b : f32[8, 32] whole
  %q = matmul %x, %w : f32[8, 32] sum(model)
  %x2 = mul %x, %x : f32[8, 16@model]
  %k = matmul %x2, %w : f32[8, 32] sum(model)
  %x3 = mul %x2, %x : f32[8, 16@model]
  %v = matmul %x3, %w : f32[8, 32] sum(model)
  %q.1 = all_reduce sum over model %q : f32[8, 32] whole
  %k.1 = all_reduce sum over model %k : f32[8, 32] whole
  %s = add %q.1, %k.1 : f32[8, 32] whole
  %v.1 = all_reduce sum over model %v : f32[8, 32] whole
  %t = add %s, %v.1 : f32[8, 32] whole
  %u = add %t, %b : f32[8, 32] whole
  %n = neg %u : f32[8, 32] whole
output %n
//= form explicit
//= mesh @m = [model=4]
//= input %x : f32[8, 16@model]
//= input %w : f32[16@model, 32]
//= input %b : f32[8, 32] whole
//=   %q = matmul %x, %w : f32[8, 32] sum(model)
//=   %x2 = mul %x, %x : f32[8, 16@model]
//=   %k = matmul %x2, %w : f32[8, 32] sum(model)
//=   %x3 = mul %x2, %x : f32[8, 16@model]
//=   %v = matmul %x3, %w : f32[8, 32] sum(model)
//=   %t.1 = add %q, %k : f32[8, 32] sum(model)
//=   %t.2 = add %t.1, %v : f32[8, 32] sum(model)
//=   %t = all_reduce sum over model %t.2 : f32[8, 32] whole
//=   %u = add %t, %b : f32[8, 32] whole
//=   %n = neg %u : f32[8, 32] whole
//= output %n
