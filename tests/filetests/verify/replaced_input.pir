test verify //~ V002 cannot replace input
// An output replaces an input of its type, and an input has one replacement.
form traced
input %x : f32[4]
input %y : f32[4]
input %z : f32[3]
  %a = add %x, %y : f32[4]
  %b = neg %a : f32[4]
output %a -> %x
output %b -> %x
output %y "c" -> %z
output %y "d" -> %a
