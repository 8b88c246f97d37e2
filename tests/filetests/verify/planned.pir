test verify //~ V002 `%x` has no layout
form planned
mesh @m = [a=2]
input %x : f32[4]
  %y = neg %x : f32[4@a]
output %y
//= error[V002]: `%x` has no layout
