module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>) {
    %0 = call @function(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    check.expect_almost_eq %0, %arg1, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result"}) {
    %0:3 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg0, %iterArg_1 = %arg0) : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    cond {
      %1 = stablehlo.multiply %iterArg_1, %iterArg_1 : tensor<4x6xf32>
      %2 = stablehlo.subtract %1, %iterArg : tensor<4x6xf32>
      %3 = stablehlo.abs %2 : tensor<4x6xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %4 = stablehlo.reduce(%3 init: %cst) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
      %5 = stablehlo.compare GT, %4, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %1 = stablehlo.divide %iterArg_0, %iterArg_1 : tensor<4x6xf32>
      %2 = stablehlo.add %iterArg_1, %1 : tensor<4x6xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %4 = stablehlo.divide %2, %3 : tensor<4x6xf32>
      stablehlo.return %iterArg, %iterArg_0, %4 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    return %0#2 : tensor<4x6xf32>
  }
}
