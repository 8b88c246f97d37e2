module @jit_model attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x1x12xf32>, %arg1: tensor<1x1x6x12xf32>, %arg2: tensor<1x1x12x6xf32>, %arg3: tensor<3x3x1x12xf32>, %arg4: tensor<1x1x6x12xf32>, %arg5: tensor<1x1x12x6xf32>, %arg6: tensor<6x5xf32>, %arg7: tensor<3x3x3x6xf32>, %arg8: tensor<6x8x8x3xf32>) -> (tensor<6x5xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg8, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x8x8x3xf32>, tensor<3x3x3x6xf32>) -> tensor<6x4x4x6xf32>
    %1 = call @relu(%0) : (tensor<6x4x4x6xf32>) -> tensor<6x4x4x6xf32>
    %2 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x4x4x6xf32>, tensor<1x1x6x12xf32>) -> tensor<6x4x4x12xf32>
    %3 = call @relu6(%2) : (tensor<6x4x4x12xf32>) -> tensor<6x4x4x12xf32>
    %4 = stablehlo.convolution(%3, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x4x4x12xf32>, tensor<3x3x1x12xf32>) -> tensor<6x4x4x12xf32>
    %5 = call @relu6(%4) : (tensor<6x4x4x12xf32>) -> tensor<6x4x4x12xf32>
    %6 = stablehlo.convolution(%5, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x4x4x12xf32>, tensor<1x1x12x6xf32>) -> tensor<6x4x4x6xf32>
    %7 = stablehlo.add %1, %6 : tensor<6x4x4x6xf32>
    %8 = stablehlo.convolution(%7, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x4x4x6xf32>, tensor<1x1x6x12xf32>) -> tensor<6x4x4x12xf32>
    %9 = call @relu6(%8) : (tensor<6x4x4x12xf32>) -> tensor<6x4x4x12xf32>
    %10 = stablehlo.convolution(%9, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 12 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x4x4x12xf32>, tensor<3x3x1x12xf32>) -> tensor<6x4x4x12xf32>
    %11 = call @relu6(%10) : (tensor<6x4x4x12xf32>) -> tensor<6x4x4x12xf32>
    %12 = stablehlo.convolution(%11, %arg5) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<6x4x4x12xf32>, tensor<1x1x12x6xf32>) -> tensor<6x4x4x6xf32>
    %13 = stablehlo.add %7, %12 : tensor<6x4x4x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x4x4x6xf32>, tensor<f32>) -> tensor<6x6xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x6xf32>
    %16 = stablehlo.divide %14, %15 : tensor<6x6xf32>
    %17 = stablehlo.dot_general %16, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x6xf32>, tensor<6x5xf32>) -> tensor<6x5xf32>
    return %17 : tensor<6x5xf32>
  }
  func.func private @relu(%arg0: tensor<6x4x4x6xf32>) -> tensor<6x4x4x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x4x4x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x4x4x6xf32>
    return %1 : tensor<6x4x4x6xf32>
  }
  func.func private @relu6(%arg0: tensor<6x4x4x12xf32>) -> tensor<6x4x4x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x4x4x12xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x4x4x12xf32>
    %cst_0 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x4x4x12xf32>
    %3 = stablehlo.minimum %1, %2 : tensor<6x4x4x12xf32>
    return %3 : tensor<6x4x4x12xf32>
  }
}
