test raise
// Not a loss: the label is looked up in another tensor, along another dimension, for another position, or the index may not be
// clamped; and the log-softmax is along another dimension, has other readers, or a user layout. Nor is
// a sum of looked-up values, which may stay partial until then.
form traced
mesh @m = [data=2]
input %x : f32[4, 4]
input %other : f32[4, 4]
input %label : i32[4]
  %max = reduce max [1] %x : f32[4]
  %max.1 = broadcast [0] %max : f32[4, 4]
  %below = sub %x, %max.1 : f32[4, 4]
  %exp = exp %below : f32[4, 4]
  %sum = reduce sum [1] %exp : f32[4]
  %log = log %sum : f32[4]
  %chosen = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %other, %label : f32[4]
  %stranger = sub %log, %chosen : f32[4]

  %soft = log_softmax dim 1 %x : f32[4, 4]
  %transposed = gather collapsed [0] operand_batch [1] index_batch [0] map [0] vector 1 sizes [1, 1] %soft, %label : f32[4]
  %transposed.neg = neg %transposed : f32[4]

  %soft.1 = log_softmax dim 1 %x : f32[4, 4]
  %position = iota dim 0 : i32[4]
  %three = constant 3 : i32[4]
  %back = sub %three, %position : i32[4]
  %back.1 = reshape %back : i32[4, 1]
  %label.1 = reshape %label : i32[4, 1]
  %pair = concatenate dim 1 %back.1, %label.1 : i32[4, 2]
  %reversed = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] %soft.1, %pair : f32[4]
  %reversed.neg = neg %reversed : f32[4]

  %soft.2 = log_softmax dim 1 %x : f32[4, 4]
  %filled = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] fill %soft.2, %label : f32[4]
  %filled.neg = neg %filled : f32[4]

  %soft.3 = log_softmax dim 0 %x : f32[4, 4]
  %columns = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %soft.3, %label : f32[4]
  %columns.neg = neg %columns : f32[4]

  %read = log_softmax dim 1 %x : f32[4, 4]
  %elsewhere = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %read, %label : f32[4]
  %elsewhere.neg = neg %elsewhere : f32[4]

  %placed = log_softmax dim 1 %x : f32[4@data, 4]
  %there = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %placed, %label : f32[4]
  %there.neg = neg %there : f32[4]
  %soft.4 = log_softmax dim 1 %x : f32[4, 4]
  %summed = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %soft.4, %label : f32[4]
  %sum.1 = reduce sum [0] %summed : f32[]
output %stranger
output %transposed.neg
output %reversed.neg
output %filled.neg
output %columns.neg
output %read
output %elsewhere.neg
output %there.neg
output %sum.1
//= form traced
//= mesh @m = [data=2]
//= input %x : f32[4, 4]
//= input %other : f32[4, 4]
//= input %label : i32[4]
//=   %max = reduce max [1] %x : f32[4]
//=   %max.1 = broadcast [0] %max : f32[4, 4]
//=   %below = sub %x, %max.1 : f32[4, 4]
//=   %exp = exp %below : f32[4, 4]
//=   %sum = reduce sum [1] %exp : f32[4]
//=   %log = log %sum : f32[4]
//=   %chosen = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %other, %label : f32[4]
//=   %stranger = sub %log, %chosen : f32[4]
//=   %soft = log_softmax dim 1 %x : f32[4, 4]
//=   %transposed = gather collapsed [0] operand_batch [1] index_batch [0] map [0] vector 1 sizes [1, 1] %soft, %label : f32[4]
//=   %transposed.neg = neg %transposed : f32[4]
//=   %soft.1 = log_softmax dim 1 %x : f32[4, 4]
//=   %position = iota dim 0 : i32[4]
//=   %three = constant 3 : i32[4]
//=   %back = sub %three, %position : i32[4]
//=   %back.1 = reshape %back : i32[4, 1]
//=   %label.1 = reshape %label : i32[4, 1]
//=   %pair = concatenate dim 1 %back.1, %label.1 : i32[4, 2]
//=   %reversed = gather collapsed [0, 1] map [0, 1] vector 1 sizes [1, 1] %soft.1, %pair : f32[4]
//=   %reversed.neg = neg %reversed : f32[4]
//=   %soft.2 = log_softmax dim 1 %x : f32[4, 4]
//=   %filled = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] fill %soft.2, %label : f32[4]
//=   %filled.neg = neg %filled : f32[4]
//=   %soft.3 = log_softmax dim 0 %x : f32[4, 4]
//=   %columns = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %soft.3, %label : f32[4]
//=   %columns.neg = neg %columns : f32[4]
//=   %read = log_softmax dim 1 %x : f32[4, 4]
//=   %elsewhere = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %read, %label : f32[4]
//=   %elsewhere.neg = neg %elsewhere : f32[4]
//=   %placed = log_softmax dim 1 %x : f32[4@data, 4]
//=   %there = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %placed, %label : f32[4]
//=   %there.neg = neg %there : f32[4]
//=   %soft.4 = log_softmax dim 1 %x : f32[4, 4]
//=   %summed = gather collapsed [1] operand_batch [0] index_batch [0] map [1] vector 1 sizes [1, 1] %soft.4, %label : f32[4]
//=   %sum.1 = reduce sum [0] %summed : f32[]
//= output %stranger
//= output %transposed.neg
//= output %reversed.neg
//= output %filled.neg
//= output %columns.neg
//= output %read
//= output %elsewhere.neg
//= output %there.neg
//= output %sum.1
