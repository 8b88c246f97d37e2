module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x60xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<16xf32>, %arg12: tensor<i32>, %arg13: tensor<60x16xf32>, %arg14: tensor<16x60xf32>, %arg15: tensor<16xf32>, %arg16: tensor<24x16xf32>, %arg17: tensor<16x24xf32>, %arg18: tensor<16xf32>, %arg19: tensor<16x24xf32>, %arg20: tensor<16x8xf32>, %arg21: tensor<24x16xf32>, %arg22: tensor<16x24xf32>, %arg23: tensor<16x8xf32>, %arg24: tensor<16xf32>, %arg25: tensor<60x16xf32>, %arg26: tensor<16x60xf32>, %arg27: tensor<16xf32>, %arg28: tensor<24x16xf32>, %arg29: tensor<16x24xf32>, %arg30: tensor<16xf32>, %arg31: tensor<16x24xf32>, %arg32: tensor<16x8xf32>, %arg33: tensor<24x16xf32>, %arg34: tensor<16x24xf32>, %arg35: tensor<16x8xf32>, %arg36: tensor<16xf32>, %arg37: tensor<60x16xf32>, %arg38: tensor<16x60xf32>, %arg39: tensor<16xf32>, %arg40: tensor<24x16xf32>, %arg41: tensor<16x24xf32>, %arg42: tensor<16xf32>, %arg43: tensor<16x24xf32>, %arg44: tensor<16x8xf32>, %arg45: tensor<24x16xf32>, %arg46: tensor<16x24xf32>, %arg47: tensor<16x8xf32>, %arg48: tensor<16xf32>, %arg49: tensor<6x12xi32>, %arg50: tensor<6x12xi32>) -> (tensor<60x16xf32> {jax.result_info = "result[0]['embed']"}, tensor<16x60xf32> {jax.result_info = "result[0]['head']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[0]['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[0]['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[0]['norm']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<60x16xf32> {jax.result_info = "result[1][0].mu['embed']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].mu['head']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['norm']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].nu['embed']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].nu['head']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['norm']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.slice %arg49 [0:6, 0:11] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<6x11xi32>, tensor<6x11xi32>) -> tensor<6x11xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %4 = stablehlo.add %0, %3 : tensor<6x11xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<6x11xi1>, tensor<6x11xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %7 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x11x1xi32>) -> tensor<6x11x16xf32>
    %8 = stablehlo.iota dim = 0 : tensor<11xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<11xi32>) -> tensor<6x11xi32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %11 = call @tril(%10) : (tensor<11x11xi1>) -> tensor<11x11xi1>
    %12 = stablehlo.multiply %7, %7 : tensor<6x11x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %16 = stablehlo.divide %14, %15 : tensor<6x11x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %18 = stablehlo.add %16, %17 : tensor<6x11x1xf32>
    %19 = stablehlo.rsqrt %18 : tensor<6x11x1xf32>
    %20 = stablehlo.divide %19, %18 : tensor<6x11x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<6x11x1xf32>
    %23 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %24 = stablehlo.multiply %7, %23 : tensor<6x11x16xf32>
    %25 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %27 = stablehlo.multiply %24, %26 : tensor<6x11x16xf32>
    %28 = stablehlo.dot_general %27, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %29 = stablehlo.reshape %28 : (tensor<6x11x24xf32>) -> tensor<6x11x6x4xf32>
    %30 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %31 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %32 = stablehlo.convert %31 : (tensor<2xi32>) -> tensor<2xf32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %34 = stablehlo.power %33, %32 : tensor<2xf32>
    %35 = stablehlo.convert %30 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %36 = stablehlo.broadcast_in_dim %34, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %38 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %39 = stablehlo.multiply %37, %38 : tensor<6x11x1x2xf32>
    %40 = stablehlo.slice %29 [0:6, 0:11, 0:6, 0:2] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %41 = stablehlo.slice %29 [0:6, 0:11, 0:6, 2:4] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %42 = stablehlo.cosine %39 : tensor<6x11x1x2xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %44 = stablehlo.multiply %40, %43 : tensor<6x11x6x2xf32>
    %45 = stablehlo.sine %39 : tensor<6x11x1x2xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %47 = stablehlo.multiply %41, %46 : tensor<6x11x6x2xf32>
    %48 = stablehlo.subtract %44, %47 : tensor<6x11x6x2xf32>
    %49 = stablehlo.sine %39 : tensor<6x11x1x2xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %51 = stablehlo.multiply %40, %50 : tensor<6x11x6x2xf32>
    %52 = stablehlo.cosine %39 : tensor<6x11x1x2xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %54 = stablehlo.multiply %41, %53 : tensor<6x11x6x2xf32>
    %55 = stablehlo.add %51, %54 : tensor<6x11x6x2xf32>
    %56 = stablehlo.concatenate %48, %55, dim = 3 : (tensor<6x11x6x2xf32>, tensor<6x11x6x2xf32>) -> tensor<6x11x6x4xf32>
    %57 = stablehlo.dot_general %27, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %58 = stablehlo.reshape %57 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %59 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %60 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %61 = stablehlo.convert %60 : (tensor<2xi32>) -> tensor<2xf32>
    %62 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %63 = stablehlo.power %62, %61 : tensor<2xf32>
    %64 = stablehlo.convert %59 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %65 = stablehlo.broadcast_in_dim %63, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %67 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %68 = stablehlo.multiply %66, %67 : tensor<6x11x1x2xf32>
    %69 = stablehlo.slice %58 [0:6, 0:11, 0:2, 0:2] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %70 = stablehlo.slice %58 [0:6, 0:11, 0:2, 2:4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %71 = stablehlo.cosine %68 : tensor<6x11x1x2xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %73 = stablehlo.multiply %69, %72 : tensor<6x11x2x2xf32>
    %74 = stablehlo.sine %68 : tensor<6x11x1x2xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %76 = stablehlo.multiply %70, %75 : tensor<6x11x2x2xf32>
    %77 = stablehlo.subtract %73, %76 : tensor<6x11x2x2xf32>
    %78 = stablehlo.sine %68 : tensor<6x11x1x2xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %80 = stablehlo.multiply %69, %79 : tensor<6x11x2x2xf32>
    %81 = stablehlo.cosine %68 : tensor<6x11x1x2xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %83 = stablehlo.multiply %70, %82 : tensor<6x11x2x2xf32>
    %84 = stablehlo.add %80, %83 : tensor<6x11x2x2xf32>
    %85 = stablehlo.concatenate %77, %84, dim = 3 : (tensor<6x11x2x2xf32>, tensor<6x11x2x2xf32>) -> tensor<6x11x2x4xf32>
    %86 = stablehlo.dot_general %27, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %87 = stablehlo.reshape %86 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %88 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %89 = stablehlo.reshape %88 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %90 = stablehlo.broadcast_in_dim %87, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %91 = stablehlo.reshape %90 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %92 = stablehlo.dot_general %56, %89, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x11xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %94 = stablehlo.divide %92, %93 : tensor<6x6x11x11xf32>
    %cst_8 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %95:2 = call @_where(%11, %94, %cst_8) : (tensor<11x11xi1>, tensor<6x6x11x11xf32>, tensor<f32>) -> (tensor<6x6x11x11xf32>, tensor<6x6x11x11xi1>)
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %96 = stablehlo.reduce(%95#0 init: %cst_9) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x6x11xf32>
    %98 = stablehlo.maximum %97, %96 : tensor<6x6x11xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %101 = stablehlo.subtract %95#0, %100 : tensor<6x6x11x11xf32>
    %102 = stablehlo.exponential %101 : tensor<6x6x11x11xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %106 = stablehlo.divide %102, %105 : tensor<6x6x11x11xf32>
    %107 = stablehlo.multiply %104, %104 : tensor<6x6x11x1xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x6x11x1xf32>
    %109 = stablehlo.divide %108, %107 : tensor<6x6x11x1xf32>
    %110 = stablehlo.dot_general %91, %106, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x6x11x11xf32>) -> tensor<6x6x4x11xf32>
    %111 = stablehlo.transpose %110, dims = [0, 3, 1, 2] : (tensor<6x6x4x11xf32>) -> tensor<6x11x6x4xf32>
    %112 = stablehlo.reshape %111 : (tensor<6x11x6x4xf32>) -> tensor<6x11x24xf32>
    %113 = stablehlo.dot_general %112, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %114 = stablehlo.add %7, %113 : tensor<6x11x16xf32>
    %115 = stablehlo.multiply %114, %114 : tensor<6x11x16xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.reduce(%115 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_14 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %119 = stablehlo.divide %117, %118 : tensor<6x11x1xf32>
    %cst_15 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %121 = stablehlo.add %119, %120 : tensor<6x11x1xf32>
    %122 = stablehlo.rsqrt %121 : tensor<6x11x1xf32>
    %123 = stablehlo.divide %122, %121 : tensor<6x11x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %125 = stablehlo.multiply %124, %123 : tensor<6x11x1xf32>
    %126 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %127 = stablehlo.multiply %114, %126 : tensor<6x11x16xf32>
    %128 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %130 = stablehlo.multiply %127, %129 : tensor<6x11x16xf32>
    %131 = stablehlo.dot_general %130, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %132:3 = call @silu(%131) : (tensor<6x11x24xf32>) -> (tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>)
    %133 = stablehlo.dot_general %130, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %134 = stablehlo.multiply %132#0, %133 : tensor<6x11x24xf32>
    %135 = stablehlo.dot_general %134, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %136 = stablehlo.add %114, %135 : tensor<6x11x16xf32>
    %137 = stablehlo.multiply %136, %136 : tensor<6x11x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_18 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %141 = stablehlo.divide %139, %140 : tensor<6x11x1xf32>
    %cst_19 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %143 = stablehlo.add %141, %142 : tensor<6x11x1xf32>
    %144 = stablehlo.rsqrt %143 : tensor<6x11x1xf32>
    %145 = stablehlo.divide %144, %143 : tensor<6x11x1xf32>
    %cst_20 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %147 = stablehlo.multiply %146, %145 : tensor<6x11x1xf32>
    %148 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %149 = stablehlo.multiply %136, %148 : tensor<6x11x16xf32>
    %150 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %152 = stablehlo.multiply %149, %151 : tensor<6x11x16xf32>
    %153 = stablehlo.dot_general %152, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x60xf32>) -> tensor<6x11x60xf32>
    %154:3 = call @log_softmax(%153) : (tensor<6x11x60xf32>) -> (tensor<6x11x60xf32>, tensor<6x11x60xf32>, tensor<6x11x1xf32>)
    %155 = stablehlo.slice %arg49 [0:6, 1:12] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %157:2 = call @take_along_axis(%154#0, %156) : (tensor<6x11x60xf32>, tensor<6x11x1xi32>) -> (tensor<6x11x1xf32>, tensor<6x11x1x1xi32>)
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %158 = stablehlo.reduce(%157#0 init: %cst_21) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6xf32>
    %159 = stablehlo.slice %arg49 [0:6, 0:11] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %c_22 = stablehlo.constant dense<0> : tensor<i32>
    %160 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %161 = stablehlo.compare LT, %159, %160, SIGNED : (tensor<6x11xi32>, tensor<6x11xi32>) -> tensor<6x11xi1>
    %c_23 = stablehlo.constant dense<60> : tensor<i32>
    %162 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %163 = stablehlo.add %159, %162 : tensor<6x11xi32>
    %164 = stablehlo.select %161, %163, %159 : tensor<6x11xi1>, tensor<6x11xi32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %166 = "stablehlo.gather"(%arg37, %165) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x11x1xi32>) -> tensor<6x11x16xf32>
    %167 = stablehlo.iota dim = 0 : tensor<11xi32>
    %168 = stablehlo.broadcast_in_dim %167, dims = [1] : (tensor<11xi32>) -> tensor<6x11xi32>
    %c_24 = stablehlo.constant dense<true> : tensor<i1>
    %169 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %170 = call @tril(%169) : (tensor<11x11xi1>) -> tensor<11x11xi1>
    %171 = stablehlo.multiply %166, %166 : tensor<6x11x16xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%171 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %173 = stablehlo.broadcast_in_dim %172, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_26 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %175 = stablehlo.divide %173, %174 : tensor<6x11x1xf32>
    %cst_27 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %177 = stablehlo.add %175, %176 : tensor<6x11x1xf32>
    %178 = stablehlo.rsqrt %177 : tensor<6x11x1xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %180 = stablehlo.multiply %166, %179 : tensor<6x11x16xf32>
    %181 = stablehlo.broadcast_in_dim %arg39, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %183 = stablehlo.multiply %180, %182 : tensor<6x11x16xf32>
    %184 = stablehlo.dot_general %183, %arg46, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %185 = stablehlo.reshape %184 : (tensor<6x11x24xf32>) -> tensor<6x11x6x4xf32>
    %186 = stablehlo.broadcast_in_dim %168, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %187 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_28 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %188 = stablehlo.convert %187 : (tensor<2xi32>) -> tensor<2xf32>
    %189 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %190 = stablehlo.power %189, %188 : tensor<2xf32>
    %191 = stablehlo.convert %186 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %192 = stablehlo.broadcast_in_dim %190, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %193 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %194 = stablehlo.broadcast_in_dim %192, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %195 = stablehlo.multiply %193, %194 : tensor<6x11x1x2xf32>
    %196 = stablehlo.slice %185 [0:6, 0:11, 0:6, 0:2] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %197 = stablehlo.slice %185 [0:6, 0:11, 0:6, 2:4] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %198 = stablehlo.cosine %195 : tensor<6x11x1x2xf32>
    %199 = stablehlo.broadcast_in_dim %198, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %200 = stablehlo.multiply %196, %199 : tensor<6x11x6x2xf32>
    %201 = stablehlo.sine %195 : tensor<6x11x1x2xf32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %203 = stablehlo.multiply %197, %202 : tensor<6x11x6x2xf32>
    %204 = stablehlo.subtract %200, %203 : tensor<6x11x6x2xf32>
    %205 = stablehlo.sine %195 : tensor<6x11x1x2xf32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %207 = stablehlo.multiply %196, %206 : tensor<6x11x6x2xf32>
    %208 = stablehlo.cosine %195 : tensor<6x11x1x2xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %210 = stablehlo.multiply %197, %209 : tensor<6x11x6x2xf32>
    %211 = stablehlo.add %207, %210 : tensor<6x11x6x2xf32>
    %212 = stablehlo.concatenate %204, %211, dim = 3 : (tensor<6x11x6x2xf32>, tensor<6x11x6x2xf32>) -> tensor<6x11x6x4xf32>
    %213 = stablehlo.dot_general %183, %arg44, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %214 = stablehlo.reshape %213 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %215 = stablehlo.broadcast_in_dim %168, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %216 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_29 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %217 = stablehlo.convert %216 : (tensor<2xi32>) -> tensor<2xf32>
    %218 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %219 = stablehlo.power %218, %217 : tensor<2xf32>
    %220 = stablehlo.convert %215 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %221 = stablehlo.broadcast_in_dim %219, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %222 = stablehlo.broadcast_in_dim %220, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %223 = stablehlo.broadcast_in_dim %221, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %224 = stablehlo.multiply %222, %223 : tensor<6x11x1x2xf32>
    %225 = stablehlo.slice %214 [0:6, 0:11, 0:2, 0:2] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %226 = stablehlo.slice %214 [0:6, 0:11, 0:2, 2:4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %227 = stablehlo.cosine %224 : tensor<6x11x1x2xf32>
    %228 = stablehlo.broadcast_in_dim %227, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %229 = stablehlo.multiply %225, %228 : tensor<6x11x2x2xf32>
    %230 = stablehlo.sine %224 : tensor<6x11x1x2xf32>
    %231 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %232 = stablehlo.multiply %226, %231 : tensor<6x11x2x2xf32>
    %233 = stablehlo.subtract %229, %232 : tensor<6x11x2x2xf32>
    %234 = stablehlo.sine %224 : tensor<6x11x1x2xf32>
    %235 = stablehlo.broadcast_in_dim %234, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %236 = stablehlo.multiply %225, %235 : tensor<6x11x2x2xf32>
    %237 = stablehlo.cosine %224 : tensor<6x11x1x2xf32>
    %238 = stablehlo.broadcast_in_dim %237, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %239 = stablehlo.multiply %226, %238 : tensor<6x11x2x2xf32>
    %240 = stablehlo.add %236, %239 : tensor<6x11x2x2xf32>
    %241 = stablehlo.concatenate %233, %240, dim = 3 : (tensor<6x11x2x2xf32>, tensor<6x11x2x2xf32>) -> tensor<6x11x2x4xf32>
    %242 = stablehlo.dot_general %183, %arg47, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %243 = stablehlo.reshape %242 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %244 = stablehlo.broadcast_in_dim %241, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %245 = stablehlo.reshape %244 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %246 = stablehlo.broadcast_in_dim %243, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %247 = stablehlo.reshape %246 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %248 = stablehlo.dot_general %212, %245, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x11xf32>
    %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %250 = stablehlo.divide %248, %249 : tensor<6x6x11x11xf32>
    %cst_31 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %251 = call @_where_0(%170, %250, %cst_31) : (tensor<11x11xi1>, tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11x11xf32>
    %cst_32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %252 = stablehlo.reduce(%251 init: %cst_32) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %cst_33 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %253 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x6x11xf32>
    %254 = stablehlo.maximum %253, %252 : tensor<6x6x11xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %256 = stablehlo.broadcast_in_dim %255, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %257 = stablehlo.subtract %251, %256 : tensor<6x6x11x11xf32>
    %258 = stablehlo.exponential %257 : tensor<6x6x11x11xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %259 = stablehlo.reduce(%258 init: %cst_34) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %260 = stablehlo.broadcast_in_dim %259, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %261 = stablehlo.broadcast_in_dim %260, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %262 = stablehlo.divide %258, %261 : tensor<6x6x11x11xf32>
    %263 = stablehlo.dot_general %247, %262, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x6x11x11xf32>) -> tensor<6x6x4x11xf32>
    %264 = stablehlo.transpose %263, dims = [0, 3, 1, 2] : (tensor<6x6x4x11xf32>) -> tensor<6x11x6x4xf32>
    %265 = stablehlo.reshape %264 : (tensor<6x11x6x4xf32>) -> tensor<6x11x24xf32>
    %266 = stablehlo.dot_general %265, %arg45, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %267 = stablehlo.add %166, %266 : tensor<6x11x16xf32>
    %268 = stablehlo.multiply %267, %267 : tensor<6x11x16xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %269 = stablehlo.reduce(%268 init: %cst_35) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %270 = stablehlo.broadcast_in_dim %269, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_36 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %271 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %272 = stablehlo.divide %270, %271 : tensor<6x11x1xf32>
    %cst_37 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %274 = stablehlo.add %272, %273 : tensor<6x11x1xf32>
    %275 = stablehlo.rsqrt %274 : tensor<6x11x1xf32>
    %276 = stablehlo.broadcast_in_dim %275, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %277 = stablehlo.multiply %267, %276 : tensor<6x11x16xf32>
    %278 = stablehlo.broadcast_in_dim %arg42, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %279 = stablehlo.broadcast_in_dim %278, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %280 = stablehlo.multiply %277, %279 : tensor<6x11x16xf32>
    %281 = stablehlo.dot_general %280, %arg41, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %282 = call @silu_1(%281) : (tensor<6x11x24xf32>) -> tensor<6x11x24xf32>
    %283 = stablehlo.dot_general %280, %arg43, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %284 = stablehlo.multiply %282, %283 : tensor<6x11x24xf32>
    %285 = stablehlo.dot_general %284, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %286 = stablehlo.add %267, %285 : tensor<6x11x16xf32>
    %287 = stablehlo.multiply %286, %286 : tensor<6x11x16xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.reduce(%287 init: %cst_38) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %289 = stablehlo.broadcast_in_dim %288, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_39 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %290 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %291 = stablehlo.divide %289, %290 : tensor<6x11x1xf32>
    %cst_40 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %293 = stablehlo.add %291, %292 : tensor<6x11x1xf32>
    %294 = stablehlo.rsqrt %293 : tensor<6x11x1xf32>
    %295 = stablehlo.broadcast_in_dim %294, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %296 = stablehlo.multiply %286, %295 : tensor<6x11x16xf32>
    %297 = stablehlo.broadcast_in_dim %arg48, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %298 = stablehlo.broadcast_in_dim %297, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %299 = stablehlo.multiply %296, %298 : tensor<6x11x16xf32>
    %300 = stablehlo.dot_general %299, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x60xf32>) -> tensor<6x11x60xf32>
    %301 = call @log_softmax_2(%300) : (tensor<6x11x60xf32>) -> tensor<6x11x60xf32>
    %302 = stablehlo.slice %arg49 [0:6, 1:12] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %303 = stablehlo.broadcast_in_dim %302, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %304 = call @take_along_axis_3(%301, %303) : (tensor<6x11x60xf32>, tensor<6x11x1xi32>) -> tensor<6x11x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%304 init: %cst_41) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6xf32>
    %306 = stablehlo.subtract %158, %305 : tensor<6xf32>
    %307 = stablehlo.slice %arg50 [0:6, 0:11] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %c_42 = stablehlo.constant dense<0> : tensor<i32>
    %308 = stablehlo.broadcast_in_dim %c_42, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %309 = stablehlo.compare LT, %307, %308, SIGNED : (tensor<6x11xi32>, tensor<6x11xi32>) -> tensor<6x11xi1>
    %c_43 = stablehlo.constant dense<60> : tensor<i32>
    %310 = stablehlo.broadcast_in_dim %c_43, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %311 = stablehlo.add %307, %310 : tensor<6x11xi32>
    %312 = stablehlo.select %309, %311, %307 : tensor<6x11xi1>, tensor<6x11xi32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %314 = "stablehlo.gather"(%arg0, %313) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x11x1xi32>) -> tensor<6x11x16xf32>
    %315 = stablehlo.iota dim = 0 : tensor<11xi32>
    %316 = stablehlo.broadcast_in_dim %315, dims = [1] : (tensor<11xi32>) -> tensor<6x11xi32>
    %c_44 = stablehlo.constant dense<true> : tensor<i1>
    %317 = stablehlo.broadcast_in_dim %c_44, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %318 = call @tril(%317) : (tensor<11x11xi1>) -> tensor<11x11xi1>
    %319 = stablehlo.multiply %314, %314 : tensor<6x11x16xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %320 = stablehlo.reduce(%319 init: %cst_45) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %321 = stablehlo.broadcast_in_dim %320, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_46 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %323 = stablehlo.divide %321, %322 : tensor<6x11x1xf32>
    %cst_47 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %325 = stablehlo.add %323, %324 : tensor<6x11x1xf32>
    %326 = stablehlo.rsqrt %325 : tensor<6x11x1xf32>
    %327 = stablehlo.divide %326, %325 : tensor<6x11x1xf32>
    %cst_48 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %328 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %329 = stablehlo.multiply %328, %327 : tensor<6x11x1xf32>
    %330 = stablehlo.broadcast_in_dim %326, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %331 = stablehlo.multiply %314, %330 : tensor<6x11x16xf32>
    %332 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %333 = stablehlo.broadcast_in_dim %332, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %334 = stablehlo.multiply %331, %333 : tensor<6x11x16xf32>
    %335 = stablehlo.dot_general %334, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %336 = stablehlo.reshape %335 : (tensor<6x11x24xf32>) -> tensor<6x11x6x4xf32>
    %337 = stablehlo.broadcast_in_dim %316, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %338 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_49 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %339 = stablehlo.convert %338 : (tensor<2xi32>) -> tensor<2xf32>
    %340 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %341 = stablehlo.power %340, %339 : tensor<2xf32>
    %342 = stablehlo.convert %337 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %343 = stablehlo.broadcast_in_dim %341, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %344 = stablehlo.broadcast_in_dim %342, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %345 = stablehlo.broadcast_in_dim %343, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %346 = stablehlo.multiply %344, %345 : tensor<6x11x1x2xf32>
    %347 = stablehlo.slice %336 [0:6, 0:11, 0:6, 0:2] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %348 = stablehlo.slice %336 [0:6, 0:11, 0:6, 2:4] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %349 = stablehlo.cosine %346 : tensor<6x11x1x2xf32>
    %350 = stablehlo.broadcast_in_dim %349, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %351 = stablehlo.multiply %347, %350 : tensor<6x11x6x2xf32>
    %352 = stablehlo.sine %346 : tensor<6x11x1x2xf32>
    %353 = stablehlo.broadcast_in_dim %352, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %354 = stablehlo.multiply %348, %353 : tensor<6x11x6x2xf32>
    %355 = stablehlo.subtract %351, %354 : tensor<6x11x6x2xf32>
    %356 = stablehlo.sine %346 : tensor<6x11x1x2xf32>
    %357 = stablehlo.broadcast_in_dim %356, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %358 = stablehlo.multiply %347, %357 : tensor<6x11x6x2xf32>
    %359 = stablehlo.cosine %346 : tensor<6x11x1x2xf32>
    %360 = stablehlo.broadcast_in_dim %359, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %361 = stablehlo.multiply %348, %360 : tensor<6x11x6x2xf32>
    %362 = stablehlo.add %358, %361 : tensor<6x11x6x2xf32>
    %363 = stablehlo.concatenate %355, %362, dim = 3 : (tensor<6x11x6x2xf32>, tensor<6x11x6x2xf32>) -> tensor<6x11x6x4xf32>
    %364 = stablehlo.dot_general %334, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %365 = stablehlo.reshape %364 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %366 = stablehlo.broadcast_in_dim %316, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %367 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_50 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %368 = stablehlo.convert %367 : (tensor<2xi32>) -> tensor<2xf32>
    %369 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %370 = stablehlo.power %369, %368 : tensor<2xf32>
    %371 = stablehlo.convert %366 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %372 = stablehlo.broadcast_in_dim %370, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %373 = stablehlo.broadcast_in_dim %371, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %374 = stablehlo.broadcast_in_dim %372, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %375 = stablehlo.multiply %373, %374 : tensor<6x11x1x2xf32>
    %376 = stablehlo.slice %365 [0:6, 0:11, 0:2, 0:2] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %377 = stablehlo.slice %365 [0:6, 0:11, 0:2, 2:4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %378 = stablehlo.cosine %375 : tensor<6x11x1x2xf32>
    %379 = stablehlo.broadcast_in_dim %378, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %380 = stablehlo.multiply %376, %379 : tensor<6x11x2x2xf32>
    %381 = stablehlo.sine %375 : tensor<6x11x1x2xf32>
    %382 = stablehlo.broadcast_in_dim %381, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %383 = stablehlo.multiply %377, %382 : tensor<6x11x2x2xf32>
    %384 = stablehlo.subtract %380, %383 : tensor<6x11x2x2xf32>
    %385 = stablehlo.sine %375 : tensor<6x11x1x2xf32>
    %386 = stablehlo.broadcast_in_dim %385, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %387 = stablehlo.multiply %376, %386 : tensor<6x11x2x2xf32>
    %388 = stablehlo.cosine %375 : tensor<6x11x1x2xf32>
    %389 = stablehlo.broadcast_in_dim %388, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %390 = stablehlo.multiply %377, %389 : tensor<6x11x2x2xf32>
    %391 = stablehlo.add %387, %390 : tensor<6x11x2x2xf32>
    %392 = stablehlo.concatenate %384, %391, dim = 3 : (tensor<6x11x2x2xf32>, tensor<6x11x2x2xf32>) -> tensor<6x11x2x4xf32>
    %393 = stablehlo.dot_general %334, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %394 = stablehlo.reshape %393 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %395 = stablehlo.broadcast_in_dim %392, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %396 = stablehlo.reshape %395 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %397 = stablehlo.broadcast_in_dim %394, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %398 = stablehlo.reshape %397 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %399 = stablehlo.dot_general %363, %396, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x11xf32>
    %cst_51 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %400 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %401 = stablehlo.divide %399, %400 : tensor<6x6x11x11xf32>
    %cst_52 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %402:2 = call @_where(%318, %401, %cst_52) : (tensor<11x11xi1>, tensor<6x6x11x11xf32>, tensor<f32>) -> (tensor<6x6x11x11xf32>, tensor<6x6x11x11xi1>)
    %cst_53 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %403 = stablehlo.reduce(%402#0 init: %cst_53) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %cst_54 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %404 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6x6x11xf32>
    %405 = stablehlo.maximum %404, %403 : tensor<6x6x11xf32>
    %406 = stablehlo.broadcast_in_dim %405, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %407 = stablehlo.broadcast_in_dim %406, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %408 = stablehlo.subtract %402#0, %407 : tensor<6x6x11x11xf32>
    %409 = stablehlo.exponential %408 : tensor<6x6x11x11xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %410 = stablehlo.reduce(%409 init: %cst_55) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %411 = stablehlo.broadcast_in_dim %410, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %412 = stablehlo.broadcast_in_dim %411, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %413 = stablehlo.divide %409, %412 : tensor<6x6x11x11xf32>
    %414 = stablehlo.multiply %411, %411 : tensor<6x6x11x1xf32>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %415 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<6x6x11x1xf32>
    %416 = stablehlo.divide %415, %414 : tensor<6x6x11x1xf32>
    %417 = stablehlo.dot_general %398, %413, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x6x11x11xf32>) -> tensor<6x6x4x11xf32>
    %418 = stablehlo.transpose %417, dims = [0, 3, 1, 2] : (tensor<6x6x4x11xf32>) -> tensor<6x11x6x4xf32>
    %419 = stablehlo.reshape %418 : (tensor<6x11x6x4xf32>) -> tensor<6x11x24xf32>
    %420 = stablehlo.dot_general %419, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %421 = stablehlo.add %314, %420 : tensor<6x11x16xf32>
    %422 = stablehlo.multiply %421, %421 : tensor<6x11x16xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %423 = stablehlo.reduce(%422 init: %cst_57) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %424 = stablehlo.broadcast_in_dim %423, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_58 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %425 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %426 = stablehlo.divide %424, %425 : tensor<6x11x1xf32>
    %cst_59 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %427 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %428 = stablehlo.add %426, %427 : tensor<6x11x1xf32>
    %429 = stablehlo.rsqrt %428 : tensor<6x11x1xf32>
    %430 = stablehlo.divide %429, %428 : tensor<6x11x1xf32>
    %cst_60 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %432 = stablehlo.multiply %431, %430 : tensor<6x11x1xf32>
    %433 = stablehlo.broadcast_in_dim %429, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %434 = stablehlo.multiply %421, %433 : tensor<6x11x16xf32>
    %435 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %436 = stablehlo.broadcast_in_dim %435, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %437 = stablehlo.multiply %434, %436 : tensor<6x11x16xf32>
    %438 = stablehlo.dot_general %437, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %439:3 = call @silu(%438) : (tensor<6x11x24xf32>) -> (tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>)
    %440 = stablehlo.dot_general %437, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %441 = stablehlo.multiply %439#0, %440 : tensor<6x11x24xf32>
    %442 = stablehlo.dot_general %441, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %443 = stablehlo.add %421, %442 : tensor<6x11x16xf32>
    %444 = stablehlo.multiply %443, %443 : tensor<6x11x16xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %445 = stablehlo.reduce(%444 init: %cst_61) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %446 = stablehlo.broadcast_in_dim %445, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_62 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %447 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %448 = stablehlo.divide %446, %447 : tensor<6x11x1xf32>
    %cst_63 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %449 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %450 = stablehlo.add %448, %449 : tensor<6x11x1xf32>
    %451 = stablehlo.rsqrt %450 : tensor<6x11x1xf32>
    %452 = stablehlo.divide %451, %450 : tensor<6x11x1xf32>
    %cst_64 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %453 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %454 = stablehlo.multiply %453, %452 : tensor<6x11x1xf32>
    %455 = stablehlo.broadcast_in_dim %451, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %456 = stablehlo.multiply %443, %455 : tensor<6x11x16xf32>
    %457 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %458 = stablehlo.broadcast_in_dim %457, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %459 = stablehlo.multiply %456, %458 : tensor<6x11x16xf32>
    %460 = stablehlo.dot_general %459, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x60xf32>) -> tensor<6x11x60xf32>
    %461:3 = call @log_softmax(%460) : (tensor<6x11x60xf32>) -> (tensor<6x11x60xf32>, tensor<6x11x60xf32>, tensor<6x11x1xf32>)
    %462 = stablehlo.slice %arg50 [0:6, 1:12] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %463 = stablehlo.broadcast_in_dim %462, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %464:2 = call @take_along_axis(%461#0, %463) : (tensor<6x11x60xf32>, tensor<6x11x1xi32>) -> (tensor<6x11x1xf32>, tensor<6x11x1x1xi32>)
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %465 = stablehlo.reduce(%464#0 init: %cst_65) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6xf32>
    %466 = stablehlo.slice %arg50 [0:6, 0:11] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %c_66 = stablehlo.constant dense<0> : tensor<i32>
    %467 = stablehlo.broadcast_in_dim %c_66, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %468 = stablehlo.compare LT, %466, %467, SIGNED : (tensor<6x11xi32>, tensor<6x11xi32>) -> tensor<6x11xi1>
    %c_67 = stablehlo.constant dense<60> : tensor<i32>
    %469 = stablehlo.broadcast_in_dim %c_67, dims = [] : (tensor<i32>) -> tensor<6x11xi32>
    %470 = stablehlo.add %466, %469 : tensor<6x11xi32>
    %471 = stablehlo.select %468, %470, %466 : tensor<6x11xi1>, tensor<6x11xi32>
    %472 = stablehlo.broadcast_in_dim %471, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %473 = "stablehlo.gather"(%arg37, %472) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x11x1xi32>) -> tensor<6x11x16xf32>
    %474 = stablehlo.iota dim = 0 : tensor<11xi32>
    %475 = stablehlo.broadcast_in_dim %474, dims = [1] : (tensor<11xi32>) -> tensor<6x11xi32>
    %c_68 = stablehlo.constant dense<true> : tensor<i1>
    %476 = stablehlo.broadcast_in_dim %c_68, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %477 = call @tril(%476) : (tensor<11x11xi1>) -> tensor<11x11xi1>
    %478 = stablehlo.multiply %473, %473 : tensor<6x11x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %479 = stablehlo.reduce(%478 init: %cst_69) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %480 = stablehlo.broadcast_in_dim %479, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_70 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %481 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %482 = stablehlo.divide %480, %481 : tensor<6x11x1xf32>
    %cst_71 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %483 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %484 = stablehlo.add %482, %483 : tensor<6x11x1xf32>
    %485 = stablehlo.rsqrt %484 : tensor<6x11x1xf32>
    %486 = stablehlo.broadcast_in_dim %485, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %487 = stablehlo.multiply %473, %486 : tensor<6x11x16xf32>
    %488 = stablehlo.broadcast_in_dim %arg39, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %489 = stablehlo.broadcast_in_dim %488, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %490 = stablehlo.multiply %487, %489 : tensor<6x11x16xf32>
    %491 = stablehlo.dot_general %490, %arg46, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %492 = stablehlo.reshape %491 : (tensor<6x11x24xf32>) -> tensor<6x11x6x4xf32>
    %493 = stablehlo.broadcast_in_dim %475, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %494 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_72 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %495 = stablehlo.convert %494 : (tensor<2xi32>) -> tensor<2xf32>
    %496 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %497 = stablehlo.power %496, %495 : tensor<2xf32>
    %498 = stablehlo.convert %493 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %499 = stablehlo.broadcast_in_dim %497, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %500 = stablehlo.broadcast_in_dim %498, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %501 = stablehlo.broadcast_in_dim %499, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %502 = stablehlo.multiply %500, %501 : tensor<6x11x1x2xf32>
    %503 = stablehlo.slice %492 [0:6, 0:11, 0:6, 0:2] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %504 = stablehlo.slice %492 [0:6, 0:11, 0:6, 2:4] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %505 = stablehlo.cosine %502 : tensor<6x11x1x2xf32>
    %506 = stablehlo.broadcast_in_dim %505, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %507 = stablehlo.multiply %503, %506 : tensor<6x11x6x2xf32>
    %508 = stablehlo.sine %502 : tensor<6x11x1x2xf32>
    %509 = stablehlo.broadcast_in_dim %508, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %510 = stablehlo.multiply %504, %509 : tensor<6x11x6x2xf32>
    %511 = stablehlo.subtract %507, %510 : tensor<6x11x6x2xf32>
    %512 = stablehlo.sine %502 : tensor<6x11x1x2xf32>
    %513 = stablehlo.broadcast_in_dim %512, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %514 = stablehlo.multiply %503, %513 : tensor<6x11x6x2xf32>
    %515 = stablehlo.cosine %502 : tensor<6x11x1x2xf32>
    %516 = stablehlo.broadcast_in_dim %515, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %517 = stablehlo.multiply %504, %516 : tensor<6x11x6x2xf32>
    %518 = stablehlo.add %514, %517 : tensor<6x11x6x2xf32>
    %519 = stablehlo.concatenate %511, %518, dim = 3 : (tensor<6x11x6x2xf32>, tensor<6x11x6x2xf32>) -> tensor<6x11x6x4xf32>
    %520 = stablehlo.dot_general %490, %arg44, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %521 = stablehlo.reshape %520 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %522 = stablehlo.broadcast_in_dim %475, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1x1xi32>
    %523 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_73 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %524 = stablehlo.convert %523 : (tensor<2xi32>) -> tensor<2xf32>
    %525 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %526 = stablehlo.power %525, %524 : tensor<2xf32>
    %527 = stablehlo.convert %522 : (tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xf32>
    %528 = stablehlo.broadcast_in_dim %526, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %529 = stablehlo.broadcast_in_dim %527, dims = [0, 1, 2, 3] : (tensor<6x11x1x1xf32>) -> tensor<6x11x1x2xf32>
    %530 = stablehlo.broadcast_in_dim %528, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x11x1x2xf32>
    %531 = stablehlo.multiply %529, %530 : tensor<6x11x1x2xf32>
    %532 = stablehlo.slice %521 [0:6, 0:11, 0:2, 0:2] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %533 = stablehlo.slice %521 [0:6, 0:11, 0:2, 2:4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %534 = stablehlo.cosine %531 : tensor<6x11x1x2xf32>
    %535 = stablehlo.broadcast_in_dim %534, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %536 = stablehlo.multiply %532, %535 : tensor<6x11x2x2xf32>
    %537 = stablehlo.sine %531 : tensor<6x11x1x2xf32>
    %538 = stablehlo.broadcast_in_dim %537, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %539 = stablehlo.multiply %533, %538 : tensor<6x11x2x2xf32>
    %540 = stablehlo.subtract %536, %539 : tensor<6x11x2x2xf32>
    %541 = stablehlo.sine %531 : tensor<6x11x1x2xf32>
    %542 = stablehlo.broadcast_in_dim %541, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %543 = stablehlo.multiply %532, %542 : tensor<6x11x2x2xf32>
    %544 = stablehlo.cosine %531 : tensor<6x11x1x2xf32>
    %545 = stablehlo.broadcast_in_dim %544, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %546 = stablehlo.multiply %533, %545 : tensor<6x11x2x2xf32>
    %547 = stablehlo.add %543, %546 : tensor<6x11x2x2xf32>
    %548 = stablehlo.concatenate %540, %547, dim = 3 : (tensor<6x11x2x2xf32>, tensor<6x11x2x2xf32>) -> tensor<6x11x2x4xf32>
    %549 = stablehlo.dot_general %490, %arg47, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x8xf32>) -> tensor<6x11x8xf32>
    %550 = stablehlo.reshape %549 : (tensor<6x11x8xf32>) -> tensor<6x11x2x4xf32>
    %551 = stablehlo.broadcast_in_dim %548, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %552 = stablehlo.reshape %551 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %553 = stablehlo.broadcast_in_dim %550, dims = [0, 1, 2, 4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x3x4xf32>
    %554 = stablehlo.reshape %553 : (tensor<6x11x2x3x4xf32>) -> tensor<6x11x6x4xf32>
    %555 = stablehlo.dot_general %519, %552, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x11xf32>
    %cst_74 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %557 = stablehlo.divide %555, %556 : tensor<6x6x11x11xf32>
    %cst_75 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %558 = call @_where_0(%477, %557, %cst_75) : (tensor<11x11xi1>, tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11x11xf32>
    %cst_76 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %559 = stablehlo.reduce(%558 init: %cst_76) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %cst_77 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %560 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<6x6x11xf32>
    %561 = stablehlo.maximum %560, %559 : tensor<6x6x11xf32>
    %562 = stablehlo.broadcast_in_dim %561, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %563 = stablehlo.broadcast_in_dim %562, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %564 = stablehlo.subtract %558, %563 : tensor<6x6x11x11xf32>
    %565 = stablehlo.exponential %564 : tensor<6x6x11x11xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %566 = stablehlo.reduce(%565 init: %cst_78) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %567 = stablehlo.broadcast_in_dim %566, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %568 = stablehlo.broadcast_in_dim %567, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %569 = stablehlo.divide %565, %568 : tensor<6x6x11x11xf32>
    %570 = stablehlo.dot_general %554, %569, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x11x6x4xf32>, tensor<6x6x11x11xf32>) -> tensor<6x6x4x11xf32>
    %571 = stablehlo.transpose %570, dims = [0, 3, 1, 2] : (tensor<6x6x4x11xf32>) -> tensor<6x11x6x4xf32>
    %572 = stablehlo.reshape %571 : (tensor<6x11x6x4xf32>) -> tensor<6x11x24xf32>
    %573 = stablehlo.dot_general %572, %arg45, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %574 = stablehlo.add %473, %573 : tensor<6x11x16xf32>
    %575 = stablehlo.multiply %574, %574 : tensor<6x11x16xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %576 = stablehlo.reduce(%575 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %577 = stablehlo.broadcast_in_dim %576, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_80 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %578 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %579 = stablehlo.divide %577, %578 : tensor<6x11x1xf32>
    %cst_81 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %581 = stablehlo.add %579, %580 : tensor<6x11x1xf32>
    %582 = stablehlo.rsqrt %581 : tensor<6x11x1xf32>
    %583 = stablehlo.broadcast_in_dim %582, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %584 = stablehlo.multiply %574, %583 : tensor<6x11x16xf32>
    %585 = stablehlo.broadcast_in_dim %arg42, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %586 = stablehlo.broadcast_in_dim %585, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %587 = stablehlo.multiply %584, %586 : tensor<6x11x16xf32>
    %588 = stablehlo.dot_general %587, %arg41, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %589 = call @silu_1(%588) : (tensor<6x11x24xf32>) -> tensor<6x11x24xf32>
    %590 = stablehlo.dot_general %587, %arg43, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x24xf32>) -> tensor<6x11x24xf32>
    %591 = stablehlo.multiply %589, %590 : tensor<6x11x24xf32>
    %592 = stablehlo.dot_general %591, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<24x16xf32>) -> tensor<6x11x16xf32>
    %593 = stablehlo.add %574, %592 : tensor<6x11x16xf32>
    %594 = stablehlo.multiply %593, %593 : tensor<6x11x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %595 = stablehlo.reduce(%594 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %596 = stablehlo.broadcast_in_dim %595, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %cst_83 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %598 = stablehlo.divide %596, %597 : tensor<6x11x1xf32>
    %cst_84 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %599 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %600 = stablehlo.add %598, %599 : tensor<6x11x1xf32>
    %601 = stablehlo.rsqrt %600 : tensor<6x11x1xf32>
    %602 = stablehlo.broadcast_in_dim %601, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %603 = stablehlo.multiply %593, %602 : tensor<6x11x16xf32>
    %604 = stablehlo.broadcast_in_dim %arg48, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %605 = stablehlo.broadcast_in_dim %604, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %606 = stablehlo.multiply %603, %605 : tensor<6x11x16xf32>
    %607 = stablehlo.dot_general %606, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<16x60xf32>) -> tensor<6x11x60xf32>
    %608 = call @log_softmax_2(%607) : (tensor<6x11x60xf32>) -> tensor<6x11x60xf32>
    %609 = stablehlo.slice %arg50 [0:6, 1:12] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %610 = stablehlo.broadcast_in_dim %609, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %611 = call @take_along_axis_3(%608, %610) : (tensor<6x11x60xf32>, tensor<6x11x1xi32>) -> tensor<6x11x1xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %612 = stablehlo.reduce(%611 init: %cst_85) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6xf32>
    %613 = stablehlo.subtract %465, %612 : tensor<6xf32>
    %614 = stablehlo.subtract %306, %613 : tensor<6xf32>
    %cst_86 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %615 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %616 = stablehlo.multiply %615, %614 : tensor<6xf32>
    %617:2 = call @log_sigmoid(%616) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %618 = stablehlo.reduce(%617#0 init: %cst_87) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_88 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %619 = stablehlo.divide %618, %cst_88 : tensor<f32>
    %620 = stablehlo.negate %619 : tensor<f32>
    %cst_89 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %621 = stablehlo.negate %cst_89 : tensor<f32>
    %cst_90 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %622 = stablehlo.divide %621, %cst_90 : tensor<f32>
    %623 = stablehlo.broadcast_in_dim %622, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %624 = call @log_sigmoid_4(%617#1, %623) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %cst_91 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %625 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %626 = stablehlo.multiply %625, %624 : tensor<6xf32>
    %627 = stablehlo.negate %626 : tensor<6xf32>
    %628 = stablehlo.broadcast_in_dim %627, dims = [0] : (tensor<6xf32>) -> tensor<6x11x1xf32>
    %629 = call @take_along_axis_6(%464#1, %628) : (tensor<6x11x1x1xi32>, tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %630 = call @log_softmax_7(%461#1, %461#2, %629) : (tensor<6x11x60xf32>, tensor<6x11x1xf32>, tensor<6x11x60xf32>) -> tensor<6x11x60xf32>
    %631 = stablehlo.dot_general %630, %459, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x60xf32>, tensor<6x11x16xf32>) -> tensor<60x16xf32>
    %632 = stablehlo.transpose %631, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %633 = stablehlo.dot_general %630, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x60xf32>, tensor<16x60xf32>) -> tensor<6x11x16xf32>
    %634 = stablehlo.multiply %456, %633 : tensor<6x11x16xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %635 = stablehlo.reduce(%634 init: %cst_92) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<16xf32>
    %636 = stablehlo.reshape %635 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %637 = stablehlo.broadcast_in_dim %457, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %638 = stablehlo.multiply %633, %637 : tensor<6x11x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %639 = stablehlo.reduce(%636 init: %cst_93) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %640 = stablehlo.multiply %443, %638 : tensor<6x11x16xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %641 = stablehlo.reduce(%640 init: %cst_94) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %642 = stablehlo.reshape %641 : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %643 = stablehlo.broadcast_in_dim %451, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %644 = stablehlo.multiply %638, %643 : tensor<6x11x16xf32>
    %645 = stablehlo.multiply %642, %454 : tensor<6x11x1xf32>
    %cst_95 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %646 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %647 = stablehlo.divide %645, %646 : tensor<6x11x1xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %648 = stablehlo.reduce(%647 init: %cst_96) applies stablehlo.add across dimensions = [2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6x11xf32>
    %649 = stablehlo.broadcast_in_dim %648, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x16xf32>
    %650 = stablehlo.multiply %443, %649 : tensor<6x11x16xf32>
    %651 = stablehlo.add %644, %650 : tensor<6x11x16xf32>
    %652 = stablehlo.multiply %649, %443 : tensor<6x11x16xf32>
    %653 = stablehlo.add %651, %652 : tensor<6x11x16xf32>
    %654 = stablehlo.dot_general %653, %441, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<6x11x24xf32>) -> tensor<16x24xf32>
    %655 = stablehlo.transpose %654, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %656 = stablehlo.dot_general %653, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<24x16xf32>) -> tensor<6x11x24xf32>
    %657 = stablehlo.multiply %439#0, %656 : tensor<6x11x24xf32>
    %658 = stablehlo.multiply %656, %440 : tensor<6x11x24xf32>
    %659 = stablehlo.dot_general %657, %437, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<6x11x16xf32>) -> tensor<24x16xf32>
    %660 = stablehlo.transpose %659, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %661 = stablehlo.dot_general %657, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<16x24xf32>) -> tensor<6x11x16xf32>
    %662 = call @silu_8(%439#1, %439#2, %438, %658) : (tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>) -> tensor<6x11x24xf32>
    %663 = stablehlo.dot_general %662, %437, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<6x11x16xf32>) -> tensor<24x16xf32>
    %664 = stablehlo.transpose %663, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %665 = stablehlo.dot_general %662, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<16x24xf32>) -> tensor<6x11x16xf32>
    %666 = stablehlo.add %661, %665 : tensor<6x11x16xf32>
    %667 = stablehlo.multiply %434, %666 : tensor<6x11x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %668 = stablehlo.reduce(%667 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<16xf32>
    %669 = stablehlo.reshape %668 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %670 = stablehlo.broadcast_in_dim %435, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %671 = stablehlo.multiply %666, %670 : tensor<6x11x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %672 = stablehlo.reduce(%669 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %673 = stablehlo.multiply %421, %671 : tensor<6x11x16xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %674 = stablehlo.reduce(%673 init: %cst_99) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %675 = stablehlo.reshape %674 : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %676 = stablehlo.broadcast_in_dim %429, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %677 = stablehlo.multiply %671, %676 : tensor<6x11x16xf32>
    %678 = stablehlo.add %653, %677 : tensor<6x11x16xf32>
    %679 = stablehlo.multiply %675, %432 : tensor<6x11x1xf32>
    %cst_100 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %680 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %681 = stablehlo.divide %679, %680 : tensor<6x11x1xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %682 = stablehlo.reduce(%681 init: %cst_101) applies stablehlo.add across dimensions = [2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6x11xf32>
    %683 = stablehlo.broadcast_in_dim %682, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x16xf32>
    %684 = stablehlo.multiply %421, %683 : tensor<6x11x16xf32>
    %685 = stablehlo.add %678, %684 : tensor<6x11x16xf32>
    %686 = stablehlo.multiply %683, %421 : tensor<6x11x16xf32>
    %687 = stablehlo.add %685, %686 : tensor<6x11x16xf32>
    %688 = stablehlo.dot_general %687, %419, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<6x11x24xf32>) -> tensor<16x24xf32>
    %689 = stablehlo.transpose %688, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %690 = stablehlo.dot_general %687, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<24x16xf32>) -> tensor<6x11x24xf32>
    %691 = stablehlo.reshape %690 : (tensor<6x11x24xf32>) -> tensor<6x11x6x4xf32>
    %692 = stablehlo.transpose %691, dims = [0, 2, 3, 1] : (tensor<6x11x6x4xf32>) -> tensor<6x6x4x11xf32>
    %693 = stablehlo.dot_general %692, %398, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x11xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x11xf32>
    %694 = stablehlo.dot_general %692, %413, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x11xf32>, tensor<6x6x11x11xf32>) -> tensor<6x6x4x11xf32>
    %695 = stablehlo.transpose %694, dims = [0, 3, 1, 2] : (tensor<6x6x4x11xf32>) -> tensor<6x11x6x4xf32>
    %696 = stablehlo.broadcast_in_dim %416, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %697 = stablehlo.multiply %693, %696 : tensor<6x6x11x11xf32>
    %698 = stablehlo.multiply %697, %409 : tensor<6x6x11x11xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %699 = stablehlo.reduce(%698 init: %cst_102) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %700 = stablehlo.reshape %699 : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %701 = stablehlo.negate %700 : tensor<6x6x11x1xf32>
    %702 = stablehlo.broadcast_in_dim %411, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %703 = stablehlo.divide %693, %702 : tensor<6x6x11x11xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %704 = stablehlo.reduce(%701 init: %cst_103) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x1xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %705 = stablehlo.broadcast_in_dim %704, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x11xf32>
    %706 = stablehlo.add %703, %705 : tensor<6x6x11x11xf32>
    %707 = stablehlo.multiply %706, %409 : tensor<6x6x11x11xf32>
    %708 = call @_where_9(%402#1, %707) : (tensor<6x6x11x11xi1>, tensor<6x6x11x11xf32>) -> tensor<6x6x11x11xf32>
    %cst_104 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %709 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %710 = stablehlo.divide %708, %709 : tensor<6x6x11x11xf32>
    %711 = stablehlo.dot_general %710, %363, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x11x11xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x4xf32>
    %712 = stablehlo.transpose %711, dims = [0, 2, 1, 3] : (tensor<6x6x11x4xf32>) -> tensor<6x11x6x4xf32>
    %713 = stablehlo.dot_general %710, %396, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x11x11xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x4xf32>
    %714 = stablehlo.transpose %713, dims = [0, 2, 1, 3] : (tensor<6x6x11x4xf32>) -> tensor<6x11x6x4xf32>
    %715 = stablehlo.reshape %695 : (tensor<6x11x6x4xf32>) -> tensor<6x11x2x3x4xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %716 = stablehlo.reduce(%715 init: %cst_105) applies stablehlo.add across dimensions = [3] : (tensor<6x11x2x3x4xf32>, tensor<f32>) -> tensor<6x11x2x4xf32>
    %717 = stablehlo.reshape %712 : (tensor<6x11x6x4xf32>) -> tensor<6x11x2x3x4xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %718 = stablehlo.reduce(%717 init: %cst_106) applies stablehlo.add across dimensions = [3] : (tensor<6x11x2x3x4xf32>, tensor<f32>) -> tensor<6x11x2x4xf32>
    %719 = stablehlo.reshape %716 : (tensor<6x11x2x4xf32>) -> tensor<6x11x8xf32>
    %720 = stablehlo.dot_general %719, %334, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<6x11x16xf32>) -> tensor<8x16xf32>
    %721 = stablehlo.transpose %720, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %722 = stablehlo.dot_general %719, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<16x8xf32>) -> tensor<6x11x16xf32>
    %723 = stablehlo.slice %718 [0:6, 0:11, 0:2, 0:2] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %724 = stablehlo.slice %718 [0:6, 0:11, 0:2, 2:4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %725 = stablehlo.broadcast_in_dim %388, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %726 = stablehlo.multiply %724, %725 : tensor<6x11x2x2xf32>
    %727 = stablehlo.broadcast_in_dim %385, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %728 = stablehlo.multiply %724, %727 : tensor<6x11x2x2xf32>
    %729 = stablehlo.negate %723 : tensor<6x11x2x2xf32>
    %730 = stablehlo.broadcast_in_dim %381, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %731 = stablehlo.multiply %729, %730 : tensor<6x11x2x2xf32>
    %732 = stablehlo.add %726, %731 : tensor<6x11x2x2xf32>
    %733 = stablehlo.broadcast_in_dim %378, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %734 = stablehlo.multiply %723, %733 : tensor<6x11x2x2xf32>
    %735 = stablehlo.add %728, %734 : tensor<6x11x2x2xf32>
    %736 = stablehlo.concatenate %735, %732, dim = 3 : (tensor<6x11x2x2xf32>, tensor<6x11x2x2xf32>) -> tensor<6x11x2x4xf32>
    %737 = stablehlo.reshape %736 : (tensor<6x11x2x4xf32>) -> tensor<6x11x8xf32>
    %738 = stablehlo.dot_general %737, %334, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<6x11x16xf32>) -> tensor<8x16xf32>
    %739 = stablehlo.transpose %738, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %740 = stablehlo.dot_general %737, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<16x8xf32>) -> tensor<6x11x16xf32>
    %741 = stablehlo.add %722, %740 : tensor<6x11x16xf32>
    %742 = stablehlo.slice %714 [0:6, 0:11, 0:6, 0:2] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %743 = stablehlo.slice %714 [0:6, 0:11, 0:6, 2:4] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %744 = stablehlo.broadcast_in_dim %359, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %745 = stablehlo.multiply %743, %744 : tensor<6x11x6x2xf32>
    %746 = stablehlo.broadcast_in_dim %356, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %747 = stablehlo.multiply %743, %746 : tensor<6x11x6x2xf32>
    %748 = stablehlo.negate %742 : tensor<6x11x6x2xf32>
    %749 = stablehlo.broadcast_in_dim %352, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %750 = stablehlo.multiply %748, %749 : tensor<6x11x6x2xf32>
    %751 = stablehlo.add %745, %750 : tensor<6x11x6x2xf32>
    %752 = stablehlo.broadcast_in_dim %349, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %753 = stablehlo.multiply %742, %752 : tensor<6x11x6x2xf32>
    %754 = stablehlo.add %747, %753 : tensor<6x11x6x2xf32>
    %755 = stablehlo.concatenate %754, %751, dim = 3 : (tensor<6x11x6x2xf32>, tensor<6x11x6x2xf32>) -> tensor<6x11x6x4xf32>
    %756 = stablehlo.reshape %755 : (tensor<6x11x6x4xf32>) -> tensor<6x11x24xf32>
    %757 = stablehlo.dot_general %756, %334, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<6x11x16xf32>) -> tensor<24x16xf32>
    %758 = stablehlo.transpose %757, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %759 = stablehlo.dot_general %756, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<16x24xf32>) -> tensor<6x11x16xf32>
    %760 = stablehlo.add %741, %759 : tensor<6x11x16xf32>
    %761 = stablehlo.multiply %331, %760 : tensor<6x11x16xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %762 = stablehlo.reduce(%761 init: %cst_107) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<16xf32>
    %763 = stablehlo.reshape %762 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %764 = stablehlo.broadcast_in_dim %332, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %765 = stablehlo.multiply %760, %764 : tensor<6x11x16xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %766 = stablehlo.reduce(%763 init: %cst_108) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %767 = stablehlo.multiply %314, %765 : tensor<6x11x16xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %768 = stablehlo.reduce(%767 init: %cst_109) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %769 = stablehlo.reshape %768 : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %770 = stablehlo.broadcast_in_dim %326, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %771 = stablehlo.multiply %765, %770 : tensor<6x11x16xf32>
    %772 = stablehlo.add %687, %771 : tensor<6x11x16xf32>
    %773 = stablehlo.multiply %769, %329 : tensor<6x11x1xf32>
    %cst_110 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %774 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %775 = stablehlo.divide %773, %774 : tensor<6x11x1xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %776 = stablehlo.reduce(%775 init: %cst_111) applies stablehlo.add across dimensions = [2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6x11xf32>
    %777 = stablehlo.broadcast_in_dim %776, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x16xf32>
    %778 = stablehlo.multiply %314, %777 : tensor<6x11x16xf32>
    %779 = stablehlo.add %772, %778 : tensor<6x11x16xf32>
    %780 = stablehlo.multiply %777, %314 : tensor<6x11x16xf32>
    %781 = stablehlo.add %779, %780 : tensor<6x11x16xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %782 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %783 = "stablehlo.scatter"(%782, %313, %781) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg51: tensor<f32>, %arg52: tensor<f32>):
      %1285 = stablehlo.add %arg51, %arg52 : tensor<f32>
      stablehlo.return %1285 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x11x1xi32>, tensor<6x11x16xf32>) -> tensor<60x16xf32>
    %784 = stablehlo.broadcast_in_dim %626, dims = [0] : (tensor<6xf32>) -> tensor<6x11x1xf32>
    %785 = call @take_along_axis_6(%157#1, %784) : (tensor<6x11x1x1xi32>, tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %786 = call @log_softmax_7(%154#1, %154#2, %785) : (tensor<6x11x60xf32>, tensor<6x11x1xf32>, tensor<6x11x60xf32>) -> tensor<6x11x60xf32>
    %787 = stablehlo.dot_general %786, %152, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x60xf32>, tensor<6x11x16xf32>) -> tensor<60x16xf32>
    %788 = stablehlo.transpose %787, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %789 = stablehlo.add %632, %788 : tensor<16x60xf32>
    %790 = stablehlo.dot_general %786, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x60xf32>, tensor<16x60xf32>) -> tensor<6x11x16xf32>
    %791 = stablehlo.multiply %149, %790 : tensor<6x11x16xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %792 = stablehlo.reduce(%791 init: %cst_113) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<16xf32>
    %793 = stablehlo.reshape %792 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %794 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %795 = stablehlo.multiply %790, %794 : tensor<6x11x16xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %796 = stablehlo.reduce(%793 init: %cst_114) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %797 = stablehlo.add %639, %796 : tensor<16xf32>
    %798 = stablehlo.multiply %136, %795 : tensor<6x11x16xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %799 = stablehlo.reduce(%798 init: %cst_115) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %800 = stablehlo.reshape %799 : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %801 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %802 = stablehlo.multiply %795, %801 : tensor<6x11x16xf32>
    %803 = stablehlo.multiply %800, %147 : tensor<6x11x1xf32>
    %cst_116 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %804 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %805 = stablehlo.divide %803, %804 : tensor<6x11x1xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %806 = stablehlo.reduce(%805 init: %cst_117) applies stablehlo.add across dimensions = [2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6x11xf32>
    %807 = stablehlo.broadcast_in_dim %806, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x16xf32>
    %808 = stablehlo.multiply %136, %807 : tensor<6x11x16xf32>
    %809 = stablehlo.add %802, %808 : tensor<6x11x16xf32>
    %810 = stablehlo.multiply %807, %136 : tensor<6x11x16xf32>
    %811 = stablehlo.add %809, %810 : tensor<6x11x16xf32>
    %812 = stablehlo.dot_general %811, %134, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<6x11x24xf32>) -> tensor<16x24xf32>
    %813 = stablehlo.transpose %812, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %814 = stablehlo.add %655, %813 : tensor<24x16xf32>
    %815 = stablehlo.dot_general %811, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<24x16xf32>) -> tensor<6x11x24xf32>
    %816 = stablehlo.multiply %132#0, %815 : tensor<6x11x24xf32>
    %817 = stablehlo.multiply %815, %133 : tensor<6x11x24xf32>
    %818 = stablehlo.dot_general %816, %130, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<6x11x16xf32>) -> tensor<24x16xf32>
    %819 = stablehlo.transpose %818, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %820 = stablehlo.add %660, %819 : tensor<16x24xf32>
    %821 = stablehlo.dot_general %816, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<16x24xf32>) -> tensor<6x11x16xf32>
    %822 = call @silu_8(%132#1, %132#2, %131, %817) : (tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>) -> tensor<6x11x24xf32>
    %823 = stablehlo.dot_general %822, %130, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<6x11x16xf32>) -> tensor<24x16xf32>
    %824 = stablehlo.transpose %823, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %825 = stablehlo.add %664, %824 : tensor<16x24xf32>
    %826 = stablehlo.dot_general %822, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<16x24xf32>) -> tensor<6x11x16xf32>
    %827 = stablehlo.add %821, %826 : tensor<6x11x16xf32>
    %828 = stablehlo.multiply %127, %827 : tensor<6x11x16xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %829 = stablehlo.reduce(%828 init: %cst_118) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<16xf32>
    %830 = stablehlo.reshape %829 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %831 = stablehlo.broadcast_in_dim %128, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %832 = stablehlo.multiply %827, %831 : tensor<6x11x16xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %833 = stablehlo.reduce(%830 init: %cst_119) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %834 = stablehlo.add %672, %833 : tensor<16xf32>
    %835 = stablehlo.multiply %114, %832 : tensor<6x11x16xf32>
    %cst_120 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %836 = stablehlo.reduce(%835 init: %cst_120) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %837 = stablehlo.reshape %836 : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %838 = stablehlo.broadcast_in_dim %122, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %839 = stablehlo.multiply %832, %838 : tensor<6x11x16xf32>
    %840 = stablehlo.add %811, %839 : tensor<6x11x16xf32>
    %841 = stablehlo.multiply %837, %125 : tensor<6x11x1xf32>
    %cst_121 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %842 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %843 = stablehlo.divide %841, %842 : tensor<6x11x1xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %844 = stablehlo.reduce(%843 init: %cst_122) applies stablehlo.add across dimensions = [2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6x11xf32>
    %845 = stablehlo.broadcast_in_dim %844, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x16xf32>
    %846 = stablehlo.multiply %114, %845 : tensor<6x11x16xf32>
    %847 = stablehlo.add %840, %846 : tensor<6x11x16xf32>
    %848 = stablehlo.multiply %845, %114 : tensor<6x11x16xf32>
    %849 = stablehlo.add %847, %848 : tensor<6x11x16xf32>
    %850 = stablehlo.dot_general %849, %112, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<6x11x24xf32>) -> tensor<16x24xf32>
    %851 = stablehlo.transpose %850, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %852 = stablehlo.add %689, %851 : tensor<24x16xf32>
    %853 = stablehlo.dot_general %849, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x16xf32>, tensor<24x16xf32>) -> tensor<6x11x24xf32>
    %854 = stablehlo.reshape %853 : (tensor<6x11x24xf32>) -> tensor<6x11x6x4xf32>
    %855 = stablehlo.transpose %854, dims = [0, 2, 3, 1] : (tensor<6x11x6x4xf32>) -> tensor<6x6x4x11xf32>
    %856 = stablehlo.dot_general %855, %91, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x11xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x11xf32>
    %857 = stablehlo.dot_general %855, %106, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x11xf32>, tensor<6x6x11x11xf32>) -> tensor<6x6x4x11xf32>
    %858 = stablehlo.transpose %857, dims = [0, 3, 1, 2] : (tensor<6x6x4x11xf32>) -> tensor<6x11x6x4xf32>
    %859 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %860 = stablehlo.multiply %856, %859 : tensor<6x6x11x11xf32>
    %861 = stablehlo.multiply %860, %102 : tensor<6x6x11x11xf32>
    %cst_123 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %862 = stablehlo.reduce(%861 init: %cst_123) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x11xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %863 = stablehlo.reshape %862 : (tensor<6x6x11xf32>) -> tensor<6x6x11x1xf32>
    %864 = stablehlo.negate %863 : tensor<6x6x11x1xf32>
    %865 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2, 3] : (tensor<6x6x11x1xf32>) -> tensor<6x6x11x11xf32>
    %866 = stablehlo.divide %856, %865 : tensor<6x6x11x11xf32>
    %cst_124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %867 = stablehlo.reduce(%864 init: %cst_124) applies stablehlo.add across dimensions = [3] : (tensor<6x6x11x1xf32>, tensor<f32>) -> tensor<6x6x11xf32>
    %868 = stablehlo.broadcast_in_dim %867, dims = [0, 1, 2] : (tensor<6x6x11xf32>) -> tensor<6x6x11x11xf32>
    %869 = stablehlo.add %866, %868 : tensor<6x6x11x11xf32>
    %870 = stablehlo.multiply %869, %102 : tensor<6x6x11x11xf32>
    %871 = call @_where_9(%95#1, %870) : (tensor<6x6x11x11xi1>, tensor<6x6x11x11xf32>) -> tensor<6x6x11x11xf32>
    %cst_125 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %872 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %873 = stablehlo.divide %871, %872 : tensor<6x6x11x11xf32>
    %874 = stablehlo.dot_general %873, %56, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x11x11xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x4xf32>
    %875 = stablehlo.transpose %874, dims = [0, 2, 1, 3] : (tensor<6x6x11x4xf32>) -> tensor<6x11x6x4xf32>
    %876 = stablehlo.dot_general %873, %89, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x11x11xf32>, tensor<6x11x6x4xf32>) -> tensor<6x6x11x4xf32>
    %877 = stablehlo.transpose %876, dims = [0, 2, 1, 3] : (tensor<6x6x11x4xf32>) -> tensor<6x11x6x4xf32>
    %878 = stablehlo.reshape %858 : (tensor<6x11x6x4xf32>) -> tensor<6x11x2x3x4xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %879 = stablehlo.reduce(%878 init: %cst_126) applies stablehlo.add across dimensions = [3] : (tensor<6x11x2x3x4xf32>, tensor<f32>) -> tensor<6x11x2x4xf32>
    %880 = stablehlo.reshape %875 : (tensor<6x11x6x4xf32>) -> tensor<6x11x2x3x4xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %881 = stablehlo.reduce(%880 init: %cst_127) applies stablehlo.add across dimensions = [3] : (tensor<6x11x2x3x4xf32>, tensor<f32>) -> tensor<6x11x2x4xf32>
    %882 = stablehlo.reshape %879 : (tensor<6x11x2x4xf32>) -> tensor<6x11x8xf32>
    %883 = stablehlo.dot_general %882, %27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<6x11x16xf32>) -> tensor<8x16xf32>
    %884 = stablehlo.transpose %883, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %885 = stablehlo.add %721, %884 : tensor<16x8xf32>
    %886 = stablehlo.dot_general %882, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<16x8xf32>) -> tensor<6x11x16xf32>
    %887 = stablehlo.slice %881 [0:6, 0:11, 0:2, 0:2] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %888 = stablehlo.slice %881 [0:6, 0:11, 0:2, 2:4] : (tensor<6x11x2x4xf32>) -> tensor<6x11x2x2xf32>
    %889 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %890 = stablehlo.multiply %888, %889 : tensor<6x11x2x2xf32>
    %891 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %892 = stablehlo.multiply %888, %891 : tensor<6x11x2x2xf32>
    %893 = stablehlo.negate %887 : tensor<6x11x2x2xf32>
    %894 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %895 = stablehlo.multiply %893, %894 : tensor<6x11x2x2xf32>
    %896 = stablehlo.add %890, %895 : tensor<6x11x2x2xf32>
    %897 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x2x2xf32>
    %898 = stablehlo.multiply %887, %897 : tensor<6x11x2x2xf32>
    %899 = stablehlo.add %892, %898 : tensor<6x11x2x2xf32>
    %900 = stablehlo.concatenate %899, %896, dim = 3 : (tensor<6x11x2x2xf32>, tensor<6x11x2x2xf32>) -> tensor<6x11x2x4xf32>
    %901 = stablehlo.reshape %900 : (tensor<6x11x2x4xf32>) -> tensor<6x11x8xf32>
    %902 = stablehlo.dot_general %901, %27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<6x11x16xf32>) -> tensor<8x16xf32>
    %903 = stablehlo.transpose %902, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %904 = stablehlo.add %739, %903 : tensor<16x8xf32>
    %905 = stablehlo.dot_general %901, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x8xf32>, tensor<16x8xf32>) -> tensor<6x11x16xf32>
    %906 = stablehlo.add %886, %905 : tensor<6x11x16xf32>
    %907 = stablehlo.slice %877 [0:6, 0:11, 0:6, 0:2] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %908 = stablehlo.slice %877 [0:6, 0:11, 0:6, 2:4] : (tensor<6x11x6x4xf32>) -> tensor<6x11x6x2xf32>
    %909 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %910 = stablehlo.multiply %908, %909 : tensor<6x11x6x2xf32>
    %911 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %912 = stablehlo.multiply %908, %911 : tensor<6x11x6x2xf32>
    %913 = stablehlo.negate %907 : tensor<6x11x6x2xf32>
    %914 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %915 = stablehlo.multiply %913, %914 : tensor<6x11x6x2xf32>
    %916 = stablehlo.add %910, %915 : tensor<6x11x6x2xf32>
    %917 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<6x11x1x2xf32>) -> tensor<6x11x6x2xf32>
    %918 = stablehlo.multiply %907, %917 : tensor<6x11x6x2xf32>
    %919 = stablehlo.add %912, %918 : tensor<6x11x6x2xf32>
    %920 = stablehlo.concatenate %919, %916, dim = 3 : (tensor<6x11x6x2xf32>, tensor<6x11x6x2xf32>) -> tensor<6x11x6x4xf32>
    %921 = stablehlo.reshape %920 : (tensor<6x11x6x4xf32>) -> tensor<6x11x24xf32>
    %922 = stablehlo.dot_general %921, %27, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<6x11x16xf32>) -> tensor<24x16xf32>
    %923 = stablehlo.transpose %922, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %924 = stablehlo.add %758, %923 : tensor<16x24xf32>
    %925 = stablehlo.dot_general %921, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x11x24xf32>, tensor<16x24xf32>) -> tensor<6x11x16xf32>
    %926 = stablehlo.add %906, %925 : tensor<6x11x16xf32>
    %927 = stablehlo.multiply %24, %926 : tensor<6x11x16xf32>
    %cst_128 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %928 = stablehlo.reduce(%927 init: %cst_128) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<16xf32>
    %929 = stablehlo.reshape %928 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %930 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x11x16xf32>
    %931 = stablehlo.multiply %926, %930 : tensor<6x11x16xf32>
    %cst_129 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %932 = stablehlo.reduce(%929 init: %cst_129) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %933 = stablehlo.add %766, %932 : tensor<16xf32>
    %934 = stablehlo.multiply %7, %931 : tensor<6x11x16xf32>
    %cst_130 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %935 = stablehlo.reduce(%934 init: %cst_130) applies stablehlo.add across dimensions = [2] : (tensor<6x11x16xf32>, tensor<f32>) -> tensor<6x11xf32>
    %936 = stablehlo.reshape %935 : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %937 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x16xf32>
    %938 = stablehlo.multiply %931, %937 : tensor<6x11x16xf32>
    %939 = stablehlo.add %849, %938 : tensor<6x11x16xf32>
    %940 = stablehlo.multiply %936, %22 : tensor<6x11x1xf32>
    %cst_131 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %941 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %942 = stablehlo.divide %940, %941 : tensor<6x11x1xf32>
    %cst_132 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %943 = stablehlo.reduce(%942 init: %cst_132) applies stablehlo.add across dimensions = [2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6x11xf32>
    %944 = stablehlo.broadcast_in_dim %943, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x16xf32>
    %945 = stablehlo.multiply %7, %944 : tensor<6x11x16xf32>
    %946 = stablehlo.add %939, %945 : tensor<6x11x16xf32>
    %947 = stablehlo.multiply %944, %7 : tensor<6x11x16xf32>
    %948 = stablehlo.add %946, %947 : tensor<6x11x16xf32>
    %cst_133 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %949 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %950 = "stablehlo.scatter"(%949, %6, %948) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg51: tensor<f32>, %arg52: tensor<f32>):
      %1285 = stablehlo.add %arg51, %arg52 : tensor<f32>
      stablehlo.return %1285 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x11x1xi32>, tensor<6x11x16xf32>) -> tensor<60x16xf32>
    %951 = stablehlo.add %783, %950 : tensor<60x16xf32>
    %cst_134 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %952 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %953 = stablehlo.multiply %952, %951 : tensor<60x16xf32>
    %cst_135 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %954 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %955 = stablehlo.multiply %954, %arg13 : tensor<60x16xf32>
    %956 = stablehlo.add %953, %955 : tensor<60x16xf32>
    %cst_136 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %957 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %958 = stablehlo.multiply %957, %789 : tensor<16x60xf32>
    %cst_137 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %959 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %960 = stablehlo.multiply %959, %arg14 : tensor<16x60xf32>
    %961 = stablehlo.add %958, %960 : tensor<16x60xf32>
    %cst_138 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %962 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %963 = stablehlo.multiply %962, %933 : tensor<16xf32>
    %cst_139 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %964 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %965 = stablehlo.multiply %964, %arg15 : tensor<16xf32>
    %966 = stablehlo.add %963, %965 : tensor<16xf32>
    %cst_140 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %967 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %968 = stablehlo.multiply %967, %814 : tensor<24x16xf32>
    %cst_141 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %969 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %970 = stablehlo.multiply %969, %arg16 : tensor<24x16xf32>
    %971 = stablehlo.add %968, %970 : tensor<24x16xf32>
    %cst_142 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %972 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %973 = stablehlo.multiply %972, %825 : tensor<16x24xf32>
    %cst_143 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %974 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %975 = stablehlo.multiply %974, %arg17 : tensor<16x24xf32>
    %976 = stablehlo.add %973, %975 : tensor<16x24xf32>
    %cst_144 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %977 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %978 = stablehlo.multiply %977, %834 : tensor<16xf32>
    %cst_145 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %979 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %980 = stablehlo.multiply %979, %arg18 : tensor<16xf32>
    %981 = stablehlo.add %978, %980 : tensor<16xf32>
    %cst_146 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %982 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %983 = stablehlo.multiply %982, %820 : tensor<16x24xf32>
    %cst_147 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %984 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %985 = stablehlo.multiply %984, %arg19 : tensor<16x24xf32>
    %986 = stablehlo.add %983, %985 : tensor<16x24xf32>
    %cst_148 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %987 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %988 = stablehlo.multiply %987, %904 : tensor<16x8xf32>
    %cst_149 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %989 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %990 = stablehlo.multiply %989, %arg20 : tensor<16x8xf32>
    %991 = stablehlo.add %988, %990 : tensor<16x8xf32>
    %cst_150 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %992 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %993 = stablehlo.multiply %992, %852 : tensor<24x16xf32>
    %cst_151 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %994 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %995 = stablehlo.multiply %994, %arg21 : tensor<24x16xf32>
    %996 = stablehlo.add %993, %995 : tensor<24x16xf32>
    %cst_152 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %997 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %998 = stablehlo.multiply %997, %924 : tensor<16x24xf32>
    %cst_153 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %999 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1000 = stablehlo.multiply %999, %arg22 : tensor<16x24xf32>
    %1001 = stablehlo.add %998, %1000 : tensor<16x24xf32>
    %cst_154 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1002 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1003 = stablehlo.multiply %1002, %885 : tensor<16x8xf32>
    %cst_155 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1004 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1005 = stablehlo.multiply %1004, %arg23 : tensor<16x8xf32>
    %1006 = stablehlo.add %1003, %1005 : tensor<16x8xf32>
    %cst_156 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %1007 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1008 = stablehlo.multiply %1007, %797 : tensor<16xf32>
    %cst_157 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1009 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1010 = stablehlo.multiply %1009, %arg24 : tensor<16xf32>
    %1011 = stablehlo.add %1008, %1010 : tensor<16xf32>
    %1012 = stablehlo.multiply %951, %951 : tensor<60x16xf32>
    %cst_158 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1013 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1014 = stablehlo.multiply %1013, %1012 : tensor<60x16xf32>
    %cst_159 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1015 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1016 = stablehlo.multiply %1015, %arg25 : tensor<60x16xf32>
    %1017 = stablehlo.add %1014, %1016 : tensor<60x16xf32>
    %1018 = stablehlo.multiply %789, %789 : tensor<16x60xf32>
    %cst_160 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1019 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1020 = stablehlo.multiply %1019, %1018 : tensor<16x60xf32>
    %cst_161 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1021 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1022 = stablehlo.multiply %1021, %arg26 : tensor<16x60xf32>
    %1023 = stablehlo.add %1020, %1022 : tensor<16x60xf32>
    %1024 = stablehlo.multiply %933, %933 : tensor<16xf32>
    %cst_162 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1025 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1026 = stablehlo.multiply %1025, %1024 : tensor<16xf32>
    %cst_163 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1027 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1028 = stablehlo.multiply %1027, %arg27 : tensor<16xf32>
    %1029 = stablehlo.add %1026, %1028 : tensor<16xf32>
    %1030 = stablehlo.multiply %814, %814 : tensor<24x16xf32>
    %cst_164 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1031 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1032 = stablehlo.multiply %1031, %1030 : tensor<24x16xf32>
    %cst_165 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1033 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1034 = stablehlo.multiply %1033, %arg28 : tensor<24x16xf32>
    %1035 = stablehlo.add %1032, %1034 : tensor<24x16xf32>
    %1036 = stablehlo.multiply %825, %825 : tensor<16x24xf32>
    %cst_166 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1037 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1038 = stablehlo.multiply %1037, %1036 : tensor<16x24xf32>
    %cst_167 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1039 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1040 = stablehlo.multiply %1039, %arg29 : tensor<16x24xf32>
    %1041 = stablehlo.add %1038, %1040 : tensor<16x24xf32>
    %1042 = stablehlo.multiply %834, %834 : tensor<16xf32>
    %cst_168 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1043 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1044 = stablehlo.multiply %1043, %1042 : tensor<16xf32>
    %cst_169 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1045 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1046 = stablehlo.multiply %1045, %arg30 : tensor<16xf32>
    %1047 = stablehlo.add %1044, %1046 : tensor<16xf32>
    %1048 = stablehlo.multiply %820, %820 : tensor<16x24xf32>
    %cst_170 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1049 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1050 = stablehlo.multiply %1049, %1048 : tensor<16x24xf32>
    %cst_171 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1051 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1052 = stablehlo.multiply %1051, %arg31 : tensor<16x24xf32>
    %1053 = stablehlo.add %1050, %1052 : tensor<16x24xf32>
    %1054 = stablehlo.multiply %904, %904 : tensor<16x8xf32>
    %cst_172 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1055 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1056 = stablehlo.multiply %1055, %1054 : tensor<16x8xf32>
    %cst_173 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1057 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1058 = stablehlo.multiply %1057, %arg32 : tensor<16x8xf32>
    %1059 = stablehlo.add %1056, %1058 : tensor<16x8xf32>
    %1060 = stablehlo.multiply %852, %852 : tensor<24x16xf32>
    %cst_174 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1061 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1062 = stablehlo.multiply %1061, %1060 : tensor<24x16xf32>
    %cst_175 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1063 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1064 = stablehlo.multiply %1063, %arg33 : tensor<24x16xf32>
    %1065 = stablehlo.add %1062, %1064 : tensor<24x16xf32>
    %1066 = stablehlo.multiply %924, %924 : tensor<16x24xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1067 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1068 = stablehlo.multiply %1067, %1066 : tensor<16x24xf32>
    %cst_177 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1069 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1070 = stablehlo.multiply %1069, %arg34 : tensor<16x24xf32>
    %1071 = stablehlo.add %1068, %1070 : tensor<16x24xf32>
    %1072 = stablehlo.multiply %885, %885 : tensor<16x8xf32>
    %cst_178 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1073 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1074 = stablehlo.multiply %1073, %1072 : tensor<16x8xf32>
    %cst_179 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1075 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1076 = stablehlo.multiply %1075, %arg35 : tensor<16x8xf32>
    %1077 = stablehlo.add %1074, %1076 : tensor<16x8xf32>
    %1078 = stablehlo.multiply %797, %797 : tensor<16xf32>
    %cst_180 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %1079 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1080 = stablehlo.multiply %1079, %1078 : tensor<16xf32>
    %cst_181 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1081 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1082 = stablehlo.multiply %1081, %arg36 : tensor<16xf32>
    %1083 = stablehlo.add %1080, %1082 : tensor<16xf32>
    %c_182 = stablehlo.constant dense<2147483647> : tensor<i32>
    %1084 = stablehlo.compare LT, %arg12, %c_182, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_183 = stablehlo.constant dense<1> : tensor<i32>
    %1085 = stablehlo.add %arg12, %c_183 : tensor<i32>
    %c_184 = stablehlo.constant dense<2147483647> : tensor<i32>
    %1086 = call @_where_10(%1084, %1085, %c_184) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_185 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %1087 = stablehlo.convert %1086 : (tensor<i32>) -> tensor<f32>
    %1088 = stablehlo.power %cst_185, %1087 : tensor<f32>
    %cst_186 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1089 = stablehlo.subtract %cst_186, %1088 : tensor<f32>
    %1090 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1091 = stablehlo.divide %956, %1090 : tensor<60x16xf32>
    %1092 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1093 = stablehlo.divide %961, %1092 : tensor<16x60xf32>
    %1094 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1095 = stablehlo.divide %966, %1094 : tensor<16xf32>
    %1096 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1097 = stablehlo.divide %971, %1096 : tensor<24x16xf32>
    %1098 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1099 = stablehlo.divide %976, %1098 : tensor<16x24xf32>
    %1100 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1101 = stablehlo.divide %981, %1100 : tensor<16xf32>
    %1102 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1103 = stablehlo.divide %986, %1102 : tensor<16x24xf32>
    %1104 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1105 = stablehlo.divide %991, %1104 : tensor<16x8xf32>
    %1106 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1107 = stablehlo.divide %996, %1106 : tensor<24x16xf32>
    %1108 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1109 = stablehlo.divide %1001, %1108 : tensor<16x24xf32>
    %1110 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1111 = stablehlo.divide %1006, %1110 : tensor<16x8xf32>
    %1112 = stablehlo.broadcast_in_dim %1089, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1113 = stablehlo.divide %1011, %1112 : tensor<16xf32>
    %cst_187 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %1114 = stablehlo.convert %1086 : (tensor<i32>) -> tensor<f32>
    %1115 = stablehlo.power %cst_187, %1114 : tensor<f32>
    %cst_188 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1116 = stablehlo.subtract %cst_188, %1115 : tensor<f32>
    %1117 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1118 = stablehlo.divide %1017, %1117 : tensor<60x16xf32>
    %1119 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1120 = stablehlo.divide %1023, %1119 : tensor<16x60xf32>
    %1121 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1122 = stablehlo.divide %1029, %1121 : tensor<16xf32>
    %1123 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1124 = stablehlo.divide %1035, %1123 : tensor<24x16xf32>
    %1125 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1126 = stablehlo.divide %1041, %1125 : tensor<16x24xf32>
    %1127 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1128 = stablehlo.divide %1047, %1127 : tensor<16xf32>
    %1129 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1130 = stablehlo.divide %1053, %1129 : tensor<16x24xf32>
    %1131 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1132 = stablehlo.divide %1059, %1131 : tensor<16x8xf32>
    %1133 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1134 = stablehlo.divide %1065, %1133 : tensor<24x16xf32>
    %1135 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1136 = stablehlo.divide %1071, %1135 : tensor<16x24xf32>
    %1137 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1138 = stablehlo.divide %1077, %1137 : tensor<16x8xf32>
    %1139 = stablehlo.broadcast_in_dim %1116, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1140 = stablehlo.divide %1083, %1139 : tensor<16xf32>
    %cst_189 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1141 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1142 = stablehlo.add %1118, %1141 : tensor<60x16xf32>
    %1143 = stablehlo.sqrt %1142 : tensor<60x16xf32>
    %cst_190 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1144 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1145 = stablehlo.add %1143, %1144 : tensor<60x16xf32>
    %1146 = stablehlo.divide %1091, %1145 : tensor<60x16xf32>
    %cst_191 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1147 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1148 = stablehlo.add %1120, %1147 : tensor<16x60xf32>
    %1149 = stablehlo.sqrt %1148 : tensor<16x60xf32>
    %cst_192 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1150 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1151 = stablehlo.add %1149, %1150 : tensor<16x60xf32>
    %1152 = stablehlo.divide %1093, %1151 : tensor<16x60xf32>
    %cst_193 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1153 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1154 = stablehlo.add %1122, %1153 : tensor<16xf32>
    %1155 = stablehlo.sqrt %1154 : tensor<16xf32>
    %cst_194 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1156 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1157 = stablehlo.add %1155, %1156 : tensor<16xf32>
    %1158 = stablehlo.divide %1095, %1157 : tensor<16xf32>
    %cst_195 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1159 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1160 = stablehlo.add %1124, %1159 : tensor<24x16xf32>
    %1161 = stablehlo.sqrt %1160 : tensor<24x16xf32>
    %cst_196 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1162 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1163 = stablehlo.add %1161, %1162 : tensor<24x16xf32>
    %1164 = stablehlo.divide %1097, %1163 : tensor<24x16xf32>
    %cst_197 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1165 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1166 = stablehlo.add %1126, %1165 : tensor<16x24xf32>
    %1167 = stablehlo.sqrt %1166 : tensor<16x24xf32>
    %cst_198 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1168 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1169 = stablehlo.add %1167, %1168 : tensor<16x24xf32>
    %1170 = stablehlo.divide %1099, %1169 : tensor<16x24xf32>
    %cst_199 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1171 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1172 = stablehlo.add %1128, %1171 : tensor<16xf32>
    %1173 = stablehlo.sqrt %1172 : tensor<16xf32>
    %cst_200 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1174 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1175 = stablehlo.add %1173, %1174 : tensor<16xf32>
    %1176 = stablehlo.divide %1101, %1175 : tensor<16xf32>
    %cst_201 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1177 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1178 = stablehlo.add %1130, %1177 : tensor<16x24xf32>
    %1179 = stablehlo.sqrt %1178 : tensor<16x24xf32>
    %cst_202 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1180 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1181 = stablehlo.add %1179, %1180 : tensor<16x24xf32>
    %1182 = stablehlo.divide %1103, %1181 : tensor<16x24xf32>
    %cst_203 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1183 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1184 = stablehlo.add %1132, %1183 : tensor<16x8xf32>
    %1185 = stablehlo.sqrt %1184 : tensor<16x8xf32>
    %cst_204 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1186 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1187 = stablehlo.add %1185, %1186 : tensor<16x8xf32>
    %1188 = stablehlo.divide %1105, %1187 : tensor<16x8xf32>
    %cst_205 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1189 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1190 = stablehlo.add %1134, %1189 : tensor<24x16xf32>
    %1191 = stablehlo.sqrt %1190 : tensor<24x16xf32>
    %cst_206 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1192 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1193 = stablehlo.add %1191, %1192 : tensor<24x16xf32>
    %1194 = stablehlo.divide %1107, %1193 : tensor<24x16xf32>
    %cst_207 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1195 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1196 = stablehlo.add %1136, %1195 : tensor<16x24xf32>
    %1197 = stablehlo.sqrt %1196 : tensor<16x24xf32>
    %cst_208 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1198 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1199 = stablehlo.add %1197, %1198 : tensor<16x24xf32>
    %1200 = stablehlo.divide %1109, %1199 : tensor<16x24xf32>
    %cst_209 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1201 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1202 = stablehlo.add %1138, %1201 : tensor<16x8xf32>
    %1203 = stablehlo.sqrt %1202 : tensor<16x8xf32>
    %cst_210 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1204 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1205 = stablehlo.add %1203, %1204 : tensor<16x8xf32>
    %1206 = stablehlo.divide %1111, %1205 : tensor<16x8xf32>
    %cst_211 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1207 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1208 = stablehlo.add %1140, %1207 : tensor<16xf32>
    %1209 = stablehlo.sqrt %1208 : tensor<16xf32>
    %cst_212 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1210 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1211 = stablehlo.add %1209, %1210 : tensor<16xf32>
    %1212 = stablehlo.divide %1113, %1211 : tensor<16xf32>
    %cst_213 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1213 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1214 = stablehlo.multiply %1213, %arg0 : tensor<60x16xf32>
    %1215 = stablehlo.add %1146, %1214 : tensor<60x16xf32>
    %cst_214 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1216 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1217 = stablehlo.multiply %1216, %arg1 : tensor<16x60xf32>
    %1218 = stablehlo.add %1152, %1217 : tensor<16x60xf32>
    %cst_215 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1219 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1220 = stablehlo.multiply %1219, %arg2 : tensor<16xf32>
    %1221 = stablehlo.add %1158, %1220 : tensor<16xf32>
    %cst_216 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1222 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1223 = stablehlo.multiply %1222, %arg3 : tensor<24x16xf32>
    %1224 = stablehlo.add %1164, %1223 : tensor<24x16xf32>
    %cst_217 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1225 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1226 = stablehlo.multiply %1225, %arg4 : tensor<16x24xf32>
    %1227 = stablehlo.add %1170, %1226 : tensor<16x24xf32>
    %cst_218 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1228 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1229 = stablehlo.multiply %1228, %arg5 : tensor<16xf32>
    %1230 = stablehlo.add %1176, %1229 : tensor<16xf32>
    %cst_219 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1231 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1232 = stablehlo.multiply %1231, %arg6 : tensor<16x24xf32>
    %1233 = stablehlo.add %1182, %1232 : tensor<16x24xf32>
    %cst_220 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1234 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1235 = stablehlo.multiply %1234, %arg7 : tensor<16x8xf32>
    %1236 = stablehlo.add %1188, %1235 : tensor<16x8xf32>
    %cst_221 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1237 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1238 = stablehlo.multiply %1237, %arg8 : tensor<24x16xf32>
    %1239 = stablehlo.add %1194, %1238 : tensor<24x16xf32>
    %cst_222 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1240 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1241 = stablehlo.multiply %1240, %arg9 : tensor<16x24xf32>
    %1242 = stablehlo.add %1200, %1241 : tensor<16x24xf32>
    %cst_223 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1243 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1244 = stablehlo.multiply %1243, %arg10 : tensor<16x8xf32>
    %1245 = stablehlo.add %1206, %1244 : tensor<16x8xf32>
    %cst_224 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %1246 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1247 = stablehlo.multiply %1246, %arg11 : tensor<16xf32>
    %1248 = stablehlo.add %1212, %1247 : tensor<16xf32>
    %cst_225 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1249 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1250 = stablehlo.multiply %1249, %1215 : tensor<60x16xf32>
    %cst_226 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1251 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %1252 = stablehlo.multiply %1251, %1218 : tensor<16x60xf32>
    %cst_227 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1253 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1254 = stablehlo.multiply %1253, %1221 : tensor<16xf32>
    %cst_228 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1255 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1256 = stablehlo.multiply %1255, %1224 : tensor<24x16xf32>
    %cst_229 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1257 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1258 = stablehlo.multiply %1257, %1227 : tensor<16x24xf32>
    %cst_230 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1259 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1260 = stablehlo.multiply %1259, %1230 : tensor<16xf32>
    %cst_231 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1261 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1262 = stablehlo.multiply %1261, %1233 : tensor<16x24xf32>
    %cst_232 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1263 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1264 = stablehlo.multiply %1263, %1236 : tensor<16x8xf32>
    %cst_233 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1265 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %1266 = stablehlo.multiply %1265, %1239 : tensor<24x16xf32>
    %cst_234 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1267 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1268 = stablehlo.multiply %1267, %1242 : tensor<16x24xf32>
    %cst_235 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1269 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %1270 = stablehlo.multiply %1269, %1245 : tensor<16x8xf32>
    %cst_236 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1271 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1272 = stablehlo.multiply %1271, %1248 : tensor<16xf32>
    %1273 = stablehlo.add %arg0, %1250 : tensor<60x16xf32>
    %1274 = stablehlo.add %arg1, %1252 : tensor<16x60xf32>
    %1275 = stablehlo.add %arg2, %1254 : tensor<16xf32>
    %1276 = stablehlo.add %arg3, %1256 : tensor<24x16xf32>
    %1277 = stablehlo.add %arg4, %1258 : tensor<16x24xf32>
    %1278 = stablehlo.add %arg5, %1260 : tensor<16xf32>
    %1279 = stablehlo.add %arg6, %1262 : tensor<16x24xf32>
    %1280 = stablehlo.add %arg7, %1264 : tensor<16x8xf32>
    %1281 = stablehlo.add %arg8, %1266 : tensor<24x16xf32>
    %1282 = stablehlo.add %arg9, %1268 : tensor<16x24xf32>
    %1283 = stablehlo.add %arg10, %1270 : tensor<16x8xf32>
    %1284 = stablehlo.add %arg11, %1272 : tensor<16xf32>
    return %1273, %1274, %1275, %1276, %1277, %1278, %1279, %1280, %1281, %1282, %1283, %1284, %1086, %956, %961, %966, %971, %976, %981, %986, %991, %996, %1001, %1006, %1011, %1017, %1023, %1029, %1035, %1041, %1047, %1053, %1059, %1065, %1071, %1077, %1083, %620 : tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<i32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<11x11xi1>) -> tensor<11x11xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<11x11xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<11x11xi32>
    %2 = stablehlo.add %0, %1 : tensor<11x11xi32>
    %3 = stablehlo.iota dim = 1 : tensor<11x11xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<11x11xi32>, tensor<11x11xi32>) -> tensor<11x11xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<11x11xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<11x11xi1>, tensor<11x11xi1>
    return %6 : tensor<11x11xi1>
  }
  func.func private @_where(%arg0: tensor<11x11xi1>, %arg1: tensor<6x6x11x11xf32>, %arg2: tensor<f32>) -> (tensor<6x6x11x11xf32>, tensor<6x6x11x11xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<11x11xi1>) -> tensor<6x6x11x11xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x11x11xi1>, tensor<6x6x11x11xf32>
    return %3, %1 : tensor<6x6x11x11xf32>, tensor<6x6x11x11xi1>
  }
  func.func private @silu(%arg0: tensor<6x11x24xf32>) -> (tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<6x11x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x11x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x11x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x11x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x11x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x11x24xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<6x11x24xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<6x11x24xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<6x11x24xf32>
    return %9, %8, %5 : tensor<6x11x24xf32>, tensor<6x11x24xf32>, tensor<6x11x24xf32>
  }
  func.func private @log_softmax(%arg0: tensor<6x11x60xf32>) -> (tensor<6x11x60xf32>, tensor<6x11x60xf32>, tensor<6x11x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x11xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<6x11xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x11x60xf32>
    %6 = stablehlo.exponential %5 : tensor<6x11x60xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x11xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %9 = stablehlo.log %8 : tensor<6x11x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<6x11x60xf32>
    return %11, %6, %8 : tensor<6x11x60xf32>, tensor<6x11x60xf32>, tensor<6x11x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x11x60xf32>, %arg1: tensor<6x11x1xi32>) -> (tensor<6x11x1xf32>, tensor<6x11x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x11x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x11x1xi32>, tensor<6x11x1xi32>) -> tensor<6x11x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x11x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x11x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x11x1xi1>, tensor<6x11x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x11x1xi32>) -> tensor<6x11x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x11x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x11x1x1xi32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<6x11x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x11x1x1xi32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x11x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<6x11x1x1xi1>, tensor<i1>) -> tensor<6x11x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x11x60xf32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x11x1xi1>, tensor<6x11x1xf32>
    return %15, %5 : tensor<6x11x1xf32>, tensor<6x11x1x1xi32>
  }
  func.func private @_where_0(%arg0: tensor<11x11xi1>, %arg1: tensor<6x6x11x11xf32>, %arg2: tensor<f32>) -> tensor<6x6x11x11xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<11x11xi1>) -> tensor<6x6x11x11xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x11x11xi1>, tensor<6x6x11x11xf32>
    return %3 : tensor<6x6x11x11xf32>
  }
  func.func private @silu_1(%arg0: tensor<6x11x24xf32>) -> tensor<6x11x24xf32> {
    %0 = stablehlo.negate %arg0 : tensor<6x11x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x11x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x11x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x11x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x11x24xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<6x11x24xf32>
    return %6 : tensor<6x11x24xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<6x11x60xf32>) -> tensor<6x11x60xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x11xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<6x11xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x11x60xf32>
    %6 = stablehlo.exponential %5 : tensor<6x11x60xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x11xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %9 = stablehlo.log %8 : tensor<6x11x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<6x11x60xf32>
    return %11 : tensor<6x11x60xf32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<6x11x60xf32>, %arg1: tensor<6x11x1xi32>) -> tensor<6x11x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x11x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x11x1xi32>, tensor<6x11x1xi32>) -> tensor<6x11x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x11x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x11x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x11x1xi1>, tensor<6x11x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x11x1xi32>) -> tensor<6x11x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x11x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x11x1x1xi32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<6x11x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x11x1x1xi32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x11x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<6x11x1x1xi1>, tensor<i1>) -> tensor<6x11x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x11x60xf32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x11x1xi1>, tensor<6x11x1xf32>
    return %15 : tensor<6x11x1xf32>
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
  func.func private @log_sigmoid_4(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.negate %arg1 : tensor<6xf32>
    %1 = call @softplus_5(%arg0, %0) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %2 = stablehlo.negate %1 : tensor<6xf32>
    return %2 : tensor<6xf32>
  }
  func.func private @softplus_5(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>) -> tensor<6xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func private @take_along_axis_6(%arg0: tensor<6x11x1x1xi32>, %arg1: tensor<6x11x1xf32>) -> tensor<6x11x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x11x60xf32>, tensor<6x11x1x1xi32>, tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    return %1 : tensor<6x11x60xf32>
  }
  func.func private @log_softmax_7(%arg0: tensor<6x11x60xf32>, %arg1: tensor<6x11x1xf32>, %arg2: tensor<6x11x60xf32>) -> tensor<6x11x60xf32> {
    %0 = stablehlo.negate %arg2 : tensor<6x11x60xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x11xf32>
    %2 = stablehlo.reshape %1 : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<6x11x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<6x11x1xf32>, tensor<f32>) -> tensor<6x11xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x60xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<6x11x60xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<6x11x60xf32>
    return %7 : tensor<6x11x60xf32>
  }
  func.func private @silu_8(%arg0: tensor<6x11x24xf32>, %arg1: tensor<6x11x24xf32>, %arg2: tensor<6x11x24xf32>, %arg3: tensor<6x11x24xf32>) -> tensor<6x11x24xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<6x11x24xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<6x11x24xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<6x11x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<6x11x24xf32>
    return %3 : tensor<6x11x24xf32>
  }
  func.func private @_where_9(%arg0: tensor<6x6x11x11xi1>, %arg1: tensor<6x6x11x11xf32>) -> tensor<6x6x11x11xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x11x11xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x6x11x11xi1>, tensor<6x6x11x11xf32>
    return %1 : tensor<6x6x11x11xf32>
  }
  func.func private @_where_10(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
