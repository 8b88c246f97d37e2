test lower-reshards
// Several devices store each shard. Devices whose shard does not change send it to no other device.
form explicit
mesh @m = [a=4, b=2, c=4]
input %x : f32[16@c]
  %y = reshard %x : f32[16@a]
  %z = reshard %y : f32[16@b+a:(1)2]
output %y
output %z
//= form explicit
//= mesh @m = [a=4, b=2, c=4]
//= input %x : f32[16@c]
//=   %y = permute over a+c [0->0, 4->1, 8->2, 12->3, 1->4, 5->5, 9->6, 13->7, 2->8, 6->9, 10->10, 14->11, 3->12, 7->13, 11->14, 15->15] %x : f32[16@a]
//=   %z = permute over a+b [0->0, 4->1, 1->2, 5->3, 2->4, 6->5, 3->6, 7->7] %y : f32[16@b+a:(1)2]
//= output %y
//= output %z
