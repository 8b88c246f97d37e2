module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x2x3x3xf32>, %arg1: tensor<6x1x1xf32>, %arg2: tensor<10x6x3x3xf32>, %arg3: tensor<10x1x1xf32>, %arg4: tensor<6x10x3x3xf32>, %arg5: tensor<6x1x1xf32>, %arg6: tensor<2x12x3x3xf32>, %arg7: tensor<2x1x1xf32>, %arg8: tensor<6x2x8x8xf32>, %arg9: tensor<6x2x8x8xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6x2x3x3xf32> {jax.result_info = "result[1].inner[0].weight"}, tensor<6x1x1xf32> {jax.result_info = "result[1].inner[0].bias"}, tensor<10x6x3x3xf32> {jax.result_info = "result[1].inner[1].weight"}, tensor<10x1x1xf32> {jax.result_info = "result[1].inner[1].bias"}, tensor<6x10x3x3xf32> {jax.result_info = "result[1].inner[2].weight"}, tensor<6x1x1xf32> {jax.result_info = "result[1].inner[2].bias"}, tensor<2x12x3x3xf32> {jax.result_info = "result[1].inner[3].weight"}, tensor<2x1x1xf32> {jax.result_info = "result[1].inner[3].bias"}) {
    %0 = stablehlo.broadcast_in_dim %arg8, dims = [0, 2, 3, 4] : (tensor<6x2x8x8xf32>) -> tensor<6x1x2x8x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x1x2x8x8xf32>) -> tensor<6x2x8x8xf32>
    %2 = stablehlo.convolution(%1, %arg0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x2x8x8xf32>, tensor<6x2x3x3xf32>) -> tensor<6x6x8x8xf32>
    %3 = stablehlo.reshape %2 : (tensor<6x6x8x8xf32>) -> tensor<6x1x6x8x8xf32>
    %4 = stablehlo.reshape %3 : (tensor<6x1x6x8x8xf32>) -> tensor<6x6x8x8xf32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x1x1xf32>) -> tensor<1x6x1x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3] : (tensor<1x6x1x1xf32>) -> tensor<6x6x8x8xf32>
    %7 = stablehlo.add %4, %6 : tensor<6x6x8x8xf32>
    %8 = call @relu(%7) : (tensor<6x6x8x8xf32>) -> tensor<6x6x8x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x8x8xf32>
    %10 = stablehlo.compare GT, %7, %9, FLOAT : (tensor<6x6x8x8xf32>, tensor<6x6x8x8xf32>) -> tensor<6x6x8x8xi1>
    %11 = stablehlo.broadcast_in_dim %8, dims = [0, 2, 3, 4] : (tensor<6x6x8x8xf32>) -> tensor<6x1x6x8x8xf32>
    %12 = stablehlo.reshape %11 : (tensor<6x1x6x8x8xf32>) -> tensor<6x6x8x8xf32>
    %13 = stablehlo.convolution(%12, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x6x8x8xf32>, tensor<10x6x3x3xf32>) -> tensor<6x10x4x4xf32>
    %14 = stablehlo.reshape %13 : (tensor<6x10x4x4xf32>) -> tensor<6x1x10x4x4xf32>
    %15 = stablehlo.reshape %14 : (tensor<6x1x10x4x4xf32>) -> tensor<6x10x4x4xf32>
    %16 = stablehlo.broadcast_in_dim %arg3, dims = [1, 2, 3] : (tensor<10x1x1xf32>) -> tensor<1x10x1x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2, 3] : (tensor<1x10x1x1xf32>) -> tensor<6x10x4x4xf32>
    %18 = stablehlo.add %15, %17 : tensor<6x10x4x4xf32>
    %19 = call @relu_0(%18) : (tensor<6x10x4x4xf32>) -> tensor<6x10x4x4xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x10x4x4xf32>
    %21 = stablehlo.compare GT, %18, %20, FLOAT : (tensor<6x10x4x4xf32>, tensor<6x10x4x4xf32>) -> tensor<6x10x4x4xi1>
    %22 = stablehlo.broadcast_in_dim %19, dims = [0, 2, 3, 4] : (tensor<6x10x4x4xf32>) -> tensor<6x1x10x4x4xf32>
    %23 = stablehlo.reshape %22 : (tensor<6x1x10x4x4xf32>) -> tensor<6x10x4x4xf32>
    %24 = stablehlo.convolution(%23, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x10x4x4xf32>, tensor<6x10x3x3xf32>) -> tensor<6x6x4x4xf32>
    %25 = stablehlo.reshape %24 : (tensor<6x6x4x4xf32>) -> tensor<6x1x6x4x4xf32>
    %26 = stablehlo.reshape %25 : (tensor<6x1x6x4x4xf32>) -> tensor<6x6x4x4xf32>
    %27 = stablehlo.broadcast_in_dim %arg5, dims = [1, 2, 3] : (tensor<6x1x1xf32>) -> tensor<1x6x1x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2, 3] : (tensor<1x6x1x1xf32>) -> tensor<6x6x4x4xf32>
    %29 = stablehlo.add %26, %28 : tensor<6x6x4x4xf32>
    %30 = call @relu_1(%29) : (tensor<6x6x4x4xf32>) -> tensor<6x6x4x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x6x4x4xf32>
    %32 = stablehlo.compare GT, %29, %31, FLOAT : (tensor<6x6x4x4xf32>, tensor<6x6x4x4xf32>) -> tensor<6x6x4x4xi1>
    %33 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 4] : (tensor<6x6x4x4xf32>) -> tensor<6x6x4x2x4xf32>
    %34 = stablehlo.reshape %33 : (tensor<6x6x4x2x4xf32>) -> tensor<6x6x8x4xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<6x6x8x4xf32>) -> tensor<6x6x8x4x2xf32>
    %36 = stablehlo.reshape %35 : (tensor<6x6x8x4x2xf32>) -> tensor<6x6x8x8xf32>
    %37 = stablehlo.concatenate %8, %36, dim = 1 : (tensor<6x6x8x8xf32>, tensor<6x6x8x8xf32>) -> tensor<6x12x8x8xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 2, 3, 4] : (tensor<6x12x8x8xf32>) -> tensor<6x1x12x8x8xf32>
    %39 = stablehlo.reshape %38 : (tensor<6x1x12x8x8xf32>) -> tensor<6x12x8x8xf32>
    %40 = stablehlo.convolution(%39, %arg6) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x12x8x8xf32>, tensor<2x12x3x3xf32>) -> tensor<6x2x8x8xf32>
    %41 = stablehlo.reshape %40 : (tensor<6x2x8x8xf32>) -> tensor<6x1x2x8x8xf32>
    %42 = stablehlo.reshape %41 : (tensor<6x1x2x8x8xf32>) -> tensor<6x2x8x8xf32>
    %43 = stablehlo.broadcast_in_dim %arg7, dims = [1, 2, 3] : (tensor<2x1x1xf32>) -> tensor<1x2x1x1xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1, 2, 3] : (tensor<1x2x1x1xf32>) -> tensor<6x2x8x8xf32>
    %45 = stablehlo.add %42, %44 : tensor<6x2x8x8xf32>
    %46 = stablehlo.subtract %45, %arg9 : tensor<6x2x8x8xf32>
    %47 = stablehlo.multiply %46, %46 : tensor<6x2x8x8xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x2x8x8xf32>
    %49 = stablehlo.multiply %48, %46 : tensor<6x2x8x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%47 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<6x2x8x8xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %51 = stablehlo.divide %50, %cst_4 : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_6 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %52 = stablehlo.divide %cst_5, %cst_6 : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<f32>) -> tensor<6x2x8x8xf32>
    %54 = stablehlo.multiply %53, %49 : tensor<6x2x8x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_7) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<6x2x8x8xf32>, tensor<f32>) -> tensor<2xf32>
    %56 = stablehlo.reshape %55 : (tensor<2xf32>) -> tensor<1x2x1x1xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_8) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x2x1x1xf32>, tensor<f32>) -> tensor<2xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0] : (tensor<2xf32>) -> tensor<2x1x1xf32>
    %59 = stablehlo.broadcast_in_dim %54, dims = [0, 2, 3, 4] : (tensor<6x2x8x8xf32>) -> tensor<6x1x2x8x8xf32>
    %60 = stablehlo.reshape %59 : (tensor<6x1x2x8x8xf32>) -> tensor<6x2x8x8xf32>
    %61 = stablehlo.convolution(%39, %60) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x12x8x8xf32>, tensor<6x2x8x8xf32>) -> tensor<2x12x3x3xf32>
    %62 = stablehlo.reverse %arg6, dims = [2, 3] : tensor<2x12x3x3xf32>
    %63 = stablehlo.convolution(%60, %62) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x2x8x8xf32>, tensor<2x12x3x3xf32>) -> tensor<6x12x8x8xf32>
    %64 = stablehlo.reshape %63 : (tensor<6x12x8x8xf32>) -> tensor<6x1x12x8x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.reduce(%64 init: %cst_9) applies stablehlo.add across dimensions = [1] : (tensor<6x1x12x8x8xf32>, tensor<f32>) -> tensor<6x12x8x8xf32>
    %66 = stablehlo.slice %65 [0:6, 0:6, 0:8, 0:8] : (tensor<6x12x8x8xf32>) -> tensor<6x6x8x8xf32>
    %67 = stablehlo.slice %65 [0:6, 6:12, 0:8, 0:8] : (tensor<6x12x8x8xf32>) -> tensor<6x6x8x8xf32>
    %68 = stablehlo.reshape %67 : (tensor<6x6x8x8xf32>) -> tensor<6x6x8x4x2xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.reduce(%68 init: %cst_10) applies stablehlo.add across dimensions = [4] : (tensor<6x6x8x4x2xf32>, tensor<f32>) -> tensor<6x6x8x4xf32>
    %70 = stablehlo.reshape %69 : (tensor<6x6x8x4xf32>) -> tensor<6x6x4x2x4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.reduce(%70 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<6x6x4x2x4xf32>, tensor<f32>) -> tensor<6x6x4x4xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x6x4x4xf32>
    %73 = stablehlo.select %32, %71, %72 : tensor<6x6x4x4xi1>, tensor<6x6x4x4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_13) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<6x6x4x4xf32>, tensor<f32>) -> tensor<6xf32>
    %75 = stablehlo.reshape %74 : (tensor<6xf32>) -> tensor<1x6x1x1xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_14) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x6x1x1xf32>, tensor<f32>) -> tensor<6xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0] : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %78 = stablehlo.broadcast_in_dim %73, dims = [0, 2, 3, 4] : (tensor<6x6x4x4xf32>) -> tensor<6x1x6x4x4xf32>
    %79 = stablehlo.reshape %78 : (tensor<6x1x6x4x4xf32>) -> tensor<6x6x4x4xf32>
    %80 = stablehlo.convolution(%23, %79) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x10x4x4xf32>, tensor<6x6x4x4xf32>) -> tensor<6x10x3x3xf32>
    %81 = stablehlo.reverse %arg4, dims = [2, 3] : tensor<6x10x3x3xf32>
    %82 = stablehlo.convolution(%79, %81) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x6x4x4xf32>, tensor<6x10x3x3xf32>) -> tensor<6x10x4x4xf32>
    %83 = stablehlo.reshape %82 : (tensor<6x10x4x4xf32>) -> tensor<6x1x10x4x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.reduce(%83 init: %cst_15) applies stablehlo.add across dimensions = [1] : (tensor<6x1x10x4x4xf32>, tensor<f32>) -> tensor<6x10x4x4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x10x4x4xf32>
    %86 = stablehlo.select %21, %84, %85 : tensor<6x10x4x4xi1>, tensor<6x10x4x4xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_17) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<6x10x4x4xf32>, tensor<f32>) -> tensor<10xf32>
    %88 = stablehlo.reshape %87 : (tensor<10xf32>) -> tensor<1x10x1x1xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.reduce(%88 init: %cst_18) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x10x1x1xf32>, tensor<f32>) -> tensor<10xf32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [0] : (tensor<10xf32>) -> tensor<10x1x1xf32>
    %91 = stablehlo.broadcast_in_dim %86, dims = [0, 2, 3, 4] : (tensor<6x10x4x4xf32>) -> tensor<6x1x10x4x4xf32>
    %92 = stablehlo.reshape %91 : (tensor<6x1x10x4x4xf32>) -> tensor<6x10x4x4xf32>
    %93 = stablehlo.convolution(%12, %92) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x6x8x8xf32>, tensor<6x10x4x4xf32>) -> tensor<10x6x3x3xf32>
    %94 = stablehlo.reverse %arg2, dims = [2, 3] : tensor<10x6x3x3xf32>
    %95 = stablehlo.convolution(%92, %94) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x10x4x4xf32>, tensor<10x6x3x3xf32>) -> tensor<6x6x8x8xf32>
    %96 = stablehlo.reshape %95 : (tensor<6x6x8x8xf32>) -> tensor<6x1x6x8x8xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_19) applies stablehlo.add across dimensions = [1] : (tensor<6x1x6x8x8xf32>, tensor<f32>) -> tensor<6x6x8x8xf32>
    %98 = stablehlo.add %66, %97 : tensor<6x6x8x8xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x6x8x8xf32>
    %100 = stablehlo.select %10, %98, %99 : tensor<6x6x8x8xi1>, tensor<6x6x8x8xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.reduce(%100 init: %cst_21) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<6x6x8x8xf32>, tensor<f32>) -> tensor<6xf32>
    %102 = stablehlo.reshape %101 : (tensor<6xf32>) -> tensor<1x6x1x1xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_22) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x6x1x1xf32>, tensor<f32>) -> tensor<6xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0] : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %105 = stablehlo.broadcast_in_dim %100, dims = [0, 2, 3, 4] : (tensor<6x6x8x8xf32>) -> tensor<6x1x6x8x8xf32>
    %106 = stablehlo.reshape %105 : (tensor<6x1x6x8x8xf32>) -> tensor<6x6x8x8xf32>
    %107 = stablehlo.convolution(%1, %106) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x2x8x8xf32>, tensor<6x6x8x8xf32>) -> tensor<6x2x3x3xf32>
    return %51, %107, %104, %93, %90, %80, %77, %61, %58 : tensor<f32>, tensor<6x2x3x3xf32>, tensor<6x1x1xf32>, tensor<10x6x3x3xf32>, tensor<10x1x1xf32>, tensor<6x10x3x3xf32>, tensor<6x1x1xf32>, tensor<2x12x3x3xf32>, tensor<2x1x1xf32>
  }
  func.func private @relu(%arg0: tensor<6x6x8x8xf32>) -> tensor<6x6x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x8x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x6x8x8xf32>
    return %1 : tensor<6x6x8x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<6x10x4x4xf32>) -> tensor<6x10x4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x10x4x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x10x4x4xf32>
    return %1 : tensor<6x10x4x4xf32>
  }
  func.func private @relu_1(%arg0: tensor<6x6x4x4xf32>) -> tensor<6x6x4x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x4x4xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x6x4x4xf32>
    return %1 : tensor<6x6x4x4xf32>
  }
}
