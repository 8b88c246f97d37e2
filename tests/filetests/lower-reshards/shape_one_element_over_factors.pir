test lower-reshards
// One row over six devices, which held partial sums over one factor of the axis and columns over the other.
form explicit
mesh @m = [a=6]
input %x : f32[1, 4@a:(2)3]
input %w : f32[4@a:(2)3, 6@a:(1)2]
  %h = matmul %x, %w : f32[1, 6@a:(1)2] sum(a:(2)3)
  %y = reshard %h : f32[1@a, 6]
output %y
