test quantise
// The scales belong to the dimension that no reader sums over: columns of a product, rows of a look-up. Vectors, state and excepted
// parameters stay floats. Each reader dequantises the weight separately.
//plan [precision]
//plan "**" = "int8"
//plan "out" = "f32"
form traced
param %w "weight" : f32[4, 6]
param %b "bias" : f32[6]
param %t "table" : f32[10, 4]
param %o "out" : f32[6, 2]
param %m "running" state : f32[2, 2]
input %ids : i32[3]
  %rows = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %t, %ids : f32[3, 4]
  %h = matmul %rows, %w : f32[3, 6]
  %bias = broadcast [1] %b : f32[3, 6]
  %a = add %h, %bias : f32[3, 6]
  %y = matmul %a, %o : f32[3, 2]
  %z = dot_general contract [1]x[1] %rows, %t : f32[3, 10]
  %again = matmul %rows, %w : f32[3, 6]
output %y "y"
output %z "z"
output %again "again"
//= form traced
//= param %w "weight" : i8[4, 6]
//= param %b "bias" : f32[6]
//= param %t "table" : i8[10, 4]
//= param %o "out" : f32[6, 2]
//= param %m "running" state : f32[2, 2]
//= input %ids : i32[3]
//= param %w.scale "weight.scale" const of "weight" : f32[1, 6]
//= param %t.scale "table.scale" const of "table" : f32[10, 1]
//=   %convert = convert %t : f32[10, 4]
//=   %broadcast = broadcast [0, 1] %t.scale : f32[10, 4]
//=   %mul = mul %convert, %broadcast : f32[10, 4]
//=   %rows = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %mul, %ids : f32[3, 4]
//=   %convert.1 = convert %w : f32[4, 6]
//=   %broadcast.1 = broadcast [0, 1] %w.scale : f32[4, 6]
//=   %mul.1 = mul %convert.1, %broadcast.1 : f32[4, 6]
//=   %h = matmul %rows, %mul.1 : f32[3, 6]
//=   %bias = broadcast [1] %b : f32[3, 6]
//=   %a = add %h, %bias : f32[3, 6]
//=   %y = matmul %a, %o : f32[3, 2]
//=   %convert.2 = convert %t : f32[10, 4]
//=   %broadcast.2 = broadcast [0, 1] %t.scale : f32[10, 4]
//=   %mul.2 = mul %convert.2, %broadcast.2 : f32[10, 4]
//=   %z = dot_general contract [1]x[1] %rows, %mul.2 : f32[3, 10]
//=   %convert.3 = convert %w : f32[4, 6]
//=   %broadcast.3 = broadcast [0, 1] %w.scale : f32[4, 6]
//=   %mul.3 = mul %convert.3, %broadcast.3 : f32[4, 6]
//=   %again = matmul %rows, %mul.3 : f32[3, 6]
//= output %y
//= output %z
//= output %again
