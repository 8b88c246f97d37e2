module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>) {
    %0 = call @function(%arg0) : (tensor<3x4xf32>) -> tensor<3x4xf32>
    check.expect_almost_eq %0, %arg1, tolerance = 5.0e-04 : f64 : tensor<3x4xf32>
    return
  }
  func.func private @function(%arg0: tensor<3x4xf32>) -> (tensor<3x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,2.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %2 = stablehlo.multiply %1, %0 : tensor<3x4xcomplex<f32>>
    %3 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %4 = stablehlo.multiply %2, %3 : tensor<3x4xcomplex<f32>>
    %5 = stablehlo.convert %arg0 : (tensor<3x4xf32>) -> tensor<3x4xcomplex<f32>>
    %6 = stablehlo.add %5, %4 : tensor<3x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %7:2 = call @_pad(%6, %c) : (tensor<3x4xcomplex<f32>>, tensor<i64>) -> (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>)
    %8 = call @fft(%7#0) : (tensor<3x4xcomplex<f32>>) -> tensor<3x6xf32>
    %9 = stablehlo.multiply %8, %8 : tensor<3x6xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<3x6xf32>
    %11 = stablehlo.multiply %8, %8 : tensor<3x6xf32>
    %cst_0 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<3x6xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%10 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %16 = stablehlo.multiply %15, %13 : tensor<3x6xf32>
    %17 = call @fft_0(%16) : (tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>>
    %18 = call @_pad_2(%7#1, %17) : (tensor<complex<f32>>, tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %19 = stablehlo.real %18 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %20 = stablehlo.convert %19 : tensor<3x4xf32>
    %21 = stablehlo.multiply %2, %18 : tensor<3x4xcomplex<f32>>
    %22 = stablehlo.multiply %18, %3 : tensor<3x4xcomplex<f32>>
    %23 = stablehlo.real %21 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %24 = stablehlo.convert %23 : tensor<3x4xf32>
    %25 = stablehlo.add %20, %24 : tensor<3x4xf32>
    %cst_3 = stablehlo.constant dense<(0.000000e+00,2.000000e+00)> : tensor<complex<f32>>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %27 = stablehlo.multiply %26, %22 : tensor<3x4xcomplex<f32>>
    %28 = stablehlo.real %27 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %29 = stablehlo.convert %28 : tensor<3x4xf32>
    %30 = stablehlo.add %25, %29 : tensor<3x4xf32>
    return %30 : tensor<3x4xf32>
  }
  func.func private @_pad(%arg0: tensor<3x4xcomplex<f32>>, %arg1: tensor<i64>) -> (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    return %1, %cst : tensor<3x4xcomplex<f32>>, tensor<complex<f32>>
  }
  func.func private @fft(%arg0: tensor<3x4xcomplex<f32>>) -> tensor<3x6xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [6] : (tensor<3x4xcomplex<f32>>) -> tensor<3x6xf32>
    return %0 : tensor<3x6xf32>
  }
  func.func private @fft_0(%arg0: tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>> {
    %0 = call @fft_1(%arg0) : (tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %3 = stablehlo.dynamic_update_slice %1, %2, %c : (tensor<4xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i64>) -> tensor<4xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c_2 = stablehlo.constant dense<3> : tensor<i64>
    %5 = stablehlo.dynamic_update_slice %3, %4, %c_2 : (tensor<4xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i64>) -> tensor<4xcomplex<f32>>
    %6 = stablehlo.broadcast_in_dim %5, dims = [1] : (tensor<4xcomplex<f32>>) -> tensor<1x4xcomplex<f32>>
    %cst_3 = stablehlo.constant dense<(0.166666672,0.000000e+00)> : tensor<complex<f32>>
    %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<complex<f32>>) -> tensor<1x4xcomplex<f32>>
    %8 = stablehlo.multiply %7, %6 : tensor<1x4xcomplex<f32>>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %10 = stablehlo.multiply %9, %0 : tensor<3x4xcomplex<f32>>
    %11 = stablehlo.real %10 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %12 = stablehlo.imag %10 : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xf32>
    %13 = stablehlo.negate %12 : tensor<3x4xf32>
    %14 = stablehlo.complex %11, %13 : tensor<3x4xcomplex<f32>>
    return %14 : tensor<3x4xcomplex<f32>>
  }
  func.func private @fft_1(%arg0: tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [6] : (tensor<3x6xf32>) -> tensor<3x4xcomplex<f32>>
    return %0 : tensor<3x4xcomplex<f32>>
  }
  func.func private @_pad_2(%arg0: tensor<complex<f32>>, %arg1: tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>> {
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.pad %arg1, %cst, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<3x4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %1 = stablehlo.slice %0 [0:3, 0:4] : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    return %1 : tensor<3x4xcomplex<f32>>
  }
}
