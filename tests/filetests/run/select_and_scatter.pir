test run
// Gradients of max and min pooling along sharded dimensions: overlapping windows, padding, tiles that shards cut, and
// windows with gaps. Devices exchange halos of operand and source.
form traced
mesh @m = [a=3, b=2]
input %x : f32[2, 9@a, 8@b]
input %dy : f32[2, 9, 8]
input %u : i32[10@b]
input %du : i32[5]
input %v : f32[11@a]
input %dv : f32[3]
input %w : f32[8@a]
input %dw : f32[4]
input %z : f32[12@a+b]
input %dz : f32[6]
input %m : f32[11, 11, 11]
input %dm : f32[3@b, 11@a, 10]
  %same = select_and_scatter max [(1), (3 pad 1 1), (3 pad 1 1)] %x, %dy : f32[2, 9, 8]
  %strided = select_and_scatter min [(3 stride 2 pad 1 1)] %u, %du : i32[10]
  %gaps = select_and_scatter max [(2 stride 4)] %v, %dv : f32[11]
  %tiles = select_and_scatter max [(2 stride 2)] %w, %dw : f32[8]
  %axes = select_and_scatter max [(4 stride 2 pad 1 1)] %z, %dz : f32[12]
  %mixed = select_and_scatter max [(3 stride 3), (1), (2)] %m, %dm : f32[11, 11, 11]
output %same
output %strided
output %gaps
output %tiles
output %axes
output %mixed
//= 6 devices agree
//= permute 21
//= piece_start 32
