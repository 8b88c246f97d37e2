module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x16xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24x24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<5x24xf32>, %arg5: tensor<5xf32>, %arg6: tensor<6x16xf32>, %arg7: tensor<6x5xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<24x16xf32> {jax.result_info = "result[1].layers[0].weight"}, tensor<24xf32> {jax.result_info = "result[1].layers[0].bias"}, tensor<24x24xf32> {jax.result_info = "result[1].layers[1].weight"}, tensor<24xf32> {jax.result_info = "result[1].layers[1].bias"}, tensor<5x24xf32> {jax.result_info = "result[1].layers[2].weight"}, tensor<5xf32> {jax.result_info = "result[1].layers[2].bias"}) {
    %0 = stablehlo.dot_general %arg0, %arg6, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16xf32>, tensor<6x16xf32>) -> tensor<24x6xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<24x6xf32>) -> tensor<6x24xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<6x24xf32>
    %4 = stablehlo.add %1, %3 : tensor<6x24xf32>
    %5 = call @relu(%4) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %7 = stablehlo.compare GT, %4, %6, FLOAT : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xi1>
    %8 = stablehlo.dot_general %arg2, %5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x24xf32>, tensor<6x24xf32>) -> tensor<24x6xf32>
    %9 = stablehlo.transpose %8, dims = [1, 0] : (tensor<24x6xf32>) -> tensor<6x24xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<6x24xf32>
    %12 = stablehlo.add %9, %11 : tensor<6x24xf32>
    %13 = call @relu(%12) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %15 = stablehlo.compare GT, %12, %14, FLOAT : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xi1>
    %16 = stablehlo.dot_general %arg4, %13, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x24xf32>, tensor<6x24xf32>) -> tensor<5x6xf32>
    %17 = stablehlo.transpose %16, dims = [1, 0] : (tensor<5x6xf32>) -> tensor<6x5xf32>
    %18 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<6x5xf32>
    %20 = stablehlo.add %17, %19 : tensor<6x5xf32>
    %21 = stablehlo.subtract %20, %arg7 : tensor<6x5xf32>
    %22 = stablehlo.multiply %21, %21 : tensor<6x5xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<6x5xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x5xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<3.000000e+01> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<3.000000e+01> : tensor<f32>
    %27 = stablehlo.divide %cst_4, %cst_5 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<6x5xf32>
    %29 = stablehlo.multiply %28, %24 : tensor<6x5xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<6x5xf32>, tensor<f32>) -> tensor<5xf32>
    %31 = stablehlo.reshape %30 : (tensor<5xf32>) -> tensor<1x5xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<1x5xf32>, tensor<f32>) -> tensor<5xf32>
    %33 = stablehlo.transpose %29, dims = [1, 0] : (tensor<6x5xf32>) -> tensor<5x6xf32>
    %34 = stablehlo.dot_general %33, %arg4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xf32>, tensor<5x24xf32>) -> tensor<6x24xf32>
    %35 = stablehlo.dot_general %33, %13, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x6xf32>, tensor<6x24xf32>) -> tensor<5x24xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %37 = stablehlo.select %15, %34, %36 : tensor<6x24xi1>, tensor<6x24xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<6x24xf32>, tensor<f32>) -> tensor<24xf32>
    %39 = stablehlo.reshape %38 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %41 = stablehlo.transpose %37, dims = [1, 0] : (tensor<6x24xf32>) -> tensor<24x6xf32>
    %42 = stablehlo.dot_general %41, %arg2, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x6xf32>, tensor<24x24xf32>) -> tensor<6x24xf32>
    %43 = stablehlo.dot_general %41, %5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x6xf32>, tensor<6x24xf32>) -> tensor<24x24xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %45 = stablehlo.select %7, %42, %44 : tensor<6x24xi1>, tensor<6x24xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<6x24xf32>, tensor<f32>) -> tensor<24xf32>
    %47 = stablehlo.reshape %46 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %49 = stablehlo.transpose %45, dims = [1, 0] : (tensor<6x24xf32>) -> tensor<24x6xf32>
    %50 = stablehlo.dot_general %49, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x6xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    return %26, %50, %48, %43, %40, %35, %32 : tensor<f32>, tensor<24x16xf32>, tensor<24xf32>, tensor<24x24xf32>, tensor<24xf32>, tensor<5x24xf32>, tensor<5xf32>
  }
  func.func private @relu(%arg0: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
}
