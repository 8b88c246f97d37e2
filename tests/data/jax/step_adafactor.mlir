module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<i32>, %arg3: tensor<4xf32>, %arg4: tensor<16xf32>, %arg5: tensor<4xf32>, %arg6: tensor<8x16xf32>, %arg7: tensor<8x4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]['b']"}, tensor<16x4xf32> {jax.result_info = "result[0]['w']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<1xf32> {jax.result_info = "result[1][0].v_row['b']"}, tensor<4xf32> {jax.result_info = "result[1][0].v_row['w']"}, tensor<1xf32> {jax.result_info = "result[1][0].v_col['b']"}, tensor<16xf32> {jax.result_info = "result[1][0].v_col['w']"}, tensor<4xf32> {jax.result_info = "result[1][0].v['b']"}, tensor<1xf32> {jax.result_info = "result[1][0].v['w']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg6, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.tanh %0 : tensor<8x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<8x4xf32>
    %4 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
    %6 = stablehlo.add %1, %5 : tensor<8x4xf32>
    %7 = stablehlo.subtract %6, %arg7 : tensor<8x4xf32>
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
    %22 = stablehlo.dot_general %21, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.subtract %arg2, %c : tensor<i32>
    %c_7 = stablehlo.constant dense<1> : tensor<i32>
    %25 = stablehlo.add %24, %c_7 : tensor<i32>
    %26 = stablehlo.convert %25 : (tensor<i32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %27 = stablehlo.power %26, %cst_8 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.subtract %cst_9, %27 : tensor<f32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %31 = stablehlo.multiply %18, %18 : tensor<4xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %33 = stablehlo.add %31, %32 : tensor<4xf32>
    %34 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %35 = stablehlo.multiply %34, %arg5 : tensor<4xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.subtract %cst_13, %28 : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %38 = stablehlo.multiply %37, %33 : tensor<4xf32>
    %39 = stablehlo.add %35, %38 : tensor<4xf32>
    %cst_14 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %41 = stablehlo.power %39, %40 : tensor<4xf32>
    %42 = stablehlo.multiply %18, %41 : tensor<4xf32>
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %43 = stablehlo.subtract %arg2, %c_15 : tensor<i32>
    %c_16 = stablehlo.constant dense<1> : tensor<i32>
    %44 = stablehlo.add %43, %c_16 : tensor<i32>
    %45 = stablehlo.convert %44 : (tensor<i32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %46 = stablehlo.power %45, %cst_17 : tensor<f32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.subtract %cst_18, %46 : tensor<f32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %49 = stablehlo.multiply %23, %23 : tensor<16x4xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %51 = stablehlo.add %49, %50 : tensor<16x4xf32>
    %52 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %53 = stablehlo.multiply %52, %arg3 : tensor<4xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %54 = stablehlo.subtract %cst_21, %47 : tensor<f32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%51 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<16x4xf32>, tensor<f32>) -> tensor<4xf32>
    %cst_23 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %57 = stablehlo.divide %55, %56 : tensor<4xf32>
    %58 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %59 = stablehlo.multiply %58, %57 : tensor<4xf32>
    %60 = stablehlo.add %53, %59 : tensor<4xf32>
    %61 = stablehlo.broadcast_in_dim %47, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %62 = stablehlo.multiply %61, %arg4 : tensor<16xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %63 = stablehlo.subtract %cst_24, %47 : tensor<f32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%51 init: %cst_25) applies stablehlo.add across dimensions = [1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_26 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %66 = stablehlo.divide %64, %65 : tensor<16xf32>
    %67 = stablehlo.broadcast_in_dim %63, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<16xf32>
    %69 = stablehlo.add %62, %68 : tensor<16xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.reduce(%60 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_28 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %73 = stablehlo.divide %71, %72 : tensor<1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %75 = stablehlo.divide %60, %74 : tensor<4xf32>
    %cst_29 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %77 = stablehlo.power %75, %76 : tensor<4xf32>
    %cst_30 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %79 = stablehlo.power %69, %78 : tensor<16xf32>
    %80 = stablehlo.broadcast_in_dim %77, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %82 = stablehlo.multiply %23, %81 : tensor<16x4xf32>
    %83 = stablehlo.broadcast_in_dim %79, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %85 = stablehlo.multiply %82, %84 : tensor<16x4xf32>
    %c_31 = stablehlo.constant dense<2147483647> : tensor<i32>
    %86 = stablehlo.compare LT, %arg2, %c_31, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_32 = stablehlo.constant dense<1> : tensor<i32>
    %87 = stablehlo.add %arg2, %c_32 : tensor<i32>
    %c_33 = stablehlo.constant dense<2147483647> : tensor<i32>
    %88 = call @_where(%86, %87, %c_33) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %89 = stablehlo.multiply %42, %42 : tensor<4xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_34) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_35 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %91 = stablehlo.divide %90, %cst_35 : tensor<f32>
    %92 = stablehlo.sqrt %91 : tensor<f32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %93 = stablehlo.divide %92, %cst_36 : tensor<f32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %94 = stablehlo.maximum %cst_37, %93 : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %96 = stablehlo.divide %42, %95 : tensor<4xf32>
    %97 = stablehlo.multiply %85, %85 : tensor<16x4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %98 = stablehlo.reduce(%97 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_39 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %99 = stablehlo.divide %98, %cst_39 : tensor<f32>
    %100 = stablehlo.sqrt %99 : tensor<f32>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %101 = stablehlo.divide %100, %cst_40 : tensor<f32>
    %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.maximum %cst_41, %101 : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %104 = stablehlo.divide %85, %103 : tensor<16x4xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %106 = stablehlo.multiply %105, %96 : tensor<4xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %108 = stablehlo.multiply %107, %104 : tensor<16x4xf32>
    %109 = stablehlo.multiply %arg0, %arg0 : tensor<4xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %110 = stablehlo.reduce(%109 init: %cst_44) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_45 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %111 = stablehlo.divide %110, %cst_45 : tensor<f32>
    %112 = stablehlo.sqrt %111 : tensor<f32>
    %cst_46 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %113 = stablehlo.compare LE, %112, %cst_46, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %115 = call @_where_0(%113, %114, %arg0) : (tensor<i1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %cst_48 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %116 = stablehlo.compare LE, %112, %cst_48, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %117 = stablehlo.multiply %115, %115 : tensor<4xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %118 = stablehlo.reduce(%117 init: %cst_49) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_50 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %119 = stablehlo.divide %118, %cst_50 : tensor<f32>
    %120 = stablehlo.sqrt %119 : tensor<f32>
    %cst_51 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %121 = call @_where_1(%116, %cst_51, %120) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %123 = stablehlo.multiply %106, %122 : tensor<4xf32>
    %124 = stablehlo.multiply %arg1, %arg1 : tensor<16x4xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.reduce(%124 init: %cst_52) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_53 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %126 = stablehlo.divide %125, %cst_53 : tensor<f32>
    %127 = stablehlo.sqrt %126 : tensor<f32>
    %cst_54 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %128 = stablehlo.compare LE, %127, %cst_54, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %130 = call @_where_2(%128, %129, %arg1) : (tensor<i1>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %131 = stablehlo.compare LE, %127, %cst_56, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %132 = stablehlo.multiply %130, %130 : tensor<16x4xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.reduce(%132 init: %cst_57) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_58 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %134 = stablehlo.divide %133, %cst_58 : tensor<f32>
    %135 = stablehlo.sqrt %134 : tensor<f32>
    %cst_59 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %136 = call @_where_1(%131, %cst_59, %135) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %138 = stablehlo.multiply %108, %137 : tensor<16x4xf32>
    %cst_60 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %140 = stablehlo.multiply %139, %123 : tensor<4xf32>
    %cst_61 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<16x4xf32>
    %142 = stablehlo.multiply %141, %138 : tensor<16x4xf32>
    %143 = stablehlo.add %arg0, %140 : tensor<4xf32>
    %144 = stablehlo.add %arg1, %142 : tensor<16x4xf32>
    return %143, %144, %88, %29, %60, %30, %69, %39, %48, %12 : tensor<4xf32>, tensor<16x4xf32>, tensor<i32>, tensor<1xf32>, tensor<4xf32>, tensor<1xf32>, tensor<16xf32>, tensor<4xf32>, tensor<1xf32>, tensor<f32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<16x4xf32>, %arg2: tensor<16x4xf32>) -> tensor<16x4xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<16x4xf32>
    return %0 : tensor<16x4xf32>
  }
}
