module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x60xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<16xf32>, %arg12: tensor<24x16xf32>, %arg13: tensor<16x24xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16x24xf32>, %arg16: tensor<16x8xf32>, %arg17: tensor<24x16xf32>, %arg18: tensor<16x24xf32>, %arg19: tensor<16x8xf32>, %arg20: tensor<16xf32>, %arg21: tensor<60x16xf32>, %arg22: tensor<16x60xf32>, %arg23: tensor<16xf32>, %arg24: tensor<24x16xf32>, %arg25: tensor<16x24xf32>, %arg26: tensor<16xf32>, %arg27: tensor<16x24xf32>, %arg28: tensor<16x8xf32>, %arg29: tensor<24x16xf32>, %arg30: tensor<16x24xf32>, %arg31: tensor<16x8xf32>, %arg32: tensor<16xf32>, %arg33: tensor<24x16xf32>, %arg34: tensor<16x24xf32>, %arg35: tensor<16xf32>, %arg36: tensor<16x24xf32>, %arg37: tensor<16x8xf32>, %arg38: tensor<24x16xf32>, %arg39: tensor<16x24xf32>, %arg40: tensor<16x8xf32>, %arg41: tensor<16xf32>, %arg42: tensor<6x12xi32>, %arg43: tensor<6x12xi32>, %arg44: tensor<6x12xf32>, %arg45: tensor<6x12xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<16x60xf32> {jax.result_info = "result[1]['head']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['gate']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][1]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][1]['wv']"}, tensor<16xf32> {jax.result_info = "result[1]['norm']"}) {
    %0 = stablehlo.concatenate %arg42, %arg43, dim = 0 : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<12x12xi32>
    %1 = stablehlo.concatenate %arg44, %arg45, dim = 0 : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<12x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %3 = stablehlo.compare LT, %0, %2, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %5 = stablehlo.add %0, %4 : tensor<12x12xi32>
    %6 = stablehlo.select %3, %5, %0 : tensor<12x12xi1>, tensor<12x12xi32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1xi32>
    %8 = "stablehlo.gather"(%arg0, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<12x12x1xi32>) -> tensor<12x12x16xf32>
    %9 = stablehlo.iota dim = 0 : tensor<12xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<12xi32>) -> tensor<12x12xi32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %12 = call @tril(%11) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %13 = stablehlo.multiply %8, %8 : tensor<12x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %17 = stablehlo.divide %15, %16 : tensor<12x12x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %19 = stablehlo.add %17, %18 : tensor<12x12x1xf32>
    %20 = stablehlo.rsqrt %19 : tensor<12x12x1xf32>
    %21 = stablehlo.divide %20, %19 : tensor<12x12x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %23 = stablehlo.multiply %22, %21 : tensor<12x12x1xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %25 = stablehlo.multiply %8, %24 : tensor<12x12x16xf32>
    %26 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<12x12x16xf32>
    %29 = stablehlo.dot_general %28, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %30 = stablehlo.reshape %29 : (tensor<12x12x24xf32>) -> tensor<12x12x6x4xf32>
    %31 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %32 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %33 = stablehlo.convert %32 : (tensor<2xi32>) -> tensor<2xf32>
    %34 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %35 = stablehlo.power %34, %33 : tensor<2xf32>
    %36 = stablehlo.convert %31 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %38 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %39 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %40 = stablehlo.multiply %38, %39 : tensor<12x12x1x2xf32>
    %41 = stablehlo.slice %30 [0:12, 0:12, 0:6, 0:2] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %42 = stablehlo.slice %30 [0:12, 0:12, 0:6, 2:4] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %43 = stablehlo.cosine %40 : tensor<12x12x1x2xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %45 = stablehlo.multiply %41, %44 : tensor<12x12x6x2xf32>
    %46 = stablehlo.sine %40 : tensor<12x12x1x2xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %48 = stablehlo.multiply %42, %47 : tensor<12x12x6x2xf32>
    %49 = stablehlo.subtract %45, %48 : tensor<12x12x6x2xf32>
    %50 = stablehlo.sine %40 : tensor<12x12x1x2xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %52 = stablehlo.multiply %41, %51 : tensor<12x12x6x2xf32>
    %53 = stablehlo.cosine %40 : tensor<12x12x1x2xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %55 = stablehlo.multiply %42, %54 : tensor<12x12x6x2xf32>
    %56 = stablehlo.add %52, %55 : tensor<12x12x6x2xf32>
    %57 = stablehlo.concatenate %49, %56, dim = 3 : (tensor<12x12x6x2xf32>, tensor<12x12x6x2xf32>) -> tensor<12x12x6x4xf32>
    %58 = stablehlo.dot_general %28, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %59 = stablehlo.reshape %58 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %60 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %61 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %62 = stablehlo.convert %61 : (tensor<2xi32>) -> tensor<2xf32>
    %63 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %64 = stablehlo.power %63, %62 : tensor<2xf32>
    %65 = stablehlo.convert %60 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %67 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %68 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %69 = stablehlo.multiply %67, %68 : tensor<12x12x1x2xf32>
    %70 = stablehlo.slice %59 [0:12, 0:12, 0:2, 0:2] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %71 = stablehlo.slice %59 [0:12, 0:12, 0:2, 2:4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %72 = stablehlo.cosine %69 : tensor<12x12x1x2xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %74 = stablehlo.multiply %70, %73 : tensor<12x12x2x2xf32>
    %75 = stablehlo.sine %69 : tensor<12x12x1x2xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %77 = stablehlo.multiply %71, %76 : tensor<12x12x2x2xf32>
    %78 = stablehlo.subtract %74, %77 : tensor<12x12x2x2xf32>
    %79 = stablehlo.sine %69 : tensor<12x12x1x2xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %81 = stablehlo.multiply %70, %80 : tensor<12x12x2x2xf32>
    %82 = stablehlo.cosine %69 : tensor<12x12x1x2xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %84 = stablehlo.multiply %71, %83 : tensor<12x12x2x2xf32>
    %85 = stablehlo.add %81, %84 : tensor<12x12x2x2xf32>
    %86 = stablehlo.concatenate %78, %85, dim = 3 : (tensor<12x12x2x2xf32>, tensor<12x12x2x2xf32>) -> tensor<12x12x2x4xf32>
    %87 = stablehlo.dot_general %28, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %88 = stablehlo.reshape %87 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %89 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %90 = stablehlo.reshape %89 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %91 = stablehlo.broadcast_in_dim %88, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %92 = stablehlo.reshape %91 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %93 = stablehlo.dot_general %57, %90, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x12xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %95 = stablehlo.divide %93, %94 : tensor<12x6x12x12xf32>
    %cst_8 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %96:2 = call @_where(%12, %95, %cst_8) : (tensor<12x12xi1>, tensor<12x6x12x12xf32>, tensor<f32>) -> (tensor<12x6x12x12xf32>, tensor<12x6x12x12xi1>)
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %97 = stablehlo.reduce(%96#0 init: %cst_9) applies stablehlo.maximum across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<12x6x12xf32>
    %99 = stablehlo.maximum %98, %97 : tensor<12x6x12xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %102 = stablehlo.subtract %96#0, %101 : tensor<12x6x12x12xf32>
    %103 = stablehlo.exponential %102 : tensor<12x6x12x12xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %107 = stablehlo.divide %103, %106 : tensor<12x6x12x12xf32>
    %108 = stablehlo.multiply %105, %105 : tensor<12x6x12x1xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12x6x12x1xf32>
    %110 = stablehlo.divide %109, %108 : tensor<12x6x12x1xf32>
    %111 = stablehlo.dot_general %92, %107, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x6x12x12xf32>) -> tensor<12x6x4x12xf32>
    %112 = stablehlo.transpose %111, dims = [0, 3, 1, 2] : (tensor<12x6x4x12xf32>) -> tensor<12x12x6x4xf32>
    %113 = stablehlo.reshape %112 : (tensor<12x12x6x4xf32>) -> tensor<12x12x24xf32>
    %114 = stablehlo.dot_general %113, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %115 = stablehlo.add %8, %114 : tensor<12x12x16xf32>
    %116 = stablehlo.multiply %115, %115 : tensor<12x12x16xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_14 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %120 = stablehlo.divide %118, %119 : tensor<12x12x1xf32>
    %cst_15 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %122 = stablehlo.add %120, %121 : tensor<12x12x1xf32>
    %123 = stablehlo.rsqrt %122 : tensor<12x12x1xf32>
    %124 = stablehlo.divide %123, %122 : tensor<12x12x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %126 = stablehlo.multiply %125, %124 : tensor<12x12x1xf32>
    %127 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %128 = stablehlo.multiply %115, %127 : tensor<12x12x16xf32>
    %129 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %131 = stablehlo.multiply %128, %130 : tensor<12x12x16xf32>
    %132 = stablehlo.dot_general %131, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %133:3 = call @silu(%132) : (tensor<12x12x24xf32>) -> (tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>)
    %134 = stablehlo.dot_general %131, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %135 = stablehlo.multiply %133#0, %134 : tensor<12x12x24xf32>
    %136 = stablehlo.dot_general %135, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %137 = stablehlo.add %115, %136 : tensor<12x12x16xf32>
    %c_17 = stablehlo.constant dense<true> : tensor<i1>
    %138 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %139 = call @tril(%138) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %140 = stablehlo.multiply %137, %137 : tensor<12x12x16xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_19 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %144 = stablehlo.divide %142, %143 : tensor<12x12x1xf32>
    %cst_20 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %146 = stablehlo.add %144, %145 : tensor<12x12x1xf32>
    %147 = stablehlo.rsqrt %146 : tensor<12x12x1xf32>
    %148 = stablehlo.divide %147, %146 : tensor<12x12x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %150 = stablehlo.multiply %149, %148 : tensor<12x12x1xf32>
    %151 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %152 = stablehlo.multiply %137, %151 : tensor<12x12x16xf32>
    %153 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %155 = stablehlo.multiply %152, %154 : tensor<12x12x16xf32>
    %156 = stablehlo.dot_general %155, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %157 = stablehlo.reshape %156 : (tensor<12x12x24xf32>) -> tensor<12x12x6x4xf32>
    %158 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %159 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %160 = stablehlo.convert %159 : (tensor<2xi32>) -> tensor<2xf32>
    %161 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %162 = stablehlo.power %161, %160 : tensor<2xf32>
    %163 = stablehlo.convert %158 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %164 = stablehlo.broadcast_in_dim %162, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %165 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %166 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %167 = stablehlo.multiply %165, %166 : tensor<12x12x1x2xf32>
    %168 = stablehlo.slice %157 [0:12, 0:12, 0:6, 0:2] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %169 = stablehlo.slice %157 [0:12, 0:12, 0:6, 2:4] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %170 = stablehlo.cosine %167 : tensor<12x12x1x2xf32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %172 = stablehlo.multiply %168, %171 : tensor<12x12x6x2xf32>
    %173 = stablehlo.sine %167 : tensor<12x12x1x2xf32>
    %174 = stablehlo.broadcast_in_dim %173, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %175 = stablehlo.multiply %169, %174 : tensor<12x12x6x2xf32>
    %176 = stablehlo.subtract %172, %175 : tensor<12x12x6x2xf32>
    %177 = stablehlo.sine %167 : tensor<12x12x1x2xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %179 = stablehlo.multiply %168, %178 : tensor<12x12x6x2xf32>
    %180 = stablehlo.cosine %167 : tensor<12x12x1x2xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %182 = stablehlo.multiply %169, %181 : tensor<12x12x6x2xf32>
    %183 = stablehlo.add %179, %182 : tensor<12x12x6x2xf32>
    %184 = stablehlo.concatenate %176, %183, dim = 3 : (tensor<12x12x6x2xf32>, tensor<12x12x6x2xf32>) -> tensor<12x12x6x4xf32>
    %185 = stablehlo.dot_general %155, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %186 = stablehlo.reshape %185 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %187 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %188 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %189 = stablehlo.convert %188 : (tensor<2xi32>) -> tensor<2xf32>
    %190 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %191 = stablehlo.power %190, %189 : tensor<2xf32>
    %192 = stablehlo.convert %187 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %193 = stablehlo.broadcast_in_dim %191, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %194 = stablehlo.broadcast_in_dim %192, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %195 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %196 = stablehlo.multiply %194, %195 : tensor<12x12x1x2xf32>
    %197 = stablehlo.slice %186 [0:12, 0:12, 0:2, 0:2] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %198 = stablehlo.slice %186 [0:12, 0:12, 0:2, 2:4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %199 = stablehlo.cosine %196 : tensor<12x12x1x2xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %201 = stablehlo.multiply %197, %200 : tensor<12x12x2x2xf32>
    %202 = stablehlo.sine %196 : tensor<12x12x1x2xf32>
    %203 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %204 = stablehlo.multiply %198, %203 : tensor<12x12x2x2xf32>
    %205 = stablehlo.subtract %201, %204 : tensor<12x12x2x2xf32>
    %206 = stablehlo.sine %196 : tensor<12x12x1x2xf32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %208 = stablehlo.multiply %197, %207 : tensor<12x12x2x2xf32>
    %209 = stablehlo.cosine %196 : tensor<12x12x1x2xf32>
    %210 = stablehlo.broadcast_in_dim %209, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %211 = stablehlo.multiply %198, %210 : tensor<12x12x2x2xf32>
    %212 = stablehlo.add %208, %211 : tensor<12x12x2x2xf32>
    %213 = stablehlo.concatenate %205, %212, dim = 3 : (tensor<12x12x2x2xf32>, tensor<12x12x2x2xf32>) -> tensor<12x12x2x4xf32>
    %214 = stablehlo.dot_general %155, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %215 = stablehlo.reshape %214 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %216 = stablehlo.broadcast_in_dim %213, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %217 = stablehlo.reshape %216 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %218 = stablehlo.broadcast_in_dim %215, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %219 = stablehlo.reshape %218 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %220 = stablehlo.dot_general %184, %217, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x12xf32>
    %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %222 = stablehlo.divide %220, %221 : tensor<12x6x12x12xf32>
    %cst_25 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %223:2 = call @_where(%139, %222, %cst_25) : (tensor<12x12xi1>, tensor<12x6x12x12xf32>, tensor<f32>) -> (tensor<12x6x12x12xf32>, tensor<12x6x12x12xi1>)
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %224 = stablehlo.reduce(%223#0 init: %cst_26) applies stablehlo.maximum across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %cst_27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<12x6x12xf32>
    %226 = stablehlo.maximum %225, %224 : tensor<12x6x12xf32>
    %227 = stablehlo.broadcast_in_dim %226, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %228 = stablehlo.broadcast_in_dim %227, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %229 = stablehlo.subtract %223#0, %228 : tensor<12x6x12x12xf32>
    %230 = stablehlo.exponential %229 : tensor<12x6x12x12xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %231 = stablehlo.reduce(%230 init: %cst_28) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %232 = stablehlo.broadcast_in_dim %231, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %233 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %234 = stablehlo.divide %230, %233 : tensor<12x6x12x12xf32>
    %235 = stablehlo.multiply %232, %232 : tensor<12x6x12x1xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<12x6x12x1xf32>
    %237 = stablehlo.divide %236, %235 : tensor<12x6x12x1xf32>
    %238 = stablehlo.dot_general %219, %234, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x6x12x12xf32>) -> tensor<12x6x4x12xf32>
    %239 = stablehlo.transpose %238, dims = [0, 3, 1, 2] : (tensor<12x6x4x12xf32>) -> tensor<12x12x6x4xf32>
    %240 = stablehlo.reshape %239 : (tensor<12x12x6x4xf32>) -> tensor<12x12x24xf32>
    %241 = stablehlo.dot_general %240, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %242 = stablehlo.add %137, %241 : tensor<12x12x16xf32>
    %243 = stablehlo.multiply %242, %242 : tensor<12x12x16xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%243 init: %cst_30) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_31 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %247 = stablehlo.divide %245, %246 : tensor<12x12x1xf32>
    %cst_32 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %249 = stablehlo.add %247, %248 : tensor<12x12x1xf32>
    %250 = stablehlo.rsqrt %249 : tensor<12x12x1xf32>
    %251 = stablehlo.divide %250, %249 : tensor<12x12x1xf32>
    %cst_33 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %253 = stablehlo.multiply %252, %251 : tensor<12x12x1xf32>
    %254 = stablehlo.broadcast_in_dim %250, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %255 = stablehlo.multiply %242, %254 : tensor<12x12x16xf32>
    %256 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %257 = stablehlo.broadcast_in_dim %256, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %258 = stablehlo.multiply %255, %257 : tensor<12x12x16xf32>
    %259 = stablehlo.dot_general %258, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %260:3 = call @silu(%259) : (tensor<12x12x24xf32>) -> (tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>)
    %261 = stablehlo.dot_general %258, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %262 = stablehlo.multiply %260#0, %261 : tensor<12x12x24xf32>
    %263 = stablehlo.dot_general %262, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %264 = stablehlo.add %242, %263 : tensor<12x12x16xf32>
    %265 = stablehlo.multiply %264, %264 : tensor<12x12x16xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %266 = stablehlo.reduce(%265 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %267 = stablehlo.broadcast_in_dim %266, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_35 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %269 = stablehlo.divide %267, %268 : tensor<12x12x1xf32>
    %cst_36 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %271 = stablehlo.add %269, %270 : tensor<12x12x1xf32>
    %272 = stablehlo.rsqrt %271 : tensor<12x12x1xf32>
    %273 = stablehlo.divide %272, %271 : tensor<12x12x1xf32>
    %cst_37 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %274 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %275 = stablehlo.multiply %274, %273 : tensor<12x12x1xf32>
    %276 = stablehlo.broadcast_in_dim %272, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %277 = stablehlo.multiply %264, %276 : tensor<12x12x16xf32>
    %278 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %279 = stablehlo.broadcast_in_dim %278, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %280 = stablehlo.multiply %277, %279 : tensor<12x12x16xf32>
    %281 = stablehlo.dot_general %280, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x60xf32>) -> tensor<12x12x60xf32>
    %282 = stablehlo.slice %281 [0:12, 0:11, 0:60] : (tensor<12x12x60xf32>) -> tensor<12x11x60xf32>
    %283:3 = call @log_softmax(%282) : (tensor<12x11x60xf32>) -> (tensor<12x11x60xf32>, tensor<12x11x60xf32>, tensor<12x11x1xf32>)
    %284 = stablehlo.slice %0 [0:12, 1:12] : (tensor<12x12xi32>) -> tensor<12x11xi32>
    %285 = stablehlo.broadcast_in_dim %284, dims = [0, 1] : (tensor<12x11xi32>) -> tensor<12x11x1xi32>
    %286:2 = call @take_along_axis(%283#0, %285) : (tensor<12x11x60xf32>, tensor<12x11x1xi32>) -> (tensor<12x11x1xf32>, tensor<12x11x1x1xi32>)
    %287 = stablehlo.reshape %286#0 : (tensor<12x11x1xf32>) -> tensor<12x11xf32>
    %288 = stablehlo.slice %1 [0:12, 1:12] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %289 = stablehlo.multiply %287, %288 : tensor<12x11xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %290 = stablehlo.reduce(%289 init: %cst_38) applies stablehlo.add across dimensions = [1] : (tensor<12x11xf32>, tensor<f32>) -> tensor<12xf32>
    %c_39 = stablehlo.constant dense<0> : tensor<i32>
    %291 = stablehlo.broadcast_in_dim %c_39, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %292 = stablehlo.compare LT, %0, %291, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_40 = stablehlo.constant dense<60> : tensor<i32>
    %293 = stablehlo.broadcast_in_dim %c_40, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %294 = stablehlo.add %0, %293 : tensor<12x12xi32>
    %295 = stablehlo.select %292, %294, %0 : tensor<12x12xi1>, tensor<12x12xi32>
    %296 = stablehlo.broadcast_in_dim %295, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1xi32>
    %297 = "stablehlo.gather"(%arg21, %296) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<12x12x1xi32>) -> tensor<12x12x16xf32>
    %298 = stablehlo.iota dim = 0 : tensor<12xi32>
    %299 = stablehlo.broadcast_in_dim %298, dims = [1] : (tensor<12xi32>) -> tensor<12x12xi32>
    %c_41 = stablehlo.constant dense<true> : tensor<i1>
    %300 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %301 = call @tril(%300) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %302 = stablehlo.multiply %297, %297 : tensor<12x12x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%302 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %304 = stablehlo.broadcast_in_dim %303, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_43 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %306 = stablehlo.divide %304, %305 : tensor<12x12x1xf32>
    %cst_44 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %307 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %308 = stablehlo.add %306, %307 : tensor<12x12x1xf32>
    %309 = stablehlo.rsqrt %308 : tensor<12x12x1xf32>
    %310 = stablehlo.broadcast_in_dim %309, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %311 = stablehlo.multiply %297, %310 : tensor<12x12x16xf32>
    %312 = stablehlo.broadcast_in_dim %arg23, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %314 = stablehlo.multiply %311, %313 : tensor<12x12x16xf32>
    %315 = stablehlo.dot_general %314, %arg30, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %316 = stablehlo.reshape %315 : (tensor<12x12x24xf32>) -> tensor<12x12x6x4xf32>
    %317 = stablehlo.broadcast_in_dim %299, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %318 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_45 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %319 = stablehlo.convert %318 : (tensor<2xi32>) -> tensor<2xf32>
    %320 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %321 = stablehlo.power %320, %319 : tensor<2xf32>
    %322 = stablehlo.convert %317 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %323 = stablehlo.broadcast_in_dim %321, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %324 = stablehlo.broadcast_in_dim %322, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %325 = stablehlo.broadcast_in_dim %323, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %326 = stablehlo.multiply %324, %325 : tensor<12x12x1x2xf32>
    %327 = stablehlo.slice %316 [0:12, 0:12, 0:6, 0:2] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %328 = stablehlo.slice %316 [0:12, 0:12, 0:6, 2:4] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %329 = stablehlo.cosine %326 : tensor<12x12x1x2xf32>
    %330 = stablehlo.broadcast_in_dim %329, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %331 = stablehlo.multiply %327, %330 : tensor<12x12x6x2xf32>
    %332 = stablehlo.sine %326 : tensor<12x12x1x2xf32>
    %333 = stablehlo.broadcast_in_dim %332, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %334 = stablehlo.multiply %328, %333 : tensor<12x12x6x2xf32>
    %335 = stablehlo.subtract %331, %334 : tensor<12x12x6x2xf32>
    %336 = stablehlo.sine %326 : tensor<12x12x1x2xf32>
    %337 = stablehlo.broadcast_in_dim %336, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %338 = stablehlo.multiply %327, %337 : tensor<12x12x6x2xf32>
    %339 = stablehlo.cosine %326 : tensor<12x12x1x2xf32>
    %340 = stablehlo.broadcast_in_dim %339, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %341 = stablehlo.multiply %328, %340 : tensor<12x12x6x2xf32>
    %342 = stablehlo.add %338, %341 : tensor<12x12x6x2xf32>
    %343 = stablehlo.concatenate %335, %342, dim = 3 : (tensor<12x12x6x2xf32>, tensor<12x12x6x2xf32>) -> tensor<12x12x6x4xf32>
    %344 = stablehlo.dot_general %314, %arg28, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %345 = stablehlo.reshape %344 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %346 = stablehlo.broadcast_in_dim %299, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %347 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_46 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %348 = stablehlo.convert %347 : (tensor<2xi32>) -> tensor<2xf32>
    %349 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %350 = stablehlo.power %349, %348 : tensor<2xf32>
    %351 = stablehlo.convert %346 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %352 = stablehlo.broadcast_in_dim %350, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %353 = stablehlo.broadcast_in_dim %351, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %354 = stablehlo.broadcast_in_dim %352, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %355 = stablehlo.multiply %353, %354 : tensor<12x12x1x2xf32>
    %356 = stablehlo.slice %345 [0:12, 0:12, 0:2, 0:2] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %357 = stablehlo.slice %345 [0:12, 0:12, 0:2, 2:4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %358 = stablehlo.cosine %355 : tensor<12x12x1x2xf32>
    %359 = stablehlo.broadcast_in_dim %358, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %360 = stablehlo.multiply %356, %359 : tensor<12x12x2x2xf32>
    %361 = stablehlo.sine %355 : tensor<12x12x1x2xf32>
    %362 = stablehlo.broadcast_in_dim %361, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %363 = stablehlo.multiply %357, %362 : tensor<12x12x2x2xf32>
    %364 = stablehlo.subtract %360, %363 : tensor<12x12x2x2xf32>
    %365 = stablehlo.sine %355 : tensor<12x12x1x2xf32>
    %366 = stablehlo.broadcast_in_dim %365, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %367 = stablehlo.multiply %356, %366 : tensor<12x12x2x2xf32>
    %368 = stablehlo.cosine %355 : tensor<12x12x1x2xf32>
    %369 = stablehlo.broadcast_in_dim %368, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %370 = stablehlo.multiply %357, %369 : tensor<12x12x2x2xf32>
    %371 = stablehlo.add %367, %370 : tensor<12x12x2x2xf32>
    %372 = stablehlo.concatenate %364, %371, dim = 3 : (tensor<12x12x2x2xf32>, tensor<12x12x2x2xf32>) -> tensor<12x12x2x4xf32>
    %373 = stablehlo.dot_general %314, %arg31, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %374 = stablehlo.reshape %373 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %375 = stablehlo.broadcast_in_dim %372, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %376 = stablehlo.reshape %375 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %377 = stablehlo.broadcast_in_dim %374, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %378 = stablehlo.reshape %377 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %379 = stablehlo.dot_general %343, %376, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x12xf32>
    %cst_47 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %380 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %381 = stablehlo.divide %379, %380 : tensor<12x6x12x12xf32>
    %cst_48 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %382 = call @_where_0(%301, %381, %cst_48) : (tensor<12x12xi1>, tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12x12xf32>
    %cst_49 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %383 = stablehlo.reduce(%382 init: %cst_49) applies stablehlo.maximum across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %cst_50 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %384 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<12x6x12xf32>
    %385 = stablehlo.maximum %384, %383 : tensor<12x6x12xf32>
    %386 = stablehlo.broadcast_in_dim %385, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %387 = stablehlo.broadcast_in_dim %386, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %388 = stablehlo.subtract %382, %387 : tensor<12x6x12x12xf32>
    %389 = stablehlo.exponential %388 : tensor<12x6x12x12xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %390 = stablehlo.reduce(%389 init: %cst_51) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %391 = stablehlo.broadcast_in_dim %390, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %392 = stablehlo.broadcast_in_dim %391, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %393 = stablehlo.divide %389, %392 : tensor<12x6x12x12xf32>
    %394 = stablehlo.dot_general %378, %393, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x6x12x12xf32>) -> tensor<12x6x4x12xf32>
    %395 = stablehlo.transpose %394, dims = [0, 3, 1, 2] : (tensor<12x6x4x12xf32>) -> tensor<12x12x6x4xf32>
    %396 = stablehlo.reshape %395 : (tensor<12x12x6x4xf32>) -> tensor<12x12x24xf32>
    %397 = stablehlo.dot_general %396, %arg29, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %398 = stablehlo.add %297, %397 : tensor<12x12x16xf32>
    %399 = stablehlo.multiply %398, %398 : tensor<12x12x16xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %400 = stablehlo.reduce(%399 init: %cst_52) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %401 = stablehlo.broadcast_in_dim %400, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_53 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %402 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %403 = stablehlo.divide %401, %402 : tensor<12x12x1xf32>
    %cst_54 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %404 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %405 = stablehlo.add %403, %404 : tensor<12x12x1xf32>
    %406 = stablehlo.rsqrt %405 : tensor<12x12x1xf32>
    %407 = stablehlo.broadcast_in_dim %406, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %408 = stablehlo.multiply %398, %407 : tensor<12x12x16xf32>
    %409 = stablehlo.broadcast_in_dim %arg26, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %410 = stablehlo.broadcast_in_dim %409, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %411 = stablehlo.multiply %408, %410 : tensor<12x12x16xf32>
    %412 = stablehlo.dot_general %411, %arg25, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %413 = call @silu_1(%412) : (tensor<12x12x24xf32>) -> tensor<12x12x24xf32>
    %414 = stablehlo.dot_general %411, %arg27, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %415 = stablehlo.multiply %413, %414 : tensor<12x12x24xf32>
    %416 = stablehlo.dot_general %415, %arg24, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %417 = stablehlo.add %398, %416 : tensor<12x12x16xf32>
    %c_55 = stablehlo.constant dense<true> : tensor<i1>
    %418 = stablehlo.broadcast_in_dim %c_55, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %419 = call @tril(%418) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %420 = stablehlo.multiply %417, %417 : tensor<12x12x16xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %421 = stablehlo.reduce(%420 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %422 = stablehlo.broadcast_in_dim %421, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_57 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %423 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %424 = stablehlo.divide %422, %423 : tensor<12x12x1xf32>
    %cst_58 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %425 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %426 = stablehlo.add %424, %425 : tensor<12x12x1xf32>
    %427 = stablehlo.rsqrt %426 : tensor<12x12x1xf32>
    %428 = stablehlo.broadcast_in_dim %427, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %429 = stablehlo.multiply %417, %428 : tensor<12x12x16xf32>
    %430 = stablehlo.broadcast_in_dim %arg32, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %431 = stablehlo.broadcast_in_dim %430, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %432 = stablehlo.multiply %429, %431 : tensor<12x12x16xf32>
    %433 = stablehlo.dot_general %432, %arg39, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %434 = stablehlo.reshape %433 : (tensor<12x12x24xf32>) -> tensor<12x12x6x4xf32>
    %435 = stablehlo.broadcast_in_dim %299, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %436 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_59 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %437 = stablehlo.convert %436 : (tensor<2xi32>) -> tensor<2xf32>
    %438 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %439 = stablehlo.power %438, %437 : tensor<2xf32>
    %440 = stablehlo.convert %435 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %441 = stablehlo.broadcast_in_dim %439, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %442 = stablehlo.broadcast_in_dim %440, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %443 = stablehlo.broadcast_in_dim %441, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %444 = stablehlo.multiply %442, %443 : tensor<12x12x1x2xf32>
    %445 = stablehlo.slice %434 [0:12, 0:12, 0:6, 0:2] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %446 = stablehlo.slice %434 [0:12, 0:12, 0:6, 2:4] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %447 = stablehlo.cosine %444 : tensor<12x12x1x2xf32>
    %448 = stablehlo.broadcast_in_dim %447, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %449 = stablehlo.multiply %445, %448 : tensor<12x12x6x2xf32>
    %450 = stablehlo.sine %444 : tensor<12x12x1x2xf32>
    %451 = stablehlo.broadcast_in_dim %450, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %452 = stablehlo.multiply %446, %451 : tensor<12x12x6x2xf32>
    %453 = stablehlo.subtract %449, %452 : tensor<12x12x6x2xf32>
    %454 = stablehlo.sine %444 : tensor<12x12x1x2xf32>
    %455 = stablehlo.broadcast_in_dim %454, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %456 = stablehlo.multiply %445, %455 : tensor<12x12x6x2xf32>
    %457 = stablehlo.cosine %444 : tensor<12x12x1x2xf32>
    %458 = stablehlo.broadcast_in_dim %457, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %459 = stablehlo.multiply %446, %458 : tensor<12x12x6x2xf32>
    %460 = stablehlo.add %456, %459 : tensor<12x12x6x2xf32>
    %461 = stablehlo.concatenate %453, %460, dim = 3 : (tensor<12x12x6x2xf32>, tensor<12x12x6x2xf32>) -> tensor<12x12x6x4xf32>
    %462 = stablehlo.dot_general %432, %arg37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %463 = stablehlo.reshape %462 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %464 = stablehlo.broadcast_in_dim %299, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1x1xi32>
    %465 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_60 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %466 = stablehlo.convert %465 : (tensor<2xi32>) -> tensor<2xf32>
    %467 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %468 = stablehlo.power %467, %466 : tensor<2xf32>
    %469 = stablehlo.convert %464 : (tensor<12x12x1x1xi32>) -> tensor<12x12x1x1xf32>
    %470 = stablehlo.broadcast_in_dim %468, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %471 = stablehlo.broadcast_in_dim %469, dims = [0, 1, 2, 3] : (tensor<12x12x1x1xf32>) -> tensor<12x12x1x2xf32>
    %472 = stablehlo.broadcast_in_dim %470, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<12x12x1x2xf32>
    %473 = stablehlo.multiply %471, %472 : tensor<12x12x1x2xf32>
    %474 = stablehlo.slice %463 [0:12, 0:12, 0:2, 0:2] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %475 = stablehlo.slice %463 [0:12, 0:12, 0:2, 2:4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %476 = stablehlo.cosine %473 : tensor<12x12x1x2xf32>
    %477 = stablehlo.broadcast_in_dim %476, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %478 = stablehlo.multiply %474, %477 : tensor<12x12x2x2xf32>
    %479 = stablehlo.sine %473 : tensor<12x12x1x2xf32>
    %480 = stablehlo.broadcast_in_dim %479, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %481 = stablehlo.multiply %475, %480 : tensor<12x12x2x2xf32>
    %482 = stablehlo.subtract %478, %481 : tensor<12x12x2x2xf32>
    %483 = stablehlo.sine %473 : tensor<12x12x1x2xf32>
    %484 = stablehlo.broadcast_in_dim %483, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %485 = stablehlo.multiply %474, %484 : tensor<12x12x2x2xf32>
    %486 = stablehlo.cosine %473 : tensor<12x12x1x2xf32>
    %487 = stablehlo.broadcast_in_dim %486, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %488 = stablehlo.multiply %475, %487 : tensor<12x12x2x2xf32>
    %489 = stablehlo.add %485, %488 : tensor<12x12x2x2xf32>
    %490 = stablehlo.concatenate %482, %489, dim = 3 : (tensor<12x12x2x2xf32>, tensor<12x12x2x2xf32>) -> tensor<12x12x2x4xf32>
    %491 = stablehlo.dot_general %432, %arg40, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x8xf32>) -> tensor<12x12x8xf32>
    %492 = stablehlo.reshape %491 : (tensor<12x12x8xf32>) -> tensor<12x12x2x4xf32>
    %493 = stablehlo.broadcast_in_dim %490, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %494 = stablehlo.reshape %493 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %495 = stablehlo.broadcast_in_dim %492, dims = [0, 1, 2, 4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x3x4xf32>
    %496 = stablehlo.reshape %495 : (tensor<12x12x2x3x4xf32>) -> tensor<12x12x6x4xf32>
    %497 = stablehlo.dot_general %461, %494, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x12xf32>
    %cst_61 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %498 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %499 = stablehlo.divide %497, %498 : tensor<12x6x12x12xf32>
    %cst_62 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %500 = call @_where_0(%419, %499, %cst_62) : (tensor<12x12xi1>, tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12x12xf32>
    %cst_63 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %501 = stablehlo.reduce(%500 init: %cst_63) applies stablehlo.maximum across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %cst_64 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<12x6x12xf32>
    %503 = stablehlo.maximum %502, %501 : tensor<12x6x12xf32>
    %504 = stablehlo.broadcast_in_dim %503, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %505 = stablehlo.broadcast_in_dim %504, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %506 = stablehlo.subtract %500, %505 : tensor<12x6x12x12xf32>
    %507 = stablehlo.exponential %506 : tensor<12x6x12x12xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %508 = stablehlo.reduce(%507 init: %cst_65) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %509 = stablehlo.broadcast_in_dim %508, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %510 = stablehlo.broadcast_in_dim %509, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %511 = stablehlo.divide %507, %510 : tensor<12x6x12x12xf32>
    %512 = stablehlo.dot_general %496, %511, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x12x6x4xf32>, tensor<12x6x12x12xf32>) -> tensor<12x6x4x12xf32>
    %513 = stablehlo.transpose %512, dims = [0, 3, 1, 2] : (tensor<12x6x4x12xf32>) -> tensor<12x12x6x4xf32>
    %514 = stablehlo.reshape %513 : (tensor<12x12x6x4xf32>) -> tensor<12x12x24xf32>
    %515 = stablehlo.dot_general %514, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %516 = stablehlo.add %417, %515 : tensor<12x12x16xf32>
    %517 = stablehlo.multiply %516, %516 : tensor<12x12x16xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %518 = stablehlo.reduce(%517 init: %cst_66) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %519 = stablehlo.broadcast_in_dim %518, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_67 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %520 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %521 = stablehlo.divide %519, %520 : tensor<12x12x1xf32>
    %cst_68 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %522 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %523 = stablehlo.add %521, %522 : tensor<12x12x1xf32>
    %524 = stablehlo.rsqrt %523 : tensor<12x12x1xf32>
    %525 = stablehlo.broadcast_in_dim %524, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %526 = stablehlo.multiply %516, %525 : tensor<12x12x16xf32>
    %527 = stablehlo.broadcast_in_dim %arg35, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %528 = stablehlo.broadcast_in_dim %527, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %529 = stablehlo.multiply %526, %528 : tensor<12x12x16xf32>
    %530 = stablehlo.dot_general %529, %arg34, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %531 = call @silu_1(%530) : (tensor<12x12x24xf32>) -> tensor<12x12x24xf32>
    %532 = stablehlo.dot_general %529, %arg36, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x24xf32>) -> tensor<12x12x24xf32>
    %533 = stablehlo.multiply %531, %532 : tensor<12x12x24xf32>
    %534 = stablehlo.dot_general %533, %arg33, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<24x16xf32>) -> tensor<12x12x16xf32>
    %535 = stablehlo.add %516, %534 : tensor<12x12x16xf32>
    %536 = stablehlo.multiply %535, %535 : tensor<12x12x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %537 = stablehlo.reduce(%536 init: %cst_69) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %538 = stablehlo.broadcast_in_dim %537, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %cst_70 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %540 = stablehlo.divide %538, %539 : tensor<12x12x1xf32>
    %cst_71 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %542 = stablehlo.add %540, %541 : tensor<12x12x1xf32>
    %543 = stablehlo.rsqrt %542 : tensor<12x12x1xf32>
    %544 = stablehlo.broadcast_in_dim %543, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %545 = stablehlo.multiply %535, %544 : tensor<12x12x16xf32>
    %546 = stablehlo.broadcast_in_dim %arg41, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %547 = stablehlo.broadcast_in_dim %546, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %548 = stablehlo.multiply %545, %547 : tensor<12x12x16xf32>
    %549 = stablehlo.dot_general %548, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<16x60xf32>) -> tensor<12x12x60xf32>
    %550 = stablehlo.slice %549 [0:12, 0:11, 0:60] : (tensor<12x12x60xf32>) -> tensor<12x11x60xf32>
    %551 = call @log_softmax_2(%550) : (tensor<12x11x60xf32>) -> tensor<12x11x60xf32>
    %552 = stablehlo.slice %0 [0:12, 1:12] : (tensor<12x12xi32>) -> tensor<12x11xi32>
    %553 = stablehlo.broadcast_in_dim %552, dims = [0, 1] : (tensor<12x11xi32>) -> tensor<12x11x1xi32>
    %554 = call @take_along_axis_3(%551, %553) : (tensor<12x11x60xf32>, tensor<12x11x1xi32>) -> tensor<12x11x1xf32>
    %555 = stablehlo.reshape %554 : (tensor<12x11x1xf32>) -> tensor<12x11xf32>
    %556 = stablehlo.slice %1 [0:12, 1:12] : (tensor<12x12xf32>) -> tensor<12x11xf32>
    %557 = stablehlo.multiply %555, %556 : tensor<12x11xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %558 = stablehlo.reduce(%557 init: %cst_72) applies stablehlo.add across dimensions = [1] : (tensor<12x11xf32>, tensor<f32>) -> tensor<12xf32>
    %559 = stablehlo.subtract %290, %558 : tensor<12xf32>
    %560 = stablehlo.slice %559 [0:6] : (tensor<12xf32>) -> tensor<6xf32>
    %561 = stablehlo.slice %559 [6:12] : (tensor<12xf32>) -> tensor<6xf32>
    %562 = stablehlo.subtract %560, %561 : tensor<6xf32>
    %cst_73 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %564 = stablehlo.multiply %563, %562 : tensor<6xf32>
    %565:2 = call @log_sigmoid(%564) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %566 = stablehlo.reduce(%565#0 init: %cst_74) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_75 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %567 = stablehlo.divide %566, %cst_75 : tensor<f32>
    %568 = stablehlo.negate %567 : tensor<f32>
    %cst_76 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %569 = stablehlo.negate %cst_76 : tensor<f32>
    %cst_77 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %570 = stablehlo.divide %569, %cst_77 : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %570, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %572 = call @log_sigmoid_4(%565#1, %571) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %cst_78 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %573 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %574 = stablehlo.multiply %573, %572 : tensor<6xf32>
    %575 = stablehlo.negate %574 : tensor<6xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %576 = stablehlo.pad %575, %cst_79, low = [6], high = [0], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %577 = stablehlo.pad %574, %cst_80, low = [0], high = [6], interior = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<12xf32>
    %578 = stablehlo.add %576, %577 : tensor<12xf32>
    %579 = stablehlo.broadcast_in_dim %578, dims = [0] : (tensor<12xf32>) -> tensor<12x11xf32>
    %580 = stablehlo.multiply %579, %288 : tensor<12x11xf32>
    %581 = stablehlo.broadcast_in_dim %580, dims = [0, 1] : (tensor<12x11xf32>) -> tensor<12x11x1xf32>
    %582 = call @take_along_axis_6(%286#1, %581) : (tensor<12x11x1x1xi32>, tensor<12x11x1xf32>) -> tensor<12x11x60xf32>
    %583 = call @log_softmax_7(%283#1, %283#2, %582) : (tensor<12x11x60xf32>, tensor<12x11x1xf32>, tensor<12x11x60xf32>) -> tensor<12x11x60xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %584 = stablehlo.pad %583, %cst_81, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<12x11x60xf32>, tensor<f32>) -> tensor<12x12x60xf32>
    %585 = stablehlo.dot_general %584, %280, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x60xf32>, tensor<12x12x16xf32>) -> tensor<60x16xf32>
    %586 = stablehlo.transpose %585, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %587 = stablehlo.dot_general %584, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x60xf32>, tensor<16x60xf32>) -> tensor<12x12x16xf32>
    %588 = stablehlo.multiply %277, %587 : tensor<12x12x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %589 = stablehlo.reduce(%588 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %590 = stablehlo.reshape %589 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %591 = stablehlo.broadcast_in_dim %278, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %592 = stablehlo.multiply %587, %591 : tensor<12x12x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %593 = stablehlo.reduce(%590 init: %cst_83) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %594 = stablehlo.multiply %264, %592 : tensor<12x12x16xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %595 = stablehlo.reduce(%594 init: %cst_84) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %596 = stablehlo.reshape %595 : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %597 = stablehlo.broadcast_in_dim %272, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %598 = stablehlo.multiply %592, %597 : tensor<12x12x16xf32>
    %599 = stablehlo.multiply %596, %275 : tensor<12x12x1xf32>
    %cst_85 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %600 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %601 = stablehlo.divide %599, %600 : tensor<12x12x1xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %602 = stablehlo.reduce(%601 init: %cst_86) applies stablehlo.add across dimensions = [2] : (tensor<12x12x1xf32>, tensor<f32>) -> tensor<12x12xf32>
    %603 = stablehlo.broadcast_in_dim %602, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x16xf32>
    %604 = stablehlo.multiply %264, %603 : tensor<12x12x16xf32>
    %605 = stablehlo.add %598, %604 : tensor<12x12x16xf32>
    %606 = stablehlo.multiply %603, %264 : tensor<12x12x16xf32>
    %607 = stablehlo.add %605, %606 : tensor<12x12x16xf32>
    %608 = stablehlo.dot_general %607, %262, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<12x12x24xf32>) -> tensor<16x24xf32>
    %609 = stablehlo.transpose %608, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %610 = stablehlo.dot_general %607, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<24x16xf32>) -> tensor<12x12x24xf32>
    %611 = stablehlo.multiply %260#0, %610 : tensor<12x12x24xf32>
    %612 = stablehlo.multiply %610, %261 : tensor<12x12x24xf32>
    %613 = stablehlo.dot_general %611, %258, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<12x12x16xf32>) -> tensor<24x16xf32>
    %614 = stablehlo.transpose %613, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %615 = stablehlo.dot_general %611, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<16x24xf32>) -> tensor<12x12x16xf32>
    %616 = call @silu_8(%260#1, %260#2, %259, %612) : (tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>) -> tensor<12x12x24xf32>
    %617 = stablehlo.dot_general %616, %258, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<12x12x16xf32>) -> tensor<24x16xf32>
    %618 = stablehlo.transpose %617, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %619 = stablehlo.dot_general %616, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<16x24xf32>) -> tensor<12x12x16xf32>
    %620 = stablehlo.add %615, %619 : tensor<12x12x16xf32>
    %621 = stablehlo.multiply %255, %620 : tensor<12x12x16xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %622 = stablehlo.reduce(%621 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %623 = stablehlo.reshape %622 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %624 = stablehlo.broadcast_in_dim %256, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %625 = stablehlo.multiply %620, %624 : tensor<12x12x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %626 = stablehlo.reduce(%623 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %627 = stablehlo.multiply %242, %625 : tensor<12x12x16xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %628 = stablehlo.reduce(%627 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %629 = stablehlo.reshape %628 : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %630 = stablehlo.broadcast_in_dim %250, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %631 = stablehlo.multiply %625, %630 : tensor<12x12x16xf32>
    %632 = stablehlo.add %607, %631 : tensor<12x12x16xf32>
    %633 = stablehlo.multiply %629, %253 : tensor<12x12x1xf32>
    %cst_90 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %634 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %635 = stablehlo.divide %633, %634 : tensor<12x12x1xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %636 = stablehlo.reduce(%635 init: %cst_91) applies stablehlo.add across dimensions = [2] : (tensor<12x12x1xf32>, tensor<f32>) -> tensor<12x12xf32>
    %637 = stablehlo.broadcast_in_dim %636, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x16xf32>
    %638 = stablehlo.multiply %242, %637 : tensor<12x12x16xf32>
    %639 = stablehlo.add %632, %638 : tensor<12x12x16xf32>
    %640 = stablehlo.multiply %637, %242 : tensor<12x12x16xf32>
    %641 = stablehlo.add %639, %640 : tensor<12x12x16xf32>
    %642 = stablehlo.dot_general %641, %240, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<12x12x24xf32>) -> tensor<16x24xf32>
    %643 = stablehlo.transpose %642, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %644 = stablehlo.dot_general %641, %arg17, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<24x16xf32>) -> tensor<12x12x24xf32>
    %645 = stablehlo.reshape %644 : (tensor<12x12x24xf32>) -> tensor<12x12x6x4xf32>
    %646 = stablehlo.transpose %645, dims = [0, 2, 3, 1] : (tensor<12x12x6x4xf32>) -> tensor<12x6x4x12xf32>
    %647 = stablehlo.dot_general %646, %219, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x6x4x12xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x12xf32>
    %648 = stablehlo.dot_general %646, %234, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<12x6x4x12xf32>, tensor<12x6x12x12xf32>) -> tensor<12x6x4x12xf32>
    %649 = stablehlo.transpose %648, dims = [0, 3, 1, 2] : (tensor<12x6x4x12xf32>) -> tensor<12x12x6x4xf32>
    %650 = stablehlo.broadcast_in_dim %237, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %651 = stablehlo.multiply %647, %650 : tensor<12x6x12x12xf32>
    %652 = stablehlo.multiply %651, %230 : tensor<12x6x12x12xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %653 = stablehlo.reduce(%652 init: %cst_92) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %654 = stablehlo.reshape %653 : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %655 = stablehlo.negate %654 : tensor<12x6x12x1xf32>
    %656 = stablehlo.broadcast_in_dim %232, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %657 = stablehlo.divide %647, %656 : tensor<12x6x12x12xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %658 = stablehlo.reduce(%655 init: %cst_93) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x1xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %659 = stablehlo.broadcast_in_dim %658, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x12xf32>
    %660 = stablehlo.add %657, %659 : tensor<12x6x12x12xf32>
    %661 = stablehlo.multiply %660, %230 : tensor<12x6x12x12xf32>
    %662 = call @_where_9(%223#1, %661) : (tensor<12x6x12x12xi1>, tensor<12x6x12x12xf32>) -> tensor<12x6x12x12xf32>
    %cst_94 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %663 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %664 = stablehlo.divide %662, %663 : tensor<12x6x12x12xf32>
    %665 = stablehlo.dot_general %664, %184, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x12x12xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x4xf32>
    %666 = stablehlo.transpose %665, dims = [0, 2, 1, 3] : (tensor<12x6x12x4xf32>) -> tensor<12x12x6x4xf32>
    %667 = stablehlo.dot_general %664, %217, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x12x12xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x4xf32>
    %668 = stablehlo.transpose %667, dims = [0, 2, 1, 3] : (tensor<12x6x12x4xf32>) -> tensor<12x12x6x4xf32>
    %669 = stablehlo.reshape %649 : (tensor<12x12x6x4xf32>) -> tensor<12x12x2x3x4xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %670 = stablehlo.reduce(%669 init: %cst_95) applies stablehlo.add across dimensions = [3] : (tensor<12x12x2x3x4xf32>, tensor<f32>) -> tensor<12x12x2x4xf32>
    %671 = stablehlo.reshape %666 : (tensor<12x12x6x4xf32>) -> tensor<12x12x2x3x4xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %672 = stablehlo.reduce(%671 init: %cst_96) applies stablehlo.add across dimensions = [3] : (tensor<12x12x2x3x4xf32>, tensor<f32>) -> tensor<12x12x2x4xf32>
    %673 = stablehlo.reshape %670 : (tensor<12x12x2x4xf32>) -> tensor<12x12x8xf32>
    %674 = stablehlo.dot_general %673, %155, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<12x12x16xf32>) -> tensor<8x16xf32>
    %675 = stablehlo.transpose %674, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %676 = stablehlo.dot_general %673, %arg19, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<16x8xf32>) -> tensor<12x12x16xf32>
    %677 = stablehlo.slice %672 [0:12, 0:12, 0:2, 0:2] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %678 = stablehlo.slice %672 [0:12, 0:12, 0:2, 2:4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %679 = stablehlo.broadcast_in_dim %209, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %680 = stablehlo.multiply %678, %679 : tensor<12x12x2x2xf32>
    %681 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %682 = stablehlo.multiply %678, %681 : tensor<12x12x2x2xf32>
    %683 = stablehlo.negate %677 : tensor<12x12x2x2xf32>
    %684 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %685 = stablehlo.multiply %683, %684 : tensor<12x12x2x2xf32>
    %686 = stablehlo.add %680, %685 : tensor<12x12x2x2xf32>
    %687 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %688 = stablehlo.multiply %677, %687 : tensor<12x12x2x2xf32>
    %689 = stablehlo.add %682, %688 : tensor<12x12x2x2xf32>
    %690 = stablehlo.concatenate %689, %686, dim = 3 : (tensor<12x12x2x2xf32>, tensor<12x12x2x2xf32>) -> tensor<12x12x2x4xf32>
    %691 = stablehlo.reshape %690 : (tensor<12x12x2x4xf32>) -> tensor<12x12x8xf32>
    %692 = stablehlo.dot_general %691, %155, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<12x12x16xf32>) -> tensor<8x16xf32>
    %693 = stablehlo.transpose %692, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %694 = stablehlo.dot_general %691, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<16x8xf32>) -> tensor<12x12x16xf32>
    %695 = stablehlo.add %676, %694 : tensor<12x12x16xf32>
    %696 = stablehlo.slice %668 [0:12, 0:12, 0:6, 0:2] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %697 = stablehlo.slice %668 [0:12, 0:12, 0:6, 2:4] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %698 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %699 = stablehlo.multiply %697, %698 : tensor<12x12x6x2xf32>
    %700 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %701 = stablehlo.multiply %697, %700 : tensor<12x12x6x2xf32>
    %702 = stablehlo.negate %696 : tensor<12x12x6x2xf32>
    %703 = stablehlo.broadcast_in_dim %173, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %704 = stablehlo.multiply %702, %703 : tensor<12x12x6x2xf32>
    %705 = stablehlo.add %699, %704 : tensor<12x12x6x2xf32>
    %706 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %707 = stablehlo.multiply %696, %706 : tensor<12x12x6x2xf32>
    %708 = stablehlo.add %701, %707 : tensor<12x12x6x2xf32>
    %709 = stablehlo.concatenate %708, %705, dim = 3 : (tensor<12x12x6x2xf32>, tensor<12x12x6x2xf32>) -> tensor<12x12x6x4xf32>
    %710 = stablehlo.reshape %709 : (tensor<12x12x6x4xf32>) -> tensor<12x12x24xf32>
    %711 = stablehlo.dot_general %710, %155, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<12x12x16xf32>) -> tensor<24x16xf32>
    %712 = stablehlo.transpose %711, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %713 = stablehlo.dot_general %710, %arg18, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<16x24xf32>) -> tensor<12x12x16xf32>
    %714 = stablehlo.add %695, %713 : tensor<12x12x16xf32>
    %715 = stablehlo.multiply %152, %714 : tensor<12x12x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %716 = stablehlo.reduce(%715 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %717 = stablehlo.reshape %716 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %718 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %719 = stablehlo.multiply %714, %718 : tensor<12x12x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %720 = stablehlo.reduce(%717 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %721 = stablehlo.multiply %137, %719 : tensor<12x12x16xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %722 = stablehlo.reduce(%721 init: %cst_99) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %723 = stablehlo.reshape %722 : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %724 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %725 = stablehlo.multiply %719, %724 : tensor<12x12x16xf32>
    %726 = stablehlo.add %641, %725 : tensor<12x12x16xf32>
    %727 = stablehlo.multiply %723, %150 : tensor<12x12x1xf32>
    %cst_100 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %728 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %729 = stablehlo.divide %727, %728 : tensor<12x12x1xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %730 = stablehlo.reduce(%729 init: %cst_101) applies stablehlo.add across dimensions = [2] : (tensor<12x12x1xf32>, tensor<f32>) -> tensor<12x12xf32>
    %731 = stablehlo.broadcast_in_dim %730, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x16xf32>
    %732 = stablehlo.multiply %137, %731 : tensor<12x12x16xf32>
    %733 = stablehlo.add %726, %732 : tensor<12x12x16xf32>
    %734 = stablehlo.multiply %731, %137 : tensor<12x12x16xf32>
    %735 = stablehlo.add %733, %734 : tensor<12x12x16xf32>
    %736 = stablehlo.dot_general %735, %135, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<12x12x24xf32>) -> tensor<16x24xf32>
    %737 = stablehlo.transpose %736, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %738 = stablehlo.dot_general %735, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<24x16xf32>) -> tensor<12x12x24xf32>
    %739 = stablehlo.multiply %133#0, %738 : tensor<12x12x24xf32>
    %740 = stablehlo.multiply %738, %134 : tensor<12x12x24xf32>
    %741 = stablehlo.dot_general %739, %131, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<12x12x16xf32>) -> tensor<24x16xf32>
    %742 = stablehlo.transpose %741, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %743 = stablehlo.dot_general %739, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<16x24xf32>) -> tensor<12x12x16xf32>
    %744 = call @silu_8(%133#1, %133#2, %132, %740) : (tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>) -> tensor<12x12x24xf32>
    %745 = stablehlo.dot_general %744, %131, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<12x12x16xf32>) -> tensor<24x16xf32>
    %746 = stablehlo.transpose %745, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %747 = stablehlo.dot_general %744, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<16x24xf32>) -> tensor<12x12x16xf32>
    %748 = stablehlo.add %743, %747 : tensor<12x12x16xf32>
    %749 = stablehlo.multiply %128, %748 : tensor<12x12x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %750 = stablehlo.reduce(%749 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %751 = stablehlo.reshape %750 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %752 = stablehlo.broadcast_in_dim %129, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %753 = stablehlo.multiply %748, %752 : tensor<12x12x16xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %754 = stablehlo.reduce(%751 init: %cst_103) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %755 = stablehlo.multiply %115, %753 : tensor<12x12x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %756 = stablehlo.reduce(%755 init: %cst_104) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %757 = stablehlo.reshape %756 : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %758 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %759 = stablehlo.multiply %753, %758 : tensor<12x12x16xf32>
    %760 = stablehlo.add %735, %759 : tensor<12x12x16xf32>
    %761 = stablehlo.multiply %757, %126 : tensor<12x12x1xf32>
    %cst_105 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %762 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %763 = stablehlo.divide %761, %762 : tensor<12x12x1xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %764 = stablehlo.reduce(%763 init: %cst_106) applies stablehlo.add across dimensions = [2] : (tensor<12x12x1xf32>, tensor<f32>) -> tensor<12x12xf32>
    %765 = stablehlo.broadcast_in_dim %764, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x16xf32>
    %766 = stablehlo.multiply %115, %765 : tensor<12x12x16xf32>
    %767 = stablehlo.add %760, %766 : tensor<12x12x16xf32>
    %768 = stablehlo.multiply %765, %115 : tensor<12x12x16xf32>
    %769 = stablehlo.add %767, %768 : tensor<12x12x16xf32>
    %770 = stablehlo.dot_general %769, %113, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<12x12x24xf32>) -> tensor<16x24xf32>
    %771 = stablehlo.transpose %770, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %772 = stablehlo.dot_general %769, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x16xf32>, tensor<24x16xf32>) -> tensor<12x12x24xf32>
    %773 = stablehlo.reshape %772 : (tensor<12x12x24xf32>) -> tensor<12x12x6x4xf32>
    %774 = stablehlo.transpose %773, dims = [0, 2, 3, 1] : (tensor<12x12x6x4xf32>) -> tensor<12x6x4x12xf32>
    %775 = stablehlo.dot_general %774, %92, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<12x6x4x12xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x12xf32>
    %776 = stablehlo.dot_general %774, %107, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<12x6x4x12xf32>, tensor<12x6x12x12xf32>) -> tensor<12x6x4x12xf32>
    %777 = stablehlo.transpose %776, dims = [0, 3, 1, 2] : (tensor<12x6x4x12xf32>) -> tensor<12x12x6x4xf32>
    %778 = stablehlo.broadcast_in_dim %110, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %779 = stablehlo.multiply %775, %778 : tensor<12x6x12x12xf32>
    %780 = stablehlo.multiply %779, %103 : tensor<12x6x12x12xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %781 = stablehlo.reduce(%780 init: %cst_107) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x12xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %782 = stablehlo.reshape %781 : (tensor<12x6x12xf32>) -> tensor<12x6x12x1xf32>
    %783 = stablehlo.negate %782 : tensor<12x6x12x1xf32>
    %784 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2, 3] : (tensor<12x6x12x1xf32>) -> tensor<12x6x12x12xf32>
    %785 = stablehlo.divide %775, %784 : tensor<12x6x12x12xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %786 = stablehlo.reduce(%783 init: %cst_108) applies stablehlo.add across dimensions = [3] : (tensor<12x6x12x1xf32>, tensor<f32>) -> tensor<12x6x12xf32>
    %787 = stablehlo.broadcast_in_dim %786, dims = [0, 1, 2] : (tensor<12x6x12xf32>) -> tensor<12x6x12x12xf32>
    %788 = stablehlo.add %785, %787 : tensor<12x6x12x12xf32>
    %789 = stablehlo.multiply %788, %103 : tensor<12x6x12x12xf32>
    %790 = call @_where_9(%96#1, %789) : (tensor<12x6x12x12xi1>, tensor<12x6x12x12xf32>) -> tensor<12x6x12x12xf32>
    %cst_109 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %791 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %792 = stablehlo.divide %790, %791 : tensor<12x6x12x12xf32>
    %793 = stablehlo.dot_general %792, %57, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x12x12xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x4xf32>
    %794 = stablehlo.transpose %793, dims = [0, 2, 1, 3] : (tensor<12x6x12x4xf32>) -> tensor<12x12x6x4xf32>
    %795 = stablehlo.dot_general %792, %90, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x12x12xf32>, tensor<12x12x6x4xf32>) -> tensor<12x6x12x4xf32>
    %796 = stablehlo.transpose %795, dims = [0, 2, 1, 3] : (tensor<12x6x12x4xf32>) -> tensor<12x12x6x4xf32>
    %797 = stablehlo.reshape %777 : (tensor<12x12x6x4xf32>) -> tensor<12x12x2x3x4xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %798 = stablehlo.reduce(%797 init: %cst_110) applies stablehlo.add across dimensions = [3] : (tensor<12x12x2x3x4xf32>, tensor<f32>) -> tensor<12x12x2x4xf32>
    %799 = stablehlo.reshape %794 : (tensor<12x12x6x4xf32>) -> tensor<12x12x2x3x4xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %800 = stablehlo.reduce(%799 init: %cst_111) applies stablehlo.add across dimensions = [3] : (tensor<12x12x2x3x4xf32>, tensor<f32>) -> tensor<12x12x2x4xf32>
    %801 = stablehlo.reshape %798 : (tensor<12x12x2x4xf32>) -> tensor<12x12x8xf32>
    %802 = stablehlo.dot_general %801, %28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<12x12x16xf32>) -> tensor<8x16xf32>
    %803 = stablehlo.transpose %802, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %804 = stablehlo.dot_general %801, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<16x8xf32>) -> tensor<12x12x16xf32>
    %805 = stablehlo.slice %800 [0:12, 0:12, 0:2, 0:2] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %806 = stablehlo.slice %800 [0:12, 0:12, 0:2, 2:4] : (tensor<12x12x2x4xf32>) -> tensor<12x12x2x2xf32>
    %807 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %808 = stablehlo.multiply %806, %807 : tensor<12x12x2x2xf32>
    %809 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %810 = stablehlo.multiply %806, %809 : tensor<12x12x2x2xf32>
    %811 = stablehlo.negate %805 : tensor<12x12x2x2xf32>
    %812 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %813 = stablehlo.multiply %811, %812 : tensor<12x12x2x2xf32>
    %814 = stablehlo.add %808, %813 : tensor<12x12x2x2xf32>
    %815 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x2x2xf32>
    %816 = stablehlo.multiply %805, %815 : tensor<12x12x2x2xf32>
    %817 = stablehlo.add %810, %816 : tensor<12x12x2x2xf32>
    %818 = stablehlo.concatenate %817, %814, dim = 3 : (tensor<12x12x2x2xf32>, tensor<12x12x2x2xf32>) -> tensor<12x12x2x4xf32>
    %819 = stablehlo.reshape %818 : (tensor<12x12x2x4xf32>) -> tensor<12x12x8xf32>
    %820 = stablehlo.dot_general %819, %28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<12x12x16xf32>) -> tensor<8x16xf32>
    %821 = stablehlo.transpose %820, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %822 = stablehlo.dot_general %819, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x8xf32>, tensor<16x8xf32>) -> tensor<12x12x16xf32>
    %823 = stablehlo.add %804, %822 : tensor<12x12x16xf32>
    %824 = stablehlo.slice %796 [0:12, 0:12, 0:6, 0:2] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %825 = stablehlo.slice %796 [0:12, 0:12, 0:6, 2:4] : (tensor<12x12x6x4xf32>) -> tensor<12x12x6x2xf32>
    %826 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %827 = stablehlo.multiply %825, %826 : tensor<12x12x6x2xf32>
    %828 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %829 = stablehlo.multiply %825, %828 : tensor<12x12x6x2xf32>
    %830 = stablehlo.negate %824 : tensor<12x12x6x2xf32>
    %831 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %832 = stablehlo.multiply %830, %831 : tensor<12x12x6x2xf32>
    %833 = stablehlo.add %827, %832 : tensor<12x12x6x2xf32>
    %834 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<12x12x1x2xf32>) -> tensor<12x12x6x2xf32>
    %835 = stablehlo.multiply %824, %834 : tensor<12x12x6x2xf32>
    %836 = stablehlo.add %829, %835 : tensor<12x12x6x2xf32>
    %837 = stablehlo.concatenate %836, %833, dim = 3 : (tensor<12x12x6x2xf32>, tensor<12x12x6x2xf32>) -> tensor<12x12x6x4xf32>
    %838 = stablehlo.reshape %837 : (tensor<12x12x6x4xf32>) -> tensor<12x12x24xf32>
    %839 = stablehlo.dot_general %838, %28, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<12x12x16xf32>) -> tensor<24x16xf32>
    %840 = stablehlo.transpose %839, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %841 = stablehlo.dot_general %838, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x12x24xf32>, tensor<16x24xf32>) -> tensor<12x12x16xf32>
    %842 = stablehlo.add %823, %841 : tensor<12x12x16xf32>
    %843 = stablehlo.multiply %25, %842 : tensor<12x12x16xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %844 = stablehlo.reduce(%843 init: %cst_112) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %845 = stablehlo.reshape %844 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %846 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x12x16xf32>
    %847 = stablehlo.multiply %842, %846 : tensor<12x12x16xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %848 = stablehlo.reduce(%845 init: %cst_113) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %849 = stablehlo.multiply %8, %847 : tensor<12x12x16xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %850 = stablehlo.reduce(%849 init: %cst_114) applies stablehlo.add across dimensions = [2] : (tensor<12x12x16xf32>, tensor<f32>) -> tensor<12x12xf32>
    %851 = stablehlo.reshape %850 : (tensor<12x12xf32>) -> tensor<12x12x1xf32>
    %852 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<12x12x1xf32>) -> tensor<12x12x16xf32>
    %853 = stablehlo.multiply %847, %852 : tensor<12x12x16xf32>
    %854 = stablehlo.add %769, %853 : tensor<12x12x16xf32>
    %855 = stablehlo.multiply %851, %23 : tensor<12x12x1xf32>
    %cst_115 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %856 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<12x12x1xf32>
    %857 = stablehlo.divide %855, %856 : tensor<12x12x1xf32>
    %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %858 = stablehlo.reduce(%857 init: %cst_116) applies stablehlo.add across dimensions = [2] : (tensor<12x12x1xf32>, tensor<f32>) -> tensor<12x12xf32>
    %859 = stablehlo.broadcast_in_dim %858, dims = [0, 1] : (tensor<12x12xf32>) -> tensor<12x12x16xf32>
    %860 = stablehlo.multiply %8, %859 : tensor<12x12x16xf32>
    %861 = stablehlo.add %854, %860 : tensor<12x12x16xf32>
    %862 = stablehlo.multiply %859, %8 : tensor<12x12x16xf32>
    %863 = stablehlo.add %861, %862 : tensor<12x12x16xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %864 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %865 = "stablehlo.scatter"(%864, %7, %863) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg46: tensor<f32>, %arg47: tensor<f32>):
      %866 = stablehlo.add %arg46, %arg47 : tensor<f32>
      stablehlo.return %866 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<12x12x1xi32>, tensor<12x12x16xf32>) -> tensor<60x16xf32>
    return %568, %865, %586, %848, %737, %746, %754, %742, %821, %771, %840, %803, %720, %609, %618, %626, %614, %693, %643, %712, %675, %593 : tensor<f32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>
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
  func.func private @_where(%arg0: tensor<12x12xi1>, %arg1: tensor<12x6x12x12xf32>, %arg2: tensor<f32>) -> (tensor<12x6x12x12xf32>, tensor<12x6x12x12xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<12x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<12x6x12x12xi1>, tensor<12x6x12x12xf32>
    return %3, %1 : tensor<12x6x12x12xf32>, tensor<12x6x12x12xi1>
  }
  func.func private @silu(%arg0: tensor<12x12x24xf32>) -> (tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<12x12x24xf32>
    %1 = stablehlo.exponential %0 : tensor<12x12x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<12x12x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x12x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<12x12x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x12x24xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<12x12x24xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<12x12x24xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<12x12x24xf32>
    return %9, %8, %5 : tensor<12x12x24xf32>, tensor<12x12x24xf32>, tensor<12x12x24xf32>
  }
  func.func private @log_softmax(%arg0: tensor<12x11x60xf32>) -> (tensor<12x11x60xf32>, tensor<12x11x60xf32>, tensor<12x11x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<12x11x60xf32>, tensor<f32>) -> tensor<12x11xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x11xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<12x11xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<12x11xf32>) -> tensor<12x11x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<12x11x1xf32>) -> tensor<12x11x60xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<12x11x60xf32>
    %6 = stablehlo.exponential %5 : tensor<12x11x60xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<12x11x60xf32>, tensor<f32>) -> tensor<12x11xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<12x11xf32>) -> tensor<12x11x1xf32>
    %9 = stablehlo.log %8 : tensor<12x11x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<12x11x1xf32>) -> tensor<12x11x60xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<12x11x60xf32>
    return %11, %6, %8 : tensor<12x11x60xf32>, tensor<12x11x60xf32>, tensor<12x11x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<12x11x60xf32>, %arg1: tensor<12x11x1xi32>) -> (tensor<12x11x1xf32>, tensor<12x11x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x11x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<12x11x1xi32>, tensor<12x11x1xi32>) -> tensor<12x11x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12x11x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<12x11x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<12x11x1xi1>, tensor<12x11x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<12x11x1xi32>) -> tensor<12x11x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12x11x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<12x11x1x1xi32>, tensor<12x11x1x1xi32>) -> tensor<12x11x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<12x11x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<12x11x1x1xi32>, tensor<12x11x1x1xi32>) -> tensor<12x11x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<12x11x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<12x11x1x1xi1>, tensor<i1>) -> tensor<12x11x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<12x11x60xf32>, tensor<12x11x1x1xi32>) -> tensor<12x11x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x11x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<12x11x1xi1>, tensor<12x11x1xf32>
    return %15, %5 : tensor<12x11x1xf32>, tensor<12x11x1x1xi32>
  }
  func.func private @_where_0(%arg0: tensor<12x12xi1>, %arg1: tensor<12x6x12x12xf32>, %arg2: tensor<f32>) -> tensor<12x6x12x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<12x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<12x6x12x12xi1>, tensor<12x6x12x12xf32>
    return %3 : tensor<12x6x12x12xf32>
  }
  func.func private @silu_1(%arg0: tensor<12x12x24xf32>) -> tensor<12x12x24xf32> {
    %0 = stablehlo.negate %arg0 : tensor<12x12x24xf32>
    %1 = stablehlo.exponential %0 : tensor<12x12x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x12x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<12x12x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x12x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<12x12x24xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<12x12x24xf32>
    return %6 : tensor<12x12x24xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<12x11x60xf32>) -> tensor<12x11x60xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<12x11x60xf32>, tensor<f32>) -> tensor<12x11xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x11xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<12x11xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<12x11xf32>) -> tensor<12x11x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<12x11x1xf32>) -> tensor<12x11x60xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<12x11x60xf32>
    %6 = stablehlo.exponential %5 : tensor<12x11x60xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<12x11x60xf32>, tensor<f32>) -> tensor<12x11xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<12x11xf32>) -> tensor<12x11x1xf32>
    %9 = stablehlo.log %8 : tensor<12x11x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<12x11x1xf32>) -> tensor<12x11x60xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<12x11x60xf32>
    return %11 : tensor<12x11x60xf32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<12x11x60xf32>, %arg1: tensor<12x11x1xi32>) -> tensor<12x11x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x11x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<12x11x1xi32>, tensor<12x11x1xi32>) -> tensor<12x11x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12x11x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<12x11x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<12x11x1xi1>, tensor<12x11x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<12x11x1xi32>) -> tensor<12x11x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12x11x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<12x11x1x1xi32>, tensor<12x11x1x1xi32>) -> tensor<12x11x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<12x11x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<12x11x1x1xi32>, tensor<12x11x1x1xi32>) -> tensor<12x11x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<12x11x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<12x11x1x1xi1>, tensor<i1>) -> tensor<12x11x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<12x11x60xf32>, tensor<12x11x1x1xi32>) -> tensor<12x11x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x11x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<12x11x1xi1>, tensor<12x11x1xf32>
    return %15 : tensor<12x11x1xf32>
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
  func.func private @take_along_axis_6(%arg0: tensor<12x11x1x1xi32>, %arg1: tensor<12x11x1xf32>) -> tensor<12x11x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x11x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<12x11x60xf32>, tensor<12x11x1x1xi32>, tensor<12x11x1xf32>) -> tensor<12x11x60xf32>
    return %1 : tensor<12x11x60xf32>
  }
  func.func private @log_softmax_7(%arg0: tensor<12x11x60xf32>, %arg1: tensor<12x11x1xf32>, %arg2: tensor<12x11x60xf32>) -> tensor<12x11x60xf32> {
    %0 = stablehlo.negate %arg2 : tensor<12x11x60xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<12x11x60xf32>, tensor<f32>) -> tensor<12x11xf32>
    %2 = stablehlo.reshape %1 : (tensor<12x11xf32>) -> tensor<12x11x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<12x11x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<12x11x1xf32>, tensor<f32>) -> tensor<12x11xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<12x11xf32>) -> tensor<12x11x60xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<12x11x60xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<12x11x60xf32>
    return %7 : tensor<12x11x60xf32>
  }
  func.func private @silu_8(%arg0: tensor<12x12x24xf32>, %arg1: tensor<12x12x24xf32>, %arg2: tensor<12x12x24xf32>, %arg3: tensor<12x12x24xf32>) -> tensor<12x12x24xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<12x12x24xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<12x12x24xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<12x12x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<12x12x24xf32>
    return %3 : tensor<12x12x24xf32>
  }
  func.func private @_where_9(%arg0: tensor<12x6x12x12xi1>, %arg1: tensor<12x6x12x12xf32>) -> tensor<12x6x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<12x6x12x12xi1>, tensor<12x6x12x12xf32>
    return %1 : tensor<12x6x12x12xf32>
  }
}
