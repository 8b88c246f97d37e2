module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<4x6xf32>) {
    %0:3 = call @function(%arg0) : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    check.expect_almost_eq %0#0, %arg1, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    check.expect_almost_eq %0#1, %arg2, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    check.expect_almost_eq %0#2, %arg3, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<4x6xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3FN>
    %1 = stablehlo.convert %0 : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
    %2 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E5M2>
    %3 = stablehlo.convert %2 : (tensor<4x6xf8E5M2>) -> tensor<4x6xf32>
    %4 = stablehlo.convert %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3B11FNUZ>
    %5 = stablehlo.convert %4 : (tensor<4x6xf8E4M3B11FNUZ>) -> tensor<4x6xf32>
    return %1, %3, %5 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
}
