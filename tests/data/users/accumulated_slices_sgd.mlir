module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x5xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<24x16xf32>, %arg3: tensor<24xi32>) -> (tensor<24x5xf32> {jax.result_info = "result['down']"}, tensor<16x24xf32> {jax.result_info = "result['up']"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2:8 = stablehlo.while(%iterArg = %arg2, %iterArg_4 = %arg3, %iterArg_5 = %arg1, %iterArg_6 = %arg0, %iterArg_7 = %c_1, %iterArg_8 = %c, %iterArg_9 = %0, %iterArg_10 = %1) : tensor<24x16xf32>, tensor<24xi32>, tensor<16x24xf32>, tensor<24x5xf32>, tensor<i32>, tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>
    cond {
      %c_11 = stablehlo.constant dense<4> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_7, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9:3 = func.call @closed_call(%iterArg, %iterArg_4, %iterArg_5, %iterArg_6, %iterArg_8, %iterArg_9, %iterArg_10) : (tensor<24x16xf32>, tensor<24xi32>, tensor<16x24xf32>, tensor<24x5xf32>, tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>) -> (tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>)
      %c_11 = stablehlo.constant dense<1> : tensor<i32>
      %10 = stablehlo.add %iterArg_7, %c_11 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_4, %iterArg_5, %iterArg_6, %10, %9#0, %9#1, %9#2 : tensor<24x16xf32>, tensor<24xi32>, tensor<16x24xf32>, tensor<24x5xf32>, tensor<i32>, tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>
    }
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %4 = stablehlo.multiply %3, %2#6 : tensor<24x5xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<24x5xf32>
    %cst_3 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %7 = stablehlo.multiply %6, %2#7 : tensor<16x24xf32>
    %8 = stablehlo.subtract %arg1, %7 : tensor<16x24xf32>
    return %5, %8 : tensor<24x5xf32>, tensor<16x24xf32>
  }
  func.func private @closed_call(%arg0: tensor<24x16xf32>, %arg1: tensor<24xi32>, %arg2: tensor<16x24xf32>, %arg3: tensor<24x5xf32>, %arg4: tensor<i32>, %arg5: tensor<24x5xf32>, %arg6: tensor<16x24xf32>) -> (tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg4, %c : tensor<i32>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.multiply %arg4, %c_0 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.compare LT, %1, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.convert %1 : tensor<i32>
    %c_2 = stablehlo.constant dense<24> : tensor<i32>
    %4 = stablehlo.add %3, %c_2 : tensor<i32>
    %5 = stablehlo.select %2, %4, %1 : tensor<i1>, tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.dynamic_slice %arg0, %5, %c_3, sizes = [6, 16] : (tensor<24x16xf32>, tensor<i32>, tensor<i32>) -> tensor<6x16xf32>
    %c_4 = stablehlo.constant dense<6> : tensor<i32>
    %7 = stablehlo.multiply %arg4, %c_4 : tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.compare LT, %7, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %9 = stablehlo.convert %7 : tensor<i32>
    %c_6 = stablehlo.constant dense<24> : tensor<i32>
    %10 = stablehlo.add %9, %c_6 : tensor<i32>
    %11 = stablehlo.select %8, %10, %7 : tensor<i1>, tensor<i32>
    %12 = stablehlo.dynamic_slice %arg1, %11, sizes = [6] : (tensor<24xi32>, tensor<i32>) -> tensor<6xi32>
    %13 = stablehlo.dot_general %6, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %14 = stablehlo.tanh %13 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<6x24xf32>
    %17 = stablehlo.dot_general %14, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x5xf32>) -> tensor<6x5xf32>
    %18 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %19 = call @take_along_axis(%18) : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %20 = call @_take(%c_7) : (tensor<i32>) -> tensor<1xi32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = stablehlo.reduce(%17 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %23 = stablehlo.maximum %22, %21 : tensor<6xf32>
    %24 = stablehlo.is_finite %23 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %26 = stablehlo.select %24, %23, %25 : tensor<6xi1>, tensor<6xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x5xf32>
    %29 = stablehlo.subtract %17, %28 : tensor<6x5xf32>
    %30 = stablehlo.exponential %29 : tensor<6x5xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst_11) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %32 = stablehlo.abs %31 : tensor<6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %34 = stablehlo.compare GE, %31, %33, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_14 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %35 = stablehlo.divide %cst_13, %cst_14 : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %37 = stablehlo.negate %36 : tensor<6xf32>
    %38 = stablehlo.divide %36, %32 : tensor<6xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %40 = stablehlo.select %34, %39, %38 : tensor<6xi1>, tensor<6xf32>
    %41 = stablehlo.select %34, %38, %39 : tensor<6xi1>, tensor<6xf32>
    %42 = stablehlo.negate %40 : tensor<6xf32>
    %43 = stablehlo.add %41, %42 : tensor<6xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
    %45 = stablehlo.multiply %44, %30 : tensor<6x5xf32>
    %46 = call @_take_0(%20, %37) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %47 = call @take_along_axis_1(%19, %46) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x5xf32>
    %48 = stablehlo.add %45, %47 : tensor<6x5xf32>
    %49 = stablehlo.dot_general %48, %14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<6x24xf32>) -> tensor<5x24xf32>
    %50 = stablehlo.transpose %49, dims = [1, 0] : (tensor<5x24xf32>) -> tensor<24x5xf32>
    %51 = stablehlo.dot_general %48, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<24x5xf32>) -> tensor<6x24xf32>
    %52 = stablehlo.multiply %51, %16 : tensor<6x24xf32>
    %53 = stablehlo.multiply %52, %14 : tensor<6x24xf32>
    %54 = stablehlo.add %52, %53 : tensor<6x24xf32>
    %55 = stablehlo.dot_general %54, %6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %56 = stablehlo.transpose %55, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %cst_16 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %58 = stablehlo.divide %50, %57 : tensor<24x5xf32>
    %59 = stablehlo.add %arg5, %58 : tensor<24x5xf32>
    %cst_17 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %61 = stablehlo.divide %56, %60 : tensor<16x24xf32>
    %62 = stablehlo.add %arg6, %61 : tensor<16x24xf32>
    return %0, %59, %62 : tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x1xi32>) -> tensor<6x1x1xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %1 = stablehlo.compare LT, %arg0, %0, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %3 = stablehlo.add %arg0, %2 : tensor<6x1xi32>
    %4 = stablehlo.select %1, %3, %arg0 : tensor<6x1xi1>, tensor<6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
    return %5 : tensor<6x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<i32>) -> tensor<1xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg0, %c_0 : tensor<i32>
    %2 = call @_where(%0, %1, %arg0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    return %3 : tensor<1xi32>
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
  func.func private @take_along_axis_1(%arg0: tensor<6x1x1xi32>, %arg1: tensor<6x1xf32>) -> tensor<6x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x5xf32>, tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x5xf32>
    return %1 : tensor<6x5xf32>
  }
}
