module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xcomplex<f32>>, %arg1: tensor<6x6xf32>) {
    %0 = call @function(%arg0) : (tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32>
    check.expect_almost_eq %0, %arg1, tolerance = 5.0e-04 : f64 : tensor<6x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<6x4xcomplex<f32>>) -> (tensor<6x6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.real %arg0 : (tensor<6x4xcomplex<f32>>) -> tensor<6x4xf32>
    %1 = stablehlo.imag %arg0 : (tensor<6x4xcomplex<f32>>) -> tensor<6x4xf32>
    %2 = stablehlo.negate %1 : tensor<6x4xf32>
    %3 = stablehlo.complex %0, %2 : tensor<6x4xcomplex<f32>>
    %4 = call @fft(%3) : (tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32>
    %cst = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<6x6xf32>
    return %6 : tensor<6x6xf32>
  }
  func.func private @fft(%arg0: tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<6x4xcomplex<f32>>) -> tensor<6x6xf32>
    return %0 : tensor<6x6xf32>
  }
}
