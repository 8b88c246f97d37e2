module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x24xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<24x4xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<24x4xf32>, %arg5: tensor<i32>, %arg6: tensor<4x24xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<24x4xf32>, %arg9: tensor<24x16xf32>, %arg10: tensor<24x4xf32>, %arg11: tensor<4x24xf32>, %arg12: tensor<16x24xf32>, %arg13: tensor<24x4xf32>, %arg14: tensor<24x16xf32>, %arg15: tensor<24x4xf32>, %arg16: tensor<2xui32>, %arg17: tensor<6x16xf32>) -> (tensor<4x24xf32> {jax.result_info = "result[0]['decode']"}, tensor<16x24xf32> {jax.result_info = "result[0]['encode']"}, tensor<24x4xf32> {jax.result_info = "result[0]['mean']"}, tensor<24x16xf32> {jax.result_info = "result[0]['out']"}, tensor<24x4xf32> {jax.result_info = "result[0]['var']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<4x24xf32> {jax.result_info = "result[1][0].mu['decode']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['encode']"}, tensor<24x4xf32> {jax.result_info = "result[1][0].mu['mean']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['out']"}, tensor<24x4xf32> {jax.result_info = "result[1][0].mu['var']"}, tensor<4x24xf32> {jax.result_info = "result[1][0].nu['decode']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['encode']"}, tensor<24x4xf32> {jax.result_info = "result[1][0].nu['mean']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].nu['out']"}, tensor<24x4xf32> {jax.result_info = "result[1][0].nu['var']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg17, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %1 = call @relu(%0) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %3 = stablehlo.compare GT, %0, %2, FLOAT : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xi1>
    %4 = stablehlo.dot_general %1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x4xf32>) -> tensor<6x4xf32>
    %5 = stablehlo.dot_general %1, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x4xf32>) -> tensor<6x4xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %7 = stablehlo.divide %5, %6 : tensor<6x4xf32>
    %8 = stablehlo.exponential %7 : tensor<6x4xf32>
    %9 = call @_normal(%arg16) : (tensor<2xui32>) -> tensor<6x4xf32>
    %10 = stablehlo.multiply %8, %9 : tensor<6x4xf32>
    %11 = stablehlo.add %4, %10 : tensor<6x4xf32>
    %12 = stablehlo.dot_general %11, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x24xf32>) -> tensor<6x24xf32>
    %13 = call @relu(%12) : (tensor<6x24xf32>) -> tensor<6x24xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %15 = stablehlo.compare GT, %12, %14, FLOAT : (tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x24xi1>
    %16 = stablehlo.dot_general %13, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %17 = stablehlo.subtract %arg17, %16 : tensor<6x16xf32>
    %18 = stablehlo.multiply %17, %17 : tensor<6x16xf32>
    %cst_2 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %20 = stablehlo.multiply %19, %17 : tensor<6x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%18 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_4 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %22 = stablehlo.divide %21, %cst_4 : tensor<f32>
    %23 = stablehlo.multiply %4, %4 : tensor<6x4xf32>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %25 = stablehlo.multiply %24, %4 : tensor<6x4xf32>
    %26 = stablehlo.exponential %5 : tensor<6x4xf32>
    %27 = stablehlo.add %23, %26 : tensor<6x4xf32>
    %28 = stablehlo.subtract %27, %5 : tensor<6x4xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_7 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %30 = stablehlo.divide %29, %cst_7 : tensor<f32>
    %31 = stablehlo.add %22, %30 : tensor<f32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_9 = stablehlo.constant dense<2.400000e+01> : tensor<f32>
    %32 = stablehlo.divide %cst_8, %cst_9 : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %34 = stablehlo.negate %33 : tensor<6x4xf32>
    %35 = stablehlo.multiply %33, %26 : tensor<6x4xf32>
    %36 = stablehlo.add %34, %35 : tensor<6x4xf32>
    %37 = stablehlo.multiply %33, %25 : tensor<6x4xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_11 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %38 = stablehlo.divide %cst_10, %cst_11 : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %40 = stablehlo.multiply %39, %20 : tensor<6x16xf32>
    %41 = stablehlo.negate %40 : tensor<6x16xf32>
    %42 = stablehlo.dot_general %41, %13, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x24xf32>) -> tensor<16x24xf32>
    %43 = stablehlo.transpose %42, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %44 = stablehlo.dot_general %41, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<24x16xf32>) -> tensor<6x24xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %46 = stablehlo.select %15, %44, %45 : tensor<6x24xi1>, tensor<6x24xf32>
    %47 = stablehlo.dot_general %46, %11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x4xf32>) -> tensor<24x4xf32>
    %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<24x4xf32>) -> tensor<4x24xf32>
    %49 = stablehlo.dot_general %46, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<4x24xf32>) -> tensor<6x4xf32>
    %50 = stablehlo.add %37, %49 : tensor<6x4xf32>
    %51 = stablehlo.multiply %49, %9 : tensor<6x4xf32>
    %52 = stablehlo.multiply %51, %8 : tensor<6x4xf32>
    %cst_13 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %54 = stablehlo.divide %52, %53 : tensor<6x4xf32>
    %55 = stablehlo.add %36, %54 : tensor<6x4xf32>
    %56 = stablehlo.dot_general %55, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<6x24xf32>) -> tensor<4x24xf32>
    %57 = stablehlo.transpose %56, dims = [1, 0] : (tensor<4x24xf32>) -> tensor<24x4xf32>
    %58 = stablehlo.dot_general %55, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<24x4xf32>) -> tensor<6x24xf32>
    %59 = stablehlo.dot_general %50, %1, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<6x24xf32>) -> tensor<4x24xf32>
    %60 = stablehlo.transpose %59, dims = [1, 0] : (tensor<4x24xf32>) -> tensor<24x4xf32>
    %61 = stablehlo.dot_general %50, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<24x4xf32>) -> tensor<6x24xf32>
    %62 = stablehlo.add %58, %61 : tensor<6x24xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %64 = stablehlo.select %3, %62, %63 : tensor<6x24xi1>, tensor<6x24xf32>
    %65 = stablehlo.dot_general %64, %arg17, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %68 = stablehlo.multiply %67, %48 : tensor<4x24xf32>
    %cst_16 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %70 = stablehlo.multiply %69, %arg6 : tensor<4x24xf32>
    %71 = stablehlo.add %68, %70 : tensor<4x24xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %73 = stablehlo.multiply %72, %66 : tensor<16x24xf32>
    %cst_18 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %75 = stablehlo.multiply %74, %arg7 : tensor<16x24xf32>
    %76 = stablehlo.add %73, %75 : tensor<16x24xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %78 = stablehlo.multiply %77, %60 : tensor<24x4xf32>
    %cst_20 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %80 = stablehlo.multiply %79, %arg8 : tensor<24x4xf32>
    %81 = stablehlo.add %78, %80 : tensor<24x4xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %83 = stablehlo.multiply %82, %43 : tensor<24x16xf32>
    %cst_22 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %85 = stablehlo.multiply %84, %arg9 : tensor<24x16xf32>
    %86 = stablehlo.add %83, %85 : tensor<24x16xf32>
    %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %88 = stablehlo.multiply %87, %57 : tensor<24x4xf32>
    %cst_24 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %90 = stablehlo.multiply %89, %arg10 : tensor<24x4xf32>
    %91 = stablehlo.add %88, %90 : tensor<24x4xf32>
    %92 = stablehlo.multiply %48, %48 : tensor<4x24xf32>
    %cst_25 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %94 = stablehlo.multiply %93, %92 : tensor<4x24xf32>
    %cst_26 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %96 = stablehlo.multiply %95, %arg11 : tensor<4x24xf32>
    %97 = stablehlo.add %94, %96 : tensor<4x24xf32>
    %98 = stablehlo.multiply %66, %66 : tensor<16x24xf32>
    %cst_27 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<16x24xf32>
    %cst_28 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %102 = stablehlo.multiply %101, %arg12 : tensor<16x24xf32>
    %103 = stablehlo.add %100, %102 : tensor<16x24xf32>
    %104 = stablehlo.multiply %60, %60 : tensor<24x4xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %106 = stablehlo.multiply %105, %104 : tensor<24x4xf32>
    %cst_30 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %108 = stablehlo.multiply %107, %arg13 : tensor<24x4xf32>
    %109 = stablehlo.add %106, %108 : tensor<24x4xf32>
    %110 = stablehlo.multiply %43, %43 : tensor<24x16xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %112 = stablehlo.multiply %111, %110 : tensor<24x16xf32>
    %cst_32 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %114 = stablehlo.multiply %113, %arg14 : tensor<24x16xf32>
    %115 = stablehlo.add %112, %114 : tensor<24x16xf32>
    %116 = stablehlo.multiply %57, %57 : tensor<24x4xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %118 = stablehlo.multiply %117, %116 : tensor<24x4xf32>
    %cst_34 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %120 = stablehlo.multiply %119, %arg15 : tensor<24x4xf32>
    %121 = stablehlo.add %118, %120 : tensor<24x4xf32>
    %c = stablehlo.constant dense<2147483647> : tensor<i32>
    %122 = stablehlo.compare LT, %arg5, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_35 = stablehlo.constant dense<1> : tensor<i32>
    %123 = stablehlo.add %arg5, %c_35 : tensor<i32>
    %c_36 = stablehlo.constant dense<2147483647> : tensor<i32>
    %124 = call @_where(%122, %123, %c_36) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %125 = stablehlo.convert %124 : (tensor<i32>) -> tensor<f32>
    %126 = stablehlo.power %cst_37, %125 : tensor<f32>
    %cst_38 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.subtract %cst_38, %126 : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %129 = stablehlo.divide %71, %128 : tensor<4x24xf32>
    %130 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %131 = stablehlo.divide %76, %130 : tensor<16x24xf32>
    %132 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %133 = stablehlo.divide %81, %132 : tensor<24x4xf32>
    %134 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %135 = stablehlo.divide %86, %134 : tensor<24x16xf32>
    %136 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %137 = stablehlo.divide %91, %136 : tensor<24x4xf32>
    %cst_39 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %138 = stablehlo.convert %124 : (tensor<i32>) -> tensor<f32>
    %139 = stablehlo.power %cst_39, %138 : tensor<f32>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %140 = stablehlo.subtract %cst_40, %139 : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %142 = stablehlo.divide %97, %141 : tensor<4x24xf32>
    %143 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %144 = stablehlo.divide %103, %143 : tensor<16x24xf32>
    %145 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %146 = stablehlo.divide %109, %145 : tensor<24x4xf32>
    %147 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %148 = stablehlo.divide %115, %147 : tensor<24x16xf32>
    %149 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %150 = stablehlo.divide %121, %149 : tensor<24x4xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %152 = stablehlo.add %142, %151 : tensor<4x24xf32>
    %153 = stablehlo.sqrt %152 : tensor<4x24xf32>
    %cst_42 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %155 = stablehlo.add %153, %154 : tensor<4x24xf32>
    %156 = stablehlo.divide %129, %155 : tensor<4x24xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %158 = stablehlo.add %144, %157 : tensor<16x24xf32>
    %159 = stablehlo.sqrt %158 : tensor<16x24xf32>
    %cst_44 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %161 = stablehlo.add %159, %160 : tensor<16x24xf32>
    %162 = stablehlo.divide %131, %161 : tensor<16x24xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %164 = stablehlo.add %146, %163 : tensor<24x4xf32>
    %165 = stablehlo.sqrt %164 : tensor<24x4xf32>
    %cst_46 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %167 = stablehlo.add %165, %166 : tensor<24x4xf32>
    %168 = stablehlo.divide %133, %167 : tensor<24x4xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %170 = stablehlo.add %148, %169 : tensor<24x16xf32>
    %171 = stablehlo.sqrt %170 : tensor<24x16xf32>
    %cst_48 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %173 = stablehlo.add %171, %172 : tensor<24x16xf32>
    %174 = stablehlo.divide %135, %173 : tensor<24x16xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %176 = stablehlo.add %150, %175 : tensor<24x4xf32>
    %177 = stablehlo.sqrt %176 : tensor<24x4xf32>
    %cst_50 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %179 = stablehlo.add %177, %178 : tensor<24x4xf32>
    %180 = stablehlo.divide %137, %179 : tensor<24x4xf32>
    %cst_51 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4x24xf32>
    %182 = stablehlo.multiply %181, %156 : tensor<4x24xf32>
    %cst_52 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %184 = stablehlo.multiply %183, %162 : tensor<16x24xf32>
    %cst_53 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %186 = stablehlo.multiply %185, %168 : tensor<24x4xf32>
    %cst_54 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %188 = stablehlo.multiply %187, %174 : tensor<24x16xf32>
    %cst_55 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<24x4xf32>
    %190 = stablehlo.multiply %189, %180 : tensor<24x4xf32>
    %191 = stablehlo.add %arg0, %182 : tensor<4x24xf32>
    %192 = stablehlo.add %arg1, %184 : tensor<16x24xf32>
    %193 = stablehlo.add %arg2, %186 : tensor<24x4xf32>
    %194 = stablehlo.add %arg3, %188 : tensor<24x16xf32>
    %195 = stablehlo.add %arg4, %190 : tensor<24x4xf32>
    return %191, %192, %193, %194, %195, %124, %71, %76, %81, %86, %91, %97, %103, %109, %115, %121, %31 : tensor<4x24xf32>, tensor<16x24xf32>, tensor<24x4xf32>, tensor<24x16xf32>, tensor<24x4xf32>, tensor<i32>, tensor<4x24xf32>, tensor<16x24xf32>, tensor<24x4xf32>, tensor<24x16xf32>, tensor<24x4xf32>, tensor<4x24xf32>, tensor<16x24xf32>, tensor<24x4xf32>, tensor<24x16xf32>, tensor<24x4xf32>, tensor<f32>
  }
  func.func private @relu(%arg0: tensor<6x24xf32>) -> tensor<6x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
  func.func private @_normal(%arg0: tensor<2xui32>) -> tensor<6x4xf32> {
    %0 = call @_normal_real(%arg0) : (tensor<2xui32>) -> tensor<6x4xf32>
    return %0 : tensor<6x4xf32>
  }
  func.func private @_normal_real(%arg0: tensor<2xui32>) -> tensor<6x4xf32> {
    %cst = stablehlo.constant dense<-0.99999994> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = call @_uniform(%arg0, %cst, %cst_0) : (tensor<2xui32>, tensor<f32>, tensor<f32>) -> tensor<6x4xf32>
    %1 = chlo.erf_inv %0 : tensor<6x4xf32> -> tensor<6x4xf32>
    %cst_1 = stablehlo.constant dense<1.41421354> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<6x4xf32>
    return %3 : tensor<6x4xf32>
  }
  func.func private @_uniform(%arg0: tensor<2xui32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<6x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<1x1xf32>
    %2 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %5 = stablehlo.reshape %4 : (tensor<1xui32>) -> tensor<ui32>
    %6 = stablehlo.iota dim = 0 : tensor<6x4xui64>
    %7 = stablehlo.iota dim = 1 : tensor<6x4xui64>
    %c = stablehlo.constant dense<4> : tensor<ui64>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<6x4xui64>
    %9 = stablehlo.multiply %8, %6 : tensor<6x4xui64>
    %c_0 = stablehlo.constant dense<1> : tensor<ui64>
    %10 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<6x4xui64>
    %11 = stablehlo.multiply %10, %7 : tensor<6x4xui64>
    %12 = stablehlo.add %9, %11 : tensor<6x4xui64>
    %c_1 = stablehlo.constant dense<32> : tensor<ui64>
    %13 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<6x4xui64>
    %14 = stablehlo.shift_right_logical %12, %13 : tensor<6x4xui64>
    %15 = stablehlo.convert %12 : (tensor<6x4xui64>) -> tensor<6x4xui32>
    %16 = stablehlo.convert %14 : (tensor<6x4xui64>) -> tensor<6x4xui32>
    %17:2 = call @threefry2x32(%3, %5, %16, %15) : (tensor<ui32>, tensor<ui32>, tensor<6x4xui32>, tensor<6x4xui32>) -> (tensor<6x4xui32>, tensor<6x4xui32>)
    %18 = stablehlo.xor %17#0, %17#1 : tensor<6x4xui32>
    %c_2 = stablehlo.constant dense<9> : tensor<ui32>
    %19 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %20 = stablehlo.shift_right_logical %18, %19 : tensor<6x4xui32>
    %c_3 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %22 = stablehlo.or %20, %21 : tensor<6x4xui32>
    %23 = stablehlo.bitcast_convert %22 : (tensor<6x4xui32>) -> tensor<6x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %25 = stablehlo.subtract %23, %24 : tensor<6x4xf32>
    %26 = stablehlo.subtract %1, %0 : tensor<1x1xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<6x4xf32>
    %28 = stablehlo.multiply %25, %27 : tensor<6x4xf32>
    %29 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<6x4xf32>
    %30 = stablehlo.add %28, %29 : tensor<6x4xf32>
    %31 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<6x4xf32>
    %32 = stablehlo.maximum %31, %30 : tensor<6x4xf32>
    return %32 : tensor<6x4xf32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<6x4xui32>, %arg3: tensor<6x4xui32>) -> (tensor<6x4xui32>, tensor<6x4xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<6x4xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<6x4xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<6x4xui32>, tensor<6x4xui32>
  }
  func.func private @closed_call(%arg0: tensor<i32>, %arg1: tensor<6x4xui32>, %arg2: tensor<6x4xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6x4xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6x4xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6x4xui32>
    %9 = stablehlo.or %5, %8 : tensor<6x4xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6x4xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6x4xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6x4xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6x4xui32>
    %19 = stablehlo.or %15, %18 : tensor<6x4xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6x4xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6x4xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6x4xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6x4xui32>
    %29 = stablehlo.or %25, %28 : tensor<6x4xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6x4xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6x4xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6x4xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6x4xui32>
    %39 = stablehlo.or %35, %38 : tensor<6x4xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6x4xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %42 = stablehlo.add %33, %41 : tensor<6x4xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %44 = stablehlo.add %40, %43 : tensor<6x4xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<6x4xui32>
    %48 = stablehlo.add %44, %47 : tensor<6x4xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6x4xui32>, tensor<6x4xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
