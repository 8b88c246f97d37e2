module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x60xf32>, %arg2: tensor<16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16x24xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16x8xf32>, %arg8: tensor<24x16xf32>, %arg9: tensor<16x24xf32>, %arg10: tensor<16x8xf32>, %arg11: tensor<16xf32>, %arg12: tensor<i32>, %arg13: tensor<60x16xf32>, %arg14: tensor<16x60xf32>, %arg15: tensor<16xf32>, %arg16: tensor<24x16xf32>, %arg17: tensor<16x24xf32>, %arg18: tensor<16xf32>, %arg19: tensor<16x24xf32>, %arg20: tensor<16x8xf32>, %arg21: tensor<24x16xf32>, %arg22: tensor<16x24xf32>, %arg23: tensor<16x8xf32>, %arg24: tensor<16xf32>, %arg25: tensor<60x16xf32>, %arg26: tensor<16x60xf32>, %arg27: tensor<16xf32>, %arg28: tensor<24x16xf32>, %arg29: tensor<16x24xf32>, %arg30: tensor<16xf32>, %arg31: tensor<16x24xf32>, %arg32: tensor<16x8xf32>, %arg33: tensor<24x16xf32>, %arg34: tensor<16x24xf32>, %arg35: tensor<16x8xf32>, %arg36: tensor<16xf32>, %arg37: tensor<12x12xi32>, %arg38: tensor<12x12xf32>) -> (tensor<60x16xf32> {jax.result_info = "result[0]['embed']"}, tensor<16x60xf32> {jax.result_info = "result[0]['head']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[0]['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[0]['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[0]['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[0]['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[0]['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[0]['norm']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<60x16xf32> {jax.result_info = "result[1][0].mu['embed']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].mu['head']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].mu['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[1][0].mu['norm']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].nu['embed']"}, tensor<16x60xf32> {jax.result_info = "result[1][0].nu['head']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['attention_norm']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['layers'][0]['gate']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['mlp_norm']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['layers'][0]['up']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wk']"}, tensor<24x16xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wo']"}, tensor<16x24xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wq']"}, tensor<16x8xf32> {jax.result_info = "result[1][0].nu['layers'][0]['wv']"}, tensor<16xf32> {jax.result_info = "result[1][0].nu['norm']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.reshape %arg37 : (tensor<12x12xi32>) -> tensor<2x6x12xi32>
    %1 = stablehlo.reshape %arg38 : (tensor<12x12xf32>) -> tensor<2x6x12xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %14:29 = stablehlo.while(%iterArg = %0, %iterArg_116 = %1, %iterArg_117 = %arg0, %iterArg_118 = %arg2, %iterArg_119 = %arg9, %iterArg_120 = %arg7, %iterArg_121 = %arg10, %iterArg_122 = %arg8, %iterArg_123 = %arg5, %iterArg_124 = %arg4, %iterArg_125 = %arg6, %iterArg_126 = %arg3, %iterArg_127 = %arg11, %iterArg_128 = %arg1, %iterArg_129 = %c, %iterArg_130 = %2, %iterArg_131 = %3, %iterArg_132 = %4, %iterArg_133 = %5, %iterArg_134 = %6, %iterArg_135 = %7, %iterArg_136 = %8, %iterArg_137 = %9, %iterArg_138 = %10, %iterArg_139 = %11, %iterArg_140 = %12, %iterArg_141 = %13, %iterArg_142 = %cst_11, %iterArg_143 = %cst_12) : tensor<2x6x12xi32>, tensor<2x6x12xf32>, tensor<60x16xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x60xf32>, tensor<i32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>
    cond {
      %c_144 = stablehlo.constant dense<2> : tensor<i32>
      %373 = stablehlo.compare LT, %iterArg_129, %c_144, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %373 : tensor<i1>
    } do {
      %373 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_129) : (tensor<2x6x12xi32>, tensor<i32>) -> tensor<6x12xi32>
      %374 = func.call @dynamic_index_in_dim_0(%iterArg_116, %iterArg_129) : (tensor<2x6x12xf32>, tensor<i32>) -> tensor<6x12xf32>
      %375:14 = func.call @closed_call(%iterArg_117, %iterArg_118, %iterArg_119, %iterArg_120, %iterArg_121, %iterArg_122, %iterArg_123, %iterArg_124, %iterArg_125, %iterArg_126, %iterArg_127, %iterArg_128, %iterArg_130, %iterArg_131, %iterArg_132, %iterArg_133, %iterArg_134, %iterArg_135, %iterArg_136, %iterArg_137, %iterArg_138, %iterArg_139, %iterArg_140, %iterArg_141, %iterArg_142, %iterArg_143, %373, %374) : (tensor<60x16xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x60xf32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>, tensor<6x12xi32>, tensor<6x12xf32>) -> (tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>)
      %c_144 = stablehlo.constant dense<1> : tensor<i32>
      %376 = stablehlo.add %iterArg_129, %c_144 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_116, %iterArg_117, %iterArg_118, %iterArg_119, %iterArg_120, %iterArg_121, %iterArg_122, %iterArg_123, %iterArg_124, %iterArg_125, %iterArg_126, %iterArg_127, %iterArg_128, %376, %375#0, %375#1, %375#2, %375#3, %375#4, %375#5, %375#6, %375#7, %375#8, %375#9, %375#10, %375#11, %375#12, %375#13 : tensor<2x6x12xi32>, tensor<2x6x12xf32>, tensor<60x16xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x60xf32>, tensor<i32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>
    }
    %15 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %16 = stablehlo.divide %14#15, %15 : tensor<60x16xf32>
    %17 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %18 = stablehlo.divide %14#16, %17 : tensor<16x60xf32>
    %19 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %20 = stablehlo.divide %14#17, %19 : tensor<16xf32>
    %21 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %22 = stablehlo.divide %14#18, %21 : tensor<24x16xf32>
    %23 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %24 = stablehlo.divide %14#19, %23 : tensor<16x24xf32>
    %25 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %26 = stablehlo.divide %14#20, %25 : tensor<16xf32>
    %27 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %28 = stablehlo.divide %14#21, %27 : tensor<16x24xf32>
    %29 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %30 = stablehlo.divide %14#22, %29 : tensor<16x8xf32>
    %31 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %32 = stablehlo.divide %14#23, %31 : tensor<24x16xf32>
    %33 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %34 = stablehlo.divide %14#24, %33 : tensor<16x24xf32>
    %35 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %36 = stablehlo.divide %14#25, %35 : tensor<16x8xf32>
    %37 = stablehlo.broadcast_in_dim %14#28, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %38 = stablehlo.divide %14#26, %37 : tensor<16xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %40 = stablehlo.multiply %39, %16 : tensor<60x16xf32>
    %cst_14 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %42 = stablehlo.multiply %41, %arg13 : tensor<60x16xf32>
    %43 = stablehlo.add %40, %42 : tensor<60x16xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %45 = stablehlo.multiply %44, %18 : tensor<16x60xf32>
    %cst_16 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %47 = stablehlo.multiply %46, %arg14 : tensor<16x60xf32>
    %48 = stablehlo.add %45, %47 : tensor<16x60xf32>
    %cst_17 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %50 = stablehlo.multiply %49, %20 : tensor<16xf32>
    %cst_18 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %52 = stablehlo.multiply %51, %arg15 : tensor<16xf32>
    %53 = stablehlo.add %50, %52 : tensor<16xf32>
    %cst_19 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %55 = stablehlo.multiply %54, %22 : tensor<24x16xf32>
    %cst_20 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %57 = stablehlo.multiply %56, %arg16 : tensor<24x16xf32>
    %58 = stablehlo.add %55, %57 : tensor<24x16xf32>
    %cst_21 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %60 = stablehlo.multiply %59, %24 : tensor<16x24xf32>
    %cst_22 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %62 = stablehlo.multiply %61, %arg17 : tensor<16x24xf32>
    %63 = stablehlo.add %60, %62 : tensor<16x24xf32>
    %cst_23 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %65 = stablehlo.multiply %64, %26 : tensor<16xf32>
    %cst_24 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %67 = stablehlo.multiply %66, %arg18 : tensor<16xf32>
    %68 = stablehlo.add %65, %67 : tensor<16xf32>
    %cst_25 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %70 = stablehlo.multiply %69, %28 : tensor<16x24xf32>
    %cst_26 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %72 = stablehlo.multiply %71, %arg19 : tensor<16x24xf32>
    %73 = stablehlo.add %70, %72 : tensor<16x24xf32>
    %cst_27 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %75 = stablehlo.multiply %74, %30 : tensor<16x8xf32>
    %cst_28 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %77 = stablehlo.multiply %76, %arg20 : tensor<16x8xf32>
    %78 = stablehlo.add %75, %77 : tensor<16x8xf32>
    %cst_29 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %80 = stablehlo.multiply %79, %32 : tensor<24x16xf32>
    %cst_30 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %82 = stablehlo.multiply %81, %arg21 : tensor<24x16xf32>
    %83 = stablehlo.add %80, %82 : tensor<24x16xf32>
    %cst_31 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %85 = stablehlo.multiply %84, %34 : tensor<16x24xf32>
    %cst_32 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %87 = stablehlo.multiply %86, %arg22 : tensor<16x24xf32>
    %88 = stablehlo.add %85, %87 : tensor<16x24xf32>
    %cst_33 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %90 = stablehlo.multiply %89, %36 : tensor<16x8xf32>
    %cst_34 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %92 = stablehlo.multiply %91, %arg23 : tensor<16x8xf32>
    %93 = stablehlo.add %90, %92 : tensor<16x8xf32>
    %cst_35 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %95 = stablehlo.multiply %94, %38 : tensor<16xf32>
    %cst_36 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %97 = stablehlo.multiply %96, %arg24 : tensor<16xf32>
    %98 = stablehlo.add %95, %97 : tensor<16xf32>
    %99 = stablehlo.multiply %16, %16 : tensor<60x16xf32>
    %cst_37 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %101 = stablehlo.multiply %100, %99 : tensor<60x16xf32>
    %cst_38 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %103 = stablehlo.multiply %102, %arg25 : tensor<60x16xf32>
    %104 = stablehlo.add %101, %103 : tensor<60x16xf32>
    %105 = stablehlo.multiply %18, %18 : tensor<16x60xf32>
    %cst_39 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %107 = stablehlo.multiply %106, %105 : tensor<16x60xf32>
    %cst_40 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %108 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %109 = stablehlo.multiply %108, %arg26 : tensor<16x60xf32>
    %110 = stablehlo.add %107, %109 : tensor<16x60xf32>
    %111 = stablehlo.multiply %20, %20 : tensor<16xf32>
    %cst_41 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %113 = stablehlo.multiply %112, %111 : tensor<16xf32>
    %cst_42 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %115 = stablehlo.multiply %114, %arg27 : tensor<16xf32>
    %116 = stablehlo.add %113, %115 : tensor<16xf32>
    %117 = stablehlo.multiply %22, %22 : tensor<24x16xf32>
    %cst_43 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %119 = stablehlo.multiply %118, %117 : tensor<24x16xf32>
    %cst_44 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %120 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %121 = stablehlo.multiply %120, %arg28 : tensor<24x16xf32>
    %122 = stablehlo.add %119, %121 : tensor<24x16xf32>
    %123 = stablehlo.multiply %24, %24 : tensor<16x24xf32>
    %cst_45 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %125 = stablehlo.multiply %124, %123 : tensor<16x24xf32>
    %cst_46 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %127 = stablehlo.multiply %126, %arg29 : tensor<16x24xf32>
    %128 = stablehlo.add %125, %127 : tensor<16x24xf32>
    %129 = stablehlo.multiply %26, %26 : tensor<16xf32>
    %cst_47 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %131 = stablehlo.multiply %130, %129 : tensor<16xf32>
    %cst_48 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %132 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %133 = stablehlo.multiply %132, %arg30 : tensor<16xf32>
    %134 = stablehlo.add %131, %133 : tensor<16xf32>
    %135 = stablehlo.multiply %28, %28 : tensor<16x24xf32>
    %cst_49 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %137 = stablehlo.multiply %136, %135 : tensor<16x24xf32>
    %cst_50 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %138 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %139 = stablehlo.multiply %138, %arg31 : tensor<16x24xf32>
    %140 = stablehlo.add %137, %139 : tensor<16x24xf32>
    %141 = stablehlo.multiply %30, %30 : tensor<16x8xf32>
    %cst_51 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %142 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %143 = stablehlo.multiply %142, %141 : tensor<16x8xf32>
    %cst_52 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %145 = stablehlo.multiply %144, %arg32 : tensor<16x8xf32>
    %146 = stablehlo.add %143, %145 : tensor<16x8xf32>
    %147 = stablehlo.multiply %32, %32 : tensor<24x16xf32>
    %cst_53 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %149 = stablehlo.multiply %148, %147 : tensor<24x16xf32>
    %cst_54 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %151 = stablehlo.multiply %150, %arg33 : tensor<24x16xf32>
    %152 = stablehlo.add %149, %151 : tensor<24x16xf32>
    %153 = stablehlo.multiply %34, %34 : tensor<16x24xf32>
    %cst_55 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %154 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %155 = stablehlo.multiply %154, %153 : tensor<16x24xf32>
    %cst_56 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %157 = stablehlo.multiply %156, %arg34 : tensor<16x24xf32>
    %158 = stablehlo.add %155, %157 : tensor<16x24xf32>
    %159 = stablehlo.multiply %36, %36 : tensor<16x8xf32>
    %cst_57 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %160 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %161 = stablehlo.multiply %160, %159 : tensor<16x8xf32>
    %cst_58 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %163 = stablehlo.multiply %162, %arg35 : tensor<16x8xf32>
    %164 = stablehlo.add %161, %163 : tensor<16x8xf32>
    %165 = stablehlo.multiply %38, %38 : tensor<16xf32>
    %cst_59 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %167 = stablehlo.multiply %166, %165 : tensor<16xf32>
    %cst_60 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %169 = stablehlo.multiply %168, %arg36 : tensor<16xf32>
    %170 = stablehlo.add %167, %169 : tensor<16xf32>
    %c_61 = stablehlo.constant dense<2147483647> : tensor<i32>
    %171 = stablehlo.compare LT, %arg12, %c_61, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_62 = stablehlo.constant dense<1> : tensor<i32>
    %172 = stablehlo.add %arg12, %c_62 : tensor<i32>
    %c_63 = stablehlo.constant dense<2147483647> : tensor<i32>
    %173 = call @_where_6(%171, %172, %c_63) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_64 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %174 = stablehlo.convert %173 : (tensor<i32>) -> tensor<f32>
    %175 = stablehlo.power %cst_64, %174 : tensor<f32>
    %cst_65 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %176 = stablehlo.subtract %cst_65, %175 : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %178 = stablehlo.divide %43, %177 : tensor<60x16xf32>
    %179 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %180 = stablehlo.divide %48, %179 : tensor<16x60xf32>
    %181 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %182 = stablehlo.divide %53, %181 : tensor<16xf32>
    %183 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %184 = stablehlo.divide %58, %183 : tensor<24x16xf32>
    %185 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %186 = stablehlo.divide %63, %185 : tensor<16x24xf32>
    %187 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %188 = stablehlo.divide %68, %187 : tensor<16xf32>
    %189 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %190 = stablehlo.divide %73, %189 : tensor<16x24xf32>
    %191 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %192 = stablehlo.divide %78, %191 : tensor<16x8xf32>
    %193 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %194 = stablehlo.divide %83, %193 : tensor<24x16xf32>
    %195 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %196 = stablehlo.divide %88, %195 : tensor<16x24xf32>
    %197 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %198 = stablehlo.divide %93, %197 : tensor<16x8xf32>
    %199 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %200 = stablehlo.divide %98, %199 : tensor<16xf32>
    %cst_66 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %201 = stablehlo.convert %173 : (tensor<i32>) -> tensor<f32>
    %202 = stablehlo.power %cst_66, %201 : tensor<f32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %203 = stablehlo.subtract %cst_67, %202 : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %205 = stablehlo.divide %104, %204 : tensor<60x16xf32>
    %206 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %207 = stablehlo.divide %110, %206 : tensor<16x60xf32>
    %208 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %209 = stablehlo.divide %116, %208 : tensor<16xf32>
    %210 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %211 = stablehlo.divide %122, %210 : tensor<24x16xf32>
    %212 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %213 = stablehlo.divide %128, %212 : tensor<16x24xf32>
    %214 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %215 = stablehlo.divide %134, %214 : tensor<16xf32>
    %216 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %217 = stablehlo.divide %140, %216 : tensor<16x24xf32>
    %218 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %219 = stablehlo.divide %146, %218 : tensor<16x8xf32>
    %220 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %221 = stablehlo.divide %152, %220 : tensor<24x16xf32>
    %222 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %223 = stablehlo.divide %158, %222 : tensor<16x24xf32>
    %224 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %225 = stablehlo.divide %164, %224 : tensor<16x8xf32>
    %226 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %227 = stablehlo.divide %170, %226 : tensor<16xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %229 = stablehlo.add %205, %228 : tensor<60x16xf32>
    %230 = stablehlo.sqrt %229 : tensor<60x16xf32>
    %cst_69 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %231 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %232 = stablehlo.add %230, %231 : tensor<60x16xf32>
    %233 = stablehlo.divide %178, %232 : tensor<60x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %235 = stablehlo.add %207, %234 : tensor<16x60xf32>
    %236 = stablehlo.sqrt %235 : tensor<16x60xf32>
    %cst_71 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %237 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %238 = stablehlo.add %236, %237 : tensor<16x60xf32>
    %239 = stablehlo.divide %180, %238 : tensor<16x60xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %241 = stablehlo.add %209, %240 : tensor<16xf32>
    %242 = stablehlo.sqrt %241 : tensor<16xf32>
    %cst_73 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %244 = stablehlo.add %242, %243 : tensor<16xf32>
    %245 = stablehlo.divide %182, %244 : tensor<16xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %247 = stablehlo.add %211, %246 : tensor<24x16xf32>
    %248 = stablehlo.sqrt %247 : tensor<24x16xf32>
    %cst_75 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %250 = stablehlo.add %248, %249 : tensor<24x16xf32>
    %251 = stablehlo.divide %184, %250 : tensor<24x16xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %253 = stablehlo.add %213, %252 : tensor<16x24xf32>
    %254 = stablehlo.sqrt %253 : tensor<16x24xf32>
    %cst_77 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %256 = stablehlo.add %254, %255 : tensor<16x24xf32>
    %257 = stablehlo.divide %186, %256 : tensor<16x24xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %258 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %259 = stablehlo.add %215, %258 : tensor<16xf32>
    %260 = stablehlo.sqrt %259 : tensor<16xf32>
    %cst_79 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %261 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %262 = stablehlo.add %260, %261 : tensor<16xf32>
    %263 = stablehlo.divide %188, %262 : tensor<16xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %265 = stablehlo.add %217, %264 : tensor<16x24xf32>
    %266 = stablehlo.sqrt %265 : tensor<16x24xf32>
    %cst_81 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %267 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %268 = stablehlo.add %266, %267 : tensor<16x24xf32>
    %269 = stablehlo.divide %190, %268 : tensor<16x24xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %271 = stablehlo.add %219, %270 : tensor<16x8xf32>
    %272 = stablehlo.sqrt %271 : tensor<16x8xf32>
    %cst_83 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %274 = stablehlo.add %272, %273 : tensor<16x8xf32>
    %275 = stablehlo.divide %192, %274 : tensor<16x8xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %277 = stablehlo.add %221, %276 : tensor<24x16xf32>
    %278 = stablehlo.sqrt %277 : tensor<24x16xf32>
    %cst_85 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %279 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %280 = stablehlo.add %278, %279 : tensor<24x16xf32>
    %281 = stablehlo.divide %194, %280 : tensor<24x16xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %283 = stablehlo.add %223, %282 : tensor<16x24xf32>
    %284 = stablehlo.sqrt %283 : tensor<16x24xf32>
    %cst_87 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %285 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %286 = stablehlo.add %284, %285 : tensor<16x24xf32>
    %287 = stablehlo.divide %196, %286 : tensor<16x24xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %289 = stablehlo.add %225, %288 : tensor<16x8xf32>
    %290 = stablehlo.sqrt %289 : tensor<16x8xf32>
    %cst_89 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %292 = stablehlo.add %290, %291 : tensor<16x8xf32>
    %293 = stablehlo.divide %198, %292 : tensor<16x8xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %294 = stablehlo.broadcast_in_dim %cst_90, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %295 = stablehlo.add %227, %294 : tensor<16xf32>
    %296 = stablehlo.sqrt %295 : tensor<16xf32>
    %cst_91 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %298 = stablehlo.add %296, %297 : tensor<16xf32>
    %299 = stablehlo.divide %200, %298 : tensor<16xf32>
    %cst_92 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %300 = stablehlo.broadcast_in_dim %cst_92, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %301 = stablehlo.multiply %300, %arg0 : tensor<60x16xf32>
    %302 = stablehlo.add %233, %301 : tensor<60x16xf32>
    %cst_93 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %303 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %304 = stablehlo.multiply %303, %arg1 : tensor<16x60xf32>
    %305 = stablehlo.add %239, %304 : tensor<16x60xf32>
    %cst_94 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %306 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %307 = stablehlo.multiply %306, %arg2 : tensor<16xf32>
    %308 = stablehlo.add %245, %307 : tensor<16xf32>
    %cst_95 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %310 = stablehlo.multiply %309, %arg3 : tensor<24x16xf32>
    %311 = stablehlo.add %251, %310 : tensor<24x16xf32>
    %cst_96 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %cst_96, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %313 = stablehlo.multiply %312, %arg4 : tensor<16x24xf32>
    %314 = stablehlo.add %257, %313 : tensor<16x24xf32>
    %cst_97 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %315 = stablehlo.broadcast_in_dim %cst_97, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %316 = stablehlo.multiply %315, %arg5 : tensor<16xf32>
    %317 = stablehlo.add %263, %316 : tensor<16xf32>
    %cst_98 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %318 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %319 = stablehlo.multiply %318, %arg6 : tensor<16x24xf32>
    %320 = stablehlo.add %269, %319 : tensor<16x24xf32>
    %cst_99 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %321 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %322 = stablehlo.multiply %321, %arg7 : tensor<16x8xf32>
    %323 = stablehlo.add %275, %322 : tensor<16x8xf32>
    %cst_100 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %324 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %325 = stablehlo.multiply %324, %arg8 : tensor<24x16xf32>
    %326 = stablehlo.add %281, %325 : tensor<24x16xf32>
    %cst_101 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %327 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %328 = stablehlo.multiply %327, %arg9 : tensor<16x24xf32>
    %329 = stablehlo.add %287, %328 : tensor<16x24xf32>
    %cst_102 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %331 = stablehlo.multiply %330, %arg10 : tensor<16x8xf32>
    %332 = stablehlo.add %293, %331 : tensor<16x8xf32>
    %cst_103 = stablehlo.constant dense<9.99999974E-5> : tensor<f32>
    %333 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %334 = stablehlo.multiply %333, %arg11 : tensor<16xf32>
    %335 = stablehlo.add %299, %334 : tensor<16xf32>
    %cst_104 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %336 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %337 = stablehlo.multiply %336, %302 : tensor<60x16xf32>
    %cst_105 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %338 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<16x60xf32>
    %339 = stablehlo.multiply %338, %305 : tensor<16x60xf32>
    %cst_106 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %340 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %341 = stablehlo.multiply %340, %308 : tensor<16xf32>
    %cst_107 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %342 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %343 = stablehlo.multiply %342, %311 : tensor<24x16xf32>
    %cst_108 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %345 = stablehlo.multiply %344, %314 : tensor<16x24xf32>
    %cst_109 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %346 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %347 = stablehlo.multiply %346, %317 : tensor<16xf32>
    %cst_110 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %348 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %349 = stablehlo.multiply %348, %320 : tensor<16x24xf32>
    %cst_111 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %351 = stablehlo.multiply %350, %323 : tensor<16x8xf32>
    %cst_112 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %352 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %353 = stablehlo.multiply %352, %326 : tensor<24x16xf32>
    %cst_113 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %354 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %355 = stablehlo.multiply %354, %329 : tensor<16x24xf32>
    %cst_114 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %356 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<16x8xf32>
    %357 = stablehlo.multiply %356, %332 : tensor<16x8xf32>
    %cst_115 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %358 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %359 = stablehlo.multiply %358, %335 : tensor<16xf32>
    %360 = stablehlo.add %arg0, %337 : tensor<60x16xf32>
    %361 = stablehlo.add %arg1, %339 : tensor<16x60xf32>
    %362 = stablehlo.add %arg2, %341 : tensor<16xf32>
    %363 = stablehlo.add %arg3, %343 : tensor<24x16xf32>
    %364 = stablehlo.add %arg4, %345 : tensor<16x24xf32>
    %365 = stablehlo.add %arg5, %347 : tensor<16xf32>
    %366 = stablehlo.add %arg6, %349 : tensor<16x24xf32>
    %367 = stablehlo.add %arg7, %351 : tensor<16x8xf32>
    %368 = stablehlo.add %arg8, %353 : tensor<24x16xf32>
    %369 = stablehlo.add %arg9, %355 : tensor<16x24xf32>
    %370 = stablehlo.add %arg10, %357 : tensor<16x8xf32>
    %371 = stablehlo.add %arg11, %359 : tensor<16xf32>
    %372 = stablehlo.divide %14#27, %14#28 : tensor<f32>
    return %360, %361, %362, %363, %364, %365, %366, %367, %368, %369, %370, %371, %173, %43, %48, %53, %58, %63, %68, %73, %78, %83, %88, %93, %98, %104, %110, %116, %122, %128, %134, %140, %146, %152, %158, %164, %170, %372 : tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<i32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x6x12xi32>, %arg1: tensor<i32>) -> tensor<6x12xi32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 12] : (tensor<2x6x12xi32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12xi32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12xi32>) -> tensor<6x12xi32>
    return %1 : tensor<6x12xi32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<2x6x12xf32>, %arg1: tensor<i32>) -> tensor<6x12xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 12] : (tensor<2x6x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12xf32>) -> tensor<6x12xf32>
    return %1 : tensor<6x12xf32>
  }
  func.func private @closed_call(%arg0: tensor<60x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16x24xf32>, %arg3: tensor<16x8xf32>, %arg4: tensor<16x8xf32>, %arg5: tensor<24x16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<16x24xf32>, %arg9: tensor<24x16xf32>, %arg10: tensor<16xf32>, %arg11: tensor<16x60xf32>, %arg12: tensor<60x16xf32>, %arg13: tensor<16x60xf32>, %arg14: tensor<16xf32>, %arg15: tensor<24x16xf32>, %arg16: tensor<16x24xf32>, %arg17: tensor<16xf32>, %arg18: tensor<16x24xf32>, %arg19: tensor<16x8xf32>, %arg20: tensor<24x16xf32>, %arg21: tensor<16x24xf32>, %arg22: tensor<16x8xf32>, %arg23: tensor<16xf32>, %arg24: tensor<f32>, %arg25: tensor<f32>, %arg26: tensor<6x12xi32>, %arg27: tensor<6x12xf32>) -> (tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg26, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg26, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg26 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.iota dim = 0 : tensor<12xi32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<12xi32>) -> tensor<6x12xi32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %10 = call @tril(%9) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %11 = stablehlo.multiply %6, %6 : tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%11 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %15 = stablehlo.divide %13, %14 : tensor<6x12x1xf32>
    %cst_3 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %17 = stablehlo.add %15, %16 : tensor<6x12x1xf32>
    %18 = stablehlo.rsqrt %17 : tensor<6x12x1xf32>
    %19 = stablehlo.divide %18, %17 : tensor<6x12x1xf32>
    %cst_4 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %21 = stablehlo.multiply %20, %19 : tensor<6x12x1xf32>
    %22 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %23 = stablehlo.multiply %6, %22 : tensor<6x12x16xf32>
    %24 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %26 = stablehlo.multiply %23, %25 : tensor<6x12x16xf32>
    %27 = stablehlo.dot_general %26, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %28 = stablehlo.reshape %27 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %29 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %30 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %31 = stablehlo.convert %30 : (tensor<2xi32>) -> tensor<2xf32>
    %32 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %33 = stablehlo.power %32, %31 : tensor<2xf32>
    %34 = stablehlo.convert %29 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %36 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<6x12x1x2xf32>
    %39 = stablehlo.slice %28 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %40 = stablehlo.slice %28 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %41 = stablehlo.cosine %38 : tensor<6x12x1x2xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %43 = stablehlo.multiply %39, %42 : tensor<6x12x6x2xf32>
    %44 = stablehlo.sine %38 : tensor<6x12x1x2xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %46 = stablehlo.multiply %40, %45 : tensor<6x12x6x2xf32>
    %47 = stablehlo.subtract %43, %46 : tensor<6x12x6x2xf32>
    %48 = stablehlo.sine %38 : tensor<6x12x1x2xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %50 = stablehlo.multiply %39, %49 : tensor<6x12x6x2xf32>
    %51 = stablehlo.cosine %38 : tensor<6x12x1x2xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %53 = stablehlo.multiply %40, %52 : tensor<6x12x6x2xf32>
    %54 = stablehlo.add %50, %53 : tensor<6x12x6x2xf32>
    %55 = stablehlo.concatenate %47, %54, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %56 = stablehlo.dot_general %26, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %57 = stablehlo.reshape %56 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %58 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1x1xi32>
    %59 = stablehlo.iota dim = 0 : tensor<2xi32>
    %cst_6 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %60 = stablehlo.convert %59 : (tensor<2xi32>) -> tensor<2xf32>
    %61 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %62 = stablehlo.power %61, %60 : tensor<2xf32>
    %63 = stablehlo.convert %58 : (tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xf32>
    %64 = stablehlo.broadcast_in_dim %62, dims = [3] : (tensor<2xf32>) -> tensor<1x1x1x2xf32>
    %65 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<6x12x1x1xf32>) -> tensor<6x12x1x2xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2, 3] : (tensor<1x1x1x2xf32>) -> tensor<6x12x1x2xf32>
    %67 = stablehlo.multiply %65, %66 : tensor<6x12x1x2xf32>
    %68 = stablehlo.slice %57 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %69 = stablehlo.slice %57 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %70 = stablehlo.cosine %67 : tensor<6x12x1x2xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %72 = stablehlo.multiply %68, %71 : tensor<6x12x2x2xf32>
    %73 = stablehlo.sine %67 : tensor<6x12x1x2xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %75 = stablehlo.multiply %69, %74 : tensor<6x12x2x2xf32>
    %76 = stablehlo.subtract %72, %75 : tensor<6x12x2x2xf32>
    %77 = stablehlo.sine %67 : tensor<6x12x1x2xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %79 = stablehlo.multiply %68, %78 : tensor<6x12x2x2xf32>
    %80 = stablehlo.cosine %67 : tensor<6x12x1x2xf32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %82 = stablehlo.multiply %69, %81 : tensor<6x12x2x2xf32>
    %83 = stablehlo.add %79, %82 : tensor<6x12x2x2xf32>
    %84 = stablehlo.concatenate %76, %83, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %85 = stablehlo.dot_general %26, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x8xf32>) -> tensor<6x12x8xf32>
    %86 = stablehlo.reshape %85 : (tensor<6x12x8xf32>) -> tensor<6x12x2x4xf32>
    %87 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %88 = stablehlo.reshape %87 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %89 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2, 4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x3x4xf32>
    %90 = stablehlo.reshape %89 : (tensor<6x12x2x3x4xf32>) -> tensor<6x12x6x4xf32>
    %91 = stablehlo.dot_general %55, %88, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %93 = stablehlo.divide %91, %92 : tensor<6x6x12x12xf32>
    %cst_8 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %94:2 = call @_where(%10, %93, %cst_8) : (tensor<12x12xi1>, tensor<6x6x12x12xf32>, tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>)
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %95 = stablehlo.reduce(%94#0 init: %cst_9) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %97 = stablehlo.maximum %96, %95 : tensor<6x6x12xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %100 = stablehlo.subtract %94#0, %99 : tensor<6x6x12x12xf32>
    %101 = stablehlo.exponential %100 : tensor<6x6x12x12xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%101 init: %cst_11) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %103 = stablehlo.broadcast_in_dim %102, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %105 = stablehlo.divide %101, %104 : tensor<6x6x12x12xf32>
    %106 = stablehlo.multiply %103, %103 : tensor<6x6x12x1xf32>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %108 = stablehlo.divide %107, %106 : tensor<6x6x12x1xf32>
    %109 = stablehlo.dot_general %90, %105, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %110 = stablehlo.transpose %109, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %111 = stablehlo.reshape %110 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %112 = stablehlo.dot_general %111, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %113 = stablehlo.add %6, %112 : tensor<6x12x16xf32>
    %114 = stablehlo.multiply %113, %113 : tensor<6x12x16xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_13) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_14 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %118 = stablehlo.divide %116, %117 : tensor<6x12x1xf32>
    %cst_15 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %120 = stablehlo.add %118, %119 : tensor<6x12x1xf32>
    %121 = stablehlo.rsqrt %120 : tensor<6x12x1xf32>
    %122 = stablehlo.divide %121, %120 : tensor<6x12x1xf32>
    %cst_16 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %124 = stablehlo.multiply %123, %122 : tensor<6x12x1xf32>
    %125 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %126 = stablehlo.multiply %113, %125 : tensor<6x12x16xf32>
    %127 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %129 = stablehlo.multiply %126, %128 : tensor<6x12x16xf32>
    %130 = stablehlo.dot_general %129, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %131:3 = call @silu(%130) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %132 = stablehlo.dot_general %129, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %133 = stablehlo.multiply %131#0, %132 : tensor<6x12x24xf32>
    %134 = stablehlo.dot_general %133, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %135 = stablehlo.add %113, %134 : tensor<6x12x16xf32>
    %136 = stablehlo.multiply %135, %135 : tensor<6x12x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_17) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_18 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %140 = stablehlo.divide %138, %139 : tensor<6x12x1xf32>
    %cst_19 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %142 = stablehlo.add %140, %141 : tensor<6x12x1xf32>
    %143 = stablehlo.rsqrt %142 : tensor<6x12x1xf32>
    %144 = stablehlo.divide %143, %142 : tensor<6x12x1xf32>
    %cst_20 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %146 = stablehlo.multiply %145, %144 : tensor<6x12x1xf32>
    %147 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %148 = stablehlo.multiply %135, %147 : tensor<6x12x16xf32>
    %149 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %151 = stablehlo.multiply %148, %150 : tensor<6x12x16xf32>
    %152 = stablehlo.dot_general %151, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %153 = stablehlo.slice %152 [0:6, 0:11, 0:60] : (tensor<6x12x60xf32>) -> tensor<6x11x60xf32>
    %154 = stablehlo.slice %arg26 [0:6, 1:12] : (tensor<6x12xi32>) -> tensor<6x11xi32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1] : (tensor<6x11xi32>) -> tensor<6x11x1xi32>
    %156:2 = call @take_along_axis(%153, %155) : (tensor<6x11x60xf32>, tensor<6x11x1xi32>) -> (tensor<6x11x1xf32>, tensor<6x11x1x1xi32>)
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %157:2 = call @_take(%156#0, %c_21) : (tensor<6x11x1xf32>, tensor<i32>) -> (tensor<6x11xf32>, tensor<1xi32>)
    %cst_22 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %158 = stablehlo.reduce(%153 init: %cst_22) applies stablehlo.maximum across dimensions = [2] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x11xf32>
    %cst_23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %160 = stablehlo.maximum %159, %158 : tensor<6x11xf32>
    %161 = stablehlo.is_finite %160 : (tensor<6x11xf32>) -> tensor<6x11xi1>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %163 = stablehlo.select %161, %160, %162 : tensor<6x11xi1>, tensor<6x11xf32>
    %164 = stablehlo.broadcast_in_dim %163, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2] : (tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %166 = stablehlo.subtract %153, %165 : tensor<6x11x60xf32>
    %167 = stablehlo.exponential %166 : tensor<6x11x60xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %168 = stablehlo.reduce(%167 init: %cst_25) applies stablehlo.add across dimensions = [2] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x11xf32>
    %169 = stablehlo.abs %168 : tensor<6x11xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %171 = stablehlo.compare GE, %168, %170, FLOAT : (tensor<6x11xf32>, tensor<6x11xf32>) -> tensor<6x11xi1>
    %172 = stablehlo.log %169 : tensor<6x11xf32>
    %173 = stablehlo.add %172, %163 : tensor<6x11xf32>
    %174 = stablehlo.subtract %173, %157#0 : tensor<6x11xf32>
    %175 = stablehlo.slice %arg27 [0:6, 1:12] : (tensor<6x12xf32>) -> tensor<6x11xf32>
    %176 = stablehlo.multiply %174, %175 : tensor<6x11xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %177 = stablehlo.reduce(%176 init: %cst_27) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11xf32>, tensor<f32>) -> tensor<f32>
    %178 = stablehlo.slice %arg27 [0:6, 1:12] : (tensor<6x12xf32>) -> tensor<6x11xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %179 = stablehlo.reduce(%178 init: %cst_28) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x11xf32>, tensor<f32>) -> tensor<f32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %181 = stablehlo.multiply %180, %175 : tensor<6x11xf32>
    %182 = stablehlo.negate %181 : tensor<6x11xf32>
    %183 = stablehlo.divide %181, %169 : tensor<6x11xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %185 = stablehlo.select %171, %184, %183 : tensor<6x11xi1>, tensor<6x11xf32>
    %186 = stablehlo.select %171, %183, %184 : tensor<6x11xi1>, tensor<6x11xf32>
    %187 = stablehlo.negate %185 : tensor<6x11xf32>
    %188 = stablehlo.add %186, %187 : tensor<6x11xf32>
    %189 = stablehlo.broadcast_in_dim %188, dims = [0, 1] : (tensor<6x11xf32>) -> tensor<6x11x60xf32>
    %190 = stablehlo.multiply %189, %167 : tensor<6x11x60xf32>
    %191 = call @_take_2(%157#1, %182) : (tensor<1xi32>, tensor<6x11xf32>) -> tensor<6x11x1xf32>
    %192 = call @take_along_axis_3(%156#1, %191) : (tensor<6x11x1x1xi32>, tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    %193 = stablehlo.add %190, %192 : tensor<6x11x60xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %194 = stablehlo.pad %193, %cst_31, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<6x11x60xf32>, tensor<f32>) -> tensor<6x12x60xf32>
    %195 = stablehlo.dot_general %194, %151, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %196 = stablehlo.transpose %195, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %197 = stablehlo.dot_general %194, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %198 = stablehlo.multiply %148, %197 : tensor<6x12x16xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.reduce(%198 init: %cst_32) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %200 = stablehlo.reshape %199 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %201 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %202 = stablehlo.multiply %197, %201 : tensor<6x12x16xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %203 = stablehlo.reduce(%200 init: %cst_33) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %204 = stablehlo.multiply %135, %202 : tensor<6x12x16xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %206 = stablehlo.reshape %205 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %207 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %208 = stablehlo.multiply %202, %207 : tensor<6x12x16xf32>
    %209 = stablehlo.multiply %206, %146 : tensor<6x12x1xf32>
    %cst_35 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %210 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %211 = stablehlo.divide %209, %210 : tensor<6x12x1xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %212 = stablehlo.reduce(%211 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %214 = stablehlo.multiply %135, %213 : tensor<6x12x16xf32>
    %215 = stablehlo.add %208, %214 : tensor<6x12x16xf32>
    %216 = stablehlo.multiply %213, %135 : tensor<6x12x16xf32>
    %217 = stablehlo.add %215, %216 : tensor<6x12x16xf32>
    %218 = stablehlo.dot_general %217, %133, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %219 = stablehlo.transpose %218, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %220 = stablehlo.dot_general %217, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %221 = stablehlo.multiply %131#0, %220 : tensor<6x12x24xf32>
    %222 = stablehlo.multiply %220, %132 : tensor<6x12x24xf32>
    %223 = stablehlo.dot_general %221, %129, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %224 = stablehlo.transpose %223, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %225 = stablehlo.dot_general %221, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %226 = call @silu_4(%131#1, %131#2, %130, %222) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %227 = stablehlo.dot_general %226, %129, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %228 = stablehlo.transpose %227, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %229 = stablehlo.dot_general %226, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %230 = stablehlo.add %225, %229 : tensor<6x12x16xf32>
    %231 = stablehlo.multiply %126, %230 : tensor<6x12x16xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.reduce(%231 init: %cst_37) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %233 = stablehlo.reshape %232 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %234 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %235 = stablehlo.multiply %230, %234 : tensor<6x12x16xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %236 = stablehlo.reduce(%233 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %237 = stablehlo.multiply %113, %235 : tensor<6x12x16xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_39) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %239 = stablehlo.reshape %238 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %240 = stablehlo.broadcast_in_dim %121, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %241 = stablehlo.multiply %235, %240 : tensor<6x12x16xf32>
    %242 = stablehlo.add %217, %241 : tensor<6x12x16xf32>
    %243 = stablehlo.multiply %239, %124 : tensor<6x12x1xf32>
    %cst_40 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %245 = stablehlo.divide %243, %244 : tensor<6x12x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%245 init: %cst_41) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %247 = stablehlo.broadcast_in_dim %246, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %248 = stablehlo.multiply %113, %247 : tensor<6x12x16xf32>
    %249 = stablehlo.add %242, %248 : tensor<6x12x16xf32>
    %250 = stablehlo.multiply %247, %113 : tensor<6x12x16xf32>
    %251 = stablehlo.add %249, %250 : tensor<6x12x16xf32>
    %252 = stablehlo.dot_general %251, %111, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %253 = stablehlo.transpose %252, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %254 = stablehlo.dot_general %251, %arg5, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %255 = stablehlo.reshape %254 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %256 = stablehlo.transpose %255, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %257 = stablehlo.dot_general %256, %90, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %258 = stablehlo.dot_general %256, %105, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %259 = stablehlo.transpose %258, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %260 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %261 = stablehlo.multiply %257, %260 : tensor<6x6x12x12xf32>
    %262 = stablehlo.multiply %261, %101 : tensor<6x6x12x12xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262 init: %cst_42) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %264 = stablehlo.reshape %263 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %265 = stablehlo.negate %264 : tensor<6x6x12x1xf32>
    %266 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %267 = stablehlo.divide %257, %266 : tensor<6x6x12x12xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.reduce(%265 init: %cst_43) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %269 = stablehlo.broadcast_in_dim %268, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %270 = stablehlo.add %267, %269 : tensor<6x6x12x12xf32>
    %271 = stablehlo.multiply %270, %101 : tensor<6x6x12x12xf32>
    %272 = call @_where_5(%94#1, %271) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %274 = stablehlo.divide %272, %273 : tensor<6x6x12x12xf32>
    %275 = stablehlo.dot_general %274, %55, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %276 = stablehlo.transpose %275, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %277 = stablehlo.dot_general %274, %88, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %278 = stablehlo.transpose %277, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %279 = stablehlo.reshape %259 : (tensor<6x12x6x4xf32>) -> tensor<6x12x2x3x4xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %280 = stablehlo.reduce(%279 init: %cst_45) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xf32>, tensor<f32>) -> tensor<6x12x2x4xf32>
    %281 = stablehlo.reshape %276 : (tensor<6x12x6x4xf32>) -> tensor<6x12x2x3x4xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %282 = stablehlo.reduce(%281 init: %cst_46) applies stablehlo.add across dimensions = [3] : (tensor<6x12x2x3x4xf32>, tensor<f32>) -> tensor<6x12x2x4xf32>
    %283 = stablehlo.reshape %280 : (tensor<6x12x2x4xf32>) -> tensor<6x12x8xf32>
    %284 = stablehlo.dot_general %283, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<6x12x16xf32>) -> tensor<8x16xf32>
    %285 = stablehlo.transpose %284, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %286 = stablehlo.dot_general %283, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<16x8xf32>) -> tensor<6x12x16xf32>
    %287 = stablehlo.slice %282 [0:6, 0:12, 0:2, 0:2] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %288 = stablehlo.slice %282 [0:6, 0:12, 0:2, 2:4] : (tensor<6x12x2x4xf32>) -> tensor<6x12x2x2xf32>
    %289 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %290 = stablehlo.multiply %288, %289 : tensor<6x12x2x2xf32>
    %291 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %292 = stablehlo.multiply %288, %291 : tensor<6x12x2x2xf32>
    %293 = stablehlo.negate %287 : tensor<6x12x2x2xf32>
    %294 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %295 = stablehlo.multiply %293, %294 : tensor<6x12x2x2xf32>
    %296 = stablehlo.add %290, %295 : tensor<6x12x2x2xf32>
    %297 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x2x2xf32>
    %298 = stablehlo.multiply %287, %297 : tensor<6x12x2x2xf32>
    %299 = stablehlo.add %292, %298 : tensor<6x12x2x2xf32>
    %300 = stablehlo.concatenate %299, %296, dim = 3 : (tensor<6x12x2x2xf32>, tensor<6x12x2x2xf32>) -> tensor<6x12x2x4xf32>
    %301 = stablehlo.reshape %300 : (tensor<6x12x2x4xf32>) -> tensor<6x12x8xf32>
    %302 = stablehlo.dot_general %301, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<6x12x16xf32>) -> tensor<8x16xf32>
    %303 = stablehlo.transpose %302, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %304 = stablehlo.dot_general %301, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x8xf32>, tensor<16x8xf32>) -> tensor<6x12x16xf32>
    %305 = stablehlo.add %286, %304 : tensor<6x12x16xf32>
    %306 = stablehlo.slice %278 [0:6, 0:12, 0:6, 0:2] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %307 = stablehlo.slice %278 [0:6, 0:12, 0:6, 2:4] : (tensor<6x12x6x4xf32>) -> tensor<6x12x6x2xf32>
    %308 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %309 = stablehlo.multiply %307, %308 : tensor<6x12x6x2xf32>
    %310 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %311 = stablehlo.multiply %307, %310 : tensor<6x12x6x2xf32>
    %312 = stablehlo.negate %306 : tensor<6x12x6x2xf32>
    %313 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %314 = stablehlo.multiply %312, %313 : tensor<6x12x6x2xf32>
    %315 = stablehlo.add %309, %314 : tensor<6x12x6x2xf32>
    %316 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<6x12x1x2xf32>) -> tensor<6x12x6x2xf32>
    %317 = stablehlo.multiply %306, %316 : tensor<6x12x6x2xf32>
    %318 = stablehlo.add %311, %317 : tensor<6x12x6x2xf32>
    %319 = stablehlo.concatenate %318, %315, dim = 3 : (tensor<6x12x6x2xf32>, tensor<6x12x6x2xf32>) -> tensor<6x12x6x4xf32>
    %320 = stablehlo.reshape %319 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %321 = stablehlo.dot_general %320, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %322 = stablehlo.transpose %321, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %323 = stablehlo.dot_general %320, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %324 = stablehlo.add %305, %323 : tensor<6x12x16xf32>
    %325 = stablehlo.multiply %23, %324 : tensor<6x12x16xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %326 = stablehlo.reduce(%325 init: %cst_47) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %327 = stablehlo.reshape %326 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %328 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %329 = stablehlo.multiply %324, %328 : tensor<6x12x16xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %330 = stablehlo.reduce(%327 init: %cst_48) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %331 = stablehlo.multiply %6, %329 : tensor<6x12x16xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %332 = stablehlo.reduce(%331 init: %cst_49) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %333 = stablehlo.reshape %332 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %334 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %335 = stablehlo.multiply %329, %334 : tensor<6x12x16xf32>
    %336 = stablehlo.add %251, %335 : tensor<6x12x16xf32>
    %337 = stablehlo.multiply %333, %21 : tensor<6x12x1xf32>
    %cst_50 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %338 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %339 = stablehlo.divide %337, %338 : tensor<6x12x1xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_51) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %341 = stablehlo.broadcast_in_dim %340, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %342 = stablehlo.multiply %6, %341 : tensor<6x12x16xf32>
    %343 = stablehlo.add %336, %342 : tensor<6x12x16xf32>
    %344 = stablehlo.multiply %341, %6 : tensor<6x12x16xf32>
    %345 = stablehlo.add %343, %344 : tensor<6x12x16xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %346 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %347 = "stablehlo.scatter"(%346, %5, %345) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg28: tensor<f32>, %arg29: tensor<f32>):
      %364 = stablehlo.add %arg28, %arg29 : tensor<f32>
      stablehlo.return %364 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %348 = stablehlo.add %arg12, %347 : tensor<60x16xf32>
    %349 = stablehlo.add %arg13, %196 : tensor<16x60xf32>
    %350 = stablehlo.add %arg14, %330 : tensor<16xf32>
    %351 = stablehlo.add %arg15, %219 : tensor<24x16xf32>
    %352 = stablehlo.add %arg16, %228 : tensor<16x24xf32>
    %353 = stablehlo.add %arg17, %236 : tensor<16xf32>
    %354 = stablehlo.add %arg18, %224 : tensor<16x24xf32>
    %355 = stablehlo.add %arg19, %303 : tensor<16x8xf32>
    %356 = stablehlo.add %arg20, %253 : tensor<24x16xf32>
    %357 = stablehlo.add %arg21, %322 : tensor<16x24xf32>
    %358 = stablehlo.add %arg22, %285 : tensor<16x8xf32>
    %359 = stablehlo.add %arg23, %203 : tensor<16xf32>
    %360 = stablehlo.convert %arg24 : tensor<f32>
    %361 = stablehlo.add %360, %177 : tensor<f32>
    %362 = stablehlo.convert %arg25 : tensor<f32>
    %363 = stablehlo.add %362, %179 : tensor<f32>
    return %348, %349, %350, %351, %352, %353, %354, %355, %356, %357, %358, %359, %361, %363 : tensor<60x16xf32>, tensor<16x60xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>, tensor<16xf32>, tensor<f32>, tensor<f32>
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
  func.func private @_where(%arg0: tensor<12x12xi1>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<f32>) -> (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<6x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %3, %1 : tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>
  }
  func.func private @silu(%arg0: tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<6x12x24xf32>
    %1 = stablehlo.exponential %0 : tensor<6x12x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %3 = stablehlo.add %2, %1 : tensor<6x12x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %5 = stablehlo.divide %4, %3 : tensor<6x12x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<6x12x24xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<6x12x24xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<6x12x24xf32>
    return %9, %8, %5 : tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<6x11x60xf32>, %arg1: tensor<6x11x1xi32>) -> (tensor<6x11x1xf32>, tensor<6x11x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x11x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x11x1xi32>, tensor<6x11x1xi32>) -> tensor<6x11x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x11x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x11x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x11x1xi1>, tensor<6x11x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x11x1xi32>) -> tensor<6x11x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x11x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x11x1x1xi32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<6x11x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x11x1x1xi32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x11x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<6x11x1x1xi1>, tensor<i1>) -> tensor<6x11x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x11x60xf32>, tensor<6x11x1x1xi32>) -> tensor<6x11x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x11x1xi1>, tensor<6x11x1xf32>
    return %15, %5 : tensor<6x11x1xf32>, tensor<6x11x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<6x11x1xf32>, %arg1: tensor<i32>) -> (tensor<6x11xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_1(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi32>
    %4 = stablehlo.convert %3 : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = stablehlo.compare LE, %4, %c_1, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %8 = stablehlo.and %6, %7 : tensor<1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%8 init: %c_3) applies stablehlo.and across dimensions = [0] : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 11, 1>}> : (tensor<6x11x1xf32>, tensor<1xi32>) -> tensor<6x11xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6x11xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<6x11xi1>, tensor<6x11xf32>
    return %13, %3 : tensor<6x11xf32>, tensor<1xi32>
  }
  func.func private @_where_1(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_2(%arg0: tensor<1xi32>, %arg1: tensor<6x11xf32>) -> tensor<6x11x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x11x1xf32>, tensor<1xi32>, tensor<6x11xf32>) -> tensor<6x11x1xf32>
    return %1 : tensor<6x11x1xf32>
  }
  func.func private @take_along_axis_3(%arg0: tensor<6x11x1x1xi32>, %arg1: tensor<6x11x1xf32>) -> tensor<6x11x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x11x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x11x60xf32>, tensor<6x11x1x1xi32>, tensor<6x11x1xf32>) -> tensor<6x11x60xf32>
    return %1 : tensor<6x11x60xf32>
  }
  func.func private @silu_4(%arg0: tensor<6x12x24xf32>, %arg1: tensor<6x12x24xf32>, %arg2: tensor<6x12x24xf32>, %arg3: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<6x12x24xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<6x12x24xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<6x12x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<6x12x24xf32>
    return %3 : tensor<6x12x24xf32>
  }
  func.func private @_where_5(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %1 : tensor<6x6x12x12xf32>
  }
  func.func private @_where_6(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
