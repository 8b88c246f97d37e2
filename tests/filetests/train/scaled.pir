test train
// A step whose gradients overflow changes only the loss scale.
//plan train = "sgd?scale=dynamic"
form traced
param %w "weight" : f32[4]
input %x : f32[4]
  %xw = mul %x, %w : f32[4]
  %loss = reduce sum [0] %xw : f32[]
output %loss "loss"
//= form traced
//= param %w "weight" : f32[4]
//= input %x donated : f32[4]
//= param %optimizer.scale "optimizer.scale" state starts 65536.0 : f32[]
//= param %optimizer.good_steps "optimizer.good_steps" state starts 0.0 : i32[]
//=   %xw = mul %x, %w : f32[4]
//=   %loss = reduce sum [0] %xw : f32[]
//=   %broadcast = broadcast [] %optimizer.scale : f32[] phase backward_input
//=   %xw.grad = broadcast [] %broadcast : f32[4] phase backward_input
//=   %w.grad = mul %xw.grad, %x : f32[4] phase backward_weight
//=   %mul.1 = mul %w.grad, %w.grad : f32[4] phase update
//=   %sum = reduce sum [0] %mul.1 : f32[] phase update
//=   %reciprocal = reciprocal %optimizer.scale : f32[] phase update
//=   %c = constant 0.01 : f32[] phase update
//=   %broadcast.2 = broadcast [] %reciprocal : f32[4] phase update
//=   %mul.2 = mul %w.grad, %broadcast.2 : f32[4] phase update
//=   %broadcast.3 = broadcast [] %c : f32[4] phase update
//=   %mul.3 = mul %mul.2, %broadcast.3 : f32[4] phase update
//=   %weight = sub %w, %mul.3 : f32[4] phase update
//=   %finite = is_finite %sum : bool[] phase update
//=   %kept = select %finite, %weight, %w : f32[4] phase update
//=   %c.1 = constant 1 : i32[] phase update
//=   %add = add %optimizer.good_steps, %c.1 : i32[] phase update
//=   %c.2 = constant 2000 : i32[] phase update
//=   %patient = compare ge %add, %c.2 : bool[] phase update
//=   %c.3 = constant 0 : i32[] phase update
//=   %good_steps = select %patient, %c.3, %add : i32[] phase update
//=   %good_steps.1 = select %finite, %good_steps, %c.3 : i32[] phase update
//=   %c.4 = constant 2.0 : f32[] phase update
//=   %mul.4 = mul %optimizer.scale, %c.4 : f32[] phase update
//=   %c.5 = constant 0.5 : f32[] phase update
//=   %mul.5 = mul %optimizer.scale, %c.5 : f32[] phase update
//=   %scale = select %patient, %mul.4, %optimizer.scale : f32[] phase update
//=   %scale.1 = select %finite, %scale, %mul.5 : f32[] phase update
//= output %loss
//= output %kept "weight" -> "weight"
//= output %scale.1 "optimizer.scale" -> "optimizer.scale"
//= output %good_steps.1 "optimizer.good_steps" -> "optimizer.good_steps"
