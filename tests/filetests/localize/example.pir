test localize
// The example of the pass's documentation.
form explicit
mesh @m = [data=4]
input %p : f32[10@data]
  %p.1 = all_gather dim 0 over data %p : f32[10] whole
output %p.1
//= form local
//= mesh @m = [data=4]
//= input %p : f32[10@data]
//=   %whole = all_gather dim 0 over data %p : f32[12]
//=   %p.1 = slice [0] to [10] %whole : f32[10] whole
//= output %p.1
