module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x8x8xf32>, %arg1: tensor<4x8xf32>, %arg2: tensor<4x8xf32>, %arg3: tensor<2xf32>) {
    %0:2 = call @function(%arg0, %arg1) : (tensor<2x8x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<2xf32>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<4x8xf32>
    check.expect_almost_eq %0#1, %arg3, tolerance = 5.0e-04 : f64 : tensor<2xf32>
    return
  }
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @function(%arg0: tensor<2x8x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"y"}, {}]>, <@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%arg2: tensor<2x2x8xf32>, %arg3: tensor<2x2xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %c = stablehlo.constant dense<0> : tensor<i64>
      %2:4 = stablehlo.while(%iterArg = %arg2, %iterArg_0 = %c, %iterArg_1 = %arg3, %iterArg_2 = %1) : tensor<2x2x8xf32>, tensor<i64>, tensor<2x2xf32>, tensor<2xf32>
      cond {
        %c_3 = stablehlo.constant dense<2> : tensor<i64>
        %3 = stablehlo.compare LT, %iterArg_0, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %3 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_0) : (tensor<2x2x8xf32>, tensor<i64>) -> tensor<2x8xf32>
        %4:2 = func.call @closed_call(%iterArg_1, %3) : (tensor<2x2xf32>, tensor<2x8xf32>) -> (tensor<2x2xf32>, tensor<f32>)
        %5 = func.call @dynamic_update_index_in_dim(%iterArg_2, %4#1, %iterArg_0) : (tensor<2xf32>, tensor<f32>, tensor<i64>) -> tensor<2xf32>
        %c_3 = stablehlo.constant dense<1> : tensor<i64>
        %6 = stablehlo.add %iterArg_0, %c_3 : tensor<i64>
        stablehlo.return %iterArg, %6, %4#0, %5 : tensor<2x2x8xf32>, tensor<i64>, tensor<2x2xf32>, tensor<2xf32>
      }
      sdy.return %2#2, %2#3 : tensor<2x2xf32>, tensor<2xf32>
    } : (tensor<2x8x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<4x8xf32>, tensor<2xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x2x8xf32>, %arg1: tensor<i64>) -> tensor<2x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 2, 8] : (tensor<2x2x8xf32>, tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<1x2x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x2x8xf32>) -> tensor<2x8xf32>
    return %1 : tensor<2x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x2xf32>, %arg1: tensor<2x8xf32>) -> (tensor<2x2xf32>, tensor<f32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
    %1 = "stablehlo.reduce_scatter"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3], [4, 5, 6, 7]]> : tensor<2x4xi64>, scatter_dimension = 1 : i64, use_global_device_ids}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %3 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %3 : tensor<f32>
    }) : (tensor<2x8xf32>) -> tensor<2x2xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
    return %1, %2 : tensor<2x2xf32>, tensor<f32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<2xf32>, %arg1: tensor<f32>, %arg2: tensor<i64>) -> tensor<2xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2 : (tensor<2xf32>, tensor<1xf32>, tensor<i64>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
