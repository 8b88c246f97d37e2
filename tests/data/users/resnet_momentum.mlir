module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>, %arg2: tensor<12xf32>, %arg3: tensor<12xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<12xf32>, %arg7: tensor<12xf32>, %arg8: tensor<8xf32>, %arg9: tensor<8xf32>, %arg10: tensor<3x3x3x8xf32>, %arg11: tensor<3x3x8x12xf32>, %arg12: tensor<3x3x12x8xf32>, %arg13: tensor<3x3x8x12xf32>, %arg14: tensor<3x3x12x8xf32>, %arg15: tensor<5xf32>, %arg16: tensor<8x5xf32>, %arg17: tensor<8xf32>, %arg18: tensor<8xf32>, %arg19: tensor<12xf32>, %arg20: tensor<12xf32>, %arg21: tensor<8xf32>, %arg22: tensor<8xf32>, %arg23: tensor<12xf32>, %arg24: tensor<12xf32>, %arg25: tensor<8xf32>, %arg26: tensor<8xf32>, %arg27: tensor<8xf32>, %arg28: tensor<8xf32>, %arg29: tensor<12xf32>, %arg30: tensor<12xf32>, %arg31: tensor<8xf32>, %arg32: tensor<8xf32>, %arg33: tensor<12xf32>, %arg34: tensor<12xf32>, %arg35: tensor<8xf32>, %arg36: tensor<8xf32>, %arg37: tensor<3x3x3x8xf32>, %arg38: tensor<3x3x8x12xf32>, %arg39: tensor<3x3x12x8xf32>, %arg40: tensor<3x3x8x12xf32>, %arg41: tensor<3x3x12x8xf32>, %arg42: tensor<5xf32>, %arg43: tensor<8x5xf32>, %arg44: tensor<6x8x8x3xf32>, %arg45: tensor<6xi32>) -> (tensor<8xf32> {jax.result_info = "result[0]['BatchNorm_0']['bias']"}, tensor<8xf32> {jax.result_info = "result[0]['BatchNorm_0']['scale']"}, tensor<12xf32> {jax.result_info = "result[0]['BatchNorm_1']['bias']"}, tensor<12xf32> {jax.result_info = "result[0]['BatchNorm_1']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['BatchNorm_2']['bias']"}, tensor<8xf32> {jax.result_info = "result[0]['BatchNorm_2']['scale']"}, tensor<12xf32> {jax.result_info = "result[0]['BatchNorm_3']['bias']"}, tensor<12xf32> {jax.result_info = "result[0]['BatchNorm_3']['scale']"}, tensor<8xf32> {jax.result_info = "result[0]['BatchNorm_4']['bias']"}, tensor<8xf32> {jax.result_info = "result[0]['BatchNorm_4']['scale']"}, tensor<3x3x3x8xf32> {jax.result_info = "result[0]['Conv_0']['kernel']"}, tensor<3x3x8x12xf32> {jax.result_info = "result[0]['Conv_1']['kernel']"}, tensor<3x3x12x8xf32> {jax.result_info = "result[0]['Conv_2']['kernel']"}, tensor<3x3x8x12xf32> {jax.result_info = "result[0]['Conv_3']['kernel']"}, tensor<3x3x12x8xf32> {jax.result_info = "result[0]['Conv_4']['kernel']"}, tensor<5xf32> {jax.result_info = "result[0]['Dense_0']['bias']"}, tensor<8x5xf32> {jax.result_info = "result[0]['Dense_0']['kernel']"}, tensor<8xf32> {jax.result_info = "result[1]['BatchNorm_0']['mean']"}, tensor<8xf32> {jax.result_info = "result[1]['BatchNorm_0']['var']"}, tensor<12xf32> {jax.result_info = "result[1]['BatchNorm_1']['mean']"}, tensor<12xf32> {jax.result_info = "result[1]['BatchNorm_1']['var']"}, tensor<8xf32> {jax.result_info = "result[1]['BatchNorm_2']['mean']"}, tensor<8xf32> {jax.result_info = "result[1]['BatchNorm_2']['var']"}, tensor<12xf32> {jax.result_info = "result[1]['BatchNorm_3']['mean']"}, tensor<12xf32> {jax.result_info = "result[1]['BatchNorm_3']['var']"}, tensor<8xf32> {jax.result_info = "result[1]['BatchNorm_4']['mean']"}, tensor<8xf32> {jax.result_info = "result[1]['BatchNorm_4']['var']"}, tensor<8xf32> {jax.result_info = "result[2][0].trace['BatchNorm_0']['bias']"}, tensor<8xf32> {jax.result_info = "result[2][0].trace['BatchNorm_0']['scale']"}, tensor<12xf32> {jax.result_info = "result[2][0].trace['BatchNorm_1']['bias']"}, tensor<12xf32> {jax.result_info = "result[2][0].trace['BatchNorm_1']['scale']"}, tensor<8xf32> {jax.result_info = "result[2][0].trace['BatchNorm_2']['bias']"}, tensor<8xf32> {jax.result_info = "result[2][0].trace['BatchNorm_2']['scale']"}, tensor<12xf32> {jax.result_info = "result[2][0].trace['BatchNorm_3']['bias']"}, tensor<12xf32> {jax.result_info = "result[2][0].trace['BatchNorm_3']['scale']"}, tensor<8xf32> {jax.result_info = "result[2][0].trace['BatchNorm_4']['bias']"}, tensor<8xf32> {jax.result_info = "result[2][0].trace['BatchNorm_4']['scale']"}, tensor<3x3x3x8xf32> {jax.result_info = "result[2][0].trace['Conv_0']['kernel']"}, tensor<3x3x8x12xf32> {jax.result_info = "result[2][0].trace['Conv_1']['kernel']"}, tensor<3x3x12x8xf32> {jax.result_info = "result[2][0].trace['Conv_2']['kernel']"}, tensor<3x3x8x12xf32> {jax.result_info = "result[2][0].trace['Conv_3']['kernel']"}, tensor<3x3x12x8xf32> {jax.result_info = "result[2][0].trace['Conv_4']['kernel']"}, tensor<5xf32> {jax.result_info = "result[2][0].trace['Dense_0']['bias']"}, tensor<8x5xf32> {jax.result_info = "result[2][0].trace['Dense_0']['kernel']"}, tensor<f32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.convolution(%arg44, %arg10) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x3xf32>, tensor<3x3x3x8xf32>) -> tensor<6x8x8x8xf32>
    %1 = chlo.square %0 : tensor<6x8x8x8xf32> -> tensor<6x8x8x8xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %3 = stablehlo.multiply %2, %0 : tensor<6x8x8x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%0 init: %cst_0) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_1 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %6 = stablehlo.divide %4, %5 : tensor<8xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%1 init: %cst_2) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_3 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.divide %7, %8 : tensor<8xf32>
    %10 = chlo.square %6 : tensor<8xf32> -> tensor<8xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.multiply %11, %6 : tensor<8xf32>
    %13 = stablehlo.subtract %9, %10 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %15 = stablehlo.maximum %14, %13 : tensor<8xf32>
    %16 = stablehlo.compare EQ, %13, %15, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %19 = stablehlo.select %16, %17, %18 : tensor<8xi1>, tensor<8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %21 = stablehlo.compare EQ, %20, %15, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %24 = stablehlo.select %21, %22, %23 : tensor<8xi1>, tensor<8xf32>
    %25 = stablehlo.divide %19, %24 : tensor<8xf32>
    %cst_11 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %27 = stablehlo.multiply %26, %arg17 : tensor<8xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %29 = stablehlo.multiply %28, %6 : tensor<8xf32>
    %30 = stablehlo.add %27, %29 : tensor<8xf32>
    %cst_13 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.multiply %31, %arg18 : tensor<8xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %34 = stablehlo.multiply %33, %15 : tensor<8xf32>
    %35 = stablehlo.add %32, %34 : tensor<8xf32>
    %36 = stablehlo.broadcast_in_dim %6, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %37 = stablehlo.broadcast_in_dim %15, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %38 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %39 = stablehlo.subtract %0, %38 : tensor<6x8x8x8xf32>
    %cst_15 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %41 = stablehlo.add %37, %40 : tensor<1x1x1x8xf32>
    %42 = stablehlo.rsqrt %41 : tensor<1x1x1x8xf32>
    %43 = stablehlo.divide %42, %41 : tensor<1x1x1x8xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %45 = stablehlo.multiply %44, %43 : tensor<1x1x1x8xf32>
    %46 = stablehlo.reshape %arg1 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %47 = stablehlo.multiply %42, %46 : tensor<1x1x1x8xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %49 = stablehlo.multiply %39, %48 : tensor<6x8x8x8xf32>
    %50 = stablehlo.reshape %arg0 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %52 = stablehlo.add %49, %51 : tensor<6x8x8x8xf32>
    %53 = call @relu(%52) : (tensor<6x8x8x8xf32>) -> tensor<6x8x8x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %55 = stablehlo.compare GT, %52, %54, FLOAT : (tensor<6x8x8x8xf32>, tensor<6x8x8x8xf32>) -> tensor<6x8x8x8xi1>
    %56 = stablehlo.convolution(%53, %arg11) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x8xf32>, tensor<3x3x8x12xf32>) -> tensor<6x8x8x12xf32>
    %57 = chlo.square %56 : tensor<6x8x8x12xf32> -> tensor<6x8x8x12xf32>
    %cst_18 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x8x8x12xf32>
    %59 = stablehlo.multiply %58, %56 : tensor<6x8x8x12xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%56 init: %cst_19) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_20 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %62 = stablehlo.divide %60, %61 : tensor<12xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%57 init: %cst_21) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_22 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %65 = stablehlo.divide %63, %64 : tensor<12xf32>
    %66 = chlo.square %62 : tensor<12xf32> -> tensor<12xf32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %68 = stablehlo.multiply %67, %62 : tensor<12xf32>
    %69 = stablehlo.subtract %65, %66 : tensor<12xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %71 = stablehlo.maximum %70, %69 : tensor<12xf32>
    %72 = stablehlo.compare EQ, %69, %71, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %75 = stablehlo.select %72, %73, %74 : tensor<12xi1>, tensor<12xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %77 = stablehlo.compare EQ, %76, %71, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_28 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %80 = stablehlo.select %77, %78, %79 : tensor<12xi1>, tensor<12xf32>
    %81 = stablehlo.divide %75, %80 : tensor<12xf32>
    %cst_30 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %83 = stablehlo.multiply %82, %arg19 : tensor<12xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %85 = stablehlo.multiply %84, %62 : tensor<12xf32>
    %86 = stablehlo.add %83, %85 : tensor<12xf32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %88 = stablehlo.multiply %87, %arg20 : tensor<12xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %90 = stablehlo.multiply %89, %71 : tensor<12xf32>
    %91 = stablehlo.add %88, %90 : tensor<12xf32>
    %92 = stablehlo.broadcast_in_dim %62, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %93 = stablehlo.broadcast_in_dim %71, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %94 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %95 = stablehlo.subtract %56, %94 : tensor<6x8x8x12xf32>
    %cst_34 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<1x1x1x12xf32>
    %97 = stablehlo.add %93, %96 : tensor<1x1x1x12xf32>
    %98 = stablehlo.rsqrt %97 : tensor<1x1x1x12xf32>
    %99 = stablehlo.divide %98, %97 : tensor<1x1x1x12xf32>
    %cst_35 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<1x1x1x12xf32>
    %101 = stablehlo.multiply %100, %99 : tensor<1x1x1x12xf32>
    %102 = stablehlo.reshape %arg3 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %103 = stablehlo.multiply %98, %102 : tensor<1x1x1x12xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %105 = stablehlo.multiply %95, %104 : tensor<6x8x8x12xf32>
    %106 = stablehlo.reshape %arg2 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %108 = stablehlo.add %105, %107 : tensor<6x8x8x12xf32>
    %109 = call @relu_0(%108) : (tensor<6x8x8x12xf32>) -> tensor<6x8x8x12xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<6x8x8x12xf32>
    %111 = stablehlo.compare GT, %108, %110, FLOAT : (tensor<6x8x8x12xf32>, tensor<6x8x8x12xf32>) -> tensor<6x8x8x12xi1>
    %112 = stablehlo.convolution(%109, %arg12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x12xf32>, tensor<3x3x12x8xf32>) -> tensor<6x8x8x8xf32>
    %113 = chlo.square %112 : tensor<6x8x8x8xf32> -> tensor<6x8x8x8xf32>
    %cst_37 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %115 = stablehlo.multiply %114, %112 : tensor<6x8x8x8xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.reduce(%112 init: %cst_38) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_39 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %118 = stablehlo.divide %116, %117 : tensor<8xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.reduce(%113 init: %cst_40) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_41 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %121 = stablehlo.divide %119, %120 : tensor<8xf32>
    %122 = chlo.square %118 : tensor<8xf32> -> tensor<8xf32>
    %cst_42 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %124 = stablehlo.multiply %123, %118 : tensor<8xf32>
    %125 = stablehlo.subtract %121, %122 : tensor<8xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %127 = stablehlo.maximum %126, %125 : tensor<8xf32>
    %128 = stablehlo.compare EQ, %125, %127, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %131 = stablehlo.select %128, %129, %130 : tensor<8xi1>, tensor<8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %133 = stablehlo.compare EQ, %132, %127, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_47 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %136 = stablehlo.select %133, %134, %135 : tensor<8xi1>, tensor<8xf32>
    %137 = stablehlo.divide %131, %136 : tensor<8xf32>
    %cst_49 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %139 = stablehlo.multiply %138, %arg21 : tensor<8xf32>
    %cst_50 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %140 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %141 = stablehlo.multiply %140, %118 : tensor<8xf32>
    %142 = stablehlo.add %139, %141 : tensor<8xf32>
    %cst_51 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %144 = stablehlo.multiply %143, %arg22 : tensor<8xf32>
    %cst_52 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %146 = stablehlo.multiply %145, %127 : tensor<8xf32>
    %147 = stablehlo.add %144, %146 : tensor<8xf32>
    %148 = stablehlo.broadcast_in_dim %118, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %149 = stablehlo.broadcast_in_dim %127, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %150 = stablehlo.broadcast_in_dim %148, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %151 = stablehlo.subtract %112, %150 : tensor<6x8x8x8xf32>
    %cst_53 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %153 = stablehlo.add %149, %152 : tensor<1x1x1x8xf32>
    %154 = stablehlo.rsqrt %153 : tensor<1x1x1x8xf32>
    %155 = stablehlo.divide %154, %153 : tensor<1x1x1x8xf32>
    %cst_54 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %157 = stablehlo.multiply %156, %155 : tensor<1x1x1x8xf32>
    %158 = stablehlo.reshape %arg5 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %159 = stablehlo.multiply %154, %158 : tensor<1x1x1x8xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %161 = stablehlo.multiply %151, %160 : tensor<6x8x8x8xf32>
    %162 = stablehlo.reshape %arg4 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %164 = stablehlo.add %161, %163 : tensor<6x8x8x8xf32>
    %165 = stablehlo.add %53, %164 : tensor<6x8x8x8xf32>
    %166 = call @relu(%165) : (tensor<6x8x8x8xf32>) -> tensor<6x8x8x8xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %168 = stablehlo.compare GT, %165, %167, FLOAT : (tensor<6x8x8x8xf32>, tensor<6x8x8x8xf32>) -> tensor<6x8x8x8xi1>
    %169 = stablehlo.convolution(%166, %arg13) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x8xf32>, tensor<3x3x8x12xf32>) -> tensor<6x8x8x12xf32>
    %170 = chlo.square %169 : tensor<6x8x8x12xf32> -> tensor<6x8x8x12xf32>
    %cst_56 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<6x8x8x12xf32>
    %172 = stablehlo.multiply %171, %169 : tensor<6x8x8x12xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %173 = stablehlo.reduce(%169 init: %cst_57) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_58 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %175 = stablehlo.divide %173, %174 : tensor<12xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%170 init: %cst_59) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_60 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %178 = stablehlo.divide %176, %177 : tensor<12xf32>
    %179 = chlo.square %175 : tensor<12xf32> -> tensor<12xf32>
    %cst_61 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %181 = stablehlo.multiply %180, %175 : tensor<12xf32>
    %182 = stablehlo.subtract %178, %179 : tensor<12xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %184 = stablehlo.maximum %183, %182 : tensor<12xf32>
    %185 = stablehlo.compare EQ, %182, %184, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_63 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %188 = stablehlo.select %185, %186, %187 : tensor<12xi1>, tensor<12xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %190 = stablehlo.compare EQ, %189, %184, FLOAT : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xi1>
    %cst_66 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %193 = stablehlo.select %190, %191, %192 : tensor<12xi1>, tensor<12xf32>
    %194 = stablehlo.divide %188, %193 : tensor<12xf32>
    %cst_68 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %196 = stablehlo.multiply %195, %arg23 : tensor<12xf32>
    %cst_69 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %198 = stablehlo.multiply %197, %175 : tensor<12xf32>
    %199 = stablehlo.add %196, %198 : tensor<12xf32>
    %cst_70 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %201 = stablehlo.multiply %200, %arg24 : tensor<12xf32>
    %cst_71 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %203 = stablehlo.multiply %202, %184 : tensor<12xf32>
    %204 = stablehlo.add %201, %203 : tensor<12xf32>
    %205 = stablehlo.broadcast_in_dim %175, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %206 = stablehlo.broadcast_in_dim %184, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %207 = stablehlo.broadcast_in_dim %205, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %208 = stablehlo.subtract %169, %207 : tensor<6x8x8x12xf32>
    %cst_72 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<1x1x1x12xf32>
    %210 = stablehlo.add %206, %209 : tensor<1x1x1x12xf32>
    %211 = stablehlo.rsqrt %210 : tensor<1x1x1x12xf32>
    %212 = stablehlo.divide %211, %210 : tensor<1x1x1x12xf32>
    %cst_73 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<1x1x1x12xf32>
    %214 = stablehlo.multiply %213, %212 : tensor<1x1x1x12xf32>
    %215 = stablehlo.reshape %arg7 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %216 = stablehlo.multiply %211, %215 : tensor<1x1x1x12xf32>
    %217 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %218 = stablehlo.multiply %208, %217 : tensor<6x8x8x12xf32>
    %219 = stablehlo.reshape %arg6 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %220 = stablehlo.broadcast_in_dim %219, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %221 = stablehlo.add %218, %220 : tensor<6x8x8x12xf32>
    %222 = call @relu_0(%221) : (tensor<6x8x8x12xf32>) -> tensor<6x8x8x12xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<6x8x8x12xf32>
    %224 = stablehlo.compare GT, %221, %223, FLOAT : (tensor<6x8x8x12xf32>, tensor<6x8x8x12xf32>) -> tensor<6x8x8x12xi1>
    %225 = stablehlo.convolution(%222, %arg14) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x12xf32>, tensor<3x3x12x8xf32>) -> tensor<6x8x8x8xf32>
    %226 = chlo.square %225 : tensor<6x8x8x8xf32> -> tensor<6x8x8x8xf32>
    %cst_75 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %228 = stablehlo.multiply %227, %225 : tensor<6x8x8x8xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%225 init: %cst_76) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_77 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %231 = stablehlo.divide %229, %230 : tensor<8xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.reduce(%226 init: %cst_78) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_79 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %234 = stablehlo.divide %232, %233 : tensor<8xf32>
    %235 = chlo.square %231 : tensor<8xf32> -> tensor<8xf32>
    %cst_80 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %237 = stablehlo.multiply %236, %231 : tensor<8xf32>
    %238 = stablehlo.subtract %234, %235 : tensor<8xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %240 = stablehlo.maximum %239, %238 : tensor<8xf32>
    %241 = stablehlo.compare EQ, %238, %240, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_82 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %244 = stablehlo.select %241, %242, %243 : tensor<8xi1>, tensor<8xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %246 = stablehlo.compare EQ, %245, %240, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
    %cst_85 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %247 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %cst_86 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %249 = stablehlo.select %246, %247, %248 : tensor<8xi1>, tensor<8xf32>
    %250 = stablehlo.divide %244, %249 : tensor<8xf32>
    %cst_87 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %251 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %252 = stablehlo.multiply %251, %arg25 : tensor<8xf32>
    %cst_88 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %253 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %254 = stablehlo.multiply %253, %231 : tensor<8xf32>
    %255 = stablehlo.add %252, %254 : tensor<8xf32>
    %cst_89 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %257 = stablehlo.multiply %256, %arg26 : tensor<8xf32>
    %cst_90 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %259 = stablehlo.multiply %258, %240 : tensor<8xf32>
    %260 = stablehlo.add %257, %259 : tensor<8xf32>
    %261 = stablehlo.broadcast_in_dim %231, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %262 = stablehlo.broadcast_in_dim %240, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %263 = stablehlo.broadcast_in_dim %261, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %264 = stablehlo.subtract %225, %263 : tensor<6x8x8x8xf32>
    %cst_91 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %265 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %266 = stablehlo.add %262, %265 : tensor<1x1x1x8xf32>
    %267 = stablehlo.rsqrt %266 : tensor<1x1x1x8xf32>
    %268 = stablehlo.divide %267, %266 : tensor<1x1x1x8xf32>
    %cst_92 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %269 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<1x1x1x8xf32>
    %270 = stablehlo.multiply %269, %268 : tensor<1x1x1x8xf32>
    %271 = stablehlo.reshape %arg9 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %272 = stablehlo.multiply %267, %271 : tensor<1x1x1x8xf32>
    %273 = stablehlo.broadcast_in_dim %272, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %274 = stablehlo.multiply %264, %273 : tensor<6x8x8x8xf32>
    %275 = stablehlo.reshape %arg8 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %276 = stablehlo.broadcast_in_dim %275, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %277 = stablehlo.add %274, %276 : tensor<6x8x8x8xf32>
    %278 = stablehlo.add %166, %277 : tensor<6x8x8x8xf32>
    %279 = call @relu(%278) : (tensor<6x8x8x8xf32>) -> tensor<6x8x8x8xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %281 = stablehlo.compare GT, %278, %280, FLOAT : (tensor<6x8x8x8xf32>, tensor<6x8x8x8xf32>) -> tensor<6x8x8x8xi1>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %282 = stablehlo.reduce(%279 init: %cst_94) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<6x8xf32>
    %cst_95 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %283 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %284 = stablehlo.divide %282, %283 : tensor<6x8xf32>
    %285 = stablehlo.dot_general %284, %arg16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<8x5xf32>) -> tensor<6x5xf32>
    %286 = stablehlo.reshape %arg15 : (tensor<5xf32>) -> tensor<1x5xf32>
    %287 = stablehlo.broadcast_in_dim %286, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<6x5xf32>
    %288 = stablehlo.add %285, %287 : tensor<6x5xf32>
    %289 = stablehlo.broadcast_in_dim %arg45, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %290:2 = call @take_along_axis(%288, %289) : (tensor<6x5xf32>, tensor<6x1xi32>) -> (tensor<6x1xf32>, tensor<6x1x1xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %291:2 = call @_take(%290#0, %c) : (tensor<6x1xf32>, tensor<i32>) -> (tensor<6xf32>, tensor<1xi32>)
    %cst_96 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %292 = stablehlo.reduce(%288 init: %cst_96) applies stablehlo.maximum across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_97 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %293 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %294 = stablehlo.maximum %293, %292 : tensor<6xf32>
    %295 = stablehlo.is_finite %294 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %297 = stablehlo.select %295, %294, %296 : tensor<6xi1>, tensor<6xf32>
    %298 = stablehlo.broadcast_in_dim %297, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %299 = stablehlo.broadcast_in_dim %298, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x5xf32>
    %300 = stablehlo.subtract %288, %299 : tensor<6x5xf32>
    %301 = stablehlo.exponential %300 : tensor<6x5xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %302 = stablehlo.reduce(%301 init: %cst_99) applies stablehlo.add across dimensions = [1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<6xf32>
    %303 = stablehlo.abs %302 : tensor<6xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %304 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %305 = stablehlo.compare GE, %302, %304, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %306 = stablehlo.log %303 : tensor<6xf32>
    %307 = stablehlo.add %306, %297 : tensor<6xf32>
    %308 = stablehlo.subtract %307, %291#0 : tensor<6xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %309 = stablehlo.reduce(%308 init: %cst_101) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_102 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %310 = stablehlo.divide %309, %cst_102 : tensor<f32>
    %cst_103 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_104 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %311 = stablehlo.divide %cst_103, %cst_104 : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %311, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %313 = stablehlo.negate %312 : tensor<6xf32>
    %314 = stablehlo.divide %312, %303 : tensor<6xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %316 = stablehlo.select %305, %315, %314 : tensor<6xi1>, tensor<6xf32>
    %317 = stablehlo.select %305, %314, %315 : tensor<6xi1>, tensor<6xf32>
    %318 = stablehlo.negate %316 : tensor<6xf32>
    %319 = stablehlo.add %317, %318 : tensor<6xf32>
    %320 = stablehlo.broadcast_in_dim %319, dims = [0] : (tensor<6xf32>) -> tensor<6x5xf32>
    %321 = stablehlo.multiply %320, %301 : tensor<6x5xf32>
    %322 = call @_take_1(%291#1, %313) : (tensor<1xi32>, tensor<6xf32>) -> tensor<6x1xf32>
    %323 = call @take_along_axis_2(%290#1, %322) : (tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x5xf32>
    %324 = stablehlo.add %321, %323 : tensor<6x5xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %325 = stablehlo.reduce(%324 init: %cst_106) applies stablehlo.add across dimensions = [0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<5xf32>
    %326 = stablehlo.reshape %325 : (tensor<5xf32>) -> tensor<1x5xf32>
    %327 = stablehlo.reshape %326 : (tensor<1x5xf32>) -> tensor<5xf32>
    %328 = stablehlo.dot_general %324, %284, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
    %329 = stablehlo.transpose %328, dims = [1, 0] : (tensor<5x8xf32>) -> tensor<8x5xf32>
    %330 = stablehlo.dot_general %324, %arg16, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<8x5xf32>) -> tensor<6x8xf32>
    %cst_107 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %331 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<6x8xf32>
    %332 = stablehlo.divide %330, %331 : tensor<6x8xf32>
    %333 = stablehlo.broadcast_in_dim %332, dims = [0, 3] : (tensor<6x8xf32>) -> tensor<6x8x8x8xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %334 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %335 = stablehlo.select %281, %333, %334 : tensor<6x8x8x8xi1>, tensor<6x8x8x8xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %336 = stablehlo.reduce(%335 init: %cst_109) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %337 = stablehlo.reshape %336 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %338 = stablehlo.reshape %337 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %339 = stablehlo.multiply %264, %335 : tensor<6x8x8x8xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_110) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %341 = stablehlo.reshape %340 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %342 = stablehlo.broadcast_in_dim %272, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %343 = stablehlo.multiply %335, %342 : tensor<6x8x8x8xf32>
    %344 = stablehlo.multiply %267, %341 : tensor<1x1x1x8xf32>
    %345 = stablehlo.multiply %341, %271 : tensor<1x1x1x8xf32>
    %346 = stablehlo.reshape %344 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %347 = stablehlo.multiply %345, %270 : tensor<1x1x1x8xf32>
    %348 = stablehlo.negate %343 : tensor<6x8x8x8xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %349 = stablehlo.reduce(%348 init: %cst_111) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %350 = stablehlo.reshape %349 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %351 = stablehlo.reduce(%347 init: %cst_112) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %352 = stablehlo.reduce(%350 init: %cst_113) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %353 = stablehlo.multiply %351, %250 : tensor<8xf32>
    %354 = stablehlo.negate %353 : tensor<8xf32>
    %355 = stablehlo.multiply %354, %237 : tensor<8xf32>
    %356 = stablehlo.add %352, %355 : tensor<8xf32>
    %cst_114 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %357 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %358 = stablehlo.divide %353, %357 : tensor<8xf32>
    %359 = stablehlo.broadcast_in_dim %358, dims = [3] : (tensor<8xf32>) -> tensor<6x8x8x8xf32>
    %cst_115 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %360 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %361 = stablehlo.divide %356, %360 : tensor<8xf32>
    %362 = stablehlo.broadcast_in_dim %361, dims = [3] : (tensor<8xf32>) -> tensor<6x8x8x8xf32>
    %363 = stablehlo.add %343, %362 : tensor<6x8x8x8xf32>
    %364 = stablehlo.multiply %359, %228 : tensor<6x8x8x8xf32>
    %365 = stablehlo.add %363, %364 : tensor<6x8x8x8xf32>
    %366 = stablehlo.convolution(%222, %365) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x12xf32>, tensor<6x8x8x8xf32>) -> tensor<3x3x12x8xf32>
    %367 = stablehlo.reverse %arg14, dims = [0, 1] : tensor<3x3x12x8xf32>
    %368 = stablehlo.convolution(%365, %367) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x8xf32>, tensor<3x3x12x8xf32>) -> tensor<6x8x8x12xf32>
    %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<6x8x8x12xf32>
    %370 = stablehlo.select %224, %368, %369 : tensor<6x8x8x12xi1>, tensor<6x8x8x12xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.reduce(%370 init: %cst_117) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %372 = stablehlo.reshape %371 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %373 = stablehlo.reshape %372 : (tensor<1x1x1x12xf32>) -> tensor<12xf32>
    %374 = stablehlo.multiply %208, %370 : tensor<6x8x8x12xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %375 = stablehlo.reduce(%374 init: %cst_118) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %376 = stablehlo.reshape %375 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %377 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %378 = stablehlo.multiply %370, %377 : tensor<6x8x8x12xf32>
    %379 = stablehlo.multiply %211, %376 : tensor<1x1x1x12xf32>
    %380 = stablehlo.multiply %376, %215 : tensor<1x1x1x12xf32>
    %381 = stablehlo.reshape %379 : (tensor<1x1x1x12xf32>) -> tensor<12xf32>
    %382 = stablehlo.multiply %380, %214 : tensor<1x1x1x12xf32>
    %383 = stablehlo.negate %378 : tensor<6x8x8x12xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %384 = stablehlo.reduce(%383 init: %cst_119) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %385 = stablehlo.reshape %384 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %cst_120 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %386 = stablehlo.reduce(%382 init: %cst_120) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_121 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %387 = stablehlo.reduce(%385 init: %cst_121) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %388 = stablehlo.multiply %386, %194 : tensor<12xf32>
    %389 = stablehlo.negate %388 : tensor<12xf32>
    %390 = stablehlo.multiply %389, %181 : tensor<12xf32>
    %391 = stablehlo.add %387, %390 : tensor<12xf32>
    %cst_122 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %393 = stablehlo.divide %388, %392 : tensor<12xf32>
    %394 = stablehlo.broadcast_in_dim %393, dims = [3] : (tensor<12xf32>) -> tensor<6x8x8x12xf32>
    %cst_123 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %395 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %396 = stablehlo.divide %391, %395 : tensor<12xf32>
    %397 = stablehlo.broadcast_in_dim %396, dims = [3] : (tensor<12xf32>) -> tensor<6x8x8x12xf32>
    %398 = stablehlo.add %378, %397 : tensor<6x8x8x12xf32>
    %399 = stablehlo.multiply %394, %172 : tensor<6x8x8x12xf32>
    %400 = stablehlo.add %398, %399 : tensor<6x8x8x12xf32>
    %401 = stablehlo.convolution(%166, %400) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x8xf32>, tensor<6x8x8x12xf32>) -> tensor<3x3x8x12xf32>
    %402 = stablehlo.reverse %arg13, dims = [0, 1] : tensor<3x3x8x12xf32>
    %403 = stablehlo.convolution(%400, %402) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x12xf32>, tensor<3x3x8x12xf32>) -> tensor<6x8x8x8xf32>
    %404 = stablehlo.add %335, %403 : tensor<6x8x8x8xf32>
    %cst_124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %405 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %406 = stablehlo.select %168, %404, %405 : tensor<6x8x8x8xi1>, tensor<6x8x8x8xf32>
    %cst_125 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %407 = stablehlo.reduce(%406 init: %cst_125) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %408 = stablehlo.reshape %407 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %409 = stablehlo.reshape %408 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %410 = stablehlo.multiply %151, %406 : tensor<6x8x8x8xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %411 = stablehlo.reduce(%410 init: %cst_126) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %412 = stablehlo.reshape %411 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %413 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %414 = stablehlo.multiply %406, %413 : tensor<6x8x8x8xf32>
    %415 = stablehlo.multiply %154, %412 : tensor<1x1x1x8xf32>
    %416 = stablehlo.multiply %412, %158 : tensor<1x1x1x8xf32>
    %417 = stablehlo.reshape %415 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %418 = stablehlo.multiply %416, %157 : tensor<1x1x1x8xf32>
    %419 = stablehlo.negate %414 : tensor<6x8x8x8xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %420 = stablehlo.reduce(%419 init: %cst_127) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %421 = stablehlo.reshape %420 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %cst_128 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %422 = stablehlo.reduce(%418 init: %cst_128) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_129 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %423 = stablehlo.reduce(%421 init: %cst_129) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %424 = stablehlo.multiply %422, %137 : tensor<8xf32>
    %425 = stablehlo.negate %424 : tensor<8xf32>
    %426 = stablehlo.multiply %425, %124 : tensor<8xf32>
    %427 = stablehlo.add %423, %426 : tensor<8xf32>
    %cst_130 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %428 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %429 = stablehlo.divide %424, %428 : tensor<8xf32>
    %430 = stablehlo.broadcast_in_dim %429, dims = [3] : (tensor<8xf32>) -> tensor<6x8x8x8xf32>
    %cst_131 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %432 = stablehlo.divide %427, %431 : tensor<8xf32>
    %433 = stablehlo.broadcast_in_dim %432, dims = [3] : (tensor<8xf32>) -> tensor<6x8x8x8xf32>
    %434 = stablehlo.add %414, %433 : tensor<6x8x8x8xf32>
    %435 = stablehlo.multiply %430, %115 : tensor<6x8x8x8xf32>
    %436 = stablehlo.add %434, %435 : tensor<6x8x8x8xf32>
    %437 = stablehlo.convolution(%109, %436) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x12xf32>, tensor<6x8x8x8xf32>) -> tensor<3x3x12x8xf32>
    %438 = stablehlo.reverse %arg12, dims = [0, 1] : tensor<3x3x12x8xf32>
    %439 = stablehlo.convolution(%436, %438) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x8xf32>, tensor<3x3x12x8xf32>) -> tensor<6x8x8x12xf32>
    %cst_132 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %440 = stablehlo.broadcast_in_dim %cst_132, dims = [] : (tensor<f32>) -> tensor<6x8x8x12xf32>
    %441 = stablehlo.select %111, %439, %440 : tensor<6x8x8x12xi1>, tensor<6x8x8x12xf32>
    %cst_133 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %442 = stablehlo.reduce(%441 init: %cst_133) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %443 = stablehlo.reshape %442 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %444 = stablehlo.reshape %443 : (tensor<1x1x1x12xf32>) -> tensor<12xf32>
    %445 = stablehlo.multiply %95, %441 : tensor<6x8x8x12xf32>
    %cst_134 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %446 = stablehlo.reduce(%445 init: %cst_134) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %447 = stablehlo.reshape %446 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %448 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<6x8x8x12xf32>
    %449 = stablehlo.multiply %441, %448 : tensor<6x8x8x12xf32>
    %450 = stablehlo.multiply %98, %447 : tensor<1x1x1x12xf32>
    %451 = stablehlo.multiply %447, %102 : tensor<1x1x1x12xf32>
    %452 = stablehlo.reshape %450 : (tensor<1x1x1x12xf32>) -> tensor<12xf32>
    %453 = stablehlo.multiply %451, %101 : tensor<1x1x1x12xf32>
    %454 = stablehlo.negate %449 : tensor<6x8x8x12xf32>
    %cst_135 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %455 = stablehlo.reduce(%454 init: %cst_135) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x12xf32>, tensor<f32>) -> tensor<12xf32>
    %456 = stablehlo.reshape %455 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %cst_136 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %457 = stablehlo.reduce(%453 init: %cst_136) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %cst_137 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %458 = stablehlo.reduce(%456 init: %cst_137) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %459 = stablehlo.multiply %457, %81 : tensor<12xf32>
    %460 = stablehlo.negate %459 : tensor<12xf32>
    %461 = stablehlo.multiply %460, %68 : tensor<12xf32>
    %462 = stablehlo.add %458, %461 : tensor<12xf32>
    %cst_138 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %463 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %464 = stablehlo.divide %459, %463 : tensor<12xf32>
    %465 = stablehlo.broadcast_in_dim %464, dims = [3] : (tensor<12xf32>) -> tensor<6x8x8x12xf32>
    %cst_139 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %466 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %467 = stablehlo.divide %462, %466 : tensor<12xf32>
    %468 = stablehlo.broadcast_in_dim %467, dims = [3] : (tensor<12xf32>) -> tensor<6x8x8x12xf32>
    %469 = stablehlo.add %449, %468 : tensor<6x8x8x12xf32>
    %470 = stablehlo.multiply %465, %59 : tensor<6x8x8x12xf32>
    %471 = stablehlo.add %469, %470 : tensor<6x8x8x12xf32>
    %472 = stablehlo.convolution(%53, %471) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x8xf32>, tensor<6x8x8x12xf32>) -> tensor<3x3x8x12xf32>
    %473 = stablehlo.reverse %arg11, dims = [0, 1] : tensor<3x3x8x12xf32>
    %474 = stablehlo.convolution(%471, %473) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x12xf32>, tensor<3x3x8x12xf32>) -> tensor<6x8x8x8xf32>
    %475 = stablehlo.add %406, %474 : tensor<6x8x8x8xf32>
    %cst_140 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %476 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %477 = stablehlo.select %55, %475, %476 : tensor<6x8x8x8xi1>, tensor<6x8x8x8xf32>
    %cst_141 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %478 = stablehlo.reduce(%477 init: %cst_141) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %479 = stablehlo.reshape %478 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %480 = stablehlo.reshape %479 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %481 = stablehlo.multiply %39, %477 : tensor<6x8x8x8xf32>
    %cst_142 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %482 = stablehlo.reduce(%481 init: %cst_142) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %483 = stablehlo.reshape %482 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %484 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<6x8x8x8xf32>
    %485 = stablehlo.multiply %477, %484 : tensor<6x8x8x8xf32>
    %486 = stablehlo.multiply %42, %483 : tensor<1x1x1x8xf32>
    %487 = stablehlo.multiply %483, %46 : tensor<1x1x1x8xf32>
    %488 = stablehlo.reshape %486 : (tensor<1x1x1x8xf32>) -> tensor<8xf32>
    %489 = stablehlo.multiply %487, %45 : tensor<1x1x1x8xf32>
    %490 = stablehlo.negate %485 : tensor<6x8x8x8xf32>
    %cst_143 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %491 = stablehlo.reduce(%490 init: %cst_143) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x8x8x8xf32>, tensor<f32>) -> tensor<8xf32>
    %492 = stablehlo.reshape %491 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %cst_144 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %493 = stablehlo.reduce(%489 init: %cst_144) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %cst_145 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %494 = stablehlo.reduce(%492 init: %cst_145) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %495 = stablehlo.multiply %493, %25 : tensor<8xf32>
    %496 = stablehlo.negate %495 : tensor<8xf32>
    %497 = stablehlo.multiply %496, %12 : tensor<8xf32>
    %498 = stablehlo.add %494, %497 : tensor<8xf32>
    %cst_146 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %500 = stablehlo.divide %495, %499 : tensor<8xf32>
    %501 = stablehlo.broadcast_in_dim %500, dims = [3] : (tensor<8xf32>) -> tensor<6x8x8x8xf32>
    %cst_147 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %502 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %503 = stablehlo.divide %498, %502 : tensor<8xf32>
    %504 = stablehlo.broadcast_in_dim %503, dims = [3] : (tensor<8xf32>) -> tensor<6x8x8x8xf32>
    %505 = stablehlo.add %485, %504 : tensor<6x8x8x8xf32>
    %506 = stablehlo.multiply %501, %3 : tensor<6x8x8x8xf32>
    %507 = stablehlo.add %505, %506 : tensor<6x8x8x8xf32>
    %508 = stablehlo.convolution(%arg44, %507) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x3xf32>, tensor<6x8x8x8xf32>) -> tensor<3x3x3x8xf32>
    %cst_148 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %509 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %510 = stablehlo.multiply %509, %arg27 : tensor<8xf32>
    %511 = stablehlo.add %480, %510 : tensor<8xf32>
    %cst_149 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %512 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %513 = stablehlo.multiply %512, %arg28 : tensor<8xf32>
    %514 = stablehlo.add %488, %513 : tensor<8xf32>
    %cst_150 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %515 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %516 = stablehlo.multiply %515, %arg29 : tensor<12xf32>
    %517 = stablehlo.add %444, %516 : tensor<12xf32>
    %cst_151 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %518 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %519 = stablehlo.multiply %518, %arg30 : tensor<12xf32>
    %520 = stablehlo.add %452, %519 : tensor<12xf32>
    %cst_152 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %521 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %522 = stablehlo.multiply %521, %arg31 : tensor<8xf32>
    %523 = stablehlo.add %409, %522 : tensor<8xf32>
    %cst_153 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %524 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %525 = stablehlo.multiply %524, %arg32 : tensor<8xf32>
    %526 = stablehlo.add %417, %525 : tensor<8xf32>
    %cst_154 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %527 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %528 = stablehlo.multiply %527, %arg33 : tensor<12xf32>
    %529 = stablehlo.add %373, %528 : tensor<12xf32>
    %cst_155 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %530 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %531 = stablehlo.multiply %530, %arg34 : tensor<12xf32>
    %532 = stablehlo.add %381, %531 : tensor<12xf32>
    %cst_156 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %533 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %534 = stablehlo.multiply %533, %arg35 : tensor<8xf32>
    %535 = stablehlo.add %338, %534 : tensor<8xf32>
    %cst_157 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %537 = stablehlo.multiply %536, %arg36 : tensor<8xf32>
    %538 = stablehlo.add %346, %537 : tensor<8xf32>
    %cst_158 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %539 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<3x3x3x8xf32>
    %540 = stablehlo.multiply %539, %arg37 : tensor<3x3x3x8xf32>
    %541 = stablehlo.add %508, %540 : tensor<3x3x3x8xf32>
    %cst_159 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %542 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<3x3x8x12xf32>
    %543 = stablehlo.multiply %542, %arg38 : tensor<3x3x8x12xf32>
    %544 = stablehlo.add %472, %543 : tensor<3x3x8x12xf32>
    %cst_160 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %545 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<3x3x12x8xf32>
    %546 = stablehlo.multiply %545, %arg39 : tensor<3x3x12x8xf32>
    %547 = stablehlo.add %437, %546 : tensor<3x3x12x8xf32>
    %cst_161 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %548 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<3x3x8x12xf32>
    %549 = stablehlo.multiply %548, %arg40 : tensor<3x3x8x12xf32>
    %550 = stablehlo.add %401, %549 : tensor<3x3x8x12xf32>
    %cst_162 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %551 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<3x3x12x8xf32>
    %552 = stablehlo.multiply %551, %arg41 : tensor<3x3x12x8xf32>
    %553 = stablehlo.add %366, %552 : tensor<3x3x12x8xf32>
    %cst_163 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %555 = stablehlo.multiply %554, %arg42 : tensor<5xf32>
    %556 = stablehlo.add %327, %555 : tensor<5xf32>
    %cst_164 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %557 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<8x5xf32>
    %558 = stablehlo.multiply %557, %arg43 : tensor<8x5xf32>
    %559 = stablehlo.add %329, %558 : tensor<8x5xf32>
    %cst_165 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %560 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %561 = stablehlo.multiply %560, %511 : tensor<8xf32>
    %cst_166 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %562 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %563 = stablehlo.multiply %562, %514 : tensor<8xf32>
    %cst_167 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %564 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %565 = stablehlo.multiply %564, %517 : tensor<12xf32>
    %cst_168 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %566 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %567 = stablehlo.multiply %566, %520 : tensor<12xf32>
    %cst_169 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %568 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %569 = stablehlo.multiply %568, %523 : tensor<8xf32>
    %cst_170 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %570 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %571 = stablehlo.multiply %570, %526 : tensor<8xf32>
    %cst_171 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %572 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %573 = stablehlo.multiply %572, %529 : tensor<12xf32>
    %cst_172 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %575 = stablehlo.multiply %574, %532 : tensor<12xf32>
    %cst_173 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %577 = stablehlo.multiply %576, %535 : tensor<8xf32>
    %cst_174 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %578 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %579 = stablehlo.multiply %578, %538 : tensor<8xf32>
    %cst_175 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %580 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<3x3x3x8xf32>
    %581 = stablehlo.multiply %580, %541 : tensor<3x3x3x8xf32>
    %cst_176 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %582 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<3x3x8x12xf32>
    %583 = stablehlo.multiply %582, %544 : tensor<3x3x8x12xf32>
    %cst_177 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %584 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<3x3x12x8xf32>
    %585 = stablehlo.multiply %584, %547 : tensor<3x3x12x8xf32>
    %cst_178 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<3x3x8x12xf32>
    %587 = stablehlo.multiply %586, %550 : tensor<3x3x8x12xf32>
    %cst_179 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %588 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<3x3x12x8xf32>
    %589 = stablehlo.multiply %588, %553 : tensor<3x3x12x8xf32>
    %cst_180 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %590 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %591 = stablehlo.multiply %590, %556 : tensor<5xf32>
    %cst_181 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %592 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<8x5xf32>
    %593 = stablehlo.multiply %592, %559 : tensor<8x5xf32>
    %594 = stablehlo.add %arg0, %561 : tensor<8xf32>
    %595 = stablehlo.add %arg1, %563 : tensor<8xf32>
    %596 = stablehlo.add %arg2, %565 : tensor<12xf32>
    %597 = stablehlo.add %arg3, %567 : tensor<12xf32>
    %598 = stablehlo.add %arg4, %569 : tensor<8xf32>
    %599 = stablehlo.add %arg5, %571 : tensor<8xf32>
    %600 = stablehlo.add %arg6, %573 : tensor<12xf32>
    %601 = stablehlo.add %arg7, %575 : tensor<12xf32>
    %602 = stablehlo.add %arg8, %577 : tensor<8xf32>
    %603 = stablehlo.add %arg9, %579 : tensor<8xf32>
    %604 = stablehlo.add %arg10, %581 : tensor<3x3x3x8xf32>
    %605 = stablehlo.add %arg11, %583 : tensor<3x3x8x12xf32>
    %606 = stablehlo.add %arg12, %585 : tensor<3x3x12x8xf32>
    %607 = stablehlo.add %arg13, %587 : tensor<3x3x8x12xf32>
    %608 = stablehlo.add %arg14, %589 : tensor<3x3x12x8xf32>
    %609 = stablehlo.add %arg15, %591 : tensor<5xf32>
    %610 = stablehlo.add %arg16, %593 : tensor<8x5xf32>
    return %594, %595, %596, %597, %598, %599, %600, %601, %602, %603, %604, %605, %606, %607, %608, %609, %610, %30, %35, %86, %91, %142, %147, %199, %204, %255, %260, %511, %514, %517, %520, %523, %526, %529, %532, %535, %538, %541, %544, %547, %550, %553, %556, %559, %310 : tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x3x8xf32>, tensor<3x3x8x12xf32>, tensor<3x3x12x8xf32>, tensor<3x3x8x12xf32>, tensor<3x3x12x8xf32>, tensor<5xf32>, tensor<8x5xf32>, tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<12xf32>, tensor<12xf32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x3x8xf32>, tensor<3x3x8x12xf32>, tensor<3x3x12x8xf32>, tensor<3x3x8x12xf32>, tensor<3x3x12x8xf32>, tensor<5xf32>, tensor<8x5xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<6x8x8x8xf32>) -> tensor<6x8x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8x8x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x8x8x8xf32>
    return %1 : tensor<6x8x8x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<6x8x8x12xf32>) -> tensor<6x8x8x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x8x8x12xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x8x8x12xf32>
    return %1 : tensor<6x8x8x12xf32>
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
  func.func private @take_along_axis_2(%arg0: tensor<6x1x1xi32>, %arg1: tensor<6x1xf32>) -> tensor<6x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x5xf32>, tensor<6x1x1xi32>, tensor<6x1xf32>) -> tensor<6x5xf32>
    return %1 : tensor<6x5xf32>
  }
}
