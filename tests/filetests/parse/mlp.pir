test parse
// The program of ARCHITECTURE.md.
    form traced
    mesh @m = [data=2, model=4]
    param %w1 "up.weight"   : f32[64, 512@model]
    param %b1 "up.bias"     : f32[512@model]
    param %w2 "down.weight" : f32[512@model, 64]
    param %b2 "down.bias"   : f32[64]
    input %x : f32[32@data, 64]
      %h = matmul %x, %w1 : f32[32, 512]
      %a = add %h, %b1    : f32[32, 512]
      %r = relu %a        : f32[32, 512]
      %p = matmul %r, %w2 : f32[32, 64]
      %y = add %p, %b2    : f32[32, 64]
//= form traced
//= mesh @m = [data=2, model=4]
//= param %w1 "up.weight" : f32[64, 512@model]
//= param %b1 "up.bias" : f32[512@model]
//= param %w2 "down.weight" : f32[512@model, 64]
//= param %b2 "down.bias" : f32[64]
//= input %x : f32[32@data, 64]
//=   %h = matmul %x, %w1 : f32[32, 512]
//=   %a = add %h, %b1 : f32[32, 512]
//=   %r = relu %a : f32[32, 512]
//=   %p = matmul %r, %w2 : f32[32, 64]
//=   %y = add %p, %b2 : f32[32, 64]
//= output %y
