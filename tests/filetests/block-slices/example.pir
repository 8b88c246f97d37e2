test block-slices
form traced
func @body(%i: i32[], %x: f32[12, 4], %sum: f32[3, 4]) {
  %three = constant 3 : i32[]
  %start = mul %i, %three : i32[]
  %zero = constant 0 : i32[]
  %part = dynamic_slice [3, 4] %x, %start, %zero : f32[3, 4]
  %next = add %sum, %part : f32[3, 4]
  %one = constant 1 : i32[]
  %i.next = add %i, %one : i32[]
  return %i.next "i", %x "x", %next "sum"
}
input %x.all : f32[12, 4]
  %first = constant 0 : i32[]
  %none = constant 0.0 : f32[3, 4]
  %last, %same, %total = loop 4 of @body %first, %x.all, %none : i32[], f32[12, 4], f32[3, 4]
output %total
//= form traced
//= func @body(%i: i32[], %x: f32[4, 3, 4], %sum: f32[3, 4]) {
//=   %three = constant 3 : i32[]
//=   %start = mul %i, %three : i32[]
//=   %zero = constant 0 : i32[]
//=   %c = constant 0 : i32[]
//=   %block = dynamic_slice [1, 3, 4] %x, %i, %c, %c : f32[1, 3, 4]
//=   %part = reshape %block : f32[3, 4]
//=   %next = add %sum, %part : f32[3, 4]
//=   %one = constant 1 : i32[]
//=   %i.next = add %i, %one : i32[]
//=   return %i.next "i", %x, %next "sum"
//= }
//= input %x.all : f32[12, 4]
//=   %first = constant 0 : i32[]
//=   %none = constant 0.0 : f32[3, 4]
//=   %reshape = reshape %x.all : f32[4, 3, 4]
//=   %last, %same, %total = loop 4 of @body %first, %reshape, %none : i32[], f32[4, 3, 4], f32[3, 4]
//= output %total
