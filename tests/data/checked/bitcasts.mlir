module @bitcasts {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4x4xui8>, %arg2: tensor<2x32xi1>, %arg3: tensor<2xui32>, %arg4: tensor<2x3xcomplex<f32>>) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4x4xui8>
    %1 = stablehlo.bitcast_convert %arg1 : (tensor<3x4x4xui8>) -> tensor<3x4xf32>
    %2 = stablehlo.bitcast_convert %arg2 : (tensor<2x32xi1>) -> tensor<2xui32>
    %3 = stablehlo.bitcast_convert %arg3 : (tensor<2xui32>) -> tensor<2x32xi1>
    %4 = stablehlo.bitcast_convert %arg4 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
    check.expect_eq %0, %arg1 : tensor<3x4x4xui8>
    check.expect_eq %1, %arg0 : tensor<3x4xf32>
    check.expect_eq %2, %arg3 : tensor<2xui32>
    check.expect_eq %3, %arg2 : tensor<2x32xi1>
    check.expect_eq %4, %arg4 : tensor<2x3xcomplex<f32>>
    return
  }
}
