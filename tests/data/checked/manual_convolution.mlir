module @jit_convolutions attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x3x8x8xf32>, %arg1: tensor<5x3x3x3xf32>, %arg2: tensor<f32>, %arg3: tensor<4x3x8x8xf32>, %arg4: tensor<5x3x3x3xf32>) {
    %0:3 = call @function(%arg0, %arg1) : (tensor<4x3x8x8xf32>, tensor<5x3x3x3xf32>) -> (tensor<f32>, tensor<4x3x8x8xf32>, tensor<5x3x3x3xf32>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<f32>
    check.expect_almost_eq %0#1, %arg3, tolerance = 5.0e-04 : f64 : tensor<4x3x8x8xf32>
    check.expect_almost_eq %0#2, %arg4, tolerance = 5.0e-04 : f64 : tensor<5x3x3x3xf32>
    return
  }
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @function(%arg0: tensor<4x3x8x8xf32>, %arg1: tensor<5x3x3x3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<4x3x8x8xf32> {jax.result_info = "result[1][0]"}, tensor<5x3x3x3xf32> {jax.result_info = "result[1][1]"}) {
    %0:4 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}, {}, {}]>, <@mesh, [{}, {}, {}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}, {}, {}]>, <@mesh, [{"x", "y"}, {}, {}, {}]>, <@mesh, [{"x", "y"}]>, <@mesh, []>] manual_axes={"x", "y"} (%arg2: tensor<2x3x8x8xf32>, %arg3: tensor<5x3x3x3xf32>) {
      %3 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x8x8xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x8x8xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<f32>
      %5 = "stablehlo.reduce_window"(%3, %4) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %13 = stablehlo.maximum %arg4, %arg5 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<2x5x8x8xf32>, tensor<f32>) -> tensor<2x5x4x4xf32>
      %6 = stablehlo.multiply %5, %5 : tensor<2x5x4x4xf32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x5x4x4xf32>
      %8 = stablehlo.multiply %7, %5 : tensor<2x5x4x4xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2, 3] : (tensor<2x5x4x4xf32>, tensor<f32>) -> tensor<f32>
      %10 = "stablehlo.all_reduce"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %11 = stablehlo.divide %10, %cst_4 : tensor<f32>
      %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1xf32>
      sdy.return %3, %8, %12, %11 : tensor<2x5x8x8xf32>, tensor<2x5x4x4xf32>, tensor<1xf32>, tensor<f32>
    } : (tensor<4x3x8x8xf32>, tensor<5x3x3x3xf32>) -> (tensor<16x5x8x8xf32>, tensor<16x5x4x4xf32>, tensor<8xf32>, tensor<f32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %cst, %cst_0 : tensor<f32>
    %2:2 = sdy.manual_computation(%1, %arg1, %arg0, %0#0, %0#1, %0#2) in_shardings=[<@mesh, []>, <@mesh, [{}, {}, {}, {}]>, <@mesh, [{"x"}, {}, {}, {}]>, <@mesh, [{"x", "y"}, {}, {}, {}]>, <@mesh, [{"x", "y"}, {}, {}, {}]>, <@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x"}, {}, {}, {}]>, <@mesh, [{}, {}, {}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<f32>, %arg3: tensor<5x3x3x3xf32>, %arg4: tensor<2x3x8x8xf32>, %arg5: tensor<2x5x8x8xf32>, %arg6: tensor<2x5x4x4xf32>, %arg7: tensor<1xf32>) {
      %3 = stablehlo.reshape %arg7 : (tensor<1xf32>) -> tensor<f32>
      %4 = stablehlo.divide %arg2, %3 : tensor<f32>
      %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %16 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<2x5x4x4xf32>
      %7 = stablehlo.multiply %6, %arg6 : tensor<2x5x4x4xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %8 = stablehlo.pad %arg5, %cst_1, low = [0, 0, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x5x8x8xf32>, tensor<f32>) -> tensor<2x5x8x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = "stablehlo.select_and_scatter"(%8, %7, %cst_2) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %16 = stablehlo.compare GE, %arg8, %arg9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %16 : tensor<i1>
      }, {
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %16 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<2x5x8x8xf32>, tensor<2x5x4x4xf32>, tensor<f32>) -> tensor<2x5x8x8xf32>
      %10 = stablehlo.slice %9 [0:2, 0:5, 0:8, 0:8] : (tensor<2x5x8x8xf32>) -> tensor<2x5x8x8xf32>
      %11 = stablehlo.convolution(%arg4, %10) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x8x8xf32>, tensor<2x5x8x8xf32>) -> tensor<5x3x3x3xf32>
      %12 = stablehlo.reverse %arg3, dims = [2, 3] : tensor<5x3x3x3xf32>
      %13 = stablehlo.convolution(%10, %12) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x8x8xf32>, tensor<5x3x3x3xf32>) -> tensor<2x3x8x8xf32>
      %14 = "stablehlo.all_reduce"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %16 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<2x3x8x8xf32>) -> tensor<2x3x8x8xf32>
      %15 = "stablehlo.all_reduce"(%11) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
        %16 = stablehlo.add %arg8, %arg9 : tensor<f32>
        stablehlo.return %16 : tensor<f32>
      }) : (tensor<5x3x3x3xf32>) -> tensor<5x3x3x3xf32>
      sdy.return %14, %15 : tensor<2x3x8x8xf32>, tensor<5x3x3x3xf32>
    } : (tensor<f32>, tensor<5x3x3x3xf32>, tensor<4x3x8x8xf32>, tensor<16x5x8x8xf32>, tensor<16x5x4x4xf32>, tensor<8xf32>) -> (tensor<4x3x8x8xf32>, tensor<5x3x3x3xf32>)
    return %0#3, %2#0, %2#1 : tensor<f32>, tensor<4x3x8x8xf32>, tensor<5x3x3x3xf32>
  }
}
