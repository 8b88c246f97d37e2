test parse
// Several errors at once, each with its location and a correction.
form traced
mesh @m = [data=2, model=4]
mesh @empty = [data=0] //~ L007 axis `data` has size 0
param %w "w" : f32[4, 4@modle] //~ L001 a similar name: `@model`
input %x : f23[4] //~ T001 not an element type
input %z : f32[4@data]
  %a = matmull %x, %w : f32[4] //~ T002 a similar name: `matmul`
  %b = add %a, %zz : f32[4] //~ T002 a similar name: `%z`
  %b = add %z, %z : f32[4] //~ T003 `%b` is declared twice
  %c = add %z %z : f32[4] //~ T001 expected `:`
  %d = neg %z : f32[4], f32[4] //~ T001 1 results are named, but 2 types are given
  %e = neg %z : f32[4@data, 2@data] //~ L002 axis `data` is used twice
  %f = neg %c, %d : f32[99999999999999999999999] //~ T004 too large
output %e
//= error[L007]: axis `data` has size 0
//=   --> parse/errors.pir:5:6
//= error[L001]: mesh has no axis `modle`
//=   --> parse/errors.pir:6:24 not an axis of this mesh
//=   = help: there is an axis with a similar name: `@model`
//= error[T001]: `f23` is not an element type
//=   --> parse/errors.pir:7:12
//=   = help: there is an element type with a similar name: `f32`
//= error[T002]: no operation is called `matmull`
//=   --> parse/errors.pir:9:8
//=   = help: there is an operation with a similar name: `matmul`
//= error[T002]: no value `%zz` is declared before this line
//=   --> parse/errors.pir:10:16
//=   = help: there is a value with a similar name: `%z`
//= error[T003]: `%b` is declared twice
//=   --> parse/errors.pir:11:3 declared again
//=   --> parse/errors.pir:10:3 declared first
//= error[T001]: expected `:`, found `%z`
//=   --> parse/errors.pir:12:15
//= error[T001]: 1 results are named, but 2 types are given
//=   --> parse/errors.pir:13:3
//= error[L002]: axis `data` is used twice in one type
//=   --> parse/errors.pir:14:30 used before
//=   = note: a device has one position on `data`, so it can store only one shard along it
//= error[T004]: a dimension of 23 digits is too large
//=   --> parse/errors.pir:15:25
