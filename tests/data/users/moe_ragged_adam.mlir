module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<4x24x16xf32>, %arg2: tensor<4x16x24xf32>, %arg3: tensor<16x4xf32>, %arg4: tensor<16x60xf32>, %arg5: tensor<i32>, %arg6: tensor<60x16xf32>, %arg7: tensor<4x24x16xf32>, %arg8: tensor<4x16x24xf32>, %arg9: tensor<16x4xf32>, %arg10: tensor<16x60xf32>, %arg11: tensor<60x16xf32>, %arg12: tensor<4x24x16xf32>, %arg13: tensor<4x16x24xf32>, %arg14: tensor<16x4xf32>, %arg15: tensor<16x60xf32>, %arg16: tensor<6x12xi32>, %arg17: tensor<6x12xi32>) -> (tensor<60x16xf32> {jax.result_info = "result[0]['embed']"}, tensor<4x24x16xf32> {jax.result_info = "result[0]['experts']['down']"}, tensor<4x16x24xf32> {jax.result_info = "result[0]['experts']['up']"}, tensor<16x4xf32> {jax.result_info = "result[0]['gate']"}, tensor<16x60xf32> {jax.result_info = "result[0]['head']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<60x16xf32> {jax.result_info = "result[1][0].mu['embed']"}, tensor<4x24x16xf32> {jax.result_info = "result[1][0].mu['experts']['down']"}, tensor<4x16x24xf32> {jax.result_info = "result[1][0].mu['experts']['up']"}, tensor<16x4xf32> {jax.result_info = "result[1][0].mu['gate']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].mu['head']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].nu['embed']"}, tensor<4x24x16xf32> {jax.result_info = "result[1][0].nu['experts']['down']"}, tensor<4x16x24xf32> {jax.result_info = "result[1][0].nu['experts']['up']"}, tensor<16x4xf32> {jax.result_info = "result[1][0].nu['gate']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].nu['head']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg16, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg16, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg16 : tensor<6x12xi1>, tensor<6x12xi32>
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
    %values, %indices = chlo.top_k(%19, k = 2) : tensor<72x4xf32> -> (tensor<72x2xf32>, tensor<72x2xi32>)
    %23 = stablehlo.reshape %indices : (tensor<72x2xi32>) -> tensor<72x2x1xi32>
    %24 = stablehlo.reshape %indices : (tensor<72x2xi32>) -> tensor<144xi32>
    %25 = call @argsort(%24) : (tensor<144xi32>) -> tensor<144xi32>
    %26 = stablehlo.reshape %indices : (tensor<72x2xi32>) -> tensor<144xi32>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %28 = call @clip(%26, %c_5) : (tensor<144xi32>, tensor<i32>) -> tensor<144xi32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %30 = stablehlo.compare LT, %28, %29, SIGNED : (tensor<144xi32>, tensor<144xi32>) -> tensor<144xi1>
    %c_7 = stablehlo.constant dense<4> : tensor<i32>
    %31 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %32 = stablehlo.add %28, %31 : tensor<144xi32>
    %33 = stablehlo.select %30, %32, %28 : tensor<144xi1>, tensor<144xi32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<144xi32>) -> tensor<144x1xi32>
    %c_8 = stablehlo.constant dense<1> : tensor<i32>
    %35 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %36 = "stablehlo.scatter"(%27, %34, %35) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<i32>, %arg19: tensor<i32>):
      %363 = stablehlo.add %arg18, %arg19 : tensor<i32>
      stablehlo.return %363 : tensor<i32>
    }) : (tensor<4xi32>, tensor<144x1xi32>, tensor<144xi32>) -> tensor<4xi32>
    %c_9 = stablehlo.constant dense<2> : tensor<i32>
    %37 = call @floor_divide(%25, %c_9) : (tensor<144xi32>, tensor<i32>) -> tensor<144xi32>
    %38:2 = call @_take(%7, %37) : (tensor<72x16xf32>, tensor<144xi32>) -> (tensor<144x16xf32>, tensor<144x1xi32>)
    %39 = stablehlo.broadcast_in_dim %38#0, dims = [1, 2] : (tensor<144x16xf32>) -> tensor<4x144x16xf32>
    %40 = stablehlo.iota dim = 1 : tensor<4x144x16xi32>
    %41 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %42 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %43 = stablehlo.slice %42 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %44 = stablehlo.slice %41 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %45 = stablehlo.concatenate %43, %44, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %46 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %48 = stablehlo.compare LE, %47, %40, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %49 = stablehlo.compare LT, %40, %46, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %50 = stablehlo.and %48, %49 : tensor<4x144x16xi1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x144x16xf32>
    %52 = stablehlo.select %50, %39, %51 : tensor<4x144x16xi1>, tensor<4x144x16xf32>
    %53 = stablehlo.dot_general %52, %arg2, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x144x16xf32>, tensor<4x16x24xf32>) -> tensor<144x24xf32>
    %54:3 = call @silu(%53) : (tensor<144x24xf32>) -> (tensor<144x24xf32>, tensor<144x24xf32>, tensor<144x24xf32>)
    %55 = stablehlo.broadcast_in_dim %54#0, dims = [1, 2] : (tensor<144x24xf32>) -> tensor<4x144x24xf32>
    %56 = stablehlo.iota dim = 1 : tensor<4x144x24xi32>
    %57 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %58 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %59 = stablehlo.slice %58 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %60 = stablehlo.slice %57 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %61 = stablehlo.concatenate %59, %60, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %62 = stablehlo.broadcast_in_dim %57, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %63 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %64 = stablehlo.compare LE, %63, %56, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %65 = stablehlo.compare LT, %56, %62, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %66 = stablehlo.and %64, %65 : tensor<4x144x24xi1>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x144x24xf32>
    %68 = stablehlo.select %66, %55, %67 : tensor<4x144x24xi1>, tensor<4x144x24xf32>
    %69 = stablehlo.dot_general %68, %arg1, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x144x24xf32>, tensor<4x24x16xf32>) -> tensor<144x16xf32>
    %70 = call @argsort(%25) : (tensor<144xi32>) -> tensor<144xi32>
    %71:2 = call @_take_1(%69, %70) : (tensor<144x16xf32>, tensor<144xi32>) -> (tensor<144x16xf32>, tensor<144x1xi32>)
    %72 = stablehlo.reshape %71#0 : (tensor<144x16xf32>) -> tensor<72x2x16xf32>
    %73 = stablehlo.dot_general %72, %values, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<72x2x16xf32>, tensor<72x2xf32>) -> tensor<72x16xf32>
    %74 = stablehlo.add %7, %73 : tensor<72x16xf32>
    %75 = stablehlo.reshape %74 : (tensor<72x16xf32>) -> tensor<6x12x16xf32>
    %76 = stablehlo.dot_general %75, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %77 = stablehlo.broadcast_in_dim %arg17, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %78:2 = call @take_along_axis(%76, %77) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %79:2 = call @_take_2(%78#0, %c_14) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %80 = stablehlo.reduce(%76 init: %cst_15) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %82 = stablehlo.maximum %81, %80 : tensor<6x12xf32>
    %83 = stablehlo.is_finite %82 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %85 = stablehlo.select %83, %82, %84 : tensor<6x12xi1>, tensor<6x12xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %88 = stablehlo.subtract %76, %87 : tensor<6x12x60xf32>
    %89 = stablehlo.exponential %88 : tensor<6x12x60xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %91 = stablehlo.abs %90 : tensor<6x12xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %93 = stablehlo.compare GE, %90, %92, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %94 = stablehlo.log %91 : tensor<6x12xf32>
    %95 = stablehlo.add %94, %85 : tensor<6x12xf32>
    %96 = stablehlo.subtract %95, %79#0 : tensor<6x12xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_20) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %98 = stablehlo.divide %97, %cst_21 : tensor<f32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_23 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %99 = stablehlo.divide %cst_22, %cst_23 : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %101 = stablehlo.negate %100 : tensor<6x12xf32>
    %102 = stablehlo.divide %100, %91 : tensor<6x12xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %104 = stablehlo.select %93, %103, %102 : tensor<6x12xi1>, tensor<6x12xf32>
    %105 = stablehlo.select %93, %102, %103 : tensor<6x12xi1>, tensor<6x12xf32>
    %106 = stablehlo.negate %104 : tensor<6x12xf32>
    %107 = stablehlo.add %105, %106 : tensor<6x12xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %109 = stablehlo.multiply %108, %89 : tensor<6x12x60xf32>
    %110 = call @_take_4(%79#1, %101) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %111 = call @take_along_axis_5(%78#1, %110) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %112 = stablehlo.add %109, %111 : tensor<6x12x60xf32>
    %113 = stablehlo.dot_general %112, %75, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %114 = stablehlo.transpose %113, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %115 = stablehlo.dot_general %112, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %116 = stablehlo.reshape %115 : (tensor<6x12x16xf32>) -> tensor<72x16xf32>
    %117 = stablehlo.dot_general %116, %72, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<72x16xf32>, tensor<72x2x16xf32>) -> tensor<72x2xf32>
    %118 = stablehlo.dot_general %116, %values, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<72x16xf32>, tensor<72x2xf32>) -> tensor<72x16x2xf32>
    %119 = stablehlo.transpose %118, dims = [0, 2, 1] : (tensor<72x16x2xf32>) -> tensor<72x2x16xf32>
    %120 = stablehlo.reshape %119 : (tensor<72x2x16xf32>) -> tensor<144x16xf32>
    %121 = call @_take_6(%71#1, %120) : (tensor<144x1xi32>, tensor<144x16xf32>) -> tensor<144x16xf32>
    %122 = stablehlo.broadcast_in_dim %54#0, dims = [1, 2] : (tensor<144x24xf32>) -> tensor<4x144x24xf32>
    %123 = stablehlo.iota dim = 1 : tensor<4x144x24xi32>
    %124 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_25 = stablehlo.constant dense<0> : tensor<i32>
    %125 = stablehlo.broadcast_in_dim %c_25, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %126 = stablehlo.slice %125 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %127 = stablehlo.slice %124 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %128 = stablehlo.concatenate %126, %127, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %129 = stablehlo.broadcast_in_dim %124, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %130 = stablehlo.broadcast_in_dim %128, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %131 = stablehlo.compare LE, %130, %123, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %132 = stablehlo.compare LT, %123, %129, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %133 = stablehlo.and %131, %132 : tensor<4x144x24xi1>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x144x24xf32>
    %135 = stablehlo.select %133, %122, %134 : tensor<4x144x24xi1>, tensor<4x144x24xf32>
    %136 = stablehlo.broadcast_in_dim %121, dims = [1, 2] : (tensor<144x16xf32>) -> tensor<4x144x16xf32>
    %137 = stablehlo.iota dim = 1 : tensor<4x144x16xi32>
    %138 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %139 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %140 = stablehlo.slice %139 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %141 = stablehlo.slice %138 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %142 = stablehlo.concatenate %140, %141, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %143 = stablehlo.broadcast_in_dim %138, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %144 = stablehlo.broadcast_in_dim %142, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %145 = stablehlo.compare LE, %144, %137, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %146 = stablehlo.compare LT, %137, %143, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %147 = stablehlo.and %145, %146 : tensor<4x144x16xi1>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4x144x16xf32>
    %149 = stablehlo.select %147, %136, %148 : tensor<4x144x16xi1>, tensor<4x144x16xf32>
    %150 = stablehlo.dot_general %135, %149, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x144x24xf32>, tensor<4x144x16xf32>) -> tensor<4x24x16xf32>
    %151 = stablehlo.broadcast_in_dim %121, dims = [1, 2] : (tensor<144x16xf32>) -> tensor<4x144x16xf32>
    %152 = stablehlo.iota dim = 1 : tensor<4x144x16xi32>
    %153 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_29 = stablehlo.constant dense<0> : tensor<i32>
    %154 = stablehlo.broadcast_in_dim %c_29, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %155 = stablehlo.slice %154 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %156 = stablehlo.slice %153 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %157 = stablehlo.concatenate %155, %156, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %158 = stablehlo.broadcast_in_dim %153, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %159 = stablehlo.broadcast_in_dim %157, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %160 = stablehlo.compare LE, %159, %152, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %161 = stablehlo.compare LT, %152, %158, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %162 = stablehlo.and %160, %161 : tensor<4x144x16xi1>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4x144x16xf32>
    %164 = stablehlo.select %162, %151, %163 : tensor<4x144x16xi1>, tensor<4x144x16xf32>
    %165 = stablehlo.dot_general %164, %arg1, contracting_dims = [2, 0] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x144x16xf32>, tensor<4x24x16xf32>) -> tensor<144x24xf32>
    %166 = call @silu_7(%54#1, %54#2, %53, %165) : (tensor<144x24xf32>, tensor<144x24xf32>, tensor<144x24xf32>, tensor<144x24xf32>) -> tensor<144x24xf32>
    %167 = stablehlo.broadcast_in_dim %38#0, dims = [1, 2] : (tensor<144x16xf32>) -> tensor<4x144x16xf32>
    %168 = stablehlo.iota dim = 1 : tensor<4x144x16xi32>
    %169 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %170 = stablehlo.broadcast_in_dim %c_31, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %171 = stablehlo.slice %170 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %172 = stablehlo.slice %169 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %173 = stablehlo.concatenate %171, %172, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %174 = stablehlo.broadcast_in_dim %169, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %175 = stablehlo.broadcast_in_dim %173, dims = [0] : (tensor<4xi32>) -> tensor<4x144x16xi32>
    %176 = stablehlo.compare LE, %175, %168, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %177 = stablehlo.compare LT, %168, %174, SIGNED : (tensor<4x144x16xi32>, tensor<4x144x16xi32>) -> tensor<4x144x16xi1>
    %178 = stablehlo.and %176, %177 : tensor<4x144x16xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4x144x16xf32>
    %180 = stablehlo.select %178, %167, %179 : tensor<4x144x16xi1>, tensor<4x144x16xf32>
    %181 = stablehlo.broadcast_in_dim %166, dims = [1, 2] : (tensor<144x24xf32>) -> tensor<4x144x24xf32>
    %182 = stablehlo.iota dim = 1 : tensor<4x144x24xi32>
    %183 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %184 = stablehlo.broadcast_in_dim %c_33, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %185 = stablehlo.slice %184 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %186 = stablehlo.slice %183 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %187 = stablehlo.concatenate %185, %186, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %188 = stablehlo.broadcast_in_dim %183, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %189 = stablehlo.broadcast_in_dim %187, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %190 = stablehlo.compare LE, %189, %182, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %191 = stablehlo.compare LT, %182, %188, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %192 = stablehlo.and %190, %191 : tensor<4x144x24xi1>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4x144x24xf32>
    %194 = stablehlo.select %192, %181, %193 : tensor<4x144x24xi1>, tensor<4x144x24xf32>
    %195 = stablehlo.dot_general %180, %194, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x144x16xf32>, tensor<4x144x24xf32>) -> tensor<4x16x24xf32>
    %196 = stablehlo.broadcast_in_dim %166, dims = [1, 2] : (tensor<144x24xf32>) -> tensor<4x144x24xf32>
    %197 = stablehlo.iota dim = 1 : tensor<4x144x24xi32>
    %198 = call @cumsum(%36) : (tensor<4xi32>) -> tensor<4xi32>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %199 = stablehlo.broadcast_in_dim %c_35, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %200 = stablehlo.slice %199 [0:1] : (tensor<4xi32>) -> tensor<1xi32>
    %201 = stablehlo.slice %198 [0:3] : (tensor<4xi32>) -> tensor<3xi32>
    %202 = stablehlo.concatenate %200, %201, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
    %203 = stablehlo.broadcast_in_dim %198, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %204 = stablehlo.broadcast_in_dim %202, dims = [0] : (tensor<4xi32>) -> tensor<4x144x24xi32>
    %205 = stablehlo.compare LE, %204, %197, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %206 = stablehlo.compare LT, %197, %203, SIGNED : (tensor<4x144x24xi32>, tensor<4x144x24xi32>) -> tensor<4x144x24xi1>
    %207 = stablehlo.and %205, %206 : tensor<4x144x24xi1>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4x144x24xf32>
    %209 = stablehlo.select %207, %196, %208 : tensor<4x144x24xi1>, tensor<4x144x24xf32>
    %210 = stablehlo.dot_general %209, %arg2, contracting_dims = [2, 0] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<4x144x24xf32>, tensor<4x16x24xf32>) -> tensor<144x16xf32>
    %211 = call @_take_8(%38#1, %210) : (tensor<144x1xi32>, tensor<144x16xf32>) -> tensor<72x16xf32>
    %212 = stablehlo.add %116, %211 : tensor<72x16xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<72x4xf32>
    %214 = "stablehlo.scatter"(%213, %23, %117) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %363 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %363 : tensor<f32>
    }) : (tensor<72x4xf32>, tensor<72x2x1xi32>, tensor<72x2xf32>) -> tensor<72x4xf32>
    %215 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x4xf32>
    %216 = stablehlo.multiply %214, %215 : tensor<72x4xf32>
    %217 = stablehlo.multiply %216, %15 : tensor<72x4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.reduce(%217 init: %cst_38) applies stablehlo.add across dimensions = [1] : (tensor<72x4xf32>, tensor<f32>) -> tensor<72xf32>
    %219 = stablehlo.reshape %218 : (tensor<72xf32>) -> tensor<72x1xf32>
    %220 = stablehlo.negate %219 : tensor<72x1xf32>
    %221 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x4xf32>
    %222 = stablehlo.divide %214, %221 : tensor<72x4xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%220 init: %cst_39) applies stablehlo.add across dimensions = [1] : (tensor<72x1xf32>, tensor<f32>) -> tensor<72xf32>
    %224 = stablehlo.broadcast_in_dim %223, dims = [0] : (tensor<72xf32>) -> tensor<72x4xf32>
    %225 = stablehlo.add %222, %224 : tensor<72x4xf32>
    %226 = stablehlo.multiply %225, %15 : tensor<72x4xf32>
    %227 = stablehlo.dot_general %226, %7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<72x4xf32>, tensor<72x16xf32>) -> tensor<4x16xf32>
    %228 = stablehlo.transpose %227, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %229 = stablehlo.dot_general %226, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<72x4xf32>, tensor<16x4xf32>) -> tensor<72x16xf32>
    %230 = stablehlo.add %212, %229 : tensor<72x16xf32>
    %231 = stablehlo.reshape %230 : (tensor<72x16xf32>) -> tensor<6x12x16xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %233 = "stablehlo.scatter"(%232, %5, %231) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %363 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %363 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %235 = stablehlo.multiply %234, %233 : tensor<60x16xf32>
    %cst_42 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %237 = stablehlo.multiply %236, %arg6 : tensor<60x16xf32>
    %238 = stablehlo.add %235, %237 : tensor<60x16xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %240 = stablehlo.multiply %239, %150 : tensor<4x24x16xf32>
    %cst_44 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %242 = stablehlo.multiply %241, %arg7 : tensor<4x24x16xf32>
    %243 = stablehlo.add %240, %242 : tensor<4x24x16xf32>
    %cst_45 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %245 = stablehlo.multiply %244, %195 : tensor<4x16x24xf32>
    %cst_46 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %247 = stablehlo.multiply %246, %arg8 : tensor<4x16x24xf32>
    %248 = stablehlo.add %245, %247 : tensor<4x16x24xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %250 = stablehlo.multiply %249, %228 : tensor<16x4xf32>
    %cst_48 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %251 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %252 = stablehlo.multiply %251, %arg9 : tensor<16x4xf32>
    %253 = stablehlo.add %250, %252 : tensor<16x4xf32>
    %cst_49 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %255 = stablehlo.multiply %254, %114 : tensor<16x60xf32>
    %cst_50 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %257 = stablehlo.multiply %256, %arg10 : tensor<16x60xf32>
    %258 = stablehlo.add %255, %257 : tensor<16x60xf32>
    %259 = stablehlo.multiply %233, %233 : tensor<60x16xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %261 = stablehlo.multiply %260, %259 : tensor<60x16xf32>
    %cst_52 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %262 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %263 = stablehlo.multiply %262, %arg11 : tensor<60x16xf32>
    %264 = stablehlo.add %261, %263 : tensor<60x16xf32>
    %265 = stablehlo.multiply %150, %150 : tensor<4x24x16xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %266 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %267 = stablehlo.multiply %266, %265 : tensor<4x24x16xf32>
    %cst_54 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %269 = stablehlo.multiply %268, %arg12 : tensor<4x24x16xf32>
    %270 = stablehlo.add %267, %269 : tensor<4x24x16xf32>
    %271 = stablehlo.multiply %195, %195 : tensor<4x16x24xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %273 = stablehlo.multiply %272, %271 : tensor<4x16x24xf32>
    %cst_56 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %274 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %275 = stablehlo.multiply %274, %arg13 : tensor<4x16x24xf32>
    %276 = stablehlo.add %273, %275 : tensor<4x16x24xf32>
    %277 = stablehlo.multiply %228, %228 : tensor<16x4xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %278 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %279 = stablehlo.multiply %278, %277 : tensor<16x4xf32>
    %cst_58 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %281 = stablehlo.multiply %280, %arg14 : tensor<16x4xf32>
    %282 = stablehlo.add %279, %281 : tensor<16x4xf32>
    %283 = stablehlo.multiply %114, %114 : tensor<16x60xf32>
    %cst_59 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %285 = stablehlo.multiply %284, %283 : tensor<16x60xf32>
    %cst_60 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %286 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %287 = stablehlo.multiply %286, %arg15 : tensor<16x60xf32>
    %288 = stablehlo.add %285, %287 : tensor<16x60xf32>
    %c_61 = stablehlo.constant dense<2147483647> : tensor<i32>
    %289 = stablehlo.compare LT, %arg5, %c_61, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_62 = stablehlo.constant dense<1> : tensor<i32>
    %290 = stablehlo.add %arg5, %c_62 : tensor<i32>
    %c_63 = stablehlo.constant dense<2147483647> : tensor<i32>
    %291 = call @_where_9(%289, %290, %c_63) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_64 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %292 = stablehlo.convert %291 : (tensor<i32>) -> tensor<f32>
    %293 = stablehlo.power %cst_64, %292 : tensor<f32>
    %cst_65 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %294 = stablehlo.subtract %cst_65, %293 : tensor<f32>
    %295 = stablehlo.broadcast_in_dim %294, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %296 = stablehlo.divide %238, %295 : tensor<60x16xf32>
    %297 = stablehlo.broadcast_in_dim %294, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %298 = stablehlo.divide %243, %297 : tensor<4x24x16xf32>
    %299 = stablehlo.broadcast_in_dim %294, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %300 = stablehlo.divide %248, %299 : tensor<4x16x24xf32>
    %301 = stablehlo.broadcast_in_dim %294, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %302 = stablehlo.divide %253, %301 : tensor<16x4xf32>
    %303 = stablehlo.broadcast_in_dim %294, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %304 = stablehlo.divide %258, %303 : tensor<16x60xf32>
    %cst_66 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %305 = stablehlo.convert %291 : (tensor<i32>) -> tensor<f32>
    %306 = stablehlo.power %cst_66, %305 : tensor<f32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %307 = stablehlo.subtract %cst_67, %306 : tensor<f32>
    %308 = stablehlo.broadcast_in_dim %307, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %309 = stablehlo.divide %264, %308 : tensor<60x16xf32>
    %310 = stablehlo.broadcast_in_dim %307, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %311 = stablehlo.divide %270, %310 : tensor<4x24x16xf32>
    %312 = stablehlo.broadcast_in_dim %307, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %313 = stablehlo.divide %276, %312 : tensor<4x16x24xf32>
    %314 = stablehlo.broadcast_in_dim %307, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %315 = stablehlo.divide %282, %314 : tensor<16x4xf32>
    %316 = stablehlo.broadcast_in_dim %307, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %317 = stablehlo.divide %288, %316 : tensor<16x60xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %319 = stablehlo.add %309, %318 : tensor<60x16xf32>
    %320 = stablehlo.sqrt %319 : tensor<60x16xf32>
    %cst_69 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %321 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %322 = stablehlo.add %320, %321 : tensor<60x16xf32>
    %323 = stablehlo.divide %296, %322 : tensor<60x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %325 = stablehlo.add %311, %324 : tensor<4x24x16xf32>
    %326 = stablehlo.sqrt %325 : tensor<4x24x16xf32>
    %cst_71 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %327 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %328 = stablehlo.add %326, %327 : tensor<4x24x16xf32>
    %329 = stablehlo.divide %298, %328 : tensor<4x24x16xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %331 = stablehlo.add %313, %330 : tensor<4x16x24xf32>
    %332 = stablehlo.sqrt %331 : tensor<4x16x24xf32>
    %cst_73 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %333 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %334 = stablehlo.add %332, %333 : tensor<4x16x24xf32>
    %335 = stablehlo.divide %300, %334 : tensor<4x16x24xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %337 = stablehlo.add %315, %336 : tensor<16x4xf32>
    %338 = stablehlo.sqrt %337 : tensor<16x4xf32>
    %cst_75 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %339 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %340 = stablehlo.add %338, %339 : tensor<16x4xf32>
    %341 = stablehlo.divide %302, %340 : tensor<16x4xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %343 = stablehlo.add %317, %342 : tensor<16x60xf32>
    %344 = stablehlo.sqrt %343 : tensor<16x60xf32>
    %cst_77 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %345 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %346 = stablehlo.add %344, %345 : tensor<16x60xf32>
    %347 = stablehlo.divide %304, %346 : tensor<16x60xf32>
    %cst_78 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %348 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %349 = stablehlo.multiply %348, %323 : tensor<60x16xf32>
    %cst_79 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<4x24x16xf32>
    %351 = stablehlo.multiply %350, %329 : tensor<4x24x16xf32>
    %cst_80 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<4x16x24xf32>
    %353 = stablehlo.multiply %352, %335 : tensor<4x16x24xf32>
    %cst_81 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %354 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %355 = stablehlo.multiply %354, %341 : tensor<16x4xf32>
    %cst_82 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %357 = stablehlo.multiply %356, %347 : tensor<16x60xf32>
    %358 = stablehlo.add %arg0, %349 : tensor<60x16xf32>
    %359 = stablehlo.add %arg1, %351 : tensor<4x24x16xf32>
    %360 = stablehlo.add %arg2, %353 : tensor<4x16x24xf32>
    %361 = stablehlo.add %arg3, %355 : tensor<16x4xf32>
    %362 = stablehlo.add %arg4, %357 : tensor<16x60xf32>
    return %358, %359, %360, %361, %362, %291, %238, %243, %248, %253, %258, %264, %270, %276, %282, %288, %98 : tensor<60x16xf32>, tensor<4x24x16xf32>, tensor<4x16x24xf32>, tensor<16x4xf32>, tensor<16x60xf32>, tensor<i32>, tensor<60x16xf32>, tensor<4x24x16xf32>, tensor<4x16x24xf32>, tensor<16x4xf32>, tensor<16x60xf32>, tensor<60x16xf32>, tensor<4x24x16xf32>, tensor<4x16x24xf32>, tensor<16x4xf32>, tensor<16x60xf32>, tensor<f32>
  }
  func.func private @argsort(%arg0: tensor<144xi32>) -> tensor<144xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<144xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<144xi32>, tensor<144xi32>) -> (tensor<144xi32>, tensor<144xi32>)
    return %1#1 : tensor<144xi32>
  }
  func.func private @clip(%arg0: tensor<144xi32>, %arg1: tensor<i32>) -> tensor<144xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<144xi32>
    return %2 : tensor<144xi32>
  }
  func.func private @floor_divide(%arg0: tensor<144xi32>, %arg1: tensor<i32>) -> tensor<144xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %2 = stablehlo.divide %arg0, %1 : tensor<144xi32>
    %3 = stablehlo.sign %arg0 : tensor<144xi32>
    %4 = stablehlo.sign %0 : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<144xi32>, tensor<144xi32>) -> tensor<144xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %8 = stablehlo.remainder %arg0, %7 : tensor<144xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<144xi32>, tensor<144xi32>) -> tensor<144xi1>
    %11 = stablehlo.and %6, %10 : tensor<144xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %13 = stablehlo.subtract %2, %12 : tensor<144xi32>
    %14 = call @_where(%11, %13, %2) : (tensor<144xi1>, tensor<144xi32>, tensor<144xi32>) -> tensor<144xi32>
    return %14 : tensor<144xi32>
  }
  func.func private @_where(%arg0: tensor<144xi1>, %arg1: tensor<144xi32>, %arg2: tensor<144xi32>) -> tensor<144xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<144xi1>, tensor<144xi32>
    return %0 : tensor<144xi32>
  }
  func.func private @_take(%arg0: tensor<72x16xf32>, %arg1: tensor<144xi32>) -> (tensor<144x16xf32>, tensor<144x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<144xi32>, tensor<144xi32>) -> tensor<144xi1>
    %c_0 = stablehlo.constant dense<72> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<144xi32>
    %4 = call @_where_0(%1, %3, %arg1) : (tensor<144xi1>, tensor<144xi32>, tensor<144xi32>) -> tensor<144xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<144xi32>) -> tensor<144x1xi32>
    %c_1 = stablehlo.constant dense<71> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<144x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<144x1xi32>, tensor<144x1xi32>) -> tensor<144x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<144x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<144x1xi32>, tensor<144x1xi32>) -> tensor<144x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<144x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<144x1xi1>, tensor<i1>) -> tensor<144xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<72x16xf32>, tensor<144x1xi32>) -> tensor<144x16xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<144xi1>) -> tensor<144x16xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<144x16xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<144x16xi1>, tensor<144x16xf32>
    return %16, %5 : tensor<144x16xf32>, tensor<144x1xi32>
  }
  func.func private @_where_0(%arg0: tensor<144xi1>, %arg1: tensor<144xi32>, %arg2: tensor<144xi32>) -> tensor<144xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<144xi1>, tensor<144xi32>
    return %0 : tensor<144xi32>
  }
  func.func private @cumsum(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }) : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    return %1 : tensor<4xi32>
  }
  func.func private @silu(%arg0: tensor<144x24xf32>) -> (tensor<144x24xf32>, tensor<144x24xf32>, tensor<144x24xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<144x24xf32>
    %1 = stablehlo.exponential %0 : tensor<144x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<144x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<144x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<144x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<144x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<144x24xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<144x24xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<144x24xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<144x24xf32>
    return %9, %8, %5 : tensor<144x24xf32>, tensor<144x24xf32>, tensor<144x24xf32>
  }
  func.func private @_take_1(%arg0: tensor<144x16xf32>, %arg1: tensor<144xi32>) -> (tensor<144x16xf32>, tensor<144x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<144xi32>, tensor<144xi32>) -> tensor<144xi1>
    %c_0 = stablehlo.constant dense<144> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<144xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<144xi32>
    %4 = call @_where_0(%1, %3, %arg1) : (tensor<144xi1>, tensor<144xi32>, tensor<144xi32>) -> tensor<144xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<144xi32>) -> tensor<144x1xi32>
    %c_1 = stablehlo.constant dense<143> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<144x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<144x1xi32>, tensor<144x1xi32>) -> tensor<144x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<144x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<144x1xi32>, tensor<144x1xi32>) -> tensor<144x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<144x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<144x1xi1>, tensor<i1>) -> tensor<144xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<144x16xf32>, tensor<144x1xi32>) -> tensor<144x16xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<144xi1>) -> tensor<144x16xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<144x16xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<144x16xi1>, tensor<144x16xf32>
    return %16, %5 : tensor<144x16xf32>, tensor<144x1xi32>
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
  func.func private @_take_2(%arg0: tensor<6x12x1xf32>, %arg1: tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_3(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_4(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_5(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
  func.func private @_take_6(%arg0: tensor<144x1xi32>, %arg1: tensor<144x16xf32>) -> tensor<144x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<144x16xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<144x16xf32>, tensor<144x1xi32>, tensor<144x16xf32>) -> tensor<144x16xf32>
    return %1 : tensor<144x16xf32>
  }
  func.func private @silu_7(%arg0: tensor<144x24xf32>, %arg1: tensor<144x24xf32>, %arg2: tensor<144x24xf32>, %arg3: tensor<144x24xf32>) -> tensor<144x24xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<144x24xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<144x24xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<144x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<144x24xf32>
    return %3 : tensor<144x24xf32>
  }
  func.func private @_take_8(%arg0: tensor<144x1xi32>, %arg1: tensor<144x16xf32>) -> tensor<72x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<72x16xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<72x16xf32>, tensor<144x1xi32>, tensor<144x16xf32>) -> tensor<72x16xf32>
    return %1 : tensor<72x16xf32>
  }
  func.func private @_where_9(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
