test propagate
// Constraints that axes pass in one direction or not at all, and a value that is sharded like another one.
form traced
mesh @m = [a=2, b=2]
input %x : f32[8@a, 4?]
input %y : f32[8, 4]
input %z : f32[8, 4]
input %group : f32[8@b, 4]
input %other : f32[8, 4]
  %forward = constrain flow forward %x : f32[8, 4]
  %back = constrain flow backward %x : f32[8, 4]
  %down = relu %back : f32[8, 4]
  %stopped = constrain flow blocked %x : f32[8, 4]
  %up = constrain flow backward %y : f32[8@b, 4]
  %not_up = constrain flow forward %z : f32[8@b, 4]
  %like = constrain %other, %group : f32[8, 4]
  %last = relu %like : f32[8, 4]
output %forward
output %down
output %stopped
output %up
output %not_up
output %last
//= form planned
//= mesh @m = [a=2, b=2]
//= input %x : f32[8@a, 4]
//= input %y : f32[8@b, 4]
//= input %z : f32[8, 4] whole
//= input %group : f32[8@b, 4]
//= input %other : f32[8@b, 4]
//=   %forward = constrain flow forward %x : f32[8@a, 4]
//=   %back = constrain flow backward %x : f32[8, 4] whole
//=   %down = relu %back : f32[8, 4] whole
//=   %stopped = constrain flow blocked %x : f32[8, 4] whole
//=   %up = constrain flow backward %y : f32[8@b, 4]
//=   %not_up = constrain flow forward %z : f32[8@b, 4]
//=   %like = constrain %other : f32[8@b, 4]
//=   %last = relu %like : f32[8@b, 4]
//= output %forward
//= output %down
//= output %stopped
//= output %up
//= output %not_up
//= output %last
