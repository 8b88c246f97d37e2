test raise
// Not attention: the softmax is along rows, the scale is not a number, scores have other readers or a user layout, a mask
// with finite numbers might hide all of a row, the diagonal is another one, heads share keys, and weights have another type.
form traced
mesh @m = [data=2]
input %q : f32[2, 6, 4]
input %k : f32[2, 6, 4]
input %v : f32[2, 6, 4]
input %scale : f32[]
input %mask : bool[2, 6, 6]
input %heads : f32[2, 3, 6, 4]
  %dot = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
  %turned = softmax dim 1 %dot : f32[2, 6, 6]
  %rows = matmul %turned, %v : f32[2, 6, 4]

  %dot.1 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
  %scale.1 = broadcast [] %scale : f32[2, 6, 6]
  %scaled = mul %dot.1, %scale.1 : f32[2, 6, 6]
  %weights.1 = softmax dim 2 %scaled : f32[2, 6, 6]
  %unknown = matmul %weights.1, %v : f32[2, 6, 4]

  %read = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
  %weights.2 = softmax dim 2 %read : f32[2, 6, 6]
  %elsewhere = matmul %weights.2, %v : f32[2, 6, 4]

  %placed = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2@data, 6, 6]
  %weights.3 = softmax dim 2 %placed : f32[2, 6, 6]
  %there = matmul %weights.3, %v : f32[2, 6, 4]

  %dot.4 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
  %low = constant -1000000000.0 : f32[2, 6, 6]
  %masked = select %mask, %dot.4, %low : f32[2, 6, 6]
  %weights.4 = softmax dim 2 %masked : f32[2, 6, 6]
  %averaged = matmul %weights.4, %v : f32[2, 6, 4]

  %dot.5 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
  %row = iota dim 1 : i32[2, 6, 6]
  %column = iota dim 2 : i32[2, 6, 6]
  %gt = compare gt %row, %column : bool[2, 6, 6]
  %masked.1 = select %gt, %dot.5, %low : f32[2, 6, 6]
  %weights.5 = softmax dim 2 %masked.1 : f32[2, 6, 6]
  %strict = matmul %weights.5, %v : f32[2, 6, 4]

  %dot.6 = dot_general contract [3]x[2] batch [0]x[0] %heads, %k : f32[2, 3, 6, 6]
  %weights.6 = softmax dim 3 %dot.6 : f32[2, 3, 6, 6]
  %shared = dot_general contract [3]x[1] batch [0]x[0] %weights.6, %v : f32[2, 3, 6, 4]

  %dot.7 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
  %weights.7 = softmax dim 2 %dot.7 : f32[2, 6, 6]
  %narrow = convert %weights.7 : bf16[2, 6, 6]
  %narrow.1 = convert %v : bf16[2, 6, 4]
  %mixed = matmul %narrow, %narrow.1 : bf16[2, 6, 4]
output %rows
output %unknown
output %read
output %elsewhere
output %there
output %averaged
output %strict
output %shared
output %mixed
//= form traced
//= mesh @m = [data=2]
//= input %q : f32[2, 6, 4]
//= input %k : f32[2, 6, 4]
//= input %v : f32[2, 6, 4]
//= input %scale : f32[]
//= input %mask : bool[2, 6, 6]
//= input %heads : f32[2, 3, 6, 4]
//=   %dot = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
//=   %turned = softmax dim 1 %dot : f32[2, 6, 6]
//=   %rows = matmul %turned, %v : f32[2, 6, 4]
//=   %dot.1 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
//=   %scale.1 = broadcast [] %scale : f32[2, 6, 6]
//=   %scaled = mul %dot.1, %scale.1 : f32[2, 6, 6]
//=   %weights.1 = softmax dim 2 %scaled : f32[2, 6, 6]
//=   %unknown = matmul %weights.1, %v : f32[2, 6, 4]
//=   %read = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
//=   %weights.2 = softmax dim 2 %read : f32[2, 6, 6]
//=   %elsewhere = matmul %weights.2, %v : f32[2, 6, 4]
//=   %placed = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2@data, 6, 6]
//=   %weights.3 = softmax dim 2 %placed : f32[2, 6, 6]
//=   %there = matmul %weights.3, %v : f32[2, 6, 4]
//=   %dot.4 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
//=   %low = constant -1000000000.0 : f32[2, 6, 6]
//=   %masked = select %mask, %dot.4, %low : f32[2, 6, 6]
//=   %weights.4 = softmax dim 2 %masked : f32[2, 6, 6]
//=   %averaged = matmul %weights.4, %v : f32[2, 6, 4]
//=   %dot.5 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
//=   %row = iota dim 1 : i32[2, 6, 6]
//=   %column = iota dim 2 : i32[2, 6, 6]
//=   %gt = compare gt %row, %column : bool[2, 6, 6]
//=   %masked.1 = select %gt, %dot.5, %low : f32[2, 6, 6]
//=   %weights.5 = softmax dim 2 %masked.1 : f32[2, 6, 6]
//=   %strict = matmul %weights.5, %v : f32[2, 6, 4]
//=   %dot.6 = dot_general contract [3]x[2] batch [0]x[0] %heads, %k : f32[2, 3, 6, 6]
//=   %weights.6 = softmax dim 3 %dot.6 : f32[2, 3, 6, 6]
//=   %shared = matmul %weights.6, %v : f32[2, 3, 6, 4]
//=   %dot.7 = dot_general contract [2]x[2] batch [0]x[0] %q, %k : f32[2, 6, 6]
//=   %weights.7 = softmax dim 2 %dot.7 : f32[2, 6, 6]
//=   %narrow = convert %weights.7 : bf16[2, 6, 6]
//=   %narrow.1 = convert %v : bf16[2, 6, 4]
//=   %mixed = matmul %narrow, %narrow.1 : bf16[2, 6, 4]
//= output %rows
//= output %unknown
//= output %read
//= output %elsewhere
//= output %there
//= output %averaged
//= output %strict
//= output %shared
//= output %mixed
