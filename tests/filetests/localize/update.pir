test localize
// The device whose shard has the start index writes the update; other devices write what they have read.
form explicit
mesh @m = [context=2]
input %cache : f32[8@context, 4]
input %new : f32[1, 4] whole
input %at : i64[] whole
input %zero : i64[] whole
  %y = dynamic_update_slice %cache, %new, %at, %zero : f32[8@context, 4]
output %y
//= form local
//= mesh @m = [context=2]
//= input %cache : f32[8@context, 4]
//= input %new : f32[1, 4] whole
//= input %at : i64[] whole
//= input %zero : i64[] whole
//=   %c = constant 0 : i64[]
//=   %max = max %at, %c : i64[]
//=   %c.1 = constant 7 : i64[]
//=   %min = min %max, %c.1 : i64[]
//=   %first = piece_start of 8 over context : i64[]
//=   %sub = sub %min, %first : i64[]
//=   %c.2 = constant 0 : i64[]
//=   %c.3 = constant 4 : i64[]
//=   %ge = compare ge %sub, %c.2 : bool[]
//=   %lt = compare lt %sub, %c.3 : bool[]
//=   %and = and %ge, %lt : bool[]
//=   %old = dynamic_slice [1, 4] %cache, %sub, %zero : f32[1, 4]
//=   %broadcast = broadcast [] %and : bool[1, 4]
//=   %new.1 = select %broadcast, %new, %old : f32[1, 4]
//=   %y = dynamic_update_slice %cache, %new.1, %sub, %zero : f32[8@context, 4]
//= output %y
