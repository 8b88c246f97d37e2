module @jit_model attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x48xf32>, %arg1: tensor<24x16xf32>, %arg2: tensor<16x48xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<6x12x16xf32>) -> (tensor<6x12x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg4, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x48xf32>) -> tensor<6x12x48xf32>
    %1 = stablehlo.slice %0 [0:6, 0:12, 0:24] : (tensor<6x12x48xf32>) -> tensor<6x12x24xf32>
    %2 = stablehlo.slice %0 [0:6, 0:12, 24:48] : (tensor<6x12x48xf32>) -> tensor<6x12x24xf32>
    %3 = call @silu(%1) : (tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %4 = stablehlo.multiply %3, %2 : tensor<6x12x24xf32>
    %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %6 = stablehlo.add %arg4, %5 : tensor<6x12x16xf32>
    %7 = stablehlo.dot_general %6, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x48xf32>) -> tensor<6x12x48xf32>
    %8 = stablehlo.slice %7 [0:6, 0:12, 0:24] : (tensor<6x12x48xf32>) -> tensor<6x12x24xf32>
    %9 = stablehlo.slice %7 [0:6, 0:12, 24:48] : (tensor<6x12x48xf32>) -> tensor<6x12x24xf32>
    %10 = call @silu(%8) : (tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<6x12x24xf32>
    %12 = stablehlo.dot_general %11, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %13 = stablehlo.add %6, %12 : tensor<6x12x16xf32>
    return %13 : tensor<6x12x16xf32>
  }
  func.func private @silu(%arg0: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %0 = stablehlo.negate %arg0 : tensor<6x12x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x12x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x12x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x12x24xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<6x12x24xf32>
    return %6 : tensor<6x12x24xf32>
  }
}
