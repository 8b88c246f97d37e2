test train
// Optimizer state becomes parameters of the step with initial values; one norm of all gradients, and a warm-up of the learning rate.
//plan train = "adamw?lr=0.1&clip=1&warmup=10"
form traced
param %w "weight" : f32[4]
input %x : f32[4]
  %xw = mul %x, %w : f32[4]
  %loss = reduce sum [0] %xw : f32[]
output %loss "loss"
//= form traced
//= param %w "weight" : f32[4]
//= input %x donated : f32[4]
//= param %optimizer.step "optimizer.step" state starts 0.0 : i32[]
//= param %optimizer.m.weight "optimizer.m.weight" state of "weight" starts 0.0 : f32[4]
//= param %optimizer.v.weight "optimizer.v.weight" state of "weight" starts 0.0 : f32[4]
//=   %xw = mul %x, %w : f32[4]
//=   %loss = reduce sum [0] %xw : f32[]
//=   %c = constant 1.0 : f32[] phase backward_input
//=   %xw.grad = broadcast [] %c : f32[4] phase backward_input
//=   %w.grad = mul %xw.grad, %x : f32[4] phase backward_weight
//=   %mul.1 = mul %w.grad, %w.grad : f32[4] phase update
//=   %sum = reduce sum [0] %mul.1 : f32[] phase update
//=   %sqrt = sqrt %sum : f32[] phase update
//=   %c.1 = constant 1e-6 : f32[] phase update
//=   %add = add %sqrt, %c.1 : f32[] phase update
//=   %c.2 = constant 1.0 : f32[] phase update
//=   %div = div %c.2, %add : f32[] phase update
//=   %c.3 = constant 1.0 : f32[] phase update
//=   %min = min %div, %c.3 : f32[] phase update
//=   %c.4 = constant 1 : i32[] phase update
//=   %add.1 = add %optimizer.step, %c.4 : i32[] phase update
//=   %convert = convert %add.1 : f32[] phase update
//=   %c.5 = constant 1.0 : f32[] phase update
//=   %c.6 = constant 10.0 : f32[] phase update
//=   %div.1 = div %convert, %c.6 : f32[] phase update
//=   %c.7 = constant 1.0 : f32[] phase update
//=   %min.1 = min %div.1, %c.7 : f32[] phase update
//=   %mul.2 = mul %c.5, %min.1 : f32[] phase update
//=   %c.8 = constant 0.1 : f32[] phase update
//=   %mul.3 = mul %mul.2, %c.8 : f32[] phase update
//=   %convert.1 = convert %add.1 : f32[] phase update
//=   %c.9 = constant 0.9 : f32[] phase update
//=   %pow = pow %c.9, %convert.1 : f32[] phase update
//=   %neg = neg %pow : f32[] phase update
//=   %c.10 = constant 1.0 : f32[] phase update
//=   %add.2 = add %neg, %c.10 : f32[] phase update
//=   %c.11 = constant 0.999 : f32[] phase update
//=   %pow.1 = pow %c.11, %convert.1 : f32[] phase update
//=   %neg.1 = neg %pow.1 : f32[] phase update
//=   %c.12 = constant 1.0 : f32[] phase update
//=   %add.3 = add %neg.1, %c.12 : f32[] phase update
//=   %broadcast.1 = broadcast [] %min : f32[4] phase update
//=   %mul.4 = mul %w.grad, %broadcast.1 : f32[4] phase update
//=   %weight, %weight.1, %weight.2 = adam beta1 0.9 beta2 0.999 eps 1e-8 decay 0.01 %w, %mul.4, %optimizer.m.weight, %optimizer.v.weight, %mul.3, %add.2, %add.3 : f32[4], f32[4], f32[4] phase update
//= output %loss
//= output %add.1 "optimizer.step" -> "optimizer.step"
//= output %weight -> "weight"
//= output %weight.1 "optimizer.m.weight" -> "optimizer.m.weight"
//= output %weight.2 "optimizer.v.weight" -> "optimizer.v.weight"
