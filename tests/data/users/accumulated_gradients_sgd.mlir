module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x5xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<4x6x16xf32>, %arg3: tensor<4x6x5xf32>) -> (tensor<24x5xf32> {jax.result_info = "result['down']"}, tensor<16x24xf32> {jax.result_info = "result['up']"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %2:7 = stablehlo.while(%iterArg = %arg2, %iterArg_3 = %arg3, %iterArg_4 = %arg1, %iterArg_5 = %arg0, %iterArg_6 = %c, %iterArg_7 = %0, %iterArg_8 = %1) : tensor<4x6x16xf32>, tensor<4x6x5xf32>, tensor<16x24xf32>, tensor<24x5xf32>, tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>
    cond {
      %c_9 = stablehlo.constant dense<4> : tensor<i32>
      %9 = stablehlo.compare LT, %iterArg_6, %c_9, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    } do {
      %9 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_6) : (tensor<4x6x16xf32>, tensor<i32>) -> tensor<6x16xf32>
      %10 = func.call @dynamic_index_in_dim_0(%iterArg_3, %iterArg_6) : (tensor<4x6x5xf32>, tensor<i32>) -> tensor<6x5xf32>
      %11:2 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_7, %iterArg_8, %9, %10) : (tensor<16x24xf32>, tensor<24x5xf32>, tensor<24x5xf32>, tensor<16x24xf32>, tensor<6x16xf32>, tensor<6x5xf32>) -> (tensor<24x5xf32>, tensor<16x24xf32>)
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %12 = stablehlo.add %iterArg_6, %c_9 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_3, %iterArg_4, %iterArg_5, %12, %11#0, %11#1 : tensor<4x6x16xf32>, tensor<4x6x5xf32>, tensor<16x24xf32>, tensor<24x5xf32>, tensor<i32>, tensor<24x5xf32>, tensor<16x24xf32>
    }
    %cst_1 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %4 = stablehlo.multiply %3, %2#5 : tensor<24x5xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<24x5xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %7 = stablehlo.multiply %6, %2#6 : tensor<16x24xf32>
    %8 = stablehlo.subtract %arg1, %7 : tensor<16x24xf32>
    return %5, %8 : tensor<24x5xf32>, tensor<16x24xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<4x6x16xf32>, %arg1: tensor<i32>) -> tensor<6x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 16] : (tensor<4x6x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x16xf32>) -> tensor<6x16xf32>
    return %1 : tensor<6x16xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<4x6x5xf32>, %arg1: tensor<i32>) -> tensor<6x5xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 5] : (tensor<4x6x5xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x5xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x5xf32>) -> tensor<6x5xf32>
    return %1 : tensor<6x5xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x24xf32>, %arg1: tensor<24x5xf32>, %arg2: tensor<24x5xf32>, %arg3: tensor<16x24xf32>, %arg4: tensor<6x16xf32>, %arg5: tensor<6x5xf32>) -> (tensor<24x5xf32>, tensor<16x24xf32>) {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %1 = stablehlo.tanh %0 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<6x24xf32>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x5xf32>) -> tensor<6x5xf32>
    %5 = stablehlo.subtract %4, %arg5 : tensor<6x5xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<6x5xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_2 = stablehlo.constant dense<3.000000e+01> : tensor<f32>
    %8 = stablehlo.divide %cst_1, %cst_2 : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %10 = stablehlo.multiply %9, %7 : tensor<6x5xf32>
    %11 = stablehlo.dot_general %10, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<6x24xf32>) -> tensor<5x24xf32>
    %12 = stablehlo.transpose %11, dims = [1, 0] : (tensor<5x24xf32>) -> tensor<24x5xf32>
    %13 = stablehlo.dot_general %10, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<24x5xf32>) -> tensor<6x24xf32>
    %14 = stablehlo.multiply %13, %3 : tensor<6x24xf32>
    %15 = stablehlo.multiply %14, %1 : tensor<6x24xf32>
    %16 = stablehlo.add %14, %15 : tensor<6x24xf32>
    %17 = stablehlo.dot_general %16, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %19 = stablehlo.add %arg2, %12 : tensor<24x5xf32>
    %20 = stablehlo.add %arg3, %18 : tensor<16x24xf32>
    return %19, %20 : tensor<24x5xf32>, tensor<16x24xf32>
  }
}
