module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x3xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<6x4x16xf32>, %arg9: tensor<16x72xf32>, %arg10: tensor<72xf32>, %arg11: tensor<24xf32>, %arg12: tensor<16x24xf32>, %arg13: tensor<16xf32>, %arg14: tensor<24x16xf32>, %arg15: tensor<16xf32>, %arg16: tensor<16xf32>, %arg17: tensor<16xf32>, %arg18: tensor<16xf32>, %arg19: tensor<6x4x16xf32>, %arg20: tensor<16x72xf32>, %arg21: tensor<72xf32>, %arg22: tensor<24xf32>, %arg23: tensor<16x24xf32>, %arg24: tensor<12x16xf32>, %arg25: tensor<6x12xi32>, %arg26: tensor<6x12xi1>, %arg27: tensor<6xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<16x3xf32> {jax.result_info = "result[1]['head']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['down']['b']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['down']['w']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm2']['scale']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['layers'][0]['out']"}, tensor<16x72xf32> {jax.result_info = "result[1]['layers'][0]['qkv']"}, tensor<72xf32> {jax.result_info = "result[1]['layers'][0]['qkv_bias']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][0]['up']['b']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['up']['w']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['down']['b']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['down']['w']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm2']['scale']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['layers'][1]['out']"}, tensor<16x72xf32> {jax.result_info = "result[1]['layers'][1]['qkv']"}, tensor<72xf32> {jax.result_info = "result[1]['layers'][1]['qkv_bias']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][1]['up']['b']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['up']['w']"}, tensor<12x16xf32> {jax.result_info = "result[1]['positions']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg25, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg25, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg25 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.broadcast_in_dim %arg24, dims = [1, 2] : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x12x16xf32>) -> tensor<6x12x16xf32>
    %9 = stablehlo.add %6, %8 : tensor<6x12x16xf32>
    %10 = stablehlo.dot_general %9, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x72xf32>) -> tensor<6x12x72xf32>
    %11 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<72xf32>) -> tensor<1x1x72xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<1x1x72xf32>) -> tensor<6x12x72xf32>
    %13 = stablehlo.add %10, %12 : tensor<6x12x72xf32>
    %14 = stablehlo.slice %13 [0:6, 0:12, 0:24] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %15 = stablehlo.slice %13 [0:6, 0:12, 24:48] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %16 = stablehlo.slice %13 [0:6, 0:12, 48:72] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %17 = stablehlo.reshape %14 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %18 = stablehlo.reshape %15 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %19 = stablehlo.reshape %16 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %20 = stablehlo.broadcast_in_dim %arg26, dims = [0, 3] : (tensor<6x12xi1>) -> tensor<6x1x1x12xi1>
    %21 = stablehlo.dot_general %17, %18, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %23 = stablehlo.divide %21, %22 : tensor<6x6x12x12xf32>
    %cst_1 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %24:2 = call @_where(%20, %23, %cst_1) : (tensor<6x1x1x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %25 = stablehlo.reduce(%24#0 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %27 = stablehlo.maximum %26, %25 : tensor<6x6x12xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %30 = stablehlo.subtract %24#0, %29 : tensor<6x6x12x12xf32>
    %31 = stablehlo.exponential %30 : tensor<6x6x12x12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %35 = stablehlo.divide %31, %34 : tensor<6x6x12x12xf32>
    %36 = stablehlo.multiply %33, %33 : tensor<6x6x12x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %38 = stablehlo.divide %37, %36 : tensor<6x6x12x1xf32>
    %39 = stablehlo.dot_general %19, %35, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %40 = stablehlo.transpose %39, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %41 = stablehlo.dot_general %40, %arg8, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %42 = stablehlo.add %9, %41 : tensor<6x12x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%42 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_7 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %46 = stablehlo.divide %44, %45 : tensor<6x12x1xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %47:4 = call @_var(%42, %c_8) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %48 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %49 = stablehlo.subtract %42, %48 : tensor<6x12x16xf32>
    %cst_9 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %51 = stablehlo.add %47#0, %50 : tensor<6x12x1xf32>
    %52 = stablehlo.rsqrt %51 : tensor<6x12x1xf32>
    %53 = stablehlo.divide %52, %51 : tensor<6x12x1xf32>
    %cst_10 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %55 = stablehlo.multiply %54, %53 : tensor<6x12x1xf32>
    %56 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %57 = stablehlo.multiply %49, %56 : tensor<6x12x16xf32>
    %58 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %60 = stablehlo.multiply %57, %59 : tensor<6x12x16xf32>
    %61 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %63 = stablehlo.add %60, %62 : tensor<6x12x16xf32>
    %64 = stablehlo.dot_general %63, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %65 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %67 = stablehlo.add %64, %66 : tensor<6x12x24xf32>
    %68 = stablehlo.multiply %67, %67 : tensor<6x12x24xf32>
    %69 = stablehlo.multiply %68, %67 : tensor<6x12x24xf32>
    %70 = stablehlo.multiply %67, %67 : tensor<6x12x24xf32>
    %cst_11 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %72 = stablehlo.multiply %71, %70 : tensor<6x12x24xf32>
    %cst_12 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %74 = stablehlo.multiply %73, %69 : tensor<6x12x24xf32>
    %75 = stablehlo.add %67, %74 : tensor<6x12x24xf32>
    %cst_13 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<6x12x24xf32>
    %78 = stablehlo.tanh %77 : tensor<6x12x24xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %80 = stablehlo.subtract %79, %78 : tensor<6x12x24xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %82 = stablehlo.add %81, %78 : tensor<6x12x24xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %84 = stablehlo.multiply %83, %82 : tensor<6x12x24xf32>
    %85 = stablehlo.multiply %67, %84 : tensor<6x12x24xf32>
    %86 = stablehlo.dot_general %85, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %87 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %89 = stablehlo.add %86, %88 : tensor<6x12x16xf32>
    %90 = stablehlo.add %63, %89 : tensor<6x12x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.reduce(%90 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_18 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %94 = stablehlo.divide %92, %93 : tensor<6x12x1xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %95:4 = call @_var(%90, %c_19) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %96 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %97 = stablehlo.subtract %90, %96 : tensor<6x12x16xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %99 = stablehlo.add %95#0, %98 : tensor<6x12x1xf32>
    %100 = stablehlo.rsqrt %99 : tensor<6x12x1xf32>
    %101 = stablehlo.divide %100, %99 : tensor<6x12x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %103 = stablehlo.multiply %102, %101 : tensor<6x12x1xf32>
    %104 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %105 = stablehlo.multiply %97, %104 : tensor<6x12x16xf32>
    %106 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %108 = stablehlo.multiply %105, %107 : tensor<6x12x16xf32>
    %109 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %111 = stablehlo.add %108, %110 : tensor<6x12x16xf32>
    %112 = stablehlo.dot_general %111, %arg20, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x72xf32>) -> tensor<6x12x72xf32>
    %113 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<72xf32>) -> tensor<1x1x72xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<1x1x72xf32>) -> tensor<6x12x72xf32>
    %115 = stablehlo.add %112, %114 : tensor<6x12x72xf32>
    %116 = stablehlo.slice %115 [0:6, 0:12, 0:24] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %117 = stablehlo.slice %115 [0:6, 0:12, 24:48] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %118 = stablehlo.slice %115 [0:6, 0:12, 48:72] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %119 = stablehlo.reshape %116 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %120 = stablehlo.reshape %117 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %121 = stablehlo.reshape %118 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %122 = stablehlo.broadcast_in_dim %arg26, dims = [0, 3] : (tensor<6x12xi1>) -> tensor<6x1x1x12xi1>
    %123 = stablehlo.dot_general %119, %120, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %125 = stablehlo.divide %123, %124 : tensor<6x6x12x12xf32>
    %cst_23 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %126:2 = call @_where(%122, %125, %cst_23) : (tensor<6x1x1x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %127 = stablehlo.reduce(%126#0 init: %cst_24) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %129 = stablehlo.maximum %128, %127 : tensor<6x6x12xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %132 = stablehlo.subtract %126#0, %131 : tensor<6x6x12x12xf32>
    %133 = stablehlo.exponential %132 : tensor<6x6x12x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.reduce(%133 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %137 = stablehlo.divide %133, %136 : tensor<6x6x12x12xf32>
    %138 = stablehlo.multiply %135, %135 : tensor<6x6x12x1xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %140 = stablehlo.divide %139, %138 : tensor<6x6x12x1xf32>
    %141 = stablehlo.dot_general %121, %137, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %142 = stablehlo.transpose %141, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %143 = stablehlo.dot_general %142, %arg19, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %144 = stablehlo.add %111, %143 : tensor<6x12x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%144 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_29 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %148 = stablehlo.divide %146, %147 : tensor<6x12x1xf32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %149:4 = call @_var(%144, %c_30) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %150 = stablehlo.broadcast_in_dim %148, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %151 = stablehlo.subtract %144, %150 : tensor<6x12x16xf32>
    %cst_31 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %153 = stablehlo.add %149#0, %152 : tensor<6x12x1xf32>
    %154 = stablehlo.rsqrt %153 : tensor<6x12x1xf32>
    %155 = stablehlo.divide %154, %153 : tensor<6x12x1xf32>
    %cst_32 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %157 = stablehlo.multiply %156, %155 : tensor<6x12x1xf32>
    %158 = stablehlo.broadcast_in_dim %154, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %159 = stablehlo.multiply %151, %158 : tensor<6x12x16xf32>
    %160 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %161 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %162 = stablehlo.multiply %159, %161 : tensor<6x12x16xf32>
    %163 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %165 = stablehlo.add %162, %164 : tensor<6x12x16xf32>
    %166 = stablehlo.dot_general %165, %arg23, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %167 = stablehlo.broadcast_in_dim %arg22, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %168 = stablehlo.broadcast_in_dim %167, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %169 = stablehlo.add %166, %168 : tensor<6x12x24xf32>
    %170 = stablehlo.multiply %169, %169 : tensor<6x12x24xf32>
    %171 = stablehlo.multiply %170, %169 : tensor<6x12x24xf32>
    %172 = stablehlo.multiply %169, %169 : tensor<6x12x24xf32>
    %cst_33 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %174 = stablehlo.multiply %173, %172 : tensor<6x12x24xf32>
    %cst_34 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %176 = stablehlo.multiply %175, %171 : tensor<6x12x24xf32>
    %177 = stablehlo.add %169, %176 : tensor<6x12x24xf32>
    %cst_35 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %179 = stablehlo.multiply %178, %177 : tensor<6x12x24xf32>
    %180 = stablehlo.tanh %179 : tensor<6x12x24xf32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %182 = stablehlo.subtract %181, %180 : tensor<6x12x24xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %184 = stablehlo.add %183, %180 : tensor<6x12x24xf32>
    %cst_38 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %186 = stablehlo.multiply %185, %184 : tensor<6x12x24xf32>
    %187 = stablehlo.multiply %169, %186 : tensor<6x12x24xf32>
    %188 = stablehlo.dot_general %187, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %189 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %191 = stablehlo.add %188, %190 : tensor<6x12x16xf32>
    %192 = stablehlo.add %165, %191 : tensor<6x12x16xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.reduce(%192 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_40 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %196 = stablehlo.divide %194, %195 : tensor<6x12x1xf32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %197:4 = call @_var(%192, %c_41) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %198 = stablehlo.broadcast_in_dim %196, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %199 = stablehlo.subtract %192, %198 : tensor<6x12x16xf32>
    %cst_42 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %201 = stablehlo.add %197#0, %200 : tensor<6x12x1xf32>
    %202 = stablehlo.rsqrt %201 : tensor<6x12x1xf32>
    %203 = stablehlo.divide %202, %201 : tensor<6x12x1xf32>
    %cst_43 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %205 = stablehlo.multiply %204, %203 : tensor<6x12x1xf32>
    %206 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %207 = stablehlo.multiply %199, %206 : tensor<6x12x16xf32>
    %208 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %210 = stablehlo.multiply %207, %209 : tensor<6x12x16xf32>
    %211 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %213 = stablehlo.add %210, %212 : tensor<6x12x16xf32>
    %214 = stablehlo.slice %213 [0:6, 0:1, 0:16] : (tensor<6x12x16xf32>) -> tensor<6x1x16xf32>
    %215 = stablehlo.reshape %214 : (tensor<6x1x16xf32>) -> tensor<6x16xf32>
    %216 = stablehlo.dot_general %215, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x3xf32>) -> tensor<6x3xf32>
    %217 = stablehlo.broadcast_in_dim %arg27, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %218:2 = call @take_along_axis(%216, %217) : (tensor<6x3xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %219:2 = call @_take(%218#0, %c_44) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %220 = stablehlo.reduce(%216 init: %cst_45) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_46 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %222 = stablehlo.maximum %221, %220 : tensor<6xf32>
    %223 = stablehlo.is_finite %222 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %225 = stablehlo.select %223, %222, %224 : tensor<6xi1>, tensor<6xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %227 = stablehlo.broadcast_in_dim %226, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %228 = stablehlo.subtract %216, %227 : tensor<6x3xf32>
    %229 = stablehlo.exponential %228 : tensor<6x3xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %230 = stablehlo.reduce(%229 init: %cst_48) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %231 = stablehlo.abs %230 : tensor<6xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %233 = stablehlo.compare GE, %230, %232, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %234 = stablehlo.log %231 : tensor<6xf32>
    %235 = stablehlo.add %234, %225 : tensor<6xf32>
    %236 = stablehlo.subtract %235, %219#0 : tensor<6xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237 = stablehlo.reduce(%236 init: %cst_50) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_51 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %238 = stablehlo.divide %237, %cst_51 : tensor<f32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_53 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %239 = stablehlo.divide %cst_52, %cst_53 : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %239, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %241 = stablehlo.negate %240 : tensor<6xf32>
    %242 = stablehlo.divide %240, %231 : tensor<6xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %244 = stablehlo.select %233, %243, %242 : tensor<6xi1>, tensor<6xf32>
    %245 = stablehlo.select %233, %242, %243 : tensor<6xi1>, tensor<6xf32>
    %246 = stablehlo.negate %244 : tensor<6xf32>
    %247 = stablehlo.add %245, %246 : tensor<6xf32>
    %248 = stablehlo.broadcast_in_dim %247, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %249 = stablehlo.multiply %248, %229 : tensor<6x3xf32>
    %250 = call @_take_2(%219#1, %241) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %251 = call @take_along_axis_3(%218#1, %250) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x3xf32>
    %252 = stablehlo.add %249, %251 : tensor<6x3xf32>
    %253 = stablehlo.dot_general %252, %215, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x16xf32>) -> tensor<3x16xf32>
    %254 = stablehlo.transpose %253, dims = [1, 0] : (tensor<3x16xf32>) -> tensor<16x3xf32>
    %255 = stablehlo.dot_general %252, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<16x3xf32>) -> tensor<6x16xf32>
    %256 = stablehlo.broadcast_in_dim %255, dims = [0, 2] : (tensor<6x16xf32>) -> tensor<6x1x16xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.pad %256, %cst_55, low = [0, 0, 0], high = [0, 11, 0], interior = [0, 0, 0] : (tensor<6x1x16xf32>, tensor<f32>) -> tensor<6x12x16xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%257 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %259 = stablehlo.reshape %258 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.reduce(%259 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %261 = stablehlo.multiply %207, %257 : tensor<6x12x16xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %262 = stablehlo.reduce(%261 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %263 = stablehlo.reshape %262 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %264 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %265 = stablehlo.multiply %257, %264 : tensor<6x12x16xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %266 = stablehlo.reduce(%263 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %267 = stablehlo.multiply %199, %265 : tensor<6x12x16xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.reduce(%267 init: %cst_60) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %269 = stablehlo.reshape %268 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %270 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %271 = stablehlo.multiply %265, %270 : tensor<6x12x16xf32>
    %272 = stablehlo.multiply %269, %205 : tensor<6x12x1xf32>
    %273 = stablehlo.negate %271 : tensor<6x12x16xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %274 = stablehlo.reduce(%273 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %275 = stablehlo.reshape %274 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %276 = call @_var_4(%197#1, %197#2, %197#3, %272) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %277 = stablehlo.add %271, %276 : tensor<6x12x16xf32>
    %cst_62 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %278 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %279 = stablehlo.divide %275, %278 : tensor<6x12x1xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %280 = stablehlo.reduce(%279 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %281 = stablehlo.broadcast_in_dim %280, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %282 = stablehlo.add %277, %281 : tensor<6x12x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.reduce(%282 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %284 = stablehlo.reshape %283 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %285 = stablehlo.reduce(%284 init: %cst_65) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %286 = stablehlo.dot_general %282, %187, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %287 = stablehlo.transpose %286, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %288 = stablehlo.dot_general %282, %arg14, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %289 = stablehlo.multiply %169, %288 : tensor<6x12x24xf32>
    %290 = stablehlo.multiply %288, %186 : tensor<6x12x24xf32>
    %cst_66 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %292 = stablehlo.multiply %291, %289 : tensor<6x12x24xf32>
    %293 = stablehlo.multiply %292, %182 : tensor<6x12x24xf32>
    %294 = stablehlo.multiply %293, %180 : tensor<6x12x24xf32>
    %295 = stablehlo.add %293, %294 : tensor<6x12x24xf32>
    %cst_67 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %297 = stablehlo.multiply %296, %295 : tensor<6x12x24xf32>
    %298 = stablehlo.add %290, %297 : tensor<6x12x24xf32>
    %cst_68 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %300 = stablehlo.multiply %299, %297 : tensor<6x12x24xf32>
    %301 = stablehlo.multiply %300, %174 : tensor<6x12x24xf32>
    %302 = stablehlo.add %298, %301 : tensor<6x12x24xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%302 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %304 = stablehlo.reshape %303 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%304 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %306 = stablehlo.dot_general %302, %165, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %307 = stablehlo.transpose %306, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %308 = stablehlo.dot_general %302, %arg23, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %309 = stablehlo.add %282, %308 : tensor<6x12x16xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %310 = stablehlo.reduce(%309 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %311 = stablehlo.reshape %310 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %312 = stablehlo.reduce(%311 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %313 = stablehlo.multiply %159, %309 : tensor<6x12x16xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.reduce(%313 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %315 = stablehlo.reshape %314 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %316 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %317 = stablehlo.multiply %309, %316 : tensor<6x12x16xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.reduce(%315 init: %cst_74) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %319 = stablehlo.multiply %151, %317 : tensor<6x12x16xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.reduce(%319 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %321 = stablehlo.reshape %320 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %322 = stablehlo.broadcast_in_dim %154, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %323 = stablehlo.multiply %317, %322 : tensor<6x12x16xf32>
    %324 = stablehlo.multiply %321, %157 : tensor<6x12x1xf32>
    %325 = stablehlo.negate %323 : tensor<6x12x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %326 = stablehlo.reduce(%325 init: %cst_76) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %327 = stablehlo.reshape %326 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %328 = call @_var_4(%149#1, %149#2, %149#3, %324) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %329 = stablehlo.add %323, %328 : tensor<6x12x16xf32>
    %cst_77 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %331 = stablehlo.divide %327, %330 : tensor<6x12x1xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %332 = stablehlo.reduce(%331 init: %cst_78) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %333 = stablehlo.broadcast_in_dim %332, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %334 = stablehlo.add %329, %333 : tensor<6x12x16xf32>
    %335 = stablehlo.dot_general %334, %142, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %336 = stablehlo.transpose %335, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %337 = stablehlo.dot_general %334, %arg19, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %338 = stablehlo.transpose %337, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %339 = stablehlo.dot_general %338, %121, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %340 = stablehlo.dot_general %338, %137, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %341 = stablehlo.transpose %340, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %342 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %343 = stablehlo.multiply %339, %342 : tensor<6x6x12x12xf32>
    %344 = stablehlo.multiply %343, %133 : tensor<6x6x12x12xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.reduce(%344 init: %cst_79) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %346 = stablehlo.reshape %345 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %347 = stablehlo.negate %346 : tensor<6x6x12x1xf32>
    %348 = stablehlo.broadcast_in_dim %135, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %349 = stablehlo.divide %339, %348 : tensor<6x6x12x12xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%347 init: %cst_80) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %351 = stablehlo.broadcast_in_dim %350, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %352 = stablehlo.add %349, %351 : tensor<6x6x12x12xf32>
    %353 = stablehlo.multiply %352, %133 : tensor<6x6x12x12xf32>
    %354 = call @_where_6(%126#1, %353) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_81 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %355 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %356 = stablehlo.divide %354, %355 : tensor<6x6x12x12xf32>
    %357 = stablehlo.dot_general %356, %119, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %358 = stablehlo.transpose %357, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %359 = stablehlo.dot_general %356, %120, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %360 = stablehlo.transpose %359, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %361 = stablehlo.reshape %341 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %362 = stablehlo.reshape %358 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %363 = stablehlo.reshape %360 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %364 = stablehlo.concatenate %363, %362, %361, dim = 2 : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x72xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %365 = stablehlo.reduce(%364 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x72xf32>, tensor<f32>) -> tensor<72xf32>
    %366 = stablehlo.reshape %365 : (tensor<72xf32>) -> tensor<1x1x72xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %367 = stablehlo.reduce(%366 init: %cst_83) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x72xf32>, tensor<f32>) -> tensor<72xf32>
    %368 = stablehlo.dot_general %364, %111, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x72xf32>, tensor<6x12x16xf32>) -> tensor<72x16xf32>
    %369 = stablehlo.transpose %368, dims = [1, 0] : (tensor<72x16xf32>) -> tensor<16x72xf32>
    %370 = stablehlo.dot_general %364, %arg20, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x72xf32>, tensor<16x72xf32>) -> tensor<6x12x16xf32>
    %371 = stablehlo.add %334, %370 : tensor<6x12x16xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.reduce(%371 init: %cst_84) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %373 = stablehlo.reshape %372 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %374 = stablehlo.reduce(%373 init: %cst_85) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %375 = stablehlo.multiply %105, %371 : tensor<6x12x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %376 = stablehlo.reduce(%375 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %377 = stablehlo.reshape %376 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %378 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %379 = stablehlo.multiply %371, %378 : tensor<6x12x16xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %380 = stablehlo.reduce(%377 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %381 = stablehlo.multiply %97, %379 : tensor<6x12x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_88) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %383 = stablehlo.reshape %382 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %384 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %385 = stablehlo.multiply %379, %384 : tensor<6x12x16xf32>
    %386 = stablehlo.multiply %383, %103 : tensor<6x12x1xf32>
    %387 = stablehlo.negate %385 : tensor<6x12x16xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %388 = stablehlo.reduce(%387 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %389 = stablehlo.reshape %388 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %390 = call @_var_4(%95#1, %95#2, %95#3, %386) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %391 = stablehlo.add %385, %390 : tensor<6x12x16xf32>
    %cst_90 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %393 = stablehlo.divide %389, %392 : tensor<6x12x1xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %394 = stablehlo.reduce(%393 init: %cst_91) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %395 = stablehlo.broadcast_in_dim %394, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %396 = stablehlo.add %391, %395 : tensor<6x12x16xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %397 = stablehlo.reduce(%396 init: %cst_92) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %398 = stablehlo.reshape %397 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %399 = stablehlo.reduce(%398 init: %cst_93) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %400 = stablehlo.dot_general %396, %85, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %401 = stablehlo.transpose %400, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %402 = stablehlo.dot_general %396, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %403 = stablehlo.multiply %67, %402 : tensor<6x12x24xf32>
    %404 = stablehlo.multiply %402, %84 : tensor<6x12x24xf32>
    %cst_94 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %405 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %406 = stablehlo.multiply %405, %403 : tensor<6x12x24xf32>
    %407 = stablehlo.multiply %406, %80 : tensor<6x12x24xf32>
    %408 = stablehlo.multiply %407, %78 : tensor<6x12x24xf32>
    %409 = stablehlo.add %407, %408 : tensor<6x12x24xf32>
    %cst_95 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %410 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %411 = stablehlo.multiply %410, %409 : tensor<6x12x24xf32>
    %412 = stablehlo.add %404, %411 : tensor<6x12x24xf32>
    %cst_96 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %413 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %414 = stablehlo.multiply %413, %411 : tensor<6x12x24xf32>
    %415 = stablehlo.multiply %414, %72 : tensor<6x12x24xf32>
    %416 = stablehlo.add %412, %415 : tensor<6x12x24xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %417 = stablehlo.reduce(%416 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %418 = stablehlo.reshape %417 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %419 = stablehlo.reduce(%418 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %420 = stablehlo.dot_general %416, %63, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %421 = stablehlo.transpose %420, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %422 = stablehlo.dot_general %416, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %423 = stablehlo.add %396, %422 : tensor<6x12x16xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.reduce(%423 init: %cst_99) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %425 = stablehlo.reshape %424 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %426 = stablehlo.reduce(%425 init: %cst_100) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %427 = stablehlo.multiply %57, %423 : tensor<6x12x16xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %428 = stablehlo.reduce(%427 init: %cst_101) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %429 = stablehlo.reshape %428 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %430 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %431 = stablehlo.multiply %423, %430 : tensor<6x12x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %432 = stablehlo.reduce(%429 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %433 = stablehlo.multiply %49, %431 : tensor<6x12x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %434 = stablehlo.reduce(%433 init: %cst_103) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %435 = stablehlo.reshape %434 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %436 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %437 = stablehlo.multiply %431, %436 : tensor<6x12x16xf32>
    %438 = stablehlo.multiply %435, %55 : tensor<6x12x1xf32>
    %439 = stablehlo.negate %437 : tensor<6x12x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %440 = stablehlo.reduce(%439 init: %cst_104) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %441 = stablehlo.reshape %440 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %442 = call @_var_4(%47#1, %47#2, %47#3, %438) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %443 = stablehlo.add %437, %442 : tensor<6x12x16xf32>
    %cst_105 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %445 = stablehlo.divide %441, %444 : tensor<6x12x1xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%445 init: %cst_106) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %447 = stablehlo.broadcast_in_dim %446, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %448 = stablehlo.add %443, %447 : tensor<6x12x16xf32>
    %449 = stablehlo.dot_general %448, %40, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %450 = stablehlo.transpose %449, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %451 = stablehlo.dot_general %448, %arg8, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %452 = stablehlo.transpose %451, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %453 = stablehlo.dot_general %452, %19, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %454 = stablehlo.dot_general %452, %35, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %455 = stablehlo.transpose %454, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %456 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %457 = stablehlo.multiply %453, %456 : tensor<6x6x12x12xf32>
    %458 = stablehlo.multiply %457, %31 : tensor<6x6x12x12xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %459 = stablehlo.reduce(%458 init: %cst_107) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %460 = stablehlo.reshape %459 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %461 = stablehlo.negate %460 : tensor<6x6x12x1xf32>
    %462 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %463 = stablehlo.divide %453, %462 : tensor<6x6x12x12xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %464 = stablehlo.reduce(%461 init: %cst_108) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %465 = stablehlo.broadcast_in_dim %464, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %466 = stablehlo.add %463, %465 : tensor<6x6x12x12xf32>
    %467 = stablehlo.multiply %466, %31 : tensor<6x6x12x12xf32>
    %468 = call @_where_6(%24#1, %467) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_109 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %470 = stablehlo.divide %468, %469 : tensor<6x6x12x12xf32>
    %471 = stablehlo.dot_general %470, %17, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %472 = stablehlo.transpose %471, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %473 = stablehlo.dot_general %470, %18, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %474 = stablehlo.transpose %473, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %475 = stablehlo.reshape %455 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %476 = stablehlo.reshape %472 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %477 = stablehlo.reshape %474 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %478 = stablehlo.concatenate %477, %476, %475, dim = 2 : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x72xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %479 = stablehlo.reduce(%478 init: %cst_110) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x72xf32>, tensor<f32>) -> tensor<72xf32>
    %480 = stablehlo.reshape %479 : (tensor<72xf32>) -> tensor<1x1x72xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %481 = stablehlo.reduce(%480 init: %cst_111) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x72xf32>, tensor<f32>) -> tensor<72xf32>
    %482 = stablehlo.dot_general %478, %9, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x72xf32>, tensor<6x12x16xf32>) -> tensor<72x16xf32>
    %483 = stablehlo.transpose %482, dims = [1, 0] : (tensor<72x16xf32>) -> tensor<16x72xf32>
    %484 = stablehlo.dot_general %478, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x72xf32>, tensor<16x72xf32>) -> tensor<6x12x16xf32>
    %485 = stablehlo.add %448, %484 : tensor<6x12x16xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %486 = stablehlo.reduce(%485 init: %cst_112) applies stablehlo.add across dimensions = [0] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %487 = stablehlo.reshape %486 : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %488 = stablehlo.reduce(%487 init: %cst_113) applies stablehlo.add across dimensions = [0] : (tensor<1x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %489 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %490 = "stablehlo.scatter"(%489, %5, %485) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %491 = stablehlo.add %arg28, %arg29 : tensor<f32>
      stablehlo.return %491 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %238, %490, %254, %399, %401, %426, %432, %374, %380, %450, %483, %481, %419, %421, %285, %287, %312, %318, %260, %266, %336, %369, %367, %305, %307, %488 : tensor<f32>, tensor<60x16xf32>, tensor<16x3xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<6x4x16xf32>, tensor<16x72xf32>, tensor<72xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<6x4x16xf32>, tensor<16x72xf32>, tensor<72xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<12x16xf32>
  }
  func.func private @_where(%arg0: tensor<6x1x1x12xi1>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<6x1x1x12xi1>) -> tensor<6x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %3, %1 : tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>
  }
  func.func private @_var(%arg0: tensor<6x12x16xf32>, %arg1: tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6x12x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x12x16xf32>
    %6 = chlo.square %5 : tensor<6x12x16xf32> -> tensor<6x12x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<6x12x16xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<6x12x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = call @_where_0(%15, %14, %cst_5) : (tensor<i1>, tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12x1xf32>
    return %16, %8, %10, %15 : tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<6x12x1xf32>, %arg2: tensor<f32>) -> tensor<6x12x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<6x12x1xf32>
    return %2 : tensor<6x12x1xf32>
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
    %2 = call @_where_1(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_2(%arg0: tensor<1xi32>, %arg1: tensor<6xf32>) -> tensor<6x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x1xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    return %1 : tensor<6x1xf32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<6x1x1xi32>, %arg1: tensor<6x1xf32>) -> tensor<6x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x3xf32>, tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x3xf32>
    return %1 : tensor<6x3xf32>
  }
  func.func private @_var_4(%arg0: tensor<6x12x16xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<6x12x1xf32>) -> tensor<6x12x16xf32> {
    %0 = call @_where_5(%arg2, %arg3) : (tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<6x12x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<6x12x16xf32>
    %6 = stablehlo.negate %5 : tensor<6x12x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %8 = stablehlo.reshape %7 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<6x12x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %13 = stablehlo.add %5, %12 : tensor<6x12x16xf32>
    return %13 : tensor<6x12x16xf32>
  }
  func.func private @_where_5(%arg0: tensor<i1>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @_where_6(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %1 : tensor<6x6x12x12xf32>
  }
}
