module @jit_masked_attention attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x3x2x4xf32>, %arg1: tensor<8x3x2x4xf32>, %arg2: tensor<8x3x2x4xf32>, %arg3: tensor<8x1x3x3xi1>) -> (tensor<8x3x2x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x3x2x4xf32>, tensor<8x3x2x4xf32>) -> tensor<8x2x3x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x2x3x3xf32>
    %2 = stablehlo.divide %0, %1 : tensor<8x2x3x3xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %3 = call @_where(%arg3, %2, %cst_0) : (tensor<8x1x3x3xi1>, tensor<8x2x3x3xf32>, tensor<f32>) -> tensor<8x2x3x3xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_1) applies stablehlo.maximum across dimensions = [3] : (tensor<8x2x3x3xf32>, tensor<f32>) -> tensor<8x2x3xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x2x3xf32>
    %6 = stablehlo.maximum %5, %4 : tensor<8x2x3xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<8x2x3xf32>) -> tensor<8x2x3x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2, 3] : (tensor<8x2x3x1xf32>) -> tensor<8x2x3x3xf32>
    %9 = stablehlo.subtract %3, %8 : tensor<8x2x3x3xf32>
    %10 = stablehlo.exponential %9 : tensor<8x2x3x3xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_3) applies stablehlo.add across dimensions = [3] : (tensor<8x2x3x3xf32>, tensor<f32>) -> tensor<8x2x3xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<8x2x3xf32>) -> tensor<8x2x3x1xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2, 3] : (tensor<8x2x3x1xf32>) -> tensor<8x2x3x3xf32>
    %14 = stablehlo.divide %10, %13 : tensor<8x2x3x3xf32>
    %15 = stablehlo.dot_general %arg2, %14, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x3x2x4xf32>, tensor<8x2x3x3xf32>) -> tensor<8x2x4x3xf32>
    %16 = stablehlo.transpose %15, dims = [0, 3, 1, 2] : (tensor<8x2x4x3xf32>) -> tensor<8x3x2x4xf32>
    return %16 : tensor<8x3x2x4xf32>
  }
  func.func private @_where(%arg0: tensor<8x1x3x3xi1>, %arg1: tensor<8x2x3x3xf32>, %arg2: tensor<f32>) -> tensor<8x2x3x3xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2, 3] : (tensor<8x1x3x3xi1>) -> tensor<8x2x3x3xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x2x3x3xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x2x3x3xi1>, tensor<8x2x3x3xf32>
    return %3 : tensor<8x2x3x3xf32>
  }
}
