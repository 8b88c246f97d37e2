module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<4x24x16xf32>, %arg2: tensor<4x16x24xf32>, %arg3: tensor<16x4xf32>, %arg4: tensor<16x60xf32>, %arg5: tensor<6x12xi32>, %arg6: tensor<6x12xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<4x24x16xf32> {jax.result_info = "result[1]['experts']['down']"}, tensor<4x16x24xf32> {jax.result_info = "result[1]['experts']['up']"}, tensor<16x4xf32> {jax.result_info = "result[1]['gate']"}, tensor<16x60xf32> {jax.result_info = "result[1]['head']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg5, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg5, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg5 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.reshape %6 : (tensor<6x12x16xf32>) -> tensor<72x16xf32>
    %8 = stablehlo.dot_general %7, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<72x16xf32>, tensor<16x4xf32>) -> tensor<72x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<72x4xf32>, tensor<f32>) -> tensor<72xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<72xf32>
    %11 = stablehlo.maximum %10, %9 : tensor<72xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<72xf32>) -> tensor<72x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x4xf32>
    %14 = stablehlo.subtract %8, %13 : tensor<72x4xf32>
    %15 = stablehlo.exponential %14 : tensor<72x4xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<72x4xf32>, tensor<f32>) -> tensor<72xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<72xf32>) -> tensor<72x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x4xf32>
    %19 = stablehlo.divide %15, %18 : tensor<72x4xf32>
    %20 = stablehlo.multiply %17, %17 : tensor<72x1xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<72x1xf32>
    %22 = stablehlo.divide %21, %20 : tensor<72x1xf32>
    %23 = call @argmax(%19) : (tensor<72x4xf32>) -> tensor<72xi32>
    %24 = call @argsort(%23) : (tensor<72xi32>) -> tensor<72xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %25 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<72xi32>
    %26 = stablehlo.compare LT, %24, %25, SIGNED : (tensor<72xi32>, tensor<72xi32>) -> tensor<72xi1>
    %c_5 = stablehlo.constant dense<72> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<72xi32>
    %28 = stablehlo.add %24, %27 : tensor<72xi32>
    %29 = stablehlo.select %26, %28, %24 : tensor<72xi1>, tensor<72xi32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<72xi32>) -> tensor<72x1xi32>
    %31 = "stablehlo.gather"(%7, %30) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<72x16xf32>, tensor<72x1xi32>) -> tensor<72x16xf32>
    %32 = stablehlo.reshape %31 : (tensor<72x16xf32>) -> tensor<4x18x16xf32>
    %33 = stablehlo.dot_general %32, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x18x16xf32>, tensor<4x16x24xf32>) -> tensor<4x18x24xf32>
    %34 = stablehlo.multiply %33, %33 : tensor<4x18x24xf32>
    %35 = stablehlo.multiply %34, %33 : tensor<4x18x24xf32>
    %36 = stablehlo.multiply %33, %33 : tensor<4x18x24xf32>
    %cst_6 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<4x18x24xf32>
    %cst_7 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %40 = stablehlo.multiply %39, %35 : tensor<4x18x24xf32>
    %41 = stablehlo.add %33, %40 : tensor<4x18x24xf32>
    %cst_8 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %43 = stablehlo.multiply %42, %41 : tensor<4x18x24xf32>
    %44 = stablehlo.tanh %43 : tensor<4x18x24xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %46 = stablehlo.subtract %45, %44 : tensor<4x18x24xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %48 = stablehlo.add %47, %44 : tensor<4x18x24xf32>
    %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %50 = stablehlo.multiply %49, %48 : tensor<4x18x24xf32>
    %51 = stablehlo.multiply %33, %50 : tensor<4x18x24xf32>
    %52 = stablehlo.dot_general %51, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x18x24xf32>, tensor<4x24x16xf32>) -> tensor<4x18x16xf32>
    %53 = stablehlo.reshape %52 : (tensor<4x18x16xf32>) -> tensor<72x16xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %54 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<72xi32>
    %55 = stablehlo.compare LT, %24, %54, SIGNED : (tensor<72xi32>, tensor<72xi32>) -> tensor<72xi1>
    %c_13 = stablehlo.constant dense<72> : tensor<i32>
    %56 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<72xi32>
    %57 = stablehlo.add %24, %56 : tensor<72xi32>
    %58 = stablehlo.select %55, %57, %24 : tensor<72xi1>, tensor<72xi32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<72xi32>) -> tensor<72x1xi32>
    %60 = "stablehlo.scatter"(%7, %59, %53) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %176 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %176 : tensor<f32>
    }) : (tensor<72x16xf32>, tensor<72x1xi32>, tensor<72x16xf32>) -> tensor<72x16xf32>
    %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %61 = stablehlo.reduce(%19 init: %cst_14) applies stablehlo.maximum across dimensions = [1] : (tensor<72x4xf32>, tensor<f32>) -> tensor<72xf32>
    %62 = stablehlo.reshape %61 : (tensor<72xf32>) -> tensor<72x1xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x4xf32>
    %64 = stablehlo.compare EQ, %19, %63, FLOAT : (tensor<72x4xf32>, tensor<72x4xf32>) -> tensor<72x4xi1>
    %65 = stablehlo.convert %64 : (tensor<72x4xi1>) -> tensor<72x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_15) applies stablehlo.add across dimensions = [1] : (tensor<72x4xf32>, tensor<f32>) -> tensor<72xf32>
    %67 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<72xf32>) -> tensor<72x1xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x16xf32>
    %69 = stablehlo.multiply %60, %68 : tensor<72x16xf32>
    %70 = stablehlo.reshape %69 : (tensor<72x16xf32>) -> tensor<6x12x16xf32>
    %71 = stablehlo.dot_general %70, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %72 = stablehlo.broadcast_in_dim %arg6, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %73:2 = call @take_along_axis(%71, %72) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %74:2 = call @_take(%73#0, %c_16) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %75 = stablehlo.reduce(%71 init: %cst_17) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %77 = stablehlo.maximum %76, %75 : tensor<6x12xf32>
    %78 = stablehlo.is_finite %77 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %80 = stablehlo.select %78, %77, %79 : tensor<6x12xi1>, tensor<6x12xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %83 = stablehlo.subtract %71, %82 : tensor<6x12x60xf32>
    %84 = stablehlo.exponential %83 : tensor<6x12x60xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.reduce(%84 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %86 = stablehlo.abs %85 : tensor<6x12xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %88 = stablehlo.compare GE, %85, %87, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %89 = stablehlo.log %86 : tensor<6x12xf32>
    %90 = stablehlo.add %89, %80 : tensor<6x12xf32>
    %91 = stablehlo.subtract %90, %74#0 : tensor<6x12xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_22) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %93 = stablehlo.divide %92, %cst_23 : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_25 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %94 = stablehlo.divide %cst_24, %cst_25 : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %96 = stablehlo.negate %95 : tensor<6x12xf32>
    %97 = stablehlo.divide %95, %86 : tensor<6x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %99 = stablehlo.select %88, %98, %97 : tensor<6x12xi1>, tensor<6x12xf32>
    %100 = stablehlo.select %88, %97, %98 : tensor<6x12xi1>, tensor<6x12xf32>
    %101 = stablehlo.negate %99 : tensor<6x12xf32>
    %102 = stablehlo.add %100, %101 : tensor<6x12xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %104 = stablehlo.multiply %103, %84 : tensor<6x12x60xf32>
    %105 = call @_take_0(%74#1, %96) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %106 = call @take_along_axis_1(%73#1, %105) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %107 = stablehlo.add %104, %106 : tensor<6x12x60xf32>
    %108 = stablehlo.dot_general %107, %70, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %109 = stablehlo.transpose %108, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %110 = stablehlo.dot_general %107, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %111 = stablehlo.reshape %110 : (tensor<6x12x16xf32>) -> tensor<72x16xf32>
    %112 = stablehlo.multiply %60, %111 : tensor<72x16xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_27) applies stablehlo.add across dimensions = [1] : (tensor<72x16xf32>, tensor<f32>) -> tensor<72xf32>
    %114 = stablehlo.reshape %113 : (tensor<72xf32>) -> tensor<72x1xf32>
    %115 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x16xf32>
    %116 = stablehlo.multiply %111, %115 : tensor<72x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%114 init: %cst_28) applies stablehlo.add across dimensions = [1] : (tensor<72x1xf32>, tensor<f32>) -> tensor<72xf32>
    %118 = stablehlo.divide %117, %66 : tensor<72xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0] : (tensor<72xf32>) -> tensor<72x4xf32>
    %120 = stablehlo.multiply %119, %65 : tensor<72x4xf32>
    %c_29 = stablehlo.constant dense<71> : tensor<1xi32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %121 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i32>) -> tensor<72x1xi32>
    %122 = stablehlo.compare GE, %59, %121, SIGNED : (tensor<72x1xi32>, tensor<72x1xi32>) -> tensor<72x1xi1>
    %123 = stablehlo.broadcast_in_dim %c_29, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<72x1xi32>
    %125 = stablehlo.compare LE, %59, %124, SIGNED : (tensor<72x1xi32>, tensor<72x1xi32>) -> tensor<72x1xi1>
    %126 = stablehlo.and %122, %125 : tensor<72x1xi1>
    %c_31 = stablehlo.constant dense<true> : tensor<i1>
    %127 = stablehlo.reduce(%126 init: %c_31) applies stablehlo.and across dimensions = [1] : (tensor<72x1xi1>, tensor<i1>) -> tensor<72xi1>
    %128 = "stablehlo.gather"(%116, %59) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<72x16xf32>, tensor<72x1xi32>) -> tensor<72x16xf32>
    %129 = stablehlo.broadcast_in_dim %127, dims = [0] : (tensor<72xi1>) -> tensor<72x16xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<72x16xf32>
    %131 = stablehlo.select %129, %128, %130 : tensor<72x16xi1>, tensor<72x16xf32>
    %132 = stablehlo.reshape %131 : (tensor<72x16xf32>) -> tensor<4x18x16xf32>
    %133 = stablehlo.dot_general %132, %51, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x18x16xf32>, tensor<4x18x24xf32>) -> tensor<4x16x24xf32>
    %134 = stablehlo.transpose %133, dims = [0, 2, 1] : (tensor<4x16x24xf32>) -> tensor<4x24x16xf32>
    %135 = stablehlo.dot_general %132, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x18x16xf32>, tensor<4x24x16xf32>) -> tensor<4x18x24xf32>
    %136 = stablehlo.multiply %33, %135 : tensor<4x18x24xf32>
    %137 = stablehlo.multiply %135, %50 : tensor<4x18x24xf32>
    %cst_33 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %139 = stablehlo.multiply %138, %136 : tensor<4x18x24xf32>
    %140 = stablehlo.multiply %139, %46 : tensor<4x18x24xf32>
    %141 = stablehlo.multiply %140, %44 : tensor<4x18x24xf32>
    %142 = stablehlo.add %140, %141 : tensor<4x18x24xf32>
    %cst_34 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %144 = stablehlo.multiply %143, %142 : tensor<4x18x24xf32>
    %145 = stablehlo.add %137, %144 : tensor<4x18x24xf32>
    %cst_35 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x18x24xf32>
    %147 = stablehlo.multiply %146, %144 : tensor<4x18x24xf32>
    %148 = stablehlo.multiply %147, %38 : tensor<4x18x24xf32>
    %149 = stablehlo.add %145, %148 : tensor<4x18x24xf32>
    %150 = stablehlo.dot_general %149, %32, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x18x24xf32>, tensor<4x18x16xf32>) -> tensor<4x24x16xf32>
    %151 = stablehlo.transpose %150, dims = [0, 2, 1] : (tensor<4x24x16xf32>) -> tensor<4x16x24xf32>
    %152 = stablehlo.dot_general %149, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<4x18x24xf32>, tensor<4x16x24xf32>) -> tensor<4x18x16xf32>
    %153 = stablehlo.reshape %152 : (tensor<4x18x16xf32>) -> tensor<72x16xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<72x16xf32>
    %155 = "stablehlo.scatter"(%154, %30, %153) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %176 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %176 : tensor<f32>
    }) : (tensor<72x16xf32>, tensor<72x1xi32>, tensor<72x16xf32>) -> tensor<72x16xf32>
    %156 = stablehlo.add %116, %155 : tensor<72x16xf32>
    %157 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x4xf32>
    %158 = stablehlo.multiply %120, %157 : tensor<72x4xf32>
    %159 = stablehlo.multiply %158, %15 : tensor<72x4xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %160 = stablehlo.reduce(%159 init: %cst_37) applies stablehlo.add across dimensions = [1] : (tensor<72x4xf32>, tensor<f32>) -> tensor<72xf32>
    %161 = stablehlo.reshape %160 : (tensor<72xf32>) -> tensor<72x1xf32>
    %162 = stablehlo.negate %161 : tensor<72x1xf32>
    %163 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x4xf32>
    %164 = stablehlo.divide %120, %163 : tensor<72x4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %165 = stablehlo.reduce(%162 init: %cst_38) applies stablehlo.add across dimensions = [1] : (tensor<72x1xf32>, tensor<f32>) -> tensor<72xf32>
    %166 = stablehlo.broadcast_in_dim %165, dims = [0] : (tensor<72xf32>) -> tensor<72x4xf32>
    %167 = stablehlo.add %164, %166 : tensor<72x4xf32>
    %168 = stablehlo.multiply %167, %15 : tensor<72x4xf32>
    %169 = stablehlo.dot_general %168, %7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<72x4xf32>, tensor<72x16xf32>) -> tensor<4x16xf32>
    %170 = stablehlo.transpose %169, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %171 = stablehlo.dot_general %168, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<72x4xf32>, tensor<16x4xf32>) -> tensor<72x16xf32>
    %172 = stablehlo.add %156, %171 : tensor<72x16xf32>
    %173 = stablehlo.reshape %172 : (tensor<72x16xf32>) -> tensor<6x12x16xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %175 = "stablehlo.scatter"(%174, %5, %173) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %176 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %176 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %93, %175, %134, %151, %170, %109 : tensor<f32>, tensor<60x16xf32>, tensor<4x24x16xf32>, tensor<4x16x24xf32>, tensor<16x4xf32>, tensor<16x60xf32>
  }
  func.func private @argmax(%arg0: tensor<72x4xf32>) -> tensor<72xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<72x4xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<72x4xf32>, tensor<72x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<72xf32>, tensor<72xi32>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i32>, %arg4: tensor<i32>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i32>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i32>
    }
    return %1#1 : tensor<72xi32>
  }
  func.func private @argsort(%arg0: tensor<72xi32>) -> tensor<72xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<72xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<72xi32>, tensor<72xi32>) -> (tensor<72xi32>, tensor<72xi32>)
    return %1#1 : tensor<72xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x12x60xf32>, %arg1: tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x12x1xi32>, tensor<6x12x1xi32>) -> tensor<6x12x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x12x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x12x1xi1>, tensor<6x12x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x12x1xi32>) -> tensor<6x12x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x12x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x12x1x1xi32>, tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<6x12x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x12x1x1xi32>, tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x12x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<6x12x1x1xi1>, tensor<i1>) -> tensor<6x12x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>) -> tensor<6x12x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x12x1xi1>, tensor<6x12x1xf32>
    return %15, %5 : tensor<6x12x1xf32>, tensor<6x12x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<6x12x1xf32>, %arg1: tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>) {
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 12, 1>}> : (tensor<6x12x1xf32>, tensor<1xi32>) -> tensor<6x12xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6x12xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<6x12xi1>, tensor<6x12xf32>
    return %13, %3 : tensor<6x12xf32>, tensor<1xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_0(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
}
