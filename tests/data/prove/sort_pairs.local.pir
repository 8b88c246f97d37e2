form local
mesh @mesh = [d=2]
func @comparator1(%arg2: f32[], %arg3: f32[], %arg4: i32[], %arg5: i32[]) {
  %cst = constant 0.0 : f32[]
  %1 = compare eq %arg2, %cst : bool[]
  %cst_0 = constant 0.0 : f32[]
  %2 = select %1, %cst_0, %arg2 : f32[]
  %3 = compare ne %arg2, %arg2 : bool[]
  %cst_1 = constant nan : f32[]
  %4 = select %3, %cst_1, %2 : f32[]
  %cst_2 = constant 0.0 : f32[]
  %5 = compare eq %arg3, %cst_2 : bool[]
  %cst_3 = constant 0.0 : f32[]
  %6 = select %5, %cst_3, %arg3 : f32[]
  %7 = compare ne %arg3, %arg3 : bool[]
  %cst_4 = constant nan : f32[]
  %8 = select %7, %cst_4, %6 : f32[]
  %9 = compare lt total %4, %8 : bool[]
  return %9 "out0"
}
input %arg0 : f32[8@d, 5]
input %arg1 : i32[8@d, 5]
  %0.0, %0.1 = sort dim 1 stable by @comparator1 %arg0, %arg1 : f32[8@d, 5], i32[8@d, 5]
output %0.0 "out0"
output %0.1 "out1"
