module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x5xf32>, %arg1: tensor<6x5xf32>, %arg2: tensor<6x5xf32>) {
    %0:2 = call @function(%arg0) : (tensor<6x5xf32>) -> (tensor<6x5xf32>, tensor<6x5xf32>)
    check.expect_almost_eq %0#0, %arg1, tolerance = 5.0e-04 : f64 : tensor<6x5xf32>
    check.expect_almost_eq %0#1, %arg2, tolerance = 5.0e-04 : f64 : tensor<6x5xf32>
    return
  }
  func.func private @function(%arg0: tensor<6x5xf32>) -> (tensor<6x5xf32> {jax.result_info = "result[0]"}, tensor<6x5xf32> {jax.result_info = "result[1]"}) {
    %0 = call @fft(%arg0) : (tensor<6x5xf32>) -> tensor<6x3xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = call @_pad(%0, %c) : (tensor<6x3xcomplex<f32>>, tensor<i64>) -> tensor<6x3xcomplex<f32>>
    %2 = call @fft_0(%1) : (tensor<6x3xcomplex<f32>>) -> tensor<6x5xf32>
    %3 = call @fft_1(%arg0) : (tensor<6x5xf32>) -> tensor<6x3xcomplex<f32>>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = call @_pad(%3, %c_0) : (tensor<6x3xcomplex<f32>>, tensor<i64>) -> tensor<6x3xcomplex<f32>>
    %5 = call @fft_2(%4) : (tensor<6x3xcomplex<f32>>) -> tensor<6x5xf32>
    return %2, %5 : tensor<6x5xf32>, tensor<6x5xf32>
  }
  func.func private @fft(%arg0: tensor<6x5xf32>) -> tensor<6x3xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [5] : (tensor<6x5xf32>) -> tensor<6x3xcomplex<f32>>
    return %0 : tensor<6x3xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<6x3xcomplex<f32>>, %arg1: tensor<i64>) -> tensor<6x3xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<6x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6x3xcomplex<f32>>
    return %1 : tensor<6x3xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<6x3xcomplex<f32>>) -> tensor<6x5xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [5] : (tensor<6x3xcomplex<f32>>) -> tensor<6x5xf32>
    return %0 : tensor<6x5xf32>
  }
  func.func private @fft_1(%arg0: tensor<6x5xf32>) -> tensor<6x3xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6, 5] : (tensor<6x5xf32>) -> tensor<6x3xcomplex<f32>>
    return %0 : tensor<6x3xcomplex<f32>>
  }
  func.func private @fft_2(%arg0: tensor<6x3xcomplex<f32>>) -> tensor<6x5xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6, 5] : (tensor<6x3xcomplex<f32>>) -> tensor<6x5xf32>
    return %0 : tensor<6x5xf32>
  }
}
