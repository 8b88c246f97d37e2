module @jit_operations attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x16xf32>, %arg1: tensor<3xi64>, %arg2: tensor<6x16xf32>, %arg3: tensor<8x16xf32>, %arg4: tensor<4x12xf32>, %arg5: tensor<8x16xf32>, %arg6: tensor<8x16xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<8x16xf32>, %arg9: tensor<16x8xf32>) {
    %0:8 = call @function(%arg0, %arg1) : (tensor<8x16xf32>, tensor<3xi64>) -> (tensor<6x16xf32>, tensor<8x16xf32>, tensor<4x12xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x8xf32>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<6x16xf32>
    check.expect_almost_eq %0#1, %arg3, tolerance = 5.0e-04 : f64 : tensor<8x16xf32>
    check.expect_almost_eq %0#2, %arg4, tolerance = 5.0e-04 : f64 : tensor<4x12xf32>
    check.expect_almost_eq %0#3, %arg5, tolerance = 5.0e-04 : f64 : tensor<8x16xf32>
    check.expect_almost_eq %0#4, %arg6, tolerance = 5.0e-04 : f64 : tensor<8x16xf32>
    check.expect_almost_eq %0#5, %arg7, tolerance = 5.0e-04 : f64 : tensor<8x16xf32>
    check.expect_almost_eq %0#6, %arg8, tolerance = 5.0e-04 : f64 : tensor<8x16xf32>
    check.expect_almost_eq %0#7, %arg9, tolerance = 5.0e-04 : f64 : tensor<16x8xf32>
    return
  }
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @function(%arg0: tensor<8x16xf32>, %arg1: tensor<3xi64>) -> (tensor<6x16xf32> {jax.result_info = "result[0]"}, tensor<8x16xf32> {jax.result_info = "result[1]"}, tensor<4x12xf32> {jax.result_info = "result[2]"}, tensor<8x16xf32> {jax.result_info = "result[3]"}, tensor<8x16xf32> {jax.result_info = "result[4]"}, tensor<8x16xf32> {jax.result_info = "result[5]"}, tensor<8x16xf32> {jax.result_info = "result[6]"}, tensor<16x8xf32> {jax.result_info = "result[7]"}) {
    %0:8 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {"x"}]>] manual_axes={"x", "y"} (%arg2: tensor<4x4xf32>, %arg3: tensor<3xi64>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %6 = stablehlo.compare LT, %arg3, %5, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_2 = stablehlo.constant dense<4> : tensor<i64>
      %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %8 = stablehlo.add %arg3, %7 : tensor<3xi64>
      %9 = stablehlo.select %6, %8, %arg3 : tensor<3xi1>, tensor<3xi64>
      %10 = stablehlo.convert %9 : (tensor<3xi64>) -> tensor<3xi32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
      %12 = "stablehlo.gather"(%arg2, %11) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %13 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %14 = stablehlo.compare LT, %arg3, %13, SIGNED : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
      %c_4 = stablehlo.constant dense<4> : tensor<i64>
      %15 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<3xi64>
      %16 = stablehlo.add %arg3, %15 : tensor<3xi64>
      %17 = stablehlo.select %14, %16, %arg3 : tensor<3xi1>, tensor<3xi64>
      %18 = stablehlo.convert %17 : (tensor<3xi64>) -> tensor<3xi32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %20 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
      %21 = "stablehlo.scatter"(%arg2, %19, %20) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %39 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %39 : tensor<f32>
      }) : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
      %c_5 = stablehlo.constant dense<2> : tensor<i64>
      %22 = func.call @remainder(%4, %c_5) : (tensor<i32>, tensor<i64>) -> tensor<i32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %23 = stablehlo.compare LT, %22, %c_6, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_7 = stablehlo.constant dense<4> : tensor<i32>
      %24 = stablehlo.add %22, %c_7 : tensor<i32>
      %25 = stablehlo.select %23, %24, %22 : tensor<i1>, tensor<i32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %26 = stablehlo.compare LT, %c_8, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<0> : tensor<i32>
      %c_11 = stablehlo.constant dense<4> : tensor<i32>
      %27 = stablehlo.add %c_10, %c_11 : tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %28 = stablehlo.select %26, %27, %c_12 : tensor<i1>, tensor<i32>
      %29 = stablehlo.dynamic_slice %arg2, %25, %28, sizes = [2, 3] : (tensor<4x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
      %30 = func.call @sort(%arg2) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_13 = stablehlo.constant dense<1> : tensor<i32>
      %31 = stablehlo.compare GT, %4, %c_13, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %32 = stablehlo.convert %31 : (tensor<i1>) -> tensor<i32>
      %33 = "stablehlo.case"(%32) ({
        %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %39 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
        %40 = stablehlo.multiply %arg2, %39 : tensor<4x4xf32>
        stablehlo.return %40 : tensor<4x4xf32>
      }, {
        %39 = stablehlo.sine %arg2 : tensor<4x4xf32>
        stablehlo.return %39 : tensor<4x4xf32>
      }) : (tensor<i32>) -> tensor<4x4xf32>
      %c_14 = stablehlo.constant dense<0> : tensor<i64>
      %34:2 = stablehlo.while(%iterArg = %arg2, %iterArg_17 = %c_14) : tensor<4x4xf32>, tensor<i64>
      cond {
        %c_18 = stablehlo.constant dense<3> : tensor<i64>
        %39 = stablehlo.compare LT, %iterArg_17, %c_18, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
        stablehlo.return %39 : tensor<i1>
      } do {
        %cst_18 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
        %39 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
        %40 = stablehlo.multiply %iterArg, %39 : tensor<4x4xf32>
        %41 = "stablehlo.all_reduce"(%iterArg) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 4], [1, 5], [2, 6], [3, 7]]> : tensor<4x2xi64>, use_global_device_ids}> ({
        ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
          %44 = stablehlo.add %arg4, %arg5 : tensor<f32>
          stablehlo.return %44 : tensor<f32>
        }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
        %42 = stablehlo.add %40, %41 : tensor<4x4xf32>
        %c_19 = stablehlo.constant dense<1> : tensor<i64>
        %43 = stablehlo.add %iterArg_17, %c_19 : tensor<i64>
        stablehlo.return %42, %43 : tensor<4x4xf32>, tensor<i64>
      }
      %35 = stablehlo.dot_general %arg2, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %36 = stablehlo.compare EQ, %4, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_16 = stablehlo.constant dense<0> : tensor<i64>
      %37 = func.call @_where_0(%36, %arg2, %c_16) : (tensor<i1>, tensor<4x4xf32>, tensor<i64>) -> tensor<4x4xf32>
      %38 = stablehlo.transpose %37, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %12, %21, %29, %30, %33, %34#0, %35, %38 : tensor<3x4xf32>, tensor<4x4xf32>, tensor<2x3xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    } : (tensor<8x16xf32>, tensor<3xi64>) -> (tensor<6x16xf32>, tensor<8x16xf32>, tensor<4x12xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x8xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : tensor<6x16xf32>, tensor<8x16xf32>, tensor<4x12xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>, tensor<16x8xf32>
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
  func.func private @sort(%arg0: tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.compare EQ, %arg1, %cst, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %2 = stablehlo.select %1, %cst_0, %arg1 : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %4 = stablehlo.select %3, %cst_1, %2 : tensor<i1>, tensor<f32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %5 = stablehlo.compare EQ, %arg2, %cst_2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %6 = stablehlo.select %5, %cst_3, %arg2 : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %arg2, %arg2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %8 = stablehlo.select %7, %cst_4, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<4x4xf32>, %arg2: tensor<i64>) -> tensor<4x4xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<4x4xf32>
    return %2 : tensor<4x4xf32>
  }
}
