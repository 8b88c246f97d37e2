module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<24x16xf32>, %arg3: tensor<16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16x6x4xf32>, %arg8: tensor<6x4x16xf32>, %arg9: tensor<16x6x4xf32>, %arg10: tensor<16x6x4xf32>, %arg11: tensor<60xf32>, %arg12: tensor<16x60xf32>, %arg13: tensor<60x16xf32>, %arg14: tensor<16xf32>, %arg15: tensor<16xf32>, %arg16: tensor<12x16xf32>, %arg17: tensor<i32>, %arg18: tensor<24xf32>, %arg19: tensor<16x24xf32>, %arg20: tensor<24x16xf32>, %arg21: tensor<16xf32>, %arg22: tensor<16xf32>, %arg23: tensor<16xf32>, %arg24: tensor<16xf32>, %arg25: tensor<16x6x4xf32>, %arg26: tensor<6x4x16xf32>, %arg27: tensor<16x6x4xf32>, %arg28: tensor<16x6x4xf32>, %arg29: tensor<60xf32>, %arg30: tensor<16x60xf32>, %arg31: tensor<60x16xf32>, %arg32: tensor<16xf32>, %arg33: tensor<16xf32>, %arg34: tensor<12x16xf32>, %arg35: tensor<24xf32>, %arg36: tensor<16x24xf32>, %arg37: tensor<24x16xf32>, %arg38: tensor<16xf32>, %arg39: tensor<16xf32>, %arg40: tensor<16xf32>, %arg41: tensor<16xf32>, %arg42: tensor<16x6x4xf32>, %arg43: tensor<6x4x16xf32>, %arg44: tensor<16x6x4xf32>, %arg45: tensor<16x6x4xf32>, %arg46: tensor<60xf32>, %arg47: tensor<16x60xf32>, %arg48: tensor<60x16xf32>, %arg49: tensor<16xf32>, %arg50: tensor<16xf32>, %arg51: tensor<12x16xf32>, %arg52: tensor<6x12xi32>, %arg53: tensor<6x12xi32>) -> (tensor<24xf32> {jax.result_info = "result[0]['params']['Block_0']['Dense_0']['bias']"}, tensor<16x24xf32> {jax.result_info = "result[0]['params']['Block_0']['Dense_0']['kernel']"}, tensor<24x16xf32> {jax.result_info = "result[0]['params']['Block_0']['Dense_1']['kernel']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['Block_0']['LayerNorm_0']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['Block_0']['LayerNorm_0']['scale']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['Block_0']['LayerNorm_1']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['Block_0']['LayerNorm_1']['scale']"}, tensor<16x6x4xf32> {jax.result_info = "result[0]['params']['Block_0']['MultiHeadDotProductAttention_0']['key']['kernel']"}, tensor<6x4x16xf32> {jax.result_info = "result[0]['params']['Block_0']['MultiHeadDotProductAttention_0']['out']['kernel']"}, tensor<16x6x4xf32> {jax.result_info = "result[0]['params']['Block_0']['MultiHeadDotProductAttention_0']['query']['kernel']"}, tensor<16x6x4xf32> {jax.result_info = "result[0]['params']['Block_0']['MultiHeadDotProductAttention_0']['value']['kernel']"}, tensor<60xf32> {jax.result_info = "result[0]['params']['Dense_0']['bias']"}, tensor<16x60xf32> {jax.result_info = "result[0]['params']['Dense_0']['kernel']"}, tensor<60x16xf32> {jax.result_info = "result[0]['params']['Embed_0']['embedding']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['LayerNorm_0']['bias']"}, tensor<16xf32> {jax.result_info = "result[0]['params']['LayerNorm_0']['scale']"}, tensor<12x16xf32> {jax.result_info = "result[0]['params']['positions']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<24xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['Dense_0']['bias']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['Dense_0']['kernel']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['Dense_1']['kernel']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['LayerNorm_0']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['LayerNorm_0']['scale']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['LayerNorm_1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['LayerNorm_1']['scale']"}, tensor<16x6x4xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['MultiHeadDotProductAttention_0']['key']['kernel']"}, tensor<6x4x16xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['MultiHeadDotProductAttention_0']['out']['kernel']"}, tensor<16x6x4xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['MultiHeadDotProductAttention_0']['query']['kernel']"}, tensor<16x6x4xf32> {jax.result_info = "result[1][0].mu['params']['Block_0']['MultiHeadDotProductAttention_0']['value']['kernel']"}, tensor<60xf32> {jax.result_info = "result[1][0].mu['params']['Dense_0']['bias']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].mu['params']['Dense_0']['kernel']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].mu['params']['Embed_0']['embedding']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['params']['LayerNorm_0']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['params']['LayerNorm_0']['scale']"}, tensor<12x16xf32> {jax.result_info = "result[1][0].mu['params']['positions']"}, tensor<24xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['Dense_0']['bias']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['Dense_0']['kernel']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['Dense_1']['kernel']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['LayerNorm_0']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['LayerNorm_0']['scale']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['LayerNorm_1']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['LayerNorm_1']['scale']"}, tensor<16x6x4xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['MultiHeadDotProductAttention_0']['key']['kernel']"}, tensor<6x4x16xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['MultiHeadDotProductAttention_0']['out']['kernel']"}, tensor<16x6x4xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['MultiHeadDotProductAttention_0']['query']['kernel']"}, tensor<16x6x4xf32> {jax.result_info = "result[1][0].nu['params']['Block_0']['MultiHeadDotProductAttention_0']['value']['kernel']"}, tensor<60xf32> {jax.result_info = "result[1][0].nu['params']['Dense_0']['bias']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].nu['params']['Dense_0']['kernel']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].nu['params']['Embed_0']['embedding']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['params']['LayerNorm_0']['bias']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['params']['LayerNorm_0']['scale']"}, tensor<12x16xf32> {jax.result_info = "result[1][0].nu['params']['positions']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0:2 = call @_take(%arg13, %arg52) : (tensor<60x16xf32>, tensor<6x12xi32>) -> (tensor<6x12x16xf32>, tensor<6x12x1xi32>)
    %1 = stablehlo.broadcast_in_dim %arg16, dims = [1, 2] : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<1x12x16xf32>) -> tensor<6x12x16xf32>
    %3 = stablehlo.add %0#0, %2 : tensor<6x12x16xf32>
    %4 = chlo.square %3 : tensor<6x12x16xf32> -> tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<6x12x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %9 = stablehlo.divide %7, %8 : tensor<6x12xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%4 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_3 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %12 = stablehlo.divide %10, %11 : tensor<6x12xf32>
    %13 = chlo.square %9 : tensor<6x12xf32> -> tensor<6x12xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %15 = stablehlo.multiply %14, %9 : tensor<6x12xf32>
    %16 = stablehlo.subtract %12, %13 : tensor<6x12xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %18 = stablehlo.maximum %17, %16 : tensor<6x12xf32>
    %19 = stablehlo.compare EQ, %16, %18, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %22 = stablehlo.select %19, %20, %21 : tensor<6x12xi1>, tensor<6x12xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %24 = stablehlo.compare EQ, %23, %18, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %27 = stablehlo.select %24, %25, %26 : tensor<6x12xi1>, tensor<6x12xf32>
    %28 = stablehlo.divide %22, %27 : tensor<6x12xf32>
    %29 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %30 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %32 = stablehlo.subtract %3, %31 : tensor<6x12x16xf32>
    %cst_11 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %34 = stablehlo.add %30, %33 : tensor<6x12x1xf32>
    %35 = stablehlo.rsqrt %34 : tensor<6x12x1xf32>
    %36 = stablehlo.divide %35, %34 : tensor<6x12x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %38 = stablehlo.multiply %37, %36 : tensor<6x12x1xf32>
    %39 = stablehlo.reshape %arg4 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %40 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %41 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %42 = stablehlo.multiply %40, %41 : tensor<6x12x16xf32>
    %43 = stablehlo.multiply %32, %42 : tensor<6x12x16xf32>
    %44 = stablehlo.reshape %arg3 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %46 = stablehlo.add %43, %45 : tensor<6x12x16xf32>
    %47 = stablehlo.iota dim = 0 : tensor<12xi32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [1] : (tensor<12xi32>) -> tensor<6x12xi32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %50 = stablehlo.broadcast_in_dim %48, dims = [0, 2] : (tensor<6x12xi32>) -> tensor<6x1x12xi32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2] : (tensor<6x12x1xi32>) -> tensor<6x12x12xi32>
    %52 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<6x1x12xi32>) -> tensor<6x12x12xi32>
    %53 = stablehlo.compare GE, %51, %52, SIGNED : (tensor<6x12x12xi32>, tensor<6x12x12xi32>) -> tensor<6x12x12xi1>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 2, 3] : (tensor<6x12x12xi1>) -> tensor<6x1x12x12xi1>
    %55 = stablehlo.convert %54 : (tensor<6x1x12x12xi1>) -> tensor<6x1x12x12xf32>
    %56 = stablehlo.dot_general %46, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %57 = stablehlo.dot_general %46, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %58 = stablehlo.dot_general %46, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x6x4xf32>) -> tensor<6x12x6x4xf32>
    %cst_13 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %59 = stablehlo.sqrt %cst_13 : tensor<f32>
    %60 = stablehlo.convert %59 : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [] : (tensor<f32>) -> tensor<6x12x6x4xf32>
    %62 = stablehlo.divide %56, %61 : tensor<6x12x6x4xf32>
    %63 = stablehlo.dot_general %62, %57, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_14 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %64:2 = call @_where_0(%55, %63, %cst_14) : (tensor<6x1x12x12xf32>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %65 = stablehlo.reduce(%64#0 init: %cst_15) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %67 = stablehlo.maximum %66, %65 : tensor<6x6x12xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %70 = stablehlo.subtract %64#0, %69 : tensor<6x6x12x12xf32>
    %71 = stablehlo.exponential %70 : tensor<6x6x12x12xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_17) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %75 = stablehlo.divide %71, %74 : tensor<6x6x12x12xf32>
    %76 = stablehlo.multiply %73, %73 : tensor<6x6x12x1xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %78 = stablehlo.divide %77, %76 : tensor<6x6x12x1xf32>
    %79 = stablehlo.dot_general %58, %75, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %80 = stablehlo.transpose %79, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %81 = stablehlo.dot_general %80, %arg8, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x4x16xf32>) -> tensor<6x12x16xf32>
    %82 = stablehlo.add %3, %81 : tensor<6x12x16xf32>
    %83 = chlo.square %82 : tensor<6x12x16xf32> -> tensor<6x12x16xf32>
    %cst_19 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %85 = stablehlo.multiply %84, %82 : tensor<6x12x16xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.reduce(%82 init: %cst_20) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_21 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %88 = stablehlo.divide %86, %87 : tensor<6x12xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.reduce(%83 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_23 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %91 = stablehlo.divide %89, %90 : tensor<6x12xf32>
    %92 = chlo.square %88 : tensor<6x12xf32> -> tensor<6x12xf32>
    %cst_24 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %94 = stablehlo.multiply %93, %88 : tensor<6x12xf32>
    %95 = stablehlo.subtract %91, %92 : tensor<6x12xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %97 = stablehlo.maximum %96, %95 : tensor<6x12xf32>
    %98 = stablehlo.compare EQ, %95, %97, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %101 = stablehlo.select %98, %99, %100 : tensor<6x12xi1>, tensor<6x12xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %103 = stablehlo.compare EQ, %102, %97, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_29 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %106 = stablehlo.select %103, %104, %105 : tensor<6x12xi1>, tensor<6x12xf32>
    %107 = stablehlo.divide %101, %106 : tensor<6x12xf32>
    %108 = stablehlo.broadcast_in_dim %88, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %109 = stablehlo.broadcast_in_dim %97, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %110 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %111 = stablehlo.subtract %82, %110 : tensor<6x12x16xf32>
    %cst_31 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %113 = stablehlo.add %109, %112 : tensor<6x12x1xf32>
    %114 = stablehlo.rsqrt %113 : tensor<6x12x1xf32>
    %115 = stablehlo.divide %114, %113 : tensor<6x12x1xf32>
    %cst_32 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %117 = stablehlo.multiply %116, %115 : tensor<6x12x1xf32>
    %118 = stablehlo.reshape %arg6 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %119 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %120 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %121 = stablehlo.multiply %119, %120 : tensor<6x12x16xf32>
    %122 = stablehlo.multiply %111, %121 : tensor<6x12x16xf32>
    %123 = stablehlo.reshape %arg5 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %125 = stablehlo.add %122, %124 : tensor<6x12x16xf32>
    %126 = stablehlo.dot_general %125, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %127 = stablehlo.reshape %arg0 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %129 = stablehlo.add %126, %128 : tensor<6x12x24xf32>
    %130 = stablehlo.multiply %129, %129 : tensor<6x12x24xf32>
    %131 = stablehlo.multiply %130, %129 : tensor<6x12x24xf32>
    %132 = stablehlo.multiply %129, %129 : tensor<6x12x24xf32>
    %cst_33 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %134 = stablehlo.multiply %133, %132 : tensor<6x12x24xf32>
    %cst_34 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %136 = stablehlo.multiply %135, %131 : tensor<6x12x24xf32>
    %137 = stablehlo.add %129, %136 : tensor<6x12x24xf32>
    %cst_35 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %139 = stablehlo.multiply %138, %137 : tensor<6x12x24xf32>
    %140 = stablehlo.tanh %139 : tensor<6x12x24xf32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %142 = stablehlo.subtract %141, %140 : tensor<6x12x24xf32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %144 = stablehlo.add %143, %140 : tensor<6x12x24xf32>
    %cst_38 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %146 = stablehlo.multiply %145, %144 : tensor<6x12x24xf32>
    %147 = stablehlo.multiply %129, %146 : tensor<6x12x24xf32>
    %148 = stablehlo.dot_general %147, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %149 = stablehlo.add %82, %148 : tensor<6x12x16xf32>
    %150 = chlo.square %149 : tensor<6x12x16xf32> -> tensor<6x12x16xf32>
    %cst_39 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %152 = stablehlo.multiply %151, %149 : tensor<6x12x16xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.reduce(%149 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_41 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %155 = stablehlo.divide %153, %154 : tensor<6x12xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %156 = stablehlo.reduce(%150 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_43 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %158 = stablehlo.divide %156, %157 : tensor<6x12xf32>
    %159 = chlo.square %155 : tensor<6x12xf32> -> tensor<6x12xf32>
    %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %161 = stablehlo.multiply %160, %155 : tensor<6x12xf32>
    %162 = stablehlo.subtract %158, %159 : tensor<6x12xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %164 = stablehlo.maximum %163, %162 : tensor<6x12xf32>
    %165 = stablehlo.compare EQ, %162, %164, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %168 = stablehlo.select %165, %166, %167 : tensor<6x12xi1>, tensor<6x12xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %170 = stablehlo.compare EQ, %169, %164, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_49 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %173 = stablehlo.select %170, %171, %172 : tensor<6x12xi1>, tensor<6x12xf32>
    %174 = stablehlo.divide %168, %173 : tensor<6x12xf32>
    %175 = stablehlo.broadcast_in_dim %155, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %176 = stablehlo.broadcast_in_dim %164, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %177 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %178 = stablehlo.subtract %149, %177 : tensor<6x12x16xf32>
    %cst_51 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %180 = stablehlo.add %176, %179 : tensor<6x12x1xf32>
    %181 = stablehlo.rsqrt %180 : tensor<6x12x1xf32>
    %182 = stablehlo.divide %181, %180 : tensor<6x12x1xf32>
    %cst_52 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %184 = stablehlo.multiply %183, %182 : tensor<6x12x1xf32>
    %185 = stablehlo.reshape %arg15 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %186 = stablehlo.broadcast_in_dim %181, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %187 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %188 = stablehlo.multiply %186, %187 : tensor<6x12x16xf32>
    %189 = stablehlo.multiply %178, %188 : tensor<6x12x16xf32>
    %190 = stablehlo.reshape %arg14 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %191 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %192 = stablehlo.add %189, %191 : tensor<6x12x16xf32>
    %193 = stablehlo.dot_general %192, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %194 = stablehlo.reshape %arg11 : (tensor<60xf32>) -> tensor<1x1x60xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1, 2] : (tensor<1x1x60xf32>) -> tensor<6x12x60xf32>
    %196 = stablehlo.add %193, %195 : tensor<6x12x60xf32>
    %197 = stablehlo.broadcast_in_dim %arg53, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %198:2 = call @take_along_axis(%196, %197) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %199:2 = call @_take_1(%198#0, %c) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_53 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %200 = stablehlo.reduce(%196 init: %cst_53) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_54 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %202 = stablehlo.maximum %201, %200 : tensor<6x12xf32>
    %203 = stablehlo.is_finite %202 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %205 = stablehlo.select %203, %202, %204 : tensor<6x12xi1>, tensor<6x12xf32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %208 = stablehlo.subtract %196, %207 : tensor<6x12x60xf32>
    %209 = stablehlo.exponential %208 : tensor<6x12x60xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %210 = stablehlo.reduce(%209 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %211 = stablehlo.abs %210 : tensor<6x12xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %213 = stablehlo.compare GE, %210, %212, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %214 = stablehlo.log %211 : tensor<6x12xf32>
    %215 = stablehlo.add %214, %205 : tensor<6x12xf32>
    %216 = stablehlo.subtract %215, %199#0 : tensor<6x12xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %217 = stablehlo.reduce(%216 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_59 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %218 = stablehlo.divide %217, %cst_59 : tensor<f32>
    %cst_60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_61 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %219 = stablehlo.divide %cst_60, %cst_61 : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %219, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %221 = stablehlo.negate %220 : tensor<6x12xf32>
    %222 = stablehlo.divide %220, %211 : tensor<6x12xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %224 = stablehlo.select %213, %223, %222 : tensor<6x12xi1>, tensor<6x12xf32>
    %225 = stablehlo.select %213, %222, %223 : tensor<6x12xi1>, tensor<6x12xf32>
    %226 = stablehlo.negate %224 : tensor<6x12xf32>
    %227 = stablehlo.add %225, %226 : tensor<6x12xf32>
    %228 = stablehlo.broadcast_in_dim %227, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %229 = stablehlo.multiply %228, %209 : tensor<6x12x60xf32>
    %230 = call @_take_3(%199#1, %221) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %231 = call @take_along_axis_4(%198#1, %230) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %232 = stablehlo.add %229, %231 : tensor<6x12x60xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %233 = stablehlo.reduce(%232 init: %cst_63) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<60xf32>
    %234 = stablehlo.reshape %233 : (tensor<60xf32>) -> tensor<1x1x60xf32>
    %235 = stablehlo.reshape %234 : (tensor<1x1x60xf32>) -> tensor<60xf32>
    %236 = stablehlo.dot_general %232, %192, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %237 = stablehlo.transpose %236, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %238 = stablehlo.dot_general %232, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %239 = stablehlo.reduce(%238 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %240 = stablehlo.reshape %239 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %241 = stablehlo.reshape %240 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %242 = stablehlo.multiply %178, %238 : tensor<6x12x16xf32>
    %243 = stablehlo.multiply %238, %188 : tensor<6x12x16xf32>
    %244 = stablehlo.broadcast_in_dim %181, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %245 = stablehlo.multiply %244, %242 : tensor<6x12x16xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%245 init: %cst_65) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %247 = stablehlo.reshape %246 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %248 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %249 = stablehlo.multiply %242, %248 : tensor<6x12x16xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%249 init: %cst_66) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %251 = stablehlo.reshape %250 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %252 = stablehlo.reshape %247 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %253 = stablehlo.multiply %251, %184 : tensor<6x12x1xf32>
    %254 = stablehlo.negate %243 : tensor<6x12x16xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%254 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %256 = stablehlo.reshape %255 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.reduce(%253 init: %cst_68) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.reduce(%256 init: %cst_69) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %259 = stablehlo.multiply %257, %174 : tensor<6x12xf32>
    %260 = stablehlo.negate %259 : tensor<6x12xf32>
    %261 = stablehlo.multiply %260, %161 : tensor<6x12xf32>
    %262 = stablehlo.add %258, %261 : tensor<6x12xf32>
    %cst_70 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %263 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %264 = stablehlo.divide %259, %263 : tensor<6x12xf32>
    %265 = stablehlo.broadcast_in_dim %264, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %cst_71 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %266 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %267 = stablehlo.divide %262, %266 : tensor<6x12xf32>
    %268 = stablehlo.broadcast_in_dim %267, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %269 = stablehlo.add %243, %268 : tensor<6x12x16xf32>
    %270 = stablehlo.multiply %265, %152 : tensor<6x12x16xf32>
    %271 = stablehlo.add %269, %270 : tensor<6x12x16xf32>
    %272 = stablehlo.dot_general %271, %147, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %273 = stablehlo.transpose %272, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %274 = stablehlo.dot_general %271, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %275 = stablehlo.multiply %129, %274 : tensor<6x12x24xf32>
    %276 = stablehlo.multiply %274, %146 : tensor<6x12x24xf32>
    %cst_72 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %277 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %278 = stablehlo.multiply %277, %275 : tensor<6x12x24xf32>
    %279 = stablehlo.multiply %278, %142 : tensor<6x12x24xf32>
    %280 = stablehlo.multiply %279, %140 : tensor<6x12x24xf32>
    %281 = stablehlo.add %279, %280 : tensor<6x12x24xf32>
    %cst_73 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %283 = stablehlo.multiply %282, %281 : tensor<6x12x24xf32>
    %284 = stablehlo.add %276, %283 : tensor<6x12x24xf32>
    %cst_74 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %285 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %286 = stablehlo.multiply %285, %283 : tensor<6x12x24xf32>
    %287 = stablehlo.multiply %286, %134 : tensor<6x12x24xf32>
    %288 = stablehlo.add %284, %287 : tensor<6x12x24xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %289 = stablehlo.reduce(%288 init: %cst_75) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %290 = stablehlo.reshape %289 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %291 = stablehlo.reshape %290 : (tensor<1x1x24xf32>) -> tensor<24xf32>
    %292 = stablehlo.dot_general %288, %125, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %293 = stablehlo.transpose %292, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %294 = stablehlo.dot_general %288, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.reduce(%294 init: %cst_76) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %296 = stablehlo.reshape %295 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %297 = stablehlo.reshape %296 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %298 = stablehlo.multiply %111, %294 : tensor<6x12x16xf32>
    %299 = stablehlo.multiply %294, %121 : tensor<6x12x16xf32>
    %300 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %301 = stablehlo.multiply %300, %298 : tensor<6x12x16xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %302 = stablehlo.reduce(%301 init: %cst_77) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %303 = stablehlo.reshape %302 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %304 = stablehlo.broadcast_in_dim %118, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %305 = stablehlo.multiply %298, %304 : tensor<6x12x16xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %306 = stablehlo.reduce(%305 init: %cst_78) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %307 = stablehlo.reshape %306 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %308 = stablehlo.reshape %303 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %309 = stablehlo.multiply %307, %117 : tensor<6x12x1xf32>
    %310 = stablehlo.negate %299 : tensor<6x12x16xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.reduce(%310 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %312 = stablehlo.reshape %311 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %313 = stablehlo.add %271, %299 : tensor<6x12x16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %314 = stablehlo.reduce(%309 init: %cst_80) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.reduce(%312 init: %cst_81) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %316 = stablehlo.multiply %314, %107 : tensor<6x12xf32>
    %317 = stablehlo.negate %316 : tensor<6x12xf32>
    %318 = stablehlo.multiply %317, %94 : tensor<6x12xf32>
    %319 = stablehlo.add %315, %318 : tensor<6x12xf32>
    %cst_82 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %320 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %321 = stablehlo.divide %316, %320 : tensor<6x12xf32>
    %322 = stablehlo.broadcast_in_dim %321, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %cst_83 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %323 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %324 = stablehlo.divide %319, %323 : tensor<6x12xf32>
    %325 = stablehlo.broadcast_in_dim %324, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %326 = stablehlo.add %313, %325 : tensor<6x12x16xf32>
    %327 = stablehlo.multiply %322, %85 : tensor<6x12x16xf32>
    %328 = stablehlo.add %326, %327 : tensor<6x12x16xf32>
    %329 = stablehlo.dot_general %328, %80, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x6x4xf32>) -> tensor<16x6x4xf32>
    %330 = stablehlo.transpose %329, dims = [1, 2, 0] : (tensor<16x6x4xf32>) -> tensor<6x4x16xf32>
    %331 = stablehlo.dot_general %328, %arg8, contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x4x16xf32>) -> tensor<6x12x6x4xf32>
    %332 = stablehlo.transpose %331, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %333 = stablehlo.dot_general %332, %58, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %334 = stablehlo.dot_general %332, %75, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %335 = stablehlo.transpose %334, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %336 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %337 = stablehlo.multiply %333, %336 : tensor<6x6x12x12xf32>
    %338 = stablehlo.multiply %337, %71 : tensor<6x6x12x12xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %339 = stablehlo.reduce(%338 init: %cst_84) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %340 = stablehlo.reshape %339 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %341 = stablehlo.negate %340 : tensor<6x6x12x1xf32>
    %342 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %343 = stablehlo.divide %333, %342 : tensor<6x6x12x12xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %344 = stablehlo.reduce(%341 init: %cst_85) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %345 = stablehlo.broadcast_in_dim %344, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %346 = stablehlo.add %343, %345 : tensor<6x6x12x12xf32>
    %347 = stablehlo.multiply %346, %71 : tensor<6x6x12x12xf32>
    %348 = call @_where_5(%64#1, %347) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %349 = stablehlo.dot_general %348, %62, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %350 = stablehlo.transpose %349, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %351 = stablehlo.dot_general %348, %57, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %352 = stablehlo.transpose %351, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %353 = stablehlo.broadcast_in_dim %60, dims = [] : (tensor<f32>) -> tensor<6x12x6x4xf32>
    %354 = stablehlo.divide %352, %353 : tensor<6x12x6x4xf32>
    %355 = stablehlo.dot_general %335, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %356 = stablehlo.transpose %355, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %357 = stablehlo.dot_general %335, %arg10, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %358 = stablehlo.dot_general %350, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %359 = stablehlo.transpose %358, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %360 = stablehlo.dot_general %350, %arg7, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %361 = stablehlo.add %357, %360 : tensor<6x12x16xf32>
    %362 = stablehlo.dot_general %354, %46, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x16xf32>) -> tensor<6x4x16xf32>
    %363 = stablehlo.transpose %362, dims = [2, 0, 1] : (tensor<6x4x16xf32>) -> tensor<16x6x4xf32>
    %364 = stablehlo.dot_general %354, %arg9, contracting_dims = [2, 3] x [1, 2], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<16x6x4xf32>) -> tensor<6x12x16xf32>
    %365 = stablehlo.add %361, %364 : tensor<6x12x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %366 = stablehlo.reduce(%365 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %367 = stablehlo.reshape %366 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %368 = stablehlo.reshape %367 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %369 = stablehlo.multiply %32, %365 : tensor<6x12x16xf32>
    %370 = stablehlo.multiply %365, %42 : tensor<6x12x16xf32>
    %371 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %372 = stablehlo.multiply %371, %369 : tensor<6x12x16xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %373 = stablehlo.reduce(%372 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %374 = stablehlo.reshape %373 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %375 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %376 = stablehlo.multiply %369, %375 : tensor<6x12x16xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %377 = stablehlo.reduce(%376 init: %cst_88) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %378 = stablehlo.reshape %377 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %379 = stablehlo.reshape %374 : (tensor<1x1x16xf32>) -> tensor<16xf32>
    %380 = stablehlo.multiply %378, %38 : tensor<6x12x1xf32>
    %381 = stablehlo.negate %370 : tensor<6x12x16xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %383 = stablehlo.reshape %382 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %384 = stablehlo.add %328, %370 : tensor<6x12x16xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %385 = stablehlo.reduce(%380 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %386 = stablehlo.reduce(%383 init: %cst_91) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %387 = stablehlo.multiply %385, %28 : tensor<6x12xf32>
    %388 = stablehlo.negate %387 : tensor<6x12xf32>
    %389 = stablehlo.multiply %388, %15 : tensor<6x12xf32>
    %390 = stablehlo.add %386, %389 : tensor<6x12xf32>
    %cst_92 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %391 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %392 = stablehlo.divide %387, %391 : tensor<6x12xf32>
    %393 = stablehlo.broadcast_in_dim %392, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %cst_93 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %394 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %395 = stablehlo.divide %390, %394 : tensor<6x12xf32>
    %396 = stablehlo.broadcast_in_dim %395, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %397 = stablehlo.add %384, %396 : tensor<6x12x16xf32>
    %398 = stablehlo.multiply %393, %6 : tensor<6x12x16xf32>
    %399 = stablehlo.add %397, %398 : tensor<6x12x16xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %400 = stablehlo.reduce(%399 init: %cst_94) applies stablehlo.add across dimensions = [0] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %401 = stablehlo.reshape %400 : (tensor<12x16xf32>) -> tensor<1x12x16xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %402 = stablehlo.reduce(%401 init: %cst_95) applies stablehlo.add across dimensions = [0] : (tensor<1x12x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %403 = call @_take_6(%0#1, %399) : (tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %cst_96 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %404 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %405 = stablehlo.multiply %404, %291 : tensor<24xf32>
    %cst_97 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %406 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %407 = stablehlo.multiply %406, %arg18 : tensor<24xf32>
    %408 = stablehlo.add %405, %407 : tensor<24xf32>
    %cst_98 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %410 = stablehlo.multiply %409, %293 : tensor<16x24xf32>
    %cst_99 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %411 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %412 = stablehlo.multiply %411, %arg19 : tensor<16x24xf32>
    %413 = stablehlo.add %410, %412 : tensor<16x24xf32>
    %cst_100 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %414 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %415 = stablehlo.multiply %414, %273 : tensor<24x16xf32>
    %cst_101 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %417 = stablehlo.multiply %416, %arg20 : tensor<24x16xf32>
    %418 = stablehlo.add %415, %417 : tensor<24x16xf32>
    %cst_102 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %419 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %420 = stablehlo.multiply %419, %368 : tensor<16xf32>
    %cst_103 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %421 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %422 = stablehlo.multiply %421, %arg21 : tensor<16xf32>
    %423 = stablehlo.add %420, %422 : tensor<16xf32>
    %cst_104 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %424 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %425 = stablehlo.multiply %424, %379 : tensor<16xf32>
    %cst_105 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %426 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %427 = stablehlo.multiply %426, %arg22 : tensor<16xf32>
    %428 = stablehlo.add %425, %427 : tensor<16xf32>
    %cst_106 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %429 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %430 = stablehlo.multiply %429, %297 : tensor<16xf32>
    %cst_107 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %432 = stablehlo.multiply %431, %arg23 : tensor<16xf32>
    %433 = stablehlo.add %430, %432 : tensor<16xf32>
    %cst_108 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %434 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %435 = stablehlo.multiply %434, %308 : tensor<16xf32>
    %cst_109 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %436 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %437 = stablehlo.multiply %436, %arg24 : tensor<16xf32>
    %438 = stablehlo.add %435, %437 : tensor<16xf32>
    %cst_110 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %439 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %440 = stablehlo.multiply %439, %359 : tensor<16x6x4xf32>
    %cst_111 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %441 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %442 = stablehlo.multiply %441, %arg25 : tensor<16x6x4xf32>
    %443 = stablehlo.add %440, %442 : tensor<16x6x4xf32>
    %cst_112 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %444 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %445 = stablehlo.multiply %444, %330 : tensor<6x4x16xf32>
    %cst_113 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %446 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %447 = stablehlo.multiply %446, %arg26 : tensor<6x4x16xf32>
    %448 = stablehlo.add %445, %447 : tensor<6x4x16xf32>
    %cst_114 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %449 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %450 = stablehlo.multiply %449, %363 : tensor<16x6x4xf32>
    %cst_115 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %451 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %452 = stablehlo.multiply %451, %arg27 : tensor<16x6x4xf32>
    %453 = stablehlo.add %450, %452 : tensor<16x6x4xf32>
    %cst_116 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %454 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %455 = stablehlo.multiply %454, %356 : tensor<16x6x4xf32>
    %cst_117 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %457 = stablehlo.multiply %456, %arg28 : tensor<16x6x4xf32>
    %458 = stablehlo.add %455, %457 : tensor<16x6x4xf32>
    %cst_118 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %459 = stablehlo.broadcast_in_dim %cst_118, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %460 = stablehlo.multiply %459, %235 : tensor<60xf32>
    %cst_119 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %461 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %462 = stablehlo.multiply %461, %arg29 : tensor<60xf32>
    %463 = stablehlo.add %460, %462 : tensor<60xf32>
    %cst_120 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %464 = stablehlo.broadcast_in_dim %cst_120, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %465 = stablehlo.multiply %464, %237 : tensor<16x60xf32>
    %cst_121 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %466 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %467 = stablehlo.multiply %466, %arg30 : tensor<16x60xf32>
    %468 = stablehlo.add %465, %467 : tensor<16x60xf32>
    %cst_122 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %469 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %470 = stablehlo.multiply %469, %403 : tensor<60x16xf32>
    %cst_123 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %471 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %472 = stablehlo.multiply %471, %arg31 : tensor<60x16xf32>
    %473 = stablehlo.add %470, %472 : tensor<60x16xf32>
    %cst_124 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %474 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %475 = stablehlo.multiply %474, %241 : tensor<16xf32>
    %cst_125 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %476 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %477 = stablehlo.multiply %476, %arg32 : tensor<16xf32>
    %478 = stablehlo.add %475, %477 : tensor<16xf32>
    %cst_126 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %479 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %480 = stablehlo.multiply %479, %252 : tensor<16xf32>
    %cst_127 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %481 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %482 = stablehlo.multiply %481, %arg33 : tensor<16xf32>
    %483 = stablehlo.add %480, %482 : tensor<16xf32>
    %cst_128 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %484 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %485 = stablehlo.multiply %484, %402 : tensor<12x16xf32>
    %cst_129 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %486 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %487 = stablehlo.multiply %486, %arg34 : tensor<12x16xf32>
    %488 = stablehlo.add %485, %487 : tensor<12x16xf32>
    %489 = stablehlo.multiply %291, %291 : tensor<24xf32>
    %cst_130 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %490 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %491 = stablehlo.multiply %490, %489 : tensor<24xf32>
    %cst_131 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %492 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %493 = stablehlo.multiply %492, %arg35 : tensor<24xf32>
    %494 = stablehlo.add %491, %493 : tensor<24xf32>
    %495 = stablehlo.multiply %293, %293 : tensor<16x24xf32>
    %cst_132 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %496 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %497 = stablehlo.multiply %496, %495 : tensor<16x24xf32>
    %cst_133 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %498 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %499 = stablehlo.multiply %498, %arg36 : tensor<16x24xf32>
    %500 = stablehlo.add %497, %499 : tensor<16x24xf32>
    %501 = stablehlo.multiply %273, %273 : tensor<24x16xf32>
    %cst_134 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %503 = stablehlo.multiply %502, %501 : tensor<24x16xf32>
    %cst_135 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %504 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %505 = stablehlo.multiply %504, %arg37 : tensor<24x16xf32>
    %506 = stablehlo.add %503, %505 : tensor<24x16xf32>
    %507 = stablehlo.multiply %368, %368 : tensor<16xf32>
    %cst_136 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %508 = stablehlo.broadcast_in_dim %cst_136, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %509 = stablehlo.multiply %508, %507 : tensor<16xf32>
    %cst_137 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %510 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %511 = stablehlo.multiply %510, %arg38 : tensor<16xf32>
    %512 = stablehlo.add %509, %511 : tensor<16xf32>
    %513 = stablehlo.multiply %379, %379 : tensor<16xf32>
    %cst_138 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %514 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %515 = stablehlo.multiply %514, %513 : tensor<16xf32>
    %cst_139 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %516 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %517 = stablehlo.multiply %516, %arg39 : tensor<16xf32>
    %518 = stablehlo.add %515, %517 : tensor<16xf32>
    %519 = stablehlo.multiply %297, %297 : tensor<16xf32>
    %cst_140 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %520 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %521 = stablehlo.multiply %520, %519 : tensor<16xf32>
    %cst_141 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %522 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %523 = stablehlo.multiply %522, %arg40 : tensor<16xf32>
    %524 = stablehlo.add %521, %523 : tensor<16xf32>
    %525 = stablehlo.multiply %308, %308 : tensor<16xf32>
    %cst_142 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %526 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %527 = stablehlo.multiply %526, %525 : tensor<16xf32>
    %cst_143 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %528 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %529 = stablehlo.multiply %528, %arg41 : tensor<16xf32>
    %530 = stablehlo.add %527, %529 : tensor<16xf32>
    %531 = stablehlo.multiply %359, %359 : tensor<16x6x4xf32>
    %cst_144 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %532 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %533 = stablehlo.multiply %532, %531 : tensor<16x6x4xf32>
    %cst_145 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %535 = stablehlo.multiply %534, %arg42 : tensor<16x6x4xf32>
    %536 = stablehlo.add %533, %535 : tensor<16x6x4xf32>
    %537 = stablehlo.multiply %330, %330 : tensor<6x4x16xf32>
    %cst_146 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %538 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %539 = stablehlo.multiply %538, %537 : tensor<6x4x16xf32>
    %cst_147 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %540 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %541 = stablehlo.multiply %540, %arg43 : tensor<6x4x16xf32>
    %542 = stablehlo.add %539, %541 : tensor<6x4x16xf32>
    %543 = stablehlo.multiply %363, %363 : tensor<16x6x4xf32>
    %cst_148 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %544 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %545 = stablehlo.multiply %544, %543 : tensor<16x6x4xf32>
    %cst_149 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %546 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %547 = stablehlo.multiply %546, %arg44 : tensor<16x6x4xf32>
    %548 = stablehlo.add %545, %547 : tensor<16x6x4xf32>
    %549 = stablehlo.multiply %356, %356 : tensor<16x6x4xf32>
    %cst_150 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %550 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %551 = stablehlo.multiply %550, %549 : tensor<16x6x4xf32>
    %cst_151 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %552 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %553 = stablehlo.multiply %552, %arg45 : tensor<16x6x4xf32>
    %554 = stablehlo.add %551, %553 : tensor<16x6x4xf32>
    %555 = stablehlo.multiply %235, %235 : tensor<60xf32>
    %cst_152 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %557 = stablehlo.multiply %556, %555 : tensor<60xf32>
    %cst_153 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %558 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %559 = stablehlo.multiply %558, %arg46 : tensor<60xf32>
    %560 = stablehlo.add %557, %559 : tensor<60xf32>
    %561 = stablehlo.multiply %237, %237 : tensor<16x60xf32>
    %cst_154 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %563 = stablehlo.multiply %562, %561 : tensor<16x60xf32>
    %cst_155 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %564 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %565 = stablehlo.multiply %564, %arg47 : tensor<16x60xf32>
    %566 = stablehlo.add %563, %565 : tensor<16x60xf32>
    %567 = stablehlo.multiply %403, %403 : tensor<60x16xf32>
    %cst_156 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %569 = stablehlo.multiply %568, %567 : tensor<60x16xf32>
    %cst_157 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %570 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %571 = stablehlo.multiply %570, %arg48 : tensor<60x16xf32>
    %572 = stablehlo.add %569, %571 : tensor<60x16xf32>
    %573 = stablehlo.multiply %241, %241 : tensor<16xf32>
    %cst_158 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %575 = stablehlo.multiply %574, %573 : tensor<16xf32>
    %cst_159 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %577 = stablehlo.multiply %576, %arg49 : tensor<16xf32>
    %578 = stablehlo.add %575, %577 : tensor<16xf32>
    %579 = stablehlo.multiply %252, %252 : tensor<16xf32>
    %cst_160 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %581 = stablehlo.multiply %580, %579 : tensor<16xf32>
    %cst_161 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %582 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %583 = stablehlo.multiply %582, %arg50 : tensor<16xf32>
    %584 = stablehlo.add %581, %583 : tensor<16xf32>
    %585 = stablehlo.multiply %402, %402 : tensor<12x16xf32>
    %cst_162 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %587 = stablehlo.multiply %586, %585 : tensor<12x16xf32>
    %cst_163 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %588 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %589 = stablehlo.multiply %588, %arg51 : tensor<12x16xf32>
    %590 = stablehlo.add %587, %589 : tensor<12x16xf32>
    %c_164 = stablehlo.constant dense<2147483647> : tensor<i32>
    %591 = stablehlo.compare LT, %arg17, %c_164, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_165 = stablehlo.constant dense<1> : tensor<i32>
    %592 = stablehlo.add %arg17, %c_165 : tensor<i32>
    %c_166 = stablehlo.constant dense<2147483647> : tensor<i32>
    %593 = call @_where_7(%591, %592, %c_166) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_167 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %594 = stablehlo.convert %593 : (tensor<i32>) -> tensor<f32>
    %595 = stablehlo.power %cst_167, %594 : tensor<f32>
    %cst_168 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %596 = stablehlo.subtract %cst_168, %595 : tensor<f32>
    %597 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %598 = stablehlo.divide %408, %597 : tensor<24xf32>
    %599 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %600 = stablehlo.divide %413, %599 : tensor<16x24xf32>
    %601 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %602 = stablehlo.divide %418, %601 : tensor<24x16xf32>
    %603 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %604 = stablehlo.divide %423, %603 : tensor<16xf32>
    %605 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %606 = stablehlo.divide %428, %605 : tensor<16xf32>
    %607 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %608 = stablehlo.divide %433, %607 : tensor<16xf32>
    %609 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %610 = stablehlo.divide %438, %609 : tensor<16xf32>
    %611 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %612 = stablehlo.divide %443, %611 : tensor<16x6x4xf32>
    %613 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %614 = stablehlo.divide %448, %613 : tensor<6x4x16xf32>
    %615 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %616 = stablehlo.divide %453, %615 : tensor<16x6x4xf32>
    %617 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %618 = stablehlo.divide %458, %617 : tensor<16x6x4xf32>
    %619 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %620 = stablehlo.divide %463, %619 : tensor<60xf32>
    %621 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %622 = stablehlo.divide %468, %621 : tensor<16x60xf32>
    %623 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %624 = stablehlo.divide %473, %623 : tensor<60x16xf32>
    %625 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %626 = stablehlo.divide %478, %625 : tensor<16xf32>
    %627 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %628 = stablehlo.divide %483, %627 : tensor<16xf32>
    %629 = stablehlo.broadcast_in_dim %596, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %630 = stablehlo.divide %488, %629 : tensor<12x16xf32>
    %cst_169 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %631 = stablehlo.convert %593 : (tensor<i32>) -> tensor<f32>
    %632 = stablehlo.power %cst_169, %631 : tensor<f32>
    %cst_170 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %633 = stablehlo.subtract %cst_170, %632 : tensor<f32>
    %634 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %635 = stablehlo.divide %494, %634 : tensor<24xf32>
    %636 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %637 = stablehlo.divide %500, %636 : tensor<16x24xf32>
    %638 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %639 = stablehlo.divide %506, %638 : tensor<24x16xf32>
    %640 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %641 = stablehlo.divide %512, %640 : tensor<16xf32>
    %642 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %643 = stablehlo.divide %518, %642 : tensor<16xf32>
    %644 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %645 = stablehlo.divide %524, %644 : tensor<16xf32>
    %646 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %647 = stablehlo.divide %530, %646 : tensor<16xf32>
    %648 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %649 = stablehlo.divide %536, %648 : tensor<16x6x4xf32>
    %650 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %651 = stablehlo.divide %542, %650 : tensor<6x4x16xf32>
    %652 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %653 = stablehlo.divide %548, %652 : tensor<16x6x4xf32>
    %654 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %655 = stablehlo.divide %554, %654 : tensor<16x6x4xf32>
    %656 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %657 = stablehlo.divide %560, %656 : tensor<60xf32>
    %658 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %659 = stablehlo.divide %566, %658 : tensor<16x60xf32>
    %660 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %661 = stablehlo.divide %572, %660 : tensor<60x16xf32>
    %662 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %663 = stablehlo.divide %578, %662 : tensor<16xf32>
    %664 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %665 = stablehlo.divide %584, %664 : tensor<16xf32>
    %666 = stablehlo.broadcast_in_dim %633, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %667 = stablehlo.divide %590, %666 : tensor<12x16xf32>
    %cst_171 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %668 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %669 = stablehlo.add %635, %668 : tensor<24xf32>
    %670 = stablehlo.sqrt %669 : tensor<24xf32>
    %cst_172 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %671 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %672 = stablehlo.add %670, %671 : tensor<24xf32>
    %673 = stablehlo.divide %598, %672 : tensor<24xf32>
    %cst_173 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %674 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %675 = stablehlo.add %637, %674 : tensor<16x24xf32>
    %676 = stablehlo.sqrt %675 : tensor<16x24xf32>
    %cst_174 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %677 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %678 = stablehlo.add %676, %677 : tensor<16x24xf32>
    %679 = stablehlo.divide %600, %678 : tensor<16x24xf32>
    %cst_175 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %680 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %681 = stablehlo.add %639, %680 : tensor<24x16xf32>
    %682 = stablehlo.sqrt %681 : tensor<24x16xf32>
    %cst_176 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %683 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %684 = stablehlo.add %682, %683 : tensor<24x16xf32>
    %685 = stablehlo.divide %602, %684 : tensor<24x16xf32>
    %cst_177 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %686 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %687 = stablehlo.add %641, %686 : tensor<16xf32>
    %688 = stablehlo.sqrt %687 : tensor<16xf32>
    %cst_178 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %689 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %690 = stablehlo.add %688, %689 : tensor<16xf32>
    %691 = stablehlo.divide %604, %690 : tensor<16xf32>
    %cst_179 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %692 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %693 = stablehlo.add %643, %692 : tensor<16xf32>
    %694 = stablehlo.sqrt %693 : tensor<16xf32>
    %cst_180 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %695 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %696 = stablehlo.add %694, %695 : tensor<16xf32>
    %697 = stablehlo.divide %606, %696 : tensor<16xf32>
    %cst_181 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %698 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %699 = stablehlo.add %645, %698 : tensor<16xf32>
    %700 = stablehlo.sqrt %699 : tensor<16xf32>
    %cst_182 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %701 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %702 = stablehlo.add %700, %701 : tensor<16xf32>
    %703 = stablehlo.divide %608, %702 : tensor<16xf32>
    %cst_183 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %704 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %705 = stablehlo.add %647, %704 : tensor<16xf32>
    %706 = stablehlo.sqrt %705 : tensor<16xf32>
    %cst_184 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %707 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %708 = stablehlo.add %706, %707 : tensor<16xf32>
    %709 = stablehlo.divide %610, %708 : tensor<16xf32>
    %cst_185 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %710 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %711 = stablehlo.add %649, %710 : tensor<16x6x4xf32>
    %712 = stablehlo.sqrt %711 : tensor<16x6x4xf32>
    %cst_186 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %713 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %714 = stablehlo.add %712, %713 : tensor<16x6x4xf32>
    %715 = stablehlo.divide %612, %714 : tensor<16x6x4xf32>
    %cst_187 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %716 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %717 = stablehlo.add %651, %716 : tensor<6x4x16xf32>
    %718 = stablehlo.sqrt %717 : tensor<6x4x16xf32>
    %cst_188 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %719 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %720 = stablehlo.add %718, %719 : tensor<6x4x16xf32>
    %721 = stablehlo.divide %614, %720 : tensor<6x4x16xf32>
    %cst_189 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %722 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %723 = stablehlo.add %653, %722 : tensor<16x6x4xf32>
    %724 = stablehlo.sqrt %723 : tensor<16x6x4xf32>
    %cst_190 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %725 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %726 = stablehlo.add %724, %725 : tensor<16x6x4xf32>
    %727 = stablehlo.divide %616, %726 : tensor<16x6x4xf32>
    %cst_191 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %728 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %729 = stablehlo.add %655, %728 : tensor<16x6x4xf32>
    %730 = stablehlo.sqrt %729 : tensor<16x6x4xf32>
    %cst_192 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %731 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %732 = stablehlo.add %730, %731 : tensor<16x6x4xf32>
    %733 = stablehlo.divide %618, %732 : tensor<16x6x4xf32>
    %cst_193 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %734 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %735 = stablehlo.add %657, %734 : tensor<60xf32>
    %736 = stablehlo.sqrt %735 : tensor<60xf32>
    %cst_194 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %737 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %738 = stablehlo.add %736, %737 : tensor<60xf32>
    %739 = stablehlo.divide %620, %738 : tensor<60xf32>
    %cst_195 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %740 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %741 = stablehlo.add %659, %740 : tensor<16x60xf32>
    %742 = stablehlo.sqrt %741 : tensor<16x60xf32>
    %cst_196 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %743 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %744 = stablehlo.add %742, %743 : tensor<16x60xf32>
    %745 = stablehlo.divide %622, %744 : tensor<16x60xf32>
    %cst_197 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %746 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %747 = stablehlo.add %661, %746 : tensor<60x16xf32>
    %748 = stablehlo.sqrt %747 : tensor<60x16xf32>
    %cst_198 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %749 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %750 = stablehlo.add %748, %749 : tensor<60x16xf32>
    %751 = stablehlo.divide %624, %750 : tensor<60x16xf32>
    %cst_199 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %752 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %753 = stablehlo.add %663, %752 : tensor<16xf32>
    %754 = stablehlo.sqrt %753 : tensor<16xf32>
    %cst_200 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %755 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %756 = stablehlo.add %754, %755 : tensor<16xf32>
    %757 = stablehlo.divide %626, %756 : tensor<16xf32>
    %cst_201 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %758 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %759 = stablehlo.add %665, %758 : tensor<16xf32>
    %760 = stablehlo.sqrt %759 : tensor<16xf32>
    %cst_202 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %761 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %762 = stablehlo.add %760, %761 : tensor<16xf32>
    %763 = stablehlo.divide %628, %762 : tensor<16xf32>
    %cst_203 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %764 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %765 = stablehlo.add %667, %764 : tensor<12x16xf32>
    %766 = stablehlo.sqrt %765 : tensor<12x16xf32>
    %cst_204 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %767 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %768 = stablehlo.add %766, %767 : tensor<12x16xf32>
    %769 = stablehlo.divide %630, %768 : tensor<12x16xf32>
    %cst_205 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %770 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %771 = stablehlo.multiply %770, %arg0 : tensor<24xf32>
    %772 = stablehlo.add %673, %771 : tensor<24xf32>
    %cst_206 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %773 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %774 = stablehlo.multiply %773, %arg1 : tensor<16x24xf32>
    %775 = stablehlo.add %679, %774 : tensor<16x24xf32>
    %cst_207 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %776 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %777 = stablehlo.multiply %776, %arg2 : tensor<24x16xf32>
    %778 = stablehlo.add %685, %777 : tensor<24x16xf32>
    %cst_208 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %779 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %780 = stablehlo.multiply %779, %arg3 : tensor<16xf32>
    %781 = stablehlo.add %691, %780 : tensor<16xf32>
    %cst_209 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %782 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %783 = stablehlo.multiply %782, %arg4 : tensor<16xf32>
    %784 = stablehlo.add %697, %783 : tensor<16xf32>
    %cst_210 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %785 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %786 = stablehlo.multiply %785, %arg5 : tensor<16xf32>
    %787 = stablehlo.add %703, %786 : tensor<16xf32>
    %cst_211 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %788 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %789 = stablehlo.multiply %788, %arg6 : tensor<16xf32>
    %790 = stablehlo.add %709, %789 : tensor<16xf32>
    %cst_212 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %791 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %792 = stablehlo.multiply %791, %arg7 : tensor<16x6x4xf32>
    %793 = stablehlo.add %715, %792 : tensor<16x6x4xf32>
    %cst_213 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %794 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %795 = stablehlo.multiply %794, %arg8 : tensor<6x4x16xf32>
    %796 = stablehlo.add %721, %795 : tensor<6x4x16xf32>
    %cst_214 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %797 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %798 = stablehlo.multiply %797, %arg9 : tensor<16x6x4xf32>
    %799 = stablehlo.add %727, %798 : tensor<16x6x4xf32>
    %cst_215 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %800 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %801 = stablehlo.multiply %800, %arg10 : tensor<16x6x4xf32>
    %802 = stablehlo.add %733, %801 : tensor<16x6x4xf32>
    %cst_216 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %803 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %804 = stablehlo.multiply %803, %arg11 : tensor<60xf32>
    %805 = stablehlo.add %739, %804 : tensor<60xf32>
    %cst_217 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %806 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %807 = stablehlo.multiply %806, %arg12 : tensor<16x60xf32>
    %808 = stablehlo.add %745, %807 : tensor<16x60xf32>
    %cst_218 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %809 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %810 = stablehlo.multiply %809, %arg13 : tensor<60x16xf32>
    %811 = stablehlo.add %751, %810 : tensor<60x16xf32>
    %cst_219 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %812 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %813 = stablehlo.multiply %812, %arg14 : tensor<16xf32>
    %814 = stablehlo.add %757, %813 : tensor<16xf32>
    %cst_220 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %815 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %816 = stablehlo.multiply %815, %arg15 : tensor<16xf32>
    %817 = stablehlo.add %763, %816 : tensor<16xf32>
    %cst_221 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %818 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %819 = stablehlo.multiply %818, %arg16 : tensor<12x16xf32>
    %820 = stablehlo.add %769, %819 : tensor<12x16xf32>
    %cst_222 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %821 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %822 = stablehlo.multiply %821, %772 : tensor<24xf32>
    %cst_223 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %823 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %824 = stablehlo.multiply %823, %775 : tensor<16x24xf32>
    %cst_224 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %825 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %826 = stablehlo.multiply %825, %778 : tensor<24x16xf32>
    %cst_225 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %827 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %828 = stablehlo.multiply %827, %781 : tensor<16xf32>
    %cst_226 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %829 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %830 = stablehlo.multiply %829, %784 : tensor<16xf32>
    %cst_227 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %831 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %832 = stablehlo.multiply %831, %787 : tensor<16xf32>
    %cst_228 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %833 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %834 = stablehlo.multiply %833, %790 : tensor<16xf32>
    %cst_229 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %835 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %836 = stablehlo.multiply %835, %793 : tensor<16x6x4xf32>
    %cst_230 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %837 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<6x4x16xf32>
    %838 = stablehlo.multiply %837, %796 : tensor<6x4x16xf32>
    %cst_231 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %839 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %840 = stablehlo.multiply %839, %799 : tensor<16x6x4xf32>
    %cst_232 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %841 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<16x6x4xf32>
    %842 = stablehlo.multiply %841, %802 : tensor<16x6x4xf32>
    %cst_233 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %843 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<60xf32>
    %844 = stablehlo.multiply %843, %805 : tensor<60xf32>
    %cst_234 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %845 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %846 = stablehlo.multiply %845, %808 : tensor<16x60xf32>
    %cst_235 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %847 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %848 = stablehlo.multiply %847, %811 : tensor<60x16xf32>
    %cst_236 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %849 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %850 = stablehlo.multiply %849, %814 : tensor<16xf32>
    %cst_237 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %851 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %852 = stablehlo.multiply %851, %817 : tensor<16xf32>
    %cst_238 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %853 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %854 = stablehlo.multiply %853, %820 : tensor<12x16xf32>
    %855 = stablehlo.add %arg0, %822 : tensor<24xf32>
    %856 = stablehlo.add %arg1, %824 : tensor<16x24xf32>
    %857 = stablehlo.add %arg2, %826 : tensor<24x16xf32>
    %858 = stablehlo.add %arg3, %828 : tensor<16xf32>
    %859 = stablehlo.add %arg4, %830 : tensor<16xf32>
    %860 = stablehlo.add %arg5, %832 : tensor<16xf32>
    %861 = stablehlo.add %arg6, %834 : tensor<16xf32>
    %862 = stablehlo.add %arg7, %836 : tensor<16x6x4xf32>
    %863 = stablehlo.add %arg8, %838 : tensor<6x4x16xf32>
    %864 = stablehlo.add %arg9, %840 : tensor<16x6x4xf32>
    %865 = stablehlo.add %arg10, %842 : tensor<16x6x4xf32>
    %866 = stablehlo.add %arg11, %844 : tensor<60xf32>
    %867 = stablehlo.add %arg12, %846 : tensor<16x60xf32>
    %868 = stablehlo.add %arg13, %848 : tensor<60x16xf32>
    %869 = stablehlo.add %arg14, %850 : tensor<16xf32>
    %870 = stablehlo.add %arg15, %852 : tensor<16xf32>
    %871 = stablehlo.add %arg16, %854 : tensor<12x16xf32>
    return %855, %856, %857, %858, %859, %860, %861, %862, %863, %864, %865, %866, %867, %868, %869, %870, %871, %593, %408, %413, %418, %423, %428, %433, %438, %443, %448, %453, %458, %463, %468, %473, %478, %483, %488, %494, %500, %506, %512, %518, %524, %530, %536, %542, %548, %554, %560, %566, %572, %578, %584, %590, %218 : tensor<24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x6x4xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<16x6x4xf32>, tensor<60xf32>, tensor<16x60xf32>, tensor<60x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<12x16xf32>, tensor<i32>, tensor<24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x6x4xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<16x6x4xf32>, tensor<60xf32>, tensor<16x60xf32>, tensor<60x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<12x16xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x6x4xf32>, tensor<6x4x16xf32>, tensor<16x6x4xf32>, tensor<16x6x4xf32>, tensor<60xf32>, tensor<16x60xf32>, tensor<60x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<12x16xf32>, tensor<f32>
  }
  func.func private @_take(%arg0: tensor<60x16xf32>, %arg1: tensor<6x12xi32>) -> (tensor<6x12x16xf32>, tensor<6x12x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x12xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<6x12xi1>, tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x12x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x12x1xi32>, tensor<6x12x1xi32>) -> tensor<6x12x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<6x12x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x12x1xi32>, tensor<6x12x1xi32>) -> tensor<6x12x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x12x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<6x12x1xi1>, tensor<i1>) -> tensor<6x12xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<6x12xi1>) -> tensor<6x12x16xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<6x12x16xi1>, tensor<6x12x16xf32>
    return %16, %5 : tensor<6x12x16xf32>, tensor<6x12x1xi32>
  }
  func.func private @_where(%arg0: tensor<6x12xi1>, %arg1: tensor<6x12xi32>, %arg2: tensor<6x12xi32>) -> tensor<6x12xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6x12xi1>, tensor<6x12xi32>
    return %0 : tensor<6x12xi32>
  }
  func.func private @_where_0(%arg0: tensor<6x1x12x12xf32>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x1x12x12xf32>
    %1 = stablehlo.compare NE, %arg0, %0, FLOAT : (tensor<6x1x12x12xf32>, tensor<6x1x12x12xf32>) -> tensor<6x1x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<6x1x12x12xi1>) -> tensor<6x6x12x12xi1>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %4 = stablehlo.select %2, %arg1, %3 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %4, %2 : tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>
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
  func.func private @_take_1(%arg0: tensor<6x12x1xf32>, %arg1: tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>) {
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 12, 1>}> : (tensor<6x12x1xf32>, tensor<1xi32>) -> tensor<6x12xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6x12xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<6x12xi1>, tensor<6x12xf32>
    return %13, %3 : tensor<6x12xf32>, tensor<1xi32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_3(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_4(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
  func.func private @_where_5(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %1 : tensor<6x6x12x12xf32>
  }
  func.func private @_take_6(%arg0: tensor<6x12x1xi32>, %arg1: tensor<6x12x16xf32>) -> tensor<60x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %1 : tensor<60x16xf32>
  }
  func.func private @_where_7(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
