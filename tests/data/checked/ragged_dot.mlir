module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi32>, %arg3: tensor<11x7xf32>, %arg4: tensor<11x5xf32>, %arg5: tensor<3x5x7xf32>) {
    %0:3 = call @function(%arg0, %arg1, %arg2) : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> (tensor<11x7xf32>, tensor<11x5xf32>, tensor<3x5x7xf32>)
    check.expect_almost_eq %0#0, %arg3, tolerance = 5.0e-04 : f64 : tensor<11x7xf32>
    check.expect_almost_eq %0#1, %arg4, tolerance = 5.0e-04 : f64 : tensor<11x5xf32>
    check.expect_almost_eq %0#2, %arg5, tolerance = 5.0e-04 : f64 : tensor<3x5x7xf32>
    return
  }
  func.func private @function(%arg0: tensor<11x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi32>) -> (tensor<11x7xf32> {jax.result_info = "result[0]"}, tensor<11x5xf32> {jax.result_info = "result[1]"}, tensor<3x5x7xf32> {jax.result_info = "result[2]"}) {
    %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
    %1 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x7xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<11x7xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<11x7xf32>
    %4 = stablehlo.multiply %3, %1 : tensor<11x7xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%2 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<11x7xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.divide %5, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<11x7xf32>
    %9 = stablehlo.multiply %8, %4 : tensor<11x7xf32>
    %10 = "chlo.ragged_dot"(%arg0, %9, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}> : (tensor<11x5xf32>, tensor<11x7xf32>, tensor<3xi32>) -> tensor<3x5x7xf32>
    %11 = "chlo.ragged_dot"(%9, %arg1, %arg2) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<11x7xf32>, tensor<3x5x7xf32>, tensor<3xi32>) -> tensor<11x5xf32>
    return %0, %11, %10 : tensor<11x7xf32>, tensor<11x5xf32>, tensor<3x5x7xf32>
  }
}
