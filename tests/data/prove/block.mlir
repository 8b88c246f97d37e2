module @jit_block attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x6x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<8x8xf32>, %arg3: tensor<8x8xf32>, %arg4: tensor<8x8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8xf32>) -> (tensor<8x6x8xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %cst_0 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x6x8xf32>
    %6 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %7 = stablehlo.subtract %arg0, %6 : tensor<8x6x8xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<8x6x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%8 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %cst_2 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<8x6x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %14 = stablehlo.add %12, %13 : tensor<8x6x1xf32>
    %15 = stablehlo.rsqrt %14 : tensor<8x6x1xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %17 = stablehlo.multiply %5, %16 : tensor<8x6x8xf32>
    %18 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x6x8xf32>
    %20 = stablehlo.multiply %17, %19 : tensor<8x6x8xf32>
    %21 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x6x8xf32>
    %23 = stablehlo.add %20, %22 : tensor<8x6x8xf32>
    %24 = stablehlo.dot_general %23, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6x8xf32>, tensor<8x8xf32>) -> tensor<8x6x8xf32>
    %25 = stablehlo.reshape %24 : (tensor<8x6x8xf32>) -> tensor<8x6x2x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%arg0 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %cst_5 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %29 = stablehlo.divide %27, %28 : tensor<8x6x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %31 = stablehlo.subtract %arg0, %30 : tensor<8x6x8xf32>
    %32 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %33 = stablehlo.subtract %arg0, %32 : tensor<8x6x8xf32>
    %34 = stablehlo.multiply %33, %33 : tensor<8x6x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %38 = stablehlo.divide %36, %37 : tensor<8x6x1xf32>
    %cst_8 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %40 = stablehlo.add %38, %39 : tensor<8x6x1xf32>
    %41 = stablehlo.rsqrt %40 : tensor<8x6x1xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %43 = stablehlo.multiply %31, %42 : tensor<8x6x8xf32>
    %44 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x6x8xf32>
    %46 = stablehlo.multiply %43, %45 : tensor<8x6x8xf32>
    %47 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x6x8xf32>
    %49 = stablehlo.add %46, %48 : tensor<8x6x8xf32>
    %50 = stablehlo.dot_general %49, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6x8xf32>, tensor<8x8xf32>) -> tensor<8x6x8xf32>
    %51 = stablehlo.reshape %50 : (tensor<8x6x8xf32>) -> tensor<8x6x2x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%arg0 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %cst_10 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %55 = stablehlo.divide %53, %54 : tensor<8x6x1xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %57 = stablehlo.subtract %arg0, %56 : tensor<8x6x8xf32>
    %58 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %59 = stablehlo.subtract %arg0, %58 : tensor<8x6x8xf32>
    %60 = stablehlo.multiply %59, %59 : tensor<8x6x8xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %61 = stablehlo.reduce(%60 init: %cst_11) applies stablehlo.add across dimensions = [2] : (tensor<8x6x8xf32>, tensor<f32>) -> tensor<8x6xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0, 1] : (tensor<8x6xf32>) -> tensor<8x6x1xf32>
    %cst_12 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %64 = stablehlo.divide %62, %63 : tensor<8x6x1xf32>
    %cst_13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x6x1xf32>
    %66 = stablehlo.add %64, %65 : tensor<8x6x1xf32>
    %67 = stablehlo.rsqrt %66 : tensor<8x6x1xf32>
    %68 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<8x6x1xf32>) -> tensor<8x6x8xf32>
    %69 = stablehlo.multiply %57, %68 : tensor<8x6x8xf32>
    %70 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x6x8xf32>
    %72 = stablehlo.multiply %69, %71 : tensor<8x6x8xf32>
    %73 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<8xf32>) -> tensor<1x1x8xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<1x1x8xf32>) -> tensor<8x6x8xf32>
    %75 = stablehlo.add %72, %74 : tensor<8x6x8xf32>
    %76 = stablehlo.dot_general %75, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6x8xf32>, tensor<8x8xf32>) -> tensor<8x6x8xf32>
    %77 = stablehlo.reshape %76 : (tensor<8x6x8xf32>) -> tensor<8x6x2x4xf32>
    %78 = stablehlo.reshape %25 : (tensor<8x6x2x4xf32>) -> tensor<8x6x2x1x4xf32>
    %79 = stablehlo.dot_general %78, %51, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x6x2x1x4xf32>, tensor<8x6x2x4xf32>) -> tensor<8x2x6x1x6xf32>
    %cst_14 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x2x6x1x6xf32>
    %81 = stablehlo.multiply %79, %80 : tensor<8x2x6x1x6xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %82 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<8x2x6x6xi1>
    %c_15 = stablehlo.constant dense<true> : tensor<i1>
    %83 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %84 = call @tril(%83) : (tensor<6x6xi1>) -> tensor<6x6xi1>
    %85 = stablehlo.broadcast_in_dim %84, dims = [2, 3] : (tensor<6x6xi1>) -> tensor<1x1x6x6xi1>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2, 3] : (tensor<1x1x6x6xi1>) -> tensor<8x2x6x6xi1>
    %87 = stablehlo.and %82, %86 : tensor<8x2x6x6xi1>
    %cst_16 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %88 = call @_where(%87, %81, %cst_16) : (tensor<8x2x6x6xi1>, tensor<8x2x6x1x6xf32>, tensor<f32>) -> tensor<1x8x2x6x6xf32>
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %89 = stablehlo.reduce(%88 init: %cst_17) applies stablehlo.maximum across dimensions = [4] : (tensor<1x8x2x6x6xf32>, tensor<f32>) -> tensor<1x8x2x6xf32>
    %cst_18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<1x8x2x6xf32>
    %91 = stablehlo.maximum %90, %89 : tensor<1x8x2x6xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2, 3] : (tensor<1x8x2x6xf32>) -> tensor<1x8x2x6x1xf32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2, 3, 4] : (tensor<1x8x2x6x1xf32>) -> tensor<1x8x2x6x6xf32>
    %94 = stablehlo.subtract %88, %93 : tensor<1x8x2x6x6xf32>
    %95 = stablehlo.exponential %94 : tensor<1x8x2x6x6xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_19) applies stablehlo.add across dimensions = [4] : (tensor<1x8x2x6x6xf32>, tensor<f32>) -> tensor<1x8x2x6xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2, 3] : (tensor<1x8x2x6xf32>) -> tensor<1x8x2x6x1xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2, 3, 4] : (tensor<1x8x2x6x1xf32>) -> tensor<1x8x2x6x6xf32>
    %99 = stablehlo.divide %95, %98 : tensor<1x8x2x6x6xf32>
    %100 = stablehlo.dot_general %77, %99, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x6x2x4xf32>, tensor<1x8x2x6x6xf32>) -> tensor<8x2x4x1x6xf32>
    %101 = stablehlo.transpose %100, dims = [3, 0, 4, 1, 2] : (tensor<8x2x4x1x6xf32>) -> tensor<1x8x6x2x4xf32>
    %102 = stablehlo.transpose %101, dims = [1, 2, 3, 0, 4] : (tensor<1x8x6x2x4xf32>) -> tensor<8x6x2x1x4xf32>
    %103 = stablehlo.reshape %102 : (tensor<8x6x2x1x4xf32>) -> tensor<8x6x2x4xf32>
    %104 = stablehlo.reshape %103 : (tensor<8x6x2x4xf32>) -> tensor<8x6x8xf32>
    %105 = stablehlo.dot_general %104, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x6x8xf32>, tensor<8x8xf32>) -> tensor<8x6x8xf32>
    %106 = stablehlo.add %arg0, %105 : tensor<8x6x8xf32>
    return %106 : tensor<8x6x8xf32>
  }
  func.func private @tril(%arg0: tensor<6x6xi1>) -> tensor<6x6xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<6x6xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x6xi32>
    %2 = stablehlo.add %0, %1 : tensor<6x6xi32>
    %3 = stablehlo.iota dim = 1 : tensor<6x6xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<6x6xi32>, tensor<6x6xi32>) -> tensor<6x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<6x6xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<6x6xi1>, tensor<6x6xi1>
    return %6 : tensor<6x6xi1>
  }
  func.func private @_where(%arg0: tensor<8x2x6x6xi1>, %arg1: tensor<8x2x6x1x6xf32>, %arg2: tensor<f32>) -> tensor<1x8x2x6x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x2x6x6xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3, 4] : (tensor<8x2x6x6xi1>) -> tensor<1x8x2x6x6xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1, 2, 3, 4] : (tensor<8x2x6x6xf32>) -> tensor<1x8x2x6x6xf32>
    %3 = stablehlo.transpose %arg1, dims = [3, 0, 1, 2, 4] : (tensor<8x2x6x1x6xf32>) -> tensor<1x8x2x6x6xf32>
    %4 = stablehlo.select %1, %3, %2 : tensor<1x8x2x6x6xi1>, tensor<1x8x2x6x6xf32>
    return %4 : tensor<1x8x2x6x6xf32>
  }
}
