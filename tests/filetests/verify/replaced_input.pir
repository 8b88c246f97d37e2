test verify //~ V002 output `c` cannot replace input `z`
// An output replaces an input of its type.
form traced
input %x : f32[4]
input %y : f32[4]
input %z : f32[3]
  %a = add %x, %y : f32[4]
output %a -> %x
output %y "c" -> %z
//= error[V002]: output `c` cannot replace input `z`
