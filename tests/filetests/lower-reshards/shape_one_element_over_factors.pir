test lower-reshards
// One row over six devices, which stored partial sums over one factor of the axis and columns over the other.
form explicit
mesh @m = [a=6]
input %x : f32[1, 4@a:(2)3]
input %w : f32[4@a:(2)3, 6@a:(1)2]
  %h = matmul %x, %w : f32[1, 6@a:(1)2] sum(a:(2)3)
  %y = reshard %h : f32[1@a, 6]
output %y
//= form explicit
//= mesh @m = [a=6]
//= input %x : f32[1, 4@a:(2)3]
//= input %w : f32[4@a:(2)3, 6@a:(1)2]
//=   %h = matmul %x, %w : f32[1, 6@a:(1)2] sum(a:(2)3)
//=   %y.1 = all_reduce sum over a:(2)3 %h : f32[1, 6@a:(1)2]
//=   %y.2 = all_gather dim 1 over a:(1)2 %y.1 : f32[1, 6] whole
//=   %y = shard dim 0 over a %y.2 : f32[1@a, 6]
//= output %y
