module @scatter_in_order {
  func.func public @main(%arg0: tensor<6x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<6x1xi32>, %arg3: tensor<6x4xf32>, %arg4: tensor<6x4xf32>, %arg5: tensor<6x4xf32>, %arg6: tensor<6x4xf32>, %arg7: tensor<5x3xf32>, %arg8: tensor<2x2xi32>, %arg9: tensor<5x2x2xf32>, %arg10: tensor<5x3xf32>) {
    %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %u: tensor<f32>, %v: tensor<f32>):
      %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %1 = stablehlo.multiply %a, %half : tensor<f32>
      %2 = stablehlo.add %1, %u : tensor<f32>
      %3 = stablehlo.maximum %a, %b : tensor<f32>
      %4 = stablehlo.add %3, %v : tensor<f32>
      stablehlo.return %2, %4 : tensor<f32>, tensor<f32>
    }) : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>, tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>)
    %5 = "stablehlo.scatter"(%arg7, %arg8, %arg9) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %u: tensor<f32>):
      %two = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %6 = stablehlo.multiply %a, %two : tensor<f32>
      %7 = stablehlo.subtract %u, %6 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<5x3xf32>, tensor<2x2xi32>, tensor<5x2x2xf32>) -> tensor<5x3xf32>
    check.expect_eq %0#0, %arg5 : tensor<6x4xf32>
    check.expect_eq %0#1, %arg6 : tensor<6x4xf32>
    check.expect_eq %5, %arg10 : tensor<5x3xf32>
    return
  }
}
