test bucket
// A bucket size with an unknown unit.
//plan bucket = "25 bananas" # //~ D008 is not a bucket size
form explicit
mesh @m = [data=2]
input %x : f32[8@data, 4]
  %a.grad = reduce sum [0] %x : f32[4] sum(data) phase backward_weight
  %a.1 = all_reduce sum over data %a.grad : f32[4] whole phase backward_weight
output %a.1
//= error[D008]: `25 bananas` is not a bucket size
//=   --> plan:3:11 expected the number of bytes to reduce together
//=   = help: write a size such as `25MiB`, or `none`
