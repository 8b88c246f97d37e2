module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x3xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x6x4xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16xf32>, %arg9: tensor<6x4x16xf32>, %arg10: tensor<16x6x4xf32>, %arg11: tensor<24xf32>, %arg12: tensor<16x24xf32>, %arg13: tensor<16x6x4xf32>, %arg14: tensor<16xf32>, %arg15: tensor<24x16xf32>, %arg16: tensor<16x6x4xf32>, %arg17: tensor<16xf32>, %arg18: tensor<16xf32>, %arg19: tensor<16xf32>, %arg20: tensor<16xf32>, %arg21: tensor<6x4x16xf32>, %arg22: tensor<16x6x4xf32>, %arg23: tensor<24xf32>, %arg24: tensor<16x24xf32>, %arg25: tensor<16x6x4xf32>, %arg26: tensor<12x16xf32>, %arg27: tensor<6x12xi32>, %arg28: tensor<6x12xi1>, %arg29: tensor<6xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<16x3xf32> {jax.result_info = "result[1]['head']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['down']['b']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['down']['w']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['layers'][0]['key']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm2']['scale']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['layers'][0]['out']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['layers'][0]['query']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][0]['up']['b']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['up']['w']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['layers'][0]['value']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['down']['b']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['down']['w']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['layers'][1]['key']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm2']['scale']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['layers'][1]['out']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['layers'][1]['query']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][1]['up']['b']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['up']['w']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['layers'][1]['value']"}, tensor<12x16xf32> {jax.result_info = "result[1]['positions']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg27, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg27, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg27 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.broadcast_in_dim %arg26, dims = [1, 2] : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<1x12x16xf32>) -> tensor<6x12x16xf32>
    %9 = stablehlo.add %6, %8 : tensor<6x12x16xf32>
    %10 = stablehlo.dot_general %9, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %11 = stablehlo.dot_general %9, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %12 = stablehlo.dot_general %9, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %13 = stablehlo.broadcast_in_dim %arg28, dims = [0, 3] : (tensor<6x12xi1>) -> tensor<6x1x1x12xi1>
    %14 = stablehlo.dot_general %10, %11, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %16 = stablehlo.divide %14, %15 : tensor<6x6x12x12xf32>
    %cst_1 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %17:2 = call @_where(%13, %16, %cst_1) : (tensor<6x1x1x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.reduce(%17#0 init: %cst_2) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %20 = stablehlo.maximum %19, %18 : tensor<6x6x12xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %23 = stablehlo.subtract %17#0, %22 : tensor<6x6x12x12xf32>
    %24 = stablehlo.exponential %23 : tensor<6x6x12x12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_4) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %28 = stablehlo.divide %24, %27 : tensor<6x6x12x12xf32>
    %29 = stablehlo.multiply %26, %26 : tensor<6x6x12x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %31 = stablehlo.divide %30, %29 : tensor<6x6x12x1xf32>
    %32 = stablehlo.dot_general %12, %28, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %33 = stablehlo.transpose %32, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %34 = stablehlo.dot_general %33, %arg9, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %35 = stablehlo.add %9, %34 : tensor<6x12x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_7 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %39 = stablehlo.divide %37, %38 : tensor<6x12x1xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %40:4 = call @_var(%35, %c_8) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %41 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %42 = stablehlo.subtract %35, %41 : tensor<6x12x16xf32>
    %cst_9 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %44 = stablehlo.add %40#0, %43 : tensor<6x12x1xf32>
    %45 = stablehlo.rsqrt %44 : tensor<6x12x1xf32>
    %46 = stablehlo.divide %45, %44 : tensor<6x12x1xf32>
    %cst_10 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<6x12x1xf32>
    %49 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %50 = stablehlo.multiply %42, %49 : tensor<6x12x16xf32>
    %51 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %53 = stablehlo.multiply %50, %52 : tensor<6x12x16xf32>
    %54 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %56 = stablehlo.add %53, %55 : tensor<6x12x16xf32>
    %57 = stablehlo.dot_general %56, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %58 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %60 = stablehlo.add %57, %59 : tensor<6x12x24xf32>
    %61 = stablehlo.multiply %60, %60 : tensor<6x12x24xf32>
    %62 = stablehlo.multiply %61, %60 : tensor<6x12x24xf32>
    %63 = stablehlo.multiply %60, %60 : tensor<6x12x24xf32>
    %cst_11 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %65 = stablehlo.multiply %64, %63 : tensor<6x12x24xf32>
    %cst_12 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %67 = stablehlo.multiply %66, %62 : tensor<6x12x24xf32>
    %68 = stablehlo.add %60, %67 : tensor<6x12x24xf32>
    %cst_13 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<6x12x24xf32>
    %71 = stablehlo.tanh %70 : tensor<6x12x24xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %73 = stablehlo.subtract %72, %71 : tensor<6x12x24xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %75 = stablehlo.add %74, %71 : tensor<6x12x24xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<6x12x24xf32>
    %78 = stablehlo.multiply %60, %77 : tensor<6x12x24xf32>
    %79 = stablehlo.dot_general %78, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %80 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %82 = stablehlo.add %79, %81 : tensor<6x12x16xf32>
    %83 = stablehlo.add %56, %82 : tensor<6x12x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_18 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %87 = stablehlo.divide %85, %86 : tensor<6x12x1xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %88:4 = call @_var(%83, %c_19) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %89 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %90 = stablehlo.subtract %83, %89 : tensor<6x12x16xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %92 = stablehlo.add %88#0, %91 : tensor<6x12x1xf32>
    %93 = stablehlo.rsqrt %92 : tensor<6x12x1xf32>
    %94 = stablehlo.divide %93, %92 : tensor<6x12x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %96 = stablehlo.multiply %95, %94 : tensor<6x12x1xf32>
    %97 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %98 = stablehlo.multiply %90, %97 : tensor<6x12x16xf32>
    %99 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %101 = stablehlo.multiply %98, %100 : tensor<6x12x16xf32>
    %102 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %104 = stablehlo.add %101, %103 : tensor<6x12x16xf32>
    %105 = stablehlo.dot_general %104, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %106 = stablehlo.dot_general %104, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %107 = stablehlo.dot_general %104, %arg25, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %108 = stablehlo.broadcast_in_dim %arg28, dims = [0, 3] : (tensor<6x12xi1>) -> tensor<6x1x1x12xi1>
    %109 = stablehlo.dot_general %105, %106, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_22 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %111 = stablehlo.divide %109, %110 : tensor<6x6x12x12xf32>
    %cst_23 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %112:2 = call @_where(%108, %111, %cst_23) : (tensor<6x1x1x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_24 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %113 = stablehlo.reduce(%112#0 init: %cst_24) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %115 = stablehlo.maximum %114, %113 : tensor<6x6x12xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %118 = stablehlo.subtract %112#0, %117 : tensor<6x6x12x12xf32>
    %119 = stablehlo.exponential %118 : tensor<6x6x12x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.reduce(%119 init: %cst_26) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %123 = stablehlo.divide %119, %122 : tensor<6x6x12x12xf32>
    %124 = stablehlo.multiply %121, %121 : tensor<6x6x12x1xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %126 = stablehlo.divide %125, %124 : tensor<6x6x12x1xf32>
    %127 = stablehlo.dot_general %107, %123, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %128 = stablehlo.transpose %127, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %129 = stablehlo.dot_general %128, %arg21, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %130 = stablehlo.add %104, %129 : tensor<6x12x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.reduce(%130 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_29 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %134 = stablehlo.divide %132, %133 : tensor<6x12x1xf32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %135:4 = call @_var(%130, %c_30) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %136 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %137 = stablehlo.subtract %130, %136 : tensor<6x12x16xf32>
    %cst_31 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %139 = stablehlo.add %135#0, %138 : tensor<6x12x1xf32>
    %140 = stablehlo.rsqrt %139 : tensor<6x12x1xf32>
    %141 = stablehlo.divide %140, %139 : tensor<6x12x1xf32>
    %cst_32 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %143 = stablehlo.multiply %142, %141 : tensor<6x12x1xf32>
    %144 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %145 = stablehlo.multiply %137, %144 : tensor<6x12x16xf32>
    %146 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %148 = stablehlo.multiply %145, %147 : tensor<6x12x16xf32>
    %149 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %151 = stablehlo.add %148, %150 : tensor<6x12x16xf32>
    %152 = stablehlo.dot_general %151, %arg24, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %153 = stablehlo.broadcast_in_dim %arg23, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %155 = stablehlo.add %152, %154 : tensor<6x12x24xf32>
    %156 = stablehlo.multiply %155, %155 : tensor<6x12x24xf32>
    %157 = stablehlo.multiply %156, %155 : tensor<6x12x24xf32>
    %158 = stablehlo.multiply %155, %155 : tensor<6x12x24xf32>
    %cst_33 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %160 = stablehlo.multiply %159, %158 : tensor<6x12x24xf32>
    %cst_34 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %162 = stablehlo.multiply %161, %157 : tensor<6x12x24xf32>
    %163 = stablehlo.add %155, %162 : tensor<6x12x24xf32>
    %cst_35 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %165 = stablehlo.multiply %164, %163 : tensor<6x12x24xf32>
    %166 = stablehlo.tanh %165 : tensor<6x12x24xf32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %168 = stablehlo.subtract %167, %166 : tensor<6x12x24xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %170 = stablehlo.add %169, %166 : tensor<6x12x24xf32>
    %cst_38 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %172 = stablehlo.multiply %171, %170 : tensor<6x12x24xf32>
    %173 = stablehlo.multiply %155, %172 : tensor<6x12x24xf32>
    %174 = stablehlo.dot_general %173, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %175 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %177 = stablehlo.add %174, %176 : tensor<6x12x16xf32>
    %178 = stablehlo.add %151, %177 : tensor<6x12x16xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %180 = stablehlo.broadcast_in_dim %179, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_40 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %182 = stablehlo.divide %180, %181 : tensor<6x12x1xf32>
    %c_41 = stablehlo.constant dense<0> : tensor<i32>
    %183:4 = call @_var(%178, %c_41) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %184 = stablehlo.broadcast_in_dim %182, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %185 = stablehlo.subtract %178, %184 : tensor<6x12x16xf32>
    %cst_42 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %187 = stablehlo.add %183#0, %186 : tensor<6x12x1xf32>
    %188 = stablehlo.rsqrt %187 : tensor<6x12x1xf32>
    %189 = stablehlo.divide %188, %187 : tensor<6x12x1xf32>
    %cst_43 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %191 = stablehlo.multiply %190, %189 : tensor<6x12x1xf32>
    %192 = stablehlo.broadcast_in_dim %188, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %193 = stablehlo.multiply %185, %192 : tensor<6x12x16xf32>
    %194 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %196 = stablehlo.multiply %193, %195 : tensor<6x12x16xf32>
    %197 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %199 = stablehlo.add %196, %198 : tensor<6x12x16xf32>
    %200 = stablehlo.slice %199 [0:6, 0:1, 0:16] : (tensor<6x12x16xf32>) -> tensor<6x1x16xf32>
    %201 = stablehlo.reshape %200 : (tensor<6x1x16xf32>) -> tensor<6x16xf32>
    %202 = stablehlo.dot_general %201, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x3xf32>) -> tensor<6x3xf32>
    %203 = stablehlo.broadcast_in_dim %arg29, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %204:2 = call @take_along_axis(%202, %203) : (tensor<6x3xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c_44 = stablehlo.constant dense<0> : tensor<i32>
    %205:2 = call @_take(%204#0, %c_44) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %206 = stablehlo.reduce(%202 init: %cst_45) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_46 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %208 = stablehlo.maximum %207, %206 : tensor<6xf32>
    %209 = stablehlo.is_finite %208 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %211 = stablehlo.select %209, %208, %210 : tensor<6xi1>, tensor<6xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %214 = stablehlo.subtract %202, %213 : tensor<6x3xf32>
    %215 = stablehlo.exponential %214 : tensor<6x3xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.reduce(%215 init: %cst_48) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %217 = stablehlo.abs %216 : tensor<6xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %219 = stablehlo.compare GE, %216, %218, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %220 = stablehlo.log %217 : tensor<6xf32>
    %221 = stablehlo.add %220, %211 : tensor<6xf32>
    %222 = stablehlo.subtract %221, %205#0 : tensor<6xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.reduce(%222 init: %cst_50) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_51 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %224 = stablehlo.divide %223, %cst_51 : tensor<f32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_53 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %225 = stablehlo.divide %cst_52, %cst_53 : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %227 = stablehlo.negate %226 : tensor<6xf32>
    %228 = stablehlo.divide %226, %217 : tensor<6xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %230 = stablehlo.select %219, %229, %228 : tensor<6xi1>, tensor<6xf32>
    %231 = stablehlo.select %219, %228, %229 : tensor<6xi1>, tensor<6xf32>
    %232 = stablehlo.negate %230 : tensor<6xf32>
    %233 = stablehlo.add %231, %232 : tensor<6xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %235 = stablehlo.multiply %234, %215 : tensor<6x3xf32>
    %236 = call @_take_2(%205#1, %227) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %237 = call @take_along_axis_3(%204#1, %236) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x3xf32>
    %238 = stablehlo.add %235, %237 : tensor<6x3xf32>
    %239 = stablehlo.dot_general %238, %201, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x16xf32>) -> tensor<3x16xf32>
    %240 = stablehlo.transpose %239, dims = [1, 0] : (tensor<3x16xf32>) -> tensor<16x3xf32>
    %241 = stablehlo.dot_general %238, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<16x3xf32>) -> tensor<6x16xf32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [0, 2] : (tensor<6x16xf32>) -> tensor<6x1x16xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.pad %242, %cst_55, low = [0, 0, 0], high = [0, 11, 0], interior = [0, 0, 0] : (tensor<6x1x16xf32>, tensor<f32>) -> tensor<6x12x16xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%243 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %245 = stablehlo.reshape %244 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%245 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %247 = stablehlo.multiply %193, %243 : tensor<6x12x16xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %248 = stablehlo.reduce(%247 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %249 = stablehlo.reshape %248 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %250 = stablehlo.broadcast_in_dim %194, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %251 = stablehlo.multiply %243, %250 : tensor<6x12x16xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.reduce(%249 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %253 = stablehlo.multiply %185, %251 : tensor<6x12x16xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %254 = stablehlo.reduce(%253 init: %cst_60) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %255 = stablehlo.reshape %254 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %256 = stablehlo.broadcast_in_dim %188, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %257 = stablehlo.multiply %251, %256 : tensor<6x12x16xf32>
    %258 = stablehlo.multiply %255, %191 : tensor<6x12x1xf32>
    %259 = stablehlo.negate %257 : tensor<6x12x16xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %260 = stablehlo.reduce(%259 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %261 = stablehlo.reshape %260 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %262 = call @_var_4(%183#1, %183#2, %183#3, %258) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %263 = stablehlo.add %257, %262 : tensor<6x12x16xf32>
    %cst_62 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %265 = stablehlo.divide %261, %264 : tensor<6x12x1xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %266 = stablehlo.reduce(%265 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %267 = stablehlo.broadcast_in_dim %266, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %268 = stablehlo.add %263, %267 : tensor<6x12x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %269 = stablehlo.reduce(%268 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %270 = stablehlo.reshape %269 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.reduce(%270 init: %cst_65) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %272 = stablehlo.dot_general %268, %173, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %273 = stablehlo.transpose %272, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %274 = stablehlo.dot_general %268, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %275 = stablehlo.multiply %155, %274 : tensor<6x12x24xf32>
    %276 = stablehlo.multiply %274, %172 : tensor<6x12x24xf32>
    %cst_66 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %277 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %278 = stablehlo.multiply %277, %275 : tensor<6x12x24xf32>
    %279 = stablehlo.multiply %278, %168 : tensor<6x12x24xf32>
    %280 = stablehlo.multiply %279, %166 : tensor<6x12x24xf32>
    %281 = stablehlo.add %279, %280 : tensor<6x12x24xf32>
    %cst_67 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %283 = stablehlo.multiply %282, %281 : tensor<6x12x24xf32>
    %284 = stablehlo.add %276, %283 : tensor<6x12x24xf32>
    %cst_68 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %285 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %286 = stablehlo.multiply %285, %283 : tensor<6x12x24xf32>
    %287 = stablehlo.multiply %286, %160 : tensor<6x12x24xf32>
    %288 = stablehlo.add %284, %287 : tensor<6x12x24xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %289 = stablehlo.reduce(%288 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %290 = stablehlo.reshape %289 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.reduce(%290 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %292 = stablehlo.dot_general %288, %151, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %293 = stablehlo.transpose %292, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %294 = stablehlo.dot_general %288, %arg24, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %295 = stablehlo.add %268, %294 : tensor<6x12x16xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %296 = stablehlo.reduce(%295 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %297 = stablehlo.reshape %296 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %298 = stablehlo.reduce(%297 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %299 = stablehlo.multiply %145, %295 : tensor<6x12x16xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %300 = stablehlo.reduce(%299 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %301 = stablehlo.reshape %300 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %302 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %303 = stablehlo.multiply %295, %302 : tensor<6x12x16xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %304 = stablehlo.reduce(%301 init: %cst_74) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %305 = stablehlo.multiply %137, %303 : tensor<6x12x16xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%305 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %307 = stablehlo.reshape %306 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %308 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %309 = stablehlo.multiply %303, %308 : tensor<6x12x16xf32>
    %310 = stablehlo.multiply %307, %143 : tensor<6x12x1xf32>
    %311 = stablehlo.negate %309 : tensor<6x12x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %312 = stablehlo.reduce(%311 init: %cst_76) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %313 = stablehlo.reshape %312 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %314 = call @_var_4(%135#1, %135#2, %135#3, %310) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %315 = stablehlo.add %309, %314 : tensor<6x12x16xf32>
    %cst_77 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %316 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %317 = stablehlo.divide %313, %316 : tensor<6x12x1xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.reduce(%317 init: %cst_78) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %319 = stablehlo.broadcast_in_dim %318, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %320 = stablehlo.add %315, %319 : tensor<6x12x16xf32>
    %321 = stablehlo.dot_general %320, %128, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %322 = stablehlo.transpose %321, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %323 = stablehlo.dot_general %320, %arg21, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %324 = stablehlo.transpose %323, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %325 = stablehlo.dot_general %324, %107, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %326 = stablehlo.dot_general %324, %123, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %327 = stablehlo.transpose %326, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %328 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %329 = stablehlo.multiply %325, %328 : tensor<6x6x12x12xf32>
    %330 = stablehlo.multiply %329, %119 : tensor<6x6x12x12xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_79) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %332 = stablehlo.reshape %331 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %333 = stablehlo.negate %332 : tensor<6x6x12x1xf32>
    %334 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %335 = stablehlo.divide %325, %334 : tensor<6x6x12x12xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.reduce(%333 init: %cst_80) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %337 = stablehlo.broadcast_in_dim %336, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %338 = stablehlo.add %335, %337 : tensor<6x6x12x12xf32>
    %339 = stablehlo.multiply %338, %119 : tensor<6x6x12x12xf32>
    %340 = call @_where_6(%112#1, %339) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_81 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %341 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %342 = stablehlo.divide %340, %341 : tensor<6x6x12x12xf32>
    %343 = stablehlo.dot_general %342, %105, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %344 = stablehlo.transpose %343, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %345 = stablehlo.dot_general %342, %106, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %346 = stablehlo.transpose %345, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %347 = stablehlo.dot_general %327, %104, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %348 = stablehlo.transpose %347, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %349 = stablehlo.dot_general %327, %arg25, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %350 = stablehlo.add %320, %349 : tensor<6x12x16xf32>
    %351 = stablehlo.dot_general %344, %104, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %352 = stablehlo.transpose %351, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %353 = stablehlo.dot_general %344, %arg16, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %354 = stablehlo.add %350, %353 : tensor<6x12x16xf32>
    %355 = stablehlo.dot_general %346, %104, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %356 = stablehlo.transpose %355, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %357 = stablehlo.dot_general %346, %arg22, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %358 = stablehlo.add %354, %357 : tensor<6x12x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %359 = stablehlo.reduce(%358 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %360 = stablehlo.reshape %359 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.reduce(%360 init: %cst_83) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %362 = stablehlo.multiply %98, %358 : tensor<6x12x16xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %363 = stablehlo.reduce(%362 init: %cst_84) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %364 = stablehlo.reshape %363 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %365 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %366 = stablehlo.multiply %358, %365 : tensor<6x12x16xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %367 = stablehlo.reduce(%364 init: %cst_85) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %368 = stablehlo.multiply %90, %366 : tensor<6x12x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %369 = stablehlo.reduce(%368 init: %cst_86) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %370 = stablehlo.reshape %369 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %371 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %372 = stablehlo.multiply %366, %371 : tensor<6x12x16xf32>
    %373 = stablehlo.multiply %370, %96 : tensor<6x12x1xf32>
    %374 = stablehlo.negate %372 : tensor<6x12x16xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %375 = stablehlo.reduce(%374 init: %cst_87) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %376 = stablehlo.reshape %375 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %377 = call @_var_4(%88#1, %88#2, %88#3, %373) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %378 = stablehlo.add %372, %377 : tensor<6x12x16xf32>
    %cst_88 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %380 = stablehlo.divide %376, %379 : tensor<6x12x1xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %381 = stablehlo.reduce(%380 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %382 = stablehlo.broadcast_in_dim %381, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %383 = stablehlo.add %378, %382 : tensor<6x12x16xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %384 = stablehlo.reduce(%383 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %385 = stablehlo.reshape %384 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %386 = stablehlo.reduce(%385 init: %cst_91) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %387 = stablehlo.dot_general %383, %78, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %388 = stablehlo.transpose %387, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %389 = stablehlo.dot_general %383, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %390 = stablehlo.multiply %60, %389 : tensor<6x12x24xf32>
    %391 = stablehlo.multiply %389, %77 : tensor<6x12x24xf32>
    %cst_92 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %393 = stablehlo.multiply %392, %390 : tensor<6x12x24xf32>
    %394 = stablehlo.multiply %393, %73 : tensor<6x12x24xf32>
    %395 = stablehlo.multiply %394, %71 : tensor<6x12x24xf32>
    %396 = stablehlo.add %394, %395 : tensor<6x12x24xf32>
    %cst_93 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %397 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %398 = stablehlo.multiply %397, %396 : tensor<6x12x24xf32>
    %399 = stablehlo.add %391, %398 : tensor<6x12x24xf32>
    %cst_94 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %400 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %401 = stablehlo.multiply %400, %398 : tensor<6x12x24xf32>
    %402 = stablehlo.multiply %401, %65 : tensor<6x12x24xf32>
    %403 = stablehlo.add %399, %402 : tensor<6x12x24xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %404 = stablehlo.reduce(%403 init: %cst_95) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %405 = stablehlo.reshape %404 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %406 = stablehlo.reduce(%405 init: %cst_96) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %407 = stablehlo.dot_general %403, %56, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %408 = stablehlo.transpose %407, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %409 = stablehlo.dot_general %403, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %410 = stablehlo.add %383, %409 : tensor<6x12x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %411 = stablehlo.reduce(%410 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %412 = stablehlo.reshape %411 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %413 = stablehlo.reduce(%412 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %414 = stablehlo.multiply %50, %410 : tensor<6x12x16xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %415 = stablehlo.reduce(%414 init: %cst_99) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %416 = stablehlo.reshape %415 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %417 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %418 = stablehlo.multiply %410, %417 : tensor<6x12x16xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %419 = stablehlo.reduce(%416 init: %cst_100) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %420 = stablehlo.multiply %42, %418 : tensor<6x12x16xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %421 = stablehlo.reduce(%420 init: %cst_101) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %422 = stablehlo.reshape %421 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %423 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %424 = stablehlo.multiply %418, %423 : tensor<6x12x16xf32>
    %425 = stablehlo.multiply %422, %48 : tensor<6x12x1xf32>
    %426 = stablehlo.negate %424 : tensor<6x12x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %427 = stablehlo.reduce(%426 init: %cst_102) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %428 = stablehlo.reshape %427 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %429 = call @_var_4(%40#1, %40#2, %40#3, %425) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %430 = stablehlo.add %424, %429 : tensor<6x12x16xf32>
    %cst_103 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %432 = stablehlo.divide %428, %431 : tensor<6x12x1xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %433 = stablehlo.reduce(%432 init: %cst_104) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %434 = stablehlo.broadcast_in_dim %433, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %435 = stablehlo.add %430, %434 : tensor<6x12x16xf32>
    %436 = stablehlo.dot_general %435, %33, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %437 = stablehlo.transpose %436, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %438 = stablehlo.dot_general %435, %arg9, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %439 = stablehlo.transpose %438, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %440 = stablehlo.dot_general %439, %12, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %441 = stablehlo.dot_general %439, %28, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %442 = stablehlo.transpose %441, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %443 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %444 = stablehlo.multiply %440, %443 : tensor<6x6x12x12xf32>
    %445 = stablehlo.multiply %444, %24 : tensor<6x6x12x12xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%445 init: %cst_105) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %447 = stablehlo.reshape %446 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %448 = stablehlo.negate %447 : tensor<6x6x12x1xf32>
    %449 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %450 = stablehlo.divide %440, %449 : tensor<6x6x12x12xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %451 = stablehlo.reduce(%448 init: %cst_106) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %452 = stablehlo.broadcast_in_dim %451, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %453 = stablehlo.add %450, %452 : tensor<6x6x12x12xf32>
    %454 = stablehlo.multiply %453, %24 : tensor<6x6x12x12xf32>
    %455 = call @_where_6(%17#1, %454) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_107 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %457 = stablehlo.divide %455, %456 : tensor<6x6x12x12xf32>
    %458 = stablehlo.dot_general %457, %10, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %459 = stablehlo.transpose %458, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %460 = stablehlo.dot_general %457, %11, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %461 = stablehlo.transpose %460, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %462 = stablehlo.dot_general %442, %9, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %463 = stablehlo.transpose %462, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %464 = stablehlo.dot_general %442, %arg13, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %465 = stablehlo.add %435, %464 : tensor<6x12x16xf32>
    %466 = stablehlo.dot_general %459, %9, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %467 = stablehlo.transpose %466, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %468 = stablehlo.dot_general %459, %arg4, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %469 = stablehlo.add %465, %468 : tensor<6x12x16xf32>
    %470 = stablehlo.dot_general %461, %9, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %471 = stablehlo.transpose %470, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %472 = stablehlo.dot_general %461, %arg10, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %473 = stablehlo.add %469, %472 : tensor<6x12x16xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %474 = stablehlo.reduce(%473 init: %cst_108) applies stablehlo.add across dimensions = [0] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %475 = stablehlo.reshape %474 : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %476 = stablehlo.reduce(%475 init: %cst_109) applies stablehlo.add across dimensions = [0] : (tensor<1x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %477 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %478 = "stablehlo.scatter"(%477, %5, %473) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg30: tensor<f32>, %arg31: tensor<f32>):
      %479 = stablehlo.add %arg30, %arg31 : tensor<f32>
      stablehlo.return %479 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %224, %478, %240, %386, %388, %467, %413, %419, %361, %367, %437, %471, %406, %408, %463, %271, %273, %352, %298, %304, %246, %252, %322, %356, %291, %293, %348, %476 : tensor<f32>, tensor<60x16xf32>, tensor<16x3xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x6x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<16x6x4xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x6x4xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<16x6x4xf32>, tensor<12x16xf32>
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
