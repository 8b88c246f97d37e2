test lower-attention
// Five rows over two devices attend to nine replicated columns, in causal order and through a mask.
form local
mesh @m = [context=2]
input %q : f32[5@context, 4]
input %k : f32[9, 4] whole
input %mask : bool[5@context, 9]
  %y = attention causal scale 0.5 of 5 over context %q, %k, %k, %mask : f32[5@context, 4]
output %y
//= form local
//= mesh @m = [context=2]
//= input %q : f32[5@context, 4]
//= input %k : f32[9, 4] whole
//= input %mask : bool[5@context, 9]
//=   %shard = reshape %q : f32[3, 4]
//=   %shard.1 = reshape %mask : bool[3, 9]
//=   %start = piece_start of 5 over context : i32[]
//=   %broadcast = broadcast [] %start : i32[3]
//=   %position = iota dim 0 : i32[3]
//=   %add = add %position, %broadcast : i32[3]
//=   %c = constant 4 : i32[3]
//=   %add.1 = add %add, %c : i32[3]
//=   %position.1 = mask lowest dim 0 of 5 over context %add.1 : i32[3]
//=   %position.2 = iota dim 0 : i32[9]
//=   %attention = attention causal scale 0.5 visible 0.75 %shard, %k, %k, %shard.1, %position.1, %position.2 : f32[5@context, 4]
//= output %attention "y"
