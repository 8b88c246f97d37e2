module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x6xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2x6xf32>, %arg3: tensor<5x6xf32>, %arg4: tensor<5x6xf32>, %arg5: tensor<5x6xf32>, %arg6: tensor<5x6xf32>, %arg7: tensor<5x6xf32>) {
    %0:5 = call @function(%arg0, %arg1, %arg2) : (tensor<5x6xf32>, tensor<2xi64>, tensor<2x6xf32>) -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>)
    check.expect_almost_eq %0#0, %arg3, tolerance = 5.0e-04 : f64 : tensor<5x6xf32>
    check.expect_almost_eq %0#1, %arg4, tolerance = 5.0e-04 : f64 : tensor<5x6xf32>
    check.expect_almost_eq %0#2, %arg5, tolerance = 5.0e-04 : f64 : tensor<5x6xf32>
    check.expect_almost_eq %0#3, %arg6, tolerance = 5.0e-04 : f64 : tensor<5x6xf32>
    check.expect_almost_eq %0#4, %arg7, tolerance = 5.0e-04 : f64 : tensor<5x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<5x6xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2x6xf32>) -> (tensor<5x6xf32> {jax.result_info = "result[0]"}, tensor<5x6xf32> {jax.result_info = "result[1]"}, tensor<5x6xf32> {jax.result_info = "result[2]"}, tensor<5x6xf32> {jax.result_info = "result[3]"}, tensor<5x6xf32> {jax.result_info = "result[4]"}) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %3 = stablehlo.add %arg1, %2 : tensor<2xi64>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2xi1>, tensor<2xi64>
    %5 = stablehlo.convert %4 : (tensor<2xi64>) -> tensor<2xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %7 = "stablehlo.scatter"(%arg0, %6, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<5x6xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %9 = stablehlo.compare LT, %arg1, %8, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_2 = stablehlo.constant dense<5> : tensor<i64>
    %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %11 = stablehlo.add %arg1, %10 : tensor<2xi64>
    %12 = stablehlo.select %9, %11, %arg1 : tensor<2xi1>, tensor<2xi64>
    %13 = stablehlo.convert %12 : (tensor<2xi64>) -> tensor<2xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %15 = "stablehlo.scatter"(%arg0, %14, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.maximum %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<5x6xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %16 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %17 = stablehlo.compare LT, %arg1, %16, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_4 = stablehlo.constant dense<5> : tensor<i64>
    %18 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %19 = stablehlo.add %arg1, %18 : tensor<2xi64>
    %20 = stablehlo.select %17, %19, %arg1 : tensor<2xi1>, tensor<2xi64>
    %21 = stablehlo.convert %20 : (tensor<2xi64>) -> tensor<2xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %23 = "stablehlo.scatter"(%arg0, %22, %arg2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<5x6xf32>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %24 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %25 = stablehlo.compare LT, %arg1, %24, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_6 = stablehlo.constant dense<5> : tensor<i64>
    %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %27 = stablehlo.add %arg1, %26 : tensor<2xi64>
    %28 = stablehlo.select %25, %27, %arg1 : tensor<2xi1>, tensor<2xi64>
    %29 = stablehlo.convert %28 : (tensor<2xi64>) -> tensor<2xi32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %33 = "stablehlo.scatter"(%arg0, %30, %32) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.tanh %arg3 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<5x6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5x6xf32>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %35 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %36 = stablehlo.compare LT, %arg1, %35, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_10 = stablehlo.constant dense<5> : tensor<i64>
    %37 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %38 = stablehlo.add %arg1, %37 : tensor<2xi64>
    %39 = stablehlo.select %36, %38, %arg1 : tensor<2xi1>, tensor<2xi64>
    %40 = stablehlo.convert %39 : (tensor<2xi64>) -> tensor<2xi32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x6xf32>
    %43 = "stablehlo.scatter"(%34, %41, %42) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.multiply %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<5x6xf32>, tensor<2x1xi32>, tensor<2x6xf32>) -> tensor<5x6xf32>
    %44 = stablehlo.power %arg0, %43 : tensor<5x6xf32>
    return %7, %15, %23, %33, %44 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>
  }
}
