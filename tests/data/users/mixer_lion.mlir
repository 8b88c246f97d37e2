module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x5xf32>, %arg1: tensor<24x16xf32>, %arg2: tensor<16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<20x12xf32>, %arg7: tensor<12x20xf32>, %arg8: tensor<16x24xf32>, %arg9: tensor<24x16xf32>, %arg10: tensor<16xf32>, %arg11: tensor<16xf32>, %arg12: tensor<16xf32>, %arg13: tensor<16xf32>, %arg14: tensor<20x12xf32>, %arg15: tensor<12x20xf32>, %arg16: tensor<16x24xf32>, %arg17: tensor<i32>, %arg18: tensor<16x5xf32>, %arg19: tensor<24x16xf32>, %arg20: tensor<16xf32>, %arg21: tensor<16xf32>, %arg22: tensor<16xf32>, %arg23: tensor<16xf32>, %arg24: tensor<20x12xf32>, %arg25: tensor<12x20xf32>, %arg26: tensor<16x24xf32>, %arg27: tensor<24x16xf32>, %arg28: tensor<16xf32>, %arg29: tensor<16xf32>, %arg30: tensor<16xf32>, %arg31: tensor<16xf32>, %arg32: tensor<20x12xf32>, %arg33: tensor<12x20xf32>, %arg34: tensor<16x24xf32>, %arg35: tensor<6x12x16xf32>, %arg36: tensor<6xi32>) -> (tensor<16x5xf32> {jax.result_info = "result[0]['head']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][0]['down']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm2']['scale']"}, tensor<20x12xf32> {jax.result_info = "result[0]['layers'][0]['tokens_down']"}, tensor<12x20xf32> {jax.result_info = "result[0]['layers'][0]['tokens_up']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['up']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][1]['down']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm2']['scale']"}, tensor<20x12xf32> {jax.result_info = "result[0]['layers'][1]['tokens_down']"}, tensor<12x20xf32> {jax.result_info = "result[0]['layers'][1]['tokens_up']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][1]['up']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<16x5xf32> {jax.result_info = "result[1][0].mu['head']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['down']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['norm2']['scale']"}, tensor<20x12xf32> {jax.result_info = "result[1][0].mu['layers'][0]['tokens_down']"}, tensor<12x20xf32> {jax.result_info = "result[1][0].mu['layers'][0]['tokens_up']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][0]['up']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['layers'][1]['down']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][1]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][1]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][1]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][1]['norm2']['scale']"}, tensor<20x12xf32> {jax.result_info = "result[1][0].mu['layers'][1]['tokens_down']"}, tensor<12x20xf32> {jax.result_info = "result[1][0].mu['layers'][1]['tokens_up']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][1]['up']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg35 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6x12x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_var(%arg35, %c) : (tensor<6x12x16xf32>, tensor<i32>) -> tensor<6x12x1xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %6 = stablehlo.subtract %arg35, %5 : tensor<6x12x16xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %8 = stablehlo.add %4, %7 : tensor<6x12x1xf32>
    %9 = stablehlo.rsqrt %8 : tensor<6x12x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %11 = stablehlo.multiply %6, %10 : tensor<6x12x16xf32>
    %12 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %14 = stablehlo.multiply %11, %13 : tensor<6x12x16xf32>
    %15 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %17 = stablehlo.add %14, %16 : tensor<6x12x16xf32>
    %18 = stablehlo.transpose %17, dims = [0, 2, 1] : (tensor<6x12x16xf32>) -> tensor<6x16x12xf32>
    %19 = stablehlo.dot_general %18, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16x12xf32>, tensor<12x20xf32>) -> tensor<6x16x20xf32>
    %20 = stablehlo.multiply %19, %19 : tensor<6x16x20xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<6x16x20xf32>
    %22 = stablehlo.multiply %19, %19 : tensor<6x16x20xf32>
    %cst_2 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %24 = stablehlo.multiply %23, %22 : tensor<6x16x20xf32>
    %cst_3 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %26 = stablehlo.multiply %25, %21 : tensor<6x16x20xf32>
    %27 = stablehlo.add %19, %26 : tensor<6x16x20xf32>
    %cst_4 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %29 = stablehlo.multiply %28, %27 : tensor<6x16x20xf32>
    %30 = stablehlo.tanh %29 : tensor<6x16x20xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %32 = stablehlo.subtract %31, %30 : tensor<6x16x20xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %34 = stablehlo.add %33, %30 : tensor<6x16x20xf32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<6x16x20xf32>
    %37 = stablehlo.multiply %19, %36 : tensor<6x16x20xf32>
    %38 = stablehlo.dot_general %37, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16x20xf32>, tensor<20x12xf32>) -> tensor<6x16x12xf32>
    %39 = stablehlo.transpose %38, dims = [0, 2, 1] : (tensor<6x16x12xf32>) -> tensor<6x12x16xf32>
    %40 = stablehlo.add %arg35, %39 : tensor<6x12x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_9 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %44 = stablehlo.divide %42, %43 : tensor<6x12x1xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %45:4 = call @_var_0(%40, %c_10) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %46 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %47 = stablehlo.subtract %40, %46 : tensor<6x12x16xf32>
    %cst_11 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %49 = stablehlo.add %45#0, %48 : tensor<6x12x1xf32>
    %50 = stablehlo.rsqrt %49 : tensor<6x12x1xf32>
    %51 = stablehlo.divide %50, %49 : tensor<6x12x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<6x12x1xf32>
    %54 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %55 = stablehlo.multiply %47, %54 : tensor<6x12x16xf32>
    %56 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %58 = stablehlo.multiply %55, %57 : tensor<6x12x16xf32>
    %59 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %61 = stablehlo.add %58, %60 : tensor<6x12x16xf32>
    %62 = stablehlo.dot_general %61, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %63 = stablehlo.multiply %62, %62 : tensor<6x12x24xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<6x12x24xf32>
    %65 = stablehlo.multiply %62, %62 : tensor<6x12x24xf32>
    %cst_13 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<6x12x24xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %69 = stablehlo.multiply %68, %64 : tensor<6x12x24xf32>
    %70 = stablehlo.add %62, %69 : tensor<6x12x24xf32>
    %cst_15 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %72 = stablehlo.multiply %71, %70 : tensor<6x12x24xf32>
    %73 = stablehlo.tanh %72 : tensor<6x12x24xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %75 = stablehlo.subtract %74, %73 : tensor<6x12x24xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %77 = stablehlo.add %76, %73 : tensor<6x12x24xf32>
    %cst_18 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %79 = stablehlo.multiply %78, %77 : tensor<6x12x24xf32>
    %80 = stablehlo.multiply %62, %79 : tensor<6x12x24xf32>
    %81 = stablehlo.dot_general %80, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %82 = stablehlo.add %40, %81 : tensor<6x12x16xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_20 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %86 = stablehlo.divide %84, %85 : tensor<6x12x1xf32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %87:4 = call @_var_0(%82, %c_21) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %88 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %89 = stablehlo.subtract %82, %88 : tensor<6x12x16xf32>
    %cst_22 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %91 = stablehlo.add %87#0, %90 : tensor<6x12x1xf32>
    %92 = stablehlo.rsqrt %91 : tensor<6x12x1xf32>
    %93 = stablehlo.divide %92, %91 : tensor<6x12x1xf32>
    %cst_23 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %95 = stablehlo.multiply %94, %93 : tensor<6x12x1xf32>
    %96 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %97 = stablehlo.multiply %89, %96 : tensor<6x12x16xf32>
    %98 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %100 = stablehlo.multiply %97, %99 : tensor<6x12x16xf32>
    %101 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %103 = stablehlo.add %100, %102 : tensor<6x12x16xf32>
    %104 = stablehlo.transpose %103, dims = [0, 2, 1] : (tensor<6x12x16xf32>) -> tensor<6x16x12xf32>
    %105 = stablehlo.dot_general %104, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16x12xf32>, tensor<12x20xf32>) -> tensor<6x16x20xf32>
    %106 = stablehlo.multiply %105, %105 : tensor<6x16x20xf32>
    %107 = stablehlo.multiply %106, %105 : tensor<6x16x20xf32>
    %108 = stablehlo.multiply %105, %105 : tensor<6x16x20xf32>
    %cst_24 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %110 = stablehlo.multiply %109, %108 : tensor<6x16x20xf32>
    %cst_25 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %112 = stablehlo.multiply %111, %107 : tensor<6x16x20xf32>
    %113 = stablehlo.add %105, %112 : tensor<6x16x20xf32>
    %cst_26 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<6x16x20xf32>
    %116 = stablehlo.tanh %115 : tensor<6x16x20xf32>
    %cst_27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %118 = stablehlo.subtract %117, %116 : tensor<6x16x20xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %120 = stablehlo.add %119, %116 : tensor<6x16x20xf32>
    %cst_29 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %122 = stablehlo.multiply %121, %120 : tensor<6x16x20xf32>
    %123 = stablehlo.multiply %105, %122 : tensor<6x16x20xf32>
    %124 = stablehlo.dot_general %123, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16x20xf32>, tensor<20x12xf32>) -> tensor<6x16x12xf32>
    %125 = stablehlo.transpose %124, dims = [0, 2, 1] : (tensor<6x16x12xf32>) -> tensor<6x12x16xf32>
    %126 = stablehlo.add %82, %125 : tensor<6x12x16xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %127 = stablehlo.reduce(%126 init: %cst_30) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_31 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %130 = stablehlo.divide %128, %129 : tensor<6x12x1xf32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %131:4 = call @_var_0(%126, %c_32) : (tensor<6x12x16xf32>, tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>)
    %132 = stablehlo.broadcast_in_dim %130, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %133 = stablehlo.subtract %126, %132 : tensor<6x12x16xf32>
    %cst_33 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %135 = stablehlo.add %131#0, %134 : tensor<6x12x1xf32>
    %136 = stablehlo.rsqrt %135 : tensor<6x12x1xf32>
    %137 = stablehlo.divide %136, %135 : tensor<6x12x1xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %139 = stablehlo.multiply %138, %137 : tensor<6x12x1xf32>
    %140 = stablehlo.broadcast_in_dim %136, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %141 = stablehlo.multiply %133, %140 : tensor<6x12x16xf32>
    %142 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %143 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %144 = stablehlo.multiply %141, %143 : tensor<6x12x16xf32>
    %145 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %147 = stablehlo.add %144, %146 : tensor<6x12x16xf32>
    %148 = stablehlo.dot_general %147, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %149 = stablehlo.multiply %148, %148 : tensor<6x12x24xf32>
    %150 = stablehlo.multiply %149, %148 : tensor<6x12x24xf32>
    %151 = stablehlo.multiply %148, %148 : tensor<6x12x24xf32>
    %cst_35 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %153 = stablehlo.multiply %152, %151 : tensor<6x12x24xf32>
    %cst_36 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %155 = stablehlo.multiply %154, %150 : tensor<6x12x24xf32>
    %156 = stablehlo.add %148, %155 : tensor<6x12x24xf32>
    %cst_37 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %158 = stablehlo.multiply %157, %156 : tensor<6x12x24xf32>
    %159 = stablehlo.tanh %158 : tensor<6x12x24xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %161 = stablehlo.subtract %160, %159 : tensor<6x12x24xf32>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %163 = stablehlo.add %162, %159 : tensor<6x12x24xf32>
    %cst_40 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %165 = stablehlo.multiply %164, %163 : tensor<6x12x24xf32>
    %166 = stablehlo.multiply %148, %165 : tensor<6x12x24xf32>
    %167 = stablehlo.dot_general %166, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %168 = stablehlo.add %126, %167 : tensor<6x12x16xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_41) applies stablehlo.add across dimensions = [1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x16xf32>
    %cst_42 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %171 = stablehlo.divide %169, %170 : tensor<6x16xf32>
    %172 = stablehlo.dot_general %171, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x5xf32>) -> tensor<6x5xf32>
    %173 = stablehlo.broadcast_in_dim %arg36, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %174:2 = call @take_along_axis(%172, %173) : (tensor<6x5xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c_43 = stablehlo.constant dense<0> : tensor<i32>
    %175:2 = call @_take(%174#0, %c_43) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_44 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %176 = stablehlo.reduce(%172 init: %cst_44) applies stablehlo.maximum across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %178 = stablehlo.maximum %177, %176 : tensor<6xf32>
    %179 = stablehlo.is_finite %178 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %181 = stablehlo.select %179, %178, %180 : tensor<6xi1>, tensor<6xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x5xf32>
    %184 = stablehlo.subtract %172, %183 : tensor<6x5xf32>
    %185 = stablehlo.exponential %184 : tensor<6x5xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %186 = stablehlo.reduce(%185 init: %cst_47) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %187 = stablehlo.abs %186 : tensor<6xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %189 = stablehlo.compare GE, %186, %188, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %190 = stablehlo.log %187 : tensor<6xf32>
    %191 = stablehlo.add %190, %181 : tensor<6xf32>
    %192 = stablehlo.subtract %191, %175#0 : tensor<6xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %193 = stablehlo.reduce(%192 init: %cst_49) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_50 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %194 = stablehlo.divide %193, %cst_50 : tensor<f32>
    %cst_51 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_52 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %195 = stablehlo.divide %cst_51, %cst_52 : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %197 = stablehlo.negate %196 : tensor<6xf32>
    %198 = stablehlo.divide %196, %187 : tensor<6xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %200 = stablehlo.select %189, %199, %198 : tensor<6xi1>, tensor<6xf32>
    %201 = stablehlo.select %189, %198, %199 : tensor<6xi1>, tensor<6xf32>
    %202 = stablehlo.negate %200 : tensor<6xf32>
    %203 = stablehlo.add %201, %202 : tensor<6xf32>
    %204 = stablehlo.broadcast_in_dim %203, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
    %205 = stablehlo.multiply %204, %185 : tensor<6x5xf32>
    %206 = call @_take_3(%175#1, %197) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %207 = call @take_along_axis_4(%174#1, %206) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x5xf32>
    %208 = stablehlo.add %205, %207 : tensor<6x5xf32>
    %209 = stablehlo.dot_general %208, %171, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<6x16xf32>) -> tensor<5x16xf32>
    %210 = stablehlo.transpose %209, dims = [1, 0] : (tensor<5x16xf32>) -> tensor<16x5xf32>
    %211 = stablehlo.dot_general %208, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<16x5xf32>) -> tensor<6x16xf32>
    %cst_54 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %213 = stablehlo.divide %211, %212 : tensor<6x16xf32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [0, 2] : (tensor<6x16xf32>) -> tensor<6x12x16xf32>
    %215 = stablehlo.dot_general %214, %166, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %216 = stablehlo.transpose %215, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %217 = stablehlo.dot_general %214, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %218 = stablehlo.multiply %148, %217 : tensor<6x12x24xf32>
    %219 = stablehlo.multiply %217, %165 : tensor<6x12x24xf32>
    %cst_55 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %221 = stablehlo.multiply %220, %218 : tensor<6x12x24xf32>
    %222 = stablehlo.multiply %221, %161 : tensor<6x12x24xf32>
    %223 = stablehlo.multiply %222, %159 : tensor<6x12x24xf32>
    %224 = stablehlo.add %222, %223 : tensor<6x12x24xf32>
    %cst_56 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %226 = stablehlo.multiply %225, %224 : tensor<6x12x24xf32>
    %227 = stablehlo.add %219, %226 : tensor<6x12x24xf32>
    %cst_57 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %229 = stablehlo.multiply %228, %226 : tensor<6x12x24xf32>
    %230 = stablehlo.multiply %229, %153 : tensor<6x12x24xf32>
    %231 = stablehlo.add %227, %230 : tensor<6x12x24xf32>
    %232 = stablehlo.dot_general %231, %147, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %233 = stablehlo.transpose %232, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %234 = stablehlo.dot_general %231, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %235 = stablehlo.reduce(%234 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %236 = stablehlo.reshape %235 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237 = stablehlo.reduce(%236 init: %cst_59) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %238 = stablehlo.multiply %141, %234 : tensor<6x12x16xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %239 = stablehlo.reduce(%238 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %240 = stablehlo.reshape %239 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %241 = stablehlo.broadcast_in_dim %142, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %242 = stablehlo.multiply %234, %241 : tensor<6x12x16xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.reduce(%240 init: %cst_61) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %244 = stablehlo.multiply %133, %242 : tensor<6x12x16xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %245 = stablehlo.reduce(%244 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %246 = stablehlo.reshape %245 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %247 = stablehlo.broadcast_in_dim %136, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %248 = stablehlo.multiply %242, %247 : tensor<6x12x16xf32>
    %249 = stablehlo.multiply %246, %139 : tensor<6x12x1xf32>
    %250 = stablehlo.negate %248 : tensor<6x12x16xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %251 = stablehlo.reduce(%250 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %252 = stablehlo.reshape %251 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %253 = stablehlo.add %214, %248 : tensor<6x12x16xf32>
    %254 = call @_var_5(%131#1, %131#2, %131#3, %249) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %255 = stablehlo.add %253, %254 : tensor<6x12x16xf32>
    %cst_64 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %257 = stablehlo.divide %252, %256 : tensor<6x12x1xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%257 init: %cst_65) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %259 = stablehlo.broadcast_in_dim %258, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %260 = stablehlo.add %255, %259 : tensor<6x12x16xf32>
    %261 = stablehlo.transpose %260, dims = [0, 2, 1] : (tensor<6x12x16xf32>) -> tensor<6x16x12xf32>
    %262 = stablehlo.dot_general %261, %123, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x12xf32>, tensor<6x16x20xf32>) -> tensor<12x20xf32>
    %263 = stablehlo.transpose %262, dims = [1, 0] : (tensor<12x20xf32>) -> tensor<20x12xf32>
    %264 = stablehlo.dot_general %261, %arg14, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x12xf32>, tensor<20x12xf32>) -> tensor<6x16x20xf32>
    %265 = stablehlo.multiply %105, %264 : tensor<6x16x20xf32>
    %266 = stablehlo.multiply %264, %122 : tensor<6x16x20xf32>
    %cst_66 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %268 = stablehlo.multiply %267, %265 : tensor<6x16x20xf32>
    %269 = stablehlo.multiply %268, %118 : tensor<6x16x20xf32>
    %270 = stablehlo.multiply %269, %116 : tensor<6x16x20xf32>
    %271 = stablehlo.add %269, %270 : tensor<6x16x20xf32>
    %cst_67 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %273 = stablehlo.multiply %272, %271 : tensor<6x16x20xf32>
    %274 = stablehlo.add %266, %273 : tensor<6x16x20xf32>
    %cst_68 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %275 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %276 = stablehlo.multiply %275, %273 : tensor<6x16x20xf32>
    %277 = stablehlo.multiply %276, %110 : tensor<6x16x20xf32>
    %278 = stablehlo.add %274, %277 : tensor<6x16x20xf32>
    %279 = stablehlo.dot_general %278, %104, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x20xf32>, tensor<6x16x12xf32>) -> tensor<20x12xf32>
    %280 = stablehlo.transpose %279, dims = [1, 0] : (tensor<20x12xf32>) -> tensor<12x20xf32>
    %281 = stablehlo.dot_general %278, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x20xf32>, tensor<12x20xf32>) -> tensor<6x16x12xf32>
    %282 = stablehlo.transpose %281, dims = [0, 2, 1] : (tensor<6x16x12xf32>) -> tensor<6x12x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.reduce(%282 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %284 = stablehlo.reshape %283 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %285 = stablehlo.reduce(%284 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %286 = stablehlo.multiply %97, %282 : tensor<6x12x16xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %287 = stablehlo.reduce(%286 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %288 = stablehlo.reshape %287 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %289 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %290 = stablehlo.multiply %282, %289 : tensor<6x12x16xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.reduce(%288 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %292 = stablehlo.multiply %89, %290 : tensor<6x12x16xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %293 = stablehlo.reduce(%292 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %294 = stablehlo.reshape %293 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %295 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %296 = stablehlo.multiply %290, %295 : tensor<6x12x16xf32>
    %297 = stablehlo.multiply %294, %95 : tensor<6x12x1xf32>
    %298 = stablehlo.negate %296 : tensor<6x12x16xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_74) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %300 = stablehlo.reshape %299 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %301 = stablehlo.add %260, %296 : tensor<6x12x16xf32>
    %302 = call @_var_5(%87#1, %87#2, %87#3, %297) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %303 = stablehlo.add %301, %302 : tensor<6x12x16xf32>
    %cst_75 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %304 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %305 = stablehlo.divide %300, %304 : tensor<6x12x1xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%305 init: %cst_76) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %307 = stablehlo.broadcast_in_dim %306, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %308 = stablehlo.add %303, %307 : tensor<6x12x16xf32>
    %309 = stablehlo.dot_general %308, %80, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %310 = stablehlo.transpose %309, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %311 = stablehlo.dot_general %308, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %312 = stablehlo.multiply %62, %311 : tensor<6x12x24xf32>
    %313 = stablehlo.multiply %311, %79 : tensor<6x12x24xf32>
    %cst_77 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %314 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %315 = stablehlo.multiply %314, %312 : tensor<6x12x24xf32>
    %316 = stablehlo.multiply %315, %75 : tensor<6x12x24xf32>
    %317 = stablehlo.multiply %316, %73 : tensor<6x12x24xf32>
    %318 = stablehlo.add %316, %317 : tensor<6x12x24xf32>
    %cst_78 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %320 = stablehlo.multiply %319, %318 : tensor<6x12x24xf32>
    %321 = stablehlo.add %313, %320 : tensor<6x12x24xf32>
    %cst_79 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %322 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %323 = stablehlo.multiply %322, %320 : tensor<6x12x24xf32>
    %324 = stablehlo.multiply %323, %67 : tensor<6x12x24xf32>
    %325 = stablehlo.add %321, %324 : tensor<6x12x24xf32>
    %326 = stablehlo.dot_general %325, %61, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %327 = stablehlo.transpose %326, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %328 = stablehlo.dot_general %325, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%328 init: %cst_80) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %330 = stablehlo.reshape %329 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_81) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %332 = stablehlo.multiply %55, %328 : tensor<6x12x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %333 = stablehlo.reduce(%332 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %334 = stablehlo.reshape %333 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %335 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %336 = stablehlo.multiply %328, %335 : tensor<6x12x16xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %337 = stablehlo.reduce(%334 init: %cst_83) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %338 = stablehlo.multiply %47, %336 : tensor<6x12x16xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %339 = stablehlo.reduce(%338 init: %cst_84) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %340 = stablehlo.reshape %339 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %341 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %342 = stablehlo.multiply %336, %341 : tensor<6x12x16xf32>
    %343 = stablehlo.multiply %340, %53 : tensor<6x12x1xf32>
    %344 = stablehlo.negate %342 : tensor<6x12x16xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %345 = stablehlo.reduce(%344 init: %cst_85) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %346 = stablehlo.reshape %345 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %347 = stablehlo.add %308, %342 : tensor<6x12x16xf32>
    %348 = call @_var_5(%45#1, %45#2, %45#3, %343) : (tensor<6x12x16xf32>, tensor<f32>, tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %349 = stablehlo.add %347, %348 : tensor<6x12x16xf32>
    %cst_86 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %351 = stablehlo.divide %346, %350 : tensor<6x12x1xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %352 = stablehlo.reduce(%351 init: %cst_87) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %353 = stablehlo.broadcast_in_dim %352, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %354 = stablehlo.add %349, %353 : tensor<6x12x16xf32>
    %355 = stablehlo.transpose %354, dims = [0, 2, 1] : (tensor<6x12x16xf32>) -> tensor<6x16x12xf32>
    %356 = stablehlo.dot_general %355, %37, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x12xf32>, tensor<6x16x20xf32>) -> tensor<12x20xf32>
    %357 = stablehlo.transpose %356, dims = [1, 0] : (tensor<12x20xf32>) -> tensor<20x12xf32>
    %358 = stablehlo.dot_general %355, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x12xf32>, tensor<20x12xf32>) -> tensor<6x16x20xf32>
    %359 = stablehlo.multiply %19, %358 : tensor<6x16x20xf32>
    %360 = stablehlo.multiply %358, %36 : tensor<6x16x20xf32>
    %cst_88 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %361 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %362 = stablehlo.multiply %361, %359 : tensor<6x16x20xf32>
    %363 = stablehlo.multiply %362, %32 : tensor<6x16x20xf32>
    %364 = stablehlo.multiply %363, %30 : tensor<6x16x20xf32>
    %365 = stablehlo.add %363, %364 : tensor<6x16x20xf32>
    %cst_89 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %366 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %367 = stablehlo.multiply %366, %365 : tensor<6x16x20xf32>
    %368 = stablehlo.add %360, %367 : tensor<6x16x20xf32>
    %cst_90 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<6x16x20xf32>
    %370 = stablehlo.multiply %369, %367 : tensor<6x16x20xf32>
    %371 = stablehlo.multiply %370, %24 : tensor<6x16x20xf32>
    %372 = stablehlo.add %368, %371 : tensor<6x16x20xf32>
    %373 = stablehlo.dot_general %372, %18, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x20xf32>, tensor<6x16x12xf32>) -> tensor<20x12xf32>
    %374 = stablehlo.transpose %373, dims = [1, 0] : (tensor<20x12xf32>) -> tensor<12x20xf32>
    %375 = stablehlo.dot_general %372, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16x20xf32>, tensor<12x20xf32>) -> tensor<6x16x12xf32>
    %376 = stablehlo.transpose %375, dims = [0, 2, 1] : (tensor<6x16x12xf32>) -> tensor<6x12x16xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %377 = stablehlo.reduce(%376 init: %cst_91) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %378 = stablehlo.reshape %377 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %379 = stablehlo.reduce(%378 init: %cst_92) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %380 = stablehlo.multiply %11, %376 : tensor<6x12x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %381 = stablehlo.reduce(%380 init: %cst_93) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %382 = stablehlo.reshape %381 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %383 = stablehlo.reduce(%382 init: %cst_94) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_95 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %384 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<16x5xf32>
    %385 = stablehlo.multiply %384, %210 : tensor<16x5xf32>
    %cst_96 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %386 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<16x5xf32>
    %387 = stablehlo.multiply %386, %arg18 : tensor<16x5xf32>
    %388 = stablehlo.add %385, %387 : tensor<16x5xf32>
    %389 = stablehlo.sign %388 : tensor<16x5xf32>
    %cst_97 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %390 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %391 = stablehlo.multiply %390, %310 : tensor<24x16xf32>
    %cst_98 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %393 = stablehlo.multiply %392, %arg19 : tensor<24x16xf32>
    %394 = stablehlo.add %391, %393 : tensor<24x16xf32>
    %395 = stablehlo.sign %394 : tensor<24x16xf32>
    %cst_99 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %396 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %397 = stablehlo.multiply %396, %379 : tensor<16xf32>
    %cst_100 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %398 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %399 = stablehlo.multiply %398, %arg20 : tensor<16xf32>
    %400 = stablehlo.add %397, %399 : tensor<16xf32>
    %401 = stablehlo.sign %400 : tensor<16xf32>
    %cst_101 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %402 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %403 = stablehlo.multiply %402, %383 : tensor<16xf32>
    %cst_102 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %404 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %405 = stablehlo.multiply %404, %arg21 : tensor<16xf32>
    %406 = stablehlo.add %403, %405 : tensor<16xf32>
    %407 = stablehlo.sign %406 : tensor<16xf32>
    %cst_103 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %408 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %409 = stablehlo.multiply %408, %331 : tensor<16xf32>
    %cst_104 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %410 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %411 = stablehlo.multiply %410, %arg22 : tensor<16xf32>
    %412 = stablehlo.add %409, %411 : tensor<16xf32>
    %413 = stablehlo.sign %412 : tensor<16xf32>
    %cst_105 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %414 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %415 = stablehlo.multiply %414, %337 : tensor<16xf32>
    %cst_106 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %417 = stablehlo.multiply %416, %arg23 : tensor<16xf32>
    %418 = stablehlo.add %415, %417 : tensor<16xf32>
    %419 = stablehlo.sign %418 : tensor<16xf32>
    %cst_107 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %420 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %421 = stablehlo.multiply %420, %357 : tensor<20x12xf32>
    %cst_108 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %422 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %423 = stablehlo.multiply %422, %arg24 : tensor<20x12xf32>
    %424 = stablehlo.add %421, %423 : tensor<20x12xf32>
    %425 = stablehlo.sign %424 : tensor<20x12xf32>
    %cst_109 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %426 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %427 = stablehlo.multiply %426, %374 : tensor<12x20xf32>
    %cst_110 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %428 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %429 = stablehlo.multiply %428, %arg25 : tensor<12x20xf32>
    %430 = stablehlo.add %427, %429 : tensor<12x20xf32>
    %431 = stablehlo.sign %430 : tensor<12x20xf32>
    %cst_111 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %433 = stablehlo.multiply %432, %327 : tensor<16x24xf32>
    %cst_112 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %434 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %435 = stablehlo.multiply %434, %arg26 : tensor<16x24xf32>
    %436 = stablehlo.add %433, %435 : tensor<16x24xf32>
    %437 = stablehlo.sign %436 : tensor<16x24xf32>
    %cst_113 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %438 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %439 = stablehlo.multiply %438, %216 : tensor<24x16xf32>
    %cst_114 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %440 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %441 = stablehlo.multiply %440, %arg27 : tensor<24x16xf32>
    %442 = stablehlo.add %439, %441 : tensor<24x16xf32>
    %443 = stablehlo.sign %442 : tensor<24x16xf32>
    %cst_115 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %445 = stablehlo.multiply %444, %285 : tensor<16xf32>
    %cst_116 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %446 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %447 = stablehlo.multiply %446, %arg28 : tensor<16xf32>
    %448 = stablehlo.add %445, %447 : tensor<16xf32>
    %449 = stablehlo.sign %448 : tensor<16xf32>
    %cst_117 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %450 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %451 = stablehlo.multiply %450, %291 : tensor<16xf32>
    %cst_118 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %452 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %453 = stablehlo.multiply %452, %arg29 : tensor<16xf32>
    %454 = stablehlo.add %451, %453 : tensor<16xf32>
    %455 = stablehlo.sign %454 : tensor<16xf32>
    %cst_119 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %457 = stablehlo.multiply %456, %237 : tensor<16xf32>
    %cst_120 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %458 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %459 = stablehlo.multiply %458, %arg30 : tensor<16xf32>
    %460 = stablehlo.add %457, %459 : tensor<16xf32>
    %461 = stablehlo.sign %460 : tensor<16xf32>
    %cst_121 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %462 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %463 = stablehlo.multiply %462, %243 : tensor<16xf32>
    %cst_122 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %464 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %465 = stablehlo.multiply %464, %arg31 : tensor<16xf32>
    %466 = stablehlo.add %463, %465 : tensor<16xf32>
    %467 = stablehlo.sign %466 : tensor<16xf32>
    %cst_123 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %468 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %469 = stablehlo.multiply %468, %263 : tensor<20x12xf32>
    %cst_124 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %470 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %471 = stablehlo.multiply %470, %arg32 : tensor<20x12xf32>
    %472 = stablehlo.add %469, %471 : tensor<20x12xf32>
    %473 = stablehlo.sign %472 : tensor<20x12xf32>
    %cst_125 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %474 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %475 = stablehlo.multiply %474, %280 : tensor<12x20xf32>
    %cst_126 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %476 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %477 = stablehlo.multiply %476, %arg33 : tensor<12x20xf32>
    %478 = stablehlo.add %475, %477 : tensor<12x20xf32>
    %479 = stablehlo.sign %478 : tensor<12x20xf32>
    %cst_127 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %480 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %481 = stablehlo.multiply %480, %233 : tensor<16x24xf32>
    %cst_128 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %482 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %483 = stablehlo.multiply %482, %arg34 : tensor<16x24xf32>
    %484 = stablehlo.add %481, %483 : tensor<16x24xf32>
    %485 = stablehlo.sign %484 : tensor<16x24xf32>
    %cst_129 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %486 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<16x5xf32>
    %487 = stablehlo.multiply %486, %210 : tensor<16x5xf32>
    %cst_130 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %488 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<16x5xf32>
    %489 = stablehlo.multiply %488, %arg18 : tensor<16x5xf32>
    %490 = stablehlo.add %487, %489 : tensor<16x5xf32>
    %cst_131 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %491 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %492 = stablehlo.multiply %491, %310 : tensor<24x16xf32>
    %cst_132 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %493 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %494 = stablehlo.multiply %493, %arg19 : tensor<24x16xf32>
    %495 = stablehlo.add %492, %494 : tensor<24x16xf32>
    %cst_133 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %496 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %497 = stablehlo.multiply %496, %379 : tensor<16xf32>
    %cst_134 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %498 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %499 = stablehlo.multiply %498, %arg20 : tensor<16xf32>
    %500 = stablehlo.add %497, %499 : tensor<16xf32>
    %cst_135 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %501 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %502 = stablehlo.multiply %501, %383 : tensor<16xf32>
    %cst_136 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %503 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %504 = stablehlo.multiply %503, %arg21 : tensor<16xf32>
    %505 = stablehlo.add %502, %504 : tensor<16xf32>
    %cst_137 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %506 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %507 = stablehlo.multiply %506, %331 : tensor<16xf32>
    %cst_138 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %508 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %509 = stablehlo.multiply %508, %arg22 : tensor<16xf32>
    %510 = stablehlo.add %507, %509 : tensor<16xf32>
    %cst_139 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %511 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %512 = stablehlo.multiply %511, %337 : tensor<16xf32>
    %cst_140 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %513 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %514 = stablehlo.multiply %513, %arg23 : tensor<16xf32>
    %515 = stablehlo.add %512, %514 : tensor<16xf32>
    %cst_141 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %516 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %517 = stablehlo.multiply %516, %357 : tensor<20x12xf32>
    %cst_142 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %518 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %519 = stablehlo.multiply %518, %arg24 : tensor<20x12xf32>
    %520 = stablehlo.add %517, %519 : tensor<20x12xf32>
    %cst_143 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %521 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %522 = stablehlo.multiply %521, %374 : tensor<12x20xf32>
    %cst_144 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %523 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %524 = stablehlo.multiply %523, %arg25 : tensor<12x20xf32>
    %525 = stablehlo.add %522, %524 : tensor<12x20xf32>
    %cst_145 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %526 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %527 = stablehlo.multiply %526, %327 : tensor<16x24xf32>
    %cst_146 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %528 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %529 = stablehlo.multiply %528, %arg26 : tensor<16x24xf32>
    %530 = stablehlo.add %527, %529 : tensor<16x24xf32>
    %cst_147 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %531 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %532 = stablehlo.multiply %531, %216 : tensor<24x16xf32>
    %cst_148 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %533 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %534 = stablehlo.multiply %533, %arg27 : tensor<24x16xf32>
    %535 = stablehlo.add %532, %534 : tensor<24x16xf32>
    %cst_149 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %537 = stablehlo.multiply %536, %285 : tensor<16xf32>
    %cst_150 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %538 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %539 = stablehlo.multiply %538, %arg28 : tensor<16xf32>
    %540 = stablehlo.add %537, %539 : tensor<16xf32>
    %cst_151 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %542 = stablehlo.multiply %541, %291 : tensor<16xf32>
    %cst_152 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %543 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %544 = stablehlo.multiply %543, %arg29 : tensor<16xf32>
    %545 = stablehlo.add %542, %544 : tensor<16xf32>
    %cst_153 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %546 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %547 = stablehlo.multiply %546, %237 : tensor<16xf32>
    %cst_154 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %548 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %549 = stablehlo.multiply %548, %arg30 : tensor<16xf32>
    %550 = stablehlo.add %547, %549 : tensor<16xf32>
    %cst_155 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %551 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %552 = stablehlo.multiply %551, %243 : tensor<16xf32>
    %cst_156 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %554 = stablehlo.multiply %553, %arg31 : tensor<16xf32>
    %555 = stablehlo.add %552, %554 : tensor<16xf32>
    %cst_157 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %557 = stablehlo.multiply %556, %263 : tensor<20x12xf32>
    %cst_158 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %558 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %559 = stablehlo.multiply %558, %arg32 : tensor<20x12xf32>
    %560 = stablehlo.add %557, %559 : tensor<20x12xf32>
    %cst_159 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %562 = stablehlo.multiply %561, %280 : tensor<12x20xf32>
    %cst_160 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %564 = stablehlo.multiply %563, %arg33 : tensor<12x20xf32>
    %565 = stablehlo.add %562, %564 : tensor<12x20xf32>
    %cst_161 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %567 = stablehlo.multiply %566, %233 : tensor<16x24xf32>
    %cst_162 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %569 = stablehlo.multiply %568, %arg34 : tensor<16x24xf32>
    %570 = stablehlo.add %567, %569 : tensor<16x24xf32>
    %c_163 = stablehlo.constant dense<2147483647> : tensor<i32>
    %571 = stablehlo.compare LT, %arg17, %c_163, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_164 = stablehlo.constant dense<1> : tensor<i32>
    %572 = stablehlo.add %arg17, %c_164 : tensor<i32>
    %c_165 = stablehlo.constant dense<2147483647> : tensor<i32>
    %573 = call @_where_7(%571, %572, %c_165) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_166 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<16x5xf32>
    %575 = stablehlo.multiply %574, %arg0 : tensor<16x5xf32>
    %576 = stablehlo.add %389, %575 : tensor<16x5xf32>
    %cst_167 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %578 = stablehlo.multiply %577, %arg1 : tensor<24x16xf32>
    %579 = stablehlo.add %395, %578 : tensor<24x16xf32>
    %cst_168 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %581 = stablehlo.multiply %580, %arg2 : tensor<16xf32>
    %582 = stablehlo.add %401, %581 : tensor<16xf32>
    %cst_169 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %583 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %584 = stablehlo.multiply %583, %arg3 : tensor<16xf32>
    %585 = stablehlo.add %407, %584 : tensor<16xf32>
    %cst_170 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %587 = stablehlo.multiply %586, %arg4 : tensor<16xf32>
    %588 = stablehlo.add %413, %587 : tensor<16xf32>
    %cst_171 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %589 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %590 = stablehlo.multiply %589, %arg5 : tensor<16xf32>
    %591 = stablehlo.add %419, %590 : tensor<16xf32>
    %cst_172 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %592 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %593 = stablehlo.multiply %592, %arg6 : tensor<20x12xf32>
    %594 = stablehlo.add %425, %593 : tensor<20x12xf32>
    %cst_173 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %595 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %596 = stablehlo.multiply %595, %arg7 : tensor<12x20xf32>
    %597 = stablehlo.add %431, %596 : tensor<12x20xf32>
    %cst_174 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %599 = stablehlo.multiply %598, %arg8 : tensor<16x24xf32>
    %600 = stablehlo.add %437, %599 : tensor<16x24xf32>
    %cst_175 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %601 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %602 = stablehlo.multiply %601, %arg9 : tensor<24x16xf32>
    %603 = stablehlo.add %443, %602 : tensor<24x16xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %604 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %605 = stablehlo.multiply %604, %arg10 : tensor<16xf32>
    %606 = stablehlo.add %449, %605 : tensor<16xf32>
    %cst_177 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %607 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %608 = stablehlo.multiply %607, %arg11 : tensor<16xf32>
    %609 = stablehlo.add %455, %608 : tensor<16xf32>
    %cst_178 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %610 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %611 = stablehlo.multiply %610, %arg12 : tensor<16xf32>
    %612 = stablehlo.add %461, %611 : tensor<16xf32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %613 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %614 = stablehlo.multiply %613, %arg13 : tensor<16xf32>
    %615 = stablehlo.add %467, %614 : tensor<16xf32>
    %cst_180 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %616 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %617 = stablehlo.multiply %616, %arg14 : tensor<20x12xf32>
    %618 = stablehlo.add %473, %617 : tensor<20x12xf32>
    %cst_181 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %619 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %620 = stablehlo.multiply %619, %arg15 : tensor<12x20xf32>
    %621 = stablehlo.add %479, %620 : tensor<12x20xf32>
    %cst_182 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %622 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %623 = stablehlo.multiply %622, %arg16 : tensor<16x24xf32>
    %624 = stablehlo.add %485, %623 : tensor<16x24xf32>
    %cst_183 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %625 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<16x5xf32>
    %626 = stablehlo.multiply %625, %576 : tensor<16x5xf32>
    %cst_184 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %627 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %628 = stablehlo.multiply %627, %579 : tensor<24x16xf32>
    %cst_185 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %629 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %630 = stablehlo.multiply %629, %582 : tensor<16xf32>
    %cst_186 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %632 = stablehlo.multiply %631, %585 : tensor<16xf32>
    %cst_187 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %634 = stablehlo.multiply %633, %588 : tensor<16xf32>
    %cst_188 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %635 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %636 = stablehlo.multiply %635, %591 : tensor<16xf32>
    %cst_189 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %637 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %638 = stablehlo.multiply %637, %594 : tensor<20x12xf32>
    %cst_190 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %639 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %640 = stablehlo.multiply %639, %597 : tensor<12x20xf32>
    %cst_191 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %641 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %642 = stablehlo.multiply %641, %600 : tensor<16x24xf32>
    %cst_192 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %643 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %644 = stablehlo.multiply %643, %603 : tensor<24x16xf32>
    %cst_193 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %645 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %646 = stablehlo.multiply %645, %606 : tensor<16xf32>
    %cst_194 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %647 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %648 = stablehlo.multiply %647, %609 : tensor<16xf32>
    %cst_195 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %649 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %650 = stablehlo.multiply %649, %612 : tensor<16xf32>
    %cst_196 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %652 = stablehlo.multiply %651, %615 : tensor<16xf32>
    %cst_197 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %653 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<20x12xf32>
    %654 = stablehlo.multiply %653, %618 : tensor<20x12xf32>
    %cst_198 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %655 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %656 = stablehlo.multiply %655, %621 : tensor<12x20xf32>
    %cst_199 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %657 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %658 = stablehlo.multiply %657, %624 : tensor<16x24xf32>
    %659 = stablehlo.add %arg0, %626 : tensor<16x5xf32>
    %660 = stablehlo.add %arg1, %628 : tensor<24x16xf32>
    %661 = stablehlo.add %arg2, %630 : tensor<16xf32>
    %662 = stablehlo.add %arg3, %632 : tensor<16xf32>
    %663 = stablehlo.add %arg4, %634 : tensor<16xf32>
    %664 = stablehlo.add %arg5, %636 : tensor<16xf32>
    %665 = stablehlo.add %arg6, %638 : tensor<20x12xf32>
    %666 = stablehlo.add %arg7, %640 : tensor<12x20xf32>
    %667 = stablehlo.add %arg8, %642 : tensor<16x24xf32>
    %668 = stablehlo.add %arg9, %644 : tensor<24x16xf32>
    %669 = stablehlo.add %arg10, %646 : tensor<16xf32>
    %670 = stablehlo.add %arg11, %648 : tensor<16xf32>
    %671 = stablehlo.add %arg12, %650 : tensor<16xf32>
    %672 = stablehlo.add %arg13, %652 : tensor<16xf32>
    %673 = stablehlo.add %arg14, %654 : tensor<20x12xf32>
    %674 = stablehlo.add %arg15, %656 : tensor<12x20xf32>
    %675 = stablehlo.add %arg16, %658 : tensor<16x24xf32>
    return %659, %660, %661, %662, %663, %664, %665, %666, %667, %668, %669, %670, %671, %672, %673, %674, %675, %573, %490, %495, %500, %505, %510, %515, %520, %525, %530, %535, %540, %545, %550, %555, %560, %565, %570, %194 : tensor<16x5xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<20x12xf32>, tensor<12x20xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<20x12xf32>, tensor<12x20xf32>, tensor<16x24xf32>, tensor<i32>, tensor<16x5xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<20x12xf32>, tensor<12x20xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<20x12xf32>, tensor<12x20xf32>, tensor<16x24xf32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<6x12x16xf32>, %arg1: tensor<i32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6x12x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x12x16xf32>
    %6 = chlo.square %5 : tensor<6x12x16xf32> -> tensor<6x12x16xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<6x12x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12x1xf32>
    return %14 : tensor<6x12x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<6x12x1xf32>, %arg2: tensor<f32>) -> tensor<6x12x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<6x12x1xf32>
    return %2 : tensor<6x12x1xf32>
  }
  func.func private @_var_0(%arg0: tensor<6x12x16xf32>, %arg1: tensor<i32>) -> (tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>) {
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
    %16 = call @_where_1(%15, %14, %cst_5) : (tensor<i1>, tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12x1xf32>
    return %16, %8, %10, %15 : tensor<6x12x1xf32>, tensor<6x12x16xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<6x12x1xf32>, %arg2: tensor<f32>) -> tensor<6x12x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<6x12x1xf32>
    return %2 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x5xf32>, %arg1: tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %c_0 = stablehlo.constant dense<5> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x1xi1>, tensor<6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
    %c_1 = stablehlo.constant dense<4> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x1x1xi1>, tensor<i1>) -> tensor<6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x5xf32>, tensor<6x1x1xi32>) -> tensor<6x1xf32>
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
    %2 = call @_where_2(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_3(%arg0: tensor<1xi32>, %arg1: tensor<6xf32>) -> tensor<6x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x1xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    return %1 : tensor<6x1xf32>
  }
  func.func private @take_along_axis_4(%arg0: tensor<6x1x1xi32>, %arg1: tensor<6x1xf32>) -> tensor<6x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x5xf32>, tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x5xf32>
    return %1 : tensor<6x5xf32>
  }
  func.func private @_var_5(%arg0: tensor<6x12x16xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<6x12x1xf32>) -> tensor<6x12x16xf32> {
    %0 = call @_where_6(%arg2, %arg3) : (tensor<i1>, tensor<6x12x1xf32>) -> tensor<6x12x1xf32>
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
  func.func private @_where_6(%arg0: tensor<i1>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @_where_7(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
