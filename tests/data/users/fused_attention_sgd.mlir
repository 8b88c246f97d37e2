module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x16xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<24x16xf32>, %arg3: tensor<16x24xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16x24xf32>, %arg6: tensor<24x16xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x24xf32>, %arg11: tensor<16x24xf32>, %arg12: tensor<6x12x16xf32>, %arg13: tensor<6x12x16xf32>) -> (tensor<24x16xf32> {jax.result_info = "result[0][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0][0]['k']"}, tensor<24x16xf32> {jax.result_info = "result[0][0]['o']"}, tensor<16x24xf32> {jax.result_info = "result[0][0]['q']"}, tensor<16x24xf32> {jax.result_info = "result[0][0]['up']"}, tensor<16x24xf32> {jax.result_info = "result[0][0]['v']"}, tensor<24x16xf32> {jax.result_info = "result[0][1]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0][1]['k']"}, tensor<24x16xf32> {jax.result_info = "result[0][1]['o']"}, tensor<16x24xf32> {jax.result_info = "result[0][1]['q']"}, tensor<16x24xf32> {jax.result_info = "result[0][1]['up']"}, tensor<16x24xf32> {jax.result_info = "result[0][1]['v']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg12, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %2 = stablehlo.dot_general %arg12, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %3 = stablehlo.reshape %2 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %4 = stablehlo.dot_general %arg12, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %5 = stablehlo.reshape %4 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %6 = stablehlo.reshape %1 : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x1x4xf32>
    %7 = stablehlo.dot_general %6, %3, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x1x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x1x12xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x1x12xf32>
    %9 = stablehlo.multiply %7, %8 : tensor<6x6x12x1x12xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<6x6x12x12xi1>
    %c_0 = stablehlo.constant dense<true> : tensor<i1>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %12 = call @tril(%11) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %13 = stablehlo.broadcast_in_dim %12, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<1x1x12x12xi1>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x1x12x12xi1>) -> tensor<6x6x12x12xi1>
    %15 = stablehlo.and %10, %14 : tensor<6x6x12x12xi1>
    %cst_1 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %16:2 = call @_where(%15, %9, %cst_1) : (tensor<6x6x12x12xi1>, tensor<6x6x12x1x12xf32>, tensor<f32>) -> (tensor<1x6x6x12x12xf32>, tensor<1x6x6x12x12xi1>)
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %17 = stablehlo.reduce(%16#0 init: %cst_2) applies stablehlo.maximum across dimensions = [4] : (tensor<1x6x6x12x12xf32>, tensor<f32>) -> tensor<1x6x6x12xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x6x6x12xf32>
    %19 = stablehlo.maximum %18, %17 : tensor<1x6x6x12xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2, 3] : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %22 = stablehlo.subtract %16#0, %21 : tensor<1x6x6x12x12xf32>
    %23 = stablehlo.exponential %22 : tensor<1x6x6x12x12xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.reduce(%23 init: %cst_4) applies stablehlo.add across dimensions = [4] : (tensor<1x6x6x12x12xf32>, tensor<f32>) -> tensor<1x6x6x12xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %27 = stablehlo.divide %23, %26 : tensor<1x6x6x12x12xf32>
    %28 = stablehlo.multiply %25, %25 : tensor<1x6x6x12x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<1x6x6x12x1xf32>
    %30 = stablehlo.divide %29, %28 : tensor<1x6x6x12x1xf32>
    %31 = stablehlo.dot_general %5, %27, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<1x6x6x12x12xf32>) -> tensor<6x6x4x1x12xf32>
    %32 = stablehlo.transpose %31, dims = [3, 0, 4, 1, 2] : (tensor<6x6x4x1x12xf32>) -> tensor<1x6x12x6x4xf32>
    %33 = stablehlo.transpose %32, dims = [1, 2, 3, 0, 4] : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x1x4xf32>
    %34 = stablehlo.reshape %33 : (tensor<6x12x6x1x4xf32>) -> tensor<6x12x6x4xf32>
    %35 = stablehlo.reshape %34 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %36 = stablehlo.dot_general %35, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %37 = stablehlo.add %arg12, %36 : tensor<6x12x16xf32>
    %38 = stablehlo.dot_general %37, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %39 = call @relu(%38) : (tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %41 = stablehlo.compare GT, %38, %40, FLOAT : (tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xi1>
    %42 = stablehlo.dot_general %39, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %43 = stablehlo.add %37, %42 : tensor<6x12x16xf32>
    %44 = stablehlo.dot_general %43, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %45 = stablehlo.reshape %44 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %46 = stablehlo.dot_general %43, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %47 = stablehlo.reshape %46 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %48 = stablehlo.dot_general %43, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %49 = stablehlo.reshape %48 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %50 = stablehlo.reshape %45 : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x1x4xf32>
    %51 = stablehlo.dot_general %50, %47, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x1x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x1x12xf32>
    %cst_7 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x6x12x1x12xf32>
    %53 = stablehlo.multiply %51, %52 : tensor<6x6x12x1x12xf32>
    %c_8 = stablehlo.constant dense<true> : tensor<i1>
    %54 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<6x6x12x12xi1>
    %c_9 = stablehlo.constant dense<true> : tensor<i1>
    %55 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %56 = call @tril(%55) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %57 = stablehlo.broadcast_in_dim %56, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<1x1x12x12xi1>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2, 3] : (tensor<1x1x12x12xi1>) -> tensor<6x6x12x12xi1>
    %59 = stablehlo.and %54, %58 : tensor<6x6x12x12xi1>
    %cst_10 = stablehlo.constant dense<-2.38197633E+38> : tensor<f32>
    %60:2 = call @_where(%59, %53, %cst_10) : (tensor<6x6x12x12xi1>, tensor<6x6x12x1x12xf32>, tensor<f32>) -> (tensor<1x6x6x12x12xf32>, tensor<1x6x6x12x12xi1>)
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %61 = stablehlo.reduce(%60#0 init: %cst_11) applies stablehlo.maximum across dimensions = [4] : (tensor<1x6x6x12x12xf32>, tensor<f32>) -> tensor<1x6x6x12xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<1x6x6x12xf32>
    %63 = stablehlo.maximum %62, %61 : tensor<1x6x6x12xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x1xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %66 = stablehlo.subtract %60#0, %65 : tensor<1x6x6x12x12xf32>
    %67 = stablehlo.exponential %66 : tensor<1x6x6x12x12xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.reduce(%67 init: %cst_13) applies stablehlo.add across dimensions = [4] : (tensor<1x6x6x12x12xf32>, tensor<f32>) -> tensor<1x6x6x12xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x1xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %71 = stablehlo.divide %67, %70 : tensor<1x6x6x12x12xf32>
    %72 = stablehlo.multiply %69, %69 : tensor<1x6x6x12x1xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<1x6x6x12x1xf32>
    %74 = stablehlo.divide %73, %72 : tensor<1x6x6x12x1xf32>
    %75 = stablehlo.dot_general %49, %71, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<1x6x6x12x12xf32>) -> tensor<6x6x4x1x12xf32>
    %76 = stablehlo.transpose %75, dims = [3, 0, 4, 1, 2] : (tensor<6x6x4x1x12xf32>) -> tensor<1x6x12x6x4xf32>
    %77 = stablehlo.transpose %76, dims = [1, 2, 3, 0, 4] : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x1x4xf32>
    %78 = stablehlo.reshape %77 : (tensor<6x12x6x1x4xf32>) -> tensor<6x12x6x4xf32>
    %79 = stablehlo.reshape %78 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %80 = stablehlo.dot_general %79, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %81 = stablehlo.add %43, %80 : tensor<6x12x16xf32>
    %82 = stablehlo.dot_general %81, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %83 = call @relu(%82) : (tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %85 = stablehlo.compare GT, %82, %84, FLOAT : (tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xi1>
    %86 = stablehlo.dot_general %83, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %87 = stablehlo.add %81, %86 : tensor<6x12x16xf32>
    %88 = stablehlo.subtract %87, %arg13 : tensor<6x12x16xf32>
    %89 = stablehlo.multiply %88, %88 : tensor<6x12x16xf32>
    %cst_16 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %91 = stablehlo.multiply %90, %88 : tensor<6x12x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = stablehlo.reduce(%89 init: %cst_17) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_18 = stablehlo.constant dense<1.152000e+03> : tensor<f32>
    %93 = stablehlo.divide %92, %cst_18 : tensor<f32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_20 = stablehlo.constant dense<1.152000e+03> : tensor<f32>
    %94 = stablehlo.divide %cst_19, %cst_20 : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %96 = stablehlo.multiply %95, %91 : tensor<6x12x16xf32>
    %97 = stablehlo.dot_general %96, %83, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %98 = stablehlo.transpose %97, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %99 = stablehlo.dot_general %96, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %101 = stablehlo.select %85, %99, %100 : tensor<6x12x24xi1>, tensor<6x12x24xf32>
    %102 = stablehlo.dot_general %101, %81, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %103 = stablehlo.transpose %102, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %104 = stablehlo.dot_general %101, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %105 = stablehlo.add %96, %104 : tensor<6x12x16xf32>
    %106 = stablehlo.dot_general %105, %79, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %107 = stablehlo.transpose %106, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %108 = stablehlo.dot_general %105, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %109 = stablehlo.reshape %108 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %110 = stablehlo.reshape %109 : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x1x4xf32>
    %111 = stablehlo.transpose %110, dims = [3, 0, 1, 2, 4] : (tensor<6x12x6x1x4xf32>) -> tensor<1x6x12x6x4xf32>
    %112 = stablehlo.transpose %111, dims = [1, 3, 4, 0, 2] : (tensor<1x6x12x6x4xf32>) -> tensor<6x6x4x1x12xf32>
    %113 = stablehlo.dot_general %112, %49, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x1x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x1x12x12xf32>
    %114 = stablehlo.transpose %113, dims = [2, 0, 1, 3, 4] : (tensor<6x6x1x12x12xf32>) -> tensor<1x6x6x12x12xf32>
    %115 = stablehlo.dot_general %112, %71, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x1x12xf32>, tensor<1x6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %116 = stablehlo.transpose %115, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %117 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %118 = stablehlo.multiply %114, %117 : tensor<1x6x6x12x12xf32>
    %119 = stablehlo.multiply %118, %67 : tensor<1x6x6x12x12xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.reduce(%119 init: %cst_22) applies stablehlo.add across dimensions = [4] : (tensor<1x6x6x12x12xf32>, tensor<f32>) -> tensor<1x6x6x12xf32>
    %121 = stablehlo.reshape %120 : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x1xf32>
    %122 = stablehlo.negate %121 : tensor<1x6x6x12x1xf32>
    %123 = stablehlo.broadcast_in_dim %69, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %124 = stablehlo.divide %114, %123 : tensor<1x6x6x12x12xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%122 init: %cst_23) applies stablehlo.add across dimensions = [0, 4] : (tensor<1x6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [1, 2, 3] : (tensor<6x6x12xf32>) -> tensor<1x6x6x12xf32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2, 3] : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x12xf32>
    %128 = stablehlo.add %124, %127 : tensor<1x6x6x12x12xf32>
    %129 = stablehlo.multiply %128, %67 : tensor<1x6x6x12x12xf32>
    %130 = call @_where_0(%60#1, %129) : (tensor<1x6x6x12x12xi1>, tensor<1x6x6x12x12xf32>) -> tensor<6x6x12x1x12xf32>
    %cst_24 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x6x12x1x12xf32>
    %132 = stablehlo.multiply %130, %131 : tensor<6x6x12x1x12xf32>
    %133 = stablehlo.dot_general %132, %50, batching_dims = [0, 1] x [0, 2], contracting_dims = [2, 3] x [1, 3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x1x12xf32>, tensor<6x12x6x1x4xf32>) -> tensor<6x6x12x4xf32>
    %134 = stablehlo.transpose %133, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %135 = stablehlo.dot_general %132, %47, batching_dims = [0, 1] x [0, 2], contracting_dims = [4] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x1x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x1x4xf32>
    %136 = stablehlo.transpose %135, dims = [0, 2, 1, 3, 4] : (tensor<6x6x12x1x4xf32>) -> tensor<6x12x6x1x4xf32>
    %137 = stablehlo.reshape %136 : (tensor<6x12x6x1x4xf32>) -> tensor<6x12x6x4xf32>
    %138 = stablehlo.reshape %116 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %139 = stablehlo.dot_general %138, %43, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %140 = stablehlo.transpose %139, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %141 = stablehlo.dot_general %138, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %142 = stablehlo.add %105, %141 : tensor<6x12x16xf32>
    %143 = stablehlo.reshape %134 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %144 = stablehlo.dot_general %143, %43, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %145 = stablehlo.transpose %144, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %146 = stablehlo.dot_general %143, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %147 = stablehlo.add %142, %146 : tensor<6x12x16xf32>
    %148 = stablehlo.reshape %137 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %149 = stablehlo.dot_general %148, %43, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %150 = stablehlo.transpose %149, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %151 = stablehlo.dot_general %148, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %152 = stablehlo.add %147, %151 : tensor<6x12x16xf32>
    %153 = stablehlo.dot_general %152, %39, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %154 = stablehlo.transpose %153, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %155 = stablehlo.dot_general %152, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %157 = stablehlo.select %41, %155, %156 : tensor<6x12x24xi1>, tensor<6x12x24xf32>
    %158 = stablehlo.dot_general %157, %37, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %159 = stablehlo.transpose %158, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %160 = stablehlo.dot_general %157, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %161 = stablehlo.add %152, %160 : tensor<6x12x16xf32>
    %162 = stablehlo.dot_general %161, %35, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %163 = stablehlo.transpose %162, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %164 = stablehlo.dot_general %161, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %165 = stablehlo.reshape %164 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %166 = stablehlo.reshape %165 : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x1x4xf32>
    %167 = stablehlo.transpose %166, dims = [3, 0, 1, 2, 4] : (tensor<6x12x6x1x4xf32>) -> tensor<1x6x12x6x4xf32>
    %168 = stablehlo.transpose %167, dims = [1, 3, 4, 0, 2] : (tensor<1x6x12x6x4xf32>) -> tensor<6x6x4x1x12xf32>
    %169 = stablehlo.dot_general %168, %5, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x1x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x1x12x12xf32>
    %170 = stablehlo.transpose %169, dims = [2, 0, 1, 3, 4] : (tensor<6x6x1x12x12xf32>) -> tensor<1x6x6x12x12xf32>
    %171 = stablehlo.dot_general %168, %27, batching_dims = [0, 1] x [1, 2], contracting_dims = [3, 4] x [0, 3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x1x12xf32>, tensor<1x6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %172 = stablehlo.transpose %171, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %173 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %174 = stablehlo.multiply %170, %173 : tensor<1x6x6x12x12xf32>
    %175 = stablehlo.multiply %174, %23 : tensor<1x6x6x12x12xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_26) applies stablehlo.add across dimensions = [4] : (tensor<1x6x6x12x12xf32>, tensor<f32>) -> tensor<1x6x6x12xf32>
    %177 = stablehlo.reshape %176 : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x1xf32>
    %178 = stablehlo.negate %177 : tensor<1x6x6x12x1xf32>
    %179 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2, 3, 4] : (tensor<1x6x6x12x1xf32>) -> tensor<1x6x6x12x12xf32>
    %180 = stablehlo.divide %170, %179 : tensor<1x6x6x12x12xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %181 = stablehlo.reduce(%178 init: %cst_27) applies stablehlo.add across dimensions = [0, 4] : (tensor<1x6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %182 = stablehlo.broadcast_in_dim %181, dims = [1, 2, 3] : (tensor<6x6x12xf32>) -> tensor<1x6x6x12xf32>
    %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1, 2, 3] : (tensor<1x6x6x12xf32>) -> tensor<1x6x6x12x12xf32>
    %184 = stablehlo.add %180, %183 : tensor<1x6x6x12x12xf32>
    %185 = stablehlo.multiply %184, %23 : tensor<1x6x6x12x12xf32>
    %186 = call @_where_0(%16#1, %185) : (tensor<1x6x6x12x12xi1>, tensor<1x6x6x12x12xf32>) -> tensor<6x6x12x1x12xf32>
    %cst_28 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x6x12x1x12xf32>
    %188 = stablehlo.multiply %186, %187 : tensor<6x6x12x1x12xf32>
    %189 = stablehlo.dot_general %188, %6, batching_dims = [0, 1] x [0, 2], contracting_dims = [2, 3] x [1, 3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x1x12xf32>, tensor<6x12x6x1x4xf32>) -> tensor<6x6x12x4xf32>
    %190 = stablehlo.transpose %189, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %191 = stablehlo.dot_general %188, %3, batching_dims = [0, 1] x [0, 2], contracting_dims = [4] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x1x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x1x4xf32>
    %192 = stablehlo.transpose %191, dims = [0, 2, 1, 3, 4] : (tensor<6x6x12x1x4xf32>) -> tensor<6x12x6x1x4xf32>
    %193 = stablehlo.reshape %192 : (tensor<6x12x6x1x4xf32>) -> tensor<6x12x6x4xf32>
    %194 = stablehlo.reshape %172 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %195 = stablehlo.dot_general %194, %arg12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %196 = stablehlo.transpose %195, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %197 = stablehlo.reshape %190 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %198 = stablehlo.dot_general %197, %arg12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %199 = stablehlo.transpose %198, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %200 = stablehlo.reshape %193 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %201 = stablehlo.dot_general %200, %arg12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %202 = stablehlo.transpose %201, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %204 = stablehlo.multiply %203, %154 : tensor<24x16xf32>
    %205 = stablehlo.subtract %arg0, %204 : tensor<24x16xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %207 = stablehlo.multiply %206, %199 : tensor<16x24xf32>
    %208 = stablehlo.subtract %arg1, %207 : tensor<16x24xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %210 = stablehlo.multiply %209, %163 : tensor<24x16xf32>
    %211 = stablehlo.subtract %arg2, %210 : tensor<24x16xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %213 = stablehlo.multiply %212, %202 : tensor<16x24xf32>
    %214 = stablehlo.subtract %arg3, %213 : tensor<16x24xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %216 = stablehlo.multiply %215, %159 : tensor<16x24xf32>
    %217 = stablehlo.subtract %arg4, %216 : tensor<16x24xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %219 = stablehlo.multiply %218, %196 : tensor<16x24xf32>
    %220 = stablehlo.subtract %arg5, %219 : tensor<16x24xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %222 = stablehlo.multiply %221, %98 : tensor<24x16xf32>
    %223 = stablehlo.subtract %arg6, %222 : tensor<24x16xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %225 = stablehlo.multiply %224, %145 : tensor<16x24xf32>
    %226 = stablehlo.subtract %arg7, %225 : tensor<16x24xf32>
    %cst_37 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %227 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %228 = stablehlo.multiply %227, %107 : tensor<24x16xf32>
    %229 = stablehlo.subtract %arg8, %228 : tensor<24x16xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %231 = stablehlo.multiply %230, %150 : tensor<16x24xf32>
    %232 = stablehlo.subtract %arg9, %231 : tensor<16x24xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %233 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %234 = stablehlo.multiply %233, %103 : tensor<16x24xf32>
    %235 = stablehlo.subtract %arg10, %234 : tensor<16x24xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %237 = stablehlo.multiply %236, %140 : tensor<16x24xf32>
    %238 = stablehlo.subtract %arg11, %237 : tensor<16x24xf32>
    return %205, %208, %211, %214, %217, %220, %223, %226, %229, %232, %235, %238, %93 : tensor<24x16xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<f32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x1x12xf32>, %arg2: tensor<f32>) -> (tensor<1x6x6x12x12xf32>, tensor<1x6x6x12x12xi1>) {
    %0 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2, 3, 4] : (tensor<6x6x12x12xi1>) -> tensor<1x6x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [1, 2, 3, 4] : (tensor<6x6x12x12xf32>) -> tensor<1x6x6x12x12xf32>
    %3 = stablehlo.transpose %arg1, dims = [3, 0, 1, 2, 4] : (tensor<6x6x12x1x12xf32>) -> tensor<1x6x6x12x12xf32>
    %4 = stablehlo.select %1, %3, %2 : tensor<1x6x6x12x12xi1>, tensor<1x6x6x12x12xf32>
    return %4, %1 : tensor<1x6x6x12x12xf32>, tensor<1x6x6x12x12xi1>
  }
  func.func private @relu(%arg0: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x12x24xf32>
    return %1 : tensor<6x12x24xf32>
  }
  func.func private @_where_0(%arg0: tensor<1x6x6x12x12xi1>, %arg1: tensor<1x6x6x12x12xf32>) -> tensor<6x6x12x1x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x6x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<1x6x6x12x12xi1>, tensor<1x6x6x12x12xf32>
    %2 = stablehlo.transpose %1, dims = [1, 2, 3, 0, 4] : (tensor<1x6x6x12x12xf32>) -> tensor<6x6x12x1x12xf32>
    return %2 : tensor<6x6x12x1x12xf32>
  }
}
