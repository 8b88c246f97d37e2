module @select_and_scatter {
  func.func public @main(%arg0: tensor<6x8xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<6x8xf32>, %arg3: tensor<3x4xf32>, %arg4: tensor<6x8xf32>, %arg5: tensor<3x4xf32>, %arg6: tensor<6x8xf32>, %arg7: tensor<6x5xf32>, %arg8: tensor<6x8xf32>) {
    %init0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %r0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %init0) <{padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<6x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    check.expect_eq %r0, %arg2 : tensor<6x8xf32>
    %init1 = stablehlo.constant dense<-2.000000e+00> : tensor<f32>
    %r1 = "stablehlo.select_and_scatter"(%arg0, %arg3, %init1) <{padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x8xf32>
    check.expect_eq %r1, %arg4 : tensor<6x8xf32>
    %init2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %r2 = "stablehlo.select_and_scatter"(%arg0, %arg5, %init2) <{padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<3x4xf32>, tensor<f32>) -> tensor<6x8xf32>
    check.expect_eq %r2, %arg6 : tensor<6x8xf32>
    %init3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %r3 = "stablehlo.select_and_scatter"(%arg0, %arg7, %init3) <{padding = dense<[[0, 0], [2, 1]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<6x8xf32>, tensor<6x5xf32>, tensor<f32>) -> tensor<6x8xf32>
    check.expect_eq %r3, %arg8 : tensor<6x8xf32>
    return
  }
}
