test freeze
// A scalar and a parameter with zero elements are frozen. State of the model is not trained, and is updated although its
// path matches.
//plan freeze = ["**"]
form traced
param %s "scale" : f32[]
param %none "none" : f32[0, 3]
param %mean "mean" state : f32[4]
input %x : f32[4]
  %loss = reduce sum [0] %x : f32[]
  %s.new = sub %s, %loss : f32[] phase update
  %none.new = neg %none : f32[0, 3] phase update
  %mean.new = add %mean, %x : f32[4]
output %loss
output %s.new -> "scale"
output %none.new -> "none"
output %mean.new -> "mean"
//= form traced
//= param %s "scale" frozen : f32[]
//= param %none "none" frozen : f32[0, 3]
//= param %mean "mean" state : f32[4]
//= input %x : f32[4]
//=   %loss = reduce sum [0] %x : f32[]
//=   %s.new = sub %s, %loss : f32[] phase update
//=   %none.new = neg %none : f32[0, 3] phase update
//=   %mean.new = add %mean, %x : f32[4]
//= output %loss
//= output %s "s.new" -> "scale"
//= output %none "none.new" -> "none"
//= output %mean.new -> "mean"
