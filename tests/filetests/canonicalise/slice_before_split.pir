test canonicalise
// A slice of the outermost part of a split dimension is taken before the split, also behind a transpose. Slices of other parts stay.
form traced
input %x : f32[2, 7, 24]
  %s = reshape %x : f32[2, 7, 3, 2, 4]
  %q = slice [0, 0, 1, 0, 0] to [2, 7, 2, 2, 4] %s : f32[2, 7, 1, 2, 4]
  %q.1 = reshape %q : f32[2, 7, 2, 4]
  %t = transpose [2, 0, 3, 1, 4] %s : f32[3, 2, 2, 7, 4]
  %k = slice [2, 0, 0, 0, 0] to [3, 2, 2, 7, 4] %t : f32[1, 2, 2, 7, 4]
  %k.1 = reshape %k : f32[2, 2, 7, 4]
  %h = slice [0, 0, 0, 1, 0] to [2, 7, 3, 2, 4] %s : f32[2, 7, 3, 1, 4]
  %every = slice [0, 0, 0, 0, 0] to [2, 7, 3, 2, 4] by [1, 1, 2, 1, 1] %s : f32[2, 7, 2, 2, 4]
output %q.1
output %k.1
output %h
output %every
//= form traced
//= input %x : f32[2, 7, 24]
//=   %s = reshape %x : f32[2, 7, 3, 2, 4]
//=   %q = slice [0, 0, 8] to [2, 7, 16] %x : f32[2, 7, 8]
//=   %reshape = reshape %q : f32[2, 7, 1, 2, 4]
//=   %q.1 = reshape %q : f32[2, 7, 2, 4]
//=   %t = transpose [2, 0, 3, 1, 4] %s : f32[3, 2, 2, 7, 4]
//=   %k = slice [0, 0, 16] to [2, 7, 24] %x : f32[2, 7, 8]
//=   %reshape.2 = reshape %k : f32[2, 7, 1, 2, 4]
//=   %transpose = transpose [2, 0, 3, 1, 4] %reshape.2 : f32[1, 2, 2, 7, 4]
//=   %reshape.3 = reshape %k : f32[2, 7, 2, 4]
//=   %transpose.1 = transpose [0, 2, 1, 3] %reshape.3 : f32[2, 2, 7, 4]
//=   %h = slice [0, 0, 0, 1, 0] to [2, 7, 3, 2, 4] %s : f32[2, 7, 3, 1, 4]
//=   %every = slice [0, 0, 0, 0, 0] to [2, 7, 3, 2, 4] by [1, 1, 2, 1, 1] %s : f32[2, 7, 2, 2, 4]
//= output %q.1
//= output %transpose.1 "k.1"
//= output %h
//= output %every
