module @jit_minimum attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xcomplex<f32>>, %arg1: tensor<4x6xcomplex<f32>>, %arg2: tensor<4x6xcomplex<f32>>) {
    %0 = call @function(%arg0, %arg1) : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    check.expect_almost_eq %0, %arg2, tolerance = 5.0e-04 : f64 : tensor<4x6xcomplex<f32>>
    return
  }
  func.func private @function(%arg0: tensor<4x6xcomplex<f32>>, %arg1: tensor<4x6xcomplex<f32>>) -> (tensor<4x6xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.real %arg0 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %1 = stablehlo.real %arg1 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %2 = stablehlo.compare EQ, %0, %1, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %3 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %4 = stablehlo.imag %arg0 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %5 = stablehlo.imag %arg1 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %6 = stablehlo.compare LT, %4, %5, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %7 = stablehlo.select %2, %6, %3 : tensor<4x6xi1>, tensor<4x6xi1>
    %8 = stablehlo.select %7, %arg0, %arg1 : tensor<4x6xi1>, tensor<4x6xcomplex<f32>>
    return %8 : tensor<4x6xcomplex<f32>>
  }
}
