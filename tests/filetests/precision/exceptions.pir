test precision
// Readers of an excepted parameter are f32, after data movement, too, and so is state; losses, exponentials and their constants are f32, too.
//plan [precision]
//plan "**" = "f16"
//plan "scale" = "f32"
form traced
param %w "weight" : f32[4, 4]
param %s "scale" : f32[4]
param %mean "mean" state : f32[4]
input %x : f32[6, 4]
input %at : i32[6]
  %h = matmul %x, %w : f32[6, 4]
  %two = constant 2.0 : f32[6, 4]
  %h2 = mul %h, %two : f32[6, 4]
  %sr = reverse [0] %s : f32[4]
  %sb = broadcast [1] %sr : f32[6, 4]
  %hs = mul %h2, %sb : f32[6, 4]
  %mb = broadcast [1] %mean : f32[6, 4]
  %hm = sub %h, %mb : f32[6, 4]
  %e = exp %hm : f32[6, 4]
  %p = softmax dim 1 %h2 : f32[6, 4]
  %q = matmul %p, %w : f32[6, 4]
  %sum = reduce sum [0, 1] %q : f32[]
  %es = add %e, %hs : f32[6, 4]
output %sum "loss"
output %es "es"
//= form traced
//= param %w "weight" : f16[4, 4]
//= param %s "scale" : f32[4]
//= param %mean "mean" state : f32[4]
//= input %x : f32[6, 4]
//= input %at : i32[6]
//=   %x.f16 = convert %x : f16[6, 4]
//=   %h.f16 = matmul %x.f16, %w : f16[6, 4]
//=   %two = constant 2.0 : f32[6, 4]
//=   %two.f16 = constant 2.0 : f16[6, 4]
//=   %h2.f16 = mul %h.f16, %two.f16 : f16[6, 4]
//=   %sr = reverse [0] %s : f32[4]
//=   %sb = broadcast [1] %sr : f32[6, 4]
//=   %h2 = convert %h2.f16 : f32[6, 4]
//=   %hs = mul %h2, %sb : f32[6, 4]
//=   %mb = broadcast [1] %mean : f32[6, 4]
//=   %h = convert %h.f16 : f32[6, 4]
//=   %hm = sub %h, %mb : f32[6, 4]
//=   %e = exp %hm : f32[6, 4]
//=   %p.f16 = softmax dim 1 %h2.f16 : f16[6, 4]
//=   %q.f16 = matmul %p.f16, %w : f16[6, 4]
//=   %q = convert %q.f16 : f32[6, 4]
//=   %sum = reduce sum [0, 1] %q : f32[]
//=   %es = add %e, %hs : f32[6, 4]
//= output %sum "loss"
//= output %es
