module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x5xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<6x16xf32>, %arg3: tensor<6x5xf32>) -> (tensor<24x5xf32> {jax.result_info = "result['down']"}, tensor<16x24xf32> {jax.result_info = "result['up']"}) {
    %0 = stablehlo.dot_general %arg2, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %1 = stablehlo.tanh %0 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<6x24xf32>
    %4 = stablehlo.dot_general %1, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x5xf32>) -> tensor<6x5xf32>
    %5 = stablehlo.subtract %4, %arg3 : tensor<6x5xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %7 = stablehlo.multiply %6, %5 : tensor<6x5xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<6x5xf32>
    %11 = stablehlo.multiply %10, %7 : tensor<6x5xf32>
    %12 = stablehlo.dot_general %11, %1, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<6x24xf32>) -> tensor<6x5x24xf32>
    %13 = stablehlo.transpose %12, dims = [0, 2, 1] : (tensor<6x5x24xf32>) -> tensor<6x24x5xf32>
    %14 = stablehlo.dot_general %11, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x5xf32>, tensor<24x5xf32>) -> tensor<6x24xf32>
    %15 = stablehlo.multiply %14, %3 : tensor<6x24xf32>
    %16 = stablehlo.multiply %15, %1 : tensor<6x24xf32>
    %17 = stablehlo.add %15, %16 : tensor<6x24xf32>
    %18 = stablehlo.dot_general %17, %arg2, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<6x24x16xf32>
    %19 = stablehlo.transpose %18, dims = [0, 2, 1] : (tensor<6x24x16xf32>) -> tensor<6x16x24xf32>
    %20 = stablehlo.multiply %13, %13 : tensor<6x24x5xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_2) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x24x5xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %23 = stablehlo.add %22, %21 : tensor<6xf32>
    %24 = stablehlo.multiply %19, %19 : tensor<6x16x24xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%24 init: %cst_4) applies stablehlo.add across dimensions = [1, 2] : (tensor<6x16x24xf32>, tensor<f32>) -> tensor<6xf32>
    %26 = stablehlo.add %23, %25 : tensor<6xf32>
    %27 = stablehlo.sqrt %26 : tensor<6xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %29 = stablehlo.maximum %27, %28 : tensor<6xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<6x1x1xf32>) -> tensor<6x24x5xf32>
    %32 = stablehlo.divide %13, %31 : tensor<6x24x5xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %34 = stablehlo.maximum %27, %33 : tensor<6xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<6x1x1xf32>) -> tensor<6x16x24xf32>
    %37 = stablehlo.divide %19, %36 : tensor<6x16x24xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%32 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<6x24x5xf32>, tensor<f32>) -> tensor<24x5xf32>
    %cst_8 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %40 = stablehlo.divide %38, %39 : tensor<24x5xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<24x5xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<24x5xf32>
    %43 = stablehlo.subtract %arg0, %42 : tensor<24x5xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.reduce(%37 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<6x16x24xf32>, tensor<f32>) -> tensor<16x24xf32>
    %cst_11 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %46 = stablehlo.divide %44, %45 : tensor<16x24xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %48 = stablehlo.multiply %47, %46 : tensor<16x24xf32>
    %49 = stablehlo.subtract %arg1, %48 : tensor<16x24xf32>
    return %43, %49 : tensor<24x5xf32>, tensor<16x24xf32>
  }
}
