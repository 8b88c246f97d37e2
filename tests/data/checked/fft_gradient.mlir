module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>) {
    %0 = call @function(%arg0) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    check.expect_almost_eq %0, %arg1, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    %1 = call @fft(%0) : (tensor<6x4xf32>) -> tensor<6x3xcomplex<f32>>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<6x3xcomplex<f32>>) -> tensor<3x6xcomplex<f32>>
    %3 = stablehlo.abs %2 : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xf32>
    %4 = stablehlo.real %2 : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xf32>
    %5 = stablehlo.imag %2 : (tensor<3x6xcomplex<f32>>) -> tensor<3x6xf32>
    %6 = stablehlo.negate %5 : tensor<3x6xf32>
    %7 = stablehlo.complex %4, %6 : tensor<3x6xcomplex<f32>>
    %8 = stablehlo.convert %3 : (tensor<3x6xf32>) -> tensor<3x6xcomplex<f32>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x6xcomplex<f32>>
    %10 = stablehlo.compare EQ, %8, %9, FLOAT : (tensor<3x6xcomplex<f32>>, tensor<3x6xcomplex<f32>>) -> tensor<3x6xi1>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<3x6xcomplex<f32>>
    %12 = stablehlo.select %10, %11, %8 : tensor<3x6xi1>, tensor<3x6xcomplex<f32>>
    %13 = stablehlo.divide %7, %12 : tensor<3x6xcomplex<f32>>
    %14 = stablehlo.multiply %3, %3 : tensor<3x6xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %16 = stablehlo.multiply %15, %3 : tensor<3x6xf32>
    %17 = stablehlo.iota dim = 0 : tensor<3xi64>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %18 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %19 = stablehlo.add %18, %17 : tensor<3xi64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<3xi64>) -> tensor<3x1xi64>
    %21 = stablehlo.convert %20 : (tensor<3x1xi64>) -> tensor<3x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x6xf32>
    %23 = stablehlo.multiply %14, %22 : tensor<3x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %26 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x6xf32>
    %27 = stablehlo.multiply %25, %26 : tensor<3x6xf32>
    %28 = stablehlo.multiply %27, %16 : tensor<3x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x6xf32>
    %30 = stablehlo.complex %28, %29 : tensor<3x6xcomplex<f32>>
    %31 = stablehlo.multiply %30, %13 : tensor<3x6xcomplex<f32>>
    %32 = stablehlo.transpose %31, dims = [1, 0] : (tensor<3x6xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    %33 = call @fft_0(%32) : (tensor<6x3xcomplex<f32>>) -> tensor<6x4xf32>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
    return %34 : tensor<4x6xf32>
  }
  func.func private @fft(%arg0: tensor<6x4xf32>) -> tensor<6x3xcomplex<f32>> {
    %0 = stablehlo.fft %arg0, type = RFFT, length = [4] : (tensor<6x4xf32>) -> tensor<6x3xcomplex<f32>>
    return %0 : tensor<6x3xcomplex<f32>>
  }
  func.func private @fft_0(%arg0: tensor<6x3xcomplex<f32>>) -> tensor<6x4xf32> {
    %0 = call @_rfft_transpose(%arg0) : (tensor<6x3xcomplex<f32>>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
  func.func private @_rfft_transpose(%arg0: tensor<6x3xcomplex<f32>>) -> tensor<6x4xf32> {
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.dynamic_update_slice %0, %1, %c : (tensor<3xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i64>) -> tensor<3xcomplex<f32>>
    %cst_1 = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f32>>) -> tensor<1xcomplex<f32>>
    %c_2 = stablehlo.constant dense<2> : tensor<i64>
    %4 = stablehlo.dynamic_update_slice %2, %3, %c_2 : (tensor<3xcomplex<f32>>, tensor<1xcomplex<f32>>, tensor<i64>) -> tensor<3xcomplex<f32>>
    %5 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<3xcomplex<f32>>) -> tensor<1x3xcomplex<f32>>
    %6 = stablehlo.real %arg0 : (tensor<6x3xcomplex<f32>>) -> tensor<6x3xf32>
    %7 = stablehlo.imag %arg0 : (tensor<6x3xcomplex<f32>>) -> tensor<6x3xf32>
    %8 = stablehlo.negate %7 : tensor<6x3xf32>
    %9 = stablehlo.complex %6, %8 : tensor<6x3xcomplex<f32>>
    %10 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x3xcomplex<f32>>) -> tensor<6x3xcomplex<f32>>
    %11 = stablehlo.divide %9, %10 : tensor<6x3xcomplex<f32>>
    %12 = call @fft_1(%11) : (tensor<6x3xcomplex<f32>>) -> tensor<6x4xf32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %14 = stablehlo.multiply %13, %12 : tensor<6x4xf32>
    return %14 : tensor<6x4xf32>
  }
  func.func private @fft_1(%arg0: tensor<6x3xcomplex<f32>>) -> tensor<6x4xf32> {
    %0 = stablehlo.fft %arg0, type = IRFFT, length = [4] : (tensor<6x3xcomplex<f32>>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
}
