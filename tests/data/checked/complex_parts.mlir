module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xcomplex<f32>>, %arg3: tensor<4x6xi1>, %arg4: tensor<4x6xi1>) {
    %0:3 = call @function(%arg0, %arg1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<4x6xcomplex<f32>>, tensor<4x6xi1>, tensor<4x6xi1>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<4x6xcomplex<f32>>
    check.expect_eq %0#1, %arg3 : tensor<4x6xi1>
    check.expect_eq %0#2, %arg4 : tensor<4x6xi1>
    return
  }
  func.func private @function(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>) -> (tensor<4x6xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<4x6xi1> {jax.result_info = "result[1]"}, tensor<4x6xi1> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.complex %arg0, %arg1 : tensor<4x6xcomplex<f32>>
    %1 = stablehlo.complex %arg0, %arg1 : tensor<4x6xcomplex<f32>>
    %cst = stablehlo.constant dense<(1.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
    %3 = stablehlo.compare EQ, %1, %2, FLOAT : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<4x6xi1>
    %4 = stablehlo.complex %arg0, %arg1 : tensor<4x6xcomplex<f32>>
    %5 = stablehlo.real %4 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %6 = stablehlo.is_finite %5 : (tensor<4x6xf32>) -> tensor<4x6xi1>
    %7 = stablehlo.imag %4 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %8 = stablehlo.is_finite %7 : (tensor<4x6xf32>) -> tensor<4x6xi1>
    %9 = stablehlo.and %6, %8 : tensor<4x6xi1>
    return %0, %3, %9 : tensor<4x6xcomplex<f32>>, tensor<4x6xi1>, tensor<4x6xi1>
  }
}
