test raise
// Positions in the indices become batch dimensions, also if negative indices are wrapped around. Positions that are not
// those of a dimension of the same size, and the only component, stay. Numbers may be positions, too.
form traced
input %x : f32[6, 5]
input %y : f32[6, 4, 5]
input %i : i64[6]
input %j : i64[6, 2]
input %u : f32[6, 2]
  %k = constant [0, 3, 1, 2, 2, 2, 3, 0, 4, 4, 5, 1] : i64[6, 2]
  %n = iota dim 0 : i64[6]
  %zero = constant 0 : i64[6]
  %six = constant 6 : i64[6]
  %negative = compare lt %n, %zero : bool[6]
  %wrapped = add %n, %six : i64[6]
  %row = select %negative, %wrapped, %n : i64[6]
  %row.1 = reshape %row : i64[6, 1]
  %i.1 = reshape %i : i64[6, 1]
  %at = concatenate dim 1 %row.1, %i.1 : i64[6, 2]
  %a = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] %x, %at : f32[6]
  %three = concatenate dim 1 %row.1, %i.1, %i.1 : i64[6, 3]
  %b = gather collapsed [0, 1, 2] map [0, 1, 2] vector 1 sizes [1, 1, 1] %y, %three : f32[6]
  %n.2 = iota dim 0 : i64[6, 2]
  %n.3 = reshape %n.2 : i64[6, 2, 1]
  %j.1 = reshape %j : i64[6, 2, 1]
  %at.1 = concatenate dim 2 %n.3, %j.1 : i64[6, 2, 2]
  %c = scatter sum inserted [0, 1] map [0, 1] vector 2 %x, %at.1, %u : f32[6, 5]
  %at.2 = concatenate dim 1 %i.1, %row.1 : i64[6, 2]
  %d = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] %x, %at.2 : f32[6]
  %e = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 5] %x, %row.1 : f32[6, 5]
  %f = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] %x, %k : f32[6]
output %a
output %b
output %c
output %d
output %e
output %f
//= form traced
//= input %x : f32[6, 5]
//= input %y : f32[6, 4, 5]
//= input %i : i64[6]
//= input %j : i64[6, 2]
//= input %u : f32[6, 2]
//=   %k = constant [0, 3, 1, 2, 2, 2, 3, 0, 4, 4, 5, 1] : i64[6, 2]
//=   %n = iota dim 0 : i64[6]
//=   %zero = constant 0 : i64[6]
//=   %six = constant 6 : i64[6]
//=   %negative = compare lt %n, %zero : bool[6]
//=   %wrapped = add %n, %six : i64[6]
//=   %row = select %negative, %wrapped, %n : i64[6]
//=   %row.1 = reshape %row : i64[6, 1]
//=   %i.1 = reshape %i : i64[6, 1]
//=   %at = concatenate dim 1 %row.1, %i.1 : i64[6, 2]
//=   %a = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %x, %i.1 : f32[6]
//=   %three = concatenate dim 1 %row.1, %i.1, %i.1 : i64[6, 3]
//=   %concatenate = concatenate dim 1 %i.1, %i.1 : i64[6, 2]
//=   %b = gather collapsed [1, 2] operand_batch [0] index_batch [0] map [1, 2] vector 1 sizes [1, 1, 1] %y, %concatenate : f32[6]
//=   %n.2 = iota dim 0 : i64[6, 2]
//=   %n.3 = reshape %n.2 : i64[6, 2, 1]
//=   %j.1 = reshape %j : i64[6, 2, 1]
//=   %at.1 = concatenate dim 2 %n.3, %j.1 : i64[6, 2, 2]
//=   %c = scatter sum inserted [1] operand_batch [0] index_batch [0] map [1] vector 2 %x, %j.1, %u : f32[6, 5]
//=   %at.2 = concatenate dim 1 %i.1, %row.1 : i64[6, 2]
//=   %d = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] %x, %at.2 : f32[6]
//=   %e = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 5] %x, %row.1 : f32[6, 5]
//=   %c.1 = constant [3, 2, 2, 0, 4, 1] : i64[6, 1]
//=   %f = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %x, %c.1 : f32[6]
//= output %a
//= output %b
//= output %c
//= output %d
//= output %e
//= output %f
