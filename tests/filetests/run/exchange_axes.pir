test run
// Exchanges of a dimension that is sharded over two axes, and a concatenation of single elements.
form traced
mesh @m = [a=2, b=3]
func @ascending(%p: f32[], %q: f32[]) {
  %less = compare lt %p, %q : bool[]
  return %less "out0"
}
input %x : f32[2, 12@a+b]
input %y : f32[2, 6@a+b]
input %z : f32[2, 7@a+b]
input %one : f32[2, 1]
  %reversed = reverse [1] %x : f32[2, 12]
  %joined = concatenate dim 1 %x, %y : f32[2, 18]
  %uneven = concatenate dim 1 %z, %y : f32[2, 13]
  %sorted = sort dim 1 stable by @ascending %x : f32[2, 12]
  %uneven_sorted = sort dim 1 stable by @ascending %z : f32[2, 7]
  %single = concatenate dim 1 %one, %one : f32[2, 2@a]
output %reversed
output %joined
output %uneven
output %sorted
output %uneven_sorted
output %single
//= 6 devices agree
//= all_gather 2
//= permute 23
//= piece_start 21
//= shard 2
