test run
// A token is written into a cache in shards along its positions, even and uneven, and along its heads: the device with
// the position writes it, and no device sends or copies its shard.
form traced
mesh @m = [context=3, model=2]
input %even : f32[2, 4@model, 12@context, 5]
input %uneven : f32[2, 4@model, 10@context, 5]
input %new : f32[2, 4, 1, 5]
input %at : i64[]
  %zero = constant 0 : i64[]
  %end = constant 11 : i64[]
  %before = constant -4 : i64[]
  %a = dynamic_update_slice %even, %new, %zero, %zero, %at, %zero : f32[2, 4, 12, 5]
  %b = dynamic_update_slice %a, %new, %zero, %zero, %end, %zero : f32[2, 4, 12, 5]
  %c = dynamic_update_slice %uneven, %new, %zero, %zero, %end, %zero : f32[2, 4, 10, 5]
  %d = dynamic_update_slice %c, %new, %zero, %zero, %before, %zero : f32[2, 4, 10, 5]
  %e = dynamic_update_slice %d, %new, %zero, %zero, %at, %zero : f32[2, 4, 10, 5]
output %b
output %e
//= 6 devices agree
//= piece_start 5
