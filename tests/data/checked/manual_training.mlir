module @jit_training attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x8xf32>, %arg1: tensor<8x3xf32>, %arg2: tensor<6x5xf32>, %arg3: tensor<5x8xf32>, %arg4: tensor<8x3xf32>, %arg5: tensor<3xf32>) {
    %0:3 = call @function(%arg0, %arg1, %arg2) : (tensor<5x8xf32>, tensor<8x3xf32>, tensor<6x5xf32>) -> (tensor<5x8xf32>, tensor<8x3xf32>, tensor<3xf32>)
    check.expect_almost_eq %0#0, %arg3, tolerance = 5.0e-04 : f64 : tensor<5x8xf32>
    check.expect_almost_eq %0#1, %arg4, tolerance = 5.0e-04 : f64 : tensor<8x3xf32>
    check.expect_almost_eq %0#2, %arg5, tolerance = 5.0e-04 : f64 : tensor<3xf32>
    return
  }
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @function(%arg0: tensor<5x8xf32>, %arg1: tensor<8x3xf32>, %arg2: tensor<6x5xf32>) -> (tensor<5x8xf32> {jax.result_info = "result[0]"}, tensor<8x3xf32> {jax.result_info = "result[1]"}, tensor<3xf32> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{"y"}, {}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%arg3: tensor<5x2xf32>, %arg4: tensor<2x3xf32>, %arg5: tensor<3x5xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %c = stablehlo.constant dense<0> : tensor<i64>
      %2:5 = stablehlo.while(%iterArg = %arg5, %iterArg_0 = %c, %iterArg_1 = %arg3, %iterArg_2 = %arg4, %iterArg_3 = %1) : tensor<3x5xf32>, tensor<i64>, tensor<5x2xf32>, tensor<2x3xf32>, tensor<3xf32>
      cond {
        %c_4 = stablehlo.constant dense<3> : tensor<i64>
        %3 = stablehlo.compare LT, %iterArg_0, %c_4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %3:3 = func.call @closed_call(%iterArg, %iterArg_1, %iterArg_2) : (tensor<3x5xf32>, tensor<5x2xf32>, tensor<2x3xf32>) -> (tensor<5x2xf32>, tensor<2x3xf32>, tensor<f32>)
        %4 = func.call @dynamic_update_index_in_dim(%iterArg_3, %3#2, %iterArg_0) : (tensor<3xf32>, tensor<f32>, tensor<i64>) -> tensor<3xf32>
        %c_4 = stablehlo.constant dense<1> : tensor<i64>
        %5 = stablehlo.add %iterArg_0, %c_4 : tensor<i64>
        stablehlo.return %iterArg, %5, %3#0, %3#1, %4 : tensor<3x5xf32>, tensor<i64>, tensor<5x2xf32>, tensor<2x3xf32>, tensor<3xf32>
      }
      sdy.return %2#2, %2#3, %2#4 : tensor<5x2xf32>, tensor<2x3xf32>, tensor<3xf32>
    } : (tensor<5x8xf32>, tensor<8x3xf32>, tensor<6x5xf32>) -> (tensor<5x8xf32>, tensor<8x3xf32>, tensor<3xf32>)
    return %0#0, %0#1, %0#2 : tensor<5x8xf32>, tensor<8x3xf32>, tensor<3xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x5xf32>, %arg1: tensor<5x2xf32>, %arg2: tensor<2x3xf32>) -> (tensor<5x2xf32>, tensor<2x3xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.tanh %0 : tensor<3x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<3x2xf32>
    %4 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
    %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<3x3xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<3x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %10 = stablehlo.divide %9, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.divide %cst_3, %cst_2 : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %13 = stablehlo.multiply %12, %8 : tensor<3x3xf32>
    %14 = stablehlo.dot_general %13, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %15 = stablehlo.transpose %14, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    %16 = stablehlo.dot_general %13, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
    %17 = "stablehlo.all_reduce"(%15) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %18 = stablehlo.multiply %16, %3 : tensor<3x2xf32>
    %19 = stablehlo.multiply %18, %1 : tensor<3x2xf32>
    %20 = stablehlo.add %18, %19 : tensor<3x2xf32>
    %21 = stablehlo.dot_general %20, %arg0, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
    %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<2x5xf32>) -> tensor<5x2xf32>
    %23 = "stablehlo.all_reduce"(%22) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<5x2xf32>) -> tensor<5x2xf32>
    %24 = "stablehlo.all_reduce"(%23) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<5x2xf32>) -> tensor<5x2xf32>
    %25 = "stablehlo.all_reduce"(%17) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
    %27 = stablehlo.divide %24, %26 : tensor<5x2xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %29 = stablehlo.divide %25, %28 : tensor<2x3xf32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5x2xf32>
    %31 = stablehlo.multiply %30, %27 : tensor<5x2xf32>
    %32 = stablehlo.subtract %arg1, %31 : tensor<5x2xf32>
    %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %34 = stablehlo.multiply %33, %29 : tensor<2x3xf32>
    %35 = stablehlo.subtract %arg2, %34 : tensor<2x3xf32>
    %36 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x5xf32>, tensor<5x2xf32>) -> tensor<3x2xf32>
    %37 = stablehlo.tanh %36 : tensor<3x2xf32>
    %38 = stablehlo.dot_general %37, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<3x3xf32>
    %39 = "stablehlo.all_reduce"(%38) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %40 = stablehlo.multiply %39, %39 : tensor<3x3xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_8) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %42 = stablehlo.divide %41, %cst_9 : tensor<f32>
    %43 = "stablehlo.all_reduce"(%42) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      %45 = stablehlo.add %arg3, %arg4 : tensor<f32>
      stablehlo.return %45 : tensor<f32>
    }) : (tensor<f32>) -> tensor<f32>
    %cst_10 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %44 = stablehlo.divide %43, %cst_10 : tensor<f32>
    return %32, %35, %44 : tensor<5x2xf32>, tensor<2x3xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<i64>) -> tensor<3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<3xf32>, tensor<1xf32>, tensor<i64>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
