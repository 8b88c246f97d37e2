test raise
// Attention as it is written: with heads behind positions and a mask of constants, with queries scaled before and the values
// on the left, with an added mask, with one that is given, on one row, and as attention's own decomposition writes it.
form traced
input %q : f32[2, 6, 3, 4]
input %k : f32[2, 6, 3, 4]
input %v : f32[2, 6, 3, 5]
input %row : f32[2, 1, 3, 4]
input %mask : bool[2, 6]
  %c.row = iota dim 0 : i32[6, 6]
  %c0 = constant 0 : i32[6, 6]
  %row.1 = add %c.row, %c0 : i32[6, 6]
  %column = iota dim 1 : i32[6, 6]
  %ge = compare ge %row.1, %column : bool[6, 6]
  %true = constant 1 : bool[6, 6]
  %false = constant 0 : bool[6, 6]
  %tril = select %ge, %true, %false : bool[6, 6]

  // Heads behind positions; the result has features before rows.
  %dot = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %q, %k : f32[2, 3, 6, 6]
  %half = constant 0.5 : f32[2, 3, 6, 6]
  %scores = mul %dot, %half : f32[2, 3, 6, 6]
  %seen = broadcast [2, 3] %tril : bool[2, 3, 6, 6]
  %low = constant -1000000000.0 : f32[2, 3, 6, 6]
  %masked = select %seen, %scores, %low : f32[2, 3, 6, 6]
  %weights = softmax dim 3 %masked : f32[2, 3, 6, 6]
  %causal = dot_general contract [1]x[3] batch [0, 2]x[0, 1] %v, %weights : f32[2, 3, 5, 6]

  // No mask; the queries are divided before.
  %four = constant 4.0 : f32[]
  %two = sqrt %four : f32[]
  %two.1 = broadcast [] %two : f32[2, 6, 3, 4]
  %q.1 = div %q, %two.1 : f32[2, 6, 3, 4]
  %dot.1 = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %q.1, %k : f32[2, 3, 6, 6]
  %weights.1 = softmax dim 3 %dot.1 : f32[2, 3, 6, 6]
  %plain = dot_general contract [3]x[1] batch [0, 1]x[0, 2] %weights.1, %v : f32[2, 3, 6, 5]

  // An added mask, keys on the left, and dimensions of one element in between.
  %dot.2 = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %k, %q : f32[2, 3, 6, 6]
  %zero = constant 0.0 : f32[6, 6]
  %inf = constant -inf : f32[6, 6]
  %bias = select %tril, %zero, %inf : f32[6, 6]
  %bias.1 = broadcast [3, 2] %bias : f32[2, 3, 6, 6]
  %biased = add %dot.2, %bias.1 : f32[2, 3, 6, 6]
  %one = reshape %biased : f32[1, 2, 3, 6, 6]
  %weights.2 = softmax dim 3 %one : f32[1, 2, 3, 6, 6]
  %added = dot_general contract [3]x[1] batch [1, 2]x[0, 2] %weights.2, %v : f32[2, 3, 1, 6, 5]

  // A mask that says what is hidden, for each batch and column.
  %dot.3 = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %q, %k : f32[2, 3, 6, 6]
  %mask.1 = broadcast [0, 3] %mask : bool[2, 3, 6, 6]
  %inf.1 = constant -inf : f32[2, 3, 6, 6]
  %masked.1 = select %mask.1, %inf.1, %dot.3 : f32[2, 3, 6, 6]
  %weights.3 = softmax dim 3 %masked.1 : f32[2, 3, 6, 6]
  %given = dot_general contract [3]x[1] batch [0, 1]x[0, 2] %weights.3, %v : f32[2, 3, 6, 5]

  // One row, whose dimension gets lost on the way.
  %dot.4 = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %row, %k : f32[2, 3, 1, 6]
  %dot.5 = reshape %dot.4 : f32[2, 3, 6]
  %weights.4 = softmax dim 2 %dot.5 : f32[2, 3, 6]
  %decoded = dot_general contract [2]x[1] batch [0, 1]x[0, 2] %weights.4, %v : f32[2, 3, 5]

  // Zeros where nothing is seen.
  %dot.6 = dot_general contract [3]x[3] batch [0, 2]x[0, 2] %q, %k : f32[2, 3, 6, 6]
  %masked.2 = select %mask.1, %dot.6, %inf.1 : f32[2, 3, 6, 6]
  %max = reduce max [3] %masked.2 : f32[2, 3, 6]
  %lowest = constant -3.4028234663852886e38 : f32[2, 3, 6]
  %max.1 = max %max, %lowest : f32[2, 3, 6]
  %max.2 = broadcast [0, 1, 2] %max.1 : f32[2, 3, 6, 6]
  %below = sub %masked.2, %max.2 : f32[2, 3, 6, 6]
  %exp = exp %below : f32[2, 3, 6, 6]
  %sum = reduce sum [3] %exp : f32[2, 3, 6]
  %smallest = constant 1.1754943508222875e-38 : f32[2, 3, 6]
  %sum.1 = max %sum, %smallest : f32[2, 3, 6]
  %sum.2 = broadcast [0, 1, 2] %sum.1 : f32[2, 3, 6, 6]
  %weights.5 = div %exp, %sum.2 : f32[2, 3, 6, 6]
  %zeros = dot_general contract [3]x[1] batch [0, 1]x[0, 2] %weights.5, %v : f32[2, 3, 6, 5]
output %causal
output %plain
output %added
output %given
output %decoded
output %zeros
//= form traced
//= input %q : f32[2, 6, 3, 4]
//= input %k : f32[2, 6, 3, 4]
//= input %v : f32[2, 6, 3, 5]
//= input %row : f32[2, 1, 3, 4]
//= input %mask : bool[2, 6]
//=   %c.row = iota dim 0 : i32[6, 6]
//=   %c0 = constant 0 : i32[6, 6]
//=   %row.1 = add %c.row, %c0 : i32[6, 6]
//=   %column = iota dim 1 : i32[6, 6]
//=   %ge = compare ge %row.1, %column : bool[6, 6]
//=   %true = constant 1 : bool[6, 6]
//=   %false = constant 0 : bool[6, 6]
//=   %tril = select %ge, %true, %false : bool[6, 6]
//=   %half = constant 0.5 : f32[2, 3, 6, 6]
//=   %seen = broadcast [2, 3] %tril : bool[2, 3, 6, 6]
//=   %low = constant -1000000000.0 : f32[2, 3, 6, 6]
//=   %transpose = transpose [0, 2, 1, 3] %q : f32[2, 3, 6, 4]
//=   %transpose.1 = transpose [0, 2, 1, 3] %k : f32[2, 3, 6, 4]
//=   %transpose.2 = transpose [0, 2, 1, 3] %v : f32[2, 3, 6, 5]
//=   %attention = attention causal scale 0.5 %transpose, %transpose.1, %transpose.2 : f32[2, 3, 6, 5]
//=   %causal = transpose [0, 1, 3, 2] %attention : f32[2, 3, 5, 6]
//=   %four = constant 4.0 : f32[]
//=   %two = sqrt %four : f32[]
//=   %two.1 = broadcast [] %two : f32[2, 6, 3, 4]
//=   %transpose.4 = transpose [0, 2, 1, 3] %q : f32[2, 3, 6, 4]
//=   %transpose.5 = transpose [0, 2, 1, 3] %k : f32[2, 3, 6, 4]
//=   %transpose.6 = transpose [0, 2, 1, 3] %v : f32[2, 3, 6, 5]
//=   %plain = attention scale 0.5 %transpose.4, %transpose.5, %transpose.6 : f32[2, 3, 6, 5]
//=   %zero = constant 0.0 : f32[6, 6]
//=   %inf = constant -inf : f32[6, 6]
//=   %bias = select %tril, %zero, %inf : f32[6, 6]
//=   %bias.1 = broadcast [3, 2] %bias : f32[2, 3, 6, 6]
//=   %transpose.7 = transpose [0, 2, 1, 3] %q : f32[2, 3, 6, 4]
//=   %transpose.8 = transpose [0, 2, 1, 3] %k : f32[2, 3, 6, 4]
//=   %transpose.9 = transpose [0, 2, 1, 3] %v : f32[2, 3, 6, 5]
//=   %attention.2 = attention causal scale 1.0 %transpose.7, %transpose.8, %transpose.9 : f32[2, 3, 6, 5]
//=   %added = reshape %attention.2 : f32[2, 3, 1, 6, 5]
//=   %mask.1 = broadcast [0, 3] %mask : bool[2, 3, 6, 6]
//=   %inf.1 = constant -inf : f32[2, 3, 6, 6]
//=   %transpose.10 = transpose [0, 2, 1, 3] %q : f32[2, 3, 6, 4]
//=   %transpose.11 = transpose [0, 2, 1, 3] %k : f32[2, 3, 6, 4]
//=   %transpose.12 = transpose [0, 2, 1, 3] %v : f32[2, 3, 6, 5]
//=   %reshape.1 = reshape %mask : bool[2, 1, 1, 6]
//=   %not = not %reshape.1 : bool[2, 1, 1, 6]
//=   %given = attention scale 1.0 %transpose.10, %transpose.11, %transpose.12, %not : f32[2, 3, 6, 5]
//=   %reshape.2 = reshape %row : f32[2, 3, 1, 4]
//=   %transpose.13 = transpose [0, 2, 1, 3] %k : f32[2, 3, 6, 4]
//=   %transpose.14 = transpose [0, 2, 1, 3] %v : f32[2, 3, 6, 5]
//=   %attention.4 = attention scale 1.0 %reshape.2, %transpose.13, %transpose.14 : f32[2, 3, 1, 5]
//=   %decoded = reshape %attention.4 : f32[2, 3, 5]
//=   %lowest = constant -3.4028234663852886e38 : f32[2, 3, 6]
//=   %smallest = constant 1.1754943508222875e-38 : f32[2, 3, 6]
//=   %transpose.15 = transpose [0, 2, 1, 3] %q : f32[2, 3, 6, 4]
//=   %transpose.16 = transpose [0, 2, 1, 3] %k : f32[2, 3, 6, 4]
//=   %transpose.17 = transpose [0, 2, 1, 3] %v : f32[2, 3, 6, 5]
//=   %reshape.4 = reshape %mask : bool[2, 1, 1, 6]
//=   %zeros = attention scale 1.0 %transpose.15, %transpose.16, %transpose.17, %reshape.4 : f32[2, 3, 6, 5]
//= output %causal
//= output %plain
//= output %added
//= output %given
//= output %decoded
//= output %zeros
