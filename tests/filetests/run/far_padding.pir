test run
// Padding that exceeds the other devices' elements: only existing elements are fetched.
form traced
mesh @m = [a=2]
input %x : i32[4@a, 3]
input %c : i32[]
  %y = pad low [1000, 0] high [3, 0] %x, %c : i32[1007, 3]
  %z = slice [999, 0] to [1005, 3] %y : i32[6, 3]
output %z
//= 2 devices agree
//= permute 2
//= piece_start 3
