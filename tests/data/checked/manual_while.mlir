module @jit_until attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<4x8xf32>, %arg5: tensor<2x8xf32>, %arg6: tensor<3xf32>) {
    %0:5 = call @function(%arg0, %arg1) : (tensor<4x8xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<i32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<3xf32>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<f32>
    check.expect_eq %0#1, %arg3 : tensor<i32>
    check.expect_almost_eq %0#2, %arg4, tolerance = 5.0e-04 : f64 : tensor<4x8xf32>
    check.expect_almost_eq %0#3, %arg5, tolerance = 5.0e-04 : f64 : tensor<2x8xf32>
    check.expect_almost_eq %0#4, %arg6, tolerance = 5.0e-04 : f64 : tensor<3xf32>
    return
  }
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @function(%arg0: tensor<4x8xf32>, %arg1: tensor<3xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<4x8xf32> {jax.result_info = "result[2]"}, tensor<2x8xf32> {jax.result_info = "result[3]"}, tensor<3xf32> {jax.result_info = "result[4]"}) {
    %0:5 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, []>, <@mesh, []>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{}, {"y"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%arg2: tensor<2x2xf32>, %arg3: tensor<3xf32>) {
      %1 = "stablehlo.all_reduce"(%arg2) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %2 = "stablehlo.all_reduce"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %4 : tensor<f32>
      }) : (tensor<3xf32>) -> tensor<3xf32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %3:5 = stablehlo.while(%iterArg = %cst, %iterArg_0 = %c, %iterArg_1 = %arg2, %iterArg_2 = %1, %iterArg_3 = %2) : tensor<f32>, tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>
      cond {
        %cst_4 = stablehlo.constant dense<0.00999999977> : tensor<f32>
        %4 = stablehlo.compare GT, %iterArg, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %c_5 = stablehlo.constant dense<5> : tensor<i32>
        %5 = stablehlo.compare LT, %iterArg_0, %c_5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %6 = stablehlo.and %4, %5 : tensor<i1>
        stablehlo.return %6 : tensor<i1>
      } do {
        %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %4 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
        %5 = stablehlo.multiply %iterArg_1, %4 : tensor<2x2xf32>
        %6 = "stablehlo.all_gather"(%iterArg_2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<8x2xf32>
        %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %7 = stablehlo.reduce(%6 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
        %cst_6 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
        %8 = stablehlo.divide %7, %cst_6 : tensor<f32>
        %cst_7 = stablehlo.constant dense<0.00999999977> : tensor<f32>
        %9 = stablehlo.multiply %cst_7, %8 : tensor<f32>
        %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
        %11 = stablehlo.add %5, %10 : tensor<2x2xf32>
        %12 = stablehlo.multiply %11, %11 : tensor<2x2xf32>
        %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %13 = stablehlo.reduce(%12 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
        %14 = "stablehlo.all_reduce"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %24 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %24 : tensor<f32>
        }) : (tensor<f32>) -> tensor<f32>
        %c_9 = stablehlo.constant dense<1> : tensor<i32>
        %15 = stablehlo.add %iterArg_0, %c_9 : tensor<i32>
        %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %16 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
        %17 = stablehlo.multiply %iterArg_2, %16 : tensor<2x2xf32>
        %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %18 = stablehlo.reduce(%iterArg_3 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
        %cst_12 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
        %19 = stablehlo.divide %18, %cst_12 : tensor<f32>
        %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
        %21 = stablehlo.add %17, %20 : tensor<2x2xf32>
        %cst_13 = stablehlo.constant dense<0.899999976> : tensor<f32>
        %22 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3xf32>
        %23 = stablehlo.multiply %iterArg_3, %22 : tensor<3xf32>
        stablehlo.return %14, %15, %11, %21, %23 : tensor<f32>, tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>
      }
      sdy.return %3#0, %3#1, %3#2, %3#3, %3#4 : tensor<f32>, tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<3xf32>
    } : (tensor<4x8xf32>, tensor<3xf32>) -> (tensor<f32>, tensor<i32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<3xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<f32>, tensor<i32>, tensor<4x8xf32>, tensor<2x8xf32>, tensor<3xf32>
  }
}
