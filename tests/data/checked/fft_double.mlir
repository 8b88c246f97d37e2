module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf64>, %arg1: tensor<4x4xf64>, %arg2: tensor<4x4xf64>) {
    %0:2 = call @function(%arg0) : (tensor<4x6xf64>) -> (tensor<4x4xf64>, tensor<4x4xf64>)
    check.expect_almost_eq %0#0, %arg1, tolerance = 5.0e-04 : f64 : tensor<4x4xf64>
    check.expect_almost_eq %0#1, %arg2, tolerance = 5.0e-04 : f64 : tensor<4x4xf64>
    return
  }
  func.func private @function(%arg0: tensor<4x6xf64>) -> (tensor<4x4xf64> {jax.result_info = "result[0]"}, tensor<4x4xf64> {jax.result_info = "result[1]"}) {
    %0 = call @fft(%arg0) : (tensor<4x6xf64>) -> tensor<4x4xcomplex<f64>>
    %1 = stablehlo.real %0 : (tensor<4x4xcomplex<f64>>) -> tensor<4x4xf64>
    %2 = call @fft(%arg0) : (tensor<4x6xf64>) -> tensor<4x4xcomplex<f64>>
    %3 = stablehlo.imag %2 : (tensor<4x4xcomplex<f64>>) -> tensor<4x4xf64>
    return %1, %3 : tensor<4x4xf64>, tensor<4x4xf64>
  }
  func.func private @fft(%arg0: tensor<4x6xf64>) -> tensor<4x4xcomplex<f64>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<4x6xf64>) -> tensor<4x4xcomplex<f64>>
    return %0 : tensor<4x4xcomplex<f64>>
  }
}
