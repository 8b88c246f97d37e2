test verify
// A bias added to a partial sum would be added once per device; a partial sum that is read too early is not the sum.
form explicit
mesh @m = [data=2, model=4]
param %w "w" : f32[8@model, 4]
param %b "b" : f32[2, 4] whole
input %x : f32[2, 8@model]
  %p = matmul %x, %w : f32[2, 4] sum(model)
  %early = add %p, %b : f32[2, 4] sum(model) //~ L012 not linear in exactly the operands
  %r = relu %p : f32[2, 4] whole //~ L012 reads a partial sum
  %twice = add %p, %p : f32[2, 4] sum(model)
  %lost = add %p, %p : f32[2, 4] whole //~ L012 the result is not partial over
  %wrong = all_reduce sum over data %p : f32[2, 4] whole //~ V003 does not follow
  %s = all_reduce sum over model %p : f32[2, 4] whole
  %y = add %s, %b : f32[2, 4] whole
  %s1, %s2 = all_reduce sum over model %p, %twice : f32[2, 4] whole, f32[2, 4] whole
  %s3, %s4 = all_reduce sum over model %p, %b : f32[2, 4] whole, f32[2, 4] whole //~ V003 does not follow
//= error[L012]: `add %early`: reads a partial sum, but is not linear in exactly the operands that are partial
//=   --> verify/pending.pir:9
//= error[L012]: `relu %r`: reads a partial sum, but is not linear in exactly the operands that are partial
//=   --> verify/pending.pir:10
//= error[L012]: `add %lost`: the result is not partial over exactly the axes that follow from the sharding of the operation
//=   --> verify/pending.pir:12
//= error[V003]: `all_reduce %wrong`: the layout of its result does not follow from that of its operand
//=   --> verify/pending.pir:13
//= error[V003]: `all_reduce %s3`: the layout of its result does not follow from that of its operand
//=   --> verify/pending.pir:17
