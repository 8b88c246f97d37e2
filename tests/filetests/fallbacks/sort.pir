test fallbacks
// A sort along a sharded dimension requires a gather, which is reported.
form traced
mesh @m = [data=4]
func @less(%a: f32[], %b: f32[]) {
  %c = compare lt %a, %b : bool[]
  return %c
}
input %x : f32[8@data, 3]
  %s = sort dim 0 by @less %x : f32[8, 3]
output %s
//= sort %s: dimension 0 of %x is gathered: the rule cannot split this dimension
