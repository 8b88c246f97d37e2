module @jit_single attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3xf32>, %arg1: tensor<1x3xf32>, %arg2: tensor<3x3xf32>, %arg3: tensor<1x1xf32>, %arg4: tensor<6x12x1xf32>) -> (tensor<6x12x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %1 = stablehlo.iota dim = 0 : tensor<3x3xi32>
    %2 = stablehlo.iota dim = 1 : tensor<3x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
    %4 = stablehlo.add %1, %3 : tensor<3x3xi32>
    %5 = stablehlo.compare EQ, %4, %2, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
    %6 = stablehlo.convert %5 : (tensor<3x3xi1>) -> tensor<3x3xf32>
    %7 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<3xf32>) -> tensor<6x3xf32>
    %8 = stablehlo.transpose %arg4, dims = [1, 0, 2] : (tensor<6x12x1xf32>) -> tensor<12x6x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x6x3xf32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %10:9 = stablehlo.while(%iterArg = %8, %iterArg_2 = %arg0, %iterArg_3 = %arg2, %iterArg_4 = %arg1, %iterArg_5 = %arg3, %iterArg_6 = %c_1, %iterArg_7 = %7, %iterArg_8 = %6, %iterArg_9 = %9) : tensor<12x6x1xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<1x3xf32>, tensor<1x1xf32>, tensor<i32>, tensor<6x3xf32>, tensor<3x3xf32>, tensor<12x6x3xf32>
    cond {
      %c_10 = stablehlo.constant dense<12> : tensor<i32>
      %12 = stablehlo.compare LT, %iterArg_6, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %12 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<12x6x1xf32>, tensor<i32>) -> tensor<6x1xf32>
      %13:3 = func.call @closed_call(%iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5, %iterArg_7, %iterArg_8, %12) : (tensor<3x3xf32>, tensor<3x3xf32>, tensor<1x3xf32>, tensor<1x1xf32>, tensor<6x3xf32>, tensor<3x3xf32>, tensor<6x1xf32>) -> (tensor<6x3xf32>, tensor<3x3xf32>, tensor<6x3xf32>)
      %14 = func.call @dynamic_update_index_in_dim(%iterArg_9, %13#2, %iterArg_6) : (tensor<12x6x3xf32>, tensor<6x3xf32>, tensor<i32>) -> tensor<12x6x3xf32>
      %c_10 = stablehlo.constant dense<1> : tensor<i32>
      %15 = stablehlo.add %iterArg_6, %c_10 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_2, %iterArg_3, %iterArg_4, %iterArg_5, %15, %13#0, %13#1, %14 : tensor<12x6x1xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<1x3xf32>, tensor<1x1xf32>, tensor<i32>, tensor<6x3xf32>, tensor<3x3xf32>, tensor<12x6x3xf32>
    }
    %11 = stablehlo.transpose %10#8, dims = [1, 0, 2] : (tensor<12x6x3xf32>) -> tensor<6x12x3xf32>
    return %11 : tensor<6x12x3xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<12x6x1xf32>, %arg1: tensor<i32>) -> tensor<6x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 1] : (tensor<12x6x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x1xf32>) -> tensor<6x1xf32>
    return %1 : tensor<6x1xf32>
  }
  func.func private @closed_call(%arg0: tensor<3x3xf32>, %arg1: tensor<3x3xf32>, %arg2: tensor<1x3xf32>, %arg3: tensor<1x1xf32>, %arg4: tensor<6x3xf32>, %arg5: tensor<3x3xf32>, %arg6: tensor<6x1xf32>) -> (tensor<6x3xf32>, tensor<3x3xf32>, tensor<6x3xf32>) {
    %0 = stablehlo.dot_general %arg0, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<6x3xf32>) -> tensor<3x6xf32>
    %1 = stablehlo.dot_general %arg0, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %4 = stablehlo.add %3, %arg1 : tensor<3x3xf32>
    %5 = stablehlo.dot_general %arg2, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x3xf32>, tensor<3x3xf32>) -> tensor<1x3xf32>
    %6 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>
    %7 = stablehlo.dot_general %5, %6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
    %8 = stablehlo.add %7, %arg3 : tensor<1x1xf32>
    %9 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>
    %10 = stablehlo.dot_general %4, %9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<3x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<3x1xf32>
    %13 = stablehlo.dot_general %arg2, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x3xf32>, tensor<3x6xf32>) -> tensor<1x6xf32>
    %14 = stablehlo.transpose %13, dims = [1, 0] : (tensor<1x6xf32>) -> tensor<6x1xf32>
    %15 = stablehlo.subtract %arg6, %14 : tensor<6x1xf32>
    %16 = stablehlo.dot_general %12, %15, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x1xf32>, tensor<6x1xf32>) -> tensor<3x6xf32>
    %17 = stablehlo.add %0, %16 : tensor<3x6xf32>
    %18 = stablehlo.dot_general %12, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x1xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
    %19 = stablehlo.dot_general %18, %4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %20 = stablehlo.subtract %4, %19 : tensor<3x3xf32>
    %21 = stablehlo.transpose %17, dims = [1, 0] : (tensor<3x6xf32>) -> tensor<6x3xf32>
    %22 = stablehlo.transpose %17, dims = [1, 0] : (tensor<3x6xf32>) -> tensor<6x3xf32>
    return %21, %20, %22 : tensor<6x3xf32>, tensor<3x3xf32>, tensor<6x3xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<12x6x3xf32>, %arg1: tensor<6x3xf32>, %arg2: tensor<i32>) -> tensor<12x6x3xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x3xf32>) -> tensor<1x6x3xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<12x6x3xf32>, tensor<1x6x3xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x6x3xf32>
    return %1 : tensor<12x6x3xf32>
  }
}
