test raise
// Not a softmax: an intermediate value has another reader or a user layout, or the softmax is along another dimension.
form traced
mesh @m = [data=2]
input %x : f32[4, 4]
  %m = reduce max [1] %x : f32[4]
  %s = broadcast [0] %m : f32[4, 4]
  %d = sub %x, %s : f32[4, 4]
  %e = exp %d : f32[4, 4]
  %t = reduce sum [1] %e : f32[4]
  %u = broadcast [0] %t : f32[4, 4]
  %read = div %e, %u : f32[4, 4]

  %m1 = reduce max [1] %x : f32[4]
  %s1 = broadcast [0] %m1 : f32[4, 4]
  %d1 = sub %x, %s1 : f32[4, 4]
  %e1 = exp %d1 : f32[4@data, 4]
  %t1 = reduce sum [1] %e1 : f32[4]
  %u1 = broadcast [0] %t1 : f32[4, 4]
  %placed = div %e1, %u1 : f32[4, 4]

  %m2 = reduce max [1] %x : f32[4]
  %s2 = broadcast [0] %m2 : f32[4, 4]
  %d2 = sub %x, %s2 : f32[4, 4]
  %e2 = exp %d2 : f32[4, 4]
  %t2 = reduce sum [1] %e2 : f32[4]
  %u2 = broadcast [1] %t2 : f32[4, 4]
  %turned = div %e2, %u2 : f32[4, 4]

  %m3 = reduce max [0] %x : f32[4]
  %s3 = broadcast [1] %m3 : f32[4, 4]
  %d3 = sub %x, %s3 : f32[4, 4]
  %e3 = exp %d3 : f32[4, 4]
  %t3 = reduce sum [1] %e3 : f32[4]
  %u3 = broadcast [0] %t3 : f32[4, 4]
  %mixed = div %e3, %u3 : f32[4, 4]

  // Dead readers do not count.
  %m4 = reduce max [1] %x : f32[4]
  %s4 = broadcast [0] %m4 : f32[4, 4]
  %d4 = sub %x, %s4 : f32[4, 4]
  %e4 = exp %d4 : f32[4, 4]
  %t4 = reduce sum [1] %e4 : f32[4]
  %dead = log %t4 : f32[4]
  %u4 = broadcast [0] %t4 : f32[4, 4]
  %raised = div %e4, %u4 : f32[4, 4]
output %e
output %read
output %placed
output %turned
output %mixed
output %raised
//= form traced
//= mesh @m = [data=2]
//= input %x : f32[4, 4]
//=   %m = reduce max [1] %x : f32[4]
//=   %s = broadcast [0] %m : f32[4, 4]
//=   %d = sub %x, %s : f32[4, 4]
//=   %e = exp %d : f32[4, 4]
//=   %t = reduce sum [1] %e : f32[4]
//=   %u = broadcast [0] %t : f32[4, 4]
//=   %read = div %e, %u : f32[4, 4]
//=   %m1 = reduce max [1] %x : f32[4]
//=   %s1 = broadcast [0] %m1 : f32[4, 4]
//=   %d1 = sub %x, %s1 : f32[4, 4]
//=   %e1 = exp %d1 : f32[4@data, 4]
//=   %t1 = reduce sum [1] %e1 : f32[4]
//=   %u1 = broadcast [0] %t1 : f32[4, 4]
//=   %placed = div %e1, %u1 : f32[4, 4]
//=   %m2 = reduce max [1] %x : f32[4]
//=   %s2 = broadcast [0] %m2 : f32[4, 4]
//=   %d2 = sub %x, %s2 : f32[4, 4]
//=   %e2 = exp %d2 : f32[4, 4]
//=   %t2 = reduce sum [1] %e2 : f32[4]
//=   %u2 = broadcast [1] %t2 : f32[4, 4]
//=   %turned = div %e2, %u2 : f32[4, 4]
//=   %m3 = reduce max [0] %x : f32[4]
//=   %s3 = broadcast [1] %m3 : f32[4, 4]
//=   %d3 = sub %x, %s3 : f32[4, 4]
//=   %e3 = exp %d3 : f32[4, 4]
//=   %t3 = reduce sum [1] %e3 : f32[4]
//=   %u3 = broadcast [0] %t3 : f32[4, 4]
//=   %mixed = div %e3, %u3 : f32[4, 4]
//=   %raised = softmax dim 1 %x : f32[4, 4]
//= output %e
//= output %read
//= output %placed
//= output %turned
//= output %mixed
//= output %raised
