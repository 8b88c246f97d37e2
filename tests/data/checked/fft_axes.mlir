module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4x6xf32>, %arg1: tensor<3x4x6xcomplex<f32>>, %arg2: tensor<3x4x3xcomplex<f32>>, %arg3: tensor<3x4x6xcomplex<f32>>, %arg4: tensor<3x4x6xf32>) {
    %0:4 = call @function(%arg0) : (tensor<3x4x6xf32>) -> (tensor<3x4x6xcomplex<f32>>, tensor<3x4x3xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xf32>)
    check.expect_almost_eq %0#0, %arg1, tolerance = 5.0e-04 : f64 : tensor<3x4x6xcomplex<f32>>
    check.expect_almost_eq %0#1, %arg2, tolerance = 5.0e-04 : f64 : tensor<3x4x3xcomplex<f32>>
    check.expect_almost_eq %0#2, %arg3, tolerance = 5.0e-04 : f64 : tensor<3x4x6xcomplex<f32>>
    check.expect_almost_eq %0#3, %arg4, tolerance = 5.0e-04 : f64 : tensor<3x4x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<3x4x6xf32>) -> (tensor<3x4x6xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<3x4x3xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<3x4x6xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<3x4x6xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 2, 0] : (tensor<3x4x6xf32>) -> tensor<4x6x3xf32>
    %1 = call @fft(%0) : (tensor<4x6x3xf32>) -> tensor<4x6x3xcomplex<f32>>
    %2 = stablehlo.transpose %1, dims = [2, 0, 1] : (tensor<4x6x3xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %3 = stablehlo.slice %arg0 [0:3, 0:4, 0:5] : (tensor<3x4x6xf32>) -> tensor<3x4x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %4 = call @_pad(%3, %c) : (tensor<3x4x5xf32>, tensor<i64>) -> tensor<3x4x5xf32>
    %5 = call @fft_0(%4) : (tensor<3x4x5xf32>) -> tensor<3x4x3xcomplex<f32>>
    %6 = stablehlo.transpose %arg0, dims = [1, 0, 2] : (tensor<3x4x6xf32>) -> tensor<4x3x6xf32>
    %7 = call @fft_1(%6) : (tensor<4x3x6xf32>) -> tensor<4x3x6xcomplex<f32>>
    %8 = stablehlo.transpose %7, dims = [1, 0, 2] : (tensor<4x3x6xcomplex<f32>>) -> tensor<3x4x6xcomplex<f32>>
    %9 = call @_roll_static(%arg0) : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
    return %2, %5, %8, %9 : tensor<3x4x6xcomplex<f32>>, tensor<3x4x3xcomplex<f32>>, tensor<3x4x6xcomplex<f32>>, tensor<3x4x6xf32>
  }
  func.func private @fft(%arg0: tensor<4x6x3xf32>) -> tensor<4x6x3xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<4x6x3xf32>) -> tensor<4x6x3xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [3] : (tensor<4x6x3xcomplex<f32>>) -> tensor<4x6x3xcomplex<f32>>
    return %1 : tensor<4x6x3xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<3x4x5xf32>, %arg1: tensor<i64>) -> tensor<3x4x5xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0, 0], high = [0, 0, 0], interior = [0, 0, 0] : (tensor<3x4x5xf32>, tensor<f32>) -> tensor<3x4x5xf32>
    return %1 : tensor<3x4x5xf32>
  }
  func.func private @fft_0(%arg0: tensor<3x4x5xf32>) -> tensor<3x4x3xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [5] : (tensor<3x4x5xf32>) -> tensor<3x4x3xcomplex<f32>>
    return %0 : tensor<3x4x3xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<4x3x6xf32>) -> tensor<4x3x6xcomplex<f32>> {
    %0 = stablehlo.convert %arg0 : (tensor<4x3x6xf32>) -> tensor<4x3x6xcomplex<f32>>
    %1 = stablehlo.fft %0, type = FFT, length = [3, 6] : (tensor<4x3x6xcomplex<f32>>) -> tensor<4x3x6xcomplex<f32>>
    return %1 : tensor<4x3x6xcomplex<f32>>
  }
  func.func private @_roll_static(%arg0: tensor<3x4x6xf32>) -> tensor<3x4x6xf32> {
    %0 = stablehlo.slice %arg0 [2:3, 0:4, 0:6] : (tensor<3x4x6xf32>) -> tensor<1x4x6xf32>
    %1 = stablehlo.slice %arg0 [0:2, 0:4, 0:6] : (tensor<3x4x6xf32>) -> tensor<2x4x6xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x4x6xf32>, tensor<2x4x6xf32>) -> tensor<3x4x6xf32>
    %3 = stablehlo.slice %2 [0:3, 2:4, 0:6] : (tensor<3x4x6xf32>) -> tensor<3x2x6xf32>
    %4 = stablehlo.slice %2 [0:3, 0:2, 0:6] : (tensor<3x4x6xf32>) -> tensor<3x2x6xf32>
    %5 = stablehlo.concatenate %3, %4, dim = 1 : (tensor<3x2x6xf32>, tensor<3x2x6xf32>) -> tensor<3x4x6xf32>
    %6 = stablehlo.slice %5 [0:3, 0:4, 3:6] : (tensor<3x4x6xf32>) -> tensor<3x4x3xf32>
    %7 = stablehlo.slice %5 [0:3, 0:4, 0:3] : (tensor<3x4x6xf32>) -> tensor<3x4x3xf32>
    %8 = stablehlo.concatenate %6, %7, dim = 2 : (tensor<3x4x3xf32>, tensor<3x4x3xf32>) -> tensor<3x4x6xf32>
    return %8 : tensor<3x4x6xf32>
  }
}
