test block-slices
// The body of two loops stays, and so do slices at an index whose multiples exceed its range.
form traced
func @shared(%i: i32[], %x: f32[6], %sum: f32[2]) {
  %two = constant 2 : i32[]
  %start = mul %i, %two : i32[]
  %part = dynamic_slice [2] %x, %start : f32[2]
  %next = add %sum, %part : f32[2]
  return %i "i", %x "x", %next "sum"
}
func @narrow(%j: i8[], %y: f32[64], %total: f32[32]) {
  %size = constant 32 : i8[]
  %at = mul %j, %size : i8[]
  %block = dynamic_slice [32] %y, %at : f32[32]
  %more = add %total, %block : f32[32]
  return %j "j", %y "y", %more "total"
}
input %a : f32[6]
input %b : f32[6]
input %c : f32[64]
  %first = constant 0 : i32[]
  %none = constant 0.0 : f32[2]
  %i.a, %x.a, %sum.a = loop 3 of @shared %first, %a, %none : i32[], f32[6], f32[2]
  %i.b, %x.b, %sum.b = loop 3 of @shared %first, %b, %none : i32[], f32[6], f32[2]
  %nothing = constant 0.0 : f32[32]
  %zero = constant 0 : i8[]
  %j.c, %y.c, %sum.c = loop 2 of @narrow %zero, %c, %nothing : i8[], f32[64], f32[32]
output %sum.a
output %sum.b
output %sum.c
//= form traced
//= func @shared(%i: i32[], %x: f32[6], %sum: f32[2]) {
//=   %two = constant 2 : i32[]
//=   %start = mul %i, %two : i32[]
//=   %part = dynamic_slice [2] %x, %start : f32[2]
//=   %next = add %sum, %part : f32[2]
//=   return %i, %x, %next "sum"
//= }
//= func @narrow(%j: i8[], %y: f32[64], %total: f32[32]) {
//=   %size = constant 32 : i8[]
//=   %at = mul %j, %size : i8[]
//=   %block = dynamic_slice [32] %y, %at : f32[32]
//=   %more = add %total, %block : f32[32]
//=   return %j, %y, %more "total"
//= }
//= input %a : f32[6]
//= input %b : f32[6]
//= input %c : f32[64]
//=   %first = constant 0 : i32[]
//=   %none = constant 0.0 : f32[2]
//=   %i.a, %x.a, %sum.a = loop 3 of @shared %first, %a, %none : i32[], f32[6], f32[2]
//=   %i.b, %x.b, %sum.b = loop 3 of @shared %first, %b, %none : i32[], f32[6], f32[2]
//=   %nothing = constant 0.0 : f32[32]
//=   %zero = constant 0 : i8[]
//=   %j.c, %y.c, %sum.c = loop 2 of @narrow %zero, %c, %nothing : i8[], f32[64], f32[32]
//= output %sum.a
//= output %sum.b
//= output %sum.c
