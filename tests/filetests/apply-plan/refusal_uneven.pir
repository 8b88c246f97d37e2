test apply-plan
// The plan forbids padding ten rows to twelve.
//plan mesh = { model = 4 }
//plan no_padding = ["w"]
//plan [shard]
//plan "w" = "model, _" # //~ L003 is not divisible by `model` (4)
form traced
param %w "w" : f32[10, 8]
input %x : f32[8, 10]
  %y = matmul %x, %w : f32[8, 8]
output %y
//= error[L003]: `dimension 0 of w` (10) is not divisible by `model` (4)
//=   --> plan:6:8 splits dimension 0 of `w`
//=   = note: 10 = 4 x 2 + 2; its only divisors are 2, 5 and itself
//=   = help: leave out `--no-padding` to pad it to 12 (2 more, +20.000%)
//=   = help: or replicate it on every device: remove `model`
