module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128xf32>, %arg1: tensor<10xf32>, %arg2: tensor<32xf32>, %arg3: tensor<64xf32>, %arg4: tensor<32x1x3x3xf32>, %arg5: tensor<64x32x3x3xf32>, %arg6: tensor<1024x128xf32>, %arg7: tensor<128x10xf32>, %arg8: tensor<8x1x12x12xf32>, %arg9: tensor<8xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<128xf32> {jax.result_info = "result[1]['b1']"}, tensor<10xf32> {jax.result_info = "result[1]['b2']"}, tensor<32xf32> {jax.result_info = "result[1]['c1']"}, tensor<64xf32> {jax.result_info = "result[1]['c2']"}, tensor<32x1x3x3xf32> {jax.result_info = "result[1]['k1']"}, tensor<64x32x3x3xf32> {jax.result_info = "result[1]['k2']"}, tensor<1024x128xf32> {jax.result_info = "result[1]['w1']"}, tensor<128x10xf32> {jax.result_info = "result[1]['w2']"}) {
    %0 = stablehlo.convolution(%arg8, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x1x12x12xf32>, tensor<32x1x3x3xf32>) -> tensor<8x32x10x10xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x32x1x1xf32>) -> tensor<8x32x10x10xf32>
    %3 = stablehlo.add %0, %2 : tensor<8x32x10x10xf32>
    %4 = call @relu(%3) : (tensor<8x32x10x10xf32>) -> tensor<8x32x10x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32x10x10xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<8x32x10x10xf32>, tensor<8x32x10x10xf32>) -> tensor<8x32x10x10xi1>
    %7 = stablehlo.convolution(%4, %arg5) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x32x10x10xf32>, tensor<64x32x3x3xf32>) -> tensor<8x64x8x8xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<64xf32>) -> tensor<1x64x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x64x1x1xf32>) -> tensor<8x64x8x8xf32>
    %10 = stablehlo.add %7, %9 : tensor<8x64x8x8xf32>
    %11 = call @relu_0(%10) : (tensor<8x64x8x8xf32>) -> tensor<8x64x8x8xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x64x8x8xf32>
    %13 = stablehlo.compare GT, %10, %12, FLOAT : (tensor<8x64x8x8xf32>, tensor<8x64x8x8xf32>) -> tensor<8x64x8x8xi1>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
    %15 = "stablehlo.reduce_window"(%11, %14) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %106 = stablehlo.maximum %arg10, %arg11 : tensor<f32>
      stablehlo.return %106 : tensor<f32>
    }) : (tensor<8x64x8x8xf32>, tensor<f32>) -> tensor<8x64x4x4xf32>
    %16 = stablehlo.reshape %15 : (tensor<8x64x4x4xf32>) -> tensor<8x1024xf32>
    %17 = stablehlo.dot_general %16, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x1024xf32>, tensor<1024x128xf32>) -> tensor<8x128xf32>
    %18 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<128xf32>) -> tensor<1x128xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x128xf32>) -> tensor<8x128xf32>
    %20 = stablehlo.add %17, %19 : tensor<8x128xf32>
    %21 = call @relu_1(%20) : (tensor<8x128xf32>) -> tensor<8x128xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %23 = stablehlo.compare GT, %20, %22, FLOAT : (tensor<8x128xf32>, tensor<8x128xf32>) -> tensor<8x128xi1>
    %24 = stablehlo.dot_general %21, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<128x10xf32>) -> tensor<8x10xf32>
    %25 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<8x10xf32>
    %27 = stablehlo.add %24, %26 : tensor<8x10xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_3) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<8xf32>) -> tensor<8x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %31 = stablehlo.subtract %27, %30 : tensor<8x10xf32>
    %32 = stablehlo.exponential %31 : tensor<8x10xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%32 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %34 = stablehlo.log %33 : tensor<8xf32>
    %35 = call @_one_hot(%arg9) : (tensor<8xi32>) -> tensor<8x10xf32>
    %36 = stablehlo.multiply %31, %35 : tensor<8x10xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.reduce(%36 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %38 = stablehlo.subtract %34, %37 : tensor<8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %40 = stablehlo.divide %39, %cst_7 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %41 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %43 = stablehlo.negate %42 : tensor<8xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %45 = stablehlo.multiply %44, %35 : tensor<8x10xf32>
    %46 = stablehlo.divide %42, %33 : tensor<8xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %48 = stablehlo.multiply %47, %32 : tensor<8x10xf32>
    %49 = stablehlo.add %45, %48 : tensor<8x10xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
    %51 = stablehlo.reshape %50 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %53 = stablehlo.dot_general %49, %21, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x10xf32>, tensor<8x128xf32>) -> tensor<10x128xf32>
    %54 = stablehlo.transpose %53, dims = [1, 0] : (tensor<10x128xf32>) -> tensor<128x10xf32>
    %55 = stablehlo.dot_general %49, %arg7, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x10xf32>, tensor<128x10xf32>) -> tensor<8x128xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %57 = stablehlo.select %23, %55, %56 : tensor<8x128xi1>, tensor<8x128xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.reduce(%57 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<8x128xf32>, tensor<f32>) -> tensor<128xf32>
    %59 = stablehlo.reshape %58 : (tensor<128xf32>) -> tensor<1x128xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_14) applies stablehlo.add across dimensions = [0] : (tensor<1x128xf32>, tensor<f32>) -> tensor<128xf32>
    %61 = stablehlo.dot_general %57, %16, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<8x1024xf32>) -> tensor<128x1024xf32>
    %62 = stablehlo.transpose %61, dims = [1, 0] : (tensor<128x1024xf32>) -> tensor<1024x128xf32>
    %63 = stablehlo.dot_general %57, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<8x128xf32>, tensor<1024x128xf32>) -> tensor<8x1024xf32>
    %64 = stablehlo.reshape %63 : (tensor<8x1024xf32>) -> tensor<8x64x4x4xf32>
    %cst_15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %65 = stablehlo.pad %11, %cst_15, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<8x64x8x8xf32>, tensor<f32>) -> tensor<8x64x8x8xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = "stablehlo.select_and_scatter"(%65, %64, %cst_16) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %106 = stablehlo.compare GE, %arg10, %arg11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %106 : tensor<i1>
    }, {
    ^bb0(%arg10: tensor<f32>, %arg11: tensor<f32>):
      %106 = stablehlo.add %arg10, %arg11 : tensor<f32>
      stablehlo.return %106 : tensor<f32>
    }) : (tensor<8x64x8x8xf32>, tensor<8x64x4x4xf32>, tensor<f32>) -> tensor<8x64x8x8xf32>
    %67 = stablehlo.slice %66 [0:8, 0:64, 0:8, 0:8] : (tensor<8x64x8x8xf32>) -> tensor<8x64x8x8xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x64x8x8xf32>
    %69 = stablehlo.select %13, %67, %68 : tensor<8x64x8x8xi1>, tensor<8x64x8x8xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.reduce(%69 init: %cst_18) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x64x8x8xf32>, tensor<f32>) -> tensor<64xf32>
    %71 = stablehlo.reshape %70 : (tensor<64xf32>) -> tensor<1x64x1x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_19) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x64x1x1xf32>, tensor<f32>) -> tensor<64xf32>
    %73 = stablehlo.convolution(%4, %69) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x32x10x10xf32>, tensor<8x64x8x8xf32>) -> tensor<64x32x3x3xf32>
    %74 = stablehlo.reverse %arg5, dims = [2, 3] : tensor<64x32x3x3xf32>
    %75 = stablehlo.convolution(%69, %74) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x64x8x8xf32>, tensor<64x32x3x3xf32>) -> tensor<8x32x10x10xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<8x32x10x10xf32>
    %77 = stablehlo.select %6, %75, %76 : tensor<8x32x10x10xi1>, tensor<8x32x10x10xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%77 init: %cst_21) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<8x32x10x10xf32>, tensor<f32>) -> tensor<32xf32>
    %79 = stablehlo.reshape %78 : (tensor<32xf32>) -> tensor<1x32x1x1xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%79 init: %cst_22) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<1x32x1x1xf32>, tensor<f32>) -> tensor<32xf32>
    %81 = stablehlo.convolution(%arg8, %77) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x1x12x12xf32>, tensor<8x32x10x10xf32>) -> tensor<32x1x3x3xf32>
    %cst_23 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %83 = stablehlo.multiply %82, %60 : tensor<128xf32>
    %84 = stablehlo.subtract %arg0, %83 : tensor<128xf32>
    %cst_24 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %86 = stablehlo.multiply %85, %52 : tensor<10xf32>
    %87 = stablehlo.subtract %arg1, %86 : tensor<10xf32>
    %cst_25 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %89 = stablehlo.multiply %88, %80 : tensor<32xf32>
    %90 = stablehlo.subtract %arg2, %89 : tensor<32xf32>
    %cst_26 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %92 = stablehlo.multiply %91, %72 : tensor<64xf32>
    %93 = stablehlo.subtract %arg3, %92 : tensor<64xf32>
    %cst_27 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<32x1x3x3xf32>
    %95 = stablehlo.multiply %94, %81 : tensor<32x1x3x3xf32>
    %96 = stablehlo.subtract %arg4, %95 : tensor<32x1x3x3xf32>
    %cst_28 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<64x32x3x3xf32>
    %98 = stablehlo.multiply %97, %73 : tensor<64x32x3x3xf32>
    %99 = stablehlo.subtract %arg5, %98 : tensor<64x32x3x3xf32>
    %cst_29 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<1024x128xf32>
    %101 = stablehlo.multiply %100, %62 : tensor<1024x128xf32>
    %102 = stablehlo.subtract %arg6, %101 : tensor<1024x128xf32>
    %cst_30 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<128x10xf32>
    %104 = stablehlo.multiply %103, %54 : tensor<128x10xf32>
    %105 = stablehlo.subtract %arg7, %104 : tensor<128x10xf32>
    return %40, %84, %87, %90, %93, %96, %99, %102, %105 : tensor<f32>, tensor<128xf32>, tensor<10xf32>, tensor<32xf32>, tensor<64xf32>, tensor<32x1x3x3xf32>, tensor<64x32x3x3xf32>, tensor<1024x128xf32>, tensor<128x10xf32>
  }
  func.func private @relu(%arg0: tensor<8x32x10x10xf32>) -> tensor<8x32x10x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x32x10x10xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x32x10x10xf32>
    return %1 : tensor<8x32x10x10xf32>
  }
  func.func private @relu_0(%arg0: tensor<8x64x8x8xf32>) -> tensor<8x64x8x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x64x8x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x64x8x8xf32>
    return %1 : tensor<8x64x8x8xf32>
  }
  func.func private @relu_1(%arg0: tensor<8x128xf32>) -> tensor<8x128xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x128xf32>
    return %1 : tensor<8x128xf32>
  }
  func.func private @_one_hot(%arg0: tensor<8xi32>) -> tensor<8x10xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x10xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x10xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x10xi32>) -> tensor<8x10xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<8x10xi32>, tensor<8x10xi32>) -> tensor<8x10xi1>
    %5 = stablehlo.convert %4 : (tensor<8x10xi1>) -> tensor<8x10xf32>
    return %5 : tensor<8x10xf32>
  }
}
