test split-scans
// Seven elements over three devices are padded to nine. A sum from the end, along the first of four dimensions, over
// two axes; and a single row with one element per device.
form planned
mesh @m = [a=3, b=2]
input %uneven : i32[7@a]
input %back : f32[12@a+b, 1, 2, 1]
input %thin : f32[1, 3@a]
  %x = reduce_window sum [(7 pad 6 0)] %uneven : i32[7@a]
  %y = reduce_window sum [(12 pad 0 11), (1), (1), (1)] %back : f32[12@a+b, 1, 2, 1]
  %z = reduce_window sum [(1), (3 pad 2 0)] %thin : f32[1, 3@a]
output %x
output %y
output %z
//= form planned
//= mesh @m = [a=3, b=2]
//= input %uneven : i32[7@a]
//= input %back : f32[12@a+b, 1, 2, 1]
//= input %thin : f32[1, 3@a]
//=   %c = constant 0 : i32[] whole
//=   %padded = pad high [2] %uneven, %c : i32[9@a]
//=   %reshape = reshape %padded : i32[3@a, 3]
//=   %own = reduce_window sum [(1), (3 pad 2 0)] %reshape : i32[3@a, 3]
//=   %part = slice [0, 2] to [3, 3] %own : i32[3@a, 1]
//=   %reshape.1 = reshape %part : i32[3@a]
//=   %i = iota dim 0 : i32[3, 3] whole
//=   %i.1 = iota dim 1 : i32[3, 3] whole
//=   %apart = compare lt %i, %i.1 : bool[3, 3] whole
//=   %convert = convert %apart : i32[3, 3] whole
//=   %before = matmul %reshape.1, %convert : i32[3] whole
//=   %before.1 = transpose [0] %before : i32[3] whole
//=   %broadcast = broadcast [0] %before.1 : i32[3, 3] whole
//=   %add = add %own, %broadcast : i32[3@a, 3]
//=   %reshape.2 = reshape %add : i32[9@a]
//=   %part.1 = slice [0] to [7] %reshape.2 : i32[7@a]
//=   %reshape.3 = reshape %back : f32[6@a+b, 2, 1, 2, 1]
//=   %own.1 = reduce_window sum [(1), (2 pad 0 1), (1), (1), (1)] %reshape.3 : f32[6@a+b, 2, 1, 2, 1]
//=   %part.2 = slice [0, 0, 0, 0, 0] to [6, 1, 1, 2, 1] %own.1 : f32[6@a+b, 1, 1, 2, 1]
//=   %reshape.4 = reshape %part.2 : f32[6@a+b, 1, 2, 1]
//=   %i.2 = iota dim 0 : i32[6, 6] whole
//=   %i.3 = iota dim 1 : i32[6, 6] whole
//=   %apart.1 = compare gt %i.2, %i.3 : bool[6, 6] whole
//=   %convert.1 = convert %apart.1 : f32[6, 6] whole
//=   %before.2 = dot_general contract [0]x[0] %reshape.4, %convert.1 : f32[1, 2, 1, 6] whole
//=   %before.3 = transpose [3, 0, 1, 2] %before.2 : f32[6, 1, 2, 1] whole
//=   %broadcast.1 = broadcast [0, 2, 3, 4] %before.3 : f32[6, 2, 1, 2, 1] whole
//=   %add.1 = add %own.1, %broadcast.1 : f32[6@a+b, 2, 1, 2, 1]
//=   %reshape.5 = reshape %add.1 : f32[12@a+b, 1, 2, 1]
//=   %reshape.6 = reshape %thin : f32[1, 3@a, 1]
//=   %own.2 = reduce_window sum [(1), (1), (1)] %reshape.6 : f32[1, 3@a, 1]
//=   %reshape.7 = reshape %own.2 : f32[1, 3@a]
//=   %i.4 = iota dim 0 : i32[3, 3] whole
//=   %i.5 = iota dim 1 : i32[3, 3] whole
//=   %apart.2 = compare lt %i.4, %i.5 : bool[3, 3] whole
//=   %convert.2 = convert %apart.2 : f32[3, 3] whole
//=   %before.4 = matmul %reshape.7, %convert.2 : f32[1, 3] whole
//=   %before.5 = transpose [0, 1] %before.4 : f32[1, 3] whole
//=   %broadcast.2 = broadcast [0, 1] %before.5 : f32[1, 3, 1] whole
//=   %add.2 = add %own.2, %broadcast.2 : f32[1, 3@a, 1]
//=   %reshape.8 = reshape %add.2 : f32[1, 3@a]
//= output %part.1 "x"
//= output %reshape.5 "y"
//= output %reshape.8 "z"
