module @jit_model attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x16xi8>, %arg1: tensor<16xf32>, %arg2: tensor<16x24xi8>, %arg3: tensor<24xf32>, %arg4: tensor<6x16xf32>) -> (tensor<6x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.abs %arg4 : tensor<6x16xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_0 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<6x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x16xf32>
    %6 = stablehlo.divide %arg4, %5 : tensor<6x16xf32>
    %7 = call @round(%6) : (tensor<6x16xf32>) -> tensor<6x16xf32>
    %8 = stablehlo.convert %7 : (tensor<6x16xf32>) -> tensor<6x16xi8>
    %9 = stablehlo.dot_general %8, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xi8>, tensor<16x24xi8>) -> tensor<6x24xi32>
    %10 = stablehlo.convert %9 : (tensor<6x24xi32>) -> tensor<6x24xf32>
    %11 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x24xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<6x24xf32>
    %13 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<6x24xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<6x24xf32>
    %16 = call @relu(%15) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %17 = stablehlo.abs %16 : tensor<6x24xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_1) applies stablehlo.maximum across dimensions = [1] : (tensor<6x24xf32>, tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %cst_2 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %21 = stablehlo.divide %19, %20 : tensor<6x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x24xf32>
    %23 = stablehlo.divide %16, %22 : tensor<6x24xf32>
    %24 = call @round_0(%23) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %25 = stablehlo.convert %24 : (tensor<6x24xf32>) -> tensor<6x24xi8>
    %26 = stablehlo.dot_general %25, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xi8>, tensor<24x16xi8>) -> tensor<6x16xi32>
    %27 = stablehlo.convert %26 : (tensor<6x16xi32>) -> tensor<6x16xf32>
    %28 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x16xf32>
    %29 = stablehlo.multiply %27, %28 : tensor<6x16xf32>
    %30 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<6x16xf32>
    %32 = stablehlo.multiply %29, %31 : tensor<6x16xf32>
    return %32 : tensor<6x16xf32>
  }
  func.func private @round(%arg0: tensor<6x16xf32>) -> tensor<6x16xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<6x16xf32>
    return %0 : tensor<6x16xf32>
  }
  func.func private @relu(%arg0: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
  func.func private @round_0(%arg0: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %0 = stablehlo.round_nearest_even %arg0 : tensor<6x24xf32>
    return %0 : tensor<6x24xf32>
  }
}
