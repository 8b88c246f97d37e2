module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<24x8xf32>, %arg2: tensor<16x24xf32>, %arg3: tensor<f32>, %arg4: tensor<24x8xf32>, %arg5: tensor<16x24xf32>, %arg6: tensor<i32>, %arg7: tensor<60x16xf32>, %arg8: tensor<24x8xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<f32>, %arg11: tensor<24x8xf32>, %arg12: tensor<16x24xf32>, %arg13: tensor<60x16xf32>, %arg14: tensor<24x8xf32>, %arg15: tensor<16x24xf32>, %arg16: tensor<f32>, %arg17: tensor<24x8xf32>, %arg18: tensor<16x24xf32>, %arg19: tensor<6x16xf32>, %arg20: tensor<6x12xi32>) -> (tensor<60x16xf32> {jax.result_info = "result[0]['embed']"}, tensor<24x8xf32> {jax.result_info = "result[0]['image']['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['image']['up']"}, tensor<f32> {jax.result_info = "result[0]['scale']"}, tensor<24x8xf32> {jax.result_info = "result[0]['text']['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['text']['up']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<60x16xf32> {jax.result_info = "result[1][0].mu['embed']"}, tensor<24x8xf32> {jax.result_info = "result[1][0].mu['image']['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['image']['up']"}, tensor<f32> {jax.result_info = "result[1][0].mu['scale']"}, tensor<24x8xf32> {jax.result_info = "result[1][0].mu['text']['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['text']['up']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].nu['embed']"}, tensor<24x8xf32> {jax.result_info = "result[1][0].nu['image']['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['image']['up']"}, tensor<f32> {jax.result_info = "result[1][0].nu['scale']"}, tensor<24x8xf32> {jax.result_info = "result[1][0].nu['text']['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['text']['up']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg19, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %1 = stablehlo.multiply %0, %0 : tensor<6x24xf32>
    %2 = stablehlo.multiply %1, %0 : tensor<6x24xf32>
    %3 = stablehlo.multiply %0, %0 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %5 = stablehlo.multiply %4, %3 : tensor<6x24xf32>
    %cst_0 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %7 = stablehlo.multiply %6, %2 : tensor<6x24xf32>
    %8 = stablehlo.add %0, %7 : tensor<6x24xf32>
    %cst_1 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<6x24xf32>
    %11 = stablehlo.tanh %10 : tensor<6x24xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %13 = stablehlo.subtract %12, %11 : tensor<6x24xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %15 = stablehlo.add %14, %11 : tensor<6x24xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<6x24xf32>
    %18 = stablehlo.multiply %0, %17 : tensor<6x24xf32>
    %19 = stablehlo.dot_general %18, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x8xf32>) -> tensor<6x8xf32>
    %20:2 = call @norm(%19) : (tensor<6x8xf32>) -> (tensor<6x1xf32>, tensor<6x1xf32>)
    %21 = stablehlo.broadcast_in_dim %20#0, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %22 = stablehlo.divide %19, %21 : tensor<6x8xf32>
    %23 = stablehlo.multiply %20#0, %20#0 : tensor<6x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %25 = stablehlo.divide %24, %23 : tensor<6x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %27 = stablehlo.compare LT, %arg20, %26, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_6 = stablehlo.constant dense<60> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %29 = stablehlo.add %arg20, %28 : tensor<6x12xi32>
    %30 = stablehlo.select %27, %29, %arg20 : tensor<6x12xi1>, tensor<6x12xi32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %32 = "stablehlo.gather"(%arg0, %31) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x16xf32>
    %cst_8 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %35 = stablehlo.divide %33, %34 : tensor<6x16xf32>
    %36 = stablehlo.dot_general %35, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %37 = stablehlo.multiply %36, %36 : tensor<6x24xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<6x24xf32>
    %39 = stablehlo.multiply %36, %36 : tensor<6x24xf32>
    %cst_9 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %41 = stablehlo.multiply %40, %39 : tensor<6x24xf32>
    %cst_10 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %43 = stablehlo.multiply %42, %38 : tensor<6x24xf32>
    %44 = stablehlo.add %36, %43 : tensor<6x24xf32>
    %cst_11 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %46 = stablehlo.multiply %45, %44 : tensor<6x24xf32>
    %47 = stablehlo.tanh %46 : tensor<6x24xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %49 = stablehlo.subtract %48, %47 : tensor<6x24xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %51 = stablehlo.add %50, %47 : tensor<6x24xf32>
    %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<6x24xf32>
    %54 = stablehlo.multiply %36, %53 : tensor<6x24xf32>
    %55 = stablehlo.dot_general %54, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x8xf32>) -> tensor<6x8xf32>
    %56:2 = call @norm(%55) : (tensor<6x8xf32>) -> (tensor<6x1xf32>, tensor<6x1xf32>)
    %57 = stablehlo.broadcast_in_dim %56#0, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %58 = stablehlo.divide %55, %57 : tensor<6x8xf32>
    %59 = stablehlo.multiply %56#0, %56#0 : tensor<6x1xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %61 = stablehlo.divide %60, %59 : tensor<6x1xf32>
    %62 = stablehlo.transpose %58, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %63 = stablehlo.dot_general %22, %62, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x6xf32>) -> tensor<6x6xf32>
    %64 = stablehlo.exponential %arg3 : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %66 = stablehlo.multiply %63, %65 : tensor<6x6xf32>
    %67 = stablehlo.iota dim = 0 : tensor<6xi32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %69:2 = call @take_along_axis(%66, %68) : (tensor<6x6xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c_16 = stablehlo.constant dense<0> : tensor<i32>
    %70:2 = call @_take(%69#0, %c_16) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %71 = stablehlo.reduce(%66 init: %cst_17) applies stablehlo.maximum across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %73 = stablehlo.maximum %72, %71 : tensor<6xf32>
    %74 = stablehlo.is_finite %73 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %76 = stablehlo.select %74, %73, %75 : tensor<6xi1>, tensor<6xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %79 = stablehlo.subtract %66, %78 : tensor<6x6xf32>
    %80 = stablehlo.exponential %79 : tensor<6x6xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.reduce(%80 init: %cst_20) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %82 = stablehlo.abs %81 : tensor<6xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %84 = stablehlo.compare GE, %81, %83, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %85 = stablehlo.log %82 : tensor<6xf32>
    %86 = stablehlo.add %85, %76 : tensor<6xf32>
    %87 = stablehlo.subtract %86, %70#0 : tensor<6xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %88 = stablehlo.reduce(%87 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %89 = stablehlo.divide %88, %cst_23 : tensor<f32>
    %90 = stablehlo.transpose %66, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %91 = stablehlo.broadcast_in_dim %67, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %92:2 = call @take_along_axis(%90, %91) : (tensor<6x6xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c_24 = stablehlo.constant dense<0> : tensor<i32>
    %93:2 = call @_take(%92#0, %c_24) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %94 = stablehlo.reduce(%90 init: %cst_25) applies stablehlo.maximum across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %96 = stablehlo.maximum %95, %94 : tensor<6xf32>
    %97 = stablehlo.is_finite %96 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %99 = stablehlo.select %97, %96, %98 : tensor<6xi1>, tensor<6xf32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x6xf32>
    %102 = stablehlo.subtract %90, %101 : tensor<6x6xf32>
    %103 = stablehlo.exponential %102 : tensor<6x6xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_28) applies stablehlo.add across dimensions = [1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<6xf32>
    %105 = stablehlo.abs %104 : tensor<6xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %107 = stablehlo.compare GE, %104, %106, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %108 = stablehlo.log %105 : tensor<6xf32>
    %109 = stablehlo.add %108, %99 : tensor<6xf32>
    %110 = stablehlo.subtract %109, %93#0 : tensor<6xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_30) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_31 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %112 = stablehlo.divide %111, %cst_31 : tensor<f32>
    %113 = stablehlo.add %89, %112 : tensor<f32>
    %cst_32 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %114 = stablehlo.divide %113, %cst_32 : tensor<f32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_34 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %115 = stablehlo.divide %cst_33, %cst_34 : tensor<f32>
    %cst_35 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %116 = stablehlo.divide %115, %cst_35 : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %118 = stablehlo.negate %117 : tensor<6xf32>
    %119 = stablehlo.divide %117, %105 : tensor<6xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %121 = stablehlo.select %107, %120, %119 : tensor<6xi1>, tensor<6xf32>
    %122 = stablehlo.select %107, %119, %120 : tensor<6xi1>, tensor<6xf32>
    %123 = stablehlo.negate %121 : tensor<6xf32>
    %124 = stablehlo.add %122, %123 : tensor<6xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
    %126 = stablehlo.multiply %125, %103 : tensor<6x6xf32>
    %127 = call @_take_0(%93#1, %118) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %128 = call @take_along_axis_1(%92#1, %127) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x6xf32>
    %129 = stablehlo.add %126, %128 : tensor<6x6xf32>
    %130 = stablehlo.transpose %129, dims = [1, 0] : (tensor<6x6xf32>) -> tensor<6x6xf32>
    %cst_37 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %131 = stablehlo.divide %115, %cst_37 : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %133 = stablehlo.negate %132 : tensor<6xf32>
    %134 = stablehlo.divide %132, %82 : tensor<6xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %136 = stablehlo.select %84, %135, %134 : tensor<6xi1>, tensor<6xf32>
    %137 = stablehlo.select %84, %134, %135 : tensor<6xi1>, tensor<6xf32>
    %138 = stablehlo.negate %136 : tensor<6xf32>
    %139 = stablehlo.add %137, %138 : tensor<6xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0] : (tensor<6xf32>) -> tensor<6x6xf32>
    %141 = stablehlo.multiply %140, %80 : tensor<6x6xf32>
    %142 = stablehlo.add %130, %141 : tensor<6x6xf32>
    %143 = call @_take_0(%70#1, %133) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %144 = call @take_along_axis_1(%69#1, %143) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x6xf32>
    %145 = stablehlo.add %142, %144 : tensor<6x6xf32>
    %146 = stablehlo.multiply %63, %145 : tensor<6x6xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.reduce(%146 init: %cst_39) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x6xf32>, tensor<f32>) -> tensor<f32>
    %148 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %149 = stablehlo.multiply %145, %148 : tensor<6x6xf32>
    %150 = stablehlo.multiply %147, %64 : tensor<f32>
    %151 = stablehlo.dot_general %149, %22, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %152 = stablehlo.transpose %151, dims = [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
    %153 = stablehlo.dot_general %149, %62, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<8x6xf32>) -> tensor<6x8xf32>
    %154 = stablehlo.transpose %152, dims = [1, 0] : (tensor<8x6xf32>) -> tensor<6x8xf32>
    %155 = stablehlo.broadcast_in_dim %61, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %156 = stablehlo.multiply %154, %155 : tensor<6x8xf32>
    %157 = stablehlo.multiply %156, %55 : tensor<6x8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %158 = stablehlo.reduce(%157 init: %cst_40) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %159 = stablehlo.reshape %158 : (tensor<6xf32>) -> tensor<6x1xf32>
    %160 = stablehlo.negate %159 : tensor<6x1xf32>
    %161 = stablehlo.broadcast_in_dim %56#0, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %162 = stablehlo.divide %154, %161 : tensor<6x8xf32>
    %163 = call @norm_2(%55, %56#1, %160) : (tensor<6x8xf32>, tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x8xf32>
    %164 = stablehlo.add %162, %163 : tensor<6x8xf32>
    %165 = stablehlo.dot_general %164, %54, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x24xf32>) -> tensor<8x24xf32>
    %166 = stablehlo.transpose %165, dims = [1, 0] : (tensor<8x24xf32>) -> tensor<24x8xf32>
    %167 = stablehlo.dot_general %164, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<24x8xf32>) -> tensor<6x24xf32>
    %168 = stablehlo.multiply %36, %167 : tensor<6x24xf32>
    %169 = stablehlo.multiply %167, %53 : tensor<6x24xf32>
    %cst_41 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %171 = stablehlo.multiply %170, %168 : tensor<6x24xf32>
    %172 = stablehlo.multiply %171, %49 : tensor<6x24xf32>
    %173 = stablehlo.multiply %172, %47 : tensor<6x24xf32>
    %174 = stablehlo.add %172, %173 : tensor<6x24xf32>
    %cst_42 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %176 = stablehlo.multiply %175, %174 : tensor<6x24xf32>
    %177 = stablehlo.add %169, %176 : tensor<6x24xf32>
    %cst_43 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %179 = stablehlo.multiply %178, %176 : tensor<6x24xf32>
    %180 = stablehlo.multiply %179, %41 : tensor<6x24xf32>
    %181 = stablehlo.add %177, %180 : tensor<6x24xf32>
    %182 = stablehlo.dot_general %181, %35, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %183 = stablehlo.transpose %182, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %184 = stablehlo.dot_general %181, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<16x24xf32>) -> tensor<6x16xf32>
    %cst_44 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %186 = stablehlo.divide %184, %185 : tensor<6x16xf32>
    %187 = stablehlo.broadcast_in_dim %186, dims = [0, 2] : (tensor<6x16xf32>) -> tensor<6x12x16xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %189 = "stablehlo.scatter"(%188, %31, %187) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg21: tensor<f32>, %arg22: tensor<f32>):
      %380 = stablehlo.add %arg21, %arg22 : tensor<f32>
      stablehlo.return %380 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %190 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %191 = stablehlo.multiply %153, %190 : tensor<6x8xf32>
    %192 = stablehlo.multiply %191, %19 : tensor<6x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.reduce(%192 init: %cst_46) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %194 = stablehlo.reshape %193 : (tensor<6xf32>) -> tensor<6x1xf32>
    %195 = stablehlo.negate %194 : tensor<6x1xf32>
    %196 = stablehlo.broadcast_in_dim %20#0, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %197 = stablehlo.divide %153, %196 : tensor<6x8xf32>
    %198 = call @norm_2(%19, %20#1, %195) : (tensor<6x8xf32>, tensor<6x1xf32>, tensor<6x1xf32>) -> tensor<6x8xf32>
    %199 = stablehlo.add %197, %198 : tensor<6x8xf32>
    %200 = stablehlo.dot_general %199, %18, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x24xf32>) -> tensor<8x24xf32>
    %201 = stablehlo.transpose %200, dims = [1, 0] : (tensor<8x24xf32>) -> tensor<24x8xf32>
    %202 = stablehlo.dot_general %199, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<24x8xf32>) -> tensor<6x24xf32>
    %203 = stablehlo.multiply %0, %202 : tensor<6x24xf32>
    %204 = stablehlo.multiply %202, %17 : tensor<6x24xf32>
    %cst_47 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %205 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %206 = stablehlo.multiply %205, %203 : tensor<6x24xf32>
    %207 = stablehlo.multiply %206, %13 : tensor<6x24xf32>
    %208 = stablehlo.multiply %207, %11 : tensor<6x24xf32>
    %209 = stablehlo.add %207, %208 : tensor<6x24xf32>
    %cst_48 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %211 = stablehlo.multiply %210, %209 : tensor<6x24xf32>
    %212 = stablehlo.add %204, %211 : tensor<6x24xf32>
    %cst_49 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %214 = stablehlo.multiply %213, %211 : tensor<6x24xf32>
    %215 = stablehlo.multiply %214, %5 : tensor<6x24xf32>
    %216 = stablehlo.add %212, %215 : tensor<6x24xf32>
    %217 = stablehlo.dot_general %216, %arg19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %218 = stablehlo.transpose %217, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %cst_50 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %219 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %220 = stablehlo.multiply %219, %189 : tensor<60x16xf32>
    %cst_51 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %222 = stablehlo.multiply %221, %arg7 : tensor<60x16xf32>
    %223 = stablehlo.add %220, %222 : tensor<60x16xf32>
    %cst_52 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %225 = stablehlo.multiply %224, %201 : tensor<24x8xf32>
    %cst_53 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %227 = stablehlo.multiply %226, %arg8 : tensor<24x8xf32>
    %228 = stablehlo.add %225, %227 : tensor<24x8xf32>
    %cst_54 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %229 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %230 = stablehlo.multiply %229, %218 : tensor<16x24xf32>
    %cst_55 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %232 = stablehlo.multiply %231, %arg9 : tensor<16x24xf32>
    %233 = stablehlo.add %230, %232 : tensor<16x24xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %234 = stablehlo.multiply %cst_56, %150 : tensor<f32>
    %cst_57 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %235 = stablehlo.multiply %cst_57, %arg10 : tensor<f32>
    %236 = stablehlo.add %234, %235 : tensor<f32>
    %cst_58 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %238 = stablehlo.multiply %237, %166 : tensor<24x8xf32>
    %cst_59 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %240 = stablehlo.multiply %239, %arg11 : tensor<24x8xf32>
    %241 = stablehlo.add %238, %240 : tensor<24x8xf32>
    %cst_60 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %243 = stablehlo.multiply %242, %183 : tensor<16x24xf32>
    %cst_61 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %245 = stablehlo.multiply %244, %arg12 : tensor<16x24xf32>
    %246 = stablehlo.add %243, %245 : tensor<16x24xf32>
    %247 = stablehlo.multiply %189, %189 : tensor<60x16xf32>
    %cst_62 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %249 = stablehlo.multiply %248, %247 : tensor<60x16xf32>
    %cst_63 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %251 = stablehlo.multiply %250, %arg13 : tensor<60x16xf32>
    %252 = stablehlo.add %249, %251 : tensor<60x16xf32>
    %253 = stablehlo.multiply %201, %201 : tensor<24x8xf32>
    %cst_64 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %254 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %255 = stablehlo.multiply %254, %253 : tensor<24x8xf32>
    %cst_65 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %257 = stablehlo.multiply %256, %arg14 : tensor<24x8xf32>
    %258 = stablehlo.add %255, %257 : tensor<24x8xf32>
    %259 = stablehlo.multiply %218, %218 : tensor<16x24xf32>
    %cst_66 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %260 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %261 = stablehlo.multiply %260, %259 : tensor<16x24xf32>
    %cst_67 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %262 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %263 = stablehlo.multiply %262, %arg15 : tensor<16x24xf32>
    %264 = stablehlo.add %261, %263 : tensor<16x24xf32>
    %265 = stablehlo.multiply %150, %150 : tensor<f32>
    %cst_68 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %266 = stablehlo.multiply %cst_68, %265 : tensor<f32>
    %cst_69 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %267 = stablehlo.multiply %cst_69, %arg16 : tensor<f32>
    %268 = stablehlo.add %266, %267 : tensor<f32>
    %269 = stablehlo.multiply %166, %166 : tensor<24x8xf32>
    %cst_70 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %271 = stablehlo.multiply %270, %269 : tensor<24x8xf32>
    %cst_71 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %273 = stablehlo.multiply %272, %arg17 : tensor<24x8xf32>
    %274 = stablehlo.add %271, %273 : tensor<24x8xf32>
    %275 = stablehlo.multiply %183, %183 : tensor<16x24xf32>
    %cst_72 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %277 = stablehlo.multiply %276, %275 : tensor<16x24xf32>
    %cst_73 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %278 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %279 = stablehlo.multiply %278, %arg18 : tensor<16x24xf32>
    %280 = stablehlo.add %277, %279 : tensor<16x24xf32>
    %c_74 = stablehlo.constant dense<2147483647> : tensor<i32>
    %281 = stablehlo.compare LT, %arg6, %c_74, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_75 = stablehlo.constant dense<1> : tensor<i32>
    %282 = stablehlo.add %arg6, %c_75 : tensor<i32>
    %c_76 = stablehlo.constant dense<2147483647> : tensor<i32>
    %283 = call @_where_3(%281, %282, %c_76) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_77 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %284 = stablehlo.convert %283 : (tensor<i32>) -> tensor<f32>
    %285 = stablehlo.power %cst_77, %284 : tensor<f32>
    %cst_78 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %286 = stablehlo.subtract %cst_78, %285 : tensor<f32>
    %287 = stablehlo.broadcast_in_dim %286, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %288 = stablehlo.divide %223, %287 : tensor<60x16xf32>
    %289 = stablehlo.broadcast_in_dim %286, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %290 = stablehlo.divide %228, %289 : tensor<24x8xf32>
    %291 = stablehlo.broadcast_in_dim %286, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %292 = stablehlo.divide %233, %291 : tensor<16x24xf32>
    %293 = stablehlo.divide %236, %286 : tensor<f32>
    %294 = stablehlo.broadcast_in_dim %286, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %295 = stablehlo.divide %241, %294 : tensor<24x8xf32>
    %296 = stablehlo.broadcast_in_dim %286, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %297 = stablehlo.divide %246, %296 : tensor<16x24xf32>
    %cst_79 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %298 = stablehlo.convert %283 : (tensor<i32>) -> tensor<f32>
    %299 = stablehlo.power %cst_79, %298 : tensor<f32>
    %cst_80 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %300 = stablehlo.subtract %cst_80, %299 : tensor<f32>
    %301 = stablehlo.broadcast_in_dim %300, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %302 = stablehlo.divide %252, %301 : tensor<60x16xf32>
    %303 = stablehlo.broadcast_in_dim %300, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %304 = stablehlo.divide %258, %303 : tensor<24x8xf32>
    %305 = stablehlo.broadcast_in_dim %300, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %306 = stablehlo.divide %264, %305 : tensor<16x24xf32>
    %307 = stablehlo.divide %268, %300 : tensor<f32>
    %308 = stablehlo.broadcast_in_dim %300, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %309 = stablehlo.divide %274, %308 : tensor<24x8xf32>
    %310 = stablehlo.broadcast_in_dim %300, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %311 = stablehlo.divide %280, %310 : tensor<16x24xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %313 = stablehlo.add %302, %312 : tensor<60x16xf32>
    %314 = stablehlo.sqrt %313 : tensor<60x16xf32>
    %cst_82 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %315 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %316 = stablehlo.add %314, %315 : tensor<60x16xf32>
    %317 = stablehlo.divide %288, %316 : tensor<60x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %319 = stablehlo.add %304, %318 : tensor<24x8xf32>
    %320 = stablehlo.sqrt %319 : tensor<24x8xf32>
    %cst_84 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %321 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %322 = stablehlo.add %320, %321 : tensor<24x8xf32>
    %323 = stablehlo.divide %290, %322 : tensor<24x8xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %325 = stablehlo.add %306, %324 : tensor<16x24xf32>
    %326 = stablehlo.sqrt %325 : tensor<16x24xf32>
    %cst_86 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %327 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %328 = stablehlo.add %326, %327 : tensor<16x24xf32>
    %329 = stablehlo.divide %292, %328 : tensor<16x24xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %330 = stablehlo.add %307, %cst_87 : tensor<f32>
    %331 = stablehlo.sqrt %330 : tensor<f32>
    %cst_88 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %332 = stablehlo.add %331, %cst_88 : tensor<f32>
    %333 = stablehlo.divide %293, %332 : tensor<f32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %334 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %335 = stablehlo.add %309, %334 : tensor<24x8xf32>
    %336 = stablehlo.sqrt %335 : tensor<24x8xf32>
    %cst_90 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %337 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %338 = stablehlo.add %336, %337 : tensor<24x8xf32>
    %339 = stablehlo.divide %295, %338 : tensor<24x8xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %341 = stablehlo.add %311, %340 : tensor<16x24xf32>
    %342 = stablehlo.sqrt %341 : tensor<16x24xf32>
    %cst_92 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %343 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %344 = stablehlo.add %342, %343 : tensor<16x24xf32>
    %345 = stablehlo.divide %297, %344 : tensor<16x24xf32>
    %cst_93 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %346 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %347 = stablehlo.multiply %346, %arg0 : tensor<60x16xf32>
    %348 = stablehlo.add %317, %347 : tensor<60x16xf32>
    %cst_94 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %349 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %350 = stablehlo.multiply %349, %arg1 : tensor<24x8xf32>
    %351 = stablehlo.add %323, %350 : tensor<24x8xf32>
    %cst_95 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %353 = stablehlo.multiply %352, %arg2 : tensor<16x24xf32>
    %354 = stablehlo.add %329, %353 : tensor<16x24xf32>
    %cst_96 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %355 = stablehlo.multiply %cst_96, %arg3 : tensor<f32>
    %356 = stablehlo.add %333, %355 : tensor<f32>
    %cst_97 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %357 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %358 = stablehlo.multiply %357, %arg4 : tensor<24x8xf32>
    %359 = stablehlo.add %339, %358 : tensor<24x8xf32>
    %cst_98 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %360 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %361 = stablehlo.multiply %360, %arg5 : tensor<16x24xf32>
    %362 = stablehlo.add %345, %361 : tensor<16x24xf32>
    %cst_99 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %363 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %364 = stablehlo.multiply %363, %348 : tensor<60x16xf32>
    %cst_100 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %365 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %366 = stablehlo.multiply %365, %351 : tensor<24x8xf32>
    %cst_101 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %367 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %368 = stablehlo.multiply %367, %354 : tensor<16x24xf32>
    %cst_102 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %369 = stablehlo.multiply %cst_102, %356 : tensor<f32>
    %cst_103 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %370 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %371 = stablehlo.multiply %370, %359 : tensor<24x8xf32>
    %cst_104 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %372 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %373 = stablehlo.multiply %372, %362 : tensor<16x24xf32>
    %374 = stablehlo.add %arg0, %364 : tensor<60x16xf32>
    %375 = stablehlo.add %arg1, %366 : tensor<24x8xf32>
    %376 = stablehlo.add %arg2, %368 : tensor<16x24xf32>
    %377 = stablehlo.add %arg3, %369 : tensor<f32>
    %378 = stablehlo.add %arg4, %371 : tensor<24x8xf32>
    %379 = stablehlo.add %arg5, %373 : tensor<16x24xf32>
    return %374, %375, %376, %377, %378, %379, %283, %223, %228, %233, %236, %241, %246, %252, %258, %264, %268, %274, %280, %114 : tensor<60x16xf32>, tensor<24x8xf32>, tensor<16x24xf32>, tensor<f32>, tensor<24x8xf32>, tensor<16x24xf32>, tensor<i32>, tensor<60x16xf32>, tensor<24x8xf32>, tensor<16x24xf32>, tensor<f32>, tensor<24x8xf32>, tensor<16x24xf32>, tensor<60x16xf32>, tensor<24x8xf32>, tensor<16x24xf32>, tensor<f32>, tensor<24x8xf32>, tensor<16x24xf32>, tensor<f32>
  }
  func.func private @norm(%arg0: tensor<6x8xf32>) -> (tensor<6x1xf32>, tensor<6x1xf32>) {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %3 = stablehlo.sqrt %2 : tensor<6x1xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x1xf32>
    return %3, %5 : tensor<6x1xf32>, tensor<6x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x6xf32>, %arg1: tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %c_0 = stablehlo.constant dense<6> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x1xi1>, tensor<6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
    %c_1 = stablehlo.constant dense<5> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x1x1xi1>, tensor<i1>) -> tensor<6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x6xf32>, tensor<6x1x1xi32>) -> tensor<6x1xf32>
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
    %2 = call @_where(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_0(%arg0: tensor<1xi32>, %arg1: tensor<6xf32>) -> tensor<6x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x1xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    return %1 : tensor<6x1xf32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<6x1x1xi32>, %arg1: tensor<6x1xf32>) -> tensor<6x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x6xf32>, tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x6xf32>
    return %1 : tensor<6x6xf32>
  }
  func.func private @norm_2(%arg0: tensor<6x8xf32>, %arg1: tensor<6x1xf32>, %arg2: tensor<6x1xf32>) -> tensor<6x8xf32> {
    %0 = stablehlo.multiply %arg2, %arg1 : tensor<6x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %3 = stablehlo.multiply %arg0, %2 : tensor<6x8xf32>
    %4 = stablehlo.multiply %2, %arg0 : tensor<6x8xf32>
    %5 = stablehlo.add %3, %4 : tensor<6x8xf32>
    return %5 : tensor<6x8xf32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
