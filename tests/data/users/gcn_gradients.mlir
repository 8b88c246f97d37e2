module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x24xf32>, %arg1: tensor<24x24xf32>, %arg2: tensor<24x3xf32>, %arg3: tensor<6x7x7xf32>, %arg4: tensor<6x7x16xf32>, %arg5: tensor<6xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<16x24xf32> {jax.result_info = "result[1][0]"}, tensor<24x24xf32> {jax.result_info = "result[1][1]"}, tensor<24x3xf32> {jax.result_info = "result[1][2]"}) {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x7x16xf32>, tensor<16x24xf32>) -> tensor<6x7x24xf32>
    %1 = stablehlo.dot_general %arg3, %0, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x7x7xf32>, tensor<6x7x24xf32>) -> tensor<6x7x24xf32>
    %2 = call @relu(%1) : (tensor<6x7x24xf32>) -> tensor<6x7x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x7x24xf32>
    %4 = stablehlo.compare GT, %1, %3, FLOAT : (tensor<6x7x24xf32>, tensor<6x7x24xf32>) -> tensor<6x7x24xi1>
    %5 = stablehlo.dot_general %2, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x7x24xf32>, tensor<24x24xf32>) -> tensor<6x7x24xf32>
    %6 = stablehlo.dot_general %arg3, %5, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x7x7xf32>, tensor<6x7x24xf32>) -> tensor<6x7x24xf32>
    %7 = call @relu(%6) : (tensor<6x7x24xf32>) -> tensor<6x7x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x7x24xf32>
    %9 = stablehlo.compare GT, %6, %8, FLOAT : (tensor<6x7x24xf32>, tensor<6x7x24xf32>) -> tensor<6x7x24xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x7x24xf32>, tensor<f32>) -> tensor<6x24xf32>
    %cst_2 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %12 = stablehlo.divide %10, %11 : tensor<6x24xf32>
    %13 = stablehlo.dot_general %12, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x3xf32>) -> tensor<6x3xf32>
    %14 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %15:2 = call @take_along_axis(%13, %14) : (tensor<6x3xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %16:2 = call @_take(%15#0, %c) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.reduce(%13 init: %cst_3) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.maximum %18, %17 : tensor<6xf32>
    %20 = stablehlo.is_finite %19 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %22 = stablehlo.select %20, %19, %21 : tensor<6xi1>, tensor<6xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %25 = stablehlo.subtract %13, %24 : tensor<6x3xf32>
    %26 = stablehlo.exponential %25 : tensor<6x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_6) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %28 = stablehlo.abs %27 : tensor<6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %30 = stablehlo.compare GE, %27, %29, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %31 = stablehlo.log %28 : tensor<6xf32>
    %32 = stablehlo.add %31, %22 : tensor<6xf32>
    %33 = stablehlo.subtract %32, %16#0 : tensor<6xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %35 = stablehlo.divide %34, %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %36 = stablehlo.divide %cst_10, %cst_11 : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %38 = stablehlo.negate %37 : tensor<6xf32>
    %39 = stablehlo.divide %37, %28 : tensor<6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %41 = stablehlo.select %30, %40, %39 : tensor<6xi1>, tensor<6xf32>
    %42 = stablehlo.select %30, %39, %40 : tensor<6xi1>, tensor<6xf32>
    %43 = stablehlo.negate %41 : tensor<6xf32>
    %44 = stablehlo.add %42, %43 : tensor<6xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %46 = stablehlo.multiply %45, %26 : tensor<6x3xf32>
    %47 = call @_take_0(%16#1, %38) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %48 = call @take_along_axis_1(%15#1, %47) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x3xf32>
    %49 = stablehlo.add %46, %48 : tensor<6x3xf32>
    %50 = stablehlo.dot_general %49, %12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x24xf32>) -> tensor<3x24xf32>
    %51 = stablehlo.transpose %50, dims = [1, 0] : (tensor<3x24xf32>) -> tensor<24x3xf32>
    %52 = stablehlo.dot_general %49, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<24x3xf32>) -> tensor<6x24xf32>
    %cst_13 = stablehlo.constant dense<7.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %54 = stablehlo.divide %52, %53 : tensor<6x24xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 2] : (tensor<6x24xf32>) -> tensor<6x7x24xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x7x24xf32>
    %57 = stablehlo.select %9, %55, %56 : tensor<6x7x24xi1>, tensor<6x7x24xf32>
    %58 = stablehlo.dot_general %57, %arg3, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x7x24xf32>, tensor<6x7x7xf32>) -> tensor<6x24x7xf32>
    %59 = stablehlo.transpose %58, dims = [0, 2, 1] : (tensor<6x24x7xf32>) -> tensor<6x7x24xf32>
    %60 = stablehlo.dot_general %59, %2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x7x24xf32>, tensor<6x7x24xf32>) -> tensor<24x24xf32>
    %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %62 = stablehlo.dot_general %59, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x7x24xf32>, tensor<24x24xf32>) -> tensor<6x7x24xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x7x24xf32>
    %64 = stablehlo.select %4, %62, %63 : tensor<6x7x24xi1>, tensor<6x7x24xf32>
    %65 = stablehlo.dot_general %64, %arg3, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x7x24xf32>, tensor<6x7x7xf32>) -> tensor<6x24x7xf32>
    %66 = stablehlo.transpose %65, dims = [0, 2, 1] : (tensor<6x24x7xf32>) -> tensor<6x7x24xf32>
    %67 = stablehlo.dot_general %66, %arg4, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x7x24xf32>, tensor<6x7x16xf32>) -> tensor<24x16xf32>
    %68 = stablehlo.transpose %67, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    return %35, %68, %61, %51 : tensor<f32>, tensor<16x24xf32>, tensor<24x24xf32>, tensor<24x3xf32>
  }
  func.func private @relu(%arg0: tensor<6x7x24xf32>) -> tensor<6x7x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x7x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x7x24xf32>
    return %1 : tensor<6x7x24xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x3xf32>, %arg1: tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x1xi1>, tensor<6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x1x1xi1>, tensor<i1>) -> tensor<6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x3xf32>, tensor<6x1x1xi32>) -> tensor<6x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x1xi1>, tensor<6x1xf32>
    return %15, %5 : tensor<6x1xf32>, tensor<6x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<6x1xf32>, %arg1: tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi32>
    %4 = stablehlo.convert %3 : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = stablehlo.compare LE, %4, %c_1, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %8 = stablehlo.and %6, %7 : tensor<1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%8 init: %c_3) applies stablehlo.and across dimensions = [0] : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 1>}> : (tensor<6x1xf32>, tensor<1xi32>) -> tensor<6xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<6xi1>, tensor<6xf32>
    return %13, %3 : tensor<6xf32>, tensor<1xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_0(%arg0: tensor<1xi32>, %arg1: tensor<6xf32>) -> tensor<6x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x1xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    return %1 : tensor<6x1xf32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<6x1x1xi32>, %arg1: tensor<6x1xf32>) -> tensor<6x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x3xf32>, tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x3xf32>
    return %1 : tensor<6x3xf32>
  }
}
