test split-scans
// The example of the pass's documentation.
form planned
mesh @m = [a=3]
input %x : f32[2, 6@a]
  %y = reduce_window sum [(1), (6 pad 5 0)] %x : f32[2, 6@a]
output %y
//= form planned
//= mesh @m = [a=3]
//= input %x : f32[2, 6@a]
//=   %reshape = reshape %x : f32[2, 3@a, 2]
//=   %own = reduce_window sum [(1), (1), (2 pad 1 0)] %reshape : f32[2, 3@a, 2]
//=   %part = slice [0, 0, 1] to [2, 3, 2] %own : f32[2, 3@a, 1]
//=   %reshape.1 = reshape %part : f32[2, 3@a]
//=   %i = iota dim 0 : i32[3, 3] whole
//=   %i.1 = iota dim 1 : i32[3, 3] whole
//=   %apart = compare lt %i, %i.1 : bool[3, 3] whole
//=   %convert = convert %apart : f32[3, 3] whole
//=   %before = matmul %reshape.1, %convert : f32[2, 3] whole
//=   %before.1 = transpose [0, 1] %before : f32[2, 3] whole
//=   %broadcast = broadcast [0, 1] %before.1 : f32[2, 3, 2] whole
//=   %add = add %own, %broadcast : f32[2, 3@a, 2]
//=   %reshape.2 = reshape %add : f32[2, 6@a]
//= output %reshape.2 "y"
