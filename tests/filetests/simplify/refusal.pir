test simplify
// This pass rejects no program. A sum with zero stays, since its removal changes the sign of a negative zero, and so does a value
// with a user layout.
form traced
mesh @m = [data=2]
input %x : f32[4]
  %c = constant 0.0 : f32[4]
  %z = add %x, %c : f32[4]
  %o = constant 1.0 : f32[4]
  %k = mul %z, %o : f32[4@data]
output %k
//= form traced
//= mesh @m = [data=2]
//= input %x : f32[4]
//=   %c = constant 0.0 : f32[4]
//=   %z = add %x, %c : f32[4]
//=   %o = constant 1.0 : f32[4]
//=   %k = mul %z, %o : f32[4@data]
//= output %k
