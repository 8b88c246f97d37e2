test run
// Batches and right-hand sides in shards; matrices and transformed dimensions are gathered.
form traced
mesh @m = [data=2, model=2]
input %x : f32[4@data, 3, 3]
input %b : f32[4@data, 3, 6@model]
input %m : f32[2, 4@model, 3@data]
input %d : f32[4@data, 3@model]
  %y.re, %y.im = fft real_forward length [6] %b : f32[4, 3, 4], f32[4, 3, 4]
  %w = fft real_inverse length [6] %y.re, %y.im : f32[4, 3, 6]
  %s = triangular_solve unit_diagonal %x, %b : f32[4, 3, 6]
  %packed, %tau = qr %m : f32[2, 4, 3], f32[2, 3]
  %q = householder_product %packed, %tau : f32[2, 4, 3]
  %lu, %pivots, %info = lu %m : f32[2, 4, 3], i32[2, 3], i32[2]
  %h, %h.tau = hessenberg %x : f32[4, 3, 3], f32[4, 2]
  %t = tridiagonal_solve %d, %d, %d, %b : f32[4, 3, 6]
output %w
output %s
output %q
output %pivots
output %info
output %h
output %h.tau
output %t
//= 4 devices agree
//= all_gather 4
