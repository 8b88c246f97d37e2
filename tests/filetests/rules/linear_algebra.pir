test rules
form traced
input %x : f32[4, 8, 8]
input %z.re : f32[4, 6]
input %z.im : f32[4, 6]
input %b : f32[4, 8, 16]
  %y.re, %y.im = fft real_forward length [8, 8] %x : f32[4, 8, 5], f32[4, 8, 5]
  %w.re, %w.im = fft inverse length [6] %z.re, %z.im : f32[4, 6], f32[4, 6]
  %r = fft real_inverse length [10] %z.re, %z.im : f32[4, 10]
  %l = cholesky %x : f32[4, 8, 8]
  %s = triangular_solve unit_diagonal with transpose %l, %b : f32[4, 8, 16]
  %lu, %pivots, %info = lu %x : f32[4, 8, 8], i32[4, 8], i32[4]
  %packed, %tau = qr %b : f32[4, 8, 16], f32[4, 8]
  %q = householder_product %x, %tau : f32[4, 8, 8]
  %h, %h.tau = hessenberg %x : f32[4, 8, 8], f32[4, 7]
  %td = tridiagonal_solve %tau, %tau, %tau, %b : f32[4, 8, 16]
  %values = svd vectors none %b : f32[4, 8]
  %s2, %u, %vh = svd vectors thin %b : f32[4, 8], f32[4, 8, 8], f32[4, 8, 16]
  %e, %v = eigh upper %x : f32[4, 8], f32[4, 8, 8]
  %e.re, %e.im, %v.re, %v.im = eig %x : f32[4, 8], f32[4, 8], f32[4, 8, 8], f32[4, 8, 8]
//= %y.re: ([a,b,c])->([a,d,e],[a,f,g]) {a=4,b=8,c=8,d=8,e=5,f=8,g=5} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication,g:need_replication} linear=[{0}]
//= %w.re: ([a,b],[a,c])->([a,d],[a,e]) {a=4,b=6,c=6,d=6,e=6} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication} linear=[{0,1}]
//= %r: ([a,b],[a,c])->([a,d]) {a=4,b=6,c=6,d=10} kinds={b:need_replication,c:need_replication,d:need_replication} linear=[{0,1}]
//= %l: ([a,b,c])->([a,d,e]) {a=4,b=8,c=8,d=8,e=8} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication}
//= %s: ([a,b,c],[a,c,d])->([a,c,d]) {a=4,b=8,c=8,d=16} kinds={b:need_replication,c:need_replication} linear=[{1}]
//= %lu: ([a,b,c])->([a,d,e],[a,f],[a]) {a=4,b=8,c=8,d=8,e=8,f=8} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication}
//= %packed: ([a,b,c])->([a,d,e],[a,f]) {a=4,b=8,c=16,d=8,e=16,f=8} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication}
//= %q: ([a,b,c],[a,d])->([a,e,f]) {a=4,b=8,c=8,d=8,e=8,f=8} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication}
//= %h: ([a,b,c])->([a,d,e],[a,f]) {a=4,b=8,c=8,d=8,e=8,f=7} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication}
//= %td: ([a,b],[a,b],[a,b],[a,b,c])->([a,b,c]) {a=4,b=8,c=16} kinds={b:need_replication}
//= %values: ([a,b,c])->([a,d]) {a=4,b=8,c=16,d=8} kinds={b:need_replication,c:need_replication,d:need_replication}
//= %s2: ([a,b,c])->([a,d],[a,e,f],[a,g,h]) {a=4,b=8,c=16,d=8,e=8,f=8,g=8,h=16} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication,g:need_replication,h:need_replication}
//= %e: ([a,b,c])->([a,d],[a,e,f]) {a=4,b=8,c=8,d=8,e=8,f=8} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication}
//= %e.re: ([a,b,c])->([a,d],[a,e],[a,f,g],[a,h,i]) {a=4,b=8,c=8,d=8,e=8,f=8,g=8,h=8,i=8} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication,f:need_replication,g:need_replication,h:need_replication,i:need_replication}
