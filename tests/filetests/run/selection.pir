test run
// The largest elements and their positions along sharded dimensions. Devices exchange candidates only.
form traced
mesh @m = [a=3, b=2]
func @first_largest(%p: i32[], %i: i32[], %q: i32[], %j: i32[]) {
  %more = compare gt %p, %q : bool[]
  %same = compare eq %p, %q : bool[]
  %before = compare lt %i, %j : bool[]
  %tie = and %same, %before : bool[]
  %first = or %more, %tie : bool[]
  %value = select %first, %p, %q : i32[]
  %index = select %first, %i, %j : i32[]
  return %value "out0", %index "out1"
}
input %x : f32[3, 9@a]
input %y : i32[2, 7@a]
input %z : f32[12@a+b]
input %w : f32[8@a]
input %none : f32[0, 9@a]
  %i = iota dim 1 : i32[2, 7]
  %low = constant -2147483648 : i32[]
  %zero = constant 0 : i32[]
  %v0, %i0 = top_k 2 %x : f32[3, 2], i32[3, 2]
  %v1, %i1 = top_k 2 %y : i32[2, 2], i32[2, 2]
  %v2, %i2 = top_k 1 %z : f32[1], i32[1]
  %v3, %i3 = top_k 7 %w : f32[7], i32[7]
  %v5, %i5 = top_k 1 %none : f32[0, 1], i32[0, 1]
  %v4, %i4 = reduce_func [1] with @first_largest %y, %i, %low, %zero : i32[2], i32[2]
output %v0
output %i0
output %v1
output %i1
output %v2
output %i2
output %v3
output %i3
output %v4
output %i4
output %v5
output %i5
//= 6 devices agree
//= all_gather 10
//= piece_start 7
