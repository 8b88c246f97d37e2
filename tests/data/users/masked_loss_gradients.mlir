module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x60xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<16xf32>, %arg12: tensor<24x16xf32>, %arg13: tensor<16x24xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16x24xf32>, %arg16: tensor<16x8xf32>, %arg17: tensor<24x16xf32>, %arg18: tensor<16x24xf32>, %arg19: tensor<16x8xf32>, %arg20: tensor<16xf32>, %arg21: tensor<6x12xi32>, %arg22: tensor<6x12xf32>, %arg23: tensor<6x12xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<16x60xf32> {jax.result_info = "result[1]['head']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['gate']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][1]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1]['layers'][1]['wv']"}, tensor<16xf32> {jax.result_info = "result[1]['norm']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg21, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg21, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg21 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.iota dim = 0 : tensor<12xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<12xi32>) -> tensor<6x12xi32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %10 = call @tril(%9) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %11 = stablehlo.multiply %6, %6 : tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %15 = stablehlo.divide %13, %14 : tensor<6x12x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %17 = stablehlo.add %15, %16 : tensor<6x12x1xf32>
    %18 = stablehlo.rsqrt %17 : tensor<6x12x1xf32>
    %19 = stablehlo.divide %18, %17 : tensor<6x12x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<6x12x1xf32>
    %22 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %23 = stablehlo.multiply %6, %22 : tensor<6x12x16xf32>
    %24 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %26 = stablehlo.multiply %23, %25 : tensor<6x12x16xf32>
    %27 = stablehlo.dot_general %26, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %28 = stablehlo.reshape %27 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %29 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %30 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %31 = stablehlo.convert %30 : (tensor<2xi32>) -> tensor<2xf32>
    %32 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %33 = stablehlo.power %32, %31 : tensor<2xf32>
    %34 = stablehlo.convert %29 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %36 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<6x12x1x2xf32>
    %39 = stablehlo.slice %28 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %40 = stablehlo.slice %28 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %41 = stablehlo.cosine %38 : tensor<6x12x1x2xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %43 = stablehlo.multiply %39, %42 : tensor<6x12x6x2xf32>
    %44 = stablehlo.sine %38 : tensor<6x12x1x2xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %46 = stablehlo.multiply %40, %45 : tensor<6x12x6x2xf32>
    %47 = stablehlo.subtract %43, %46 : tensor<6x12x6x2xf32>
    %48 = stablehlo.sine %38 : tensor<6x12x1x2xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %50 = stablehlo.multiply %39, %49 : tensor<6x12x6x2xf32>
    %51 = stablehlo.cosine %38 : tensor<6x12x1x2xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %53 = stablehlo.multiply %40, %52 : tensor<6x12x6x2xf32>
    %54 = stablehlo.add %50, %53 : tensor<6x12x6x2xf32>
    %55 = stablehlo.concatenate %47, %54, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %56 = stablehlo.dot_general %26, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %57 = stablehlo.reshape %56 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %58 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %59 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %60 = stablehlo.convert %59 : (tensor<2xi32>) -> tensor<2xf32>
    %61 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %62 = stablehlo.power %61, %60 : tensor<2xf32>
    %63 = stablehlo.convert %58 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %64 = stablehlo.broadcast_in_dim %62, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %65 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %67 = stablehlo.multiply %65, %66 : tensor<6x12x1x2xf32>
    %68 = stablehlo.slice %57 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %69 = stablehlo.slice %57 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %70 = stablehlo.cosine %67 : tensor<6x12x1x2xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %72 = stablehlo.multiply %68, %71 : tensor<6x12x2x2xf32>
    %73 = stablehlo.sine %67 : tensor<6x12x1x2xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %75 = stablehlo.multiply %69, %74 : tensor<6x12x2x2xf32>
    %76 = stablehlo.subtract %72, %75 : tensor<6x12x2x2xf32>
    %77 = stablehlo.sine %67 : tensor<6x12x1x2xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %79 = stablehlo.multiply %68, %78 : tensor<6x12x2x2xf32>
    %80 = stablehlo.cosine %67 : tensor<6x12x1x2xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %82 = stablehlo.multiply %69, %81 : tensor<6x12x2x2xf32>
    %83 = stablehlo.add %79, %82 : tensor<6x12x2x2xf32>
    %84 = stablehlo.concatenate %76, %83, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %85 = stablehlo.dot_general %26, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %86 = stablehlo.reshape %85 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %87 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %88 = stablehlo.reshape %87 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %89 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %90 = stablehlo.reshape %89 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %91 = stablehlo.dot_general %55, %88, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %93 = stablehlo.divide %91, %92 : tensor<6x6x12x12xf32>
    %cst_8 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %94:2 = call @_where(%10, %93, %cst_8) : (tensor<12x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %95 = stablehlo.reduce(%94#0 init: %cst_9) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %97 = stablehlo.maximum %96, %95 : tensor<6x6x12xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %100 = stablehlo.subtract %94#0, %99 : tensor<6x6x12x12xf32>
    %101 = stablehlo.exponential %100 : tensor<6x6x12x12xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %105 = stablehlo.divide %101, %104 : tensor<6x6x12x12xf32>
    %106 = stablehlo.multiply %103, %103 : tensor<6x6x12x1xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %108 = stablehlo.divide %107, %106 : tensor<6x6x12x1xf32>
    %109 = stablehlo.dot_general %90, %105, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %110 = stablehlo.transpose %109, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %111 = stablehlo.reshape %110 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %112 = stablehlo.dot_general %111, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %113 = stablehlo.add %6, %112 : tensor<6x12x16xf32>
    %114 = stablehlo.multiply %113, %113 : tensor<6x12x16xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_14 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %118 = stablehlo.divide %116, %117 : tensor<6x12x1xf32>
    %cst_15 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %120 = stablehlo.add %118, %119 : tensor<6x12x1xf32>
    %121 = stablehlo.rsqrt %120 : tensor<6x12x1xf32>
    %122 = stablehlo.divide %121, %120 : tensor<6x12x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %124 = stablehlo.multiply %123, %122 : tensor<6x12x1xf32>
    %125 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %126 = stablehlo.multiply %113, %125 : tensor<6x12x16xf32>
    %127 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %129 = stablehlo.multiply %126, %128 : tensor<6x12x16xf32>
    %130 = stablehlo.dot_general %129, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %131:3 = call @silu(%130) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %132 = stablehlo.dot_general %129, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %133 = stablehlo.multiply %131#0, %132 : tensor<6x12x24xf32>
    %134 = stablehlo.dot_general %133, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %135 = stablehlo.add %113, %134 : tensor<6x12x16xf32>
    %c_17 = stablehlo.constant dense<true> : tensor<i1>
    %136 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %137 = call @tril(%136) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %138 = stablehlo.multiply %135, %135 : tensor<6x12x16xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%138 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_19 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %142 = stablehlo.divide %140, %141 : tensor<6x12x1xf32>
    %cst_20 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %144 = stablehlo.add %142, %143 : tensor<6x12x1xf32>
    %145 = stablehlo.rsqrt %144 : tensor<6x12x1xf32>
    %146 = stablehlo.divide %145, %144 : tensor<6x12x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %148 = stablehlo.multiply %147, %146 : tensor<6x12x1xf32>
    %149 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %150 = stablehlo.multiply %135, %149 : tensor<6x12x16xf32>
    %151 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %152 = stablehlo.broadcast_in_dim %151, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %153 = stablehlo.multiply %150, %152 : tensor<6x12x16xf32>
    %154 = stablehlo.dot_general %153, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %155 = stablehlo.reshape %154 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %156 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %157 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %158 = stablehlo.convert %157 : (tensor<2xi32>) -> tensor<2xf32>
    %159 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %160 = stablehlo.power %159, %158 : tensor<2xf32>
    %161 = stablehlo.convert %156 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %162 = stablehlo.broadcast_in_dim %160, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %163 = stablehlo.broadcast_in_dim %161, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %164 = stablehlo.broadcast_in_dim %162, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %165 = stablehlo.multiply %163, %164 : tensor<6x12x1x2xf32>
    %166 = stablehlo.slice %155 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %167 = stablehlo.slice %155 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %168 = stablehlo.cosine %165 : tensor<6x12x1x2xf32>
    %169 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %170 = stablehlo.multiply %166, %169 : tensor<6x12x6x2xf32>
    %171 = stablehlo.sine %165 : tensor<6x12x1x2xf32>
    %172 = stablehlo.broadcast_in_dim %171, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %173 = stablehlo.multiply %167, %172 : tensor<6x12x6x2xf32>
    %174 = stablehlo.subtract %170, %173 : tensor<6x12x6x2xf32>
    %175 = stablehlo.sine %165 : tensor<6x12x1x2xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %177 = stablehlo.multiply %166, %176 : tensor<6x12x6x2xf32>
    %178 = stablehlo.cosine %165 : tensor<6x12x1x2xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %180 = stablehlo.multiply %167, %179 : tensor<6x12x6x2xf32>
    %181 = stablehlo.add %177, %180 : tensor<6x12x6x2xf32>
    %182 = stablehlo.concatenate %174, %181, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %183 = stablehlo.dot_general %153, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %184 = stablehlo.reshape %183 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %185 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %186 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %187 = stablehlo.convert %186 : (tensor<2xi32>) -> tensor<2xf32>
    %188 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %189 = stablehlo.power %188, %187 : tensor<2xf32>
    %190 = stablehlo.convert %185 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %191 = stablehlo.broadcast_in_dim %189, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %192 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %193 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %194 = stablehlo.multiply %192, %193 : tensor<6x12x1x2xf32>
    %195 = stablehlo.slice %184 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %196 = stablehlo.slice %184 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %197 = stablehlo.cosine %194 : tensor<6x12x1x2xf32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %199 = stablehlo.multiply %195, %198 : tensor<6x12x2x2xf32>
    %200 = stablehlo.sine %194 : tensor<6x12x1x2xf32>
    %201 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %202 = stablehlo.multiply %196, %201 : tensor<6x12x2x2xf32>
    %203 = stablehlo.subtract %199, %202 : tensor<6x12x2x2xf32>
    %204 = stablehlo.sine %194 : tensor<6x12x1x2xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %206 = stablehlo.multiply %195, %205 : tensor<6x12x2x2xf32>
    %207 = stablehlo.cosine %194 : tensor<6x12x1x2xf32>
    %208 = stablehlo.broadcast_in_dim %207, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %209 = stablehlo.multiply %196, %208 : tensor<6x12x2x2xf32>
    %210 = stablehlo.add %206, %209 : tensor<6x12x2x2xf32>
    %211 = stablehlo.concatenate %203, %210, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %212 = stablehlo.dot_general %153, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %213 = stablehlo.reshape %212 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %214 = stablehlo.broadcast_in_dim %211, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %215 = stablehlo.reshape %214 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %216 = stablehlo.broadcast_in_dim %213, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %217 = stablehlo.reshape %216 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %218 = stablehlo.dot_general %182, %215, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %220 = stablehlo.divide %218, %219 : tensor<6x6x12x12xf32>
    %cst_25 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %221:2 = call @_where(%137, %220, %cst_25) : (tensor<12x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %222 = stablehlo.reduce(%221#0 init: %cst_26) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %224 = stablehlo.maximum %223, %222 : tensor<6x6x12xf32>
    %225 = stablehlo.broadcast_in_dim %224, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %227 = stablehlo.subtract %221#0, %226 : tensor<6x6x12x12xf32>
    %228 = stablehlo.exponential %227 : tensor<6x6x12x12xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%228 init: %cst_28) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %231 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %232 = stablehlo.divide %228, %231 : tensor<6x6x12x12xf32>
    %233 = stablehlo.multiply %230, %230 : tensor<6x6x12x1xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %235 = stablehlo.divide %234, %233 : tensor<6x6x12x1xf32>
    %236 = stablehlo.dot_general %217, %232, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %237 = stablehlo.transpose %236, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %238 = stablehlo.reshape %237 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %239 = stablehlo.dot_general %238, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %240 = stablehlo.add %135, %239 : tensor<6x12x16xf32>
    %241 = stablehlo.multiply %240, %240 : tensor<6x12x16xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.reduce(%241 init: %cst_30) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %243 = stablehlo.broadcast_in_dim %242, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_31 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %245 = stablehlo.divide %243, %244 : tensor<6x12x1xf32>
    %cst_32 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %247 = stablehlo.add %245, %246 : tensor<6x12x1xf32>
    %248 = stablehlo.rsqrt %247 : tensor<6x12x1xf32>
    %249 = stablehlo.divide %248, %247 : tensor<6x12x1xf32>
    %cst_33 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %251 = stablehlo.multiply %250, %249 : tensor<6x12x1xf32>
    %252 = stablehlo.broadcast_in_dim %248, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %253 = stablehlo.multiply %240, %252 : tensor<6x12x16xf32>
    %254 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %256 = stablehlo.multiply %253, %255 : tensor<6x12x16xf32>
    %257 = stablehlo.dot_general %256, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %258:3 = call @silu(%257) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %259 = stablehlo.dot_general %256, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %260 = stablehlo.multiply %258#0, %259 : tensor<6x12x24xf32>
    %261 = stablehlo.dot_general %260, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %262 = stablehlo.add %240, %261 : tensor<6x12x16xf32>
    %263 = stablehlo.multiply %262, %262 : tensor<6x12x16xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %264 = stablehlo.reduce(%263 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %265 = stablehlo.broadcast_in_dim %264, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_35 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %266 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %267 = stablehlo.divide %265, %266 : tensor<6x12x1xf32>
    %cst_36 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %269 = stablehlo.add %267, %268 : tensor<6x12x1xf32>
    %270 = stablehlo.rsqrt %269 : tensor<6x12x1xf32>
    %271 = stablehlo.divide %270, %269 : tensor<6x12x1xf32>
    %cst_37 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %273 = stablehlo.multiply %272, %271 : tensor<6x12x1xf32>
    %274 = stablehlo.broadcast_in_dim %270, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %275 = stablehlo.multiply %262, %274 : tensor<6x12x16xf32>
    %276 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %277 = stablehlo.broadcast_in_dim %276, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %278 = stablehlo.multiply %275, %277 : tensor<6x12x16xf32>
    %279 = stablehlo.dot_general %278, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %280 = stablehlo.broadcast_in_dim %arg23, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %281:2 = call @take_along_axis(%279, %280) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %282:2 = call @_take(%281#0, %c_38) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_39 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %283 = stablehlo.reduce(%279 init: %cst_39) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %285 = stablehlo.maximum %284, %283 : tensor<6x12xf32>
    %286 = stablehlo.is_finite %285 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %287 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %288 = stablehlo.select %286, %285, %287 : tensor<6x12xi1>, tensor<6x12xf32>
    %289 = stablehlo.broadcast_in_dim %288, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %290 = stablehlo.broadcast_in_dim %289, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %291 = stablehlo.subtract %279, %290 : tensor<6x12x60xf32>
    %292 = stablehlo.exponential %291 : tensor<6x12x60xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %293 = stablehlo.reduce(%292 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %294 = stablehlo.abs %293 : tensor<6x12xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %296 = stablehlo.compare GE, %293, %295, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %297 = stablehlo.log %294 : tensor<6x12xf32>
    %298 = stablehlo.add %297, %288 : tensor<6x12xf32>
    %299 = stablehlo.subtract %298, %282#0 : tensor<6x12xf32>
    %300 = stablehlo.multiply %299, %arg22 : tensor<6x12xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %301 = stablehlo.reduce(%300 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %302 = stablehlo.reduce(%arg22 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %303 = stablehlo.divide %301, %302 : tensor<f32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %304 = stablehlo.divide %cst_46, %302 : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %304, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %306 = stablehlo.multiply %305, %arg22 : tensor<6x12xf32>
    %307 = stablehlo.negate %306 : tensor<6x12xf32>
    %308 = stablehlo.divide %306, %294 : tensor<6x12xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %310 = stablehlo.select %296, %309, %308 : tensor<6x12xi1>, tensor<6x12xf32>
    %311 = stablehlo.select %296, %308, %309 : tensor<6x12xi1>, tensor<6x12xf32>
    %312 = stablehlo.negate %310 : tensor<6x12xf32>
    %313 = stablehlo.add %311, %312 : tensor<6x12xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %315 = stablehlo.multiply %314, %292 : tensor<6x12x60xf32>
    %316 = call @_take_1(%282#1, %307) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %317 = call @take_along_axis_2(%281#1, %316) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %318 = stablehlo.add %315, %317 : tensor<6x12x60xf32>
    %319 = stablehlo.dot_general %318, %278, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %320 = stablehlo.transpose %319, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %321 = stablehlo.dot_general %318, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %322 = stablehlo.multiply %275, %321 : tensor<6x12x16xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %323 = stablehlo.reduce(%322 init: %cst_48) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %324 = stablehlo.reshape %323 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %325 = stablehlo.broadcast_in_dim %276, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %326 = stablehlo.multiply %321, %325 : tensor<6x12x16xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %327 = stablehlo.reduce(%324 init: %cst_49) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %328 = stablehlo.multiply %262, %326 : tensor<6x12x16xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%328 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %330 = stablehlo.reshape %329 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %331 = stablehlo.broadcast_in_dim %270, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %332 = stablehlo.multiply %326, %331 : tensor<6x12x16xf32>
    %333 = stablehlo.multiply %330, %273 : tensor<6x12x1xf32>
    %cst_51 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %334 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %335 = stablehlo.divide %333, %334 : tensor<6x12x1xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.reduce(%335 init: %cst_52) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %337 = stablehlo.broadcast_in_dim %336, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %338 = stablehlo.multiply %262, %337 : tensor<6x12x16xf32>
    %339 = stablehlo.add %332, %338 : tensor<6x12x16xf32>
    %340 = stablehlo.multiply %337, %262 : tensor<6x12x16xf32>
    %341 = stablehlo.add %339, %340 : tensor<6x12x16xf32>
    %342 = stablehlo.dot_general %341, %260, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %343 = stablehlo.transpose %342, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %344 = stablehlo.dot_general %341, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %345 = stablehlo.multiply %258#0, %344 : tensor<6x12x24xf32>
    %346 = stablehlo.multiply %344, %259 : tensor<6x12x24xf32>
    %347 = stablehlo.dot_general %345, %256, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %348 = stablehlo.transpose %347, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %349 = stablehlo.dot_general %345, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %350 = call @silu_3(%258#1, %258#2, %257, %346) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %351 = stablehlo.dot_general %350, %256, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %352 = stablehlo.transpose %351, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %353 = stablehlo.dot_general %350, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %354 = stablehlo.add %349, %353 : tensor<6x12x16xf32>
    %355 = stablehlo.multiply %253, %354 : tensor<6x12x16xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %356 = stablehlo.reduce(%355 init: %cst_53) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %357 = stablehlo.reshape %356 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %358 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %359 = stablehlo.multiply %354, %358 : tensor<6x12x16xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %360 = stablehlo.reduce(%357 init: %cst_54) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %361 = stablehlo.multiply %240, %359 : tensor<6x12x16xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %362 = stablehlo.reduce(%361 init: %cst_55) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %363 = stablehlo.reshape %362 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %364 = stablehlo.broadcast_in_dim %248, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %365 = stablehlo.multiply %359, %364 : tensor<6x12x16xf32>
    %366 = stablehlo.add %341, %365 : tensor<6x12x16xf32>
    %367 = stablehlo.multiply %363, %251 : tensor<6x12x1xf32>
    %cst_56 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %368 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %369 = stablehlo.divide %367, %368 : tensor<6x12x1xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %370 = stablehlo.reduce(%369 init: %cst_57) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %371 = stablehlo.broadcast_in_dim %370, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %372 = stablehlo.multiply %240, %371 : tensor<6x12x16xf32>
    %373 = stablehlo.add %366, %372 : tensor<6x12x16xf32>
    %374 = stablehlo.multiply %371, %240 : tensor<6x12x16xf32>
    %375 = stablehlo.add %373, %374 : tensor<6x12x16xf32>
    %376 = stablehlo.dot_general %375, %238, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %377 = stablehlo.transpose %376, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %378 = stablehlo.dot_general %375, %arg17, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %379 = stablehlo.reshape %378 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %380 = stablehlo.transpose %379, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %381 = stablehlo.dot_general %380, %217, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %382 = stablehlo.dot_general %380, %232, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %383 = stablehlo.transpose %382, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %384 = stablehlo.broadcast_in_dim %235, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %385 = stablehlo.multiply %381, %384 : tensor<6x6x12x12xf32>
    %386 = stablehlo.multiply %385, %228 : tensor<6x6x12x12xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %387 = stablehlo.reduce(%386 init: %cst_58) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %388 = stablehlo.reshape %387 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %389 = stablehlo.negate %388 : tensor<6x6x12x1xf32>
    %390 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %391 = stablehlo.divide %381, %390 : tensor<6x6x12x12xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %392 = stablehlo.reduce(%389 init: %cst_59) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %393 = stablehlo.broadcast_in_dim %392, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %394 = stablehlo.add %391, %393 : tensor<6x6x12x12xf32>
    %395 = stablehlo.multiply %394, %228 : tensor<6x6x12x12xf32>
    %396 = call @_where_4(%221#1, %395) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_60 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %397 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %398 = stablehlo.divide %396, %397 : tensor<6x6x12x12xf32>
    %399 = stablehlo.dot_general %398, %182, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %400 = stablehlo.transpose %399, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %401 = stablehlo.dot_general %398, %215, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %402 = stablehlo.transpose %401, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %403 = stablehlo.reshape %383 : (tensor<6x12x6x4xf32>) -> tensor<6x12x2x3x4xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %404 = stablehlo.reduce(%403 init: %cst_61) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xf32>, tensor<f32>) -> tensor<6x12x2x4xf32>
    %405 = stablehlo.reshape %400 : (tensor<6x12x6x4xf32>) -> tensor<6x12x2x3x4xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %406 = stablehlo.reduce(%405 init: %cst_62) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xf32>, tensor<f32>) -> tensor<6x12x2x4xf32>
    %407 = stablehlo.reshape %404 : (tensor<6x12x2x4xf32>) -> tensor<6x12x8xf32>
    %408 = stablehlo.dot_general %407, %153, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<6x12x16xf32>) -> tensor<8x16xf32>
    %409 = stablehlo.transpose %408, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %410 = stablehlo.dot_general %407, %arg19, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<16x8xf32>) -> tensor<6x12x16xf32>
    %411 = stablehlo.slice %406 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %412 = stablehlo.slice %406 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %413 = stablehlo.broadcast_in_dim %207, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %414 = stablehlo.multiply %412, %413 : tensor<6x12x2x2xf32>
    %415 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %416 = stablehlo.multiply %412, %415 : tensor<6x12x2x2xf32>
    %417 = stablehlo.negate %411 : tensor<6x12x2x2xf32>
    %418 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %419 = stablehlo.multiply %417, %418 : tensor<6x12x2x2xf32>
    %420 = stablehlo.add %414, %419 : tensor<6x12x2x2xf32>
    %421 = stablehlo.broadcast_in_dim %197, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %422 = stablehlo.multiply %411, %421 : tensor<6x12x2x2xf32>
    %423 = stablehlo.add %416, %422 : tensor<6x12x2x2xf32>
    %424 = stablehlo.concatenate %423, %420, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %425 = stablehlo.reshape %424 : (tensor<6x12x2x4xf32>) -> tensor<6x12x8xf32>
    %426 = stablehlo.dot_general %425, %153, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<6x12x16xf32>) -> tensor<8x16xf32>
    %427 = stablehlo.transpose %426, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %428 = stablehlo.dot_general %425, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<16x8xf32>) -> tensor<6x12x16xf32>
    %429 = stablehlo.add %410, %428 : tensor<6x12x16xf32>
    %430 = stablehlo.slice %402 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %431 = stablehlo.slice %402 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %432 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %433 = stablehlo.multiply %431, %432 : tensor<6x12x6x2xf32>
    %434 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %435 = stablehlo.multiply %431, %434 : tensor<6x12x6x2xf32>
    %436 = stablehlo.negate %430 : tensor<6x12x6x2xf32>
    %437 = stablehlo.broadcast_in_dim %171, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %438 = stablehlo.multiply %436, %437 : tensor<6x12x6x2xf32>
    %439 = stablehlo.add %433, %438 : tensor<6x12x6x2xf32>
    %440 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %441 = stablehlo.multiply %430, %440 : tensor<6x12x6x2xf32>
    %442 = stablehlo.add %435, %441 : tensor<6x12x6x2xf32>
    %443 = stablehlo.concatenate %442, %439, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %444 = stablehlo.reshape %443 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %445 = stablehlo.dot_general %444, %153, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %446 = stablehlo.transpose %445, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %447 = stablehlo.dot_general %444, %arg18, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %448 = stablehlo.add %429, %447 : tensor<6x12x16xf32>
    %449 = stablehlo.multiply %150, %448 : tensor<6x12x16xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %450 = stablehlo.reduce(%449 init: %cst_63) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %451 = stablehlo.reshape %450 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %452 = stablehlo.broadcast_in_dim %151, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %453 = stablehlo.multiply %448, %452 : tensor<6x12x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %454 = stablehlo.reduce(%451 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %455 = stablehlo.multiply %135, %453 : tensor<6x12x16xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %456 = stablehlo.reduce(%455 init: %cst_65) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %457 = stablehlo.reshape %456 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %458 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %459 = stablehlo.multiply %453, %458 : tensor<6x12x16xf32>
    %460 = stablehlo.add %375, %459 : tensor<6x12x16xf32>
    %461 = stablehlo.multiply %457, %148 : tensor<6x12x1xf32>
    %cst_66 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %462 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %463 = stablehlo.divide %461, %462 : tensor<6x12x1xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %464 = stablehlo.reduce(%463 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %465 = stablehlo.broadcast_in_dim %464, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %466 = stablehlo.multiply %135, %465 : tensor<6x12x16xf32>
    %467 = stablehlo.add %460, %466 : tensor<6x12x16xf32>
    %468 = stablehlo.multiply %465, %135 : tensor<6x12x16xf32>
    %469 = stablehlo.add %467, %468 : tensor<6x12x16xf32>
    %470 = stablehlo.dot_general %469, %133, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %471 = stablehlo.transpose %470, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %472 = stablehlo.dot_general %469, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %473 = stablehlo.multiply %131#0, %472 : tensor<6x12x24xf32>
    %474 = stablehlo.multiply %472, %132 : tensor<6x12x24xf32>
    %475 = stablehlo.dot_general %473, %129, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %476 = stablehlo.transpose %475, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %477 = stablehlo.dot_general %473, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %478 = call @silu_3(%131#1, %131#2, %130, %474) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %479 = stablehlo.dot_general %478, %129, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %480 = stablehlo.transpose %479, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %481 = stablehlo.dot_general %478, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %482 = stablehlo.add %477, %481 : tensor<6x12x16xf32>
    %483 = stablehlo.multiply %126, %482 : tensor<6x12x16xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %484 = stablehlo.reduce(%483 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %485 = stablehlo.reshape %484 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %486 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %487 = stablehlo.multiply %482, %486 : tensor<6x12x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %488 = stablehlo.reduce(%485 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %489 = stablehlo.multiply %113, %487 : tensor<6x12x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %490 = stablehlo.reduce(%489 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %491 = stablehlo.reshape %490 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %492 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %493 = stablehlo.multiply %487, %492 : tensor<6x12x16xf32>
    %494 = stablehlo.add %469, %493 : tensor<6x12x16xf32>
    %495 = stablehlo.multiply %491, %124 : tensor<6x12x1xf32>
    %cst_71 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %496 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %497 = stablehlo.divide %495, %496 : tensor<6x12x1xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %498 = stablehlo.reduce(%497 init: %cst_72) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %499 = stablehlo.broadcast_in_dim %498, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %500 = stablehlo.multiply %113, %499 : tensor<6x12x16xf32>
    %501 = stablehlo.add %494, %500 : tensor<6x12x16xf32>
    %502 = stablehlo.multiply %499, %113 : tensor<6x12x16xf32>
    %503 = stablehlo.add %501, %502 : tensor<6x12x16xf32>
    %504 = stablehlo.dot_general %503, %111, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %505 = stablehlo.transpose %504, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %506 = stablehlo.dot_general %503, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %507 = stablehlo.reshape %506 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %508 = stablehlo.transpose %507, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %509 = stablehlo.dot_general %508, %90, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %510 = stablehlo.dot_general %508, %105, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %511 = stablehlo.transpose %510, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %512 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %513 = stablehlo.multiply %509, %512 : tensor<6x6x12x12xf32>
    %514 = stablehlo.multiply %513, %101 : tensor<6x6x12x12xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %515 = stablehlo.reduce(%514 init: %cst_73) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %516 = stablehlo.reshape %515 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %517 = stablehlo.negate %516 : tensor<6x6x12x1xf32>
    %518 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %519 = stablehlo.divide %509, %518 : tensor<6x6x12x12xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %520 = stablehlo.reduce(%517 init: %cst_74) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %521 = stablehlo.broadcast_in_dim %520, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %522 = stablehlo.add %519, %521 : tensor<6x6x12x12xf32>
    %523 = stablehlo.multiply %522, %101 : tensor<6x6x12x12xf32>
    %524 = call @_where_4(%94#1, %523) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_75 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %525 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %526 = stablehlo.divide %524, %525 : tensor<6x6x12x12xf32>
    %527 = stablehlo.dot_general %526, %55, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %528 = stablehlo.transpose %527, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %529 = stablehlo.dot_general %526, %88, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %530 = stablehlo.transpose %529, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %531 = stablehlo.reshape %511 : (tensor<6x12x6x4xf32>) -> tensor<6x12x2x3x4xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %532 = stablehlo.reduce(%531 init: %cst_76) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xf32>, tensor<f32>) -> tensor<6x12x2x4xf32>
    %533 = stablehlo.reshape %528 : (tensor<6x12x6x4xf32>) -> tensor<6x12x2x3x4xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %534 = stablehlo.reduce(%533 init: %cst_77) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xf32>, tensor<f32>) -> tensor<6x12x2x4xf32>
    %535 = stablehlo.reshape %532 : (tensor<6x12x2x4xf32>) -> tensor<6x12x8xf32>
    %536 = stablehlo.dot_general %535, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<6x12x16xf32>) -> tensor<8x16xf32>
    %537 = stablehlo.transpose %536, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %538 = stablehlo.dot_general %535, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<16x8xf32>) -> tensor<6x12x16xf32>
    %539 = stablehlo.slice %534 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %540 = stablehlo.slice %534 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %541 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %542 = stablehlo.multiply %540, %541 : tensor<6x12x2x2xf32>
    %543 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %544 = stablehlo.multiply %540, %543 : tensor<6x12x2x2xf32>
    %545 = stablehlo.negate %539 : tensor<6x12x2x2xf32>
    %546 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %547 = stablehlo.multiply %545, %546 : tensor<6x12x2x2xf32>
    %548 = stablehlo.add %542, %547 : tensor<6x12x2x2xf32>
    %549 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %550 = stablehlo.multiply %539, %549 : tensor<6x12x2x2xf32>
    %551 = stablehlo.add %544, %550 : tensor<6x12x2x2xf32>
    %552 = stablehlo.concatenate %551, %548, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %553 = stablehlo.reshape %552 : (tensor<6x12x2x4xf32>) -> tensor<6x12x8xf32>
    %554 = stablehlo.dot_general %553, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<6x12x16xf32>) -> tensor<8x16xf32>
    %555 = stablehlo.transpose %554, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %556 = stablehlo.dot_general %553, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<16x8xf32>) -> tensor<6x12x16xf32>
    %557 = stablehlo.add %538, %556 : tensor<6x12x16xf32>
    %558 = stablehlo.slice %530 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %559 = stablehlo.slice %530 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %560 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %561 = stablehlo.multiply %559, %560 : tensor<6x12x6x2xf32>
    %562 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %563 = stablehlo.multiply %559, %562 : tensor<6x12x6x2xf32>
    %564 = stablehlo.negate %558 : tensor<6x12x6x2xf32>
    %565 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %566 = stablehlo.multiply %564, %565 : tensor<6x12x6x2xf32>
    %567 = stablehlo.add %561, %566 : tensor<6x12x6x2xf32>
    %568 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %569 = stablehlo.multiply %558, %568 : tensor<6x12x6x2xf32>
    %570 = stablehlo.add %563, %569 : tensor<6x12x6x2xf32>
    %571 = stablehlo.concatenate %570, %567, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %572 = stablehlo.reshape %571 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %573 = stablehlo.dot_general %572, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %574 = stablehlo.transpose %573, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %575 = stablehlo.dot_general %572, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %576 = stablehlo.add %557, %575 : tensor<6x12x16xf32>
    %577 = stablehlo.multiply %23, %576 : tensor<6x12x16xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %578 = stablehlo.reduce(%577 init: %cst_78) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %579 = stablehlo.reshape %578 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %580 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %581 = stablehlo.multiply %576, %580 : tensor<6x12x16xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %582 = stablehlo.reduce(%579 init: %cst_79) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %583 = stablehlo.multiply %6, %581 : tensor<6x12x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %584 = stablehlo.reduce(%583 init: %cst_80) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %585 = stablehlo.reshape %584 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %586 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %587 = stablehlo.multiply %581, %586 : tensor<6x12x16xf32>
    %588 = stablehlo.add %503, %587 : tensor<6x12x16xf32>
    %589 = stablehlo.multiply %585, %21 : tensor<6x12x1xf32>
    %cst_81 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %590 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %591 = stablehlo.divide %589, %590 : tensor<6x12x1xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %592 = stablehlo.reduce(%591 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %593 = stablehlo.broadcast_in_dim %592, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %594 = stablehlo.multiply %6, %593 : tensor<6x12x16xf32>
    %595 = stablehlo.add %588, %594 : tensor<6x12x16xf32>
    %596 = stablehlo.multiply %593, %6 : tensor<6x12x16xf32>
    %597 = stablehlo.add %595, %596 : tensor<6x12x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %599 = "stablehlo.scatter"(%598, %5, %597) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %600 = stablehlo.add %arg24, %arg25 : tensor<f32>
      stablehlo.return %600 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %303, %599, %320, %582, %471, %480, %488, %476, %555, %505, %574, %537, %454, %343, %352, %360, %348, %427, %377, %446, %409, %327 : tensor<f32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>
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
  func.func private @_where(%arg0: tensor<12x12xi1>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<6x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %3, %1 : tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>
  }
  func.func private @silu(%arg0: tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) {
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
    return %9, %8, %5 : tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>
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
  func.func private @silu_3(%arg0: tensor<6x12x24xf32>, %arg1: tensor<6x12x24xf32>, %arg2: tensor<6x12x24xf32>, %arg3: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<6x12x24xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<6x12x24xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<6x12x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<6x12x24xf32>
    return %3 : tensor<6x12x24xf32>
  }
  func.func private @_where_4(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %1 : tensor<6x6x12x12xf32>
  }
}
