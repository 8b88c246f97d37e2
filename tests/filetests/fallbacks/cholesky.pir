test fallbacks
// A factorization of a sharded matrix requires a gather, which is reported.
form traced
mesh @m = [data=4]
input %x : f32[3, 8@data, 8]
  %l = cholesky %x : f32[3, 8, 8]
output %l
//= cholesky %l: dimension 1 of %x is gathered: the rule cannot split this dimension
