module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xcomplex<f32>>, %arg1: tensor<3x4xcomplex<f32>>) {
    %0 = call @function(%arg0) : (tensor<3x4xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    check.expect_almost_eq %0, %arg1, tolerance = 5.0e-04 : f64 : tensor<3x4xcomplex<f32>>
    return
  }
  func.func private @function(%arg0: tensor<3x4xcomplex<f32>>) -> (tensor<3x4xcomplex<f32>> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0:4 = stablehlo.while(%iterArg = %arg0, %iterArg_1 = %c_0, %iterArg_2 = %c, %iterArg_3 = %arg0) : tensor<3x4xcomplex<f32>>, tensor<i64>, tensor<i64>, tensor<3x4xcomplex<f32>>
    cond {
      %c_4 = stablehlo.constant dense<5> : tensor<i64>
      %1 = stablehlo.compare LT, %iterArg_1, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = func.call @closed_call(%iterArg, %iterArg_2, %iterArg_3) : (tensor<3x4xcomplex<f32>>, tensor<i64>, tensor<3x4xcomplex<f32>>) -> (tensor<i64>, tensor<3x4xcomplex<f32>>)
      %c_4 = stablehlo.constant dense<1> : tensor<i64>
      %2 = stablehlo.add %iterArg_1, %c_4 : tensor<i64>
      stablehlo.return %iterArg, %2, %1#0, %1#1 : tensor<3x4xcomplex<f32>>, tensor<i64>, tensor<i64>, tensor<3x4xcomplex<f32>>
    }
    return %0#3 : tensor<3x4xcomplex<f32>>
  }
  func.func private @closed_call(%arg0: tensor<3x4xcomplex<f32>>, %arg1: tensor<i64>, %arg2: tensor<3x4xcomplex<f32>>) -> (tensor<i64>, tensor<3x4xcomplex<f32>>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg1, %c : tensor<i64>
    %1 = stablehlo.multiply %arg2, %arg2 : tensor<3x4xcomplex<f32>>
    %cst = stablehlo.constant dense<(5.000000e-01,0.000000e+00)> : tensor<complex<f32>>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x4xcomplex<f32>>
    %3 = stablehlo.multiply %1, %2 : tensor<3x4xcomplex<f32>>
    %4 = stablehlo.add %3, %arg0 : tensor<3x4xcomplex<f32>>
    return %0, %4 : tensor<i64>, tensor<3x4xcomplex<f32>>
  }
}
