module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xcomplex<f32>>, %arg1: tensor<6x6xf32>) {
    %0 = call @function(%arg0) : (tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32>
    check.expect_almost_eq %0, %arg1, tolerance = 5.0e-04 : f64 : tensor<6x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<6x4xcomplex<f32>>) -> (tensor<6x6xf32> {jax.result_info = "result"}) {
    %0 = call @fft(%arg0) : (tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32>
    return %0 : tensor<6x6xf32>
  }
  func.func private @fft(%arg0: tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32>
    return %0 : tensor<6x6xf32>
  }
}
