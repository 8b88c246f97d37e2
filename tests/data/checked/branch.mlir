module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>) {
    %0:2 = call @function(%arg0, %arg1, %arg2) : (tensor<4x6xf32>, tensor<f32>, tensor<i32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    check.expect_almost_eq %0#0, %arg3, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    check.expect_almost_eq %0#1, %arg4, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<4x6xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.compare GT, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = stablehlo.convert %0 : (tensor<i1>) -> tensor<i32>
    %2 = "stablehlo.case"(%1) ({
      %5 = stablehlo.while(%iterArg = %arg0) : tensor<4x6xf32>
      cond {
        %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
        %6 = stablehlo.reduce(%iterArg init: %cst_1) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
        %cst_2 = stablehlo.constant dense<1.000000e+03> : tensor<f32>
        %7 = stablehlo.compare LT, %6, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      } do {
        %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
        %7 = stablehlo.multiply %iterArg, %6 : tensor<4x6xf32>
        %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %8 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
        %9 = stablehlo.add %7, %8 : tensor<4x6xf32>
        stablehlo.return %9 : tensor<4x6xf32>
      }
      stablehlo.return %5 : tensor<4x6xf32>
    }, {
      %5 = stablehlo.sine %arg0 : tensor<4x6xf32>
      stablehlo.return %5 : tensor<4x6xf32>
    }) : (tensor<i32>) -> tensor<4x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<2> : tensor<i32>
    %3 = stablehlo.clamp %c, %arg2, %c_0 : tensor<i32>
    %4 = "stablehlo.case"(%3) ({
      %5 = stablehlo.exponential %arg0 : tensor<4x6xf32>
      stablehlo.return %5 : tensor<4x6xf32>
    }, {
      %5 = stablehlo.tanh %arg0 : tensor<4x6xf32>
      stablehlo.return %5 : tensor<4x6xf32>
    }, {
      %5 = stablehlo.abs %arg0 : tensor<4x6xf32>
      stablehlo.return %5 : tensor<4x6xf32>
    }) : (tensor<i32>) -> tensor<4x6xf32>
    return %2, %4 : tensor<4x6xf32>, tensor<4x6xf32>
  }
}
