module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x16xf32>, %arg1: tensor<24xf32>, %arg2: tensor<24x24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<3x24xf32>, %arg5: tensor<3xf32>, %arg6: tensor<6x16xf32>, %arg7: tensor<6x3xf32>) -> (tensor<f32> {jax.result_info = "result[0][0]"}, tensor<6x3xf32> {jax.result_info = "result[0][1]"}, tensor<24x16xf32> {jax.result_info = "result[1][0].weight"}, tensor<24xf32> {jax.result_info = "result[1][0].bias"}, tensor<24x24xf32> {jax.result_info = "result[1][1].weight"}, tensor<24xf32> {jax.result_info = "result[1][1].bias"}, tensor<3x24xf32> {jax.result_info = "result[1][2].weight"}, tensor<3xf32> {jax.result_info = "result[1][2].bias"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %1 = stablehlo.dot_general %arg6, %0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %2 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<6x24xf32>
    %4 = stablehlo.add %1, %3 : tensor<6x24xf32>
    %5 = call @relu(%4) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %7 = stablehlo.compare GT, %4, %6, FLOAT : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xi1>
    %8 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %9 = stablehlo.dot_general %5, %8, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x24xf32>) -> tensor<6x24xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<6x24xf32>
    %12 = stablehlo.add %9, %11 : tensor<6x24xf32>
    %13 = call @relu(%12) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %15 = stablehlo.compare GT, %12, %14, FLOAT : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xi1>
    %16 = stablehlo.transpose %arg4, dims = [1, 0] : (tensor<3x24xf32>) -> tensor<24x3xf32>
    %17 = stablehlo.dot_general %13, %16, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x3xf32>) -> tensor<6x3xf32>
    %18 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<6x3xf32>
    %20 = stablehlo.add %17, %19 : tensor<6x3xf32>
    %21 = stablehlo.subtract %20, %arg7 : tensor<6x3xf32>
    %22 = stablehlo.multiply %21, %21 : tensor<6x3xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %24 = stablehlo.multiply %23, %21 : tensor<6x3xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<f32>
    %cst_3 = stablehlo.constant dense<1.800000e+01> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_5 = stablehlo.constant dense<1.800000e+01> : tensor<f32>
    %27 = stablehlo.divide %cst_4, %cst_5 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %29 = stablehlo.multiply %28, %24 : tensor<6x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<6x3xf32>, tensor<f32>) -> tensor<3xf32>
    %31 = stablehlo.reshape %30 : (tensor<3xf32>) -> tensor<1x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_7) applies stablehlo.add across dimensions = [0] : (tensor<1x3xf32>, tensor<f32>) -> tensor<3xf32>
    %33 = stablehlo.dot_general %29, %13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<6x24xf32>) -> tensor<3x24xf32>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<3x24xf32>) -> tensor<24x3xf32>
    %35 = stablehlo.dot_general %29, %16, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<24x3xf32>) -> tensor<6x24xf32>
    %36 = stablehlo.transpose %34, dims = [1, 0] : (tensor<24x3xf32>) -> tensor<3x24xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %38 = stablehlo.select %15, %35, %37 : tensor<6x24xi1>, tensor<6x24xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<6x24xf32>, tensor<f32>) -> tensor<24xf32>
    %40 = stablehlo.reshape %39 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %42 = stablehlo.dot_general %38, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<24x24xf32>
    %43 = stablehlo.transpose %42, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %44 = stablehlo.dot_general %38, %8, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x24xf32>) -> tensor<6x24xf32>
    %45 = stablehlo.transpose %43, dims = [1, 0] : (tensor<24x24xf32>) -> tensor<24x24xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %47 = stablehlo.select %7, %44, %46 : tensor<6x24xi1>, tensor<6x24xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<6x24xf32>, tensor<f32>) -> tensor<24xf32>
    %49 = stablehlo.reshape %48 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_13) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %51 = stablehlo.dot_general %47, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %52 = stablehlo.transpose %51, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %53 = stablehlo.transpose %52, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    return %26, %20, %53, %50, %45, %41, %36, %32 : tensor<f32>, tensor<6x3xf32>, tensor<24x16xf32>, tensor<24xf32>, tensor<24x24xf32>, tensor<24xf32>, tensor<3x24xf32>, tensor<3xf32>
  }
  func.func private @relu(%arg0: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
}
