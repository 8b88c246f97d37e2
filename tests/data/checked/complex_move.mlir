module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xcomplex<f32>>, %arg1: tensor<2xi64>, %arg2: tensor<3x4xcomplex<f32>>, %arg3: tensor<6x8xcomplex<f32>>, %arg4: tensor<8x6xcomplex<f32>>, %arg5: tensor<2x6xcomplex<f32>>, %arg6: tensor<4x6xcomplex<f32>>, %arg7: tensor<4x6xcomplex<f32>>) {
    %0:6 = call @function(%arg0, %arg1) : (tensor<4x6xcomplex<f32>>, tensor<2xi64>) -> (tensor<3x4xcomplex<f32>>, tensor<6x8xcomplex<f32>>, tensor<8x6xcomplex<f32>>, tensor<2x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<3x4xcomplex<f32>>
    check.expect_almost_eq %0#1, %arg3, tolerance = 5.0e-04 : f64 : tensor<6x8xcomplex<f32>>
    check.expect_almost_eq %0#2, %arg4, tolerance = 5.0e-04 : f64 : tensor<8x6xcomplex<f32>>
    check.expect_almost_eq %0#3, %arg5, tolerance = 5.0e-04 : f64 : tensor<2x6xcomplex<f32>>
    check.expect_almost_eq %0#4, %arg6, tolerance = 5.0e-04 : f64 : tensor<4x6xcomplex<f32>>
    check.expect_almost_eq %0#5, %arg7, tolerance = 5.0e-04 : f64 : tensor<4x6xcomplex<f32>>
    return
  }
  func.func private @function(%arg0: tensor<4x6xcomplex<f32>>, %arg1: tensor<2xi64>) -> (tensor<3x4xcomplex<f32>> {jax.result_info = "result[0]"}, tensor<6x8xcomplex<f32>> {jax.result_info = "result[1]"}, tensor<8x6xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<2x6xcomplex<f32>> {jax.result_info = "result[3]"}, tensor<4x6xcomplex<f32>> {jax.result_info = "result[4]"}, tensor<4x6xcomplex<f32>> {jax.result_info = "result[5]"}) {
    %0 = stablehlo.slice %arg0 [0:4, 1:4] : (tensor<4x6xcomplex<f32>>) -> tensor<4x3xcomplex<f32>>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<4x3xcomplex<f32>>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x3xcomplex<f32>>) -> tensor<3x4xcomplex<f32>>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %3 = call @_pad(%arg0, %c) : (tensor<4x6xcomplex<f32>>, tensor<i64>) -> tensor<6x8xcomplex<f32>>
    %4 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>) -> tensor<8x6xcomplex<f32>>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %6 = stablehlo.compare LT, %arg1, %5, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_1 = stablehlo.constant dense<4> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %8 = stablehlo.add %arg1, %7 : tensor<2xi64>
    %9 = stablehlo.select %6, %8, %arg1 : tensor<2xi1>, tensor<2xi64>
    %10 = stablehlo.convert %9 : (tensor<2xi64>) -> tensor<2xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %12 = "stablehlo.gather"(%arg0, %11) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<4x6xcomplex<f32>>, tensor<2x1xi32>) -> tensor<2x6xcomplex<f32>>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %13 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %14 = stablehlo.compare LT, %arg1, %13, SIGNED : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi1>
    %c_3 = stablehlo.constant dense<4> : tensor<i64>
    %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %16 = stablehlo.add %arg1, %15 : tensor<2xi64>
    %17 = stablehlo.select %14, %16, %arg1 : tensor<2xi1>, tensor<2xi64>
    %18 = stablehlo.convert %17 : (tensor<2xi64>) -> tensor<2xi32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %cst = stablehlo.constant dense<(0.000000e+00,1.000000e+00)> : tensor<complex<f32>>
    %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<2x6xcomplex<f32>>
    %21 = "stablehlo.scatter"(%arg0, %19, %20) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<complex<f32>>, %arg3: tensor<complex<f32>>):
      %26 = stablehlo.add %arg2, %arg3 : tensor<complex<f32>>
      stablehlo.return %26 : tensor<complex<f32>>
    }) : (tensor<4x6xcomplex<f32>>, tensor<2x1xi32>, tensor<2x6xcomplex<f32>>) -> tensor<4x6xcomplex<f32>>
    %22 = stablehlo.real %arg0 : (tensor<4x6xcomplex<f32>>) -> tensor<4x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %24 = stablehlo.compare GT, %22, %23, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %c_5 = stablehlo.constant dense<2> : tensor<i64>
    %25 = call @_where(%24, %arg0, %c_5) : (tensor<4x6xi1>, tensor<4x6xcomplex<f32>>, tensor<i64>) -> tensor<4x6xcomplex<f32>>
    return %2, %3, %4, %12, %21, %25 : tensor<3x4xcomplex<f32>>, tensor<6x8xcomplex<f32>>, tensor<8x6xcomplex<f32>>, tensor<2x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>, tensor<4x6xcomplex<f32>>
  }
  func.func private @_pad(%arg0: tensor<4x6xcomplex<f32>>, %arg1: tensor<i64>) -> tensor<6x8xcomplex<f32>> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<complex<f32>>
    %1 = stablehlo.pad %arg0, %0, low = [1, 1], high = [1, 1], interior = [0, 0] : (tensor<4x6xcomplex<f32>>, tensor<complex<f32>>) -> tensor<6x8xcomplex<f32>>
    return %1 : tensor<6x8xcomplex<f32>>
  }
  func.func private @_where(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xcomplex<f32>>, %arg2: tensor<i64>) -> tensor<4x6xcomplex<f32>> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<complex<f32>>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<complex<f32>>) -> tensor<4x6xcomplex<f32>>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<4x6xi1>, tensor<4x6xcomplex<f32>>
    return %2 : tensor<4x6xcomplex<f32>>
  }
}
