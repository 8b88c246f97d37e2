module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x3xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<6x4x16xf32>, %arg9: tensor<16x3x6x4xf32>, %arg10: tensor<24xf32>, %arg11: tensor<16x24xf32>, %arg12: tensor<16xf32>, %arg13: tensor<24x16xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16xf32>, %arg16: tensor<16xf32>, %arg17: tensor<16xf32>, %arg18: tensor<6x4x16xf32>, %arg19: tensor<16x3x6x4xf32>, %arg20: tensor<24xf32>, %arg21: tensor<16x24xf32>, %arg22: tensor<12x16xf32>, %arg23: tensor<6x12xi32>, %arg24: tensor<6x12xi1>, %arg25: tensor<6xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<16x3xf32> {jax.result_info = "result[1]['head']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['down']['b']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['down']['w']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm2']['scale']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['layers'][0]['out']"}, tensor<16x3x6x4xf32> {jax.result_info = "result[1]['layers'][0]['qkv']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][0]['up']['b']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['up']['w']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['down']['b']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['down']['w']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm2']['scale']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['layers'][1]['out']"}, tensor<16x3x6x4xf32> {jax.result_info = "result[1]['layers'][1]['qkv']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][1]['up']['b']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['up']['w']"}, tensor<12x16xf32> {jax.result_info = "result[1]['positions']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg23, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg23, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg23 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.broadcast_in_dim %arg22, dims = [1, 2] : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x12x16xf32>) -> tensor<6x12x16xf32>
    %9 = stablehlo.add %6, %8 : tensor<6x12x16xf32>
    %10 = stablehlo.dot_general %arg9, %9, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x6x4xf32>, tensor<6x12x16xf32>) -> tensor<3x6x4x6x12xf32>
    %11 = stablehlo.transpose %10, dims = [0, 3, 4, 1, 2] : (tensor<3x6x4x6x12xf32>) -> tensor<3x6x12x6x4xf32>
    %12 = stablehlo.slice %11 [0:1, 0:6, 0:12, 0:6, 0:4] : (tensor<3x6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %13 = stablehlo.reshape %12 : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x4xf32>
    %14 = stablehlo.slice %11 [1:2, 0:6, 0:12, 0:6, 0:4] : (tensor<3x6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %15 = stablehlo.reshape %14 : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x4xf32>
    %16 = stablehlo.slice %11 [2:3, 0:6, 0:12, 0:6, 0:4] : (tensor<3x6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %17 = stablehlo.reshape %16 : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x4xf32>
    %18 = stablehlo.broadcast_in_dim %arg24, dims = [0, 3] : (tensor<6x12xi1>) -> tensor<6x1x1x12xi1>
    %19 = stablehlo.dot_general %13, %15, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %21 = stablehlo.divide %19, %20 : tensor<6x6x12x12xf32>
    %cst_1 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %22:2 = call @_where(%18, %21, %cst_1) : (tensor<6x1x1x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = stablehlo.reduce(%22#0 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %25 = stablehlo.maximum %24, %23 : tensor<6x6x12xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %28 = stablehlo.subtract %22#0, %27 : tensor<6x6x12x12xf32>
    %29 = stablehlo.exponential %28 : tensor<6x6x12x12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %33 = stablehlo.divide %29, %32 : tensor<6x6x12x12xf32>
    %34 = stablehlo.multiply %31, %31 : tensor<6x6x12x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %36 = stablehlo.divide %35, %34 : tensor<6x6x12x1xf32>
    %37 = stablehlo.dot_general %17, %33, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %38 = stablehlo.transpose %37, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %39 = stablehlo.dot_general %38, %arg8, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %40 = stablehlo.add %9, %39 : tensor<6x12x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_7 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %44 = stablehlo.divide %42, %43 : tensor<6x12x1xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %45:4 = call @_var(%40, %c_8) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %46 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %47 = stablehlo.subtract %40, %46 : tensor<6x12x16xf32>
    %cst_9 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %49 = stablehlo.add %45#0, %48 : tensor<6x12x1xf32>
    %50 = stablehlo.rsqrt %49 : tensor<6x12x1xf32>
    %51 = stablehlo.divide %50, %49 : tensor<6x12x1xf32>
    %cst_10 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<6x12x1xf32>
    %54 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %55 = stablehlo.multiply %47, %54 : tensor<6x12x16xf32>
    %56 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %58 = stablehlo.multiply %55, %57 : tensor<6x12x16xf32>
    %59 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %61 = stablehlo.add %58, %60 : tensor<6x12x16xf32>
    %62 = stablehlo.dot_general %61, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %63 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %65 = stablehlo.add %62, %64 : tensor<6x12x24xf32>
    %66 = stablehlo.multiply %65, %65 : tensor<6x12x24xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<6x12x24xf32>
    %68 = stablehlo.multiply %65, %65 : tensor<6x12x24xf32>
    %cst_11 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<6x12x24xf32>
    %cst_12 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %72 = stablehlo.multiply %71, %67 : tensor<6x12x24xf32>
    %73 = stablehlo.add %65, %72 : tensor<6x12x24xf32>
    %cst_13 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %75 = stablehlo.multiply %74, %73 : tensor<6x12x24xf32>
    %76 = stablehlo.tanh %75 : tensor<6x12x24xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %78 = stablehlo.subtract %77, %76 : tensor<6x12x24xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %80 = stablehlo.add %79, %76 : tensor<6x12x24xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %82 = stablehlo.multiply %81, %80 : tensor<6x12x24xf32>
    %83 = stablehlo.multiply %65, %82 : tensor<6x12x24xf32>
    %84 = stablehlo.dot_general %83, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %85 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %87 = stablehlo.add %84, %86 : tensor<6x12x16xf32>
    %88 = stablehlo.add %61, %87 : tensor<6x12x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.reduce(%88 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_18 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %92 = stablehlo.divide %90, %91 : tensor<6x12x1xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %93:4 = call @_var(%88, %c_19) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %94 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %95 = stablehlo.subtract %88, %94 : tensor<6x12x16xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %97 = stablehlo.add %93#0, %96 : tensor<6x12x1xf32>
    %98 = stablehlo.rsqrt %97 : tensor<6x12x1xf32>
    %99 = stablehlo.divide %98, %97 : tensor<6x12x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %101 = stablehlo.multiply %100, %99 : tensor<6x12x1xf32>
    %102 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %103 = stablehlo.multiply %95, %102 : tensor<6x12x16xf32>
    %104 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %106 = stablehlo.multiply %103, %105 : tensor<6x12x16xf32>
    %107 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %109 = stablehlo.add %106, %108 : tensor<6x12x16xf32>
    %110 = stablehlo.dot_general %arg19, %109, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x3x6x4xf32>, tensor<6x12x16xf32>) -> tensor<3x6x4x6x12xf32>
    %111 = stablehlo.transpose %110, dims = [0, 3, 4, 1, 2] : (tensor<3x6x4x6x12xf32>) -> tensor<3x6x12x6x4xf32>
    %112 = stablehlo.slice %111 [0:1, 0:6, 0:12, 0:6, 0:4] : (tensor<3x6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %113 = stablehlo.reshape %112 : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x4xf32>
    %114 = stablehlo.slice %111 [1:2, 0:6, 0:12, 0:6, 0:4] : (tensor<3x6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %115 = stablehlo.reshape %114 : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x4xf32>
    %116 = stablehlo.slice %111 [2:3, 0:6, 0:12, 0:6, 0:4] : (tensor<3x6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %117 = stablehlo.reshape %116 : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x4xf32>
    %118 = stablehlo.broadcast_in_dim %arg24, dims = [0, 3] : (tensor<6x12xi1>) -> tensor<6x1x1x12xi1>
    %119 = stablehlo.dot_general %113, %115, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %121 = stablehlo.divide %119, %120 : tensor<6x6x12x12xf32>
    %cst_23 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %122:2 = call @_where(%118, %121, %cst_23) : (tensor<6x1x1x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %123 = stablehlo.reduce(%122#0 init: %cst_24) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %125 = stablehlo.maximum %124, %123 : tensor<6x6x12xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %128 = stablehlo.subtract %122#0, %127 : tensor<6x6x12x12xf32>
    %129 = stablehlo.exponential %128 : tensor<6x6x12x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %133 = stablehlo.divide %129, %132 : tensor<6x6x12x12xf32>
    %134 = stablehlo.multiply %131, %131 : tensor<6x6x12x1xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %136 = stablehlo.divide %135, %134 : tensor<6x6x12x1xf32>
    %137 = stablehlo.dot_general %117, %133, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %138 = stablehlo.transpose %137, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %139 = stablehlo.dot_general %138, %arg18, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %140 = stablehlo.add %109, %139 : tensor<6x12x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_29 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %144 = stablehlo.divide %142, %143 : tensor<6x12x1xf32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %145:4 = call @_var(%140, %c_30) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %146 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %147 = stablehlo.subtract %140, %146 : tensor<6x12x16xf32>
    %cst_31 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %149 = stablehlo.add %145#0, %148 : tensor<6x12x1xf32>
    %150 = stablehlo.rsqrt %149 : tensor<6x12x1xf32>
    %151 = stablehlo.divide %150, %149 : tensor<6x12x1xf32>
    %cst_32 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %153 = stablehlo.multiply %152, %151 : tensor<6x12x1xf32>
    %154 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %155 = stablehlo.multiply %147, %154 : tensor<6x12x16xf32>
    %156 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %158 = stablehlo.multiply %155, %157 : tensor<6x12x16xf32>
    %159 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %161 = stablehlo.add %158, %160 : tensor<6x12x16xf32>
    %162 = stablehlo.dot_general %161, %arg21, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %163 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %165 = stablehlo.add %162, %164 : tensor<6x12x24xf32>
    %166 = stablehlo.multiply %165, %165 : tensor<6x12x24xf32>
    %167 = stablehlo.multiply %166, %165 : tensor<6x12x24xf32>
    %168 = stablehlo.multiply %165, %165 : tensor<6x12x24xf32>
    %cst_33 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %170 = stablehlo.multiply %169, %168 : tensor<6x12x24xf32>
    %cst_34 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %172 = stablehlo.multiply %171, %167 : tensor<6x12x24xf32>
    %173 = stablehlo.add %165, %172 : tensor<6x12x24xf32>
    %cst_35 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %175 = stablehlo.multiply %174, %173 : tensor<6x12x24xf32>
    %176 = stablehlo.tanh %175 : tensor<6x12x24xf32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %178 = stablehlo.subtract %177, %176 : tensor<6x12x24xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %180 = stablehlo.add %179, %176 : tensor<6x12x24xf32>
    %cst_38 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %182 = stablehlo.multiply %181, %180 : tensor<6x12x24xf32>
    %183 = stablehlo.multiply %165, %182 : tensor<6x12x24xf32>
    %184 = stablehlo.dot_general %183, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %185 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %187 = stablehlo.add %184, %186 : tensor<6x12x16xf32>
    %188 = stablehlo.add %161, %187 : tensor<6x12x16xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.reduce(%188 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_40 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %192 = stablehlo.divide %190, %191 : tensor<6x12x1xf32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %193:4 = call @_var(%188, %c_41) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %194 = stablehlo.broadcast_in_dim %192, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %195 = stablehlo.subtract %188, %194 : tensor<6x12x16xf32>
    %cst_42 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %197 = stablehlo.add %193#0, %196 : tensor<6x12x1xf32>
    %198 = stablehlo.rsqrt %197 : tensor<6x12x1xf32>
    %199 = stablehlo.divide %198, %197 : tensor<6x12x1xf32>
    %cst_43 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %201 = stablehlo.multiply %200, %199 : tensor<6x12x1xf32>
    %202 = stablehlo.broadcast_in_dim %198, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %203 = stablehlo.multiply %195, %202 : tensor<6x12x16xf32>
    %204 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %206 = stablehlo.multiply %203, %205 : tensor<6x12x16xf32>
    %207 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %208 = stablehlo.broadcast_in_dim %207, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %209 = stablehlo.add %206, %208 : tensor<6x12x16xf32>
    %210 = stablehlo.slice %209 [0:6, 0:1, 0:16] : (tensor<6x12x16xf32>) -> tensor<6x1x16xf32>
    %211 = stablehlo.reshape %210 : (tensor<6x1x16xf32>) -> tensor<6x16xf32>
    %212 = stablehlo.dot_general %211, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x3xf32>) -> tensor<6x3xf32>
    %213 = stablehlo.broadcast_in_dim %arg25, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %214:2 = call @take_along_axis(%212, %213) : (tensor<6x3xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %215:2 = call @_take(%214#0, %c_44) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %216 = stablehlo.reduce(%212 init: %cst_45) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_46 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %218 = stablehlo.maximum %217, %216 : tensor<6xf32>
    %219 = stablehlo.is_finite %218 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %221 = stablehlo.select %219, %218, %220 : tensor<6xi1>, tensor<6xf32>
    %222 = stablehlo.broadcast_in_dim %221, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %223 = stablehlo.broadcast_in_dim %222, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %224 = stablehlo.subtract %212, %223 : tensor<6x3xf32>
    %225 = stablehlo.exponential %224 : tensor<6x3xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %226 = stablehlo.reduce(%225 init: %cst_48) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %227 = stablehlo.abs %226 : tensor<6xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %229 = stablehlo.compare GE, %226, %228, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %230 = stablehlo.log %227 : tensor<6xf32>
    %231 = stablehlo.add %230, %221 : tensor<6xf32>
    %232 = stablehlo.subtract %231, %215#0 : tensor<6xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %233 = stablehlo.reduce(%232 init: %cst_50) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_51 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %234 = stablehlo.divide %233, %cst_51 : tensor<f32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_53 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %235 = stablehlo.divide %cst_52, %cst_53 : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %235, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %237 = stablehlo.negate %236 : tensor<6xf32>
    %238 = stablehlo.divide %236, %227 : tensor<6xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %240 = stablehlo.select %229, %239, %238 : tensor<6xi1>, tensor<6xf32>
    %241 = stablehlo.select %229, %238, %239 : tensor<6xi1>, tensor<6xf32>
    %242 = stablehlo.negate %240 : tensor<6xf32>
    %243 = stablehlo.add %241, %242 : tensor<6xf32>
    %244 = stablehlo.broadcast_in_dim %243, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %245 = stablehlo.multiply %244, %225 : tensor<6x3xf32>
    %246 = call @_take_2(%215#1, %237) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %247 = call @take_along_axis_3(%214#1, %246) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x3xf32>
    %248 = stablehlo.add %245, %247 : tensor<6x3xf32>
    %249 = stablehlo.dot_general %248, %211, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x16xf32>) -> tensor<3x16xf32>
    %250 = stablehlo.transpose %249, dims = [1, 0] : (tensor<3x16xf32>) -> tensor<16x3xf32>
    %251 = stablehlo.dot_general %248, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<16x3xf32>) -> tensor<6x16xf32>
    %252 = stablehlo.broadcast_in_dim %251, dims = [0, 2] : (tensor<6x16xf32>) -> tensor<6x1x16xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %253 = stablehlo.pad %252, %cst_55, low = [0, 0, 0], high = [0, 11, 0], interior = [0, 0, 0] : (tensor<6x1x16xf32>, tensor<f32>) -> tensor<6x12x16xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %254 = stablehlo.reduce(%253 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %255 = stablehlo.reshape %254 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %256 = stablehlo.reduce(%255 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %257 = stablehlo.multiply %203, %253 : tensor<6x12x16xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%257 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %259 = stablehlo.reshape %258 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %260 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %261 = stablehlo.multiply %253, %260 : tensor<6x12x16xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %262 = stablehlo.reduce(%259 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %263 = stablehlo.multiply %195, %261 : tensor<6x12x16xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %264 = stablehlo.reduce(%263 init: %cst_60) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %265 = stablehlo.reshape %264 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %266 = stablehlo.broadcast_in_dim %198, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %267 = stablehlo.multiply %261, %266 : tensor<6x12x16xf32>
    %268 = stablehlo.multiply %265, %201 : tensor<6x12x1xf32>
    %269 = stablehlo.negate %267 : tensor<6x12x16xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %270 = stablehlo.reduce(%269 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %271 = stablehlo.reshape %270 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %272 = call @_var_4(%193#1, %193#2, %193#3, %268) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %273 = stablehlo.add %267, %272 : tensor<6x12x16xf32>
    %cst_62 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %274 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %275 = stablehlo.divide %271, %274 : tensor<6x12x1xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %276 = stablehlo.reduce(%275 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %277 = stablehlo.broadcast_in_dim %276, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %278 = stablehlo.add %273, %277 : tensor<6x12x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %279 = stablehlo.reduce(%278 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %280 = stablehlo.reshape %279 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.reduce(%280 init: %cst_65) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %282 = stablehlo.dot_general %278, %183, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %283 = stablehlo.transpose %282, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %284 = stablehlo.dot_general %278, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %285 = stablehlo.multiply %165, %284 : tensor<6x12x24xf32>
    %286 = stablehlo.multiply %284, %182 : tensor<6x12x24xf32>
    %cst_66 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %287 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %288 = stablehlo.multiply %287, %285 : tensor<6x12x24xf32>
    %289 = stablehlo.multiply %288, %178 : tensor<6x12x24xf32>
    %290 = stablehlo.multiply %289, %176 : tensor<6x12x24xf32>
    %291 = stablehlo.add %289, %290 : tensor<6x12x24xf32>
    %cst_67 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %293 = stablehlo.multiply %292, %291 : tensor<6x12x24xf32>
    %294 = stablehlo.add %286, %293 : tensor<6x12x24xf32>
    %cst_68 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %295 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %296 = stablehlo.multiply %295, %293 : tensor<6x12x24xf32>
    %297 = stablehlo.multiply %296, %170 : tensor<6x12x24xf32>
    %298 = stablehlo.add %294, %297 : tensor<6x12x24xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %300 = stablehlo.reshape %299 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %301 = stablehlo.reduce(%300 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %302 = stablehlo.dot_general %298, %161, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %303 = stablehlo.transpose %302, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %304 = stablehlo.dot_general %298, %arg21, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %305 = stablehlo.add %278, %304 : tensor<6x12x16xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%305 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %307 = stablehlo.reshape %306 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %308 = stablehlo.reduce(%307 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %309 = stablehlo.multiply %155, %305 : tensor<6x12x16xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %310 = stablehlo.reduce(%309 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %311 = stablehlo.reshape %310 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %312 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %313 = stablehlo.multiply %305, %312 : tensor<6x12x16xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.reduce(%311 init: %cst_74) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %315 = stablehlo.multiply %147, %313 : tensor<6x12x16xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %316 = stablehlo.reduce(%315 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %317 = stablehlo.reshape %316 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %318 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %319 = stablehlo.multiply %313, %318 : tensor<6x12x16xf32>
    %320 = stablehlo.multiply %317, %153 : tensor<6x12x1xf32>
    %321 = stablehlo.negate %319 : tensor<6x12x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %322 = stablehlo.reduce(%321 init: %cst_76) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %323 = stablehlo.reshape %322 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %324 = call @_var_4(%145#1, %145#2, %145#3, %320) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %325 = stablehlo.add %319, %324 : tensor<6x12x16xf32>
    %cst_77 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %326 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %327 = stablehlo.divide %323, %326 : tensor<6x12x1xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %328 = stablehlo.reduce(%327 init: %cst_78) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %329 = stablehlo.broadcast_in_dim %328, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %330 = stablehlo.add %325, %329 : tensor<6x12x16xf32>
    %331 = stablehlo.dot_general %330, %138, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %332 = stablehlo.transpose %331, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %333 = stablehlo.dot_general %330, %arg18, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %334 = stablehlo.transpose %333, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %335 = stablehlo.dot_general %334, %117, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %336 = stablehlo.dot_general %334, %133, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %337 = stablehlo.transpose %336, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %338 = stablehlo.broadcast_in_dim %136, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %339 = stablehlo.multiply %335, %338 : tensor<6x6x12x12xf32>
    %340 = stablehlo.multiply %339, %129 : tensor<6x6x12x12xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %341 = stablehlo.reduce(%340 init: %cst_79) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %342 = stablehlo.reshape %341 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %343 = stablehlo.negate %342 : tensor<6x6x12x1xf32>
    %344 = stablehlo.broadcast_in_dim %131, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %345 = stablehlo.divide %335, %344 : tensor<6x6x12x12xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %346 = stablehlo.reduce(%343 init: %cst_80) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %347 = stablehlo.broadcast_in_dim %346, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %348 = stablehlo.add %345, %347 : tensor<6x6x12x12xf32>
    %349 = stablehlo.multiply %348, %129 : tensor<6x6x12x12xf32>
    %350 = call @_where_6(%122#1, %349) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_81 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %351 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %352 = stablehlo.divide %350, %351 : tensor<6x6x12x12xf32>
    %353 = stablehlo.dot_general %352, %113, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %354 = stablehlo.transpose %353, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %355 = stablehlo.dot_general %352, %115, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %356 = stablehlo.transpose %355, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %357 = stablehlo.broadcast_in_dim %337, dims = [1, 2, 3, 4] : (tensor<6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %358 = stablehlo.pad %357, %cst_82, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x6x12x6x4xf32>, tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %359 = stablehlo.broadcast_in_dim %354, dims = [1, 2, 3, 4] : (tensor<6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %360 = stablehlo.pad %359, %cst_83, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x6x12x6x4xf32>, tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %361 = stablehlo.add %358, %360 : tensor<3x6x12x6x4xf32>
    %362 = stablehlo.broadcast_in_dim %356, dims = [1, 2, 3, 4] : (tensor<6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %363 = stablehlo.pad %362, %cst_84, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x6x12x6x4xf32>, tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %364 = stablehlo.add %361, %363 : tensor<3x6x12x6x4xf32>
    %365 = stablehlo.transpose %364, dims = [0, 3, 4, 1, 2] : (tensor<3x6x12x6x4xf32>) -> tensor<3x6x4x6x12xf32>
    %366 = stablehlo.dot_general %365, %arg19, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x6x4x6x12xf32>, tensor<16x3x6x4xf32>) -> tensor<6x12x16xf32>
    %367 = stablehlo.add %330, %366 : tensor<6x12x16xf32>
    %368 = stablehlo.dot_general %365, %109, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x6x4x6x12xf32>, tensor<6x12x16xf32>) -> tensor<3x6x4x16xf32>
    %369 = stablehlo.transpose %368, dims = [3, 0, 1, 2] : (tensor<3x6x4x16xf32>) -> tensor<16x3x6x4xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %370 = stablehlo.reduce(%367 init: %cst_85) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %371 = stablehlo.reshape %370 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %372 = stablehlo.reduce(%371 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %373 = stablehlo.multiply %103, %367 : tensor<6x12x16xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %374 = stablehlo.reduce(%373 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %375 = stablehlo.reshape %374 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %376 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %377 = stablehlo.multiply %367, %376 : tensor<6x12x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %378 = stablehlo.reduce(%375 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %379 = stablehlo.multiply %95, %377 : tensor<6x12x16xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %380 = stablehlo.reduce(%379 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %381 = stablehlo.reshape %380 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %382 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %383 = stablehlo.multiply %377, %382 : tensor<6x12x16xf32>
    %384 = stablehlo.multiply %381, %101 : tensor<6x12x1xf32>
    %385 = stablehlo.negate %383 : tensor<6x12x16xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %386 = stablehlo.reduce(%385 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %387 = stablehlo.reshape %386 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %388 = call @_var_4(%93#1, %93#2, %93#3, %384) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %389 = stablehlo.add %383, %388 : tensor<6x12x16xf32>
    %cst_91 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %390 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %391 = stablehlo.divide %387, %390 : tensor<6x12x1xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %392 = stablehlo.reduce(%391 init: %cst_92) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %393 = stablehlo.broadcast_in_dim %392, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %394 = stablehlo.add %389, %393 : tensor<6x12x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %395 = stablehlo.reduce(%394 init: %cst_93) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %396 = stablehlo.reshape %395 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %397 = stablehlo.reduce(%396 init: %cst_94) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %398 = stablehlo.dot_general %394, %83, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %399 = stablehlo.transpose %398, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %400 = stablehlo.dot_general %394, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %401 = stablehlo.multiply %65, %400 : tensor<6x12x24xf32>
    %402 = stablehlo.multiply %400, %82 : tensor<6x12x24xf32>
    %cst_95 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %403 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %404 = stablehlo.multiply %403, %401 : tensor<6x12x24xf32>
    %405 = stablehlo.multiply %404, %78 : tensor<6x12x24xf32>
    %406 = stablehlo.multiply %405, %76 : tensor<6x12x24xf32>
    %407 = stablehlo.add %405, %406 : tensor<6x12x24xf32>
    %cst_96 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %408 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %409 = stablehlo.multiply %408, %407 : tensor<6x12x24xf32>
    %410 = stablehlo.add %402, %409 : tensor<6x12x24xf32>
    %cst_97 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %411 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %412 = stablehlo.multiply %411, %409 : tensor<6x12x24xf32>
    %413 = stablehlo.multiply %412, %70 : tensor<6x12x24xf32>
    %414 = stablehlo.add %410, %413 : tensor<6x12x24xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %415 = stablehlo.reduce(%414 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %416 = stablehlo.reshape %415 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %417 = stablehlo.reduce(%416 init: %cst_99) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %418 = stablehlo.dot_general %414, %61, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %419 = stablehlo.transpose %418, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %420 = stablehlo.dot_general %414, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %421 = stablehlo.add %394, %420 : tensor<6x12x16xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %422 = stablehlo.reduce(%421 init: %cst_100) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %423 = stablehlo.reshape %422 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.reduce(%423 init: %cst_101) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %425 = stablehlo.multiply %55, %421 : tensor<6x12x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %426 = stablehlo.reduce(%425 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %427 = stablehlo.reshape %426 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %428 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %429 = stablehlo.multiply %421, %428 : tensor<6x12x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %430 = stablehlo.reduce(%427 init: %cst_103) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %431 = stablehlo.multiply %47, %429 : tensor<6x12x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %432 = stablehlo.reduce(%431 init: %cst_104) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %433 = stablehlo.reshape %432 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %434 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %435 = stablehlo.multiply %429, %434 : tensor<6x12x16xf32>
    %436 = stablehlo.multiply %433, %53 : tensor<6x12x1xf32>
    %437 = stablehlo.negate %435 : tensor<6x12x16xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %438 = stablehlo.reduce(%437 init: %cst_105) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %439 = stablehlo.reshape %438 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %440 = call @_var_4(%45#1, %45#2, %45#3, %436) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %441 = stablehlo.add %435, %440 : tensor<6x12x16xf32>
    %cst_106 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %442 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %443 = stablehlo.divide %439, %442 : tensor<6x12x1xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %444 = stablehlo.reduce(%443 init: %cst_107) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %445 = stablehlo.broadcast_in_dim %444, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %446 = stablehlo.add %441, %445 : tensor<6x12x16xf32>
    %447 = stablehlo.dot_general %446, %38, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %448 = stablehlo.transpose %447, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %449 = stablehlo.dot_general %446, %arg8, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %450 = stablehlo.transpose %449, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %451 = stablehlo.dot_general %450, %17, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %452 = stablehlo.dot_general %450, %33, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %453 = stablehlo.transpose %452, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %454 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %455 = stablehlo.multiply %451, %454 : tensor<6x6x12x12xf32>
    %456 = stablehlo.multiply %455, %29 : tensor<6x6x12x12xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %457 = stablehlo.reduce(%456 init: %cst_108) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %458 = stablehlo.reshape %457 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %459 = stablehlo.negate %458 : tensor<6x6x12x1xf32>
    %460 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %461 = stablehlo.divide %451, %460 : tensor<6x6x12x12xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %462 = stablehlo.reduce(%459 init: %cst_109) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %463 = stablehlo.broadcast_in_dim %462, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %464 = stablehlo.add %461, %463 : tensor<6x6x12x12xf32>
    %465 = stablehlo.multiply %464, %29 : tensor<6x6x12x12xf32>
    %466 = call @_where_6(%22#1, %465) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_110 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %467 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %468 = stablehlo.divide %466, %467 : tensor<6x6x12x12xf32>
    %469 = stablehlo.dot_general %468, %13, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %470 = stablehlo.transpose %469, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %471 = stablehlo.dot_general %468, %15, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %472 = stablehlo.transpose %471, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %473 = stablehlo.broadcast_in_dim %453, dims = [1, 2, 3, 4] : (tensor<6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %474 = stablehlo.pad %473, %cst_111, low = [2, 0, 0, 0, 0], high = [0, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x6x12x6x4xf32>, tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %475 = stablehlo.broadcast_in_dim %470, dims = [1, 2, 3, 4] : (tensor<6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %476 = stablehlo.pad %475, %cst_112, low = [1, 0, 0, 0, 0], high = [1, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x6x12x6x4xf32>, tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %477 = stablehlo.add %474, %476 : tensor<3x6x12x6x4xf32>
    %478 = stablehlo.broadcast_in_dim %472, dims = [1, 2, 3, 4] : (tensor<6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %479 = stablehlo.pad %478, %cst_113, low = [0, 0, 0, 0, 0], high = [2, 0, 0, 0, 0], interior = [0, 0, 0, 0, 0] : (tensor<1x6x12x6x4xf32>, tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %480 = stablehlo.add %477, %479 : tensor<3x6x12x6x4xf32>
    %481 = stablehlo.transpose %480, dims = [0, 3, 4, 1, 2] : (tensor<3x6x12x6x4xf32>) -> tensor<3x6x4x6x12xf32>
    %482 = stablehlo.dot_general %481, %arg9, contracting_dims = [0, 1, 2] x [1, 2, 3], precision = [DEFAULT, DEFAULT] : (tensor<3x6x4x6x12xf32>, tensor<16x3x6x4xf32>) -> tensor<6x12x16xf32>
    %483 = stablehlo.add %446, %482 : tensor<6x12x16xf32>
    %484 = stablehlo.dot_general %481, %9, contracting_dims = [3, 4] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x6x4x6x12xf32>, tensor<6x12x16xf32>) -> tensor<3x6x4x16xf32>
    %485 = stablehlo.transpose %484, dims = [3, 0, 1, 2] : (tensor<3x6x4x16xf32>) -> tensor<16x3x6x4xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %486 = stablehlo.reduce(%483 init: %cst_114) applies stablehlo.add across dimensions = [0] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %487 = stablehlo.reshape %486 : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %488 = stablehlo.reduce(%487 init: %cst_115) applies stablehlo.add across dimensions = [0] : (tensor<1x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %489 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %490 = "stablehlo.scatter"(%489, %5, %483) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
      %491 = stablehlo.add %arg26, %arg27 : tensor<f32>
      stablehlo.return %491 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %234, %490, %250, %397, %399, %424, %430, %372, %378, %448, %485, %417, %419, %281, %283, %308, %314, %256, %262, %332, %369, %301, %303, %488 : tensor<f32>, tensor<60x16xf32>, tensor<16x3xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<6x4x16xf32>, tensor<16x3x6x4xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<6x4x16xf32>, tensor<16x3x6x4xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<12x16xf32>
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
