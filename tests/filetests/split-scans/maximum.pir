test split-scans
// A cumulative maximum of seven elements over three devices, and a product from the end.
form planned
mesh @m = [a=3]
input %x : f32[2, 7@a]
input %y : i32[6@a]
  %max = reduce_window max [(1), (7 pad 6 0)] %x : f32[2, 7@a]
  %product = reduce_window prod [(6 pad 0 5)] %y : i32[6@a]
output %max
output %product
//= form planned
//= mesh @m = [a=3]
//= input %x : f32[2, 7@a]
//= input %y : i32[6@a]
//=   %c = constant -inf : f32[] whole
//=   %padded = pad high [0, 2] %x, %c : f32[2, 9@a]
//=   %reshape = reshape %padded : f32[2, 3@a, 3]
//=   %own = reduce_window max [(1), (1), (3 pad 2 0)] %reshape : f32[2, 3@a, 3]
//=   %part = slice [0, 0, 2] to [2, 3, 3] %own : f32[2, 3@a, 1]
//=   %reshape.1 = reshape %part : f32[2, 3@a]
//=   %i = iota dim 0 : i32[3, 3] whole
//=   %i.1 = iota dim 1 : i32[3, 3] whole
//=   %apart = compare lt %i, %i.1 : bool[3, 3] whole
//=   %broadcast = broadcast [0, 1] %reshape.1 : f32[2, 3@a, 3]
//=   %broadcast.1 = broadcast [1, 2] %apart : bool[2, 3, 3] whole
//=   %c.1 = constant -inf : f32[2, 3, 3] whole
//=   %kept = select %broadcast.1, %broadcast, %c.1 : f32[2, 3@a, 3]
//=   %before = reduce max [1] %kept : f32[2, 3] whole
//=   %broadcast.2 = broadcast [0, 1] %before : f32[2, 3, 3] whole
//=   %max.1 = max %own, %broadcast.2 : f32[2, 3@a, 3]
//=   %reshape.2 = reshape %max.1 : f32[2, 9@a]
//=   %part.1 = slice [0, 0] to [2, 7] %reshape.2 : f32[2, 7@a]
//=   %reshape.3 = reshape %y : i32[3@a, 2]
//=   %own.1 = reduce_window prod [(1), (2 pad 0 1)] %reshape.3 : i32[3@a, 2]
//=   %part.2 = slice [0, 0] to [3, 1] %own.1 : i32[3@a, 1]
//=   %reshape.4 = reshape %part.2 : i32[3@a]
//=   %i.2 = iota dim 0 : i32[3, 3] whole
//=   %i.3 = iota dim 1 : i32[3, 3] whole
//=   %apart.1 = compare gt %i.2, %i.3 : bool[3, 3] whole
//=   %broadcast.3 = broadcast [0] %reshape.4 : i32[3@a, 3]
//=   %broadcast.4 = broadcast [0, 1] %apart.1 : bool[3, 3] whole
//=   %c.2 = constant 1 : i32[3, 3] whole
//=   %kept.1 = select %broadcast.4, %broadcast.3, %c.2 : i32[3@a, 3]
//=   %before.1 = reduce prod [0] %kept.1 : i32[3] whole
//=   %broadcast.5 = broadcast [0] %before.1 : i32[3, 2] whole
//=   %mul = mul %own.1, %broadcast.5 : i32[3@a, 2]
//=   %reshape.5 = reshape %mul : i32[6@a]
//= output %part.1 "max"
//= output %reshape.5 "product"
