test run
// The gradients of a strided convolution whose image is sharded along its height: of the image, read with base dilation, and of the
// kernel, whose taps are the shards of the result's gradient.
form traced
mesh @m = [data=3]
input %x : f32[2, 11@data, 8, 2]
input %k : f32[3, 3, 2, 4]
input %dy : f32[2, 6@data, 4, 4]
  %dx = convolution [0, 3, 1, 2]x[3, 2, 0, 1]->[0, 3, 1, 2] window [(3 pad 1 1 base 2), (3 pad 1 2 base 2)] reverse [0, 1] %dy, %k : f32[2, 11, 8, 2]
  %dk = convolution [3, 0, 1, 2]x[0, 3, 1, 2]->[2, 3, 0, 1] window [(6 pad 1 1 dilate 2), (4 pad 1 0 dilate 2)] %x, %dy : f32[3, 3, 2, 4]
output %dx
output %dk
//= 3 devices agree
//= all_reduce 1
//= permute 3
//= piece_start 2
