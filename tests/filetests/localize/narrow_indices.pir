test localize
// The largest index of the dimension exceeds 16 bits, and a difference of such indices would wrap around into a shard.
form explicit
mesh @m = [data=2]
input %x : f32[60000@data, 2]
input %i : i16[4, 1] whole
  %y = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 2] %x, %i : f32[4, 2] sum(data)
  %z = all_reduce sum over data %y : f32[4, 2] whole
output %z
//= form local
//= mesh @m = [data=2]
//= input %x : f32[60000@data, 2]
//= input %i : i16[4, 1] whole
//=   %indices = convert %i : i32[4, 1]
//=   %c = constant 0 : i32[4, 1]
//=   %c.1 = constant 59999 : i32[4, 1]
//=   %clamped = clamp %c, %indices, %c.1 : i32[4, 1]
//=   %start = piece_start of 60000 over data : i32[]
//=   %broadcast = broadcast [] %start : i32[4, 1]
//=   %relative = sub %clamped, %broadcast : i32[4, 1]
//=   %y = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 2] fill %x, %relative : f32[4, 2]
//=   %z = all_reduce sum over data %y : f32[4, 2] whole
//= output %z
