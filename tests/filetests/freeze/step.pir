test freeze
// In a training step, the outputs that replace frozen parameters and their state are the corresponding inputs.
//plan freeze = ["a"]
form traced
param %a "a" : f32[4]
param %b "b" : f32[4]
param %m "m.a" state of "a" : f32[4]
param %n "m.b" state of "b" : f32[4]
input %x : f32[4]
  %loss = reduce sum [0] %x : f32[]
  %m.new = add %m, %x : f32[4] phase update
  %n.new = add %n, %x : f32[4] phase update
  %a.new = sub %a, %m.new : f32[4] phase update
  %b.new = sub %b, %n.new : f32[4] phase update
output %loss "loss"
output %a.new "a" -> "a"
output %b.new "b" -> "b"
output %m.new "m.a" -> "m.a"
output %n.new "m.b" -> "m.b"
//= form traced
//= param %a "a" frozen : f32[4]
//= param %b "b" : f32[4]
//= param %m "m.a" state of "a" : f32[4]
//= param %n "m.b" state of "b" : f32[4]
//= input %x : f32[4]
//=   %loss = reduce sum [0] %x : f32[]
//=   %m.new = add %m, %x : f32[4] phase update
//=   %n.new = add %n, %x : f32[4] phase update
//=   %a.new = sub %a, %m.new : f32[4] phase update
//=   %b.new = sub %b, %n.new : f32[4] phase update
//= output %loss
//= output %a -> "a"
//= output %b.new "b" -> "b"
//= output %m "m.a" -> "m.a"
//= output %n.new "m.b" -> "m.b"
