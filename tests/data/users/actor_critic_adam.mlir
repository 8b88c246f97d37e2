module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x24xf32>, %arg1: tensor<24x3xf32>, %arg2: tensor<24x1xf32>, %arg3: tensor<i32>, %arg4: tensor<16x24xf32>, %arg5: tensor<24x3xf32>, %arg6: tensor<24x1xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<24x3xf32>, %arg9: tensor<24x1xf32>, %arg10: tensor<12x6xi32>, %arg11: tensor<12x6xf32>, %arg12: tensor<12x6x16xf32>, %arg13: tensor<12x6xf32>) -> (tensor<16x24xf32> {jax.result_info = "result[0]['hidden']"}, tensor<24x3xf32> {jax.result_info = "result[0]['policy']"}, tensor<24x1xf32> {jax.result_info = "result[0]['value']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['hidden']"}, tensor<24x3xf32> {jax.result_info = "result[1][0].mu['policy']"}, tensor<24x1xf32> {jax.result_info = "result[1][0].mu['value']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['hidden']"}, tensor<24x3xf32> {jax.result_info = "result[1][0].nu['policy']"}, tensor<24x1xf32> {jax.result_info = "result[1][0].nu['value']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.dot_general %arg12, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x6x16xf32>, tensor<16x24xf32>) -> tensor<12x6x24xf32>
    %1 = stablehlo.tanh %0 : tensor<12x6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<12x6x24xf32>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x6x24xf32>, tensor<24x3xf32>) -> tensor<12x6x3xf32>
    %5:3 = call @log_softmax(%4) : (tensor<12x6x3xf32>) -> (tensor<12x6x3xf32>, tensor<12x6x3xf32>, tensor<12x6x1xf32>)
    %6 = stablehlo.dot_general %1, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<12x6x24xf32>, tensor<24x1xf32>) -> tensor<12x6x1xf32>
    %7 = stablehlo.reshape %6 : (tensor<12x6x1xf32>) -> tensor<12x6xf32>
    %8 = stablehlo.broadcast_in_dim %arg10, dims = [0, 1] : (tensor<12x6xi32>) -> tensor<12x6x1xi32>
    %9:2 = call @take_along_axis(%5#0, %8) : (tensor<12x6x3xf32>, tensor<12x6x1xi32>) -> (tensor<12x6x1xf32>, tensor<12x6x1x1xi32>)
    %10 = stablehlo.reshape %9#0 : (tensor<12x6x1xf32>) -> tensor<12x6xf32>
    %11 = stablehlo.subtract %10, %arg11 : tensor<12x6xf32>
    %12 = stablehlo.exponential %11 : tensor<12x6xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %14 = stablehlo.minimum %12, %13 : tensor<12x6xf32>
    %15 = stablehlo.slice %7 [1:12, 0:6] : (tensor<12x6xf32>) -> tensor<11x6xf32>
    %16 = stablehlo.slice %7 [11:12, 0:6] : (tensor<12x6xf32>) -> tensor<1x6xf32>
    %17 = stablehlo.concatenate %15, %16, dim = 0 : (tensor<11x6xf32>, tensor<1x6xf32>) -> tensor<12x6xf32>
    %cst_1 = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %19 = stablehlo.multiply %18, %17 : tensor<12x6xf32>
    %20 = stablehlo.add %arg13, %19 : tensor<12x6xf32>
    %21 = stablehlo.subtract %20, %7 : tensor<12x6xf32>
    %22 = stablehlo.multiply %14, %21 : tensor<12x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %25:5 = stablehlo.while(%iterArg = %22, %iterArg_41 = %14, %iterArg_42 = %c, %iterArg_43 = %23, %iterArg_44 = %24) : tensor<12x6xf32>, tensor<12x6xf32>, tensor<i32>, tensor<6xf32>, tensor<12x6xf32>
    cond {
      %c_45 = stablehlo.constant dense<12> : tensor<i32>
      %141 = stablehlo.compare LT, %iterArg_42, %c_45, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %141 : tensor<i1>
    } do {
      %c_45 = stablehlo.constant dense<12> : tensor<i32>
      %141 = stablehlo.subtract %c_45, %iterArg_42 : tensor<i32>
      %c_46 = stablehlo.constant dense<1> : tensor<i32>
      %142 = stablehlo.subtract %141, %c_46 : tensor<i32>
      %143 = func.call @dynamic_index_in_dim(%iterArg, %142) : (tensor<12x6xf32>, tensor<i32>) -> tensor<6xf32>
      %144 = func.call @dynamic_index_in_dim(%iterArg_41, %142) : (tensor<12x6xf32>, tensor<i32>) -> tensor<6xf32>
      %145:2 = func.call @closed_call(%iterArg_43, %143, %144) : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
      %146 = func.call @dynamic_update_index_in_dim(%iterArg_44, %145#1, %142) : (tensor<12x6xf32>, tensor<6xf32>, tensor<i32>) -> tensor<12x6xf32>
      %c_47 = stablehlo.constant dense<1> : tensor<i32>
      %147 = stablehlo.add %iterArg_42, %c_47 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_41, %147, %145#0, %146 : tensor<12x6xf32>, tensor<12x6xf32>, tensor<i32>, tensor<6xf32>, tensor<12x6xf32>
    }
    %26 = stablehlo.add %7, %25#4 : tensor<12x6xf32>
    %27 = stablehlo.subtract %7, %26 : tensor<12x6xf32>
    %28 = stablehlo.multiply %27, %27 : tensor<12x6xf32>
    %cst_4 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %30 = stablehlo.multiply %29, %27 : tensor<12x6xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.reduce(%28 init: %cst_5) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_6 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %32 = stablehlo.divide %31, %cst_6 : tensor<f32>
    %33 = stablehlo.multiply %10, %22 : tensor<12x6xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_7) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x6xf32>, tensor<f32>) -> tensor<f32>
    %cst_8 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %35 = stablehlo.divide %34, %cst_8 : tensor<f32>
    %36 = stablehlo.subtract %32, %35 : tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.negate %cst_9 : tensor<f32>
    %cst_10 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %38 = stablehlo.divide %37, %cst_10 : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %40 = stablehlo.multiply %39, %22 : tensor<12x6xf32>
    %cst_11 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_12 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %41 = stablehlo.divide %cst_11, %cst_12 : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %43 = stablehlo.multiply %42, %30 : tensor<12x6xf32>
    %44 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<12x6xf32>) -> tensor<12x6x1xf32>
    %45 = call @take_along_axis_0(%9#1, %44) : (tensor<12x6x1x1xi32>, tensor<12x6x1xf32>) -> tensor<12x6x3xf32>
    %46 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<12x6xf32>) -> tensor<12x6x1xf32>
    %47 = stablehlo.dot_general %46, %1, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x1xf32>, tensor<12x6x24xf32>) -> tensor<1x24xf32>
    %48 = stablehlo.transpose %47, dims = [1, 0] : (tensor<1x24xf32>) -> tensor<24x1xf32>
    %49 = stablehlo.dot_general %46, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x1xf32>, tensor<24x1xf32>) -> tensor<12x6x24xf32>
    %50 = call @log_softmax_1(%5#1, %5#2, %45) : (tensor<12x6x3xf32>, tensor<12x6x1xf32>, tensor<12x6x3xf32>) -> tensor<12x6x3xf32>
    %51 = stablehlo.dot_general %50, %1, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x3xf32>, tensor<12x6x24xf32>) -> tensor<3x24xf32>
    %52 = stablehlo.transpose %51, dims = [1, 0] : (tensor<3x24xf32>) -> tensor<24x3xf32>
    %53 = stablehlo.dot_general %50, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x3xf32>, tensor<24x3xf32>) -> tensor<12x6x24xf32>
    %54 = stablehlo.add %49, %53 : tensor<12x6x24xf32>
    %55 = stablehlo.multiply %54, %3 : tensor<12x6x24xf32>
    %56 = stablehlo.multiply %55, %1 : tensor<12x6x24xf32>
    %57 = stablehlo.add %55, %56 : tensor<12x6x24xf32>
    %58 = stablehlo.dot_general %57, %arg12, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<12x6x24xf32>, tensor<12x6x16xf32>) -> tensor<24x16xf32>
    %59 = stablehlo.transpose %58, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %61 = stablehlo.multiply %60, %59 : tensor<16x24xf32>
    %cst_14 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %63 = stablehlo.multiply %62, %arg4 : tensor<16x24xf32>
    %64 = stablehlo.add %61, %63 : tensor<16x24xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %66 = stablehlo.multiply %65, %52 : tensor<24x3xf32>
    %cst_16 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %68 = stablehlo.multiply %67, %arg5 : tensor<24x3xf32>
    %69 = stablehlo.add %66, %68 : tensor<24x3xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %71 = stablehlo.multiply %70, %48 : tensor<24x1xf32>
    %cst_18 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %73 = stablehlo.multiply %72, %arg6 : tensor<24x1xf32>
    %74 = stablehlo.add %71, %73 : tensor<24x1xf32>
    %75 = stablehlo.multiply %59, %59 : tensor<16x24xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %77 = stablehlo.multiply %76, %75 : tensor<16x24xf32>
    %cst_20 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %79 = stablehlo.multiply %78, %arg7 : tensor<16x24xf32>
    %80 = stablehlo.add %77, %79 : tensor<16x24xf32>
    %81 = stablehlo.multiply %52, %52 : tensor<24x3xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %83 = stablehlo.multiply %82, %81 : tensor<24x3xf32>
    %cst_22 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %85 = stablehlo.multiply %84, %arg8 : tensor<24x3xf32>
    %86 = stablehlo.add %83, %85 : tensor<24x3xf32>
    %87 = stablehlo.multiply %48, %48 : tensor<24x1xf32>
    %cst_23 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<24x1xf32>
    %cst_24 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %91 = stablehlo.multiply %90, %arg9 : tensor<24x1xf32>
    %92 = stablehlo.add %89, %91 : tensor<24x1xf32>
    %c_25 = stablehlo.constant dense<2147483647> : tensor<i32>
    %93 = stablehlo.compare LT, %arg3, %c_25, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_26 = stablehlo.constant dense<1> : tensor<i32>
    %94 = stablehlo.add %arg3, %c_26 : tensor<i32>
    %c_27 = stablehlo.constant dense<2147483647> : tensor<i32>
    %95 = call @_where(%93, %94, %c_27) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_28 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %96 = stablehlo.convert %95 : (tensor<i32>) -> tensor<f32>
    %97 = stablehlo.power %cst_28, %96 : tensor<f32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %98 = stablehlo.subtract %cst_29, %97 : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %100 = stablehlo.divide %64, %99 : tensor<16x24xf32>
    %101 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %102 = stablehlo.divide %69, %101 : tensor<24x3xf32>
    %103 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %104 = stablehlo.divide %74, %103 : tensor<24x1xf32>
    %cst_30 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %105 = stablehlo.convert %95 : (tensor<i32>) -> tensor<f32>
    %106 = stablehlo.power %cst_30, %105 : tensor<f32>
    %cst_31 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %107 = stablehlo.subtract %cst_31, %106 : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %109 = stablehlo.divide %80, %108 : tensor<16x24xf32>
    %110 = stablehlo.broadcast_in_dim %107, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %111 = stablehlo.divide %86, %110 : tensor<24x3xf32>
    %112 = stablehlo.broadcast_in_dim %107, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %113 = stablehlo.divide %92, %112 : tensor<24x1xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %115 = stablehlo.add %109, %114 : tensor<16x24xf32>
    %116 = stablehlo.sqrt %115 : tensor<16x24xf32>
    %cst_33 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %118 = stablehlo.add %116, %117 : tensor<16x24xf32>
    %119 = stablehlo.divide %100, %118 : tensor<16x24xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %121 = stablehlo.add %111, %120 : tensor<24x3xf32>
    %122 = stablehlo.sqrt %121 : tensor<24x3xf32>
    %cst_35 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %124 = stablehlo.add %122, %123 : tensor<24x3xf32>
    %125 = stablehlo.divide %102, %124 : tensor<24x3xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %127 = stablehlo.add %113, %126 : tensor<24x1xf32>
    %128 = stablehlo.sqrt %127 : tensor<24x1xf32>
    %cst_37 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %130 = stablehlo.add %128, %129 : tensor<24x1xf32>
    %131 = stablehlo.divide %104, %130 : tensor<24x1xf32>
    %cst_38 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %133 = stablehlo.multiply %132, %119 : tensor<16x24xf32>
    %cst_39 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<24x3xf32>
    %135 = stablehlo.multiply %134, %125 : tensor<24x3xf32>
    %cst_40 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<24x1xf32>
    %137 = stablehlo.multiply %136, %131 : tensor<24x1xf32>
    %138 = stablehlo.add %arg0, %133 : tensor<16x24xf32>
    %139 = stablehlo.add %arg1, %135 : tensor<24x3xf32>
    %140 = stablehlo.add %arg2, %137 : tensor<24x1xf32>
    return %138, %139, %140, %95, %64, %69, %74, %80, %86, %92, %36 : tensor<16x24xf32>, tensor<24x3xf32>, tensor<24x1xf32>, tensor<i32>, tensor<16x24xf32>, tensor<24x3xf32>, tensor<24x1xf32>, tensor<16x24xf32>, tensor<24x3xf32>, tensor<24x1xf32>, tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<12x6x3xf32>) -> (tensor<12x6x3xf32>, tensor<12x6x3xf32>, tensor<12x6x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<12x6x3xf32>, tensor<f32>) -> tensor<12x6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x6xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<12x6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<12x6xf32>) -> tensor<12x6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<12x6x1xf32>) -> tensor<12x6x3xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<12x6x3xf32>
    %6 = stablehlo.exponential %5 : tensor<12x6x3xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<12x6x3xf32>, tensor<f32>) -> tensor<12x6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<12x6xf32>) -> tensor<12x6x1xf32>
    %9 = stablehlo.log %8 : tensor<12x6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<12x6x1xf32>) -> tensor<12x6x3xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<12x6x3xf32>
    return %11, %6, %8 : tensor<12x6x3xf32>, tensor<12x6x3xf32>, tensor<12x6x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<12x6x3xf32>, %arg1: tensor<12x6x1xi32>) -> (tensor<12x6x1xf32>, tensor<12x6x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x6x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<12x6x1xi32>, tensor<12x6x1xi32>) -> tensor<12x6x1xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12x6x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<12x6x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<12x6x1xi1>, tensor<12x6x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<12x6x1xi32>) -> tensor<12x6x1x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12x6x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<12x6x1x1xi32>, tensor<12x6x1x1xi32>) -> tensor<12x6x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<12x6x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<12x6x1x1xi32>, tensor<12x6x1x1xi32>) -> tensor<12x6x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<12x6x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<12x6x1x1xi1>, tensor<i1>) -> tensor<12x6x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<12x6x3xf32>, tensor<12x6x1x1xi32>) -> tensor<12x6x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x6x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<12x6x1xi1>, tensor<12x6x1xf32>
    return %15, %5 : tensor<12x6x1xf32>, tensor<12x6x1x1xi32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<12x6xf32>, %arg1: tensor<i32>) -> tensor<6xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 6] : (tensor<12x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6xf32>) -> tensor<6xf32>
    return %1 : tensor<6xf32>
  }
  func.func private @closed_call(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %cst = stablehlo.constant dense<9.900000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %1 = stablehlo.multiply %0, %arg2 : tensor<6xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<6xf32>
    %3 = stablehlo.add %arg1, %2 : tensor<6xf32>
    return %3, %3 : tensor<6xf32>, tensor<6xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<12x6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<i32>) -> tensor<12x6xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<12x6xf32>, tensor<1x6xf32>, tensor<i32>, tensor<i32>) -> tensor<12x6xf32>
    return %1 : tensor<12x6xf32>
  }
  func.func private @take_along_axis_0(%arg0: tensor<12x6x1x1xi32>, %arg1: tensor<12x6x1xf32>) -> tensor<12x6x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x6x3xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<12x6x3xf32>, tensor<12x6x1x1xi32>, tensor<12x6x1xf32>) -> tensor<12x6x3xf32>
    return %1 : tensor<12x6x3xf32>
  }
  func.func private @log_softmax_1(%arg0: tensor<12x6x3xf32>, %arg1: tensor<12x6x1xf32>, %arg2: tensor<12x6x3xf32>) -> tensor<12x6x3xf32> {
    %0 = stablehlo.negate %arg2 : tensor<12x6x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<12x6x3xf32>, tensor<f32>) -> tensor<12x6xf32>
    %2 = stablehlo.reshape %1 : (tensor<12x6xf32>) -> tensor<12x6x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<12x6x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<12x6x1xf32>, tensor<f32>) -> tensor<12x6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<12x6xf32>) -> tensor<12x6x3xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<12x6x3xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<12x6x3xf32>
    return %7 : tensor<12x6x3xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
