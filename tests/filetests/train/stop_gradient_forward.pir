test train
// Without training, `stop_gradient` is removed from the model, and so is the choice between rows with and without gradients.
form traced forward
param %w "w" : f32[12, 4]
input %i : i32[8]
  %rows = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %w, %i : f32[8, 4]
  %s = stop_gradient %rows : f32[8, 4]
  %three = constant 3 : i32[8]
  %is = compare eq %i, %three : bool[8]
  %b = broadcast [0] %is : bool[8, 4]
  %y = select %b, %s, %rows : f32[8, 4]
output %y "rows"
//= form traced forward
//= param %w "w" : f32[12, 4]
//= input %i : i32[8]
//=   %rows = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 4] %w, %i : f32[8, 4]
//=   %three = constant 3 : i32[8]
//=   %is = compare eq %i, %three : bool[8]
//=   %b = broadcast [0] %is : bool[8, 4]
//= output %rows
