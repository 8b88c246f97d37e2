module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x16xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<16x24xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16x24xf32>, %arg6: tensor<i32>, %arg7: tensor<16xf32>, %arg8: tensor<16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<16xf32>, %arg11: tensor<16xf32>, %arg12: tensor<16xf32>, %arg13: tensor<24xf32>, %arg14: tensor<24xf32>, %arg15: tensor<24xf32>, %arg16: tensor<24xf32>, %arg17: tensor<24xf32>, %arg18: tensor<24xf32>, %arg19: tensor<6x16xf32>, %arg20: tensor<6x16xf32>) -> (tensor<24x16xf32> {jax.result_info = "result[0][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0][0]['gate']"}, tensor<16x24xf32> {jax.result_info = "result[0][0]['up']"}, tensor<24x16xf32> {jax.result_info = "result[0][1]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0][1]['gate']"}, tensor<16x24xf32> {jax.result_info = "result[0][1]['up']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<16xf32> {jax.result_info = "result[1][0].v_row[0]['down']"}, tensor<16xf32> {jax.result_info = "result[1][0].v_row[0]['gate']"}, tensor<16xf32> {jax.result_info = "result[1][0].v_row[0]['up']"}, tensor<16xf32> {jax.result_info = "result[1][0].v_row[1]['down']"}, tensor<16xf32> {jax.result_info = "result[1][0].v_row[1]['gate']"}, tensor<16xf32> {jax.result_info = "result[1][0].v_row[1]['up']"}, tensor<24xf32> {jax.result_info = "result[1][0].v_col[0]['down']"}, tensor<24xf32> {jax.result_info = "result[1][0].v_col[0]['gate']"}, tensor<24xf32> {jax.result_info = "result[1][0].v_col[0]['up']"}, tensor<24xf32> {jax.result_info = "result[1][0].v_col[1]['down']"}, tensor<24xf32> {jax.result_info = "result[1][0].v_col[1]['gate']"}, tensor<24xf32> {jax.result_info = "result[1][0].v_col[1]['up']"}, tensor<1xf32> {jax.result_info = "result[1][0].v[0]['down']"}, tensor<1xf32> {jax.result_info = "result[1][0].v[0]['gate']"}, tensor<1xf32> {jax.result_info = "result[1][0].v[0]['up']"}, tensor<1xf32> {jax.result_info = "result[1][0].v[1]['down']"}, tensor<1xf32> {jax.result_info = "result[1][0].v[1]['gate']"}, tensor<1xf32> {jax.result_info = "result[1][0].v[1]['up']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg19, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %1:3 = call @silu(%0) : (tensor<6x24xf32>) -> (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>)
    %2 = stablehlo.dot_general %arg19, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %3 = stablehlo.multiply %1#0, %2 : tensor<6x24xf32>
    %4 = stablehlo.dot_general %3, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %5 = stablehlo.add %arg19, %4 : tensor<6x16xf32>
    %6 = stablehlo.dot_general %5, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %7:3 = call @silu(%6) : (tensor<6x24xf32>) -> (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>)
    %8 = stablehlo.dot_general %5, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %9 = stablehlo.multiply %7#0, %8 : tensor<6x24xf32>
    %10 = stablehlo.dot_general %9, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %11 = stablehlo.add %5, %10 : tensor<6x16xf32>
    %12 = stablehlo.subtract %11, %arg20 : tensor<6x16xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<6x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %15 = stablehlo.multiply %14, %12 : tensor<6x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.reduce(%13 init: %cst_0) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %17 = stablehlo.divide %16, %cst_1 : tensor<f32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_3 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %18 = stablehlo.divide %cst_2, %cst_3 : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %20 = stablehlo.multiply %19, %15 : tensor<6x16xf32>
    %21 = stablehlo.dot_general %20, %9, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x24xf32>) -> tensor<16x24xf32>
    %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %23 = stablehlo.dot_general %20, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<24x16xf32>) -> tensor<6x24xf32>
    %24 = stablehlo.multiply %7#0, %23 : tensor<6x24xf32>
    %25 = stablehlo.multiply %23, %8 : tensor<6x24xf32>
    %26 = stablehlo.dot_general %24, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %28 = stablehlo.dot_general %24, %arg5, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<16x24xf32>) -> tensor<6x16xf32>
    %29 = stablehlo.add %20, %28 : tensor<6x16xf32>
    %30 = call @silu_0(%7#1, %7#2, %6, %25) : (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xf32>
    %31 = stablehlo.dot_general %30, %5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %32 = stablehlo.transpose %31, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %33 = stablehlo.dot_general %30, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<16x24xf32>) -> tensor<6x16xf32>
    %34 = stablehlo.add %29, %33 : tensor<6x16xf32>
    %35 = stablehlo.dot_general %34, %3, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x24xf32>) -> tensor<16x24xf32>
    %36 = stablehlo.transpose %35, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %37 = stablehlo.dot_general %34, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<24x16xf32>) -> tensor<6x24xf32>
    %38 = stablehlo.multiply %1#0, %37 : tensor<6x24xf32>
    %39 = stablehlo.multiply %37, %2 : tensor<6x24xf32>
    %40 = stablehlo.dot_general %38, %arg19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %41 = stablehlo.transpose %40, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %42 = call @silu_0(%1#1, %1#2, %0, %39) : (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xf32>
    %43 = stablehlo.dot_general %42, %arg19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %45 = stablehlo.subtract %arg6, %c : tensor<i32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %46 = stablehlo.add %45, %c_4 : tensor<i32>
    %47 = stablehlo.convert %46 : (tensor<i32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %48 = stablehlo.power %47, %cst_5 : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %49 = stablehlo.subtract %cst_6, %48 : tensor<f32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %51 = stablehlo.multiply %36, %36 : tensor<24x16xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %53 = stablehlo.add %51, %52 : tensor<24x16xf32>
    %54 = stablehlo.broadcast_in_dim %49, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %55 = stablehlo.multiply %54, %arg7 : tensor<16xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.subtract %cst_9, %49 : tensor<f32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%53 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<24x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_11 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %59 = stablehlo.divide %57, %58 : tensor<16xf32>
    %60 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %61 = stablehlo.multiply %60, %59 : tensor<16xf32>
    %62 = stablehlo.add %55, %61 : tensor<16xf32>
    %63 = stablehlo.broadcast_in_dim %49, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %64 = stablehlo.multiply %63, %arg13 : tensor<24xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.subtract %cst_12, %49 : tensor<f32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.reduce(%53 init: %cst_13) applies stablehlo.add across dimensions = [1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_14 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %68 = stablehlo.divide %66, %67 : tensor<24xf32>
    %69 = stablehlo.broadcast_in_dim %65, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %70 = stablehlo.multiply %69, %68 : tensor<24xf32>
    %71 = stablehlo.add %64, %70 : tensor<24xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%62 init: %cst_15) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_16 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %75 = stablehlo.divide %73, %74 : tensor<1xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %77 = stablehlo.divide %62, %76 : tensor<16xf32>
    %cst_17 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %79 = stablehlo.power %77, %78 : tensor<16xf32>
    %cst_18 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %81 = stablehlo.power %71, %80 : tensor<24xf32>
    %82 = stablehlo.broadcast_in_dim %79, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<24x16xf32>
    %84 = stablehlo.multiply %36, %83 : tensor<24x16xf32>
    %85 = stablehlo.broadcast_in_dim %81, dims = [0] : (tensor<24xf32>) -> tensor<24x1xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1] : (tensor<24x1xf32>) -> tensor<24x16xf32>
    %87 = stablehlo.multiply %84, %86 : tensor<24x16xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %88 = stablehlo.subtract %arg6, %c_19 : tensor<i32>
    %c_20 = stablehlo.constant dense<1> : tensor<i32>
    %89 = stablehlo.add %88, %c_20 : tensor<i32>
    %90 = stablehlo.convert %89 : (tensor<i32>) -> tensor<f32>
    %cst_21 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %91 = stablehlo.power %90, %cst_21 : tensor<f32>
    %cst_22 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %92 = stablehlo.subtract %cst_22, %91 : tensor<f32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %94 = stablehlo.multiply %44, %44 : tensor<16x24xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %96 = stablehlo.add %94, %95 : tensor<16x24xf32>
    %97 = stablehlo.broadcast_in_dim %92, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %98 = stablehlo.multiply %97, %arg8 : tensor<16xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %99 = stablehlo.subtract %cst_25, %92 : tensor<f32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %100 = stablehlo.reduce(%96 init: %cst_26) applies stablehlo.add across dimensions = [1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_27 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %102 = stablehlo.divide %100, %101 : tensor<16xf32>
    %103 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %104 = stablehlo.multiply %103, %102 : tensor<16xf32>
    %105 = stablehlo.add %98, %104 : tensor<16xf32>
    %106 = stablehlo.broadcast_in_dim %92, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %107 = stablehlo.multiply %106, %arg14 : tensor<24xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %108 = stablehlo.subtract %cst_28, %92 : tensor<f32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%96 init: %cst_29) applies stablehlo.add across dimensions = [0] : (tensor<16x24xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %111 = stablehlo.divide %109, %110 : tensor<24xf32>
    %112 = stablehlo.broadcast_in_dim %108, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %113 = stablehlo.multiply %112, %111 : tensor<24xf32>
    %114 = stablehlo.add %107, %113 : tensor<24xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%105 init: %cst_31) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_32 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %118 = stablehlo.divide %116, %117 : tensor<1xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %120 = stablehlo.divide %105, %119 : tensor<16xf32>
    %cst_33 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %122 = stablehlo.power %120, %121 : tensor<16xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %124 = stablehlo.power %114, %123 : tensor<24xf32>
    %125 = stablehlo.broadcast_in_dim %122, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x24xf32>
    %127 = stablehlo.multiply %44, %126 : tensor<16x24xf32>
    %128 = stablehlo.broadcast_in_dim %124, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %130 = stablehlo.multiply %127, %129 : tensor<16x24xf32>
    %c_35 = stablehlo.constant dense<0> : tensor<i32>
    %131 = stablehlo.subtract %arg6, %c_35 : tensor<i32>
    %c_36 = stablehlo.constant dense<1> : tensor<i32>
    %132 = stablehlo.add %131, %c_36 : tensor<i32>
    %133 = stablehlo.convert %132 : (tensor<i32>) -> tensor<f32>
    %cst_37 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %134 = stablehlo.power %133, %cst_37 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %135 = stablehlo.subtract %cst_38, %134 : tensor<f32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %137 = stablehlo.multiply %41, %41 : tensor<16x24xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %139 = stablehlo.add %137, %138 : tensor<16x24xf32>
    %140 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %141 = stablehlo.multiply %140, %arg9 : tensor<16xf32>
    %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %142 = stablehlo.subtract %cst_41, %135 : tensor<f32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.reduce(%139 init: %cst_42) applies stablehlo.add across dimensions = [1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_43 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %145 = stablehlo.divide %143, %144 : tensor<16xf32>
    %146 = stablehlo.broadcast_in_dim %142, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %147 = stablehlo.multiply %146, %145 : tensor<16xf32>
    %148 = stablehlo.add %141, %147 : tensor<16xf32>
    %149 = stablehlo.broadcast_in_dim %135, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %150 = stablehlo.multiply %149, %arg15 : tensor<24xf32>
    %cst_44 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %151 = stablehlo.subtract %cst_44, %135 : tensor<f32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %152 = stablehlo.reduce(%139 init: %cst_45) applies stablehlo.add across dimensions = [0] : (tensor<16x24xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_46 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %154 = stablehlo.divide %152, %153 : tensor<24xf32>
    %155 = stablehlo.broadcast_in_dim %151, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %156 = stablehlo.multiply %155, %154 : tensor<24xf32>
    %157 = stablehlo.add %150, %156 : tensor<24xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %158 = stablehlo.reduce(%148 init: %cst_47) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %159 = stablehlo.broadcast_in_dim %158, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_48 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %161 = stablehlo.divide %159, %160 : tensor<1xf32>
    %162 = stablehlo.broadcast_in_dim %161, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %163 = stablehlo.divide %148, %162 : tensor<16xf32>
    %cst_49 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %165 = stablehlo.power %163, %164 : tensor<16xf32>
    %cst_50 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %167 = stablehlo.power %157, %166 : tensor<24xf32>
    %168 = stablehlo.broadcast_in_dim %165, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %169 = stablehlo.broadcast_in_dim %168, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x24xf32>
    %170 = stablehlo.multiply %41, %169 : tensor<16x24xf32>
    %171 = stablehlo.broadcast_in_dim %167, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %172 = stablehlo.broadcast_in_dim %171, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %173 = stablehlo.multiply %170, %172 : tensor<16x24xf32>
    %c_51 = stablehlo.constant dense<0> : tensor<i32>
    %174 = stablehlo.subtract %arg6, %c_51 : tensor<i32>
    %c_52 = stablehlo.constant dense<1> : tensor<i32>
    %175 = stablehlo.add %174, %c_52 : tensor<i32>
    %176 = stablehlo.convert %175 : (tensor<i32>) -> tensor<f32>
    %cst_53 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %177 = stablehlo.power %176, %cst_53 : tensor<f32>
    %cst_54 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %178 = stablehlo.subtract %cst_54, %177 : tensor<f32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %180 = stablehlo.multiply %22, %22 : tensor<24x16xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %182 = stablehlo.add %180, %181 : tensor<24x16xf32>
    %183 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %184 = stablehlo.multiply %183, %arg10 : tensor<16xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %185 = stablehlo.subtract %cst_57, %178 : tensor<f32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %186 = stablehlo.reduce(%182 init: %cst_58) applies stablehlo.add across dimensions = [0] : (tensor<24x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_59 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %188 = stablehlo.divide %186, %187 : tensor<16xf32>
    %189 = stablehlo.broadcast_in_dim %185, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %190 = stablehlo.multiply %189, %188 : tensor<16xf32>
    %191 = stablehlo.add %184, %190 : tensor<16xf32>
    %192 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %193 = stablehlo.multiply %192, %arg16 : tensor<24xf32>
    %cst_60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %194 = stablehlo.subtract %cst_60, %178 : tensor<f32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %195 = stablehlo.reduce(%182 init: %cst_61) applies stablehlo.add across dimensions = [1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_62 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %197 = stablehlo.divide %195, %196 : tensor<24xf32>
    %198 = stablehlo.broadcast_in_dim %194, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %199 = stablehlo.multiply %198, %197 : tensor<24xf32>
    %200 = stablehlo.add %193, %199 : tensor<24xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%191 init: %cst_63) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %202 = stablehlo.broadcast_in_dim %201, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_64 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %204 = stablehlo.divide %202, %203 : tensor<1xf32>
    %205 = stablehlo.broadcast_in_dim %204, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %206 = stablehlo.divide %191, %205 : tensor<16xf32>
    %cst_65 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %207 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %208 = stablehlo.power %206, %207 : tensor<16xf32>
    %cst_66 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %209 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %210 = stablehlo.power %200, %209 : tensor<24xf32>
    %211 = stablehlo.broadcast_in_dim %208, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %212 = stablehlo.broadcast_in_dim %211, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<24x16xf32>
    %213 = stablehlo.multiply %22, %212 : tensor<24x16xf32>
    %214 = stablehlo.broadcast_in_dim %210, dims = [0] : (tensor<24xf32>) -> tensor<24x1xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 1] : (tensor<24x1xf32>) -> tensor<24x16xf32>
    %216 = stablehlo.multiply %213, %215 : tensor<24x16xf32>
    %c_67 = stablehlo.constant dense<0> : tensor<i32>
    %217 = stablehlo.subtract %arg6, %c_67 : tensor<i32>
    %c_68 = stablehlo.constant dense<1> : tensor<i32>
    %218 = stablehlo.add %217, %c_68 : tensor<i32>
    %219 = stablehlo.convert %218 : (tensor<i32>) -> tensor<f32>
    %cst_69 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %220 = stablehlo.power %219, %cst_69 : tensor<f32>
    %cst_70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %221 = stablehlo.subtract %cst_70, %220 : tensor<f32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %223 = stablehlo.multiply %32, %32 : tensor<16x24xf32>
    %cst_72 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %225 = stablehlo.add %223, %224 : tensor<16x24xf32>
    %226 = stablehlo.broadcast_in_dim %221, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %227 = stablehlo.multiply %226, %arg11 : tensor<16xf32>
    %cst_73 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %228 = stablehlo.subtract %cst_73, %221 : tensor<f32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %229 = stablehlo.reduce(%225 init: %cst_74) applies stablehlo.add across dimensions = [1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_75 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %231 = stablehlo.divide %229, %230 : tensor<16xf32>
    %232 = stablehlo.broadcast_in_dim %228, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %233 = stablehlo.multiply %232, %231 : tensor<16xf32>
    %234 = stablehlo.add %227, %233 : tensor<16xf32>
    %235 = stablehlo.broadcast_in_dim %221, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %236 = stablehlo.multiply %235, %arg17 : tensor<24xf32>
    %cst_76 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %237 = stablehlo.subtract %cst_76, %221 : tensor<f32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%225 init: %cst_77) applies stablehlo.add across dimensions = [0] : (tensor<16x24xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_78 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %240 = stablehlo.divide %238, %239 : tensor<24xf32>
    %241 = stablehlo.broadcast_in_dim %237, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %242 = stablehlo.multiply %241, %240 : tensor<24xf32>
    %243 = stablehlo.add %236, %242 : tensor<24xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%234 init: %cst_79) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %245 = stablehlo.broadcast_in_dim %244, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_80 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %247 = stablehlo.divide %245, %246 : tensor<1xf32>
    %248 = stablehlo.broadcast_in_dim %247, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %249 = stablehlo.divide %234, %248 : tensor<16xf32>
    %cst_81 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %250 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %251 = stablehlo.power %249, %250 : tensor<16xf32>
    %cst_82 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %253 = stablehlo.power %243, %252 : tensor<24xf32>
    %254 = stablehlo.broadcast_in_dim %251, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x24xf32>
    %256 = stablehlo.multiply %32, %255 : tensor<16x24xf32>
    %257 = stablehlo.broadcast_in_dim %253, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %258 = stablehlo.broadcast_in_dim %257, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %259 = stablehlo.multiply %256, %258 : tensor<16x24xf32>
    %c_83 = stablehlo.constant dense<0> : tensor<i32>
    %260 = stablehlo.subtract %arg6, %c_83 : tensor<i32>
    %c_84 = stablehlo.constant dense<1> : tensor<i32>
    %261 = stablehlo.add %260, %c_84 : tensor<i32>
    %262 = stablehlo.convert %261 : (tensor<i32>) -> tensor<f32>
    %cst_85 = stablehlo.constant dense<-8.000000e-01> : tensor<f32>
    %263 = stablehlo.power %262, %cst_85 : tensor<f32>
    %cst_86 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %264 = stablehlo.subtract %cst_86, %263 : tensor<f32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %266 = stablehlo.multiply %27, %27 : tensor<16x24xf32>
    %cst_88 = stablehlo.constant dense<1.000000e-30> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %268 = stablehlo.add %266, %267 : tensor<16x24xf32>
    %269 = stablehlo.broadcast_in_dim %264, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %270 = stablehlo.multiply %269, %arg12 : tensor<16xf32>
    %cst_89 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %271 = stablehlo.subtract %cst_89, %264 : tensor<f32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %272 = stablehlo.reduce(%268 init: %cst_90) applies stablehlo.add across dimensions = [1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_91 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %274 = stablehlo.divide %272, %273 : tensor<16xf32>
    %275 = stablehlo.broadcast_in_dim %271, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %276 = stablehlo.multiply %275, %274 : tensor<16xf32>
    %277 = stablehlo.add %270, %276 : tensor<16xf32>
    %278 = stablehlo.broadcast_in_dim %264, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %279 = stablehlo.multiply %278, %arg18 : tensor<24xf32>
    %cst_92 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %280 = stablehlo.subtract %cst_92, %264 : tensor<f32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %281 = stablehlo.reduce(%268 init: %cst_93) applies stablehlo.add across dimensions = [0] : (tensor<16x24xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_94 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %283 = stablehlo.divide %281, %282 : tensor<24xf32>
    %284 = stablehlo.broadcast_in_dim %280, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %285 = stablehlo.multiply %284, %283 : tensor<24xf32>
    %286 = stablehlo.add %279, %285 : tensor<24xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %287 = stablehlo.reduce(%277 init: %cst_95) applies stablehlo.add across dimensions = [0] : (tensor<16xf32>, tensor<f32>) -> tensor<f32>
    %288 = stablehlo.broadcast_in_dim %287, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %cst_96 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<1xf32>
    %290 = stablehlo.divide %288, %289 : tensor<1xf32>
    %291 = stablehlo.broadcast_in_dim %290, dims = [0] : (tensor<1xf32>) -> tensor<16xf32>
    %292 = stablehlo.divide %277, %291 : tensor<16xf32>
    %cst_97 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %293 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %294 = stablehlo.power %292, %293 : tensor<16xf32>
    %cst_98 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %295 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %296 = stablehlo.power %286, %295 : tensor<24xf32>
    %297 = stablehlo.broadcast_in_dim %294, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %298 = stablehlo.broadcast_in_dim %297, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x24xf32>
    %299 = stablehlo.multiply %27, %298 : tensor<16x24xf32>
    %300 = stablehlo.broadcast_in_dim %296, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %301 = stablehlo.broadcast_in_dim %300, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %302 = stablehlo.multiply %299, %301 : tensor<16x24xf32>
    %c_99 = stablehlo.constant dense<2147483647> : tensor<i32>
    %303 = stablehlo.compare LT, %arg6, %c_99, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_100 = stablehlo.constant dense<1> : tensor<i32>
    %304 = stablehlo.add %arg6, %c_100 : tensor<i32>
    %c_101 = stablehlo.constant dense<2147483647> : tensor<i32>
    %305 = call @_where(%303, %304, %c_101) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %306 = stablehlo.multiply %87, %87 : tensor<24x16xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_103 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %308 = stablehlo.divide %307, %cst_103 : tensor<f32>
    %309 = stablehlo.sqrt %308 : tensor<f32>
    %cst_104 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %310 = stablehlo.divide %309, %cst_104 : tensor<f32>
    %cst_105 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %311 = stablehlo.maximum %cst_105, %310 : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %311, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %313 = stablehlo.divide %87, %312 : tensor<24x16xf32>
    %314 = stablehlo.multiply %130, %130 : tensor<16x24xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.reduce(%314 init: %cst_106) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_107 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %316 = stablehlo.divide %315, %cst_107 : tensor<f32>
    %317 = stablehlo.sqrt %316 : tensor<f32>
    %cst_108 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %318 = stablehlo.divide %317, %cst_108 : tensor<f32>
    %cst_109 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %319 = stablehlo.maximum %cst_109, %318 : tensor<f32>
    %320 = stablehlo.broadcast_in_dim %319, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %321 = stablehlo.divide %130, %320 : tensor<16x24xf32>
    %322 = stablehlo.multiply %173, %173 : tensor<16x24xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %323 = stablehlo.reduce(%322 init: %cst_110) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_111 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %324 = stablehlo.divide %323, %cst_111 : tensor<f32>
    %325 = stablehlo.sqrt %324 : tensor<f32>
    %cst_112 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %326 = stablehlo.divide %325, %cst_112 : tensor<f32>
    %cst_113 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %327 = stablehlo.maximum %cst_113, %326 : tensor<f32>
    %328 = stablehlo.broadcast_in_dim %327, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %329 = stablehlo.divide %173, %328 : tensor<16x24xf32>
    %330 = stablehlo.multiply %216, %216 : tensor<24x16xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_114) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_115 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %332 = stablehlo.divide %331, %cst_115 : tensor<f32>
    %333 = stablehlo.sqrt %332 : tensor<f32>
    %cst_116 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %334 = stablehlo.divide %333, %cst_116 : tensor<f32>
    %cst_117 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %335 = stablehlo.maximum %cst_117, %334 : tensor<f32>
    %336 = stablehlo.broadcast_in_dim %335, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %337 = stablehlo.divide %216, %336 : tensor<24x16xf32>
    %338 = stablehlo.multiply %259, %259 : tensor<16x24xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %339 = stablehlo.reduce(%338 init: %cst_118) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_119 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %340 = stablehlo.divide %339, %cst_119 : tensor<f32>
    %341 = stablehlo.sqrt %340 : tensor<f32>
    %cst_120 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %342 = stablehlo.divide %341, %cst_120 : tensor<f32>
    %cst_121 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %343 = stablehlo.maximum %cst_121, %342 : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %343, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %345 = stablehlo.divide %259, %344 : tensor<16x24xf32>
    %346 = stablehlo.multiply %302, %302 : tensor<16x24xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %347 = stablehlo.reduce(%346 init: %cst_122) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_123 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %348 = stablehlo.divide %347, %cst_123 : tensor<f32>
    %349 = stablehlo.sqrt %348 : tensor<f32>
    %cst_124 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %350 = stablehlo.divide %349, %cst_124 : tensor<f32>
    %cst_125 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %351 = stablehlo.maximum %cst_125, %350 : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %351, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %353 = stablehlo.divide %302, %352 : tensor<16x24xf32>
    %cst_126 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %354 = stablehlo.broadcast_in_dim %cst_126, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %355 = stablehlo.multiply %354, %313 : tensor<24x16xf32>
    %cst_127 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %357 = stablehlo.multiply %356, %321 : tensor<16x24xf32>
    %cst_128 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_128, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %359 = stablehlo.multiply %358, %329 : tensor<16x24xf32>
    %cst_129 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %360 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %361 = stablehlo.multiply %360, %337 : tensor<24x16xf32>
    %cst_130 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %362 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %363 = stablehlo.multiply %362, %345 : tensor<16x24xf32>
    %cst_131 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %364 = stablehlo.broadcast_in_dim %cst_131, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %365 = stablehlo.multiply %364, %353 : tensor<16x24xf32>
    %366 = stablehlo.multiply %arg0, %arg0 : tensor<24x16xf32>
    %cst_132 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %367 = stablehlo.reduce(%366 init: %cst_132) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_133 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %368 = stablehlo.divide %367, %cst_133 : tensor<f32>
    %369 = stablehlo.sqrt %368 : tensor<f32>
    %cst_134 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %370 = stablehlo.compare LE, %369, %cst_134, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_135 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %371 = stablehlo.broadcast_in_dim %cst_135, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %372 = call @_where_1(%370, %371, %arg0) : (tensor<i1>, tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<24x16xf32>
    %cst_136 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %373 = stablehlo.compare LE, %369, %cst_136, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %374 = stablehlo.multiply %372, %372 : tensor<24x16xf32>
    %cst_137 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %375 = stablehlo.reduce(%374 init: %cst_137) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_138 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %376 = stablehlo.divide %375, %cst_138 : tensor<f32>
    %377 = stablehlo.sqrt %376 : tensor<f32>
    %cst_139 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %378 = call @_where_2(%373, %cst_139, %377) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %379 = stablehlo.broadcast_in_dim %378, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %380 = stablehlo.multiply %355, %379 : tensor<24x16xf32>
    %381 = stablehlo.multiply %arg1, %arg1 : tensor<16x24xf32>
    %cst_140 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %382 = stablehlo.reduce(%381 init: %cst_140) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_141 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %383 = stablehlo.divide %382, %cst_141 : tensor<f32>
    %384 = stablehlo.sqrt %383 : tensor<f32>
    %cst_142 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %385 = stablehlo.compare LE, %384, %cst_142, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_143 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %386 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %387 = call @_where_3(%385, %386, %arg1) : (tensor<i1>, tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
    %cst_144 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %388 = stablehlo.compare LE, %384, %cst_144, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %389 = stablehlo.multiply %387, %387 : tensor<16x24xf32>
    %cst_145 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %390 = stablehlo.reduce(%389 init: %cst_145) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_146 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %391 = stablehlo.divide %390, %cst_146 : tensor<f32>
    %392 = stablehlo.sqrt %391 : tensor<f32>
    %cst_147 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %393 = call @_where_2(%388, %cst_147, %392) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %394 = stablehlo.broadcast_in_dim %393, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %395 = stablehlo.multiply %357, %394 : tensor<16x24xf32>
    %396 = stablehlo.multiply %arg2, %arg2 : tensor<16x24xf32>
    %cst_148 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %397 = stablehlo.reduce(%396 init: %cst_148) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_149 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %398 = stablehlo.divide %397, %cst_149 : tensor<f32>
    %399 = stablehlo.sqrt %398 : tensor<f32>
    %cst_150 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %400 = stablehlo.compare LE, %399, %cst_150, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_151 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %401 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %402 = call @_where_3(%400, %401, %arg2) : (tensor<i1>, tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
    %cst_152 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %403 = stablehlo.compare LE, %399, %cst_152, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %404 = stablehlo.multiply %402, %402 : tensor<16x24xf32>
    %cst_153 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %405 = stablehlo.reduce(%404 init: %cst_153) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_154 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %406 = stablehlo.divide %405, %cst_154 : tensor<f32>
    %407 = stablehlo.sqrt %406 : tensor<f32>
    %cst_155 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %408 = call @_where_2(%403, %cst_155, %407) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %409 = stablehlo.broadcast_in_dim %408, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %410 = stablehlo.multiply %359, %409 : tensor<16x24xf32>
    %411 = stablehlo.multiply %arg3, %arg3 : tensor<24x16xf32>
    %cst_156 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %412 = stablehlo.reduce(%411 init: %cst_156) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_157 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %413 = stablehlo.divide %412, %cst_157 : tensor<f32>
    %414 = stablehlo.sqrt %413 : tensor<f32>
    %cst_158 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %415 = stablehlo.compare LE, %414, %cst_158, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_159 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %417 = call @_where_1(%415, %416, %arg3) : (tensor<i1>, tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<24x16xf32>
    %cst_160 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %418 = stablehlo.compare LE, %414, %cst_160, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %419 = stablehlo.multiply %417, %417 : tensor<24x16xf32>
    %cst_161 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %420 = stablehlo.reduce(%419 init: %cst_161) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_162 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %421 = stablehlo.divide %420, %cst_162 : tensor<f32>
    %422 = stablehlo.sqrt %421 : tensor<f32>
    %cst_163 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %423 = call @_where_2(%418, %cst_163, %422) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %424 = stablehlo.broadcast_in_dim %423, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %425 = stablehlo.multiply %361, %424 : tensor<24x16xf32>
    %426 = stablehlo.multiply %arg4, %arg4 : tensor<16x24xf32>
    %cst_164 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %427 = stablehlo.reduce(%426 init: %cst_164) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_165 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %428 = stablehlo.divide %427, %cst_165 : tensor<f32>
    %429 = stablehlo.sqrt %428 : tensor<f32>
    %cst_166 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %430 = stablehlo.compare LE, %429, %cst_166, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_167 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %431 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %432 = call @_where_3(%430, %431, %arg4) : (tensor<i1>, tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
    %cst_168 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %433 = stablehlo.compare LE, %429, %cst_168, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %434 = stablehlo.multiply %432, %432 : tensor<16x24xf32>
    %cst_169 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %435 = stablehlo.reduce(%434 init: %cst_169) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_170 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %436 = stablehlo.divide %435, %cst_170 : tensor<f32>
    %437 = stablehlo.sqrt %436 : tensor<f32>
    %cst_171 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %438 = call @_where_2(%433, %cst_171, %437) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %439 = stablehlo.broadcast_in_dim %438, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %440 = stablehlo.multiply %363, %439 : tensor<16x24xf32>
    %441 = stablehlo.multiply %arg5, %arg5 : tensor<16x24xf32>
    %cst_172 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %442 = stablehlo.reduce(%441 init: %cst_172) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_173 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %443 = stablehlo.divide %442, %cst_173 : tensor<f32>
    %444 = stablehlo.sqrt %443 : tensor<f32>
    %cst_174 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %445 = stablehlo.compare LE, %444, %cst_174, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_175 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %446 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %447 = call @_where_3(%445, %446, %arg5) : (tensor<i1>, tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %448 = stablehlo.compare LE, %444, %cst_176, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %449 = stablehlo.multiply %447, %447 : tensor<16x24xf32>
    %cst_177 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %450 = stablehlo.reduce(%449 init: %cst_177) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x24xf32>, tensor<f32>) -> tensor<f32>
    %cst_178 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %451 = stablehlo.divide %450, %cst_178 : tensor<f32>
    %452 = stablehlo.sqrt %451 : tensor<f32>
    %cst_179 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %453 = call @_where_2(%448, %cst_179, %452) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %454 = stablehlo.broadcast_in_dim %453, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %455 = stablehlo.multiply %365, %454 : tensor<16x24xf32>
    %cst_180 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %456 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %457 = stablehlo.multiply %456, %380 : tensor<24x16xf32>
    %cst_181 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %458 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %459 = stablehlo.multiply %458, %395 : tensor<16x24xf32>
    %cst_182 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %460 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %461 = stablehlo.multiply %460, %410 : tensor<16x24xf32>
    %cst_183 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %462 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %463 = stablehlo.multiply %462, %425 : tensor<24x16xf32>
    %cst_184 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %464 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %465 = stablehlo.multiply %464, %440 : tensor<16x24xf32>
    %cst_185 = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %466 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %467 = stablehlo.multiply %466, %455 : tensor<16x24xf32>
    %468 = stablehlo.add %arg0, %457 : tensor<24x16xf32>
    %469 = stablehlo.add %arg1, %459 : tensor<16x24xf32>
    %470 = stablehlo.add %arg2, %461 : tensor<16x24xf32>
    %471 = stablehlo.add %arg3, %463 : tensor<24x16xf32>
    %472 = stablehlo.add %arg4, %465 : tensor<16x24xf32>
    %473 = stablehlo.add %arg5, %467 : tensor<16x24xf32>
    return %468, %469, %470, %471, %472, %473, %305, %62, %105, %148, %191, %234, %277, %71, %114, %157, %200, %243, %286, %50, %93, %136, %179, %222, %265, %17 : tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<i32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<f32>
  }
  func.func private @silu(%arg0: tensor<6x24xf32>) -> (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<6x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<6x24xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<6x24xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<6x24xf32>
    return %9, %8, %5 : tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>
  }
  func.func private @silu_0(%arg0: tensor<6x24xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<6x24xf32>, %arg3: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<6x24xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<6x24xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<6x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<6x24xf32>
    return %3 : tensor<6x24xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<24x16xf32>, %arg2: tensor<24x16xf32>) -> tensor<24x16xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<24x16xf32>
    return %0 : tensor<24x16xf32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<16x24xf32>, %arg2: tensor<16x24xf32>) -> tensor<16x24xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<16x24xf32>
    return %0 : tensor<16x24xf32>
  }
}
