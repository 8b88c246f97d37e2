test rules
form traced
input %x : f32[8, 16]
input %w : f32[16, 4]
input %q : f32[2, 8, 16]
  %m = matmul %x, %w : f32[8, 4]
  %d = dot_general contract [2]x[1] batch [1]x[0] %q, %x : f32[8, 2]
  %s = reduce sum [0] %x : f32[16]
  %t = transpose [1, 0] %x : f32[16, 8]
  %r = reshape %q : f32[16, 16]
//= %m: ([a,c],[c,b])->([a,b]) {a=8,b=4,c=16} kinds={c:sum} linear=[{0},{1}]
//= %d: ([b,a,c],[a,c])->([a,b]) {a=8,b=2,c=16} kinds={c:sum} linear=[{0},{1}]
//= %s: ([a,b])->([b]) {a=8,b=16} kinds={a:sum} linear=[{0}]
//= %t: ([a,b])->([b,a]) {a=8,b=16} linear=[{0}] moves
//= %r: ([a,b,c])->([ab,c]) {a=2,b=8,c=16} linear=[{0}] moves
