test lower-attention
// The gradients of keys and values travel with them, and return to their device after the last step.
form local
mesh @m = [context=2]
input %q : f32[6@context, 4]
input %k : f32[6@context, 4]
input %y : f32[6@context, 4]
input %g : f32[6@context, 4]
input %sum : f32[6@context]
  %dq, %dk, %dv = attention_grad scale 0.5 context ring of 6 over context %q, %k, %k, %y, %g, %sum : f32[3, 4], f32[3, 4], f32[3, 4]
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
//=   %received = permute over context [0->1, 1->0] %shard.1 : f32[3, 4]
//=   %received.1 = permute over context [0->1, 1->0] %shard.2 : f32[3, 4]
//=   %attention_grad, %attention_grad.1, %attention_grad.2 = attention_grad scale 0.5 %shard, %shard.1, %shard.2, %shard.3, %shard.4, %shard.5 : f32[3, 4], f32[3, 4], f32[3, 4]
//=   %received.2 = permute over context [0->1, 1->0] %attention_grad.1 : f32[3, 4]
//=   %received.3 = permute over context [0->1, 1->0] %attention_grad.2 : f32[3, 4]
//=   %attention_grad.3, %attention_grad.4, %attention_grad.5 = attention_grad scale 0.5 %shard, %received, %received.1, %shard.3, %shard.4, %shard.5 : f32[3, 4], f32[3, 4], f32[3, 4]
//=   %add = add %attention_grad, %attention_grad.3 : f32[3, 4]
//=   %add.1 = add %received.2, %attention_grad.4 : f32[3, 4]
//=   %add.2 = add %received.3, %attention_grad.5 : f32[3, 4]
//=   %received.4 = permute over context [0->1, 1->0] %add.1 : f32[3, 4]
//=   %received.5 = permute over context [0->1, 1->0] %add.2 : f32[3, 4]
//= output %add "dq"
//= output %received.4 "dk"
//= output %received.5 "dv"
