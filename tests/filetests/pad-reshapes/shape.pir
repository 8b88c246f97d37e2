test pad-reshapes
// Two heads over three devices, one of which is empty; two dimensions that are padded at once; and both directions in
// the body of a loop.
form planned
mesh @m = [a=3, b=2]
func @turn(%h: f32[10@a]) {
  %rows = reshape %h : f32[5@a, 2]
  %e = exp %rows : f32[5@a, 2]
  %next = reshape %e : f32[10@a]
  return %next "next"
}
input %few : f32[4@a]
input %both : f32[14@a, 9@b]
input %h : f32[10@a]
  %heads = reshape %few : f32[2@a, 2]
  %deep = reshape %both : f32[7@a, 2, 3@b, 3]
  %looped = loop 3 of @turn %h : f32[10@a]
output %heads
output %deep
output %looped
//= form planned
//= mesh @m = [a=3, b=2]
//= func @turn(%h: f32[10@a]) {
//=   %c = constant 0.0 : f32[] whole
//=   %padded = pad high [2] %h, %c : f32[12@a]
//=   %reshape = reshape %padded : f32[6@a, 2]
//=   %rows.1 = slice [0, 0] to [5, 2] %reshape : f32[5@a, 2]
//=   %e = exp %rows.1 : f32[5@a, 2]
//=   %c.1 = constant 0.0 : f32[] whole
//=   %padded.1 = pad high [1, 0] %e, %c.1 : f32[6@a, 2]
//=   %reshape.1 = reshape %padded.1 : f32[12@a]
//=   %next.1 = slice [0] to [10] %reshape.1 : f32[10@a]
//=   return %next.1 "next"
//= }
//= input %few : f32[4@a]
//= input %both : f32[14@a, 9@b]
//= input %h : f32[10@a]
//=   %c.2 = constant 0.0 : f32[] whole
//=   %padded.2 = pad high [2] %few, %c.2 : f32[6@a]
//=   %reshape.2 = reshape %padded.2 : f32[3@a, 2]
//=   %heads.1 = slice [0, 0] to [2, 2] %reshape.2 : f32[2@a, 2]
//=   %c.3 = constant 0.0 : f32[] whole
//=   %padded.3 = pad high [4, 3] %both, %c.3 : f32[18@a, 12@b]
//=   %reshape.3 = reshape %padded.3 : f32[9@a, 2, 4@b, 3]
//=   %deep.1 = slice [0, 0, 0, 0] to [7, 2, 3, 3] %reshape.3 : f32[7@a, 2, 3@b, 3]
//=   %looped = loop 3 of @turn %h : f32[10@a]
//= output %heads.1 "heads"
//= output %deep.1 "deep"
//= output %looped
