test raise
// Gelu by erf and by tanh with its factors in other orders, and similar functions: another constant (the
// square root of 2 as a divisor, too, is another number after rounding), another operand.
form traced
input %x : f32[2, 4]
input %y : f32[2, 4]
  %one = constant 1.0 : f32[2, 4]
  %half = constant 0.5 : f32[2, 4]
  %root = constant 0.70710677 : f32[2, 4]
  %small = constant 0.044715 : f32[2, 4]
  %pi = constant 0.7978846 : f32[2, 4]
  %root2 = constant 1.4142135 : f32[2, 4]

  %z = mul %x, %root : f32[2, 4]
  %erf = erf %z : f32[2, 4]
  %share = add %erf, %one : f32[2, 4]
  %halved = mul %x, %half : f32[2, 4]
  %before = mul %halved, %share : f32[2, 4]

  %z.1 = mul %x, %root : f32[2, 4]
  %erf.1 = erf %z.1 : f32[2, 4]
  %share.1 = add %one, %erf.1 : f32[2, 4]
  %share.2 = mul %half, %share.1 : f32[2, 4]
  %behind = mul %share.2, %x : f32[2, 4]

  %square = mul %x, %x : f32[2, 4]
  %cube = mul %x, %square : f32[2, 4]
  %cubic = mul %cube, %small : f32[2, 4]
  %inner = add %cubic, %x : f32[2, 4]
  %inner.1 = mul %inner, %pi : f32[2, 4]
  %tanh = tanh %inner.1 : f32[2, 4]
  %share.3 = add %tanh, %one : f32[2, 4]
  %halved.1 = mul %half, %x : f32[2, 4]
  %by_tanh = mul %share.3, %halved.1 : f32[2, 4]

  %z.2 = div %x, %root2 : f32[2, 4]
  %erf.2 = erf %z.2 : f32[2, 4]
  %share.4 = add %erf.2, %one : f32[2, 4]
  %halved.2 = mul %x, %half : f32[2, 4]
  %constant = mul %halved.2, %share.4 : f32[2, 4]

  %z.3 = mul %y, %root : f32[2, 4]
  %erf.3 = erf %z.3 : f32[2, 4]
  %share.5 = add %erf.3, %one : f32[2, 4]
  %halved.3 = mul %x, %half : f32[2, 4]
  %operand = mul %halved.3, %share.5 : f32[2, 4]

  %z.4 = mul %x, %root : f32[2, 4]
  %erf.4 = erf %z.4 : f32[2, 4]
  %share.6 = add %erf.4, %one : f32[2, 4]
  %twice = mul %x, %share.6 : f32[2, 4]
  %last = mul %twice, %half : f32[2, 4]
output %before
output %behind
output %by_tanh
output %constant
output %operand
output %last
//= form traced
//= input %x : f32[2, 4]
//= input %y : f32[2, 4]
//=   %one = constant 1.0 : f32[2, 4]
//=   %half = constant 0.5 : f32[2, 4]
//=   %root = constant 0.70710677 : f32[2, 4]
//=   %small = constant 0.044715 : f32[2, 4]
//=   %pi = constant 0.7978846 : f32[2, 4]
//=   %root2 = constant 1.4142135 : f32[2, 4]
//=   %before = gelu %x : f32[2, 4]
//=   %behind = gelu %x : f32[2, 4]
//=   %by_tanh = gelu tanh %x : f32[2, 4]
//=   %z.2 = div %x, %root2 : f32[2, 4]
//=   %erf.2 = erf %z.2 : f32[2, 4]
//=   %share.4 = add %erf.2, %one : f32[2, 4]
//=   %halved.2 = mul %x, %half : f32[2, 4]
//=   %constant = mul %halved.2, %share.4 : f32[2, 4]
//=   %z.3 = mul %y, %root : f32[2, 4]
//=   %erf.3 = erf %z.3 : f32[2, 4]
//=   %share.5 = add %erf.3, %one : f32[2, 4]
//=   %halved.3 = mul %x, %half : f32[2, 4]
//=   %operand = mul %halved.3, %share.5 : f32[2, 4]
//=   %last = gelu %x : f32[2, 4]
//= output %before
//= output %behind
//= output %by_tanh
//= output %constant
//= output %operand
//= output %last
