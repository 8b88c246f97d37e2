test bucket
// A size without a known unit.
//plan bucket = "25 bananas" # //~ D008 is not the size of a bucket
form explicit
mesh @m = [data=2]
input %x : f32[8@data, 4]
  %a.grad = reduce sum [0] %x : f32[4] sum(data) phase backward_weight
  %a.1 = all_reduce sum over data %a.grad : f32[4] whole phase backward_weight
output %a.1
//= error[D008]: `25 bananas` is not the size of a bucket
//=   --> plan:3:11 how many bytes of gradients are reduced together?
//=   = help: say it in bytes or with a unit, `25MiB`, or `none`
