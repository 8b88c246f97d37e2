module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10x24xf32>, %arg1: tensor<24x8xf32>, %arg2: tensor<60x8xf32>, %arg3: tensor<30x8xf32>, %arg4: tensor<17x20xf32>, %arg5: tensor<20x1xf32>, %arg6: tensor<10x24xf32>, %arg7: tensor<24x8xf32>, %arg8: tensor<60x8xf32>, %arg9: tensor<30x8xf32>, %arg10: tensor<17x20xf32>, %arg11: tensor<20x1xf32>, %arg12: tensor<6x10xf32>, %arg13: tensor<6x2xi32>, %arg14: tensor<6xf32>) -> (tensor<10x24xf32> {jax.result_info = "result[0]['bottom'][0]"}, tensor<24x8xf32> {jax.result_info = "result[0]['bottom'][1]"}, tensor<60x8xf32> {jax.result_info = "result[0]['tables'][0]"}, tensor<30x8xf32> {jax.result_info = "result[0]['tables'][1]"}, tensor<17x20xf32> {jax.result_info = "result[0]['top'][0]"}, tensor<20x1xf32> {jax.result_info = "result[0]['top'][1]"}, tensor<10x24xf32> {jax.result_info = "result[1][0].sum_of_squares['bottom'][0]"}, tensor<24x8xf32> {jax.result_info = "result[1][0].sum_of_squares['bottom'][1]"}, tensor<60x8xf32> {jax.result_info = "result[1][0].sum_of_squares['tables'][0]"}, tensor<30x8xf32> {jax.result_info = "result[1][0].sum_of_squares['tables'][1]"}, tensor<17x20xf32> {jax.result_info = "result[1][0].sum_of_squares['top'][0]"}, tensor<20x1xf32> {jax.result_info = "result[1][0].sum_of_squares['top'][1]"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg12, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x10xf32>, tensor<10x24xf32>) -> tensor<6x24xf32>
    %1 = call @relu(%0) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %3 = stablehlo.compare GT, %0, %2, FLOAT : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xi1>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x8xf32>) -> tensor<6x8xf32>
    %5 = call @relu_0(%4) : (tensor<6x8xf32>) -> tensor<6x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %7 = stablehlo.compare GT, %4, %6, FLOAT : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %8 = stablehlo.slice %arg13 [0:6, 0:1] : (tensor<6x2xi32>) -> tensor<6x1xi32>
    %9 = stablehlo.reshape %8 : (tensor<6x1xi32>) -> tensor<6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %11 = stablehlo.compare LT, %9, %10, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_1 = stablehlo.constant dense<60> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %13 = stablehlo.add %9, %12 : tensor<6xi32>
    %14 = stablehlo.select %11, %13, %9 : tensor<6xi1>, tensor<6xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %16 = "stablehlo.gather"(%arg2, %15) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<60x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>
    %17 = stablehlo.slice %arg13 [0:6, 1:2] : (tensor<6x2xi32>) -> tensor<6x1xi32>
    %18 = stablehlo.reshape %17 : (tensor<6x1xi32>) -> tensor<6xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %20 = stablehlo.compare LT, %18, %19, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_3 = stablehlo.constant dense<30> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %22 = stablehlo.add %18, %21 : tensor<6xi32>
    %23 = stablehlo.select %20, %22, %18 : tensor<6xi1>, tensor<6xi32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %25 = "stablehlo.gather"(%arg3, %24) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 8>}> : (tensor<30x8xf32>, tensor<6x1xi32>) -> tensor<6x8xf32>
    %26 = stablehlo.broadcast_in_dim %5, dims = [0, 2] : (tensor<6x8xf32>) -> tensor<6x1x8xf32>
    %27 = stablehlo.broadcast_in_dim %16, dims = [0, 2] : (tensor<6x8xf32>) -> tensor<6x1x8xf32>
    %28 = stablehlo.broadcast_in_dim %25, dims = [0, 2] : (tensor<6x8xf32>) -> tensor<6x1x8xf32>
    %29 = stablehlo.concatenate %26, %27, %28, dim = 1 : (tensor<6x1x8xf32>, tensor<6x1x8xf32>, tensor<6x1x8xf32>) -> tensor<6x3x8xf32>
    %30 = stablehlo.dot_general %29, %29, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x3x8xf32>, tensor<6x3x8xf32>) -> tensor<6x3x3xf32>
    %31 = stablehlo.reshape %30 : (tensor<6x3x3xf32>) -> tensor<6x9xf32>
    %32 = stablehlo.slice %29 [0:6, 0:1, 0:8] : (tensor<6x3x8xf32>) -> tensor<6x1x8xf32>
    %33 = stablehlo.reshape %32 : (tensor<6x1x8xf32>) -> tensor<6x8xf32>
    %34 = stablehlo.concatenate %33, %31, dim = 1 : (tensor<6x8xf32>, tensor<6x9xf32>) -> tensor<6x17xf32>
    %35 = stablehlo.dot_general %34, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x17xf32>, tensor<17x20xf32>) -> tensor<6x20xf32>
    %36 = call @relu_1(%35) : (tensor<6x20xf32>) -> tensor<6x20xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %38 = stablehlo.compare GT, %35, %37, FLOAT : (tensor<6x20xf32>, tensor<6x20xf32>) -> tensor<6x20xi1>
    %39 = stablehlo.dot_general %36, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x20xf32>, tensor<20x1xf32>) -> tensor<6x1xf32>
    %40 = stablehlo.reshape %39 : (tensor<6x1xf32>) -> tensor<6xf32>
    %41:2 = call @log_sigmoid(%40) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
    %42 = stablehlo.negate %40 : tensor<6xf32>
    %43:2 = call @log_sigmoid(%42) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
    %44 = stablehlo.negate %arg14 : tensor<6xf32>
    %45 = stablehlo.multiply %44, %41#0 : tensor<6xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %47 = stablehlo.subtract %46, %arg14 : tensor<6xf32>
    %48 = stablehlo.multiply %47, %43#0 : tensor<6xf32>
    %49 = stablehlo.subtract %45, %48 : tensor<6xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %51 = stablehlo.divide %50, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %52 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %54 = stablehlo.negate %53 : tensor<6xf32>
    %55 = stablehlo.multiply %47, %54 : tensor<6xf32>
    %56 = stablehlo.multiply %44, %53 : tensor<6xf32>
    %57 = call @log_sigmoid_2(%43#1, %55) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %58 = stablehlo.negate %57 : tensor<6xf32>
    %59 = call @log_sigmoid_2(%41#1, %56) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %60 = stablehlo.add %58, %59 : tensor<6xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %62 = stablehlo.dot_general %61, %36, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x1xf32>, tensor<6x20xf32>) -> tensor<1x20xf32>
    %63 = stablehlo.transpose %62, dims = [1, 0] : (tensor<1x20xf32>) -> tensor<20x1xf32>
    %64 = stablehlo.dot_general %61, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x1xf32>, tensor<20x1xf32>) -> tensor<6x20xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %66 = stablehlo.select %38, %64, %65 : tensor<6x20xi1>, tensor<6x20xf32>
    %67 = stablehlo.dot_general %66, %34, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x20xf32>, tensor<6x17xf32>) -> tensor<20x17xf32>
    %68 = stablehlo.transpose %67, dims = [1, 0] : (tensor<20x17xf32>) -> tensor<17x20xf32>
    %69 = stablehlo.dot_general %66, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x20xf32>, tensor<17x20xf32>) -> tensor<6x17xf32>
    %70 = stablehlo.slice %69 [0:6, 0:8] : (tensor<6x17xf32>) -> tensor<6x8xf32>
    %71 = stablehlo.slice %69 [0:6, 8:17] : (tensor<6x17xf32>) -> tensor<6x9xf32>
    %72 = stablehlo.broadcast_in_dim %70, dims = [0, 2] : (tensor<6x8xf32>) -> tensor<6x1x8xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.pad %72, %cst_11, low = [0, 0, 0], high = [0, 2, 0], interior = [0, 0, 0] : (tensor<6x1x8xf32>, tensor<f32>) -> tensor<6x3x8xf32>
    %74 = stablehlo.reshape %71 : (tensor<6x9xf32>) -> tensor<6x3x3xf32>
    %75 = stablehlo.dot_general %74, %29, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3x3xf32>, tensor<6x3x8xf32>) -> tensor<6x3x8xf32>
    %76 = stablehlo.add %73, %75 : tensor<6x3x8xf32>
    %77 = stablehlo.dot_general %74, %29, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3x3xf32>, tensor<6x3x8xf32>) -> tensor<6x3x8xf32>
    %78 = stablehlo.add %76, %77 : tensor<6x3x8xf32>
    %79 = stablehlo.slice %78 [0:6, 0:1, 0:8] : (tensor<6x3x8xf32>) -> tensor<6x1x8xf32>
    %80 = stablehlo.reshape %79 : (tensor<6x1x8xf32>) -> tensor<6x8xf32>
    %81 = stablehlo.slice %78 [0:6, 1:2, 0:8] : (tensor<6x3x8xf32>) -> tensor<6x1x8xf32>
    %82 = stablehlo.reshape %81 : (tensor<6x1x8xf32>) -> tensor<6x8xf32>
    %83 = stablehlo.slice %78 [0:6, 2:3, 0:8] : (tensor<6x3x8xf32>) -> tensor<6x1x8xf32>
    %84 = stablehlo.reshape %83 : (tensor<6x1x8xf32>) -> tensor<6x8xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<30x8xf32>
    %86 = "stablehlo.scatter"(%85, %24, %84) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %170 = stablehlo.add %arg15, %arg16 : tensor<f32>
      stablehlo.return %170 : tensor<f32>
    }) : (tensor<30x8xf32>, tensor<6x1xi32>, tensor<6x8xf32>) -> tensor<30x8xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<60x8xf32>
    %88 = "stablehlo.scatter"(%87, %15, %82) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg15: tensor<f32>, %arg16: tensor<f32>):
      %170 = stablehlo.add %arg15, %arg16 : tensor<f32>
      stablehlo.return %170 : tensor<f32>
    }) : (tensor<60x8xf32>, tensor<6x1xi32>, tensor<6x8xf32>) -> tensor<60x8xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %90 = stablehlo.select %7, %80, %89 : tensor<6x8xi1>, tensor<6x8xf32>
    %91 = stablehlo.dot_general %90, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x24xf32>) -> tensor<8x24xf32>
    %92 = stablehlo.transpose %91, dims = [1, 0] : (tensor<8x24xf32>) -> tensor<24x8xf32>
    %93 = stablehlo.dot_general %90, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<24x8xf32>) -> tensor<6x24xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %95 = stablehlo.select %3, %93, %94 : tensor<6x24xi1>, tensor<6x24xf32>
    %96 = stablehlo.dot_general %95, %arg12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x10xf32>) -> tensor<24x10xf32>
    %97 = stablehlo.transpose %96, dims = [1, 0] : (tensor<24x10xf32>) -> tensor<10x24xf32>
    %98 = stablehlo.multiply %97, %97 : tensor<10x24xf32>
    %99 = stablehlo.add %98, %arg6 : tensor<10x24xf32>
    %100 = stablehlo.multiply %92, %92 : tensor<24x8xf32>
    %101 = stablehlo.add %100, %arg7 : tensor<24x8xf32>
    %102 = stablehlo.multiply %88, %88 : tensor<60x8xf32>
    %103 = stablehlo.add %102, %arg8 : tensor<60x8xf32>
    %104 = stablehlo.multiply %86, %86 : tensor<30x8xf32>
    %105 = stablehlo.add %104, %arg9 : tensor<30x8xf32>
    %106 = stablehlo.multiply %68, %68 : tensor<17x20xf32>
    %107 = stablehlo.add %106, %arg10 : tensor<17x20xf32>
    %108 = stablehlo.multiply %63, %63 : tensor<20x1xf32>
    %109 = stablehlo.add %108, %arg11 : tensor<20x1xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<10x24xf32>
    %111 = stablehlo.compare GT, %99, %110, FLOAT : (tensor<10x24xf32>, tensor<10x24xf32>) -> tensor<10x24xi1>
    %cst_17 = stablehlo.constant dense<1.000000e-07> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<10x24xf32>
    %113 = stablehlo.add %99, %112 : tensor<10x24xf32>
    %114 = stablehlo.rsqrt %113 : tensor<10x24xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = call @_where(%111, %114, %cst_18) : (tensor<10x24xi1>, tensor<10x24xf32>, tensor<f32>) -> tensor<10x24xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %117 = stablehlo.compare GT, %101, %116, FLOAT : (tensor<24x8xf32>, tensor<24x8xf32>) -> tensor<24x8xi1>
    %cst_20 = stablehlo.constant dense<1.000000e-07> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %119 = stablehlo.add %101, %118 : tensor<24x8xf32>
    %120 = stablehlo.rsqrt %119 : tensor<24x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = call @_where_4(%117, %120, %cst_21) : (tensor<24x8xi1>, tensor<24x8xf32>, tensor<f32>) -> tensor<24x8xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<60x8xf32>
    %123 = stablehlo.compare GT, %103, %122, FLOAT : (tensor<60x8xf32>, tensor<60x8xf32>) -> tensor<60x8xi1>
    %cst_23 = stablehlo.constant dense<1.000000e-07> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<60x8xf32>
    %125 = stablehlo.add %103, %124 : tensor<60x8xf32>
    %126 = stablehlo.rsqrt %125 : tensor<60x8xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = call @_where_5(%123, %126, %cst_24) : (tensor<60x8xi1>, tensor<60x8xf32>, tensor<f32>) -> tensor<60x8xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<30x8xf32>
    %129 = stablehlo.compare GT, %105, %128, FLOAT : (tensor<30x8xf32>, tensor<30x8xf32>) -> tensor<30x8xi1>
    %cst_26 = stablehlo.constant dense<1.000000e-07> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<30x8xf32>
    %131 = stablehlo.add %105, %130 : tensor<30x8xf32>
    %132 = stablehlo.rsqrt %131 : tensor<30x8xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = call @_where_6(%129, %132, %cst_27) : (tensor<30x8xi1>, tensor<30x8xf32>, tensor<f32>) -> tensor<30x8xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<17x20xf32>
    %135 = stablehlo.compare GT, %107, %134, FLOAT : (tensor<17x20xf32>, tensor<17x20xf32>) -> tensor<17x20xi1>
    %cst_29 = stablehlo.constant dense<1.000000e-07> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<17x20xf32>
    %137 = stablehlo.add %107, %136 : tensor<17x20xf32>
    %138 = stablehlo.rsqrt %137 : tensor<17x20xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = call @_where_7(%135, %138, %cst_30) : (tensor<17x20xi1>, tensor<17x20xf32>, tensor<f32>) -> tensor<17x20xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<20x1xf32>
    %141 = stablehlo.compare GT, %109, %140, FLOAT : (tensor<20x1xf32>, tensor<20x1xf32>) -> tensor<20x1xi1>
    %cst_32 = stablehlo.constant dense<1.000000e-07> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<20x1xf32>
    %143 = stablehlo.add %109, %142 : tensor<20x1xf32>
    %144 = stablehlo.rsqrt %143 : tensor<20x1xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = call @_where_8(%141, %144, %cst_33) : (tensor<20x1xi1>, tensor<20x1xf32>, tensor<f32>) -> tensor<20x1xf32>
    %146 = stablehlo.multiply %115, %97 : tensor<10x24xf32>
    %147 = stablehlo.multiply %121, %92 : tensor<24x8xf32>
    %148 = stablehlo.multiply %127, %88 : tensor<60x8xf32>
    %149 = stablehlo.multiply %133, %86 : tensor<30x8xf32>
    %150 = stablehlo.multiply %139, %68 : tensor<17x20xf32>
    %151 = stablehlo.multiply %145, %63 : tensor<20x1xf32>
    %cst_34 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<10x24xf32>
    %153 = stablehlo.multiply %152, %146 : tensor<10x24xf32>
    %cst_35 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %155 = stablehlo.multiply %154, %147 : tensor<24x8xf32>
    %cst_36 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<60x8xf32>
    %157 = stablehlo.multiply %156, %148 : tensor<60x8xf32>
    %cst_37 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<30x8xf32>
    %159 = stablehlo.multiply %158, %149 : tensor<30x8xf32>
    %cst_38 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<17x20xf32>
    %161 = stablehlo.multiply %160, %150 : tensor<17x20xf32>
    %cst_39 = stablehlo.constant dense<-0.00999999977> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<20x1xf32>
    %163 = stablehlo.multiply %162, %151 : tensor<20x1xf32>
    %164 = stablehlo.add %arg0, %153 : tensor<10x24xf32>
    %165 = stablehlo.add %arg1, %155 : tensor<24x8xf32>
    %166 = stablehlo.add %arg2, %157 : tensor<60x8xf32>
    %167 = stablehlo.add %arg3, %159 : tensor<30x8xf32>
    %168 = stablehlo.add %arg4, %161 : tensor<17x20xf32>
    %169 = stablehlo.add %arg5, %163 : tensor<20x1xf32>
    return %164, %165, %166, %167, %168, %169, %99, %101, %103, %105, %107, %109, %51 : tensor<10x24xf32>, tensor<24x8xf32>, tensor<60x8xf32>, tensor<30x8xf32>, tensor<17x20xf32>, tensor<20x1xf32>, tensor<10x24xf32>, tensor<24x8xf32>, tensor<60x8xf32>, tensor<30x8xf32>, tensor<17x20xf32>, tensor<20x1xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
  func.func private @relu_0(%arg0: tensor<6x8xf32>) -> tensor<6x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x8xf32>
    return %1 : tensor<6x8xf32>
  }
  func.func private @relu_1(%arg0: tensor<6x20xf32>) -> tensor<6x20xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x20xf32>
    return %1 : tensor<6x20xf32>
  }
  func.func private @log_sigmoid(%arg0: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<6xf32>
    %1:2 = call @softplus(%0) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
    %2 = stablehlo.negate %1#0 : tensor<6xf32>
    return %2, %1#1 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @softplus(%arg0: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<6xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<6xf32>
    %7 = stablehlo.abs %3 : tensor<6xf32>
    %8 = stablehlo.negate %7 : tensor<6xf32>
    %9 = stablehlo.exponential %8 : tensor<6xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<6xf32>
    %11 = stablehlo.add %1, %10 : tensor<6xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<6xi1>, tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<6xi1>, tensor<6xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<6xi1>, tensor<6xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<6xf32>
    %22 = stablehlo.exponential %21 : tensor<6xf32>
    return %12, %22 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @log_sigmoid_2(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.negate %arg1 : tensor<6xf32>
    %1 = call @softplus_3(%arg0, %0) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %2 = stablehlo.negate %1 : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @softplus_3(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<10x24xi1>, %arg1: tensor<10x24xf32>, %arg2: tensor<f32>) -> tensor<10x24xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<10x24xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<10x24xi1>, tensor<10x24xf32>
    return %2 : tensor<10x24xf32>
  }
  func.func private @_where_4(%arg0: tensor<24x8xi1>, %arg1: tensor<24x8xf32>, %arg2: tensor<f32>) -> tensor<24x8xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<24x8xi1>, tensor<24x8xf32>
    return %2 : tensor<24x8xf32>
  }
  func.func private @_where_5(%arg0: tensor<60x8xi1>, %arg1: tensor<60x8xf32>, %arg2: tensor<f32>) -> tensor<60x8xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<60x8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<60x8xi1>, tensor<60x8xf32>
    return %2 : tensor<60x8xf32>
  }
  func.func private @_where_6(%arg0: tensor<30x8xi1>, %arg1: tensor<30x8xf32>, %arg2: tensor<f32>) -> tensor<30x8xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<30x8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<30x8xi1>, tensor<30x8xf32>
    return %2 : tensor<30x8xf32>
  }
  func.func private @_where_7(%arg0: tensor<17x20xi1>, %arg1: tensor<17x20xf32>, %arg2: tensor<f32>) -> tensor<17x20xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<17x20xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<17x20xi1>, tensor<17x20xf32>
    return %2 : tensor<17x20xf32>
  }
  func.func private @_where_8(%arg0: tensor<20x1xi1>, %arg1: tensor<20x1xf32>, %arg2: tensor<f32>) -> tensor<20x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<20x1xi1>, tensor<20x1xf32>
    return %2 : tensor<20x1xf32>
  }
}
