module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<i32>, %arg3: tensor<4xf32>, %arg4: tensor<16x4xf32>, %arg5: tensor<4xf32>, %arg6: tensor<16x4xf32>, %arg7: tensor<8x16xf32>, %arg8: tensor<8x4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]['b']"}, tensor<16x4xf32> {jax.result_info = "result[0]['w']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<4xf32> {jax.result_info = "result[1][0].mu['b']"}, tensor<16x4xf32> {jax.result_info = "result[1][0].mu['w']"}, tensor<4xf32> {jax.result_info = "result[1][0].nu['b']"}, tensor<16x4xf32> {jax.result_info = "result[1][0].nu['w']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg7, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.tanh %0 : tensor<8x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<8x4xf32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.add %1, %5 : tensor<8x4xf32>
    %7 = stablehlo.subtract %6, %arg8 : tensor<8x4xf32>
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
    %22 = stablehlo.dot_general %21, %arg7, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %cst_7 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %25 = stablehlo.multiply %24, %18 : tensor<4xf32>
    %cst_8 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %27 = stablehlo.multiply %26, %arg3 : tensor<4xf32>
    %28 = stablehlo.add %25, %27 : tensor<4xf32>
    %cst_9 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %30 = stablehlo.multiply %29, %23 : tensor<16x4xf32>
    %cst_10 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %32 = stablehlo.multiply %31, %arg4 : tensor<16x4xf32>
    %33 = stablehlo.add %30, %32 : tensor<16x4xf32>
    %34 = stablehlo.multiply %18, %18 : tensor<4xf32>
    %cst_11 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %36 = stablehlo.multiply %35, %34 : tensor<4xf32>
    %cst_12 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %38 = stablehlo.multiply %37, %arg5 : tensor<4xf32>
    %39 = stablehlo.add %36, %38 : tensor<4xf32>
    %40 = stablehlo.multiply %23, %23 : tensor<16x4xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %42 = stablehlo.multiply %41, %40 : tensor<16x4xf32>
    %cst_14 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %44 = stablehlo.multiply %43, %arg6 : tensor<16x4xf32>
    %45 = stablehlo.add %42, %44 : tensor<16x4xf32>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %46 = stablehlo.compare LT, %arg2, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_15 = stablehlo.constant dense<1> : tensor<i32>
    %47 = stablehlo.add %arg2, %c_15 : tensor<i32>
    %c_16 = stablehlo.constant dense<2147483647> : tensor<i32>
    %48 = call @_where(%46, %47, %c_16) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_17 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %49 = stablehlo.convert %48 : (tensor<i32>) -> tensor<f32>
    %50 = stablehlo.power %cst_17, %49 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %51 = stablehlo.subtract %cst_18, %50 : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %53 = stablehlo.divide %28, %52 : tensor<4xf32>
    %54 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %55 = stablehlo.divide %33, %54 : tensor<16x4xf32>
    %cst_19 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %56 = stablehlo.convert %48 : (tensor<i32>) -> tensor<f32>
    %57 = stablehlo.power %cst_19, %56 : tensor<f32>
    %cst_20 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %58 = stablehlo.subtract %cst_20, %57 : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %60 = stablehlo.divide %39, %59 : tensor<4xf32>
    %61 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %62 = stablehlo.divide %45, %61 : tensor<16x4xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %64 = stablehlo.add %60, %63 : tensor<4xf32>
    %65 = stablehlo.sqrt %64 : tensor<4xf32>
    %cst_22 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %67 = stablehlo.add %65, %66 : tensor<4xf32>
    %68 = stablehlo.divide %53, %67 : tensor<4xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %70 = stablehlo.add %62, %69 : tensor<16x4xf32>
    %71 = stablehlo.sqrt %70 : tensor<16x4xf32>
    %cst_24 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %73 = stablehlo.add %71, %72 : tensor<16x4xf32>
    %74 = stablehlo.divide %55, %73 : tensor<16x4xf32>
    %75 = call @norm(%arg0) : (tensor<4xf32>) -> tensor<1xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %77 = stablehlo.compare LE, %75, %76, FLOAT : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %79 = call @_where_0(%77, %78, %arg0) : (tensor<1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %80 = stablehlo.reshape %75 : (tensor<1xf32>) -> tensor<f32>
    %81 = call @norm_1(%79) : (tensor<4xf32>) -> tensor<f32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.compare LE, %80, %cst_27, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = call @_where_2(%82, %cst_28, %81) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %84 = call @norm(%68) : (tensor<4xf32>) -> tensor<1xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %86 = stablehlo.compare LE, %84, %85, FLOAT : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %cst_30 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %88 = call @_where_0(%86, %87, %68) : (tensor<1xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %89 = stablehlo.reshape %84 : (tensor<1xf32>) -> tensor<f32>
    %90 = call @norm_1(%88) : (tensor<4xf32>) -> tensor<f32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %91 = stablehlo.compare LE, %89, %cst_31, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %92 = call @_where_2(%91, %cst_32, %90) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %93 = stablehlo.multiply %cst_33, %83 : tensor<f32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %94 = stablehlo.add %92, %cst_34 : tensor<f32>
    %95 = stablehlo.divide %93, %94 : tensor<f32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.compare EQ, %83, %cst_35, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.compare EQ, %92, %cst_36, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %98 = stablehlo.or %96, %97 : tensor<i1>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = call @_where_3(%98, %cst_37, %95) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %101 = stablehlo.multiply %68, %100 : tensor<4xf32>
    %102 = call @norm_4(%arg1) : (tensor<16x4xf32>) -> tensor<1x1xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %104 = stablehlo.compare LE, %102, %103, FLOAT : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %106 = call @_where_5(%104, %105, %arg1) : (tensor<1x1xi1>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %107 = stablehlo.reshape %102 : (tensor<1x1xf32>) -> tensor<f32>
    %108 = call @norm_6(%106) : (tensor<16x4xf32>) -> tensor<f32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.compare LE, %107, %cst_40, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %110 = call @_where_2(%109, %cst_41, %108) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %111 = call @norm_4(%74) : (tensor<16x4xf32>) -> tensor<1x1xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %113 = stablehlo.compare LE, %111, %112, FLOAT : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xi1>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %115 = call @_where_5(%113, %114, %74) : (tensor<1x1xi1>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %116 = stablehlo.reshape %111 : (tensor<1x1xf32>) -> tensor<f32>
    %117 = call @norm_6(%115) : (tensor<16x4xf32>) -> tensor<f32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %118 = stablehlo.compare LE, %116, %cst_44, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = call @_where_2(%118, %cst_45, %117) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %120 = stablehlo.multiply %cst_46, %110 : tensor<f32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.add %119, %cst_47 : tensor<f32>
    %122 = stablehlo.divide %120, %121 : tensor<f32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.compare EQ, %110, %cst_48, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.compare EQ, %119, %cst_49, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %125 = stablehlo.or %123, %124 : tensor<i1>
    %cst_50 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %126 = call @_where_3(%125, %cst_50, %122) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %127 = stablehlo.broadcast_in_dim %126, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %128 = stablehlo.multiply %74, %127 : tensor<16x4xf32>
    %cst_51 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %130 = stablehlo.multiply %129, %101 : tensor<4xf32>
    %cst_52 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %132 = stablehlo.multiply %131, %128 : tensor<16x4xf32>
    %133 = stablehlo.add %arg0, %130 : tensor<4xf32>
    %134 = stablehlo.add %arg1, %132 : tensor<16x4xf32>
    return %133, %134, %48, %28, %33, %39, %45, %12 : tensor<4xf32>, tensor<16x4xf32>, tensor<i32>, tensor<4xf32>, tensor<16x4xf32>, tensor<4xf32>, tensor<16x4xf32>, tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @norm(%arg0: tensor<4xf32>) -> tensor<1xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %3 = stablehlo.sqrt %2 : tensor<1xf32>
    return %3 : tensor<1xf32>
  }
  func.func private @_where_0(%arg0: tensor<1xi1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<4xi1>, tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @norm_1(%arg0: tensor<4xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @norm_4(%arg0: tensor<16x4xf32>) -> tensor<1x1xf32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<16x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %3 = stablehlo.sqrt %2 : tensor<1x1xf32>
    return %3 : tensor<1x1xf32>
  }
  func.func private @_where_5(%arg0: tensor<1x1xi1>, %arg1: tensor<16x4xf32>, %arg2: tensor<16x4xf32>) -> tensor<16x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<16x4xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<16x4xi1>, tensor<16x4xf32>
    return %1 : tensor<16x4xf32>
  }
  func.func private @norm_6(%arg0: tensor<16x4xf32>) -> tensor<f32> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<16x4xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
    %2 = stablehlo.sqrt %1 : tensor<f32>
    return %2 : tensor<f32>
  }
}
