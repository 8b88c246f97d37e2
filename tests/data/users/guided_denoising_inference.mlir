module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16x16xf32>, %arg3: tensor<16x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x16xf32>, %arg7: tensor<16x16xf32>, %arg8: tensor<6x16xf32>, %arg9: tensor<6xf32>, %arg10: tensor<6x5x16xf32>, %arg11: tensor<6x5x16xf32>, %arg12: tensor<f32>) -> (tensor<6x16xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.concatenate %arg8, %arg8, dim = 0 : (tensor<6x16xf32>, tensor<6x16xf32>) -> tensor<12x16xf32>
    %1 = stablehlo.concatenate %arg9, %arg9, dim = 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<12xf32>
    %2 = stablehlo.concatenate %arg10, %arg11, dim = 0 : (tensor<6x5x16xf32>, tensor<6x5x16xf32>) -> tensor<12x5x16xf32>
    %3 = stablehlo.dot_general %0, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x16xf32>, tensor<16x16xf32>) -> tensor<12x16xf32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<12xf32>) -> tensor<12x1xf32>
    %5 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %6 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<12x1xf32>) -> tensor<12x16xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<12x16xf32>
    %8 = stablehlo.multiply %6, %7 : tensor<12x16xf32>
    %9 = stablehlo.sine %8 : tensor<12x16xf32>
    %10 = stablehlo.dot_general %9, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x16xf32>, tensor<16x16xf32>) -> tensor<12x16xf32>
    %11 = stablehlo.add %3, %10 : tensor<12x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<12x16xf32>) -> tensor<12x1x16xf32>
    %13 = stablehlo.dot_general %2, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x5x16xf32>, tensor<16x16xf32>) -> tensor<12x5x16xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<12x1x16xf32>) -> tensor<12x5x16xf32>
    %15 = stablehlo.add %14, %13 : tensor<12x5x16xf32>
    %16 = call @silu(%15) : (tensor<12x5x16xf32>) -> tensor<12x5x16xf32>
    %17 = stablehlo.dot_general %16, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x5x16xf32>, tensor<16x16xf32>) -> tensor<12x5x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<12x5x16xf32>, tensor<f32>) -> tensor<12x5xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<12x5xf32>) -> tensor<12x5x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x5x1xf32>
    %21 = stablehlo.divide %19, %20 : tensor<12x5x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %22 = call @_var(%17, %c) : (tensor<12x5x16xf32>, tensor<i32>) -> tensor<12x5x1xf32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<12x5x1xf32>) -> tensor<12x5x16xf32>
    %24 = stablehlo.subtract %17, %23 : tensor<12x5x16xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x5x1xf32>
    %26 = stablehlo.add %22, %25 : tensor<12x5x1xf32>
    %27 = stablehlo.rsqrt %26 : tensor<12x5x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<12x5x1xf32>) -> tensor<12x5x16xf32>
    %29 = stablehlo.multiply %24, %28 : tensor<12x5x16xf32>
    %30 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x5x16xf32>
    %32 = stablehlo.multiply %29, %31 : tensor<12x5x16xf32>
    %33 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<12x5x16xf32>
    %35 = stablehlo.add %32, %34 : tensor<12x5x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.reduce(%35 init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<12x5x16xf32>, tensor<f32>) -> tensor<12x16xf32>
    %cst_3 = stablehlo.constant dense<5.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12x16xf32>
    %38 = stablehlo.divide %36, %37 : tensor<12x16xf32>
    %39 = stablehlo.dot_general %38, %arg6, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x16xf32>, tensor<16x16xf32>) -> tensor<12x16xf32>
    %40 = stablehlo.slice %39 [0:6, 0:16] : (tensor<12x16xf32>) -> tensor<6x16xf32>
    %41 = stablehlo.slice %39 [6:12, 0:16] : (tensor<12x16xf32>) -> tensor<6x16xf32>
    %42 = stablehlo.subtract %41, %40 : tensor<6x16xf32>
    %43 = stablehlo.broadcast_in_dim %arg12, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %44 = stablehlo.multiply %43, %42 : tensor<6x16xf32>
    %45 = stablehlo.add %40, %44 : tensor<6x16xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %47 = stablehlo.multiply %46, %45 : tensor<6x16xf32>
    %48 = stablehlo.subtract %arg8, %47 : tensor<6x16xf32>
    return %48 : tensor<6x16xf32>
  }
  func.func private @silu(%arg0: tensor<12x5x16xf32>) -> tensor<12x5x16xf32> {
    %0 = stablehlo.negate %arg0 : tensor<12x5x16xf32>
    %1 = stablehlo.exponential %0 : tensor<12x5x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x5x16xf32>
    %3 = stablehlo.add %2, %1 : tensor<12x5x16xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x5x16xf32>
    %5 = stablehlo.divide %4, %3 : tensor<12x5x16xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<12x5x16xf32>
    return %6 : tensor<12x5x16xf32>
  }
  func.func private @_var(%arg0: tensor<12x5x16xf32>, %arg1: tensor<i32>) -> tensor<12x5x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<12x5x16xf32>, tensor<f32>) -> tensor<12x5xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<12x5xf32>) -> tensor<12x5x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x5x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<12x5x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<12x5x1xf32>) -> tensor<12x5x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<12x5x16xf32>
    %6 = chlo.square %5 : tensor<12x5x16xf32> -> tensor<12x5x16xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<12x5x16xf32>, tensor<f32>) -> tensor<12x5xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<12x5xf32>) -> tensor<12x5x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<12x5x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<12x5x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<12x5x1xf32>, tensor<f32>) -> tensor<12x5x1xf32>
    return %14 : tensor<12x5x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<12x5x1xf32>, %arg2: tensor<f32>) -> tensor<12x5x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<12x5x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<12x5x1xf32>
    return %2 : tensor<12x5x1xf32>
  }
}
