module @jit_llama attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x60xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<16xf32>, %arg12: tensor<24x16xf32>, %arg13: tensor<16x24xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16x24xf32>, %arg16: tensor<16x8xf32>, %arg17: tensor<24x16xf32>, %arg18: tensor<16x24xf32>, %arg19: tensor<16x8xf32>, %arg20: tensor<16xf32>, %arg21: tensor<6x12xi32>) -> (tensor<6x12x60xf32> {jax.result_info = "result"}) {
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
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %20 = stablehlo.multiply %6, %19 : tensor<6x12x16xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %23 = stablehlo.multiply %20, %22 : tensor<6x12x16xf32>
    %24 = stablehlo.dot_general %23, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %25 = stablehlo.reshape %24 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %26 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %27 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %28 = stablehlo.convert %27 : (tensor<2xi32>) -> tensor<2xf32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %30 = stablehlo.power %29, %28 : tensor<2xf32>
    %31 = stablehlo.convert %26 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %32 = stablehlo.broadcast_in_dim %30, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %33 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %35 = stablehlo.multiply %33, %34 : tensor<6x12x1x2xf32>
    %36 = stablehlo.slice %25 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %37 = stablehlo.slice %25 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %38 = stablehlo.cosine %35 : tensor<6x12x1x2xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %40 = stablehlo.multiply %36, %39 : tensor<6x12x6x2xf32>
    %41 = stablehlo.sine %35 : tensor<6x12x1x2xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %43 = stablehlo.multiply %37, %42 : tensor<6x12x6x2xf32>
    %44 = stablehlo.subtract %40, %43 : tensor<6x12x6x2xf32>
    %45 = stablehlo.sine %35 : tensor<6x12x1x2xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %47 = stablehlo.multiply %36, %46 : tensor<6x12x6x2xf32>
    %48 = stablehlo.cosine %35 : tensor<6x12x1x2xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %50 = stablehlo.multiply %37, %49 : tensor<6x12x6x2xf32>
    %51 = stablehlo.add %47, %50 : tensor<6x12x6x2xf32>
    %52 = stablehlo.concatenate %44, %51, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %53 = stablehlo.dot_general %23, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %54 = stablehlo.reshape %53 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %55 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %56 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %57 = stablehlo.convert %56 : (tensor<2xi32>) -> tensor<2xf32>
    %58 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %59 = stablehlo.power %58, %57 : tensor<2xf32>
    %60 = stablehlo.convert %55 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %61 = stablehlo.broadcast_in_dim %59, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %62 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %63 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %64 = stablehlo.multiply %62, %63 : tensor<6x12x1x2xf32>
    %65 = stablehlo.slice %54 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %66 = stablehlo.slice %54 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %67 = stablehlo.cosine %64 : tensor<6x12x1x2xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %69 = stablehlo.multiply %65, %68 : tensor<6x12x2x2xf32>
    %70 = stablehlo.sine %64 : tensor<6x12x1x2xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %72 = stablehlo.multiply %66, %71 : tensor<6x12x2x2xf32>
    %73 = stablehlo.subtract %69, %72 : tensor<6x12x2x2xf32>
    %74 = stablehlo.sine %64 : tensor<6x12x1x2xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %76 = stablehlo.multiply %65, %75 : tensor<6x12x2x2xf32>
    %77 = stablehlo.cosine %64 : tensor<6x12x1x2xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %79 = stablehlo.multiply %66, %78 : tensor<6x12x2x2xf32>
    %80 = stablehlo.add %76, %79 : tensor<6x12x2x2xf32>
    %81 = stablehlo.concatenate %73, %80, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %82 = stablehlo.dot_general %23, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %83 = stablehlo.reshape %82 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %84 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %85 = stablehlo.reshape %84 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %86 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %87 = stablehlo.reshape %86 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %88 = stablehlo.dot_general %52, %85, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %90 = stablehlo.divide %88, %89 : tensor<6x6x12x12xf32>
    %cst_7 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %91 = call @_where(%10, %90, %cst_7) : (tensor<12x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12x12xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %92 = stablehlo.reduce(%91 init: %cst_8) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %94 = stablehlo.maximum %93, %92 : tensor<6x6x12xf32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %97 = stablehlo.subtract %91, %96 : tensor<6x6x12x12xf32>
    %98 = stablehlo.exponential %97 : tensor<6x6x12x12xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.reduce(%98 init: %cst_10) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %102 = stablehlo.divide %98, %101 : tensor<6x6x12x12xf32>
    %103 = stablehlo.dot_general %87, %102, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %104 = stablehlo.transpose %103, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %105 = stablehlo.reshape %104 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %106 = stablehlo.dot_general %105, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %107 = stablehlo.add %6, %106 : tensor<6x12x16xf32>
    %108 = stablehlo.multiply %107, %107 : tensor<6x12x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%108 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_12 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %112 = stablehlo.divide %110, %111 : tensor<6x12x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %114 = stablehlo.add %112, %113 : tensor<6x12x1xf32>
    %115 = stablehlo.rsqrt %114 : tensor<6x12x1xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %117 = stablehlo.multiply %107, %116 : tensor<6x12x16xf32>
    %118 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %120 = stablehlo.multiply %117, %119 : tensor<6x12x16xf32>
    %121 = stablehlo.dot_general %120, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %122 = call @silu(%121) : (tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %123 = stablehlo.dot_general %120, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %124 = stablehlo.multiply %122, %123 : tensor<6x12x24xf32>
    %125 = stablehlo.dot_general %124, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %126 = stablehlo.add %107, %125 : tensor<6x12x16xf32>
    %c_14 = stablehlo.constant dense<true> : tensor<i1>
    %127 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %128 = call @tril(%127) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %129 = stablehlo.multiply %126, %126 : tensor<6x12x16xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_16 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %133 = stablehlo.divide %131, %132 : tensor<6x12x1xf32>
    %cst_17 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %135 = stablehlo.add %133, %134 : tensor<6x12x1xf32>
    %136 = stablehlo.rsqrt %135 : tensor<6x12x1xf32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %138 = stablehlo.multiply %126, %137 : tensor<6x12x16xf32>
    %139 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %141 = stablehlo.multiply %138, %140 : tensor<6x12x16xf32>
    %142 = stablehlo.dot_general %141, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %143 = stablehlo.reshape %142 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %144 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %145 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %146 = stablehlo.convert %145 : (tensor<2xi32>) -> tensor<2xf32>
    %147 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %148 = stablehlo.power %147, %146 : tensor<2xf32>
    %149 = stablehlo.convert %144 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %150 = stablehlo.broadcast_in_dim %148, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %151 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %152 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %153 = stablehlo.multiply %151, %152 : tensor<6x12x1x2xf32>
    %154 = stablehlo.slice %143 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %155 = stablehlo.slice %143 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %156 = stablehlo.cosine %153 : tensor<6x12x1x2xf32>
    %157 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %158 = stablehlo.multiply %154, %157 : tensor<6x12x6x2xf32>
    %159 = stablehlo.sine %153 : tensor<6x12x1x2xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %161 = stablehlo.multiply %155, %160 : tensor<6x12x6x2xf32>
    %162 = stablehlo.subtract %158, %161 : tensor<6x12x6x2xf32>
    %163 = stablehlo.sine %153 : tensor<6x12x1x2xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %165 = stablehlo.multiply %154, %164 : tensor<6x12x6x2xf32>
    %166 = stablehlo.cosine %153 : tensor<6x12x1x2xf32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %168 = stablehlo.multiply %155, %167 : tensor<6x12x6x2xf32>
    %169 = stablehlo.add %165, %168 : tensor<6x12x6x2xf32>
    %170 = stablehlo.concatenate %162, %169, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %171 = stablehlo.dot_general %141, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %172 = stablehlo.reshape %171 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %173 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %174 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %175 = stablehlo.convert %174 : (tensor<2xi32>) -> tensor<2xf32>
    %176 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %177 = stablehlo.power %176, %175 : tensor<2xf32>
    %178 = stablehlo.convert %173 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %179 = stablehlo.broadcast_in_dim %177, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %180 = stablehlo.broadcast_in_dim %178, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %181 = stablehlo.broadcast_in_dim %179, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %182 = stablehlo.multiply %180, %181 : tensor<6x12x1x2xf32>
    %183 = stablehlo.slice %172 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %184 = stablehlo.slice %172 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %185 = stablehlo.cosine %182 : tensor<6x12x1x2xf32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %187 = stablehlo.multiply %183, %186 : tensor<6x12x2x2xf32>
    %188 = stablehlo.sine %182 : tensor<6x12x1x2xf32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %190 = stablehlo.multiply %184, %189 : tensor<6x12x2x2xf32>
    %191 = stablehlo.subtract %187, %190 : tensor<6x12x2x2xf32>
    %192 = stablehlo.sine %182 : tensor<6x12x1x2xf32>
    %193 = stablehlo.broadcast_in_dim %192, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %194 = stablehlo.multiply %183, %193 : tensor<6x12x2x2xf32>
    %195 = stablehlo.cosine %182 : tensor<6x12x1x2xf32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %197 = stablehlo.multiply %184, %196 : tensor<6x12x2x2xf32>
    %198 = stablehlo.add %194, %197 : tensor<6x12x2x2xf32>
    %199 = stablehlo.concatenate %191, %198, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %200 = stablehlo.dot_general %141, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %201 = stablehlo.reshape %200 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %202 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %203 = stablehlo.reshape %202 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %204 = stablehlo.broadcast_in_dim %201, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %205 = stablehlo.reshape %204 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %206 = stablehlo.dot_general %170, %203, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_20 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %208 = stablehlo.divide %206, %207 : tensor<6x6x12x12xf32>
    %cst_21 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %209 = call @_where(%128, %208, %cst_21) : (tensor<12x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12x12xf32>
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %210 = stablehlo.reduce(%209 init: %cst_22) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %212 = stablehlo.maximum %211, %210 : tensor<6x6x12xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %215 = stablehlo.subtract %209, %214 : tensor<6x6x12x12xf32>
    %216 = stablehlo.exponential %215 : tensor<6x6x12x12xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %217 = stablehlo.reduce(%216 init: %cst_24) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %218 = stablehlo.broadcast_in_dim %217, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %220 = stablehlo.divide %216, %219 : tensor<6x6x12x12xf32>
    %221 = stablehlo.dot_general %205, %220, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %222 = stablehlo.transpose %221, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %223 = stablehlo.reshape %222 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %224 = stablehlo.dot_general %223, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %225 = stablehlo.add %126, %224 : tensor<6x12x16xf32>
    %226 = stablehlo.multiply %225, %225 : tensor<6x12x16xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %227 = stablehlo.reduce(%226 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %228 = stablehlo.broadcast_in_dim %227, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_26 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %230 = stablehlo.divide %228, %229 : tensor<6x12x1xf32>
    %cst_27 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %232 = stablehlo.add %230, %231 : tensor<6x12x1xf32>
    %233 = stablehlo.rsqrt %232 : tensor<6x12x1xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %235 = stablehlo.multiply %225, %234 : tensor<6x12x16xf32>
    %236 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %237 = stablehlo.broadcast_in_dim %236, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %238 = stablehlo.multiply %235, %237 : tensor<6x12x16xf32>
    %239 = stablehlo.dot_general %238, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %240 = call @silu(%239) : (tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %241 = stablehlo.dot_general %238, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %242 = stablehlo.multiply %240, %241 : tensor<6x12x24xf32>
    %243 = stablehlo.dot_general %242, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %244 = stablehlo.add %225, %243 : tensor<6x12x16xf32>
    %245 = stablehlo.multiply %244, %244 : tensor<6x12x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%245 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %247 = stablehlo.broadcast_in_dim %246, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_29 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %249 = stablehlo.divide %247, %248 : tensor<6x12x1xf32>
    %cst_30 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %251 = stablehlo.add %249, %250 : tensor<6x12x1xf32>
    %252 = stablehlo.rsqrt %251 : tensor<6x12x1xf32>
    %253 = stablehlo.broadcast_in_dim %252, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %254 = stablehlo.multiply %244, %253 : tensor<6x12x16xf32>
    %255 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %256 = stablehlo.broadcast_in_dim %255, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %257 = stablehlo.multiply %254, %256 : tensor<6x12x16xf32>
    %258 = stablehlo.dot_general %257, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    return %258 : tensor<6x12x60xf32>
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
}
