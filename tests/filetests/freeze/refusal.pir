test freeze
// A misspelt path, and the path of an input.
//plan freeze = ["embd.weight"] # //~ L006 no parameter or input matches
//plan train_only = ["x"] # //~ L006 `x` is an input
form traced
param %w "embed.weight" : f32[8, 4]
input %x : f32[6, 8]
  %h = matmul %x, %w : f32[6, 4]
output %h
//= error[L006]: no parameter or input matches `embd.weight`
//=   --> plan:3:12 matches nothing
//=   = help: there is one with a similar name: `embed.weight`
//= error[L006]: `x` is an input, and only parameters are trained
//=   --> plan:4:16 not a parameter
