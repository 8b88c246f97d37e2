test block-slices
// Two slices of a prime number of blocks, the second along the inner dimension, with wrapped and constant start indices,
// a converted one, and one whose factor is a multiple of the size. The divided value is read after the loop.
form traced
func @body(%i: i32[], %x: f32[10, 1], %y: f32[3, 14], %p: f32[2, 1], %q: f32[3, 2]) {
  %two = constant 2 : i32[]
  %at = mul %two, %i : i32[]
  %zero = constant 0 : i32[]
  %negative = compare lt %at, %zero : bool[]
  %same = convert %at : i32[]
  %ten = constant 10 : i32[]
  %wrapped = add %same, %ten : i32[]
  %start = select %negative, %wrapped, %at : i32[]
  %part = dynamic_slice [2, 1] %x, %start, %zero : f32[2, 1]
  %last = constant 8 : i32[]
  %end = dynamic_slice [2, 1] %x, %last, %zero : f32[2, 1]
  %both = add %part, %end : f32[2, 1]
  %p.next = add %p, %both : f32[2, 1]
  %six = constant 6 : i32[]
  %third = mul %i, %six : i32[]
  %columns = dynamic_slice [3, 2] %y, %zero, %third : f32[3, 2]
  %q.next = add %q, %columns : f32[3, 2]
  %one = constant 1 : i32[]
  %next = add %i, %one : i32[]
  return %next "i", %x "x", %y "y", %p.next "p", %q.next "q"
}
input %x.all : f32[10, 1]
input %y.all : f32[3, 14]
  %first = constant 0 : i32[]
  %p.none = constant 0.0 : f32[2, 1]
  %q.none = constant 0.0 : f32[3, 2]
  %n, %x.same, %y.same, %p.sum, %q.sum = loop 3 of @body %first, %x.all, %y.all, %p.none, %q.none : i32[], f32[10, 1], f32[3, 14], f32[2, 1], f32[3, 2]
  %x.twice = add %x.same, %x.all : f32[10, 1]
output %p.sum
output %q.sum
output %x.twice
output %y.same
//= form traced
//= func @body(%i: i32[], %x: f32[5, 2, 1], %y: f32[3, 7, 2], %p: f32[2, 1], %q: f32[3, 2]) {
//=   %two = constant 2 : i32[]
//=   %at = mul %two, %i : i32[]
//=   %zero = constant 0 : i32[]
//=   %negative = compare lt %at, %zero : bool[]
//=   %same = convert %at : i32[]
//=   %ten = constant 10 : i32[]
//=   %wrapped = add %same, %ten : i32[]
//=   %start = select %negative, %wrapped, %at : i32[]
//=   %c = constant 0 : i32[]
//=   %c.1 = constant 5 : i32[]
//=   %add = add %i, %c.1 : i32[]
//=   %select = select %negative, %add, %i : i32[]
//=   %block = dynamic_slice [1, 2, 1] %x, %select, %c, %c : f32[1, 2, 1]
//=   %part = reshape %block : f32[2, 1]
//=   %last = constant 8 : i32[]
//=   %c.2 = constant 0 : i32[]
//=   %c.3 = constant 4 : i32[]
//=   %block.1 = dynamic_slice [1, 2, 1] %x, %c.3, %c.2, %c.2 : f32[1, 2, 1]
//=   %end = reshape %block.1 : f32[2, 1]
//=   %both = add %part, %end : f32[2, 1]
//=   %p.next = add %p, %both : f32[2, 1]
//=   %six = constant 6 : i32[]
//=   %third = mul %i, %six : i32[]
//=   %c.4 = constant 0 : i32[]
//=   %c.5 = constant 3 : i32[]
//=   %mul = mul %i, %c.5 : i32[]
//=   %block.2 = dynamic_slice [3, 1, 2] %y, %c.4, %mul, %c.4 : f32[3, 1, 2]
//=   %columns = reshape %block.2 : f32[3, 2]
//=   %q.next = add %q, %columns : f32[3, 2]
//=   %one = constant 1 : i32[]
//=   %next = add %i, %one : i32[]
//=   return %next "i", %x, %y, %p.next "p", %q.next "q"
//= }
//= input %x.all : f32[10, 1]
//= input %y.all : f32[3, 14]
//=   %first = constant 0 : i32[]
//=   %p.none = constant 0.0 : f32[2, 1]
//=   %q.none = constant 0.0 : f32[3, 2]
//=   %reshape = reshape %x.all : f32[5, 2, 1]
//=   %reshape.1 = reshape %y.all : f32[3, 7, 2]
//=   %n, %x.same, %y.same, %p.sum, %q.sum = loop 3 of @body %first, %reshape, %reshape.1, %p.none, %q.none : i32[], f32[5, 2, 1], f32[3, 7, 2], f32[2, 1], f32[3, 2]
//=   %x.twice = add %x.all, %x.all : f32[10, 1]
//= output %p.sum
//= output %q.sum
//= output %x.twice
//= output %y.all "y.same"
