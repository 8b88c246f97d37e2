module @jit_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<3x4x5xf32>, %arg4: tensor<3x5x4xf32>, %arg5: tensor<f32>, %arg6: tensor<6x4xf32>, %arg7: tensor<3x4x5xf32>, %arg8: tensor<3x5x4xf32>) {
    %0:4 = call @function(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<4x3xf32>, tensor<3x4x5xf32>, tensor<3x5x4xf32>) -> (tensor<f32>, tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3x5x4xf32>)
    check.expect_almost_eq %0#0, %arg5, tolerance = 5.0e-04 : f64 : tensor<f32>
    check.expect_almost_eq %0#1, %arg6, tolerance = 5.0e-04 : f64 : tensor<6x4xf32>
    check.expect_almost_eq %0#2, %arg7, tolerance = 5.0e-04 : f64 : tensor<3x4x5xf32>
    check.expect_almost_eq %0#3, %arg8, tolerance = 5.0e-04 : f64 : tensor<3x5x4xf32>
    return
  }
  func.func private @function(%arg0: tensor<6x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<3x4x5xf32>, %arg4: tensor<3x5x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6x4xf32> {jax.result_info = "result[1][0]"}, tensor<3x4x5xf32> {jax.result_info = "result[1][1]"}, tensor<3x5x4xf32> {jax.result_info = "result[1][2]"}) {
    %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.reshape %1 : (tensor<6xf32>) -> tensor<6x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %4 = stablehlo.compare EQ, %0, %3, FLOAT : (tensor<6x3xf32>, tensor<6x3xf32>) -> tensor<6x3xi1>
    %5 = stablehlo.convert %4 : (tensor<6x3xi1>) -> tensor<6x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.maximum %7, %1 : tensor<6xf32>
    %9 = stablehlo.compare EQ, %1, %8, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.select %9, %10, %11 : tensor<6xi1>, tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.compare EQ, %13, %8, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %17 = stablehlo.select %14, %15, %16 : tensor<6xi1>, tensor<6xf32>
    %18 = stablehlo.divide %12, %17 : tensor<6xf32>
    %19 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %21 = stablehlo.subtract %0, %20 : tensor<6x3xf32>
    %22 = stablehlo.exponential %21 : tensor<6x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %26 = stablehlo.divide %22, %25 : tensor<6x3xf32>
    %27 = stablehlo.multiply %24, %24 : tensor<6x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %29 = stablehlo.divide %28, %27 : tensor<6x1xf32>
    %values, %indices = chlo.top_k(%26, k = 2) : tensor<6x3xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
    %30 = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
    %31 = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
    %32 = call @argsort(%31) : (tensor<12xi32>) -> tensor<12xi64>
    %33 = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %34 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %35 = call @clip(%33, %c_9) : (tensor<12xi32>, tensor<i64>) -> tensor<12xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %37 = stablehlo.compare LT, %35, %36, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_11 = stablehlo.constant dense<3> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %39 = stablehlo.add %35, %38 : tensor<12xi32>
    %40 = stablehlo.select %37, %39, %35 : tensor<12xi1>, tensor<12xi32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %c_12 = stablehlo.constant dense<1> : tensor<i64>
    %42 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %43 = "stablehlo.scatter"(%34, %41, %42) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<i64>, %arg6: tensor<i64>):
      %238 = stablehlo.add %arg5, %arg6 : tensor<i64>
      stablehlo.return %238 : tensor<i64>
    }) : (tensor<3xi64>, tensor<12x1xi32>, tensor<12xi64>) -> tensor<3xi64>
    %c_13 = stablehlo.constant dense<2> : tensor<i64>
    %44 = call @floor_divide(%32, %c_13) : (tensor<12xi64>, tensor<i64>) -> tensor<12xi64>
    %c_14 = stablehlo.constant dense<0> : tensor<i64>
    %45 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %46 = stablehlo.compare LT, %44, %45, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %c_15 = stablehlo.constant dense<6> : tensor<i64>
    %47 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %48 = stablehlo.add %44, %47 : tensor<12xi64>
    %49 = stablehlo.select %46, %48, %44 : tensor<12xi1>, tensor<12xi64>
    %50 = stablehlo.convert %49 : (tensor<12xi64>) -> tensor<12xi32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %52 = "stablehlo.gather"(%arg1, %51) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<12x1xi32>) -> tensor<12x4xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %54 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %55 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_16 = stablehlo.constant dense<0> : tensor<i64>
    %56 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %57 = stablehlo.slice %56 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %58 = stablehlo.slice %55 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %59 = stablehlo.concatenate %57, %58, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %60 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %61 = stablehlo.broadcast_in_dim %59, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %62 = stablehlo.compare LE, %61, %54, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %63 = stablehlo.compare LT, %54, %60, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %64 = stablehlo.and %62, %63 : tensor<3x12x4xi1>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %66 = stablehlo.select %64, %53, %65 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %67 = stablehlo.dot_general %66, %arg3, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x4xf32>, tensor<3x4x5xf32>) -> tensor<12x5xf32>
    %68:3 = call @silu(%67) : (tensor<12x5xf32>) -> (tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>)
    %69 = stablehlo.broadcast_in_dim %68#0, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %70 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %71 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_18 = stablehlo.constant dense<0> : tensor<i64>
    %72 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %73 = stablehlo.slice %72 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %74 = stablehlo.slice %71 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %75 = stablehlo.concatenate %73, %74, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %76 = stablehlo.broadcast_in_dim %71, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %77 = stablehlo.broadcast_in_dim %75, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %78 = stablehlo.compare LE, %77, %70, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %79 = stablehlo.compare LT, %70, %76, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %80 = stablehlo.and %78, %79 : tensor<3x12x5xi1>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %82 = stablehlo.select %80, %69, %81 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %83 = stablehlo.dot_general %82, %arg4, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x5xf32>, tensor<3x5x4xf32>) -> tensor<12x4xf32>
    %84 = stablehlo.reshape %values : (tensor<6x2xf32>) -> tensor<12xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i64>
    %85 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %86 = stablehlo.compare LT, %32, %85, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %c_21 = stablehlo.constant dense<12> : tensor<i64>
    %87 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %88 = stablehlo.add %32, %87 : tensor<12xi64>
    %89 = stablehlo.select %86, %88, %32 : tensor<12xi1>, tensor<12xi64>
    %90 = stablehlo.convert %89 : (tensor<12xi64>) -> tensor<12xi32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %92 = "stablehlo.gather"(%84, %91) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<12xf32>, tensor<12x1xi32>) -> tensor<12xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x4xf32>
    %95 = stablehlo.multiply %83, %94 : tensor<12x4xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %c_23 = stablehlo.constant dense<2> : tensor<i64>
    %97 = call @floor_divide(%32, %c_23) : (tensor<12xi64>, tensor<i64>) -> tensor<12xi64>
    %c_24 = stablehlo.constant dense<0> : tensor<i64>
    %98 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %99 = stablehlo.compare LT, %97, %98, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %c_25 = stablehlo.constant dense<6> : tensor<i64>
    %100 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %101 = stablehlo.add %97, %100 : tensor<12xi64>
    %102 = stablehlo.select %99, %101, %97 : tensor<12xi1>, tensor<12xi64>
    %103 = stablehlo.convert %102 : (tensor<12xi64>) -> tensor<12xi32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %105 = "stablehlo.scatter"(%96, %104, %95) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %238 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %238 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<12x1xi32>, tensor<12x4xf32>) -> tensor<6x4xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %107 = stablehlo.multiply %105, %arg0 : tensor<6x4xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %108 = stablehlo.reduce(%107 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %110 = stablehlo.multiply %109, %arg0 : tensor<6x4xf32>
    %c_29 = stablehlo.constant dense<5> : tensor<1xi32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %111 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i32>) -> tensor<12x1xi32>
    %112 = stablehlo.compare GE, %104, %111, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %113 = stablehlo.broadcast_in_dim %c_29, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<12x1xi32>
    %115 = stablehlo.compare LE, %104, %114, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %116 = stablehlo.and %112, %115 : tensor<12x1xi1>
    %c_31 = stablehlo.constant dense<true> : tensor<i1>
    %117 = stablehlo.reduce(%116 init: %c_31) applies stablehlo.and across dimensions = [1] : (tensor<12x1xi1>, tensor<i1>) -> tensor<12xi1>
    %118 = "stablehlo.gather"(%110, %104) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<12x1xi32>) -> tensor<12x4xf32>
    %119 = stablehlo.broadcast_in_dim %117, dims = [0] : (tensor<12xi1>) -> tensor<12x4xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %121 = stablehlo.select %119, %118, %120 : tensor<12x4xi1>, tensor<12x4xf32>
    %122 = stablehlo.multiply %83, %121 : tensor<12x4xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<12x4xf32>, tensor<f32>) -> tensor<12xf32>
    %124 = stablehlo.reshape %123 : (tensor<12xf32>) -> tensor<12x1xf32>
    %125 = stablehlo.broadcast_in_dim %93, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x4xf32>
    %126 = stablehlo.multiply %121, %125 : tensor<12x4xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%124 init: %cst_34) applies stablehlo.add across dimensions = [1] : (tensor<12x1xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %129 = "stablehlo.scatter"(%128, %91, %127) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %238 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %238 : tensor<f32>
    }) : (tensor<12xf32>, tensor<12x1xi32>, tensor<12xf32>) -> tensor<12xf32>
    %130 = stablehlo.reshape %129 : (tensor<12xf32>) -> tensor<6x2xf32>
    %131 = stablehlo.broadcast_in_dim %68#0, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %132 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %133 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_36 = stablehlo.constant dense<0> : tensor<i64>
    %134 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %135 = stablehlo.slice %134 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %136 = stablehlo.slice %133 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %137 = stablehlo.concatenate %135, %136, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %138 = stablehlo.broadcast_in_dim %133, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %139 = stablehlo.broadcast_in_dim %137, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %140 = stablehlo.compare LE, %139, %132, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %141 = stablehlo.compare LT, %132, %138, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %142 = stablehlo.and %140, %141 : tensor<3x12x5xi1>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %144 = stablehlo.select %142, %131, %143 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %145 = stablehlo.broadcast_in_dim %126, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %146 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %147 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_38 = stablehlo.constant dense<0> : tensor<i64>
    %148 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %149 = stablehlo.slice %148 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %150 = stablehlo.slice %147 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %151 = stablehlo.concatenate %149, %150, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %152 = stablehlo.broadcast_in_dim %147, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %153 = stablehlo.broadcast_in_dim %151, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %154 = stablehlo.compare LE, %153, %146, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %155 = stablehlo.compare LT, %146, %152, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %156 = stablehlo.and %154, %155 : tensor<3x12x4xi1>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %158 = stablehlo.select %156, %145, %157 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %159 = stablehlo.dot_general %144, %158, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x5xf32>, tensor<3x12x4xf32>) -> tensor<3x5x4xf32>
    %160 = stablehlo.broadcast_in_dim %126, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %161 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %162 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_40 = stablehlo.constant dense<0> : tensor<i64>
    %163 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %164 = stablehlo.slice %163 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %165 = stablehlo.slice %162 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %166 = stablehlo.concatenate %164, %165, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %167 = stablehlo.broadcast_in_dim %162, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %168 = stablehlo.broadcast_in_dim %166, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %169 = stablehlo.compare LE, %168, %161, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %170 = stablehlo.compare LT, %161, %167, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %171 = stablehlo.and %169, %170 : tensor<3x12x4xi1>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %173 = stablehlo.select %171, %160, %172 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %174 = stablehlo.dot_general %173, %arg4, contracting_dims = [2, 0] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x4xf32>, tensor<3x5x4xf32>) -> tensor<12x5xf32>
    %175 = call @silu_0(%68#1, %68#2, %67, %174) : (tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>) -> tensor<12x5xf32>
    %176 = stablehlo.broadcast_in_dim %52, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %177 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %178 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_42 = stablehlo.constant dense<0> : tensor<i64>
    %179 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %180 = stablehlo.slice %179 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %181 = stablehlo.slice %178 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %182 = stablehlo.concatenate %180, %181, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %183 = stablehlo.broadcast_in_dim %178, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %184 = stablehlo.broadcast_in_dim %182, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %185 = stablehlo.compare LE, %184, %177, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %186 = stablehlo.compare LT, %177, %183, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %187 = stablehlo.and %185, %186 : tensor<3x12x4xi1>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %189 = stablehlo.select %187, %176, %188 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %190 = stablehlo.broadcast_in_dim %175, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %191 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %192 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_44 = stablehlo.constant dense<0> : tensor<i64>
    %193 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %194 = stablehlo.slice %193 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %195 = stablehlo.slice %192 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %196 = stablehlo.concatenate %194, %195, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %197 = stablehlo.broadcast_in_dim %192, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %198 = stablehlo.broadcast_in_dim %196, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %199 = stablehlo.compare LE, %198, %191, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %200 = stablehlo.compare LT, %191, %197, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %201 = stablehlo.and %199, %200 : tensor<3x12x5xi1>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %203 = stablehlo.select %201, %190, %202 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %204 = stablehlo.dot_general %189, %203, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x4xf32>, tensor<3x12x5xf32>) -> tensor<3x4x5xf32>
    %205 = stablehlo.broadcast_in_dim %175, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %206 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %207 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_46 = stablehlo.constant dense<0> : tensor<i64>
    %208 = stablehlo.broadcast_in_dim %c_46, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %209 = stablehlo.slice %208 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %210 = stablehlo.slice %207 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %211 = stablehlo.concatenate %209, %210, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %212 = stablehlo.broadcast_in_dim %207, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %213 = stablehlo.broadcast_in_dim %211, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %214 = stablehlo.compare LE, %213, %206, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %215 = stablehlo.compare LT, %206, %212, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %216 = stablehlo.and %214, %215 : tensor<3x12x5xi1>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %218 = stablehlo.select %216, %205, %217 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %219 = stablehlo.dot_general %218, %arg3, contracting_dims = [2, 0] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x5xf32>, tensor<3x4x5xf32>) -> tensor<12x4xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %221 = "stablehlo.scatter"(%220, %51, %219) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %238 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %238 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<12x1xi32>, tensor<12x4xf32>) -> tensor<6x4xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %223 = "stablehlo.scatter"(%222, %30, %130) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %238 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %238 : tensor<f32>
    }) : (tensor<6x3xf32>, tensor<6x2x1xi32>, tensor<6x2xf32>) -> tensor<6x3xf32>
    %224 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %225 = stablehlo.multiply %223, %224 : tensor<6x3xf32>
    %226 = stablehlo.multiply %225, %22 : tensor<6x3xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %227 = stablehlo.reduce(%226 init: %cst_50) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %228 = stablehlo.reshape %227 : (tensor<6xf32>) -> tensor<6x1xf32>
    %229 = stablehlo.negate %228 : tensor<6x1xf32>
    %230 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %231 = stablehlo.divide %223, %230 : tensor<6x3xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.reduce(%229 init: %cst_51) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %233 = stablehlo.broadcast_in_dim %232, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %234 = stablehlo.add %231, %233 : tensor<6x3xf32>
    %235 = stablehlo.multiply %234, %22 : tensor<6x3xf32>
    %236 = stablehlo.dot_general %235, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<4x3xf32>) -> tensor<6x4xf32>
    %237 = stablehlo.add %221, %236 : tensor<6x4xf32>
    return %108, %237, %204, %159 : tensor<f32>, tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3x5x4xf32>
  }
  func.func private @argsort(%arg0: tensor<12xi32>) -> tensor<12xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<12xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<12xi32>, tensor<12xi64>) -> (tensor<12xi32>, tensor<12xi64>)
    return %1#1 : tensor<12xi64>
  }
  func.func private @clip(%arg0: tensor<12xi32>, %arg1: tensor<i64>) -> tensor<12xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<12xi32>
    return %2 : tensor<12xi32>
  }
  func.func private @floor_divide(%arg0: tensor<12xi64>, %arg1: tensor<i64>) -> tensor<12xi64> {
    %0 = stablehlo.convert %arg1 : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %2 = stablehlo.divide %arg0, %1 : tensor<12xi64>
    %3 = stablehlo.sign %arg0 : tensor<12xi64>
    %4 = stablehlo.sign %0 : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %8 = stablehlo.remainder %arg0, %7 : tensor<12xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %11 = stablehlo.and %6, %10 : tensor<12xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %13 = stablehlo.subtract %2, %12 : tensor<12xi64>
    %14 = call @_where(%11, %13, %2) : (tensor<12xi1>, tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
    return %14 : tensor<12xi64>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xi64>, %arg2: tensor<12xi64>) -> tensor<12xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xi64>
    return %0 : tensor<12xi64>
  }
  func.func private @cumsum(%arg0: tensor<3xi64>) -> tensor<3xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<i64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i64>
      stablehlo.return %2 : tensor<i64>
    }) : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
    return %1 : tensor<3xi64>
  }
  func.func private @silu(%arg0: tensor<12x5xf32>) -> (tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<12x5xf32>
    %1 = stablehlo.exponential %0 : tensor<12x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x5xf32>
    %3 = stablehlo.add %2, %1 : tensor<12x5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x5xf32>
    %5 = stablehlo.divide %4, %3 : tensor<12x5xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x5xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<12x5xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<12x5xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<12x5xf32>
    return %9, %8, %5 : tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>
  }
  func.func private @silu_0(%arg0: tensor<12x5xf32>, %arg1: tensor<12x5xf32>, %arg2: tensor<12x5xf32>, %arg3: tensor<12x5xf32>) -> tensor<12x5xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<12x5xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<12x5xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<12x5xf32>
    %3 = stablehlo.add %1, %2 : tensor<12x5xf32>
    return %3 : tensor<12x5xf32>
  }
}
