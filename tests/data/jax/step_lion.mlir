module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<i32>, %arg3: tensor<4xf32>, %arg4: tensor<16x4xf32>, %arg5: tensor<8x16xf32>, %arg6: tensor<8x4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]['b']"}, tensor<16x4xf32> {jax.result_info = "result[0]['w']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<4xf32> {jax.result_info = "result[1][0].mu['b']"}, tensor<16x4xf32> {jax.result_info = "result[1][0].mu['w']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg5, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.tanh %0 : tensor<8x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<8x4xf32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.add %1, %5 : tensor<8x4xf32>
    %7 = stablehlo.subtract %6, %arg6 : tensor<8x4xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<8x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %10 = stablehlo.multiply %9, %7 : tensor<8x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %12 = stablehlo.divide %11, %cst_2 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_4 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %13 = stablehlo.divide %cst_3, %cst_4 : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %15 = stablehlo.multiply %14, %10 : tensor<8x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%15 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %17 = stablehlo.reshape %16 : (tensor<4xf32>) -> tensor<1x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x4xf32>, tensor<f32>) -> tensor<4xf32>
    %19 = stablehlo.multiply %15, %3 : tensor<8x4xf32>
    %20 = stablehlo.multiply %19, %1 : tensor<8x4xf32>
    %21 = stablehlo.add %19, %20 : tensor<8x4xf32>
    %22 = stablehlo.dot_general %21, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %25 = stablehlo.multiply %24, %18 : tensor<4xf32>
    %cst_8 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %27 = stablehlo.multiply %26, %arg3 : tensor<4xf32>
    %28 = stablehlo.add %25, %27 : tensor<4xf32>
    %29 = stablehlo.sign %28 : tensor<4xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %31 = stablehlo.multiply %30, %23 : tensor<16x4xf32>
    %cst_10 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %33 = stablehlo.multiply %32, %arg4 : tensor<16x4xf32>
    %34 = stablehlo.add %31, %33 : tensor<16x4xf32>
    %35 = stablehlo.sign %34 : tensor<16x4xf32>
    %cst_11 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %37 = stablehlo.multiply %36, %18 : tensor<4xf32>
    %cst_12 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %38 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %39 = stablehlo.multiply %38, %arg3 : tensor<4xf32>
    %40 = stablehlo.add %37, %39 : tensor<4xf32>
    %cst_13 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %42 = stablehlo.multiply %41, %23 : tensor<16x4xf32>
    %cst_14 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %44 = stablehlo.multiply %43, %arg4 : tensor<16x4xf32>
    %45 = stablehlo.add %42, %44 : tensor<16x4xf32>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %46 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %47 = stablehlo.add %arg2, %c_15 : tensor<i32>
    %c_16 = stablehlo.constant dense<2147483647> : tensor<i32>
    %48 = call @_where(%46, %47, %c_16) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_17 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %50 = stablehlo.multiply %49, %arg0 : tensor<4xf32>
    %51 = stablehlo.add %29, %50 : tensor<4xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %53 = stablehlo.multiply %52, %arg1 : tensor<16x4xf32>
    %54 = stablehlo.add %35, %53 : tensor<16x4xf32>
    %cst_19 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %56 = stablehlo.multiply %55, %51 : tensor<4xf32>
    %cst_20 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %58 = stablehlo.multiply %57, %54 : tensor<16x4xf32>
    %59 = stablehlo.add %arg0, %56 : tensor<4xf32>
    %60 = stablehlo.add %arg1, %58 : tensor<16x4xf32>
    return %59, %60, %48, %40, %45, %12 : tensor<4xf32>, tensor<16x4xf32>, tensor<i32>, tensor<4xf32>, tensor<16x4xf32>, tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
