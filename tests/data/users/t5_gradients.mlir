module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x6xf32>, %arg1: tensor<16x6x4xf32>, %arg2: tensor<6x4x16xf32>, %arg3: tensor<16x6x4xf32>, %arg4: tensor<16x6x4xf32>, %arg5: tensor<16x6x4xf32>, %arg6: tensor<6x4x16xf32>, %arg7: tensor<16x6x4xf32>, %arg8: tensor<16x6x4xf32>, %arg9: tensor<24x16xf32>, %arg10: tensor<16x24xf32>, %arg11: tensor<16x24xf32>, %arg12: tensor<16xf32>, %arg13: tensor<16xf32>, %arg14: tensor<16xf32>, %arg15: tensor<60x16xf32>, %arg16: tensor<16x6x4xf32>, %arg17: tensor<6x4x16xf32>, %arg18: tensor<16x6x4xf32>, %arg19: tensor<16x6x4xf32>, %arg20: tensor<24x16xf32>, %arg21: tensor<16x24xf32>, %arg22: tensor<16x24xf32>, %arg23: tensor<16xf32>, %arg24: tensor<16xf32>, %arg25: tensor<16x60xf32>, %arg26: tensor<6x8xi32>, %arg27: tensor<6x12xi32>, %arg28: tensor<6x8xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<12x6xf32> {jax.result_info = "result[1]['bias']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['decoder'][0]['attention']['k']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['decoder'][0]['attention']['o']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['decoder'][0]['attention']['q']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['decoder'][0]['attention']['v']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['decoder'][0]['cross']['k']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['decoder'][0]['cross']['o']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['decoder'][0]['cross']['q']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['decoder'][0]['cross']['v']"}, tensor<24x16xf32> {jax.result_info = "result[1]['decoder'][0]['mlp']['down']"}, tensor<16x24xf32> {jax.result_info = "result[1]['decoder'][0]['mlp']['gate']"}, tensor<16x24xf32> {jax.result_info = "result[1]['decoder'][0]['mlp']['up']"}, tensor<16xf32> {jax.result_info = "result[1]['decoder'][0]['norm1']"}, tensor<16xf32> {jax.result_info = "result[1]['decoder'][0]['norm2']"}, tensor<16xf32> {jax.result_info = "result[1]['decoder'][0]['norm3']"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['encoder'][0]['attention']['k']"}, tensor<6x4x16xf32> {jax.result_info = "result[1]['encoder'][0]['attention']['o']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['encoder'][0]['attention']['q']"}, tensor<16x6x4xf32> {jax.result_info = "result[1]['encoder'][0]['attention']['v']"}, tensor<24x16xf32> {jax.result_info = "result[1]['encoder'][0]['mlp']['down']"}, tensor<16x24xf32> {jax.result_info = "result[1]['encoder'][0]['mlp']['gate']"}, tensor<16x24xf32> {jax.result_info = "result[1]['encoder'][0]['mlp']['up']"}, tensor<16xf32> {jax.result_info = "result[1]['encoder'][0]['norm1']"}, tensor<16xf32> {jax.result_info = "result[1]['encoder'][0]['norm2']"}, tensor<16x60xf32> {jax.result_info = "result[1]['head']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg27, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg27, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg27 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg15, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<6x8xi32>
    %8 = stablehlo.compare LT, %arg28, %7, SIGNED : (tensor<6x8xi32>, tensor<6x8xi32>) -> tensor<6x8xi1>
    %c_2 = stablehlo.constant dense<60> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x8xi32>
    %10 = stablehlo.add %arg28, %9 : tensor<6x8xi32>
    %11 = stablehlo.select %8, %10, %arg28 : tensor<6x8xi1>, tensor<6x8xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<6x8xi32>) -> tensor<6x8x1xi32>
    %13 = "stablehlo.gather"(%arg15, %12) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x8x1xi32>) -> tensor<6x8x16xf32>
    %14 = stablehlo.iota dim = 0 : tensor<12xi32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %16 = stablehlo.iota dim = 0 : tensor<12xi32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [1] : (tensor<12xi32>) -> tensor<1x12xi32>
    %18 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<12x1xi32>) -> tensor<12x12xi32>
    %19 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x12xi32>) -> tensor<12x12xi32>
    %20 = stablehlo.subtract %18, %19 : tensor<12x12xi32>
    %21 = stablehlo.abs %20 : tensor<12x12xi32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %22 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %23 = stablehlo.compare LT, %21, %22, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_4 = stablehlo.constant dense<12> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %25 = stablehlo.add %21, %24 : tensor<12x12xi32>
    %26 = stablehlo.select %23, %25, %21 : tensor<12x12xi1>, tensor<12x12xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<12x12xi32>) -> tensor<12x12x1xi32>
    %28 = "stablehlo.gather"(%arg0, %27) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 6>}> : (tensor<12x6xf32>, tensor<12x12x1xi32>) -> tensor<12x12x6xf32>
    %29 = stablehlo.transpose %28, dims = [2, 0, 1] : (tensor<12x12x6xf32>) -> tensor<6x12x12xf32>
    %30 = stablehlo.multiply %6, %6 : tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%30 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_5 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %34 = stablehlo.divide %32, %33 : tensor<6x12x1xf32>
    %cst_6 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %36 = stablehlo.add %34, %35 : tensor<6x12x1xf32>
    %37 = stablehlo.rsqrt %36 : tensor<6x12x1xf32>
    %38 = stablehlo.divide %37, %36 : tensor<6x12x1xf32>
    %cst_7 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %40 = stablehlo.multiply %39, %38 : tensor<6x12x1xf32>
    %41 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %42 = stablehlo.multiply %6, %41 : tensor<6x12x16xf32>
    %43 = stablehlo.broadcast_in_dim %arg23, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %45 = stablehlo.multiply %42, %44 : tensor<6x12x16xf32>
    %46 = stablehlo.dot_general %45, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %47 = stablehlo.dot_general %45, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %48 = stablehlo.dot_general %45, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %49 = stablehlo.dot_general %46, %47, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %50 = stablehlo.broadcast_in_dim %29, dims = [1, 2, 3] : (tensor<6x12x12xf32>) -> tensor<1x6x12x12xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<1x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %52 = stablehlo.add %49, %51 : tensor<6x6x12x12xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %53 = stablehlo.reduce(%52 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %55 = stablehlo.maximum %54, %53 : tensor<6x6x12xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %58 = stablehlo.subtract %52, %57 : tensor<6x6x12x12xf32>
    %59 = stablehlo.exponential %58 : tensor<6x6x12x12xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_10) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %63 = stablehlo.divide %59, %62 : tensor<6x6x12x12xf32>
    %64 = stablehlo.multiply %61, %61 : tensor<6x6x12x1xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %66 = stablehlo.divide %65, %64 : tensor<6x6x12x1xf32>
    %67 = stablehlo.dot_general %48, %63, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %68 = stablehlo.transpose %67, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %69 = stablehlo.dot_general %68, %arg17, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %70 = stablehlo.add %6, %69 : tensor<6x12x16xf32>
    %71 = stablehlo.multiply %70, %70 : tensor<6x12x16xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_13 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %75 = stablehlo.divide %73, %74 : tensor<6x12x1xf32>
    %cst_14 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %77 = stablehlo.add %75, %76 : tensor<6x12x1xf32>
    %78 = stablehlo.rsqrt %77 : tensor<6x12x1xf32>
    %79 = stablehlo.divide %78, %77 : tensor<6x12x1xf32>
    %cst_15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %81 = stablehlo.multiply %80, %79 : tensor<6x12x1xf32>
    %82 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %83 = stablehlo.multiply %70, %82 : tensor<6x12x16xf32>
    %84 = stablehlo.broadcast_in_dim %arg24, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %86 = stablehlo.multiply %83, %85 : tensor<6x12x16xf32>
    %87 = stablehlo.dot_general %86, %arg21, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %88 = stablehlo.multiply %87, %87 : tensor<6x12x24xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<6x12x24xf32>
    %90 = stablehlo.multiply %87, %87 : tensor<6x12x24xf32>
    %cst_16 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<6x12x24xf32>
    %cst_17 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %94 = stablehlo.multiply %93, %89 : tensor<6x12x24xf32>
    %95 = stablehlo.add %87, %94 : tensor<6x12x24xf32>
    %cst_18 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<6x12x24xf32>
    %98 = stablehlo.tanh %97 : tensor<6x12x24xf32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %100 = stablehlo.subtract %99, %98 : tensor<6x12x24xf32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %102 = stablehlo.add %101, %98 : tensor<6x12x24xf32>
    %cst_21 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %104 = stablehlo.multiply %103, %102 : tensor<6x12x24xf32>
    %105 = stablehlo.multiply %87, %104 : tensor<6x12x24xf32>
    %106 = stablehlo.dot_general %86, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %107 = stablehlo.multiply %105, %106 : tensor<6x12x24xf32>
    %108 = stablehlo.dot_general %107, %arg20, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %109 = stablehlo.add %70, %108 : tensor<6x12x16xf32>
    %110 = stablehlo.multiply %13, %13 : tensor<6x8x16xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<6x8xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %cst_23 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %114 = stablehlo.divide %112, %113 : tensor<6x8x1xf32>
    %cst_24 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %116 = stablehlo.add %114, %115 : tensor<6x8x1xf32>
    %117 = stablehlo.rsqrt %116 : tensor<6x8x1xf32>
    %118 = stablehlo.divide %117, %116 : tensor<6x8x1xf32>
    %cst_25 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %120 = stablehlo.multiply %119, %118 : tensor<6x8x1xf32>
    %121 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<6x8x1xf32>) -> tensor<6x8x16xf32>
    %122 = stablehlo.multiply %13, %121 : tensor<6x8x16xf32>
    %123 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x8x16xf32>
    %125 = stablehlo.multiply %122, %124 : tensor<6x8x16xf32>
    %c_26 = stablehlo.constant dense<true> : tensor<i1>
    %126 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %127 = call @tril(%126) : (tensor<8x8xi1>) -> tensor<8x8xi1>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %cst_28 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %128 = call @_where(%127, %c_27, %cst_28) : (tensor<8x8xi1>, tensor<i32>, tensor<f32>) -> tensor<8x8xf32>
    %129 = stablehlo.dot_general %125, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<16x6x4xf32>) -> tensor<6x8x6x4xf32>
    %130 = stablehlo.dot_general %125, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<16x6x4xf32>) -> tensor<6x8x6x4xf32>
    %131 = stablehlo.dot_general %125, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<16x6x4xf32>) -> tensor<6x8x6x4xf32>
    %132 = stablehlo.dot_general %129, %130, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x8x6x4xf32>) -> tensor<6x6x8x8xf32>
    %133 = stablehlo.convert %128 : tensor<8x8xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [2, 3] : (tensor<8x8xf32>) -> tensor<1x1x8x8xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2, 3] : (tensor<1x1x8x8xf32>) -> tensor<6x6x8x8xf32>
    %136 = stablehlo.add %132, %135 : tensor<6x6x8x8xf32>
    %cst_29 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_29) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x8x8xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x6x8xf32>
    %139 = stablehlo.maximum %138, %137 : tensor<6x6x8xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1, 2] : (tensor<6x6x8xf32>) -> tensor<6x6x8x1xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x8xf32>
    %142 = stablehlo.subtract %136, %141 : tensor<6x6x8x8xf32>
    %143 = stablehlo.exponential %142 : tensor<6x6x8x8xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.reduce(%143 init: %cst_31) applies stablehlo.add across dimensions = [3] : (tensor<6x6x8x8xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1, 2] : (tensor<6x6x8xf32>) -> tensor<6x6x8x1xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x8xf32>
    %147 = stablehlo.divide %143, %146 : tensor<6x6x8x8xf32>
    %148 = stablehlo.multiply %145, %145 : tensor<6x6x8x1xf32>
    %cst_32 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x6x8x1xf32>
    %150 = stablehlo.divide %149, %148 : tensor<6x6x8x1xf32>
    %151 = stablehlo.dot_general %131, %147, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x6x8x8xf32>) -> tensor<6x6x4x8xf32>
    %152 = stablehlo.transpose %151, dims = [0, 3, 1, 2] : (tensor<6x6x4x8xf32>) -> tensor<6x8x6x4xf32>
    %153 = stablehlo.dot_general %152, %arg2, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x8x16xf32>
    %154 = stablehlo.add %13, %153 : tensor<6x8x16xf32>
    %155 = stablehlo.multiply %154, %154 : tensor<6x8x16xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %156 = stablehlo.reduce(%155 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<6x8xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %cst_34 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %159 = stablehlo.divide %157, %158 : tensor<6x8x1xf32>
    %cst_35 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %161 = stablehlo.add %159, %160 : tensor<6x8x1xf32>
    %162 = stablehlo.rsqrt %161 : tensor<6x8x1xf32>
    %163 = stablehlo.divide %162, %161 : tensor<6x8x1xf32>
    %cst_36 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %165 = stablehlo.multiply %164, %163 : tensor<6x8x1xf32>
    %166 = stablehlo.broadcast_in_dim %162, dims = [0, 1, 2] : (tensor<6x8x1xf32>) -> tensor<6x8x16xf32>
    %167 = stablehlo.multiply %154, %166 : tensor<6x8x16xf32>
    %168 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %169 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x8x16xf32>
    %170 = stablehlo.multiply %167, %169 : tensor<6x8x16xf32>
    %171 = stablehlo.dot_general %170, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<16x6x4xf32>) -> tensor<6x8x6x4xf32>
    %172 = stablehlo.dot_general %109, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %173 = stablehlo.dot_general %109, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %174 = stablehlo.dot_general %171, %172, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x8x12xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x6x8x12xf32>
    %176 = stablehlo.add %174, %175 : tensor<6x6x8x12xf32>
    %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %177 = stablehlo.reduce(%176 init: %cst_38) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x8x12xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %cst_39 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6x6x8xf32>
    %179 = stablehlo.maximum %178, %177 : tensor<6x6x8xf32>
    %180 = stablehlo.broadcast_in_dim %179, dims = [0, 1, 2] : (tensor<6x6x8xf32>) -> tensor<6x6x8x1xf32>
    %181 = stablehlo.broadcast_in_dim %180, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x12xf32>
    %182 = stablehlo.subtract %176, %181 : tensor<6x6x8x12xf32>
    %183 = stablehlo.exponential %182 : tensor<6x6x8x12xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%183 init: %cst_40) applies stablehlo.add across dimensions = [3] : (tensor<6x6x8x12xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2] : (tensor<6x6x8xf32>) -> tensor<6x6x8x1xf32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x12xf32>
    %187 = stablehlo.divide %183, %186 : tensor<6x6x8x12xf32>
    %188 = stablehlo.multiply %185, %185 : tensor<6x6x8x1xf32>
    %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6x6x8x1xf32>
    %190 = stablehlo.divide %189, %188 : tensor<6x6x8x1xf32>
    %191 = stablehlo.dot_general %173, %187, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x8x12xf32>) -> tensor<6x6x4x8xf32>
    %192 = stablehlo.transpose %191, dims = [0, 3, 1, 2] : (tensor<6x6x4x8xf32>) -> tensor<6x8x6x4xf32>
    %193 = stablehlo.dot_general %192, %arg6, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x8x16xf32>
    %194 = stablehlo.add %154, %193 : tensor<6x8x16xf32>
    %195 = stablehlo.multiply %194, %194 : tensor<6x8x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%195 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<6x8xf32>
    %197 = stablehlo.broadcast_in_dim %196, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %cst_43 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %199 = stablehlo.divide %197, %198 : tensor<6x8x1xf32>
    %cst_44 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %201 = stablehlo.add %199, %200 : tensor<6x8x1xf32>
    %202 = stablehlo.rsqrt %201 : tensor<6x8x1xf32>
    %203 = stablehlo.divide %202, %201 : tensor<6x8x1xf32>
    %cst_45 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %205 = stablehlo.multiply %204, %203 : tensor<6x8x1xf32>
    %206 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2] : (tensor<6x8x1xf32>) -> tensor<6x8x16xf32>
    %207 = stablehlo.multiply %194, %206 : tensor<6x8x16xf32>
    %208 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %209 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x8x16xf32>
    %210 = stablehlo.multiply %207, %209 : tensor<6x8x16xf32>
    %211 = stablehlo.dot_general %210, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<16x24xf32>) -> tensor<6x8x24xf32>
    %212 = stablehlo.multiply %211, %211 : tensor<6x8x24xf32>
    %213 = stablehlo.multiply %212, %211 : tensor<6x8x24xf32>
    %214 = stablehlo.multiply %211, %211 : tensor<6x8x24xf32>
    %cst_46 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %216 = stablehlo.multiply %215, %214 : tensor<6x8x24xf32>
    %cst_47 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %218 = stablehlo.multiply %217, %213 : tensor<6x8x24xf32>
    %219 = stablehlo.add %211, %218 : tensor<6x8x24xf32>
    %cst_48 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %221 = stablehlo.multiply %220, %219 : tensor<6x8x24xf32>
    %222 = stablehlo.tanh %221 : tensor<6x8x24xf32>
    %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %224 = stablehlo.subtract %223, %222 : tensor<6x8x24xf32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %226 = stablehlo.add %225, %222 : tensor<6x8x24xf32>
    %cst_51 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %228 = stablehlo.multiply %227, %226 : tensor<6x8x24xf32>
    %229 = stablehlo.multiply %211, %228 : tensor<6x8x24xf32>
    %230 = stablehlo.dot_general %210, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<16x24xf32>) -> tensor<6x8x24xf32>
    %231 = stablehlo.multiply %229, %230 : tensor<6x8x24xf32>
    %232 = stablehlo.dot_general %231, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x24xf32>, tensor<24x16xf32>) -> tensor<6x8x16xf32>
    %233 = stablehlo.add %194, %232 : tensor<6x8x16xf32>
    %234 = stablehlo.dot_general %233, %arg25, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<16x60xf32>) -> tensor<6x8x60xf32>
    %235 = stablehlo.broadcast_in_dim %arg26, dims = [0, 1] : (tensor<6x8xi32>) -> tensor<6x8x1xi32>
    %236:2 = call @take_along_axis(%234, %235) : (tensor<6x8x60xf32>, tensor<6x8x1xi32>) -> (tensor<6x8x1xf32>, tensor<6x8x1x1xi32>)
    %c_52 = stablehlo.constant dense<0> : tensor<i32>
    %237:2 = call @_take(%236#0, %c_52) : (tensor<6x8x1xf32>, tensor<i32>) -> (tensor<6x8xf32>, tensor<1xi32>)
    %cst_53 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %238 = stablehlo.reduce(%234 init: %cst_53) applies stablehlo.maximum across dimensions = [2] : (tensor<6x8x60xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_54 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %240 = stablehlo.maximum %239, %238 : tensor<6x8xf32>
    %241 = stablehlo.is_finite %240 : (tensor<6x8xf32>) -> tensor<6x8xi1>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %243 = stablehlo.select %241, %240, %242 : tensor<6x8xi1>, tensor<6x8xf32>
    %244 = stablehlo.broadcast_in_dim %243, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [0, 1, 2] : (tensor<6x8x1xf32>) -> tensor<6x8x60xf32>
    %246 = stablehlo.subtract %234, %245 : tensor<6x8x60xf32>
    %247 = stablehlo.exponential %246 : tensor<6x8x60xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %248 = stablehlo.reduce(%247 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<6x8x60xf32>, tensor<f32>) -> tensor<6x8xf32>
    %249 = stablehlo.abs %248 : tensor<6x8xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %251 = stablehlo.compare GE, %248, %250, FLOAT : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xi1>
    %252 = stablehlo.log %249 : tensor<6x8xf32>
    %253 = stablehlo.add %252, %243 : tensor<6x8xf32>
    %254 = stablehlo.subtract %253, %237#0 : tensor<6x8xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%254 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_59 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %256 = stablehlo.divide %255, %cst_59 : tensor<f32>
    %cst_60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_61 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %257 = stablehlo.divide %cst_60, %cst_61 : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %257, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %259 = stablehlo.negate %258 : tensor<6x8xf32>
    %260 = stablehlo.divide %258, %249 : tensor<6x8xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %262 = stablehlo.select %251, %261, %260 : tensor<6x8xi1>, tensor<6x8xf32>
    %263 = stablehlo.select %251, %260, %261 : tensor<6x8xi1>, tensor<6x8xf32>
    %264 = stablehlo.negate %262 : tensor<6x8xf32>
    %265 = stablehlo.add %263, %264 : tensor<6x8xf32>
    %266 = stablehlo.broadcast_in_dim %265, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x60xf32>
    %267 = stablehlo.multiply %266, %247 : tensor<6x8x60xf32>
    %268 = call @_take_1(%237#1, %259) : (tensor<1xi32>, tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %269 = call @take_along_axis_2(%236#1, %268) : (tensor<6x8x1x1xi32>, tensor<6x8x1xf32>) -> tensor<6x8x60xf32>
    %270 = stablehlo.add %267, %269 : tensor<6x8x60xf32>
    %271 = stablehlo.dot_general %270, %233, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x60xf32>, tensor<6x8x16xf32>) -> tensor<60x16xf32>
    %272 = stablehlo.transpose %271, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %273 = stablehlo.dot_general %270, %arg25, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x60xf32>, tensor<16x60xf32>) -> tensor<6x8x16xf32>
    %274 = stablehlo.dot_general %273, %231, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<6x8x24xf32>) -> tensor<16x24xf32>
    %275 = stablehlo.transpose %274, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %276 = stablehlo.dot_general %273, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<24x16xf32>) -> tensor<6x8x24xf32>
    %277 = stablehlo.multiply %229, %276 : tensor<6x8x24xf32>
    %278 = stablehlo.multiply %276, %230 : tensor<6x8x24xf32>
    %279 = stablehlo.dot_general %277, %210, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x24xf32>, tensor<6x8x16xf32>) -> tensor<24x16xf32>
    %280 = stablehlo.transpose %279, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %281 = stablehlo.dot_general %277, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x24xf32>, tensor<16x24xf32>) -> tensor<6x8x16xf32>
    %282 = stablehlo.multiply %211, %278 : tensor<6x8x24xf32>
    %283 = stablehlo.multiply %278, %228 : tensor<6x8x24xf32>
    %cst_63 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %285 = stablehlo.multiply %284, %282 : tensor<6x8x24xf32>
    %286 = stablehlo.multiply %285, %224 : tensor<6x8x24xf32>
    %287 = stablehlo.multiply %286, %222 : tensor<6x8x24xf32>
    %288 = stablehlo.add %286, %287 : tensor<6x8x24xf32>
    %cst_64 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %290 = stablehlo.multiply %289, %288 : tensor<6x8x24xf32>
    %291 = stablehlo.add %283, %290 : tensor<6x8x24xf32>
    %cst_65 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<6x8x24xf32>
    %293 = stablehlo.multiply %292, %290 : tensor<6x8x24xf32>
    %294 = stablehlo.multiply %293, %216 : tensor<6x8x24xf32>
    %295 = stablehlo.add %291, %294 : tensor<6x8x24xf32>
    %296 = stablehlo.dot_general %295, %210, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x24xf32>, tensor<6x8x16xf32>) -> tensor<24x16xf32>
    %297 = stablehlo.transpose %296, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %298 = stablehlo.dot_general %295, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x24xf32>, tensor<16x24xf32>) -> tensor<6x8x16xf32>
    %299 = stablehlo.add %281, %298 : tensor<6x8x16xf32>
    %300 = stablehlo.multiply %207, %299 : tensor<6x8x16xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %301 = stablehlo.reduce(%300 init: %cst_66) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %302 = stablehlo.reshape %301 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %303 = stablehlo.broadcast_in_dim %208, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x8x16xf32>
    %304 = stablehlo.multiply %299, %303 : tensor<6x8x16xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%302 init: %cst_67) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %306 = stablehlo.multiply %194, %304 : tensor<6x8x16xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_68) applies stablehlo.add across dimensions = [2] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<6x8xf32>
    %308 = stablehlo.reshape %307 : (tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %309 = stablehlo.broadcast_in_dim %202, dims = [0, 1, 2] : (tensor<6x8x1xf32>) -> tensor<6x8x16xf32>
    %310 = stablehlo.multiply %304, %309 : tensor<6x8x16xf32>
    %311 = stablehlo.add %273, %310 : tensor<6x8x16xf32>
    %312 = stablehlo.multiply %308, %205 : tensor<6x8x1xf32>
    %cst_69 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %313 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %314 = stablehlo.divide %312, %313 : tensor<6x8x1xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.reduce(%314 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<6x8x1xf32>, tensor<f32>) -> tensor<6x8xf32>
    %316 = stablehlo.broadcast_in_dim %315, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x16xf32>
    %317 = stablehlo.multiply %194, %316 : tensor<6x8x16xf32>
    %318 = stablehlo.add %311, %317 : tensor<6x8x16xf32>
    %319 = stablehlo.multiply %316, %194 : tensor<6x8x16xf32>
    %320 = stablehlo.add %318, %319 : tensor<6x8x16xf32>
    %321 = stablehlo.dot_general %320, %192, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<6x8x6x4xf32>) -> tensor<16x6x4xf32>
    %322 = stablehlo.transpose %321, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %323 = stablehlo.dot_general %320, %arg6, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<6x4x16xf32>) -> tensor<6x8x6x4xf32>
    %324 = stablehlo.transpose %323, dims = [0, 2, 3, 1] : (tensor<6x8x6x4xf32>) -> tensor<6x6x4x8xf32>
    %325 = stablehlo.dot_general %324, %173, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x8xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x8x12xf32>
    %326 = stablehlo.dot_general %324, %187, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x8xf32>, tensor<6x6x8x12xf32>) -> tensor<6x6x4x12xf32>
    %327 = stablehlo.transpose %326, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %328 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x12xf32>
    %329 = stablehlo.multiply %325, %328 : tensor<6x6x8x12xf32>
    %330 = stablehlo.multiply %329, %183 : tensor<6x6x8x12xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_71) applies stablehlo.add across dimensions = [3] : (tensor<6x6x8x12xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %332 = stablehlo.reshape %331 : (tensor<6x6x8xf32>) -> tensor<6x6x8x1xf32>
    %333 = stablehlo.negate %332 : tensor<6x6x8x1xf32>
    %334 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x12xf32>
    %335 = stablehlo.divide %325, %334 : tensor<6x6x8x12xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.reduce(%333 init: %cst_72) applies stablehlo.add across dimensions = [3] : (tensor<6x6x8x1xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %337 = stablehlo.broadcast_in_dim %336, dims = [0, 1, 2] : (tensor<6x6x8xf32>) -> tensor<6x6x8x12xf32>
    %338 = stablehlo.add %335, %337 : tensor<6x6x8x12xf32>
    %339 = stablehlo.multiply %338, %183 : tensor<6x6x8x12xf32>
    %340 = stablehlo.dot_general %339, %171, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x8x12xf32>, tensor<6x8x6x4xf32>) -> tensor<6x6x12x4xf32>
    %341 = stablehlo.transpose %340, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %342 = stablehlo.dot_general %339, %172, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x8x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x8x4xf32>
    %343 = stablehlo.transpose %342, dims = [0, 2, 1, 3] : (tensor<6x6x8x4xf32>) -> tensor<6x8x6x4xf32>
    %344 = stablehlo.dot_general %327, %109, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %345 = stablehlo.transpose %344, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %346 = stablehlo.dot_general %327, %arg8, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %347 = stablehlo.dot_general %341, %109, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %348 = stablehlo.transpose %347, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %349 = stablehlo.dot_general %341, %arg5, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %350 = stablehlo.add %346, %349 : tensor<6x12x16xf32>
    %351 = stablehlo.dot_general %343, %170, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x8x16xf32>) -> tensor<6x4x16xf32>
    %352 = stablehlo.transpose %351, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %353 = stablehlo.dot_general %343, %arg7, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x8x16xf32>
    %354 = stablehlo.multiply %167, %353 : tensor<6x8x16xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %355 = stablehlo.reduce(%354 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %356 = stablehlo.reshape %355 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %357 = stablehlo.broadcast_in_dim %168, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x8x16xf32>
    %358 = stablehlo.multiply %353, %357 : tensor<6x8x16xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %359 = stablehlo.reduce(%356 init: %cst_74) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %360 = stablehlo.multiply %154, %358 : tensor<6x8x16xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.reduce(%360 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<6x8xf32>
    %362 = stablehlo.reshape %361 : (tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %363 = stablehlo.broadcast_in_dim %162, dims = [0, 1, 2] : (tensor<6x8x1xf32>) -> tensor<6x8x16xf32>
    %364 = stablehlo.multiply %358, %363 : tensor<6x8x16xf32>
    %365 = stablehlo.add %320, %364 : tensor<6x8x16xf32>
    %366 = stablehlo.multiply %362, %165 : tensor<6x8x1xf32>
    %cst_76 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %367 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %368 = stablehlo.divide %366, %367 : tensor<6x8x1xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %369 = stablehlo.reduce(%368 init: %cst_77) applies stablehlo.add across dimensions = [2] : (tensor<6x8x1xf32>, tensor<f32>) -> tensor<6x8xf32>
    %370 = stablehlo.broadcast_in_dim %369, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x16xf32>
    %371 = stablehlo.multiply %154, %370 : tensor<6x8x16xf32>
    %372 = stablehlo.add %365, %371 : tensor<6x8x16xf32>
    %373 = stablehlo.multiply %370, %154 : tensor<6x8x16xf32>
    %374 = stablehlo.add %372, %373 : tensor<6x8x16xf32>
    %375 = stablehlo.dot_general %374, %152, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<6x8x6x4xf32>) -> tensor<16x6x4xf32>
    %376 = stablehlo.transpose %375, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %377 = stablehlo.dot_general %374, %arg2, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x8x16xf32>, tensor<6x4x16xf32>) -> tensor<6x8x6x4xf32>
    %378 = stablehlo.transpose %377, dims = [0, 2, 3, 1] : (tensor<6x8x6x4xf32>) -> tensor<6x6x4x8xf32>
    %379 = stablehlo.dot_general %378, %131, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x8xf32>, tensor<6x8x6x4xf32>) -> tensor<6x6x8x8xf32>
    %380 = stablehlo.dot_general %378, %147, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x8xf32>, tensor<6x6x8x8xf32>) -> tensor<6x6x4x8xf32>
    %381 = stablehlo.transpose %380, dims = [0, 3, 1, 2] : (tensor<6x6x4x8xf32>) -> tensor<6x8x6x4xf32>
    %382 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x8xf32>
    %383 = stablehlo.multiply %379, %382 : tensor<6x6x8x8xf32>
    %384 = stablehlo.multiply %383, %143 : tensor<6x6x8x8xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %385 = stablehlo.reduce(%384 init: %cst_78) applies stablehlo.add across dimensions = [3] : (tensor<6x6x8x8xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %386 = stablehlo.reshape %385 : (tensor<6x6x8xf32>) -> tensor<6x6x8x1xf32>
    %387 = stablehlo.negate %386 : tensor<6x6x8x1xf32>
    %388 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2, 3] : (tensor<6x6x8x1xf32>) -> tensor<6x6x8x8xf32>
    %389 = stablehlo.divide %379, %388 : tensor<6x6x8x8xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %390 = stablehlo.reduce(%387 init: %cst_79) applies stablehlo.add across dimensions = [3] : (tensor<6x6x8x1xf32>, tensor<f32>) -> tensor<6x6x8xf32>
    %391 = stablehlo.broadcast_in_dim %390, dims = [0, 1, 2] : (tensor<6x6x8xf32>) -> tensor<6x6x8x8xf32>
    %392 = stablehlo.add %389, %391 : tensor<6x6x8x8xf32>
    %393 = stablehlo.multiply %392, %143 : tensor<6x6x8x8xf32>
    %394 = stablehlo.dot_general %393, %129, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x8x8xf32>, tensor<6x8x6x4xf32>) -> tensor<6x6x8x4xf32>
    %395 = stablehlo.transpose %394, dims = [0, 2, 1, 3] : (tensor<6x6x8x4xf32>) -> tensor<6x8x6x4xf32>
    %396 = stablehlo.dot_general %393, %130, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x8x8xf32>, tensor<6x8x6x4xf32>) -> tensor<6x6x8x4xf32>
    %397 = stablehlo.transpose %396, dims = [0, 2, 1, 3] : (tensor<6x6x8x4xf32>) -> tensor<6x8x6x4xf32>
    %398 = stablehlo.dot_general %381, %125, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x8x16xf32>) -> tensor<6x4x16xf32>
    %399 = stablehlo.transpose %398, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %400 = stablehlo.dot_general %381, %arg4, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x8x16xf32>
    %401 = stablehlo.dot_general %395, %125, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x8x16xf32>) -> tensor<6x4x16xf32>
    %402 = stablehlo.transpose %401, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %403 = stablehlo.dot_general %395, %arg1, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x8x16xf32>
    %404 = stablehlo.add %400, %403 : tensor<6x8x16xf32>
    %405 = stablehlo.dot_general %397, %125, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<6x8x16xf32>) -> tensor<6x4x16xf32>
    %406 = stablehlo.transpose %405, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %407 = stablehlo.dot_general %397, %arg3, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x8x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x8x16xf32>
    %408 = stablehlo.add %404, %407 : tensor<6x8x16xf32>
    %409 = stablehlo.multiply %122, %408 : tensor<6x8x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %410 = stablehlo.reduce(%409 init: %cst_80) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %411 = stablehlo.reshape %410 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %412 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x8x16xf32>
    %413 = stablehlo.multiply %408, %412 : tensor<6x8x16xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %414 = stablehlo.reduce(%411 init: %cst_81) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %415 = stablehlo.multiply %13, %413 : tensor<6x8x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.reduce(%415 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<6x8x16xf32>, tensor<f32>) -> tensor<6x8xf32>
    %417 = stablehlo.reshape %416 : (tensor<6x8xf32>) -> tensor<6x8x1xf32>
    %418 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<6x8x1xf32>) -> tensor<6x8x16xf32>
    %419 = stablehlo.multiply %413, %418 : tensor<6x8x16xf32>
    %420 = stablehlo.add %374, %419 : tensor<6x8x16xf32>
    %421 = stablehlo.multiply %417, %120 : tensor<6x8x1xf32>
    %cst_83 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %422 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %423 = stablehlo.divide %421, %422 : tensor<6x8x1xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.reduce(%423 init: %cst_84) applies stablehlo.add across dimensions = [2] : (tensor<6x8x1xf32>, tensor<f32>) -> tensor<6x8xf32>
    %425 = stablehlo.broadcast_in_dim %424, dims = [0, 1] : (tensor<6x8xf32>) -> tensor<6x8x16xf32>
    %426 = stablehlo.multiply %13, %425 : tensor<6x8x16xf32>
    %427 = stablehlo.add %420, %426 : tensor<6x8x16xf32>
    %428 = stablehlo.multiply %425, %13 : tensor<6x8x16xf32>
    %429 = stablehlo.add %427, %428 : tensor<6x8x16xf32>
    %430 = stablehlo.dot_general %350, %107, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %431 = stablehlo.transpose %430, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %432 = stablehlo.dot_general %350, %arg20, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %433 = stablehlo.multiply %105, %432 : tensor<6x12x24xf32>
    %434 = stablehlo.multiply %432, %106 : tensor<6x12x24xf32>
    %435 = stablehlo.dot_general %433, %86, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %436 = stablehlo.transpose %435, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %437 = stablehlo.dot_general %433, %arg22, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %438 = stablehlo.multiply %87, %434 : tensor<6x12x24xf32>
    %439 = stablehlo.multiply %434, %104 : tensor<6x12x24xf32>
    %cst_85 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %440 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %441 = stablehlo.multiply %440, %438 : tensor<6x12x24xf32>
    %442 = stablehlo.multiply %441, %100 : tensor<6x12x24xf32>
    %443 = stablehlo.multiply %442, %98 : tensor<6x12x24xf32>
    %444 = stablehlo.add %442, %443 : tensor<6x12x24xf32>
    %cst_86 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %445 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %446 = stablehlo.multiply %445, %444 : tensor<6x12x24xf32>
    %447 = stablehlo.add %439, %446 : tensor<6x12x24xf32>
    %cst_87 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %448 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %449 = stablehlo.multiply %448, %446 : tensor<6x12x24xf32>
    %450 = stablehlo.multiply %449, %92 : tensor<6x12x24xf32>
    %451 = stablehlo.add %447, %450 : tensor<6x12x24xf32>
    %452 = stablehlo.dot_general %451, %86, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %453 = stablehlo.transpose %452, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %454 = stablehlo.dot_general %451, %arg21, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %455 = stablehlo.add %437, %454 : tensor<6x12x16xf32>
    %456 = stablehlo.multiply %83, %455 : tensor<6x12x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %457 = stablehlo.reduce(%456 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %458 = stablehlo.reshape %457 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %459 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %460 = stablehlo.multiply %455, %459 : tensor<6x12x16xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %461 = stablehlo.reduce(%458 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %462 = stablehlo.multiply %70, %460 : tensor<6x12x16xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %463 = stablehlo.reduce(%462 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %464 = stablehlo.reshape %463 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %465 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %466 = stablehlo.multiply %460, %465 : tensor<6x12x16xf32>
    %467 = stablehlo.add %350, %466 : tensor<6x12x16xf32>
    %468 = stablehlo.multiply %464, %81 : tensor<6x12x1xf32>
    %cst_91 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %470 = stablehlo.divide %468, %469 : tensor<6x12x1xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %471 = stablehlo.reduce(%470 init: %cst_92) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %472 = stablehlo.broadcast_in_dim %471, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %473 = stablehlo.multiply %70, %472 : tensor<6x12x16xf32>
    %474 = stablehlo.add %467, %473 : tensor<6x12x16xf32>
    %475 = stablehlo.multiply %472, %70 : tensor<6x12x16xf32>
    %476 = stablehlo.add %474, %475 : tensor<6x12x16xf32>
    %477 = stablehlo.dot_general %476, %68, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %478 = stablehlo.transpose %477, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %479 = stablehlo.dot_general %476, %arg17, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %480 = stablehlo.transpose %479, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %481 = stablehlo.dot_general %480, %48, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %482 = stablehlo.dot_general %480, %63, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %483 = stablehlo.transpose %482, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %484 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %485 = stablehlo.multiply %481, %484 : tensor<6x6x12x12xf32>
    %486 = stablehlo.multiply %485, %59 : tensor<6x6x12x12xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %487 = stablehlo.reduce(%486 init: %cst_93) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %488 = stablehlo.reshape %487 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %489 = stablehlo.negate %488 : tensor<6x6x12x1xf32>
    %490 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %491 = stablehlo.divide %481, %490 : tensor<6x6x12x12xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %492 = stablehlo.reduce(%489 init: %cst_94) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %493 = stablehlo.broadcast_in_dim %492, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %494 = stablehlo.add %491, %493 : tensor<6x6x12x12xf32>
    %495 = stablehlo.multiply %494, %59 : tensor<6x6x12x12xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %496 = stablehlo.reduce(%495 init: %cst_95) applies stablehlo.add across dimensions = [0] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x12x12xf32>
    %497 = stablehlo.reshape %496 : (tensor<6x12x12xf32>) -> tensor<1x6x12x12xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %498 = stablehlo.reduce(%497 init: %cst_96) applies stablehlo.add across dimensions = [0] : (tensor<1x6x12x12xf32>, tensor<f32>) -> tensor<6x12x12xf32>
    %499 = stablehlo.dot_general %495, %46, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %500 = stablehlo.transpose %499, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %501 = stablehlo.dot_general %495, %47, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %502 = stablehlo.transpose %501, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %503 = stablehlo.dot_general %483, %45, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %504 = stablehlo.transpose %503, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %505 = stablehlo.dot_general %483, %arg19, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %506 = stablehlo.dot_general %500, %45, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %507 = stablehlo.transpose %506, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %508 = stablehlo.dot_general %500, %arg16, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %509 = stablehlo.add %505, %508 : tensor<6x12x16xf32>
    %510 = stablehlo.dot_general %502, %45, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %511 = stablehlo.transpose %510, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %512 = stablehlo.dot_general %502, %arg18, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %513 = stablehlo.add %509, %512 : tensor<6x12x16xf32>
    %514 = stablehlo.multiply %42, %513 : tensor<6x12x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %515 = stablehlo.reduce(%514 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %516 = stablehlo.reshape %515 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %517 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %518 = stablehlo.multiply %513, %517 : tensor<6x12x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %519 = stablehlo.reduce(%516 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %520 = stablehlo.multiply %6, %518 : tensor<6x12x16xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %521 = stablehlo.reduce(%520 init: %cst_99) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %522 = stablehlo.reshape %521 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %523 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %524 = stablehlo.multiply %518, %523 : tensor<6x12x16xf32>
    %525 = stablehlo.add %476, %524 : tensor<6x12x16xf32>
    %526 = stablehlo.multiply %522, %40 : tensor<6x12x1xf32>
    %cst_100 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %528 = stablehlo.divide %526, %527 : tensor<6x12x1xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %529 = stablehlo.reduce(%528 init: %cst_101) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %530 = stablehlo.broadcast_in_dim %529, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %531 = stablehlo.multiply %6, %530 : tensor<6x12x16xf32>
    %532 = stablehlo.add %525, %531 : tensor<6x12x16xf32>
    %533 = stablehlo.multiply %530, %6 : tensor<6x12x16xf32>
    %534 = stablehlo.add %532, %533 : tensor<6x12x16xf32>
    %535 = stablehlo.transpose %498, dims = [1, 2, 0] : (tensor<6x12x12xf32>) -> tensor<12x12x6xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %537 = "stablehlo.scatter"(%536, %27, %535) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %543 = stablehlo.add %arg29, %arg30 : tensor<f32>
      stablehlo.return %543 : tensor<f32>
    }) : (tensor<12x6xf32>, tensor<12x12x1xi32>, tensor<12x12x6xf32>) -> tensor<12x6xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %538 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %539 = "stablehlo.scatter"(%538, %12, %429) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %543 = stablehlo.add %arg29, %arg30 : tensor<f32>
      stablehlo.return %543 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x8x1xi32>, tensor<6x8x16xf32>) -> tensor<60x16xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %540 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %541 = "stablehlo.scatter"(%540, %5, %534) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg29: tensor<f32>, %arg30: tensor<f32>):
      %543 = stablehlo.add %arg29, %arg30 : tensor<f32>
      stablehlo.return %543 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %542 = stablehlo.add %539, %541 : tensor<60x16xf32>
    return %256, %537, %402, %376, %406, %399, %348, %322, %352, %345, %275, %297, %280, %414, %359, %305, %542, %507, %478, %511, %504, %431, %453, %436, %519, %461, %272 : tensor<f32>, tensor<12x6xf32>, tensor<16x6x4xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<16x6x4xf32>, tensor<16x6x4xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<16x6x4xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<60x16xf32>, tensor<16x6x4xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<16x6x4xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x60xf32>
  }
  func.func private @tril(%arg0: tensor<8x8xi1>) -> tensor<8x8xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<8x8xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x8xi32>
    %2 = stablehlo.add %0, %1 : tensor<8x8xi32>
    %3 = stablehlo.iota dim = 1 : tensor<8x8xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<8x8xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<8x8xi1>, tensor<8x8xi1>
    return %6 : tensor<8x8xi1>
  }
  func.func private @_where(%arg0: tensor<8x8xi1>, %arg1: tensor<i32>, %arg2: tensor<f32>) -> tensor<8x8xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %3 = stablehlo.select %arg0, %1, %2 : tensor<8x8xi1>, tensor<8x8xf32>
    return %3 : tensor<8x8xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x8x60xf32>, %arg1: tensor<6x8x1xi32>) -> (tensor<6x8x1xf32>, tensor<6x8x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x8x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x8x1xi32>, tensor<6x8x1xi32>) -> tensor<6x8x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x8x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x8x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x8x1xi1>, tensor<6x8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x8x1xi32>) -> tensor<6x8x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x8x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x8x1x1xi32>, tensor<6x8x1x1xi32>) -> tensor<6x8x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<6x8x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x8x1x1xi32>, tensor<6x8x1x1xi32>) -> tensor<6x8x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x8x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<6x8x1x1xi1>, tensor<i1>) -> tensor<6x8x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x8x60xf32>, tensor<6x8x1x1xi32>) -> tensor<6x8x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x8x1xi1>, tensor<6x8x1xf32>
    return %15, %5 : tensor<6x8x1xf32>, tensor<6x8x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<6x8x1xf32>, %arg1: tensor<i32>) -> (tensor<6x8xf32>, tensor<1xi32>) {
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 8, 1>}> : (tensor<6x8x1xf32>, tensor<1xi32>) -> tensor<6x8xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6x8xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<6x8xi1>, tensor<6x8xf32>
    return %13, %3 : tensor<6x8xf32>, tensor<1xi32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_1(%arg0: tensor<1xi32>, %arg1: tensor<6x8xf32>) -> tensor<6x8x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x8x1xf32>, tensor<1xi32>, tensor<6x8xf32>) -> tensor<6x8x1xf32>
    return %1 : tensor<6x8x1xf32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<6x8x1x1xi32>, %arg1: tensor<6x8x1xf32>) -> tensor<6x8x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x8x60xf32>, tensor<6x8x1x1xi32>, tensor<6x8x1xf32>) -> tensor<6x8x60xf32>
    return %1 : tensor<6x8x60xf32>
  }
}
