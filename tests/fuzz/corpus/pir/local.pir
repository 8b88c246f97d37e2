form local
mesh @m = [x=2, y=2]
func @step(%s: f32[2, 4], %w: f32[4]) {
  %b = broadcast [1] %w : f32[2, 4]
  %t = mul %s, %b : f32[2, 4]
  return %t, %w
}
param %w "w" : f32[4]
input %s : f32[4@x, 4]
  %a = add %s, %s : f32[2, 4]
  %c, %w2 = loop 3 of @step %a, %w : f32[2, 4], f32[4]
  %d = all_reduce sum over y %c : f32[4@x, 4]
  %e = softmax dim 1 %d : f32[4@x, 4]
  %f = reduce sum [0] %c : f32[4]
  %g = all_reduce sum over x+y %f : f32[4]
output %d "d"
output %e "e"
output %g "g" -> "w"
