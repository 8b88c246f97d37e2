test lower-attention
// The gradients of gathered keys and values are summed over the devices and scattered.
form local
mesh @m = [context=2]
input %q : f32[6@context, 4]
input %k : f32[6@context, 4]
input %y : f32[6@context, 4]
input %g : f32[6@context, 4]
input %sum : f32[6@context]
  %dq, %dk, %dv = attention_grad scale 0.5 context gather of 6 over context %q, %k, %k, %y, %g, %sum : f32[3, 4], f32[3, 4], f32[3, 4]
output %dq
output %dk
output %dv
//= form local
//= mesh @m = [context=2]
//= input %q : f32[6@context, 4]
//= input %k : f32[6@context, 4]
//= input %y : f32[6@context, 4]
//= input %g : f32[6@context, 4]
//= input %sum : f32[6@context]
//=   %shard = reshape %q : f32[3, 4]
//=   %shard.1 = reshape %k : f32[3, 4]
//=   %shard.2 = reshape %k : f32[3, 4]
//=   %shard.3 = reshape %y : f32[3, 4]
//=   %shard.4 = reshape %g : f32[3, 4]
//=   %shard.5 = reshape %sum : f32[3]
//=   %keys = all_gather dim 0 over context %shard.1 : f32[6, 4]
//=   %values = all_gather dim 0 over context %shard.2 : f32[6, 4]
//=   %attention_grad, %attention_grad.1, %attention_grad.2 = attention_grad scale 0.5 %shard, %keys, %values, %shard.3, %shard.4, %shard.5 : f32[3, 4], f32[6, 4], f32[6, 4]
//=   %gradient = reduce_scatter sum dim 0 over context %attention_grad.1 : f32[3, 4]
//=   %gradient.1 = reduce_scatter sum dim 0 over context %attention_grad.2 : f32[3, 4]
//= output %attention_grad "dq"
//= output %gradient "dk"
//= output %gradient.1 "dv"
