test canonicalise
// This pass rejects no program. A transpose with a user layout stays, though the next one inverts it. A reshape
// that joins dimensions which its reader contracts stays before it.
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
output %back
output %product
output %e
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
//= output %back
//= output %product
//= output %e
