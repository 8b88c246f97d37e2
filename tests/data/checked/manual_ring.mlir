module @jit_ring attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x6xf32>, %arg1: tensor<8x6xf32>, %arg2: tensor<8x8xf32>) {
    %0 = call @function(%arg0, %arg1) : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>
    check.expect_almost_eq %0, %arg2, tolerance = 5.0e-04 : f64 : tensor<8x8xf32>
    return
  }
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @function(%arg0: tensor<8x6xf32>, %arg1: tensor<8x6xf32>) -> (tensor<8x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"y"}, {}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"y"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<2x6xf32>, %arg3: tensor<2x6xf32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %c_2 = stablehlo.constant dense<0> : tensor<i64>
      %6:6 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %4, %iterArg_4 = %c_2, %iterArg_5 = %c_1, %iterArg_6 = %arg3, %iterArg_7 = %5) : tensor<2x6xf32>, tensor<i32>, tensor<i64>, tensor<i64>, tensor<2x6xf32>, tensor<2x8xf32>
      cond {
        %c_8 = stablehlo.constant dense<4> : tensor<i64>
        %7 = stablehlo.compare LT, %iterArg_4, %c_8, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %7 : tensor<i1>
      } do {
        %7:3 = func.call @closed_call(%iterArg, %iterArg_3, %iterArg_5, %iterArg_6, %iterArg_7) : (tensor<2x6xf32>, tensor<i32>, tensor<i64>, tensor<2x6xf32>, tensor<2x8xf32>) -> (tensor<i64>, tensor<2x6xf32>, tensor<2x8xf32>)
        %c_8 = stablehlo.constant dense<1> : tensor<i64>
        %8 = stablehlo.add %iterArg_4, %c_8 : tensor<i64>
        stablehlo.return %iterArg, %iterArg_3, %8, %7#0, %7#1, %7#2 : tensor<2x6xf32>, tensor<i32>, tensor<i64>, tensor<i64>, tensor<2x6xf32>, tensor<2x8xf32>
      }
      sdy.return %6#5 : tensor<2x8xf32>
    } : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }
  func.func private @closed_call(%arg0: tensor<2x6xf32>, %arg1: tensor<i32>, %arg2: tensor<i64>, %arg3: tensor<2x6xf32>, %arg4: tensor<2x8xf32>) -> (tensor<i64>, tensor<2x6xf32>, tensor<2x8xf32>) {
    %c = stablehlo.constant dense<1> : tensor<i64>
    %0 = stablehlo.add %arg2, %c : tensor<i64>
    %1 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<2x6xf32>) -> tensor<6x2xf32>
    %2 = stablehlo.dot_general %arg0, %1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x6xf32>, tensor<6x2xf32>) -> tensor<2x2xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<i32>
    %4 = stablehlo.add %arg1, %3 : tensor<i32>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %5 = call @remainder(%4, %c_0) : (tensor<i32>, tensor<i64>) -> tensor<i32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %6 = stablehlo.multiply %5, %c_1 : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.compare LT, %c_2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_4 = stablehlo.constant dense<0> : tensor<i32>
    %c_5 = stablehlo.constant dense<2> : tensor<i32>
    %8 = stablehlo.add %c_4, %c_5 : tensor<i32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.select %7, %8, %c_6 : tensor<i1>, tensor<i32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %10 = stablehlo.compare LT, %6, %c_7, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_8 = stablehlo.constant dense<8> : tensor<i32>
    %11 = stablehlo.add %6, %c_8 : tensor<i32>
    %12 = stablehlo.select %10, %11, %6 : tensor<i1>, tensor<i32>
    %13 = stablehlo.dynamic_update_slice %arg4, %2, %9, %12 : (tensor<2x8xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
    %14 = "stablehlo.collective_permute"(%arg3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 3], [1, 0], [2, 1], [3, 2], [4, 7], [5, 4], [6, 5], [7, 6]]> : tensor<8x2xi64>}> : (tensor<2x6xf32>) -> tensor<2x6xf32>
    return %0, %14, %13 : tensor<i64>, tensor<2x6xf32>, tensor<2x8xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i64>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
