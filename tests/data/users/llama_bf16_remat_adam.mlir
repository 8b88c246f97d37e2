module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<i32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<60x16xf32> {tf.aliasing_output = 1 : i32}, %arg2: tensor<16x60xf32> {tf.aliasing_output = 2 : i32}, %arg3: tensor<16xf32> {tf.aliasing_output = 3 : i32}, %arg4: tensor<24x16xf32> {tf.aliasing_output = 4 : i32}, %arg5: tensor<16x24xf32> {tf.aliasing_output = 5 : i32}, %arg6: tensor<16xf32> {tf.aliasing_output = 6 : i32}, %arg7: tensor<16x24xf32> {tf.aliasing_output = 7 : i32}, %arg8: tensor<16x8xf32> {tf.aliasing_output = 8 : i32}, %arg9: tensor<24x16xf32> {tf.aliasing_output = 9 : i32}, %arg10: tensor<16x24xf32> {tf.aliasing_output = 10 : i32}, %arg11: tensor<16x8xf32> {tf.aliasing_output = 11 : i32}, %arg12: tensor<16xf32> {tf.aliasing_output = 12 : i32}, %arg13: tensor<60x16xf32> {tf.aliasing_output = 13 : i32}, %arg14: tensor<16x60xf32> {tf.aliasing_output = 14 : i32}, %arg15: tensor<16xf32> {tf.aliasing_output = 15 : i32}, %arg16: tensor<24x16xf32> {tf.aliasing_output = 16 : i32}, %arg17: tensor<16x24xf32> {tf.aliasing_output = 17 : i32}, %arg18: tensor<16xf32> {tf.aliasing_output = 18 : i32}, %arg19: tensor<16x24xf32> {tf.aliasing_output = 19 : i32}, %arg20: tensor<16x8xf32> {tf.aliasing_output = 20 : i32}, %arg21: tensor<24x16xf32> {tf.aliasing_output = 21 : i32}, %arg22: tensor<16x24xf32> {tf.aliasing_output = 22 : i32}, %arg23: tensor<16x8xf32> {tf.aliasing_output = 23 : i32}, %arg24: tensor<16xf32> {tf.aliasing_output = 24 : i32}, %arg25: tensor<60x16xf32> {tf.aliasing_output = 25 : i32}, %arg26: tensor<16x60xf32> {tf.aliasing_output = 26 : i32}, %arg27: tensor<16xf32> {tf.aliasing_output = 27 : i32}, %arg28: tensor<24x16xf32> {tf.aliasing_output = 28 : i32}, %arg29: tensor<16x24xf32> {tf.aliasing_output = 29 : i32}, %arg30: tensor<16xf32> {tf.aliasing_output = 30 : i32}, %arg31: tensor<16x24xf32> {tf.aliasing_output = 31 : i32}, %arg32: tensor<16x8xf32> {tf.aliasing_output = 32 : i32}, %arg33: tensor<24x16xf32> {tf.aliasing_output = 33 : i32}, %arg34: tensor<16x24xf32> {tf.aliasing_output = 34 : i32}, %arg35: tensor<16x8xf32> {tf.aliasing_output = 35 : i32}, %arg36: tensor<16xf32> {tf.aliasing_output = 36 : i32}, %arg37: tensor<i32> {tf.aliasing_output = 37 : i32}, %arg38: tensor<6x12xi32>, %arg39: tensor<6x12xi32>) -> (tensor<i32> {jax.result_info = "result[0]['optimizer'][0].count"}, tensor<60x16xf32> {jax.result_info = "result[0]['optimizer'][0].mu['embed']"}, tensor<16x60xf32> {jax.result_info = "result[0]['optimizer'][0].mu['head']"}, tensor<16xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[0]['optimizer'][0].mu['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[0]['optimizer'][0].mu['norm']"}, tensor<60x16xf32> {jax.result_info = "result[0]['optimizer'][0].nu['embed']"}, tensor<16x60xf32> {jax.result_info = "result[0]['optimizer'][0].nu['head']"}, tensor<16xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[0]['optimizer'][0].nu['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[0]['optimizer'][0].nu['norm']"}, tensor<60x16xf32> {jax.result_info = "result[0]['params']['embed']"}, tensor<16x60xf32> {jax.result_info = "result[0]['params']['head']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[0]['params']['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['params']['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[0]['params']['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[0]['params']['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[0]['params']['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[0]['params']['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[0]['params']['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['norm']"}, tensor<i32> {jax.result_info = "result[0]['step']"}, tensor<f32> {jax.result_info = "result[1]"}, tensor<f32> {jax.result_info = "result[2]['accuracy']"}) {
    %0 = stablehlo.convert %arg25 : (tensor<60x16xf32>) -> tensor<60x16xbf16>
    %1 = stablehlo.convert %arg26 : (tensor<16x60xf32>) -> tensor<16x60xbf16>
    %2 = stablehlo.convert %arg27 : (tensor<16xf32>) -> tensor<16xbf16>
    %3 = stablehlo.convert %arg28 : (tensor<24x16xf32>) -> tensor<24x16xbf16>
    %4 = stablehlo.convert %arg29 : (tensor<16x24xf32>) -> tensor<16x24xbf16>
    %5 = stablehlo.convert %arg30 : (tensor<16xf32>) -> tensor<16xbf16>
    %6 = stablehlo.convert %arg31 : (tensor<16x24xf32>) -> tensor<16x24xbf16>
    %7 = stablehlo.convert %arg32 : (tensor<16x8xf32>) -> tensor<16x8xbf16>
    %8 = stablehlo.convert %arg33 : (tensor<24x16xf32>) -> tensor<24x16xbf16>
    %9 = stablehlo.convert %arg34 : (tensor<16x24xf32>) -> tensor<16x24xbf16>
    %10 = stablehlo.convert %arg35 : (tensor<16x8xf32>) -> tensor<16x8xbf16>
    %11 = stablehlo.convert %arg36 : (tensor<16xf32>) -> tensor<16xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %12 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %13 = stablehlo.compare LT, %arg38, %12, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %14 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %15 = stablehlo.add %arg38, %14 : tensor<6x12xi32>
    %16 = stablehlo.select %13, %15, %arg38 : tensor<6x12xi1>, tensor<6x12xi32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %18 = "stablehlo.gather"(%0, %17) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xbf16>, tensor<6x12x1xi32>) -> tensor<6x12x16xbf16>
    %19 = stablehlo.iota dim = 0 : tensor<12xi32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [1] : (tensor<12xi32>) -> tensor<6x12xi32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %21 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %22 = call @tril(%21) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %23 = stablehlo.convert %20 : (tensor<6x12xi32>) -> tensor<6x12xbf16>
    %24 = stablehlo.multiply %18, %18 : tensor<6x12x16xbf16>
    %25 = stablehlo.convert %24 : (tensor<6x12x16xbf16>) -> tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%25 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %29 = stablehlo.divide %27, %28 : tensor<6x12x1xf32>
    %30 = stablehlo.convert %29 : (tensor<6x12x1xf32>) -> tensor<6x12x1xbf16>
    %cst_3 = stablehlo.constant dense<9.983770e-07> : tensor<bf16>
    %31 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<6x12x1xbf16>
    %32 = stablehlo.add %30, %31 : tensor<6x12x1xbf16>
    %33 = stablehlo.rsqrt %32 : tensor<6x12x1xbf16>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<6x12x1xbf16>) -> tensor<6x12x16xbf16>
    %35 = stablehlo.multiply %18, %34 : tensor<6x12x16xbf16>
    %36 = stablehlo.broadcast_in_dim %2, dims = [2] : (tensor<16xbf16>) -> tensor<1x1x16xbf16>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<1x1x16xbf16>) -> tensor<6x12x16xbf16>
    %38 = stablehlo.multiply %35, %37 : tensor<6x12x16xbf16>
    %39 = stablehlo.dot_general %38, %9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<16x24xbf16>) -> tensor<6x12x24xbf16>
    %40 = stablehlo.reshape %39 : (tensor<6x12x24xbf16>) -> tensor<6x12x6x4xbf16>
    %41 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<6x12xbf16>) -> tensor<6x12x1x1xbf16>
    %42 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %43 = stablehlo.convert %42 : (tensor<2xi32>) -> tensor<2xf32>
    %44 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %45 = stablehlo.power %44, %43 : tensor<2xf32>
    %46 = stablehlo.convert %41 : (tensor<6x12x1x1xbf16>) -> tensor<6x12x1x1xf32>
    %47 = stablehlo.broadcast_in_dim %45, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %48 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %49 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %50 = stablehlo.multiply %48, %49 : tensor<6x12x1x2xf32>
    %51 = stablehlo.slice %40 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xbf16>) -> tensor<6x12x6x2xbf16>
    %52 = stablehlo.slice %40 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xbf16>) -> tensor<6x12x6x2xbf16>
    %53 = stablehlo.cosine %50 : tensor<6x12x1x2xf32>
    %54 = stablehlo.convert %51 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %55 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %56 = stablehlo.multiply %54, %55 : tensor<6x12x6x2xf32>
    %57 = stablehlo.sine %50 : tensor<6x12x1x2xf32>
    %58 = stablehlo.convert %52 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %59 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %60 = stablehlo.multiply %58, %59 : tensor<6x12x6x2xf32>
    %61 = stablehlo.subtract %56, %60 : tensor<6x12x6x2xf32>
    %62 = stablehlo.sine %50 : tensor<6x12x1x2xf32>
    %63 = stablehlo.convert %51 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %64 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %65 = stablehlo.multiply %63, %64 : tensor<6x12x6x2xf32>
    %66 = stablehlo.cosine %50 : tensor<6x12x1x2xf32>
    %67 = stablehlo.convert %52 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %68 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %69 = stablehlo.multiply %67, %68 : tensor<6x12x6x2xf32>
    %70 = stablehlo.add %65, %69 : tensor<6x12x6x2xf32>
    %71 = stablehlo.concatenate %61, %70, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %72 = stablehlo.dot_general %38, %7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<16x8xbf16>) -> tensor<6x12x8xbf16>
    %73 = stablehlo.reshape %72 : (tensor<6x12x8xbf16>) -> tensor<6x12x2x4xbf16>
    %74 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<6x12xbf16>) -> tensor<6x12x1x1xbf16>
    %75 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %76 = stablehlo.convert %75 : (tensor<2xi32>) -> tensor<2xf32>
    %77 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %78 = stablehlo.power %77, %76 : tensor<2xf32>
    %79 = stablehlo.convert %74 : (tensor<6x12x1x1xbf16>) -> tensor<6x12x1x1xf32>
    %80 = stablehlo.broadcast_in_dim %78, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %81 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %82 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %83 = stablehlo.multiply %81, %82 : tensor<6x12x1x2xf32>
    %84 = stablehlo.slice %73 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xbf16>) -> tensor<6x12x2x2xbf16>
    %85 = stablehlo.slice %73 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xbf16>) -> tensor<6x12x2x2xbf16>
    %86 = stablehlo.cosine %83 : tensor<6x12x1x2xf32>
    %87 = stablehlo.convert %84 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %88 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %89 = stablehlo.multiply %87, %88 : tensor<6x12x2x2xf32>
    %90 = stablehlo.sine %83 : tensor<6x12x1x2xf32>
    %91 = stablehlo.convert %85 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %92 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %93 = stablehlo.multiply %91, %92 : tensor<6x12x2x2xf32>
    %94 = stablehlo.subtract %89, %93 : tensor<6x12x2x2xf32>
    %95 = stablehlo.sine %83 : tensor<6x12x1x2xf32>
    %96 = stablehlo.convert %84 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %97 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %98 = stablehlo.multiply %96, %97 : tensor<6x12x2x2xf32>
    %99 = stablehlo.cosine %83 : tensor<6x12x1x2xf32>
    %100 = stablehlo.convert %85 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %101 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %102 = stablehlo.multiply %100, %101 : tensor<6x12x2x2xf32>
    %103 = stablehlo.add %98, %102 : tensor<6x12x2x2xf32>
    %104 = stablehlo.concatenate %94, %103, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %105 = stablehlo.dot_general %38, %10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<16x8xbf16>) -> tensor<6x12x8xbf16>
    %106 = stablehlo.reshape %105 : (tensor<6x12x8xbf16>) -> tensor<6x12x2x4xbf16>
    %107 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %108 = stablehlo.reshape %107 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %109 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xbf16>) -> tensor<6x12x2x3x4xbf16>
    %110 = stablehlo.reshape %109 : (tensor<6x12x2x3x4xbf16>) -> tensor<6x12x6x4xbf16>
    %111 = stablehlo.dot_general %71, %108, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %113 = stablehlo.divide %111, %112 : tensor<6x6x12x12xf32>
    %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %114 = call @_where(%22, %113, %cst_7) : (tensor<12x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12x12xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %117 = stablehlo.maximum %116, %115 : tensor<6x6x12xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %120 = stablehlo.subtract %114, %119 : tensor<6x6x12x12xf32>
    %121 = stablehlo.exponential %120 : tensor<6x6x12x12xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_10) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %125 = stablehlo.divide %121, %124 : tensor<6x6x12x12xf32>
    %126 = stablehlo.convert %110 : (tensor<6x12x6x4xbf16>) -> tensor<6x12x6x4xf32>
    %127 = stablehlo.convert %125 : tensor<6x6x12x12xf32>
    %128 = stablehlo.dot_general %126, %127, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %129 = stablehlo.transpose %128, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %130 = stablehlo.reshape %129 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %131 = stablehlo.convert %130 : tensor<6x12x24xf32>
    %132 = stablehlo.convert %8 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    %133 = stablehlo.dot_general %131, %132, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %134 = stablehlo.convert %18 : (tensor<6x12x16xbf16>) -> tensor<6x12x16xf32>
    %135 = stablehlo.add %134, %133 : tensor<6x12x16xf32>
    %136 = stablehlo.multiply %135, %135 : tensor<6x12x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_12 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %140 = stablehlo.divide %138, %139 : tensor<6x12x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %142 = stablehlo.add %140, %141 : tensor<6x12x1xf32>
    %143 = stablehlo.rsqrt %142 : tensor<6x12x1xf32>
    %144 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %145 = stablehlo.multiply %135, %144 : tensor<6x12x16xf32>
    %146 = stablehlo.convert %5 : (tensor<16xbf16>) -> tensor<16xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %149 = stablehlo.multiply %145, %148 : tensor<6x12x16xf32>
    %150 = stablehlo.convert %149 : tensor<6x12x16xf32>
    %151 = stablehlo.convert %4 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %152 = stablehlo.dot_general %150, %151, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %153 = call @silu(%152) : (tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %154 = stablehlo.convert %149 : tensor<6x12x16xf32>
    %155 = stablehlo.convert %6 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %156 = stablehlo.dot_general %154, %155, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %157 = stablehlo.multiply %153, %156 : tensor<6x12x24xf32>
    %158 = stablehlo.convert %157 : tensor<6x12x24xf32>
    %159 = stablehlo.convert %3 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    %160 = stablehlo.dot_general %158, %159, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %161 = stablehlo.add %135, %160 : tensor<6x12x16xf32>
    %162 = stablehlo.multiply %161, %161 : tensor<6x12x16xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.reduce(%162 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_15 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %166 = stablehlo.divide %164, %165 : tensor<6x12x1xf32>
    %cst_16 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %168 = stablehlo.add %166, %167 : tensor<6x12x1xf32>
    %169 = stablehlo.rsqrt %168 : tensor<6x12x1xf32>
    %170 = stablehlo.divide %169, %168 : tensor<6x12x1xf32>
    %cst_17 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %172 = stablehlo.multiply %171, %170 : tensor<6x12x1xf32>
    %173 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %174 = stablehlo.multiply %161, %173 : tensor<6x12x16xf32>
    %175 = stablehlo.convert %11 : (tensor<16xbf16>) -> tensor<16xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %178 = stablehlo.multiply %174, %177 : tensor<6x12x16xf32>
    %179 = stablehlo.convert %178 : tensor<6x12x16xf32>
    %180 = stablehlo.convert %1 : (tensor<16x60xbf16>) -> tensor<16x60xf32>
    %181 = stablehlo.dot_general %179, %180, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %182 = stablehlo.broadcast_in_dim %arg39, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %183:2 = call @take_along_axis(%181, %182) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %184:2 = call @_take(%183#0, %c_18) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %185 = stablehlo.reduce(%181 init: %cst_19) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %187 = stablehlo.maximum %186, %185 : tensor<6x12xf32>
    %188 = stablehlo.is_finite %187 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %190 = stablehlo.select %188, %187, %189 : tensor<6x12xi1>, tensor<6x12xf32>
    %191 = stablehlo.broadcast_in_dim %190, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %193 = stablehlo.subtract %181, %192 : tensor<6x12x60xf32>
    %194 = stablehlo.exponential %193 : tensor<6x12x60xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %195 = stablehlo.reduce(%194 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %196 = stablehlo.abs %195 : tensor<6x12xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %198 = stablehlo.compare GE, %195, %197, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %199 = stablehlo.log %196 : tensor<6x12xf32>
    %200 = stablehlo.add %199, %190 : tensor<6x12xf32>
    %201 = stablehlo.subtract %200, %184#0 : tensor<6x12xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = stablehlo.reduce(%201 init: %cst_24) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_25 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %203 = stablehlo.divide %202, %cst_25 : tensor<f32>
    %204 = call @argmax(%181) : (tensor<6x12x60xf32>) -> tensor<6x12xi32>
    %205 = stablehlo.compare EQ, %204, %arg39, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %206 = stablehlo.convert %205 : (tensor<6x12xi1>) -> tensor<6x12xi32>
    %207 = stablehlo.convert %206 : (tensor<6x12xi32>) -> tensor<6x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.reduce(%207 init: %cst_26) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_27 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %209 = stablehlo.divide %208, %cst_27 : tensor<f32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_29 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %210 = stablehlo.divide %cst_28, %cst_29 : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %210, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %212 = stablehlo.negate %211 : tensor<6x12xf32>
    %213 = stablehlo.divide %211, %196 : tensor<6x12xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %215 = stablehlo.select %198, %214, %213 : tensor<6x12xi1>, tensor<6x12xf32>
    %216 = stablehlo.select %198, %213, %214 : tensor<6x12xi1>, tensor<6x12xf32>
    %217 = stablehlo.negate %215 : tensor<6x12xf32>
    %218 = stablehlo.add %216, %217 : tensor<6x12xf32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %220 = stablehlo.multiply %219, %194 : tensor<6x12x60xf32>
    %221 = call @_take_1(%184#1, %212) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %222 = call @take_along_axis_2(%183#1, %221) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %223 = stablehlo.add %220, %222 : tensor<6x12x60xf32>
    %224 = stablehlo.dot_general %223, %178, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %225 = stablehlo.transpose %224, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %226 = stablehlo.convert %225 : (tensor<16x60xf32>) -> tensor<16x60xbf16>
    %227 = stablehlo.convert %223 : tensor<6x12x60xf32>
    %228 = stablehlo.convert %1 : (tensor<16x60xbf16>) -> tensor<16x60xf32>
    %229 = stablehlo.dot_general %227, %228, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %230 = stablehlo.multiply %174, %229 : tensor<6x12x16xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %231 = stablehlo.reduce(%230 init: %cst_31) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %232 = stablehlo.reshape %231 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %233 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %234 = stablehlo.multiply %229, %233 : tensor<6x12x16xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %235 = stablehlo.reduce(%232 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %236 = stablehlo.convert %235 : (tensor<16xf32>) -> tensor<16xbf16>
    %237 = stablehlo.multiply %161, %234 : tensor<6x12x16xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %239 = stablehlo.reshape %238 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %240 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %241 = stablehlo.multiply %234, %240 : tensor<6x12x16xf32>
    %242 = stablehlo.multiply %239, %172 : tensor<6x12x1xf32>
    %cst_34 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %244 = stablehlo.divide %242, %243 : tensor<6x12x1xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %245 = stablehlo.reduce(%244 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %246 = stablehlo.broadcast_in_dim %245, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %247 = stablehlo.multiply %161, %246 : tensor<6x12x16xf32>
    %248 = stablehlo.add %241, %247 : tensor<6x12x16xf32>
    %249 = stablehlo.multiply %246, %161 : tensor<6x12x16xf32>
    %250 = stablehlo.add %248, %249 : tensor<6x12x16xf32>
    %251:13 = stablehlo.optimization_barrier %2, %3, %4, %5, %6, %7, %8, %9, %10, %18, %22, %23, %250 : tensor<16xbf16>, tensor<24x16xbf16>, tensor<16x24xbf16>, tensor<16xbf16>, tensor<16x24xbf16>, tensor<16x8xbf16>, tensor<24x16xbf16>, tensor<16x24xbf16>, tensor<16x8xbf16>, tensor<6x12x16xbf16>, tensor<12x12xi1>, tensor<6x12xbf16>, tensor<6x12x16xf32>
    %252 = stablehlo.multiply %251#9, %251#9 : tensor<6x12x16xbf16>
    %253 = stablehlo.convert %252 : (tensor<6x12x16xbf16>) -> tensor<6x12x16xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %254 = stablehlo.reduce(%253 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_37 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %257 = stablehlo.divide %255, %256 : tensor<6x12x1xf32>
    %258 = stablehlo.convert %257 : (tensor<6x12x1xf32>) -> tensor<6x12x1xbf16>
    %cst_38 = stablehlo.constant dense<9.983770e-07> : tensor<bf16>
    %259 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<bf16>) -> tensor<6x12x1xbf16>
    %260 = stablehlo.add %258, %259 : tensor<6x12x1xbf16>
    %261 = stablehlo.rsqrt %260 : tensor<6x12x1xbf16>
    %262 = stablehlo.divide %261, %260 : tensor<6x12x1xbf16>
    %cst_39 = stablehlo.constant dense<-5.000000e-01> : tensor<bf16>
    %263 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<bf16>) -> tensor<6x12x1xbf16>
    %264 = stablehlo.multiply %263, %262 : tensor<6x12x1xbf16>
    %265 = stablehlo.broadcast_in_dim %261, dims = [0, 1, 2] : (tensor<6x12x1xbf16>) -> tensor<6x12x16xbf16>
    %266 = stablehlo.multiply %251#9, %265 : tensor<6x12x16xbf16>
    %267 = stablehlo.broadcast_in_dim %251#0, dims = [2] : (tensor<16xbf16>) -> tensor<1x1x16xbf16>
    %268 = stablehlo.broadcast_in_dim %267, dims = [0, 1, 2] : (tensor<1x1x16xbf16>) -> tensor<6x12x16xbf16>
    %269 = stablehlo.multiply %266, %268 : tensor<6x12x16xbf16>
    %270 = stablehlo.dot_general %269, %251#7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<16x24xbf16>) -> tensor<6x12x24xbf16>
    %271 = stablehlo.reshape %270 : (tensor<6x12x24xbf16>) -> tensor<6x12x6x4xbf16>
    %272 = stablehlo.broadcast_in_dim %251#11, dims = [0, 1] : (tensor<6x12xbf16>) -> tensor<6x12x1x1xbf16>
    %273 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %274 = stablehlo.convert %273 : (tensor<2xi32>) -> tensor<2xf32>
    %275 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %276 = stablehlo.power %275, %274 : tensor<2xf32>
    %277 = stablehlo.convert %272 : (tensor<6x12x1x1xbf16>) -> tensor<6x12x1x1xf32>
    %278 = stablehlo.broadcast_in_dim %276, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %279 = stablehlo.broadcast_in_dim %277, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %280 = stablehlo.broadcast_in_dim %278, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %281 = stablehlo.multiply %279, %280 : tensor<6x12x1x2xf32>
    %282 = stablehlo.slice %271 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xbf16>) -> tensor<6x12x6x2xbf16>
    %283 = stablehlo.slice %271 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xbf16>) -> tensor<6x12x6x2xbf16>
    %284 = stablehlo.cosine %281 : tensor<6x12x1x2xf32>
    %285 = stablehlo.convert %282 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %286 = stablehlo.broadcast_in_dim %284, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %287 = stablehlo.multiply %285, %286 : tensor<6x12x6x2xf32>
    %288 = stablehlo.sine %281 : tensor<6x12x1x2xf32>
    %289 = stablehlo.convert %283 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %290 = stablehlo.broadcast_in_dim %288, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %291 = stablehlo.multiply %289, %290 : tensor<6x12x6x2xf32>
    %292 = stablehlo.subtract %287, %291 : tensor<6x12x6x2xf32>
    %293 = stablehlo.sine %281 : tensor<6x12x1x2xf32>
    %294 = stablehlo.convert %282 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %295 = stablehlo.broadcast_in_dim %293, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %296 = stablehlo.multiply %294, %295 : tensor<6x12x6x2xf32>
    %297 = stablehlo.cosine %281 : tensor<6x12x1x2xf32>
    %298 = stablehlo.convert %283 : (tensor<6x12x6x2xbf16>) -> tensor<6x12x6x2xf32>
    %299 = stablehlo.broadcast_in_dim %297, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %300 = stablehlo.multiply %298, %299 : tensor<6x12x6x2xf32>
    %301 = stablehlo.add %296, %300 : tensor<6x12x6x2xf32>
    %302 = stablehlo.concatenate %292, %301, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %303 = stablehlo.dot_general %269, %251#5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<16x8xbf16>) -> tensor<6x12x8xbf16>
    %304 = stablehlo.reshape %303 : (tensor<6x12x8xbf16>) -> tensor<6x12x2x4xbf16>
    %305 = stablehlo.broadcast_in_dim %251#11, dims = [0, 1] : (tensor<6x12xbf16>) -> tensor<6x12x1x1xbf16>
    %306 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_41 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %307 = stablehlo.convert %306 : (tensor<2xi32>) -> tensor<2xf32>
    %308 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %309 = stablehlo.power %308, %307 : tensor<2xf32>
    %310 = stablehlo.convert %305 : (tensor<6x12x1x1xbf16>) -> tensor<6x12x1x1xf32>
    %311 = stablehlo.broadcast_in_dim %309, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %312 = stablehlo.broadcast_in_dim %310, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %313 = stablehlo.broadcast_in_dim %311, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %314 = stablehlo.multiply %312, %313 : tensor<6x12x1x2xf32>
    %315 = stablehlo.slice %304 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xbf16>) -> tensor<6x12x2x2xbf16>
    %316 = stablehlo.slice %304 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xbf16>) -> tensor<6x12x2x2xbf16>
    %317 = stablehlo.cosine %314 : tensor<6x12x1x2xf32>
    %318 = stablehlo.convert %315 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %319 = stablehlo.broadcast_in_dim %317, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %320 = stablehlo.multiply %318, %319 : tensor<6x12x2x2xf32>
    %321 = stablehlo.sine %314 : tensor<6x12x1x2xf32>
    %322 = stablehlo.convert %316 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %323 = stablehlo.broadcast_in_dim %321, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %324 = stablehlo.multiply %322, %323 : tensor<6x12x2x2xf32>
    %325 = stablehlo.subtract %320, %324 : tensor<6x12x2x2xf32>
    %326 = stablehlo.sine %314 : tensor<6x12x1x2xf32>
    %327 = stablehlo.convert %315 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %328 = stablehlo.broadcast_in_dim %326, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %329 = stablehlo.multiply %327, %328 : tensor<6x12x2x2xf32>
    %330 = stablehlo.cosine %314 : tensor<6x12x1x2xf32>
    %331 = stablehlo.convert %316 : (tensor<6x12x2x2xbf16>) -> tensor<6x12x2x2xf32>
    %332 = stablehlo.broadcast_in_dim %330, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %333 = stablehlo.multiply %331, %332 : tensor<6x12x2x2xf32>
    %334 = stablehlo.add %329, %333 : tensor<6x12x2x2xf32>
    %335 = stablehlo.concatenate %325, %334, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %336 = stablehlo.dot_general %269, %251#8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<16x8xbf16>) -> tensor<6x12x8xbf16>
    %337 = stablehlo.reshape %336 : (tensor<6x12x8xbf16>) -> tensor<6x12x2x4xbf16>
    %338 = stablehlo.broadcast_in_dim %335, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %339 = stablehlo.reshape %338 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %340 = stablehlo.broadcast_in_dim %337, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xbf16>) -> tensor<6x12x2x3x4xbf16>
    %341 = stablehlo.reshape %340 : (tensor<6x12x2x3x4xbf16>) -> tensor<6x12x6x4xbf16>
    %342 = stablehlo.dot_general %302, %339, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %344 = stablehlo.divide %342, %343 : tensor<6x6x12x12xf32>
    %cst_43 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %345:2 = call @_where_3(%251#10, %344, %cst_43) : (tensor<12x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_44 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %346 = stablehlo.reduce(%345#0 init: %cst_44) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %347 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %348 = stablehlo.maximum %347, %346 : tensor<6x6x12xf32>
    %349 = stablehlo.broadcast_in_dim %348, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %350 = stablehlo.broadcast_in_dim %349, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %351 = stablehlo.subtract %345#0, %350 : tensor<6x6x12x12xf32>
    %352 = stablehlo.exponential %351 : tensor<6x6x12x12xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %353 = stablehlo.reduce(%352 init: %cst_46) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %354 = stablehlo.broadcast_in_dim %353, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %355 = stablehlo.broadcast_in_dim %354, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %356 = stablehlo.divide %352, %355 : tensor<6x6x12x12xf32>
    %357 = stablehlo.multiply %354, %354 : tensor<6x6x12x1xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %359 = stablehlo.divide %358, %357 : tensor<6x6x12x1xf32>
    %360 = stablehlo.convert %341 : (tensor<6x12x6x4xbf16>) -> tensor<6x12x6x4xf32>
    %361 = stablehlo.convert %356 : tensor<6x6x12x12xf32>
    %362 = stablehlo.dot_general %360, %361, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %363 = stablehlo.transpose %362, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %364 = stablehlo.reshape %363 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %365 = stablehlo.convert %364 : tensor<6x12x24xf32>
    %366 = stablehlo.convert %251#6 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    %367 = stablehlo.dot_general %365, %366, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %368 = stablehlo.convert %251#9 : (tensor<6x12x16xbf16>) -> tensor<6x12x16xf32>
    %369 = stablehlo.add %368, %367 : tensor<6x12x16xf32>
    %370 = stablehlo.multiply %369, %369 : tensor<6x12x16xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.reduce(%370 init: %cst_48) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %372 = stablehlo.broadcast_in_dim %371, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_49 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %373 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %374 = stablehlo.divide %372, %373 : tensor<6x12x1xf32>
    %cst_50 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %375 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %376 = stablehlo.add %374, %375 : tensor<6x12x1xf32>
    %377 = stablehlo.rsqrt %376 : tensor<6x12x1xf32>
    %378 = stablehlo.divide %377, %376 : tensor<6x12x1xf32>
    %cst_51 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %379 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %380 = stablehlo.multiply %379, %378 : tensor<6x12x1xf32>
    %381 = stablehlo.broadcast_in_dim %377, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %382 = stablehlo.multiply %369, %381 : tensor<6x12x16xf32>
    %383 = stablehlo.convert %251#3 : (tensor<16xbf16>) -> tensor<16xf32>
    %384 = stablehlo.broadcast_in_dim %383, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %385 = stablehlo.broadcast_in_dim %384, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %386 = stablehlo.multiply %382, %385 : tensor<6x12x16xf32>
    %387 = stablehlo.convert %386 : tensor<6x12x16xf32>
    %388 = stablehlo.convert %251#2 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %389 = stablehlo.dot_general %387, %388, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %390:3 = call @silu_4(%389) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %391 = stablehlo.convert %386 : tensor<6x12x16xf32>
    %392 = stablehlo.convert %251#4 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %393 = stablehlo.dot_general %391, %392, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %394 = stablehlo.multiply %390#0, %393 : tensor<6x12x24xf32>
    %395 = stablehlo.dot_general %251#12, %394, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %396 = stablehlo.transpose %395, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %397 = stablehlo.convert %396 : (tensor<24x16xf32>) -> tensor<24x16xbf16>
    %398 = stablehlo.convert %251#12 : tensor<6x12x16xf32>
    %399 = stablehlo.convert %251#1 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    %400 = stablehlo.dot_general %398, %399, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %401 = stablehlo.multiply %390#0, %400 : tensor<6x12x24xf32>
    %402 = stablehlo.multiply %400, %393 : tensor<6x12x24xf32>
    %403 = stablehlo.dot_general %401, %386, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %404 = stablehlo.transpose %403, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %405 = stablehlo.convert %404 : (tensor<16x24xf32>) -> tensor<16x24xbf16>
    %406 = stablehlo.convert %401 : tensor<6x12x24xf32>
    %407 = stablehlo.convert %251#4 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %408 = stablehlo.dot_general %406, %407, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %409 = call @silu_5(%390#1, %389, %390#2, %402) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %410 = stablehlo.dot_general %409, %386, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %411 = stablehlo.transpose %410, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %412 = stablehlo.convert %411 : (tensor<16x24xf32>) -> tensor<16x24xbf16>
    %413 = stablehlo.convert %409 : tensor<6x12x24xf32>
    %414 = stablehlo.convert %251#2 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %415 = stablehlo.dot_general %413, %414, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %416 = stablehlo.add %408, %415 : tensor<6x12x16xf32>
    %417 = stablehlo.multiply %382, %416 : tensor<6x12x16xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %418 = stablehlo.reduce(%417 init: %cst_52) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %419 = stablehlo.reshape %418 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %420 = stablehlo.broadcast_in_dim %384, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %421 = stablehlo.multiply %416, %420 : tensor<6x12x16xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %422 = stablehlo.reduce(%419 init: %cst_53) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %423 = stablehlo.convert %422 : (tensor<16xf32>) -> tensor<16xbf16>
    %424 = stablehlo.multiply %369, %421 : tensor<6x12x16xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %425 = stablehlo.reduce(%424 init: %cst_54) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %426 = stablehlo.reshape %425 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %427 = stablehlo.broadcast_in_dim %377, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %428 = stablehlo.multiply %421, %427 : tensor<6x12x16xf32>
    %429 = stablehlo.add %251#12, %428 : tensor<6x12x16xf32>
    %430 = stablehlo.multiply %426, %380 : tensor<6x12x1xf32>
    %cst_55 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %432 = stablehlo.divide %430, %431 : tensor<6x12x1xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %433 = stablehlo.reduce(%432 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %434 = stablehlo.broadcast_in_dim %433, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %435 = stablehlo.multiply %369, %434 : tensor<6x12x16xf32>
    %436 = stablehlo.add %429, %435 : tensor<6x12x16xf32>
    %437 = stablehlo.multiply %434, %369 : tensor<6x12x16xf32>
    %438 = stablehlo.add %436, %437 : tensor<6x12x16xf32>
    %439 = stablehlo.convert %438 : (tensor<6x12x16xf32>) -> tensor<6x12x16xbf16>
    %440 = stablehlo.dot_general %438, %364, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %441 = stablehlo.transpose %440, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %442 = stablehlo.convert %441 : (tensor<24x16xf32>) -> tensor<24x16xbf16>
    %443 = stablehlo.convert %438 : tensor<6x12x16xf32>
    %444 = stablehlo.convert %251#6 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    %445 = stablehlo.dot_general %443, %444, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %446 = stablehlo.reshape %445 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %447 = stablehlo.transpose %446, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %448 = stablehlo.convert %447 : tensor<6x6x4x12xf32>
    %449 = stablehlo.convert %341 : (tensor<6x12x6x4xbf16>) -> tensor<6x12x6x4xf32>
    %450 = stablehlo.dot_general %448, %449, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %451 = stablehlo.dot_general %447, %356, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %452 = stablehlo.transpose %451, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %453 = stablehlo.convert %452 : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x4xbf16>
    %454 = stablehlo.broadcast_in_dim %359, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %455 = stablehlo.multiply %450, %454 : tensor<6x6x12x12xf32>
    %456 = stablehlo.multiply %455, %352 : tensor<6x6x12x12xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %457 = stablehlo.reduce(%456 init: %cst_57) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %458 = stablehlo.reshape %457 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %459 = stablehlo.negate %458 : tensor<6x6x12x1xf32>
    %460 = stablehlo.broadcast_in_dim %354, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %461 = stablehlo.divide %450, %460 : tensor<6x6x12x12xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %462 = stablehlo.reduce(%459 init: %cst_58) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %463 = stablehlo.broadcast_in_dim %462, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %464 = stablehlo.add %461, %463 : tensor<6x6x12x12xf32>
    %465 = stablehlo.multiply %464, %352 : tensor<6x6x12x12xf32>
    %466 = call @_where_6(%345#1, %465) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_59 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %467 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %468 = stablehlo.divide %466, %467 : tensor<6x6x12x12xf32>
    %469 = stablehlo.dot_general %468, %302, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %470 = stablehlo.transpose %469, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %471 = stablehlo.dot_general %468, %339, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %472 = stablehlo.transpose %471, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %473 = stablehlo.reshape %453 : (tensor<6x12x6x4xbf16>) -> tensor<6x12x2x3x4xbf16>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %474 = stablehlo.reduce(%473 init: %cst_60) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xbf16>, tensor<bf16>) -> tensor<6x12x2x4xbf16>
    %475 = stablehlo.reshape %470 : (tensor<6x12x6x4xf32>) -> tensor<6x12x2x3x4xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %476 = stablehlo.reduce(%475 init: %cst_61) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xf32>, tensor<f32>) -> tensor<6x12x2x4xf32>
    %477 = stablehlo.reshape %474 : (tensor<6x12x2x4xbf16>) -> tensor<6x12x8xbf16>
    %478 = stablehlo.dot_general %477, %269, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xbf16>, tensor<6x12x16xbf16>) -> tensor<8x16xbf16>
    %479 = stablehlo.transpose %478, dims = [1, 0] : (tensor<8x16xbf16>) -> tensor<16x8xbf16>
    %480 = stablehlo.dot_general %477, %251#8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xbf16>, tensor<16x8xbf16>) -> tensor<6x12x16xbf16>
    %481 = stablehlo.slice %476 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %482 = stablehlo.slice %476 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %483 = stablehlo.broadcast_in_dim %330, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %484 = stablehlo.multiply %482, %483 : tensor<6x12x2x2xf32>
    %485 = stablehlo.convert %484 : (tensor<6x12x2x2xf32>) -> tensor<6x12x2x2xbf16>
    %486 = stablehlo.broadcast_in_dim %326, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %487 = stablehlo.multiply %482, %486 : tensor<6x12x2x2xf32>
    %488 = stablehlo.convert %487 : (tensor<6x12x2x2xf32>) -> tensor<6x12x2x2xbf16>
    %489 = stablehlo.negate %481 : tensor<6x12x2x2xf32>
    %490 = stablehlo.broadcast_in_dim %321, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %491 = stablehlo.multiply %489, %490 : tensor<6x12x2x2xf32>
    %492 = stablehlo.convert %491 : (tensor<6x12x2x2xf32>) -> tensor<6x12x2x2xbf16>
    %493 = stablehlo.add %485, %492 : tensor<6x12x2x2xbf16>
    %494 = stablehlo.broadcast_in_dim %317, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %495 = stablehlo.multiply %481, %494 : tensor<6x12x2x2xf32>
    %496 = stablehlo.convert %495 : (tensor<6x12x2x2xf32>) -> tensor<6x12x2x2xbf16>
    %497 = stablehlo.add %488, %496 : tensor<6x12x2x2xbf16>
    %498 = stablehlo.concatenate %497, %493, dim = 3 : (tensor<6x12x2x2xbf16>, tensor<6x12x2x2xbf16>) -> tensor<6x12x2x4xbf16>
    %499 = stablehlo.reshape %498 : (tensor<6x12x2x4xbf16>) -> tensor<6x12x8xbf16>
    %500 = stablehlo.dot_general %499, %269, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xbf16>, tensor<6x12x16xbf16>) -> tensor<8x16xbf16>
    %501 = stablehlo.transpose %500, dims = [1, 0] : (tensor<8x16xbf16>) -> tensor<16x8xbf16>
    %502 = stablehlo.dot_general %499, %251#5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xbf16>, tensor<16x8xbf16>) -> tensor<6x12x16xbf16>
    %503 = stablehlo.add %480, %502 : tensor<6x12x16xbf16>
    %504 = stablehlo.slice %472 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %505 = stablehlo.slice %472 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %506 = stablehlo.broadcast_in_dim %297, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %507 = stablehlo.multiply %505, %506 : tensor<6x12x6x2xf32>
    %508 = stablehlo.convert %507 : (tensor<6x12x6x2xf32>) -> tensor<6x12x6x2xbf16>
    %509 = stablehlo.broadcast_in_dim %293, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %510 = stablehlo.multiply %505, %509 : tensor<6x12x6x2xf32>
    %511 = stablehlo.convert %510 : (tensor<6x12x6x2xf32>) -> tensor<6x12x6x2xbf16>
    %512 = stablehlo.negate %504 : tensor<6x12x6x2xf32>
    %513 = stablehlo.broadcast_in_dim %288, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %514 = stablehlo.multiply %512, %513 : tensor<6x12x6x2xf32>
    %515 = stablehlo.convert %514 : (tensor<6x12x6x2xf32>) -> tensor<6x12x6x2xbf16>
    %516 = stablehlo.add %508, %515 : tensor<6x12x6x2xbf16>
    %517 = stablehlo.broadcast_in_dim %284, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %518 = stablehlo.multiply %504, %517 : tensor<6x12x6x2xf32>
    %519 = stablehlo.convert %518 : (tensor<6x12x6x2xf32>) -> tensor<6x12x6x2xbf16>
    %520 = stablehlo.add %511, %519 : tensor<6x12x6x2xbf16>
    %521 = stablehlo.concatenate %520, %516, dim = 3 : (tensor<6x12x6x2xbf16>, tensor<6x12x6x2xbf16>) -> tensor<6x12x6x4xbf16>
    %522 = stablehlo.reshape %521 : (tensor<6x12x6x4xbf16>) -> tensor<6x12x24xbf16>
    %523 = stablehlo.dot_general %522, %269, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xbf16>, tensor<6x12x16xbf16>) -> tensor<24x16xbf16>
    %524 = stablehlo.transpose %523, dims = [1, 0] : (tensor<24x16xbf16>) -> tensor<16x24xbf16>
    %525 = stablehlo.dot_general %522, %251#7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xbf16>, tensor<16x24xbf16>) -> tensor<6x12x16xbf16>
    %526 = stablehlo.add %503, %525 : tensor<6x12x16xbf16>
    %527 = stablehlo.multiply %266, %526 : tensor<6x12x16xbf16>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %528 = stablehlo.reduce(%527 init: %cst_62) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %529 = stablehlo.reshape %528 : (tensor<16xbf16>) -> tensor<1x1x16xbf16>
    %530 = stablehlo.broadcast_in_dim %267, dims = [0, 1, 2] : (tensor<1x1x16xbf16>) -> tensor<6x12x16xbf16>
    %531 = stablehlo.multiply %526, %530 : tensor<6x12x16xbf16>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %532 = stablehlo.reduce(%529 init: %cst_63) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %533 = stablehlo.multiply %251#9, %531 : tensor<6x12x16xbf16>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %534 = stablehlo.reduce(%533 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xbf16>, tensor<bf16>) -> tensor<6x12xbf16>
    %535 = stablehlo.reshape %534 : (tensor<6x12xbf16>) -> tensor<6x12x1xbf16>
    %536 = stablehlo.broadcast_in_dim %261, dims = [0, 1, 2] : (tensor<6x12x1xbf16>) -> tensor<6x12x16xbf16>
    %537 = stablehlo.multiply %531, %536 : tensor<6x12x16xbf16>
    %538 = stablehlo.add %439, %537 : tensor<6x12x16xbf16>
    %539 = stablehlo.multiply %535, %264 : tensor<6x12x1xbf16>
    %540 = stablehlo.convert %539 : (tensor<6x12x1xbf16>) -> tensor<6x12x1xf32>
    %cst_65 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %542 = stablehlo.divide %540, %541 : tensor<6x12x1xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %543 = stablehlo.reduce(%542 init: %cst_66) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %544 = stablehlo.broadcast_in_dim %543, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %545 = stablehlo.convert %544 : (tensor<6x12x16xf32>) -> tensor<6x12x16xbf16>
    %546 = stablehlo.multiply %251#9, %545 : tensor<6x12x16xbf16>
    %547 = stablehlo.add %538, %546 : tensor<6x12x16xbf16>
    %548 = stablehlo.multiply %545, %251#9 : tensor<6x12x16xbf16>
    %549 = stablehlo.add %547, %548 : tensor<6x12x16xbf16>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %550 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<bf16>) -> tensor<60x16xbf16>
    %551 = "stablehlo.scatter"(%550, %17, %549) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg40: tensor<bf16>, %arg41: tensor<bf16>):
      %862 = stablehlo.add %arg40, %arg41 : tensor<bf16>
      stablehlo.return %862 : tensor<bf16>
    }) : (tensor<60x16xbf16>, tensor<6x12x1xi32>, tensor<6x12x16xbf16>) -> tensor<60x16xbf16>
    %552 = stablehlo.convert %236 : (tensor<16xbf16>) -> tensor<16xf32>
    %553 = stablehlo.convert %479 : (tensor<16x8xbf16>) -> tensor<16x8xf32>
    %554 = stablehlo.convert %524 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %555 = stablehlo.convert %442 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    %556 = stablehlo.convert %501 : (tensor<16x8xbf16>) -> tensor<16x8xf32>
    %557 = stablehlo.convert %405 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %558 = stablehlo.convert %423 : (tensor<16xbf16>) -> tensor<16xf32>
    %559 = stablehlo.convert %412 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %560 = stablehlo.convert %397 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    %561 = stablehlo.convert %532 : (tensor<16xbf16>) -> tensor<16xf32>
    %562 = stablehlo.convert %226 : (tensor<16x60xbf16>) -> tensor<16x60xf32>
    %563 = stablehlo.convert %551 : (tensor<60x16xbf16>) -> tensor<60x16xf32>
    %cst_68 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %564 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %565 = stablehlo.multiply %564, %563 : tensor<60x16xf32>
    %cst_69 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %567 = stablehlo.multiply %566, %arg1 : tensor<60x16xf32>
    %568 = stablehlo.add %565, %567 : tensor<60x16xf32>
    %cst_70 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %570 = stablehlo.multiply %569, %562 : tensor<16x60xf32>
    %cst_71 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %572 = stablehlo.multiply %571, %arg2 : tensor<16x60xf32>
    %573 = stablehlo.add %570, %572 : tensor<16x60xf32>
    %cst_72 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %575 = stablehlo.multiply %574, %561 : tensor<16xf32>
    %cst_73 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %577 = stablehlo.multiply %576, %arg3 : tensor<16xf32>
    %578 = stablehlo.add %575, %577 : tensor<16xf32>
    %cst_74 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %579 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %580 = stablehlo.multiply %579, %560 : tensor<24x16xf32>
    %cst_75 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %581 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %582 = stablehlo.multiply %581, %arg4 : tensor<24x16xf32>
    %583 = stablehlo.add %580, %582 : tensor<24x16xf32>
    %cst_76 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %585 = stablehlo.multiply %584, %559 : tensor<16x24xf32>
    %cst_77 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %587 = stablehlo.multiply %586, %arg5 : tensor<16x24xf32>
    %588 = stablehlo.add %585, %587 : tensor<16x24xf32>
    %cst_78 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %589 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %590 = stablehlo.multiply %589, %558 : tensor<16xf32>
    %cst_79 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %591 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %592 = stablehlo.multiply %591, %arg6 : tensor<16xf32>
    %593 = stablehlo.add %590, %592 : tensor<16xf32>
    %cst_80 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %594 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %595 = stablehlo.multiply %594, %557 : tensor<16x24xf32>
    %cst_81 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %596 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %597 = stablehlo.multiply %596, %arg7 : tensor<16x24xf32>
    %598 = stablehlo.add %595, %597 : tensor<16x24xf32>
    %cst_82 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %599 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %600 = stablehlo.multiply %599, %556 : tensor<16x8xf32>
    %cst_83 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %601 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %602 = stablehlo.multiply %601, %arg8 : tensor<16x8xf32>
    %603 = stablehlo.add %600, %602 : tensor<16x8xf32>
    %cst_84 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %604 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %605 = stablehlo.multiply %604, %555 : tensor<24x16xf32>
    %cst_85 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %606 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %607 = stablehlo.multiply %606, %arg9 : tensor<24x16xf32>
    %608 = stablehlo.add %605, %607 : tensor<24x16xf32>
    %cst_86 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %609 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %610 = stablehlo.multiply %609, %554 : tensor<16x24xf32>
    %cst_87 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %611 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %612 = stablehlo.multiply %611, %arg10 : tensor<16x24xf32>
    %613 = stablehlo.add %610, %612 : tensor<16x24xf32>
    %cst_88 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %614 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %615 = stablehlo.multiply %614, %553 : tensor<16x8xf32>
    %cst_89 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %616 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %617 = stablehlo.multiply %616, %arg11 : tensor<16x8xf32>
    %618 = stablehlo.add %615, %617 : tensor<16x8xf32>
    %cst_90 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %619 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %620 = stablehlo.multiply %619, %552 : tensor<16xf32>
    %cst_91 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %621 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %622 = stablehlo.multiply %621, %arg12 : tensor<16xf32>
    %623 = stablehlo.add %620, %622 : tensor<16xf32>
    %624 = stablehlo.multiply %563, %563 : tensor<60x16xf32>
    %cst_92 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %625 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %626 = stablehlo.multiply %625, %624 : tensor<60x16xf32>
    %cst_93 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %627 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %628 = stablehlo.multiply %627, %arg13 : tensor<60x16xf32>
    %629 = stablehlo.add %626, %628 : tensor<60x16xf32>
    %630 = stablehlo.multiply %562, %562 : tensor<16x60xf32>
    %cst_94 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %632 = stablehlo.multiply %631, %630 : tensor<16x60xf32>
    %cst_95 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %634 = stablehlo.multiply %633, %arg14 : tensor<16x60xf32>
    %635 = stablehlo.add %632, %634 : tensor<16x60xf32>
    %636 = stablehlo.multiply %561, %561 : tensor<16xf32>
    %cst_96 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %637 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %638 = stablehlo.multiply %637, %636 : tensor<16xf32>
    %cst_97 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %639 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %640 = stablehlo.multiply %639, %arg15 : tensor<16xf32>
    %641 = stablehlo.add %638, %640 : tensor<16xf32>
    %642 = stablehlo.multiply %560, %560 : tensor<24x16xf32>
    %cst_98 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %643 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %644 = stablehlo.multiply %643, %642 : tensor<24x16xf32>
    %cst_99 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %645 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %646 = stablehlo.multiply %645, %arg16 : tensor<24x16xf32>
    %647 = stablehlo.add %644, %646 : tensor<24x16xf32>
    %648 = stablehlo.multiply %559, %559 : tensor<16x24xf32>
    %cst_100 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %649 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %650 = stablehlo.multiply %649, %648 : tensor<16x24xf32>
    %cst_101 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %652 = stablehlo.multiply %651, %arg17 : tensor<16x24xf32>
    %653 = stablehlo.add %650, %652 : tensor<16x24xf32>
    %654 = stablehlo.multiply %558, %558 : tensor<16xf32>
    %cst_102 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %655 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %656 = stablehlo.multiply %655, %654 : tensor<16xf32>
    %cst_103 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %657 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %658 = stablehlo.multiply %657, %arg18 : tensor<16xf32>
    %659 = stablehlo.add %656, %658 : tensor<16xf32>
    %660 = stablehlo.multiply %557, %557 : tensor<16x24xf32>
    %cst_104 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %661 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %662 = stablehlo.multiply %661, %660 : tensor<16x24xf32>
    %cst_105 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %663 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %664 = stablehlo.multiply %663, %arg19 : tensor<16x24xf32>
    %665 = stablehlo.add %662, %664 : tensor<16x24xf32>
    %666 = stablehlo.multiply %556, %556 : tensor<16x8xf32>
    %cst_106 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %667 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %668 = stablehlo.multiply %667, %666 : tensor<16x8xf32>
    %cst_107 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %669 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %670 = stablehlo.multiply %669, %arg20 : tensor<16x8xf32>
    %671 = stablehlo.add %668, %670 : tensor<16x8xf32>
    %672 = stablehlo.multiply %555, %555 : tensor<24x16xf32>
    %cst_108 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %673 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %674 = stablehlo.multiply %673, %672 : tensor<24x16xf32>
    %cst_109 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %675 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %676 = stablehlo.multiply %675, %arg21 : tensor<24x16xf32>
    %677 = stablehlo.add %674, %676 : tensor<24x16xf32>
    %678 = stablehlo.multiply %554, %554 : tensor<16x24xf32>
    %cst_110 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %679 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %680 = stablehlo.multiply %679, %678 : tensor<16x24xf32>
    %cst_111 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %681 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %682 = stablehlo.multiply %681, %arg22 : tensor<16x24xf32>
    %683 = stablehlo.add %680, %682 : tensor<16x24xf32>
    %684 = stablehlo.multiply %553, %553 : tensor<16x8xf32>
    %cst_112 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %685 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %686 = stablehlo.multiply %685, %684 : tensor<16x8xf32>
    %cst_113 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %687 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %688 = stablehlo.multiply %687, %arg23 : tensor<16x8xf32>
    %689 = stablehlo.add %686, %688 : tensor<16x8xf32>
    %690 = stablehlo.multiply %552, %552 : tensor<16xf32>
    %cst_114 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %691 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %692 = stablehlo.multiply %691, %690 : tensor<16xf32>
    %cst_115 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %693 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %694 = stablehlo.multiply %693, %arg24 : tensor<16xf32>
    %695 = stablehlo.add %692, %694 : tensor<16xf32>
    %c_116 = stablehlo.constant dense<2147483647> : tensor<i32>
    %696 = stablehlo.compare LT, %arg0, %c_116, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_117 = stablehlo.constant dense<1> : tensor<i32>
    %697 = stablehlo.add %arg0, %c_117 : tensor<i32>
    %c_118 = stablehlo.constant dense<2147483647> : tensor<i32>
    %698 = call @_where_7(%696, %697, %c_118) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_119 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %699 = stablehlo.convert %698 : (tensor<i32>) -> tensor<f32>
    %700 = stablehlo.power %cst_119, %699 : tensor<f32>
    %cst_120 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %701 = stablehlo.subtract %cst_120, %700 : tensor<f32>
    %702 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %703 = stablehlo.divide %568, %702 : tensor<60x16xf32>
    %704 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %705 = stablehlo.divide %573, %704 : tensor<16x60xf32>
    %706 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %707 = stablehlo.divide %578, %706 : tensor<16xf32>
    %708 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %709 = stablehlo.divide %583, %708 : tensor<24x16xf32>
    %710 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %711 = stablehlo.divide %588, %710 : tensor<16x24xf32>
    %712 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %713 = stablehlo.divide %593, %712 : tensor<16xf32>
    %714 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %715 = stablehlo.divide %598, %714 : tensor<16x24xf32>
    %716 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %717 = stablehlo.divide %603, %716 : tensor<16x8xf32>
    %718 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %719 = stablehlo.divide %608, %718 : tensor<24x16xf32>
    %720 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %721 = stablehlo.divide %613, %720 : tensor<16x24xf32>
    %722 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %723 = stablehlo.divide %618, %722 : tensor<16x8xf32>
    %724 = stablehlo.broadcast_in_dim %701, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %725 = stablehlo.divide %623, %724 : tensor<16xf32>
    %cst_121 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %726 = stablehlo.convert %698 : (tensor<i32>) -> tensor<f32>
    %727 = stablehlo.power %cst_121, %726 : tensor<f32>
    %cst_122 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %728 = stablehlo.subtract %cst_122, %727 : tensor<f32>
    %729 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %730 = stablehlo.divide %629, %729 : tensor<60x16xf32>
    %731 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %732 = stablehlo.divide %635, %731 : tensor<16x60xf32>
    %733 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %734 = stablehlo.divide %641, %733 : tensor<16xf32>
    %735 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %736 = stablehlo.divide %647, %735 : tensor<24x16xf32>
    %737 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %738 = stablehlo.divide %653, %737 : tensor<16x24xf32>
    %739 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %740 = stablehlo.divide %659, %739 : tensor<16xf32>
    %741 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %742 = stablehlo.divide %665, %741 : tensor<16x24xf32>
    %743 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %744 = stablehlo.divide %671, %743 : tensor<16x8xf32>
    %745 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %746 = stablehlo.divide %677, %745 : tensor<24x16xf32>
    %747 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %748 = stablehlo.divide %683, %747 : tensor<16x24xf32>
    %749 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %750 = stablehlo.divide %689, %749 : tensor<16x8xf32>
    %751 = stablehlo.broadcast_in_dim %728, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %752 = stablehlo.divide %695, %751 : tensor<16xf32>
    %cst_123 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %753 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %754 = stablehlo.add %730, %753 : tensor<60x16xf32>
    %755 = stablehlo.sqrt %754 : tensor<60x16xf32>
    %cst_124 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %756 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %757 = stablehlo.add %755, %756 : tensor<60x16xf32>
    %758 = stablehlo.divide %703, %757 : tensor<60x16xf32>
    %cst_125 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %759 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %760 = stablehlo.add %732, %759 : tensor<16x60xf32>
    %761 = stablehlo.sqrt %760 : tensor<16x60xf32>
    %cst_126 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %762 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %763 = stablehlo.add %761, %762 : tensor<16x60xf32>
    %764 = stablehlo.divide %705, %763 : tensor<16x60xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %765 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %766 = stablehlo.add %734, %765 : tensor<16xf32>
    %767 = stablehlo.sqrt %766 : tensor<16xf32>
    %cst_128 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %768 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %769 = stablehlo.add %767, %768 : tensor<16xf32>
    %770 = stablehlo.divide %707, %769 : tensor<16xf32>
    %cst_129 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %771 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %772 = stablehlo.add %736, %771 : tensor<24x16xf32>
    %773 = stablehlo.sqrt %772 : tensor<24x16xf32>
    %cst_130 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %774 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %775 = stablehlo.add %773, %774 : tensor<24x16xf32>
    %776 = stablehlo.divide %709, %775 : tensor<24x16xf32>
    %cst_131 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %777 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %778 = stablehlo.add %738, %777 : tensor<16x24xf32>
    %779 = stablehlo.sqrt %778 : tensor<16x24xf32>
    %cst_132 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %780 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %781 = stablehlo.add %779, %780 : tensor<16x24xf32>
    %782 = stablehlo.divide %711, %781 : tensor<16x24xf32>
    %cst_133 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %783 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %784 = stablehlo.add %740, %783 : tensor<16xf32>
    %785 = stablehlo.sqrt %784 : tensor<16xf32>
    %cst_134 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %786 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %787 = stablehlo.add %785, %786 : tensor<16xf32>
    %788 = stablehlo.divide %713, %787 : tensor<16xf32>
    %cst_135 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %789 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %790 = stablehlo.add %742, %789 : tensor<16x24xf32>
    %791 = stablehlo.sqrt %790 : tensor<16x24xf32>
    %cst_136 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %792 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %793 = stablehlo.add %791, %792 : tensor<16x24xf32>
    %794 = stablehlo.divide %715, %793 : tensor<16x24xf32>
    %cst_137 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %795 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %796 = stablehlo.add %744, %795 : tensor<16x8xf32>
    %797 = stablehlo.sqrt %796 : tensor<16x8xf32>
    %cst_138 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %798 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %799 = stablehlo.add %797, %798 : tensor<16x8xf32>
    %800 = stablehlo.divide %717, %799 : tensor<16x8xf32>
    %cst_139 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %801 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %802 = stablehlo.add %746, %801 : tensor<24x16xf32>
    %803 = stablehlo.sqrt %802 : tensor<24x16xf32>
    %cst_140 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %804 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %805 = stablehlo.add %803, %804 : tensor<24x16xf32>
    %806 = stablehlo.divide %719, %805 : tensor<24x16xf32>
    %cst_141 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %807 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %808 = stablehlo.add %748, %807 : tensor<16x24xf32>
    %809 = stablehlo.sqrt %808 : tensor<16x24xf32>
    %cst_142 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %810 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %811 = stablehlo.add %809, %810 : tensor<16x24xf32>
    %812 = stablehlo.divide %721, %811 : tensor<16x24xf32>
    %cst_143 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %813 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %814 = stablehlo.add %750, %813 : tensor<16x8xf32>
    %815 = stablehlo.sqrt %814 : tensor<16x8xf32>
    %cst_144 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %816 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %817 = stablehlo.add %815, %816 : tensor<16x8xf32>
    %818 = stablehlo.divide %723, %817 : tensor<16x8xf32>
    %cst_145 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %819 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %820 = stablehlo.add %752, %819 : tensor<16xf32>
    %821 = stablehlo.sqrt %820 : tensor<16xf32>
    %cst_146 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %822 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %823 = stablehlo.add %821, %822 : tensor<16xf32>
    %824 = stablehlo.divide %725, %823 : tensor<16xf32>
    %cst_147 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %825 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %826 = stablehlo.multiply %825, %758 : tensor<60x16xf32>
    %cst_148 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %827 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %828 = stablehlo.multiply %827, %764 : tensor<16x60xf32>
    %cst_149 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %829 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %830 = stablehlo.multiply %829, %770 : tensor<16xf32>
    %cst_150 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %831 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %832 = stablehlo.multiply %831, %776 : tensor<24x16xf32>
    %cst_151 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %833 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %834 = stablehlo.multiply %833, %782 : tensor<16x24xf32>
    %cst_152 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %835 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %836 = stablehlo.multiply %835, %788 : tensor<16xf32>
    %cst_153 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %837 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %838 = stablehlo.multiply %837, %794 : tensor<16x24xf32>
    %cst_154 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %839 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %840 = stablehlo.multiply %839, %800 : tensor<16x8xf32>
    %cst_155 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %841 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %842 = stablehlo.multiply %841, %806 : tensor<24x16xf32>
    %cst_156 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %843 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %844 = stablehlo.multiply %843, %812 : tensor<16x24xf32>
    %cst_157 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %845 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %846 = stablehlo.multiply %845, %818 : tensor<16x8xf32>
    %cst_158 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %847 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %848 = stablehlo.multiply %847, %824 : tensor<16xf32>
    %849 = stablehlo.add %arg25, %826 : tensor<60x16xf32>
    %850 = stablehlo.add %arg26, %828 : tensor<16x60xf32>
    %851 = stablehlo.add %arg27, %830 : tensor<16xf32>
    %852 = stablehlo.add %arg28, %832 : tensor<24x16xf32>
    %853 = stablehlo.add %arg29, %834 : tensor<16x24xf32>
    %854 = stablehlo.add %arg30, %836 : tensor<16xf32>
    %855 = stablehlo.add %arg31, %838 : tensor<16x24xf32>
    %856 = stablehlo.add %arg32, %840 : tensor<16x8xf32>
    %857 = stablehlo.add %arg33, %842 : tensor<24x16xf32>
    %858 = stablehlo.add %arg34, %844 : tensor<16x24xf32>
    %859 = stablehlo.add %arg35, %846 : tensor<16x8xf32>
    %860 = stablehlo.add %arg36, %848 : tensor<16xf32>
    %c_159 = stablehlo.constant dense<1> : tensor<i32>
    %861 = stablehlo.add %arg37, %c_159 : tensor<i32>
    return %698, %568, %573, %578, %583, %588, %593, %598, %603, %608, %613, %618, %623, %629, %635, %641, %647, %653, %659, %665, %671, %677, %683, %689, %695, %849, %850, %851, %852, %853, %854, %855, %856, %857, %858, %859, %860, %861, %203, %209 : tensor<i32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<i32>, tensor<f32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where(%arg0: tensor<12x12xi1>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<f32>) -> tensor<6x6x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<6x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %3 : tensor<6x6x12x12xf32>
  }
  func.func private @silu(%arg0: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %0 = stablehlo.negate %arg0 : tensor<6x12x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x12x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x12x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x12x24xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<6x12x24xf32>
    return %6 : tensor<6x12x24xf32>
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
    %2 = call @_where_0(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @argmax(%arg0: tensor<6x12x60xf32>) -> tensor<6x12xi32> {
    %0 = stablehlo.iota dim = 2 : tensor<6x12x60xi32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [2] : (tensor<6x12x60xf32>, tensor<6x12x60xi32>, tensor<f32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<6x12xi32>)
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
    return %1#1 : tensor<6x12xi32>
  }
  func.func private @_take_1(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
  func.func private @_where_3(%arg0: tensor<12x12xi1>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<6x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %3, %1 : tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>
  }
  func.func private @silu_4(%arg0: tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<6x12x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x12x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x12x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x12x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<6x12x24xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<6x12x24xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<6x12x24xf32>
    return %9, %5, %8 : tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>
  }
  func.func private @silu_5(%arg0: tensor<6x12x24xf32>, %arg1: tensor<6x12x24xf32>, %arg2: tensor<6x12x24xf32>, %arg3: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %0 = stablehlo.multiply %arg1, %arg3 : tensor<6x12x24xf32>
    %1 = stablehlo.multiply %arg3, %arg0 : tensor<6x12x24xf32>
    %2 = stablehlo.multiply %0, %arg2 : tensor<6x12x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<6x12x24xf32>
    return %3 : tensor<6x12x24xf32>
  }
  func.func private @_where_6(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %1 : tensor<6x6x12x12xf32>
  }
  func.func private @_where_7(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
