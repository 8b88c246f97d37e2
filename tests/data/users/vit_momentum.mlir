module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16xf32>, %arg1: tensor<16x9xf32>, %arg2: tensor<24x16xf32>, %arg3: tensor<16x24xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x24xf32>, %arg11: tensor<16x24xf32>, %arg12: tensor<24x16xf32>, %arg13: tensor<16x24xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16xf32>, %arg16: tensor<16xf32>, %arg17: tensor<16xf32>, %arg18: tensor<24x16xf32>, %arg19: tensor<16x24xf32>, %arg20: tensor<16x24xf32>, %arg21: tensor<16x24xf32>, %arg22: tensor<48x16xf32>, %arg23: tensor<5x16xf32>, %arg24: tensor<16xf32>, %arg25: tensor<16x9xf32>, %arg26: tensor<24x16xf32>, %arg27: tensor<16x24xf32>, %arg28: tensor<16xf32>, %arg29: tensor<16xf32>, %arg30: tensor<16xf32>, %arg31: tensor<16xf32>, %arg32: tensor<24x16xf32>, %arg33: tensor<16x24xf32>, %arg34: tensor<16x24xf32>, %arg35: tensor<16x24xf32>, %arg36: tensor<24x16xf32>, %arg37: tensor<16x24xf32>, %arg38: tensor<16xf32>, %arg39: tensor<16xf32>, %arg40: tensor<16xf32>, %arg41: tensor<16xf32>, %arg42: tensor<24x16xf32>, %arg43: tensor<16x24xf32>, %arg44: tensor<16x24xf32>, %arg45: tensor<16x24xf32>, %arg46: tensor<48x16xf32>, %arg47: tensor<5x16xf32>, %arg48: tensor<6x8x8x3xf32>, %arg49: tensor<6xi32>) -> (tensor<16xf32> {jax.result_info = "result[0]['cls']"}, tensor<16x9xf32> {jax.result_info = "result[0]['head']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['k']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['norm2']['scale']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][0]['o']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['q']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['up']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['v']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][1]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][1]['k']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][1]['norm2']['scale']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][1]['o']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][1]['q']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][1]['up']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][1]['v']"}, tensor<48x16xf32> {jax.result_info = "result[0]['patch']"}, tensor<5x16xf32> {jax.result_info = "result[0]['positions']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['cls']"}, tensor<16x9xf32> {jax.result_info = "result[1][0].trace['head']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].trace['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][0]['k']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][0]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][0]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][0]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][0]['norm2']['scale']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].trace['layers'][0]['o']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][0]['q']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][0]['up']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][0]['v']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].trace['layers'][1]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][1]['k']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][1]['norm1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][1]['norm1']['scale']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][1]['norm2']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].trace['layers'][1]['norm2']['scale']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].trace['layers'][1]['o']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][1]['q']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][1]['up']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].trace['layers'][1]['v']"}, tensor<48x16xf32> {jax.result_info = "result[1][0].trace['patch']"}, tensor<5x16xf32> {jax.result_info = "result[1][0].trace['positions']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.reshape %arg48 : (tensor<6x8x8x3xf32>) -> tensor<6x2x4x2x4x3xf32>
    %1 = stablehlo.transpose %0, dims = [0, 1, 3, 2, 4, 5] : (tensor<6x2x4x2x4x3xf32>) -> tensor<6x2x2x4x4x3xf32>
    %2 = stablehlo.reshape %1 : (tensor<6x2x2x4x4x3xf32>) -> tensor<6x4x48xf32>
    %3 = stablehlo.dot_general %2, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4x48xf32>, tensor<48x16xf32>) -> tensor<6x4x16xf32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<16xf32>) -> tensor<6x1x16xf32>
    %5 = stablehlo.concatenate %4, %3, dim = 1 : (tensor<6x1x16xf32>, tensor<6x4x16xf32>) -> tensor<6x5x16xf32>
    %6 = stablehlo.broadcast_in_dim %arg23, dims = [1, 2] : (tensor<5x16xf32>) -> tensor<1x5x16xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<1x5x16xf32>) -> tensor<6x5x16xf32>
    %8 = stablehlo.add %5, %7 : tensor<6x5x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<6x5x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %13:4 = call @_var(%8, %c) : (tensor<6x5x16xf32>, tensor<i32>) -> (tensor<6x5x1xf32>, tensor<6x5x16xf32>, tensor<f32>, tensor<i1>)
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %15 = stablehlo.subtract %8, %14 : tensor<6x5x16xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %17 = stablehlo.add %13#0, %16 : tensor<6x5x1xf32>
    %18 = stablehlo.rsqrt %17 : tensor<6x5x1xf32>
    %19 = stablehlo.divide %18, %17 : tensor<6x5x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<6x5x1xf32>
    %22 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %23 = stablehlo.multiply %15, %22 : tensor<6x5x16xf32>
    %24 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %26 = stablehlo.multiply %23, %25 : tensor<6x5x16xf32>
    %27 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %29 = stablehlo.add %26, %28 : tensor<6x5x16xf32>
    %30 = stablehlo.dot_general %29, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %31 = stablehlo.reshape %30 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %32 = stablehlo.dot_general %29, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %33 = stablehlo.reshape %32 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %34 = stablehlo.dot_general %29, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %35 = stablehlo.reshape %34 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %36 = stablehlo.dot_general %31, %33, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x5x6x4xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x5xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x6x5x5xf32>
    %38 = stablehlo.divide %36, %37 : tensor<6x6x5x5xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x5x5xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x6x5xf32>
    %41 = stablehlo.maximum %40, %39 : tensor<6x6x5xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2] : (tensor<6x6x5xf32>) -> tensor<6x6x5x1xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %44 = stablehlo.subtract %38, %43 : tensor<6x6x5x5xf32>
    %45 = stablehlo.exponential %44 : tensor<6x6x5x5xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<6x6x5x5xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<6x6x5xf32>) -> tensor<6x6x5x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %49 = stablehlo.divide %45, %48 : tensor<6x6x5x5xf32>
    %50 = stablehlo.multiply %47, %47 : tensor<6x6x5x1xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x6x5x1xf32>
    %52 = stablehlo.divide %51, %50 : tensor<6x6x5x1xf32>
    %53 = stablehlo.dot_general %35, %49, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x5x6x4xf32>, tensor<6x6x5x5xf32>) -> tensor<6x6x4x5xf32>
    %54 = stablehlo.transpose %53, dims = [0, 3, 1, 2] : (tensor<6x6x4x5xf32>) -> tensor<6x5x6x4xf32>
    %55 = stablehlo.reshape %54 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %56 = stablehlo.dot_general %55, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<24x16xf32>) -> tensor<6x5x16xf32>
    %57 = stablehlo.add %8, %56 : tensor<6x5x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %cst_9 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %61 = stablehlo.divide %59, %60 : tensor<6x5x1xf32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %62:4 = call @_var(%57, %c_10) : (tensor<6x5x16xf32>, tensor<i32>) -> (tensor<6x5x1xf32>, tensor<6x5x16xf32>, tensor<f32>, tensor<i1>)
    %63 = stablehlo.broadcast_in_dim %61, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %64 = stablehlo.subtract %57, %63 : tensor<6x5x16xf32>
    %cst_11 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %66 = stablehlo.add %62#0, %65 : tensor<6x5x1xf32>
    %67 = stablehlo.rsqrt %66 : tensor<6x5x1xf32>
    %68 = stablehlo.divide %67, %66 : tensor<6x5x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<6x5x1xf32>
    %71 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %72 = stablehlo.multiply %64, %71 : tensor<6x5x16xf32>
    %73 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %75 = stablehlo.multiply %72, %74 : tensor<6x5x16xf32>
    %76 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %78 = stablehlo.add %75, %77 : tensor<6x5x16xf32>
    %79 = stablehlo.dot_general %78, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %80 = stablehlo.multiply %79, %79 : tensor<6x5x24xf32>
    %81 = stablehlo.multiply %80, %79 : tensor<6x5x24xf32>
    %82 = stablehlo.multiply %79, %79 : tensor<6x5x24xf32>
    %cst_13 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %84 = stablehlo.multiply %83, %82 : tensor<6x5x24xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %86 = stablehlo.multiply %85, %81 : tensor<6x5x24xf32>
    %87 = stablehlo.add %79, %86 : tensor<6x5x24xf32>
    %cst_15 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<6x5x24xf32>
    %90 = stablehlo.tanh %89 : tensor<6x5x24xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %92 = stablehlo.subtract %91, %90 : tensor<6x5x24xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %94 = stablehlo.add %93, %90 : tensor<6x5x24xf32>
    %cst_18 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %96 = stablehlo.multiply %95, %94 : tensor<6x5x24xf32>
    %97 = stablehlo.multiply %79, %96 : tensor<6x5x24xf32>
    %98 = stablehlo.dot_general %97, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<24x16xf32>) -> tensor<6x5x16xf32>
    %99 = stablehlo.add %57, %98 : tensor<6x5x16xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.reduce(%99 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %cst_20 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %103 = stablehlo.divide %101, %102 : tensor<6x5x1xf32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %104:4 = call @_var(%99, %c_21) : (tensor<6x5x16xf32>, tensor<i32>) -> (tensor<6x5x1xf32>, tensor<6x5x16xf32>, tensor<f32>, tensor<i1>)
    %105 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %106 = stablehlo.subtract %99, %105 : tensor<6x5x16xf32>
    %cst_22 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %108 = stablehlo.add %104#0, %107 : tensor<6x5x1xf32>
    %109 = stablehlo.rsqrt %108 : tensor<6x5x1xf32>
    %110 = stablehlo.divide %109, %108 : tensor<6x5x1xf32>
    %cst_23 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %112 = stablehlo.multiply %111, %110 : tensor<6x5x1xf32>
    %113 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %114 = stablehlo.multiply %106, %113 : tensor<6x5x16xf32>
    %115 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %117 = stablehlo.multiply %114, %116 : tensor<6x5x16xf32>
    %118 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %120 = stablehlo.add %117, %119 : tensor<6x5x16xf32>
    %121 = stablehlo.dot_general %120, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %122 = stablehlo.reshape %121 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %123 = stablehlo.dot_general %120, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %124 = stablehlo.reshape %123 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %125 = stablehlo.dot_general %120, %arg21, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %126 = stablehlo.reshape %125 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %127 = stablehlo.dot_general %122, %124, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x5x6x4xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x5xf32>
    %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x6x5x5xf32>
    %129 = stablehlo.divide %127, %128 : tensor<6x6x5x5xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x5x5xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x6x5xf32>
    %132 = stablehlo.maximum %131, %130 : tensor<6x6x5xf32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [0, 1, 2] : (tensor<6x6x5xf32>) -> tensor<6x6x5x1xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %135 = stablehlo.subtract %129, %134 : tensor<6x6x5x5xf32>
    %136 = stablehlo.exponential %135 : tensor<6x6x5x5xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_27) applies stablehlo.add across dimensions = [3] : (tensor<6x6x5x5xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0, 1, 2] : (tensor<6x6x5xf32>) -> tensor<6x6x5x1xf32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %140 = stablehlo.divide %136, %139 : tensor<6x6x5x5xf32>
    %141 = stablehlo.multiply %138, %138 : tensor<6x6x5x1xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x6x5x1xf32>
    %143 = stablehlo.divide %142, %141 : tensor<6x6x5x1xf32>
    %144 = stablehlo.dot_general %126, %140, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x5x6x4xf32>, tensor<6x6x5x5xf32>) -> tensor<6x6x4x5xf32>
    %145 = stablehlo.transpose %144, dims = [0, 3, 1, 2] : (tensor<6x6x4x5xf32>) -> tensor<6x5x6x4xf32>
    %146 = stablehlo.reshape %145 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %147 = stablehlo.dot_general %146, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<24x16xf32>) -> tensor<6x5x16xf32>
    %148 = stablehlo.add %99, %147 : tensor<6x5x16xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.reduce(%148 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %152 = stablehlo.divide %150, %151 : tensor<6x5x1xf32>
    %c_31 = stablehlo.constant dense<0> : tensor<i32>
    %153:4 = call @_var(%148, %c_31) : (tensor<6x5x16xf32>, tensor<i32>) -> (tensor<6x5x1xf32>, tensor<6x5x16xf32>, tensor<f32>, tensor<i1>)
    %154 = stablehlo.broadcast_in_dim %152, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %155 = stablehlo.subtract %148, %154 : tensor<6x5x16xf32>
    %cst_32 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %157 = stablehlo.add %153#0, %156 : tensor<6x5x1xf32>
    %158 = stablehlo.rsqrt %157 : tensor<6x5x1xf32>
    %159 = stablehlo.divide %158, %157 : tensor<6x5x1xf32>
    %cst_33 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %161 = stablehlo.multiply %160, %159 : tensor<6x5x1xf32>
    %162 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %163 = stablehlo.multiply %155, %162 : tensor<6x5x16xf32>
    %164 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %166 = stablehlo.multiply %163, %165 : tensor<6x5x16xf32>
    %167 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %168 = stablehlo.broadcast_in_dim %167, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %169 = stablehlo.add %166, %168 : tensor<6x5x16xf32>
    %170 = stablehlo.dot_general %169, %arg20, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<16x24xf32>) -> tensor<6x5x24xf32>
    %171 = stablehlo.multiply %170, %170 : tensor<6x5x24xf32>
    %172 = stablehlo.multiply %171, %170 : tensor<6x5x24xf32>
    %173 = stablehlo.multiply %170, %170 : tensor<6x5x24xf32>
    %cst_34 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %175 = stablehlo.multiply %174, %173 : tensor<6x5x24xf32>
    %cst_35 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %177 = stablehlo.multiply %176, %172 : tensor<6x5x24xf32>
    %178 = stablehlo.add %170, %177 : tensor<6x5x24xf32>
    %cst_36 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %180 = stablehlo.multiply %179, %178 : tensor<6x5x24xf32>
    %181 = stablehlo.tanh %180 : tensor<6x5x24xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %183 = stablehlo.subtract %182, %181 : tensor<6x5x24xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %185 = stablehlo.add %184, %181 : tensor<6x5x24xf32>
    %cst_39 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %187 = stablehlo.multiply %186, %185 : tensor<6x5x24xf32>
    %188 = stablehlo.multiply %170, %187 : tensor<6x5x24xf32>
    %189 = stablehlo.dot_general %188, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<24x16xf32>) -> tensor<6x5x16xf32>
    %190 = stablehlo.add %148, %189 : tensor<6x5x16xf32>
    %191 = stablehlo.slice %190 [0:6, 0:1, 0:16] : (tensor<6x5x16xf32>) -> tensor<6x1x16xf32>
    %192 = stablehlo.reshape %191 : (tensor<6x1x16xf32>) -> tensor<6x16xf32>
    %193 = stablehlo.dot_general %192, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x9xf32>) -> tensor<6x9xf32>
    %194 = stablehlo.broadcast_in_dim %arg49, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %195:2 = call @take_along_axis(%193, %194) : (tensor<6x9xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c_40 = stablehlo.constant dense<0> : tensor<i32>
    %196:2 = call @_take(%195#0, %c_40) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_41 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %197 = stablehlo.reduce(%193 init: %cst_41) applies stablehlo.maximum across dimensions = [1] : (tensor<6x9xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %199 = stablehlo.maximum %198, %197 : tensor<6xf32>
    %200 = stablehlo.is_finite %199 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %202 = stablehlo.select %200, %199, %201 : tensor<6xi1>, tensor<6xf32>
    %203 = stablehlo.broadcast_in_dim %202, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %204 = stablehlo.broadcast_in_dim %203, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x9xf32>
    %205 = stablehlo.subtract %193, %204 : tensor<6x9xf32>
    %206 = stablehlo.exponential %205 : tensor<6x9xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %207 = stablehlo.reduce(%206 init: %cst_44) applies stablehlo.add across dimensions = [1] : (tensor<6x9xf32>, tensor<f32>) -> tensor<6xf32>
    %208 = stablehlo.abs %207 : tensor<6xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %210 = stablehlo.compare GE, %207, %209, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %211 = stablehlo.log %208 : tensor<6xf32>
    %212 = stablehlo.add %211, %202 : tensor<6xf32>
    %213 = stablehlo.subtract %212, %196#0 : tensor<6xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.reduce(%213 init: %cst_46) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_47 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %215 = stablehlo.divide %214, %cst_47 : tensor<f32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_49 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %216 = stablehlo.divide %cst_48, %cst_49 : tensor<f32>
    %217 = stablehlo.broadcast_in_dim %216, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %218 = stablehlo.negate %217 : tensor<6xf32>
    %219 = stablehlo.divide %217, %208 : tensor<6xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %221 = stablehlo.select %210, %220, %219 : tensor<6xi1>, tensor<6xf32>
    %222 = stablehlo.select %210, %219, %220 : tensor<6xi1>, tensor<6xf32>
    %223 = stablehlo.negate %221 : tensor<6xf32>
    %224 = stablehlo.add %222, %223 : tensor<6xf32>
    %225 = stablehlo.broadcast_in_dim %224, dims = [0] : (tensor<6xf32>) -> tensor<6x9xf32>
    %226 = stablehlo.multiply %225, %206 : tensor<6x9xf32>
    %227 = call @_take_1(%196#1, %218) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %228 = call @take_along_axis_2(%195#1, %227) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x9xf32>
    %229 = stablehlo.add %226, %228 : tensor<6x9xf32>
    %230 = stablehlo.dot_general %229, %192, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x9xf32>, tensor<6x16xf32>) -> tensor<9x16xf32>
    %231 = stablehlo.transpose %230, dims = [1, 0] : (tensor<9x16xf32>) -> tensor<16x9xf32>
    %232 = stablehlo.dot_general %229, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x9xf32>, tensor<16x9xf32>) -> tensor<6x16xf32>
    %233 = stablehlo.broadcast_in_dim %232, dims = [0, 2] : (tensor<6x16xf32>) -> tensor<6x1x16xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %234 = stablehlo.pad %233, %cst_51, low = [0, 0, 0], high = [0, 4, 0], interior = [0, 0, 0] : (tensor<6x1x16xf32>, tensor<f32>) -> tensor<6x5x16xf32>
    %235 = stablehlo.dot_general %234, %188, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<6x5x24xf32>) -> tensor<16x24xf32>
    %236 = stablehlo.transpose %235, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %237 = stablehlo.dot_general %234, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<24x16xf32>) -> tensor<6x5x24xf32>
    %238 = stablehlo.multiply %170, %237 : tensor<6x5x24xf32>
    %239 = stablehlo.multiply %237, %187 : tensor<6x5x24xf32>
    %cst_52 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %241 = stablehlo.multiply %240, %238 : tensor<6x5x24xf32>
    %242 = stablehlo.multiply %241, %183 : tensor<6x5x24xf32>
    %243 = stablehlo.multiply %242, %181 : tensor<6x5x24xf32>
    %244 = stablehlo.add %242, %243 : tensor<6x5x24xf32>
    %cst_53 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %246 = stablehlo.multiply %245, %244 : tensor<6x5x24xf32>
    %247 = stablehlo.add %239, %246 : tensor<6x5x24xf32>
    %cst_54 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %249 = stablehlo.multiply %248, %246 : tensor<6x5x24xf32>
    %250 = stablehlo.multiply %249, %175 : tensor<6x5x24xf32>
    %251 = stablehlo.add %247, %250 : tensor<6x5x24xf32>
    %252 = stablehlo.dot_general %251, %169, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %253 = stablehlo.transpose %252, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %254 = stablehlo.dot_general %251, %arg20, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%254 init: %cst_55) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %256 = stablehlo.reshape %255 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.reduce(%256 init: %cst_56) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %258 = stablehlo.multiply %163, %254 : tensor<6x5x16xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %259 = stablehlo.reduce(%258 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %260 = stablehlo.reshape %259 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %261 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %262 = stablehlo.multiply %254, %261 : tensor<6x5x16xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%260 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %264 = stablehlo.multiply %155, %262 : tensor<6x5x16xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%264 init: %cst_59) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %266 = stablehlo.reshape %265 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %267 = stablehlo.broadcast_in_dim %158, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %268 = stablehlo.multiply %262, %267 : tensor<6x5x16xf32>
    %269 = stablehlo.multiply %266, %161 : tensor<6x5x1xf32>
    %270 = stablehlo.negate %268 : tensor<6x5x16xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %271 = stablehlo.reduce(%270 init: %cst_60) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %272 = stablehlo.reshape %271 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %273 = stablehlo.add %234, %268 : tensor<6x5x16xf32>
    %274 = call @_var_3(%153#1, %153#2, %153#3, %269) : (tensor<6x5x16xf32>, tensor<f32>, tensor<i1>, tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %275 = stablehlo.add %273, %274 : tensor<6x5x16xf32>
    %cst_61 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %277 = stablehlo.divide %272, %276 : tensor<6x5x1xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %278 = stablehlo.reduce(%277 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<6x5x1xf32>, tensor<f32>) -> tensor<6x5xf32>
    %279 = stablehlo.broadcast_in_dim %278, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x16xf32>
    %280 = stablehlo.add %275, %279 : tensor<6x5x16xf32>
    %281 = stablehlo.dot_general %280, %146, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<6x5x24xf32>) -> tensor<16x24xf32>
    %282 = stablehlo.transpose %281, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %283 = stablehlo.dot_general %280, %arg18, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<24x16xf32>) -> tensor<6x5x24xf32>
    %284 = stablehlo.reshape %283 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %285 = stablehlo.transpose %284, dims = [0, 2, 3, 1] : (tensor<6x5x6x4xf32>) -> tensor<6x6x4x5xf32>
    %286 = stablehlo.dot_general %285, %126, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x5xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x5xf32>
    %287 = stablehlo.dot_general %285, %140, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x5xf32>, tensor<6x6x5x5xf32>) -> tensor<6x6x4x5xf32>
    %288 = stablehlo.transpose %287, dims = [0, 3, 1, 2] : (tensor<6x6x4x5xf32>) -> tensor<6x5x6x4xf32>
    %289 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %290 = stablehlo.multiply %286, %289 : tensor<6x6x5x5xf32>
    %291 = stablehlo.multiply %290, %136 : tensor<6x6x5x5xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %292 = stablehlo.reduce(%291 init: %cst_63) applies stablehlo.add across dimensions = [3] : (tensor<6x6x5x5xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %293 = stablehlo.reshape %292 : (tensor<6x6x5xf32>) -> tensor<6x6x5x1xf32>
    %294 = stablehlo.negate %293 : tensor<6x6x5x1xf32>
    %295 = stablehlo.broadcast_in_dim %138, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %296 = stablehlo.divide %286, %295 : tensor<6x6x5x5xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %297 = stablehlo.reduce(%294 init: %cst_64) applies stablehlo.add across dimensions = [3] : (tensor<6x6x5x1xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %298 = stablehlo.broadcast_in_dim %297, dims = [0, 1, 2] : (tensor<6x6x5xf32>) -> tensor<6x6x5x5xf32>
    %299 = stablehlo.add %296, %298 : tensor<6x6x5x5xf32>
    %300 = stablehlo.multiply %299, %136 : tensor<6x6x5x5xf32>
    %cst_65 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %301 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<6x6x5x5xf32>
    %302 = stablehlo.divide %300, %301 : tensor<6x6x5x5xf32>
    %303 = stablehlo.dot_general %302, %122, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x5x5xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x4xf32>
    %304 = stablehlo.transpose %303, dims = [0, 2, 1, 3] : (tensor<6x6x5x4xf32>) -> tensor<6x5x6x4xf32>
    %305 = stablehlo.dot_general %302, %124, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x5x5xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x4xf32>
    %306 = stablehlo.transpose %305, dims = [0, 2, 1, 3] : (tensor<6x6x5x4xf32>) -> tensor<6x5x6x4xf32>
    %307 = stablehlo.reshape %288 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %308 = stablehlo.dot_general %307, %120, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %309 = stablehlo.transpose %308, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %310 = stablehlo.dot_general %307, %arg21, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %311 = stablehlo.reshape %304 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %312 = stablehlo.dot_general %311, %120, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %313 = stablehlo.transpose %312, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %314 = stablehlo.dot_general %311, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %315 = stablehlo.add %310, %314 : tensor<6x5x16xf32>
    %316 = stablehlo.reshape %306 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %317 = stablehlo.dot_general %316, %120, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %318 = stablehlo.transpose %317, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %319 = stablehlo.dot_general %316, %arg19, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %320 = stablehlo.add %315, %319 : tensor<6x5x16xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %321 = stablehlo.reduce(%320 init: %cst_66) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %322 = stablehlo.reshape %321 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %323 = stablehlo.reduce(%322 init: %cst_67) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %324 = stablehlo.multiply %114, %320 : tensor<6x5x16xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %325 = stablehlo.reduce(%324 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %326 = stablehlo.reshape %325 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %327 = stablehlo.broadcast_in_dim %115, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %328 = stablehlo.multiply %320, %327 : tensor<6x5x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %329 = stablehlo.reduce(%326 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %330 = stablehlo.multiply %106, %328 : tensor<6x5x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_70) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %332 = stablehlo.reshape %331 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %333 = stablehlo.broadcast_in_dim %109, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %334 = stablehlo.multiply %328, %333 : tensor<6x5x16xf32>
    %335 = stablehlo.multiply %332, %112 : tensor<6x5x1xf32>
    %336 = stablehlo.negate %334 : tensor<6x5x16xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %337 = stablehlo.reduce(%336 init: %cst_71) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %338 = stablehlo.reshape %337 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %339 = stablehlo.add %280, %334 : tensor<6x5x16xf32>
    %340 = call @_var_3(%104#1, %104#2, %104#3, %335) : (tensor<6x5x16xf32>, tensor<f32>, tensor<i1>, tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %341 = stablehlo.add %339, %340 : tensor<6x5x16xf32>
    %cst_72 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %343 = stablehlo.divide %338, %342 : tensor<6x5x1xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %344 = stablehlo.reduce(%343 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<6x5x1xf32>, tensor<f32>) -> tensor<6x5xf32>
    %345 = stablehlo.broadcast_in_dim %344, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x16xf32>
    %346 = stablehlo.add %341, %345 : tensor<6x5x16xf32>
    %347 = stablehlo.dot_general %346, %97, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<6x5x24xf32>) -> tensor<16x24xf32>
    %348 = stablehlo.transpose %347, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %349 = stablehlo.dot_general %346, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<24x16xf32>) -> tensor<6x5x24xf32>
    %350 = stablehlo.multiply %79, %349 : tensor<6x5x24xf32>
    %351 = stablehlo.multiply %349, %96 : tensor<6x5x24xf32>
    %cst_74 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %353 = stablehlo.multiply %352, %350 : tensor<6x5x24xf32>
    %354 = stablehlo.multiply %353, %92 : tensor<6x5x24xf32>
    %355 = stablehlo.multiply %354, %90 : tensor<6x5x24xf32>
    %356 = stablehlo.add %354, %355 : tensor<6x5x24xf32>
    %cst_75 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %357 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %358 = stablehlo.multiply %357, %356 : tensor<6x5x24xf32>
    %359 = stablehlo.add %351, %358 : tensor<6x5x24xf32>
    %cst_76 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %360 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<6x5x24xf32>
    %361 = stablehlo.multiply %360, %358 : tensor<6x5x24xf32>
    %362 = stablehlo.multiply %361, %84 : tensor<6x5x24xf32>
    %363 = stablehlo.add %359, %362 : tensor<6x5x24xf32>
    %364 = stablehlo.dot_general %363, %78, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %365 = stablehlo.transpose %364, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %366 = stablehlo.dot_general %363, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %367 = stablehlo.reduce(%366 init: %cst_77) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %368 = stablehlo.reshape %367 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %369 = stablehlo.reduce(%368 init: %cst_78) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %370 = stablehlo.multiply %72, %366 : tensor<6x5x16xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.reduce(%370 init: %cst_79) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %372 = stablehlo.reshape %371 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %373 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %374 = stablehlo.multiply %366, %373 : tensor<6x5x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %375 = stablehlo.reduce(%372 init: %cst_80) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %376 = stablehlo.multiply %64, %374 : tensor<6x5x16xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %377 = stablehlo.reduce(%376 init: %cst_81) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %378 = stablehlo.reshape %377 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %379 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %380 = stablehlo.multiply %374, %379 : tensor<6x5x16xf32>
    %381 = stablehlo.multiply %378, %70 : tensor<6x5x1xf32>
    %382 = stablehlo.negate %380 : tensor<6x5x16xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %383 = stablehlo.reduce(%382 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %384 = stablehlo.reshape %383 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %385 = stablehlo.add %346, %380 : tensor<6x5x16xf32>
    %386 = call @_var_3(%62#1, %62#2, %62#3, %381) : (tensor<6x5x16xf32>, tensor<f32>, tensor<i1>, tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %387 = stablehlo.add %385, %386 : tensor<6x5x16xf32>
    %cst_83 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %388 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %389 = stablehlo.divide %384, %388 : tensor<6x5x1xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %390 = stablehlo.reduce(%389 init: %cst_84) applies stablehlo.add across dimensions = [2] : (tensor<6x5x1xf32>, tensor<f32>) -> tensor<6x5xf32>
    %391 = stablehlo.broadcast_in_dim %390, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x16xf32>
    %392 = stablehlo.add %387, %391 : tensor<6x5x16xf32>
    %393 = stablehlo.dot_general %392, %55, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<6x5x24xf32>) -> tensor<16x24xf32>
    %394 = stablehlo.transpose %393, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %395 = stablehlo.dot_general %392, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x16xf32>, tensor<24x16xf32>) -> tensor<6x5x24xf32>
    %396 = stablehlo.reshape %395 : (tensor<6x5x24xf32>) -> tensor<6x5x6x4xf32>
    %397 = stablehlo.transpose %396, dims = [0, 2, 3, 1] : (tensor<6x5x6x4xf32>) -> tensor<6x6x4x5xf32>
    %398 = stablehlo.dot_general %397, %35, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x5xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x5xf32>
    %399 = stablehlo.dot_general %397, %49, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x5xf32>, tensor<6x6x5x5xf32>) -> tensor<6x6x4x5xf32>
    %400 = stablehlo.transpose %399, dims = [0, 3, 1, 2] : (tensor<6x6x4x5xf32>) -> tensor<6x5x6x4xf32>
    %401 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %402 = stablehlo.multiply %398, %401 : tensor<6x6x5x5xf32>
    %403 = stablehlo.multiply %402, %45 : tensor<6x6x5x5xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %404 = stablehlo.reduce(%403 init: %cst_85) applies stablehlo.add across dimensions = [3] : (tensor<6x6x5x5xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %405 = stablehlo.reshape %404 : (tensor<6x6x5xf32>) -> tensor<6x6x5x1xf32>
    %406 = stablehlo.negate %405 : tensor<6x6x5x1xf32>
    %407 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<6x6x5x1xf32>) -> tensor<6x6x5x5xf32>
    %408 = stablehlo.divide %398, %407 : tensor<6x6x5x5xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %409 = stablehlo.reduce(%406 init: %cst_86) applies stablehlo.add across dimensions = [3] : (tensor<6x6x5x1xf32>, tensor<f32>) -> tensor<6x6x5xf32>
    %410 = stablehlo.broadcast_in_dim %409, dims = [0, 1, 2] : (tensor<6x6x5xf32>) -> tensor<6x6x5x5xf32>
    %411 = stablehlo.add %408, %410 : tensor<6x6x5x5xf32>
    %412 = stablehlo.multiply %411, %45 : tensor<6x6x5x5xf32>
    %cst_87 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %413 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<6x6x5x5xf32>
    %414 = stablehlo.divide %412, %413 : tensor<6x6x5x5xf32>
    %415 = stablehlo.dot_general %414, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x5x5xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x4xf32>
    %416 = stablehlo.transpose %415, dims = [0, 2, 1, 3] : (tensor<6x6x5x4xf32>) -> tensor<6x5x6x4xf32>
    %417 = stablehlo.dot_general %414, %33, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x5x5xf32>, tensor<6x5x6x4xf32>) -> tensor<6x6x5x4xf32>
    %418 = stablehlo.transpose %417, dims = [0, 2, 1, 3] : (tensor<6x6x5x4xf32>) -> tensor<6x5x6x4xf32>
    %419 = stablehlo.reshape %400 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %420 = stablehlo.dot_general %419, %29, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %421 = stablehlo.transpose %420, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %422 = stablehlo.dot_general %419, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %423 = stablehlo.reshape %416 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %424 = stablehlo.dot_general %423, %29, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %425 = stablehlo.transpose %424, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %426 = stablehlo.dot_general %423, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %427 = stablehlo.add %422, %426 : tensor<6x5x16xf32>
    %428 = stablehlo.reshape %418 : (tensor<6x5x6x4xf32>) -> tensor<6x5x24xf32>
    %429 = stablehlo.dot_general %428, %29, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<6x5x16xf32>) -> tensor<24x16xf32>
    %430 = stablehlo.transpose %429, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %431 = stablehlo.dot_general %428, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5x24xf32>, tensor<16x24xf32>) -> tensor<6x5x16xf32>
    %432 = stablehlo.add %427, %431 : tensor<6x5x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %433 = stablehlo.reduce(%432 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %434 = stablehlo.reshape %433 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %435 = stablehlo.reduce(%434 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %436 = stablehlo.multiply %23, %432 : tensor<6x5x16xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %437 = stablehlo.reduce(%436 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<16xf32>
    %438 = stablehlo.reshape %437 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %439 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x5x16xf32>
    %440 = stablehlo.multiply %432, %439 : tensor<6x5x16xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %441 = stablehlo.reduce(%438 init: %cst_91) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %442 = stablehlo.multiply %15, %440 : tensor<6x5x16xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %443 = stablehlo.reduce(%442 init: %cst_92) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %444 = stablehlo.reshape %443 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %445 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %446 = stablehlo.multiply %440, %445 : tensor<6x5x16xf32>
    %447 = stablehlo.multiply %444, %21 : tensor<6x5x1xf32>
    %448 = stablehlo.negate %446 : tensor<6x5x16xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %449 = stablehlo.reduce(%448 init: %cst_93) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %450 = stablehlo.reshape %449 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %451 = stablehlo.add %392, %446 : tensor<6x5x16xf32>
    %452 = call @_var_3(%13#1, %13#2, %13#3, %447) : (tensor<6x5x16xf32>, tensor<f32>, tensor<i1>, tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %453 = stablehlo.add %451, %452 : tensor<6x5x16xf32>
    %cst_94 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %455 = stablehlo.divide %450, %454 : tensor<6x5x1xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %456 = stablehlo.reduce(%455 init: %cst_95) applies stablehlo.add across dimensions = [2] : (tensor<6x5x1xf32>, tensor<f32>) -> tensor<6x5xf32>
    %457 = stablehlo.broadcast_in_dim %456, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x16xf32>
    %458 = stablehlo.add %453, %457 : tensor<6x5x16xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %459 = stablehlo.reduce(%458 init: %cst_96) applies stablehlo.add across dimensions = [0] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<5x16xf32>
    %460 = stablehlo.reshape %459 : (tensor<5x16xf32>) -> tensor<1x5x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %461 = stablehlo.reduce(%460 init: %cst_97) applies stablehlo.add across dimensions = [0] : (tensor<1x5x16xf32>, tensor<f32>) -> tensor<5x16xf32>
    %462 = stablehlo.slice %458 [0:6, 0:1, 0:16] : (tensor<6x5x16xf32>) -> tensor<6x1x16xf32>
    %463 = stablehlo.slice %458 [0:6, 1:5, 0:16] : (tensor<6x5x16xf32>) -> tensor<6x4x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %464 = stablehlo.reduce(%462 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %465 = stablehlo.dot_general %463, %2, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x4x16xf32>, tensor<6x4x48xf32>) -> tensor<16x48xf32>
    %466 = stablehlo.transpose %465, dims = [1, 0] : (tensor<16x48xf32>) -> tensor<48x16xf32>
    %cst_99 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %467 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %468 = stablehlo.multiply %467, %arg24 : tensor<16xf32>
    %469 = stablehlo.add %464, %468 : tensor<16xf32>
    %cst_100 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %470 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<16x9xf32>
    %471 = stablehlo.multiply %470, %arg25 : tensor<16x9xf32>
    %472 = stablehlo.add %231, %471 : tensor<16x9xf32>
    %cst_101 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %473 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %474 = stablehlo.multiply %473, %arg26 : tensor<24x16xf32>
    %475 = stablehlo.add %348, %474 : tensor<24x16xf32>
    %cst_102 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %476 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %477 = stablehlo.multiply %476, %arg27 : tensor<16x24xf32>
    %478 = stablehlo.add %425, %477 : tensor<16x24xf32>
    %cst_103 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %479 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %480 = stablehlo.multiply %479, %arg28 : tensor<16xf32>
    %481 = stablehlo.add %435, %480 : tensor<16xf32>
    %cst_104 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %482 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %483 = stablehlo.multiply %482, %arg29 : tensor<16xf32>
    %484 = stablehlo.add %441, %483 : tensor<16xf32>
    %cst_105 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %485 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %486 = stablehlo.multiply %485, %arg30 : tensor<16xf32>
    %487 = stablehlo.add %369, %486 : tensor<16xf32>
    %cst_106 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %488 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %489 = stablehlo.multiply %488, %arg31 : tensor<16xf32>
    %490 = stablehlo.add %375, %489 : tensor<16xf32>
    %cst_107 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %491 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %492 = stablehlo.multiply %491, %arg32 : tensor<24x16xf32>
    %493 = stablehlo.add %394, %492 : tensor<24x16xf32>
    %cst_108 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %494 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %495 = stablehlo.multiply %494, %arg33 : tensor<16x24xf32>
    %496 = stablehlo.add %430, %495 : tensor<16x24xf32>
    %cst_109 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %497 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %498 = stablehlo.multiply %497, %arg34 : tensor<16x24xf32>
    %499 = stablehlo.add %365, %498 : tensor<16x24xf32>
    %cst_110 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %500 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %501 = stablehlo.multiply %500, %arg35 : tensor<16x24xf32>
    %502 = stablehlo.add %421, %501 : tensor<16x24xf32>
    %cst_111 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %503 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %504 = stablehlo.multiply %503, %arg36 : tensor<24x16xf32>
    %505 = stablehlo.add %236, %504 : tensor<24x16xf32>
    %cst_112 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %506 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %507 = stablehlo.multiply %506, %arg37 : tensor<16x24xf32>
    %508 = stablehlo.add %313, %507 : tensor<16x24xf32>
    %cst_113 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %509 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %510 = stablehlo.multiply %509, %arg38 : tensor<16xf32>
    %511 = stablehlo.add %323, %510 : tensor<16xf32>
    %cst_114 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %512 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %513 = stablehlo.multiply %512, %arg39 : tensor<16xf32>
    %514 = stablehlo.add %329, %513 : tensor<16xf32>
    %cst_115 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %516 = stablehlo.multiply %515, %arg40 : tensor<16xf32>
    %517 = stablehlo.add %257, %516 : tensor<16xf32>
    %cst_116 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %518 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %519 = stablehlo.multiply %518, %arg41 : tensor<16xf32>
    %520 = stablehlo.add %263, %519 : tensor<16xf32>
    %cst_117 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %521 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %522 = stablehlo.multiply %521, %arg42 : tensor<24x16xf32>
    %523 = stablehlo.add %282, %522 : tensor<24x16xf32>
    %cst_118 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %525 = stablehlo.multiply %524, %arg43 : tensor<16x24xf32>
    %526 = stablehlo.add %318, %525 : tensor<16x24xf32>
    %cst_119 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %528 = stablehlo.multiply %527, %arg44 : tensor<16x24xf32>
    %529 = stablehlo.add %253, %528 : tensor<16x24xf32>
    %cst_120 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %530 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %531 = stablehlo.multiply %530, %arg45 : tensor<16x24xf32>
    %532 = stablehlo.add %309, %531 : tensor<16x24xf32>
    %cst_121 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %533 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %534 = stablehlo.multiply %533, %arg46 : tensor<48x16xf32>
    %535 = stablehlo.add %466, %534 : tensor<48x16xf32>
    %cst_122 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<5x16xf32>
    %537 = stablehlo.multiply %536, %arg47 : tensor<5x16xf32>
    %538 = stablehlo.add %461, %537 : tensor<5x16xf32>
    %cst_123 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %540 = stablehlo.multiply %539, %469 : tensor<16xf32>
    %cst_124 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %541 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<16x9xf32>
    %542 = stablehlo.multiply %541, %472 : tensor<16x9xf32>
    %cst_125 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %543 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %544 = stablehlo.multiply %543, %475 : tensor<24x16xf32>
    %cst_126 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %545 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %546 = stablehlo.multiply %545, %478 : tensor<16x24xf32>
    %cst_127 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %547 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %548 = stablehlo.multiply %547, %481 : tensor<16xf32>
    %cst_128 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %549 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %550 = stablehlo.multiply %549, %484 : tensor<16xf32>
    %cst_129 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %551 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %552 = stablehlo.multiply %551, %487 : tensor<16xf32>
    %cst_130 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %554 = stablehlo.multiply %553, %490 : tensor<16xf32>
    %cst_131 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %555 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %556 = stablehlo.multiply %555, %493 : tensor<24x16xf32>
    %cst_132 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %558 = stablehlo.multiply %557, %496 : tensor<16x24xf32>
    %cst_133 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %560 = stablehlo.multiply %559, %499 : tensor<16x24xf32>
    %cst_134 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %562 = stablehlo.multiply %561, %502 : tensor<16x24xf32>
    %cst_135 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %563 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %564 = stablehlo.multiply %563, %505 : tensor<24x16xf32>
    %cst_136 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %565 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %566 = stablehlo.multiply %565, %508 : tensor<16x24xf32>
    %cst_137 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %567 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %568 = stablehlo.multiply %567, %511 : tensor<16xf32>
    %cst_138 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %569 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %570 = stablehlo.multiply %569, %514 : tensor<16xf32>
    %cst_139 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %572 = stablehlo.multiply %571, %517 : tensor<16xf32>
    %cst_140 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %573 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %574 = stablehlo.multiply %573, %520 : tensor<16xf32>
    %cst_141 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %575 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %576 = stablehlo.multiply %575, %523 : tensor<24x16xf32>
    %cst_142 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %578 = stablehlo.multiply %577, %526 : tensor<16x24xf32>
    %cst_143 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %579 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %580 = stablehlo.multiply %579, %529 : tensor<16x24xf32>
    %cst_144 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %581 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %582 = stablehlo.multiply %581, %532 : tensor<16x24xf32>
    %cst_145 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %583 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<48x16xf32>
    %584 = stablehlo.multiply %583, %535 : tensor<48x16xf32>
    %cst_146 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %585 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<5x16xf32>
    %586 = stablehlo.multiply %585, %538 : tensor<5x16xf32>
    %587 = stablehlo.add %arg0, %540 : tensor<16xf32>
    %588 = stablehlo.add %arg1, %542 : tensor<16x9xf32>
    %589 = stablehlo.add %arg2, %544 : tensor<24x16xf32>
    %590 = stablehlo.add %arg3, %546 : tensor<16x24xf32>
    %591 = stablehlo.add %arg4, %548 : tensor<16xf32>
    %592 = stablehlo.add %arg5, %550 : tensor<16xf32>
    %593 = stablehlo.add %arg6, %552 : tensor<16xf32>
    %594 = stablehlo.add %arg7, %554 : tensor<16xf32>
    %595 = stablehlo.add %arg8, %556 : tensor<24x16xf32>
    %596 = stablehlo.add %arg9, %558 : tensor<16x24xf32>
    %597 = stablehlo.add %arg10, %560 : tensor<16x24xf32>
    %598 = stablehlo.add %arg11, %562 : tensor<16x24xf32>
    %599 = stablehlo.add %arg12, %564 : tensor<24x16xf32>
    %600 = stablehlo.add %arg13, %566 : tensor<16x24xf32>
    %601 = stablehlo.add %arg14, %568 : tensor<16xf32>
    %602 = stablehlo.add %arg15, %570 : tensor<16xf32>
    %603 = stablehlo.add %arg16, %572 : tensor<16xf32>
    %604 = stablehlo.add %arg17, %574 : tensor<16xf32>
    %605 = stablehlo.add %arg18, %576 : tensor<24x16xf32>
    %606 = stablehlo.add %arg19, %578 : tensor<16x24xf32>
    %607 = stablehlo.add %arg20, %580 : tensor<16x24xf32>
    %608 = stablehlo.add %arg21, %582 : tensor<16x24xf32>
    %609 = stablehlo.add %arg22, %584 : tensor<48x16xf32>
    %610 = stablehlo.add %arg23, %586 : tensor<5x16xf32>
    return %587, %588, %589, %590, %591, %592, %593, %594, %595, %596, %597, %598, %599, %600, %601, %602, %603, %604, %605, %606, %607, %608, %609, %610, %469, %472, %475, %478, %481, %484, %487, %490, %493, %496, %499, %502, %505, %508, %511, %514, %517, %520, %523, %526, %529, %532, %535, %538, %215 : tensor<16xf32>, tensor<16x9xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<48x16xf32>, tensor<5x16xf32>, tensor<16xf32>, tensor<16x9xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<48x16xf32>, tensor<5x16xf32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<6x5x16xf32>, %arg1: tensor<i32>) -> (tensor<6x5x1xf32>, tensor<6x5x16xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6x5x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<6x5x1xf32>) -> tensor<6x5x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x5x16xf32>
    %6 = chlo.square %5 : tensor<6x5x16xf32> -> tensor<6x5x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x5x16xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<6x5x16xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<6x5x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<6x5x1xf32>, tensor<f32>) -> tensor<6x5x1xf32>
    return %16, %8, %10, %15 : tensor<6x5x1xf32>, tensor<6x5x16xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<6x5x1xf32>, %arg2: tensor<f32>) -> tensor<6x5x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<6x5x1xf32>
    return %2 : tensor<6x5x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x9xf32>, %arg1: tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %c_0 = stablehlo.constant dense<9> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x1xi1>, tensor<6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x1xi32>) -> tensor<6x1x1xi32>
    %c_1 = stablehlo.constant dense<8> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x1x1xi32>, tensor<6x1x1xi32>) -> tensor<6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x1x1xi1>, tensor<i1>) -> tensor<6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<6x9xf32>, tensor<6x1x1xi32>) -> tensor<6x1xf32>
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 1>}> : (tensor<6x1xf32>, tensor<1xi32>) -> tensor<6xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<6xi1>, tensor<6xf32>
    return %13, %3 : tensor<6xf32>, tensor<1xi32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_1(%arg0: tensor<1xi32>, %arg1: tensor<6xf32>) -> tensor<6x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x1xf32>, tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    return %1 : tensor<6x1xf32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<6x1x1xi32>, %arg1: tensor<6x1xf32>) -> tensor<6x9xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x9xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x9xf32>, tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x9xf32>
    return %1 : tensor<6x9xf32>
  }
  func.func private @_var_3(%arg0: tensor<6x5x16xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<6x5x1xf32>) -> tensor<6x5x16xf32> {
    %0 = call @_where_4(%arg2, %arg3) : (tensor<i1>, tensor<6x5x1xf32>) -> tensor<6x5x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<6x5x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x5x1xf32>, tensor<f32>) -> tensor<6x5xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x16xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<6x5x16xf32>
    %6 = stablehlo.negate %5 : tensor<6x5x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<6x5x16xf32>, tensor<f32>) -> tensor<6x5xf32>
    %8 = stablehlo.reshape %7 : (tensor<6x5xf32>) -> tensor<6x5x1xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<6x5x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<6x5x1xf32>, tensor<f32>) -> tensor<6x5xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<6x5xf32>) -> tensor<6x5x16xf32>
    %13 = stablehlo.add %5, %12 : tensor<6x5x16xf32>
    return %13 : tensor<6x5x16xf32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<6x5x1xf32>) -> tensor<6x5x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x5x1xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<6x5x1xf32>
    return %1 : tensor<6x5x1xf32>
  }
}
