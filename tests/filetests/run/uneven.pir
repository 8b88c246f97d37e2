test run
// Sizes that no mesh divides, sizes smaller than the mesh, and zero.
form traced
mesh @m = [a=3, b=2]
param %w "w" : i32[7@b, 5]
input %x : i32[2@a, 7]
input %none : i32[0@a, 7]
  %y = matmul %x, %w : i32[2, 5]
  %z = matmul %none, %w : i32[0, 5]
  %s = reduce sum [0, 1] %y : i32[]
output %y
output %z
output %s
//= 6 devices agree
//= all_gather 2
//= all_reduce 3
//= mask 3
//= shard 2
