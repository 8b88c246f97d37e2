module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x60xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x24xf32>, %arg11: tensor<16xf32>, %arg12: tensor<24x16xf32>, %arg13: tensor<16x24xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16x24xf32>, %arg16: tensor<16x24xf32>, %arg17: tensor<24x16xf32>, %arg18: tensor<16x24xf32>, %arg19: tensor<16x24xf32>, %arg20: tensor<16xf32>, %arg21: tensor<6x12x6x4xf32>, %arg22: tensor<6x12x6x4xf32>, %arg23: tensor<6x12x6x4xf32>, %arg24: tensor<6x12x6x4xf32>, %arg25: tensor<6xi32>, %arg26: tensor<i32>) -> (tensor<6x60xf32> {jax.result_info = "result[0]"}, tensor<6x12x6x4xf32> {jax.result_info = "result[1][0][0]"}, tensor<6x12x6x4xf32> {jax.result_info = "result[1][0][1]"}, tensor<6x12x6x4xf32> {jax.result_info = "result[1][1][0]"}, tensor<6x12x6x4xf32> {jax.result_info = "result[1][1][1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %1 = stablehlo.compare LT, %arg25, %0, SIGNED : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6xi32>
    %3 = stablehlo.add %arg25, %2 : tensor<6xi32>
    %4 = stablehlo.select %1, %3, %arg25 : tensor<6xi1>, tensor<6xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x1xi32>) -> tensor<6x16xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<6x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<6x1xf32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<6x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<6x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x16xf32>
    %16 = stablehlo.multiply %6, %15 : tensor<6x16xf32>
    %17 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<6x16xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<6x16xf32>
    %20 = stablehlo.dot_general %19, %arg9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %21 = stablehlo.reshape %20 : (tensor<6x24xf32>) -> tensor<6x1x6x4xf32>
    %22 = stablehlo.dot_general %19, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %23 = stablehlo.reshape %22 : (tensor<6x24xf32>) -> tensor<6x1x6x4xf32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.compare LT, %arg26, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<12> : tensor<i32>
    %25 = stablehlo.add %arg26, %c_4 : tensor<i32>
    %26 = stablehlo.select %24, %25, %arg26 : tensor<i1>, tensor<i32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %27 = stablehlo.dynamic_update_slice %arg21, %23, %c_5, %26, %c_6, %c_7 : (tensor<6x12x6x4xf32>, tensor<6x1x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x12x6x4xf32>
    %28 = stablehlo.dot_general %19, %arg10, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %29 = stablehlo.reshape %28 : (tensor<6x24xf32>) -> tensor<6x1x6x4xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %30 = stablehlo.compare LT, %arg26, %c_8, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_9 = stablehlo.constant dense<12> : tensor<i32>
    %31 = stablehlo.add %arg26, %c_9 : tensor<i32>
    %32 = stablehlo.select %30, %31, %arg26 : tensor<i1>, tensor<i32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %33 = stablehlo.dynamic_update_slice %arg22, %29, %c_10, %32, %c_11, %c_12 : (tensor<6x12x6x4xf32>, tensor<6x1x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x12x6x4xf32>
    %34 = stablehlo.iota dim = 0 : tensor<12xi32>
    %35 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %36 = stablehlo.compare LE, %34, %35, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %37 = stablehlo.dot_general %21, %27, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x1x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x1x12xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x6x1x12xf32>
    %39 = stablehlo.divide %37, %38 : tensor<6x6x1x12xf32>
    %cst_14 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %40 = call @_where(%36, %39, %cst_14) : (tensor<12xi1>, tensor<6x6x1x12xf32>, tensor<f32>) -> tensor<6x6x1x12xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_15) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x1x12xf32>, tensor<f32>) -> tensor<6x6x1xf32>
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x6x1xf32>
    %43 = stablehlo.maximum %42, %41 : tensor<6x6x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2] : (tensor<6x6x1xf32>) -> tensor<6x6x1x1xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<6x6x1x1xf32>) -> tensor<6x6x1x12xf32>
    %46 = stablehlo.subtract %40, %45 : tensor<6x6x1x12xf32>
    %47 = stablehlo.exponential %46 : tensor<6x6x1x12xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_17) applies stablehlo.add across dimensions = [3] : (tensor<6x6x1x12xf32>, tensor<f32>) -> tensor<6x6x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<6x6x1xf32>) -> tensor<6x6x1x1xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<6x6x1x1xf32>) -> tensor<6x6x1x12xf32>
    %51 = stablehlo.divide %47, %50 : tensor<6x6x1x12xf32>
    %52 = stablehlo.dot_general %33, %51, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x1x12xf32>) -> tensor<6x6x4x1xf32>
    %53 = stablehlo.transpose %52, dims = [0, 3, 1, 2] : (tensor<6x6x4x1xf32>) -> tensor<6x1x6x4xf32>
    %54 = stablehlo.reshape %53 : (tensor<6x1x6x4xf32>) -> tensor<6x24xf32>
    %55 = stablehlo.dot_general %54, %arg8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %56 = stablehlo.add %6, %55 : tensor<6x16xf32>
    %57 = stablehlo.multiply %56, %56 : tensor<6x16xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_18) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_19 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %61 = stablehlo.divide %59, %60 : tensor<6x1xf32>
    %cst_20 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %63 = stablehlo.add %61, %62 : tensor<6x1xf32>
    %64 = stablehlo.rsqrt %63 : tensor<6x1xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x16xf32>
    %66 = stablehlo.multiply %56, %65 : tensor<6x16xf32>
    %67 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<6x16xf32>
    %69 = stablehlo.multiply %66, %68 : tensor<6x16xf32>
    %70 = stablehlo.dot_general %69, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %71 = call @silu(%70) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %72 = stablehlo.dot_general %69, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %73 = stablehlo.multiply %71, %72 : tensor<6x24xf32>
    %74 = stablehlo.dot_general %73, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %75 = stablehlo.add %56, %74 : tensor<6x16xf32>
    %76 = stablehlo.multiply %75, %75 : tensor<6x16xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.reduce(%76 init: %cst_21) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_22 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %80 = stablehlo.divide %78, %79 : tensor<6x1xf32>
    %cst_23 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %82 = stablehlo.add %80, %81 : tensor<6x1xf32>
    %83 = stablehlo.rsqrt %82 : tensor<6x1xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x16xf32>
    %85 = stablehlo.multiply %75, %84 : tensor<6x16xf32>
    %86 = stablehlo.broadcast_in_dim %arg11, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<6x16xf32>
    %88 = stablehlo.multiply %85, %87 : tensor<6x16xf32>
    %89 = stablehlo.dot_general %88, %arg18, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %90 = stablehlo.reshape %89 : (tensor<6x24xf32>) -> tensor<6x1x6x4xf32>
    %91 = stablehlo.dot_general %88, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %92 = stablehlo.reshape %91 : (tensor<6x24xf32>) -> tensor<6x1x6x4xf32>
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %93 = stablehlo.compare LT, %arg26, %c_24, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_25 = stablehlo.constant dense<12> : tensor<i32>
    %94 = stablehlo.add %arg26, %c_25 : tensor<i32>
    %95 = stablehlo.select %93, %94, %arg26 : tensor<i1>, tensor<i32>
    %c_26 = stablehlo.constant dense<0> : tensor<i32>
    %c_27 = stablehlo.constant dense<0> : tensor<i32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %96 = stablehlo.dynamic_update_slice %arg23, %92, %c_26, %95, %c_27, %c_28 : (tensor<6x12x6x4xf32>, tensor<6x1x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x12x6x4xf32>
    %97 = stablehlo.dot_general %88, %arg19, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %98 = stablehlo.reshape %97 : (tensor<6x24xf32>) -> tensor<6x1x6x4xf32>
    %c_29 = stablehlo.constant dense<0> : tensor<i32>
    %99 = stablehlo.compare LT, %arg26, %c_29, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_30 = stablehlo.constant dense<12> : tensor<i32>
    %100 = stablehlo.add %arg26, %c_30 : tensor<i32>
    %101 = stablehlo.select %99, %100, %arg26 : tensor<i1>, tensor<i32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %102 = stablehlo.dynamic_update_slice %arg24, %98, %c_31, %101, %c_32, %c_33 : (tensor<6x12x6x4xf32>, tensor<6x1x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<6x12x6x4xf32>
    %103 = stablehlo.iota dim = 0 : tensor<12xi32>
    %104 = stablehlo.broadcast_in_dim %arg26, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %105 = stablehlo.compare LE, %103, %104, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %106 = stablehlo.dot_general %90, %96, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x1x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x1x12xf32>
    %cst_34 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x6x1x12xf32>
    %108 = stablehlo.divide %106, %107 : tensor<6x6x1x12xf32>
    %cst_35 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %109 = call @_where(%105, %108, %cst_35) : (tensor<12xi1>, tensor<6x6x1x12xf32>, tensor<f32>) -> tensor<6x6x1x12xf32>
    %cst_36 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %110 = stablehlo.reduce(%109 init: %cst_36) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x1x12xf32>, tensor<f32>) -> tensor<6x6x1xf32>
    %cst_37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x6x1xf32>
    %112 = stablehlo.maximum %111, %110 : tensor<6x6x1xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2] : (tensor<6x6x1xf32>) -> tensor<6x6x1x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2, 3] : (tensor<6x6x1x1xf32>) -> tensor<6x6x1x12xf32>
    %115 = stablehlo.subtract %109, %114 : tensor<6x6x1x12xf32>
    %116 = stablehlo.exponential %115 : tensor<6x6x1x12xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116 init: %cst_38) applies stablehlo.add across dimensions = [3] : (tensor<6x6x1x12xf32>, tensor<f32>) -> tensor<6x6x1xf32>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<6x6x1xf32>) -> tensor<6x6x1x1xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2, 3] : (tensor<6x6x1x1xf32>) -> tensor<6x6x1x12xf32>
    %120 = stablehlo.divide %116, %119 : tensor<6x6x1x12xf32>
    %121 = stablehlo.dot_general %102, %120, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x1x12xf32>) -> tensor<6x6x4x1xf32>
    %122 = stablehlo.transpose %121, dims = [0, 3, 1, 2] : (tensor<6x6x4x1xf32>) -> tensor<6x1x6x4xf32>
    %123 = stablehlo.reshape %122 : (tensor<6x1x6x4xf32>) -> tensor<6x24xf32>
    %124 = stablehlo.dot_general %123, %arg17, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %125 = stablehlo.add %75, %124 : tensor<6x16xf32>
    %126 = stablehlo.multiply %125, %125 : tensor<6x16xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_39) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_40 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %130 = stablehlo.divide %128, %129 : tensor<6x1xf32>
    %cst_41 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %132 = stablehlo.add %130, %131 : tensor<6x1xf32>
    %133 = stablehlo.rsqrt %132 : tensor<6x1xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x16xf32>
    %135 = stablehlo.multiply %125, %134 : tensor<6x16xf32>
    %136 = stablehlo.broadcast_in_dim %arg14, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<6x16xf32>
    %138 = stablehlo.multiply %135, %137 : tensor<6x16xf32>
    %139 = stablehlo.dot_general %138, %arg13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %140 = call @silu(%139) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %141 = stablehlo.dot_general %138, %arg15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %142 = stablehlo.multiply %140, %141 : tensor<6x24xf32>
    %143 = stablehlo.dot_general %142, %arg12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %144 = stablehlo.add %125, %143 : tensor<6x16xf32>
    %145 = stablehlo.multiply %144, %144 : tensor<6x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.reduce(%145 init: %cst_42) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_43 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %149 = stablehlo.divide %147, %148 : tensor<6x1xf32>
    %cst_44 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %151 = stablehlo.add %149, %150 : tensor<6x1xf32>
    %152 = stablehlo.rsqrt %151 : tensor<6x1xf32>
    %153 = stablehlo.broadcast_in_dim %152, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x16xf32>
    %154 = stablehlo.multiply %144, %153 : tensor<6x16xf32>
    %155 = stablehlo.broadcast_in_dim %arg20, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<6x16xf32>
    %157 = stablehlo.multiply %154, %156 : tensor<6x16xf32>
    %158 = stablehlo.dot_general %157, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x60xf32>) -> tensor<6x60xf32>
    return %158, %27, %33, %96, %102 : tensor<6x60xf32>, tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<6x6x1x12xf32>, %arg2: tensor<f32>) -> tensor<6x6x1x12xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3] : (tensor<12xi1>) -> tensor<6x6x1x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x1x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x1x12xi1>, tensor<6x6x1x12xf32>
    return %3 : tensor<6x6x1x12xf32>
  }
  func.func private @silu(%arg0: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %0 = stablehlo.negate %arg0 : tensor<6x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x24xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<6x24xf32>
    return %6 : tensor<6x24xf32>
  }
}
