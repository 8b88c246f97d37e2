test verify
form traced
input %x : f32[4, 5]
input %y : f32[5, 6]
  %a = add %x, %x : f32[4, 6] //~ V001
  %b = matmul %x, %y : f32[4, 7] //~ V001
  %c = transpose [1, 0] %x : f32[5, 4]
  %d = transpose [0, 0] %x : f32[5, 4] //~ V001
//= error[V001]: `add %a`: the operation yields f32[4, 5], not f32[4, 6]
//=   --> verify/types.pir:5
//= error[V001]: `matmul %b`: the operation yields f32[4, 6], not f32[4, 7]
//=   --> verify/types.pir:6
//= error[V001]: `transpose %d`: dimension 0 is named twice
//=   --> verify/types.pir:8
