test canonicalise
// This pass rejects no program. A transpose with a user layout stays, though the next one inverts it. A reshape
// that splits a dimension, 4 into 2 x 2, stays before its readers, and one that merges adjacent dimensions is not moved past
// a transpose.
form traced
mesh @m = [data=2]
input %x : f32[4, 6]
input %w : f32[12, 5]
input %v : f32[4, 2, 3]
  %placed = transpose [1, 0] %x : f32[6@data, 4]
  %back = transpose [1, 0] %placed : f32[4, 6]
  %cut = reshape %v : f32[2, 12]
  %product = matmul %cut, %w : f32[2, 5]
  %e = exp %cut : f32[2, 12]
  %joined = reshape %v : f32[8, 3]
  %turned = transpose [1, 0] %joined : f32[3, 8]
  %log = log %turned : f32[3, 8]
output %back
output %product
output %e
output %log
//= form traced
//= mesh @m = [data=2]
//= input %x : f32[4, 6]
//= input %w : f32[12, 5]
//= input %v : f32[4, 2, 3]
//=   %placed = transpose [1, 0] %x : f32[6@data, 4]
//=   %back = transpose [1, 0] %placed : f32[4, 6]
//=   %cut = reshape %v : f32[2, 12]
//=   %product = matmul %cut, %w : f32[2, 5]
//=   %e = exp %cut : f32[2, 12]
//=   %joined = reshape %v : f32[8, 3]
//=   %turned = transpose [1, 0] %joined : f32[3, 8]
//=   %log = log %turned : f32[3, 8]
//= output %back
//= output %product
//= output %e
//= output %log
