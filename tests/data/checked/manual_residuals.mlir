module @jit_residuals attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x10xf32>, %arg1: tensor<10x8xf32>, %arg2: tensor<6x10xf32>, %arg3: tensor<10x8xf32>) {
    %0:2 = call @function(%arg0, %arg1) : (tensor<6x10xf32>, tensor<10x8xf32>) -> (tensor<6x10xf32>, tensor<10x8xf32>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<6x10xf32>
    check.expect_almost_eq %0#1, %arg3, tolerance = 5.0e-04 : f64 : tensor<10x8xf32>
    return
  }
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @function(%arg0: tensor<6x10xf32>, %arg1: tensor<10x8xf32>) -> (tensor<6x10xf32> {jax.result_info = "result[0]"}, tensor<10x8xf32> {jax.result_info = "result[1]"}) {
    %0:7 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{}]>, <@mesh, []>] manual_axes={"x", "y"} (%arg2: tensor<3x10xf32>, %arg3: tensor<10x2xf32>) {
      %2 = stablehlo.tanh %arg2 : tensor<3x10xf32>
      %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x10xf32>
      %4 = stablehlo.subtract %3, %2 : tensor<3x10xf32>
      %5 = stablehlo.dot_general %2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x10xf32>, tensor<10x2xf32>) -> tensor<3x2xf32>
      %6 = stablehlo.sine %5 : tensor<3x2xf32>
      %7 = stablehlo.cosine %5 : tensor<3x2xf32>
      %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x2xf32>, tensor<f32>) -> tensor<f32>
      %9 = "stablehlo.all_reduce"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %10 = "stablehlo.all_reduce"(%9) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %13 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %11 = stablehlo.divide %10, %cst_2 : tensor<f32>
      %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1xf32>
      sdy.return %2, %4, %arg3, %2, %7, %12, %11 : tensor<3x10xf32>, tensor<3x10xf32>, tensor<10x2xf32>, tensor<3x10xf32>, tensor<3x2xf32>, tensor<1xf32>, tensor<f32>
    } : (tensor<6x10xf32>, tensor<10x8xf32>) -> (tensor<6x10xf32>, tensor<6x10xf32>, tensor<80x2xf32>, tensor<24x10xf32>, tensor<24x2xf32>, tensor<1xf32>, tensor<f32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1:2 = sdy.manual_computation(%cst, %0#0, %0#1, %0#2, %0#3, %0#4, %0#5) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {"y"}]>] manual_axes={"x", "y"} (%arg2: tensor<f32>, %arg3: tensor<3x10xf32>, %arg4: tensor<3x10xf32>, %arg5: tensor<10x2xf32>, %arg6: tensor<3x10xf32>, %arg7: tensor<3x2xf32>, %arg8: tensor<1xf32>) {
      %2 = stablehlo.reshape %arg8 : (tensor<1xf32>) -> tensor<f32>
      %3 = stablehlo.divide %arg2, %2 : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
      %5 = stablehlo.multiply %4, %arg7 : tensor<3x2xf32>
      %6 = stablehlo.dot_general %5, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf32>, tensor<3x10xf32>) -> tensor<2x10xf32>
      %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<2x10xf32>) -> tensor<10x2xf32>
      %8 = stablehlo.dot_general %5, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf32>, tensor<10x2xf32>) -> tensor<3x10xf32>
      %9 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %14 = stablehlo.add %arg9, %arg10 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<10x2xf32>) -> tensor<10x2xf32>
      %10 = "stablehlo.all_reduce"(%8) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %14 = stablehlo.add %arg9, %arg10 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<3x10xf32>) -> tensor<3x10xf32>
      %11 = stablehlo.multiply %10, %arg4 : tensor<3x10xf32>
      %12 = stablehlo.multiply %11, %arg3 : tensor<3x10xf32>
      %13 = stablehlo.add %11, %12 : tensor<3x10xf32>
      sdy.return %13, %9 : tensor<3x10xf32>, tensor<10x2xf32>
    } : (tensor<f32>, tensor<6x10xf32>, tensor<6x10xf32>, tensor<80x2xf32>, tensor<24x10xf32>, tensor<24x2xf32>, tensor<1xf32>) -> (tensor<6x10xf32>, tensor<10x8xf32>)
    return %1#0, %1#1 : tensor<6x10xf32>, tensor<10x8xf32>
  }
}
