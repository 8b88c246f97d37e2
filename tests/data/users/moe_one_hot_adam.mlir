module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<6x24x16xf32>, %arg2: tensor<6x16x24xf32>, %arg3: tensor<16x6xf32>, %arg4: tensor<16x60xf32>, %arg5: tensor<i32>, %arg6: tensor<60x16xf32>, %arg7: tensor<6x24x16xf32>, %arg8: tensor<6x16x24xf32>, %arg9: tensor<16x6xf32>, %arg10: tensor<16x60xf32>, %arg11: tensor<60x16xf32>, %arg12: tensor<6x24x16xf32>, %arg13: tensor<6x16x24xf32>, %arg14: tensor<16x6xf32>, %arg15: tensor<16x60xf32>, %arg16: tensor<6x12xi32>, %arg17: tensor<6x12xi32>) -> (tensor<60x16xf32> {jax.result_info = "result[0]['embed']"}, tensor<6x24x16xf32> {jax.result_info = "result[0]['experts']['down']"}, tensor<6x16x24xf32> {jax.result_info = "result[0]['experts']['up']"}, tensor<16x6xf32> {jax.result_info = "result[0]['gate']"}, tensor<16x60xf32> {jax.result_info = "result[0]['head']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<60x16xf32> {jax.result_info = "result[1][0].mu['embed']"}, tensor<6x24x16xf32> {jax.result_info = "result[1][0].mu['experts']['down']"}, tensor<6x16x24xf32> {jax.result_info = "result[1][0].mu['experts']['up']"}, tensor<16x6xf32> {jax.result_info = "result[1][0].mu['gate']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].mu['head']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].nu['embed']"}, tensor<6x24x16xf32> {jax.result_info = "result[1][0].nu['experts']['down']"}, tensor<6x16x24xf32> {jax.result_info = "result[1][0].nu['experts']['up']"}, tensor<16x6xf32> {jax.result_info = "result[1][0].nu['gate']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].nu['head']"}, tensor<f32> {jax.result_info = "result[2]"}) {
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
    %8 = stablehlo.dot_general %7, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<72x16xf32>, tensor<16x6xf32>) -> tensor<72x6xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<72x6xf32>, tensor<f32>) -> tensor<72xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<72xf32>
    %11 = stablehlo.maximum %10, %9 : tensor<72xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<72xf32>) -> tensor<72x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x6xf32>
    %14 = stablehlo.subtract %8, %13 : tensor<72x6xf32>
    %15 = stablehlo.exponential %14 : tensor<72x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<72x6xf32>, tensor<f32>) -> tensor<72xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<72xf32>) -> tensor<72x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x6xf32>
    %19 = stablehlo.divide %15, %18 : tensor<72x6xf32>
    %20 = stablehlo.multiply %17, %17 : tensor<72x1xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<72x1xf32>
    %22 = stablehlo.divide %21, %20 : tensor<72x1xf32>
    %values, %indices = chlo.top_k(%19, k = 2) : tensor<72x6xf32> -> (tensor<72x2xf32>, tensor<72x2xi32>)
    %23 = stablehlo.reshape %indices : (tensor<72x2xi32>) -> tensor<72x2x1xi32>
    %24 = call @_one_hot(%indices) : (tensor<72x2xi32>) -> tensor<72x2x6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<72x2x6xf32>, tensor<f32>) -> tensor<72x6xf32>
    %26 = stablehlo.dot_general %7, %25, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<72x16xf32>, tensor<72x6xf32>) -> tensor<72x16x6xf32>
    %27 = stablehlo.transpose %26, dims = [2, 0, 1] : (tensor<72x16x6xf32>) -> tensor<6x72x16xf32>
    %28 = stablehlo.dot_general %27, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x72x16xf32>, tensor<6x16x24xf32>) -> tensor<6x72x24xf32>
    %29 = stablehlo.multiply %28, %28 : tensor<6x72x24xf32>
    %30 = stablehlo.multiply %29, %28 : tensor<6x72x24xf32>
    %31 = stablehlo.multiply %28, %28 : tensor<6x72x24xf32>
    %cst_5 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %33 = stablehlo.multiply %32, %31 : tensor<6x72x24xf32>
    %cst_6 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %35 = stablehlo.multiply %34, %30 : tensor<6x72x24xf32>
    %36 = stablehlo.add %28, %35 : tensor<6x72x24xf32>
    %cst_7 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<6x72x24xf32>
    %39 = stablehlo.tanh %38 : tensor<6x72x24xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %41 = stablehlo.subtract %40, %39 : tensor<6x72x24xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %43 = stablehlo.add %42, %39 : tensor<6x72x24xf32>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %45 = stablehlo.multiply %44, %43 : tensor<6x72x24xf32>
    %46 = stablehlo.multiply %28, %45 : tensor<6x72x24xf32>
    %47 = stablehlo.dot_general %46, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x72x24xf32>, tensor<6x24x16xf32>) -> tensor<6x72x16xf32>
    %48 = stablehlo.dot_general %24, %values, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<72x2x6xf32>, tensor<72x2xf32>) -> tensor<72x6xf32>
    %49 = stablehlo.dot_general %47, %48, batching_dims = [1] x [0], contracting_dims = [0] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x72x16xf32>, tensor<72x6xf32>) -> tensor<72x16xf32>
    %50 = stablehlo.add %7, %49 : tensor<72x16xf32>
    %51 = stablehlo.reshape %50 : (tensor<72x16xf32>) -> tensor<6x12x16xf32>
    %52 = stablehlo.dot_general %51, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %53 = stablehlo.broadcast_in_dim %arg17, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %54:2 = call @take_along_axis(%52, %53) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %55:2 = call @_take(%54#0, %c_11) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %56 = stablehlo.reduce(%52 init: %cst_12) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %58 = stablehlo.maximum %57, %56 : tensor<6x12xf32>
    %59 = stablehlo.is_finite %58 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %61 = stablehlo.select %59, %58, %60 : tensor<6x12xi1>, tensor<6x12xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %64 = stablehlo.subtract %52, %63 : tensor<6x12x60xf32>
    %65 = stablehlo.exponential %64 : tensor<6x12x60xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%65 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %67 = stablehlo.abs %66 : tensor<6x12xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %69 = stablehlo.compare GE, %66, %68, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %70 = stablehlo.log %67 : tensor<6x12xf32>
    %71 = stablehlo.add %70, %61 : tensor<6x12xf32>
    %72 = stablehlo.subtract %71, %55#0 : tensor<6x12xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %73 = stablehlo.reduce(%72 init: %cst_17) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %74 = stablehlo.divide %73, %cst_18 : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_20 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %75 = stablehlo.divide %cst_19, %cst_20 : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %77 = stablehlo.negate %76 : tensor<6x12xf32>
    %78 = stablehlo.divide %76, %67 : tensor<6x12xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %80 = stablehlo.select %69, %79, %78 : tensor<6x12xi1>, tensor<6x12xf32>
    %81 = stablehlo.select %69, %78, %79 : tensor<6x12xi1>, tensor<6x12xf32>
    %82 = stablehlo.negate %80 : tensor<6x12xf32>
    %83 = stablehlo.add %81, %82 : tensor<6x12xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %85 = stablehlo.multiply %84, %65 : tensor<6x12x60xf32>
    %86 = call @_take_0(%55#1, %77) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %87 = call @take_along_axis_1(%54#1, %86) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %88 = stablehlo.add %85, %87 : tensor<6x12x60xf32>
    %89 = stablehlo.dot_general %88, %51, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %90 = stablehlo.transpose %89, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %91 = stablehlo.dot_general %88, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %92 = stablehlo.reshape %91 : (tensor<6x12x16xf32>) -> tensor<72x16xf32>
    %93 = stablehlo.dot_general %92, %47, batching_dims = [0] x [1], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<72x16xf32>, tensor<6x72x16xf32>) -> tensor<72x6xf32>
    %94 = stablehlo.dot_general %92, %48, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<72x16xf32>, tensor<72x6xf32>) -> tensor<72x16x6xf32>
    %95 = stablehlo.transpose %94, dims = [2, 0, 1] : (tensor<72x16x6xf32>) -> tensor<6x72x16xf32>
    %96 = stablehlo.dot_general %93, %24, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<72x6xf32>, tensor<72x2x6xf32>) -> tensor<72x2xf32>
    %97 = stablehlo.dot_general %95, %46, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x72x16xf32>, tensor<6x72x24xf32>) -> tensor<6x16x24xf32>
    %98 = stablehlo.transpose %97, dims = [0, 2, 1] : (tensor<6x16x24xf32>) -> tensor<6x24x16xf32>
    %99 = stablehlo.dot_general %95, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x72x16xf32>, tensor<6x24x16xf32>) -> tensor<6x72x24xf32>
    %100 = stablehlo.multiply %28, %99 : tensor<6x72x24xf32>
    %101 = stablehlo.multiply %99, %45 : tensor<6x72x24xf32>
    %cst_22 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %103 = stablehlo.multiply %102, %100 : tensor<6x72x24xf32>
    %104 = stablehlo.multiply %103, %41 : tensor<6x72x24xf32>
    %105 = stablehlo.multiply %104, %39 : tensor<6x72x24xf32>
    %106 = stablehlo.add %104, %105 : tensor<6x72x24xf32>
    %cst_23 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %108 = stablehlo.multiply %107, %106 : tensor<6x72x24xf32>
    %109 = stablehlo.add %101, %108 : tensor<6x72x24xf32>
    %cst_24 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x72x24xf32>
    %111 = stablehlo.multiply %110, %108 : tensor<6x72x24xf32>
    %112 = stablehlo.multiply %111, %33 : tensor<6x72x24xf32>
    %113 = stablehlo.add %109, %112 : tensor<6x72x24xf32>
    %114 = stablehlo.dot_general %113, %27, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x72x24xf32>, tensor<6x72x16xf32>) -> tensor<6x24x16xf32>
    %115 = stablehlo.transpose %114, dims = [0, 2, 1] : (tensor<6x24x16xf32>) -> tensor<6x16x24xf32>
    %116 = stablehlo.dot_general %113, %arg2, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x72x24xf32>, tensor<6x16x24xf32>) -> tensor<6x72x16xf32>
    %117 = stablehlo.transpose %116, dims = [1, 2, 0] : (tensor<6x72x16xf32>) -> tensor<72x16x6xf32>
    %118 = stablehlo.dot_general %117, %25, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<72x16x6xf32>, tensor<72x6xf32>) -> tensor<72x16xf32>
    %119 = stablehlo.add %92, %118 : tensor<72x16xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<72x6xf32>
    %121 = "stablehlo.scatter"(%120, %23, %96) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %270 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %270 : tensor<f32>
    }) : (tensor<72x6xf32>, tensor<72x2x1xi32>, tensor<72x2xf32>) -> tensor<72x6xf32>
    %122 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x6xf32>
    %123 = stablehlo.multiply %121, %122 : tensor<72x6xf32>
    %124 = stablehlo.multiply %123, %15 : tensor<72x6xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_26) applies stablehlo.add across dimensions = [1] : (tensor<72x6xf32>, tensor<f32>) -> tensor<72xf32>
    %126 = stablehlo.reshape %125 : (tensor<72xf32>) -> tensor<72x1xf32>
    %127 = stablehlo.negate %126 : tensor<72x1xf32>
    %128 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<72x1xf32>) -> tensor<72x6xf32>
    %129 = stablehlo.divide %121, %128 : tensor<72x6xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%127 init: %cst_27) applies stablehlo.add across dimensions = [1] : (tensor<72x1xf32>, tensor<f32>) -> tensor<72xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0] : (tensor<72xf32>) -> tensor<72x6xf32>
    %132 = stablehlo.add %129, %131 : tensor<72x6xf32>
    %133 = stablehlo.multiply %132, %15 : tensor<72x6xf32>
    %134 = stablehlo.dot_general %133, %7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<72x6xf32>, tensor<72x16xf32>) -> tensor<6x16xf32>
    %135 = stablehlo.transpose %134, dims = [1, 0] : (tensor<6x16xf32>) -> tensor<16x6xf32>
    %136 = stablehlo.dot_general %133, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<72x6xf32>, tensor<16x6xf32>) -> tensor<72x16xf32>
    %137 = stablehlo.add %119, %136 : tensor<72x16xf32>
    %138 = stablehlo.reshape %137 : (tensor<72x16xf32>) -> tensor<6x12x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %140 = "stablehlo.scatter"(%139, %5, %138) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg18: tensor<f32>, %arg19: tensor<f32>):
      %270 = stablehlo.add %arg18, %arg19 : tensor<f32>
      stablehlo.return %270 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %142 = stablehlo.multiply %141, %140 : tensor<60x16xf32>
    %cst_30 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %144 = stablehlo.multiply %143, %arg6 : tensor<60x16xf32>
    %145 = stablehlo.add %142, %144 : tensor<60x16xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %147 = stablehlo.multiply %146, %98 : tensor<6x24x16xf32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %149 = stablehlo.multiply %148, %arg7 : tensor<6x24x16xf32>
    %150 = stablehlo.add %147, %149 : tensor<6x24x16xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %152 = stablehlo.multiply %151, %115 : tensor<6x16x24xf32>
    %cst_34 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %154 = stablehlo.multiply %153, %arg8 : tensor<6x16x24xf32>
    %155 = stablehlo.add %152, %154 : tensor<6x16x24xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %157 = stablehlo.multiply %156, %135 : tensor<16x6xf32>
    %cst_36 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %159 = stablehlo.multiply %158, %arg9 : tensor<16x6xf32>
    %160 = stablehlo.add %157, %159 : tensor<16x6xf32>
    %cst_37 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %162 = stablehlo.multiply %161, %90 : tensor<16x60xf32>
    %cst_38 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %164 = stablehlo.multiply %163, %arg10 : tensor<16x60xf32>
    %165 = stablehlo.add %162, %164 : tensor<16x60xf32>
    %166 = stablehlo.multiply %140, %140 : tensor<60x16xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %168 = stablehlo.multiply %167, %166 : tensor<60x16xf32>
    %cst_40 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %170 = stablehlo.multiply %169, %arg11 : tensor<60x16xf32>
    %171 = stablehlo.add %168, %170 : tensor<60x16xf32>
    %172 = stablehlo.multiply %98, %98 : tensor<6x24x16xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %174 = stablehlo.multiply %173, %172 : tensor<6x24x16xf32>
    %cst_42 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %176 = stablehlo.multiply %175, %arg12 : tensor<6x24x16xf32>
    %177 = stablehlo.add %174, %176 : tensor<6x24x16xf32>
    %178 = stablehlo.multiply %115, %115 : tensor<6x16x24xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %180 = stablehlo.multiply %179, %178 : tensor<6x16x24xf32>
    %cst_44 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %182 = stablehlo.multiply %181, %arg13 : tensor<6x16x24xf32>
    %183 = stablehlo.add %180, %182 : tensor<6x16x24xf32>
    %184 = stablehlo.multiply %135, %135 : tensor<16x6xf32>
    %cst_45 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %186 = stablehlo.multiply %185, %184 : tensor<16x6xf32>
    %cst_46 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %188 = stablehlo.multiply %187, %arg14 : tensor<16x6xf32>
    %189 = stablehlo.add %186, %188 : tensor<16x6xf32>
    %190 = stablehlo.multiply %90, %90 : tensor<16x60xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %192 = stablehlo.multiply %191, %190 : tensor<16x60xf32>
    %cst_48 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %193 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %194 = stablehlo.multiply %193, %arg15 : tensor<16x60xf32>
    %195 = stablehlo.add %192, %194 : tensor<16x60xf32>
    %c_49 = stablehlo.constant dense<2147483647> : tensor<i32>
    %196 = stablehlo.compare LT, %arg5, %c_49, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_50 = stablehlo.constant dense<1> : tensor<i32>
    %197 = stablehlo.add %arg5, %c_50 : tensor<i32>
    %c_51 = stablehlo.constant dense<2147483647> : tensor<i32>
    %198 = call @_where_2(%196, %197, %c_51) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_52 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %199 = stablehlo.convert %198 : (tensor<i32>) -> tensor<f32>
    %200 = stablehlo.power %cst_52, %199 : tensor<f32>
    %cst_53 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %201 = stablehlo.subtract %cst_53, %200 : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %203 = stablehlo.divide %145, %202 : tensor<60x16xf32>
    %204 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %205 = stablehlo.divide %150, %204 : tensor<6x24x16xf32>
    %206 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %207 = stablehlo.divide %155, %206 : tensor<6x16x24xf32>
    %208 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %209 = stablehlo.divide %160, %208 : tensor<16x6xf32>
    %210 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %211 = stablehlo.divide %165, %210 : tensor<16x60xf32>
    %cst_54 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %212 = stablehlo.convert %198 : (tensor<i32>) -> tensor<f32>
    %213 = stablehlo.power %cst_54, %212 : tensor<f32>
    %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %214 = stablehlo.subtract %cst_55, %213 : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %216 = stablehlo.divide %171, %215 : tensor<60x16xf32>
    %217 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %218 = stablehlo.divide %177, %217 : tensor<6x24x16xf32>
    %219 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %220 = stablehlo.divide %183, %219 : tensor<6x16x24xf32>
    %221 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %222 = stablehlo.divide %189, %221 : tensor<16x6xf32>
    %223 = stablehlo.broadcast_in_dim %214, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %224 = stablehlo.divide %195, %223 : tensor<16x60xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %226 = stablehlo.add %216, %225 : tensor<60x16xf32>
    %227 = stablehlo.sqrt %226 : tensor<60x16xf32>
    %cst_57 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %229 = stablehlo.add %227, %228 : tensor<60x16xf32>
    %230 = stablehlo.divide %203, %229 : tensor<60x16xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %232 = stablehlo.add %218, %231 : tensor<6x24x16xf32>
    %233 = stablehlo.sqrt %232 : tensor<6x24x16xf32>
    %cst_59 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %235 = stablehlo.add %233, %234 : tensor<6x24x16xf32>
    %236 = stablehlo.divide %205, %235 : tensor<6x24x16xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %238 = stablehlo.add %220, %237 : tensor<6x16x24xf32>
    %239 = stablehlo.sqrt %238 : tensor<6x16x24xf32>
    %cst_61 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %241 = stablehlo.add %239, %240 : tensor<6x16x24xf32>
    %242 = stablehlo.divide %207, %241 : tensor<6x16x24xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %244 = stablehlo.add %222, %243 : tensor<16x6xf32>
    %245 = stablehlo.sqrt %244 : tensor<16x6xf32>
    %cst_63 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %247 = stablehlo.add %245, %246 : tensor<16x6xf32>
    %248 = stablehlo.divide %209, %247 : tensor<16x6xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %250 = stablehlo.add %224, %249 : tensor<16x60xf32>
    %251 = stablehlo.sqrt %250 : tensor<16x60xf32>
    %cst_65 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %253 = stablehlo.add %251, %252 : tensor<16x60xf32>
    %254 = stablehlo.divide %211, %253 : tensor<16x60xf32>
    %cst_66 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %256 = stablehlo.multiply %255, %230 : tensor<60x16xf32>
    %cst_67 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %257 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<6x24x16xf32>
    %258 = stablehlo.multiply %257, %236 : tensor<6x24x16xf32>
    %cst_68 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %259 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<6x16x24xf32>
    %260 = stablehlo.multiply %259, %242 : tensor<6x16x24xf32>
    %cst_69 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %262 = stablehlo.multiply %261, %248 : tensor<16x6xf32>
    %cst_70 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %263 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %264 = stablehlo.multiply %263, %254 : tensor<16x60xf32>
    %265 = stablehlo.add %arg0, %256 : tensor<60x16xf32>
    %266 = stablehlo.add %arg1, %258 : tensor<6x24x16xf32>
    %267 = stablehlo.add %arg2, %260 : tensor<6x16x24xf32>
    %268 = stablehlo.add %arg3, %262 : tensor<16x6xf32>
    %269 = stablehlo.add %arg4, %264 : tensor<16x60xf32>
    return %265, %266, %267, %268, %269, %198, %145, %150, %155, %160, %165, %171, %177, %183, %189, %195, %74 : tensor<60x16xf32>, tensor<6x24x16xf32>, tensor<6x16x24xf32>, tensor<16x6xf32>, tensor<16x60xf32>, tensor<i32>, tensor<60x16xf32>, tensor<6x24x16xf32>, tensor<6x16x24xf32>, tensor<16x6xf32>, tensor<16x60xf32>, tensor<60x16xf32>, tensor<6x24x16xf32>, tensor<6x16x24xf32>, tensor<16x6xf32>, tensor<16x60xf32>, tensor<f32>
  }
  func.func private @_one_hot(%arg0: tensor<72x2xi32>) -> tensor<72x2x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<72x2xi32>) -> tensor<72x2x1xi32>
    %1 = stablehlo.iota dim = 2 : tensor<1x1x6xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<72x2x1xi32>) -> tensor<72x2x6xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x1x6xi32>) -> tensor<72x2x6xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<72x2x6xi32>, tensor<72x2x6xi32>) -> tensor<72x2x6xi1>
    %5 = stablehlo.convert %4 : (tensor<72x2x6xi1>) -> tensor<72x2x6xf32>
    return %5 : tensor<72x2x6xf32>
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
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
