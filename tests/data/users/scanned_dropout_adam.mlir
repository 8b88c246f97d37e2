module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<3x24x16xf32>, %arg2: tensor<3x16xf32>, %arg3: tensor<3x16x24xf32>, %arg4: tensor<i32>, %arg5: tensor<60x16xf32>, %arg6: tensor<3x24x16xf32>, %arg7: tensor<3x16xf32>, %arg8: tensor<3x16x24xf32>, %arg9: tensor<60x16xf32>, %arg10: tensor<3x24x16xf32>, %arg11: tensor<3x16xf32>, %arg12: tensor<3x16x24xf32>, %arg13: tensor<6x12xi32>, %arg14: tensor<6x12xi32>, %arg15: tensor<2xui32>) -> (tensor<60x16xf32> {jax.result_info = "result[0]['embed']"}, tensor<3x24x16xf32> {jax.result_info = "result[0]['layers']['down']"}, tensor<3x16xf32> {jax.result_info = "result[0]['layers']['norm']"}, tensor<3x16x24xf32> {jax.result_info = "result[0]['layers']['up']"}, tensor<i32> {jax.result_info = "result[1][0].count"}, tensor<60x16xf32> {jax.result_info = "result[1][0].mu['embed']"}, tensor<3x24x16xf32> {jax.result_info = "result[1][0].mu['layers']['down']"}, tensor<3x16xf32> {jax.result_info = "result[1][0].mu['layers']['norm']"}, tensor<3x16x24xf32> {jax.result_info = "result[1][0].mu['layers']['up']"}, tensor<60x16xf32> {jax.result_info = "result[1][0].nu['embed']"}, tensor<3x24x16xf32> {jax.result_info = "result[1][0].nu['layers']['down']"}, tensor<3x16xf32> {jax.result_info = "result[1][0].nu['layers']['norm']"}, tensor<3x16x24xf32> {jax.result_info = "result[1][0].nu['layers']['up']"}, tensor<f32> {jax.result_info = "result[2]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg13, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg13, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg13 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.convert %6 : (tensor<6x12x16xf32>) -> tensor<6x12x16xbf16>
    %8:2 = call @_bernoulli() : () -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>)
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %9 = call @_where(%c_1) : (tensor<i32>) -> tensor<6x12x16xbf16>
    %cst = stablehlo.constant dense<7.500000e-01> : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<3x6x12x16xbf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<3x6x12x1xbf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<3x6x12x1xbf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<3x1x1x16xbf16>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<3x6x12x16xbf16>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<3x16x24xbf16>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %16 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<bf16>) -> tensor<3x6x12x16xbf16>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %17 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<bf16>) -> tensor<3x6x12x24xbf16>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %18 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<bf16>) -> tensor<3x6x12x24xbf16>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %19 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<bf16>) -> tensor<3x6x12x24xbf16>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %20 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<bf16>) -> tensor<3x6x12x24xbf16>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %21 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<bf16>) -> tensor<3x6x12x24xbf16>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %22 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<bf16>) -> tensor<3x24x16xbf16>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %23 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<bf16>) -> tensor<3x6x12x24xbf16>
    %c_16 = stablehlo.constant dense<false> : tensor<i1>
    %24 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i1>) -> tensor<3x6x12x16xi1>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %25:25 = stablehlo.while(%iterArg = %arg1, %iterArg_69 = %arg2, %iterArg_70 = %arg3, %iterArg_71 = %8#0, %iterArg_72 = %8#1, %iterArg_73 = %cst, %iterArg_74 = %9, %iterArg_75 = %c_17, %iterArg_76 = %7, %iterArg_77 = %arg15, %iterArg_78 = %10, %iterArg_79 = %11, %iterArg_80 = %12, %iterArg_81 = %13, %iterArg_82 = %14, %iterArg_83 = %15, %iterArg_84 = %16, %iterArg_85 = %17, %iterArg_86 = %18, %iterArg_87 = %19, %iterArg_88 = %20, %iterArg_89 = %21, %iterArg_90 = %22, %iterArg_91 = %23, %iterArg_92 = %24) : tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16x24xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<6x12x16xbf16>, tensor<i32>, tensor<6x12x16xbf16>, tensor<2xui32>, tensor<3x6x12x16xbf16>, tensor<3x6x12x1xbf16>, tensor<3x6x12x1xbf16>, tensor<3x1x1x16xbf16>, tensor<3x6x12x16xbf16>, tensor<3x16x24xbf16>, tensor<3x6x12x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x24x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x16xi1>
    cond {
      %c_93 = stablehlo.constant dense<3> : tensor<i32>
      %183 = stablehlo.compare LT, %iterArg_75, %c_93, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %183 : tensor<i1>
    } do {
      %183 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_75) : (tensor<3x24x16xf32>, tensor<i32>) -> tensor<24x16xf32>
      %184 = func.call @dynamic_index_in_dim_0(%iterArg_69, %iterArg_75) : (tensor<3x16xf32>, tensor<i32>) -> tensor<16xf32>
      %185 = func.call @dynamic_index_in_dim_1(%iterArg_70, %iterArg_75) : (tensor<3x16x24xf32>, tensor<i32>) -> tensor<16x24xf32>
      %186:17 = func.call @closed_call(%iterArg_71, %iterArg_72, %iterArg_73, %iterArg_74, %iterArg_76, %iterArg_77, %183, %184, %185) : (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<6x12x16xbf16>, tensor<6x12x16xbf16>, tensor<2xui32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x24xf32>) -> (tensor<6x12x16xbf16>, tensor<2xui32>, tensor<6x12x16xbf16>, tensor<6x12x1xbf16>, tensor<6x12x1xbf16>, tensor<1x1x16xbf16>, tensor<6x12x16xbf16>, tensor<16x24xbf16>, tensor<6x12x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<24x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x16xi1>)
      %187 = func.call @dynamic_update_index_in_dim(%iterArg_78, %186#2, %iterArg_75) : (tensor<3x6x12x16xbf16>, tensor<6x12x16xbf16>, tensor<i32>) -> tensor<3x6x12x16xbf16>
      %188 = func.call @dynamic_update_index_in_dim_8(%iterArg_79, %186#3, %iterArg_75) : (tensor<3x6x12x1xbf16>, tensor<6x12x1xbf16>, tensor<i32>) -> tensor<3x6x12x1xbf16>
      %189 = func.call @dynamic_update_index_in_dim_8(%iterArg_80, %186#4, %iterArg_75) : (tensor<3x6x12x1xbf16>, tensor<6x12x1xbf16>, tensor<i32>) -> tensor<3x6x12x1xbf16>
      %190 = func.call @dynamic_update_index_in_dim_9(%iterArg_81, %186#5, %iterArg_75) : (tensor<3x1x1x16xbf16>, tensor<1x1x16xbf16>, tensor<i32>) -> tensor<3x1x1x16xbf16>
      %191 = func.call @dynamic_update_index_in_dim(%iterArg_82, %186#6, %iterArg_75) : (tensor<3x6x12x16xbf16>, tensor<6x12x16xbf16>, tensor<i32>) -> tensor<3x6x12x16xbf16>
      %192 = func.call @dynamic_update_index_in_dim_10(%iterArg_83, %186#7, %iterArg_75) : (tensor<3x16x24xbf16>, tensor<16x24xbf16>, tensor<i32>) -> tensor<3x16x24xbf16>
      %193 = func.call @dynamic_update_index_in_dim(%iterArg_84, %186#8, %iterArg_75) : (tensor<3x6x12x16xbf16>, tensor<6x12x16xbf16>, tensor<i32>) -> tensor<3x6x12x16xbf16>
      %194 = func.call @dynamic_update_index_in_dim_11(%iterArg_85, %186#9, %iterArg_75) : (tensor<3x6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<i32>) -> tensor<3x6x12x24xbf16>
      %195 = func.call @dynamic_update_index_in_dim_11(%iterArg_86, %186#10, %iterArg_75) : (tensor<3x6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<i32>) -> tensor<3x6x12x24xbf16>
      %196 = func.call @dynamic_update_index_in_dim_11(%iterArg_87, %186#11, %iterArg_75) : (tensor<3x6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<i32>) -> tensor<3x6x12x24xbf16>
      %197 = func.call @dynamic_update_index_in_dim_11(%iterArg_88, %186#12, %iterArg_75) : (tensor<3x6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<i32>) -> tensor<3x6x12x24xbf16>
      %198 = func.call @dynamic_update_index_in_dim_11(%iterArg_89, %186#13, %iterArg_75) : (tensor<3x6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<i32>) -> tensor<3x6x12x24xbf16>
      %199 = func.call @dynamic_update_index_in_dim_12(%iterArg_90, %186#14, %iterArg_75) : (tensor<3x24x16xbf16>, tensor<24x16xbf16>, tensor<i32>) -> tensor<3x24x16xbf16>
      %200 = func.call @dynamic_update_index_in_dim_11(%iterArg_91, %186#15, %iterArg_75) : (tensor<3x6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<i32>) -> tensor<3x6x12x24xbf16>
      %201 = func.call @dynamic_update_index_in_dim_13(%iterArg_92, %186#16, %iterArg_75) : (tensor<3x6x12x16xi1>, tensor<6x12x16xi1>, tensor<i32>) -> tensor<3x6x12x16xi1>
      %c_93 = stablehlo.constant dense<1> : tensor<i32>
      %202 = stablehlo.add %iterArg_75, %c_93 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_69, %iterArg_70, %iterArg_71, %iterArg_72, %iterArg_73, %iterArg_74, %202, %186#0, %186#1, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199, %200, %201 : tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16x24xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>, tensor<6x12x16xbf16>, tensor<i32>, tensor<6x12x16xbf16>, tensor<2xui32>, tensor<3x6x12x16xbf16>, tensor<3x6x12x1xbf16>, tensor<3x6x12x1xbf16>, tensor<3x1x1x16xbf16>, tensor<3x6x12x16xbf16>, tensor<3x16x24xbf16>, tensor<3x6x12x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x24x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x16xi1>
    }
    %26 = stablehlo.convert %25#8 : (tensor<6x12x16xbf16>) -> tensor<6x12x16xf32>
    %27 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %28 = stablehlo.dot_general %26, %27, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %29 = stablehlo.broadcast_in_dim %arg14, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %30:2 = call @take_along_axis(%28, %29) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %31:2 = call @_take(%30#0, %c_18) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %32 = stablehlo.reduce(%28 init: %cst_19) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %34 = stablehlo.maximum %33, %32 : tensor<6x12xf32>
    %35 = stablehlo.is_finite %34 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %37 = stablehlo.select %35, %34, %36 : tensor<6x12xi1>, tensor<6x12xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %40 = stablehlo.subtract %28, %39 : tensor<6x12x60xf32>
    %41 = stablehlo.exponential %40 : tensor<6x12x60xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %42 = stablehlo.reduce(%41 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %43 = stablehlo.abs %42 : tensor<6x12xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %45 = stablehlo.compare GE, %42, %44, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %46 = stablehlo.log %43 : tensor<6x12xf32>
    %47 = stablehlo.add %46, %37 : tensor<6x12xf32>
    %48 = stablehlo.subtract %47, %31#0 : tensor<6x12xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.reduce(%48 init: %cst_24) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_25 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %50 = stablehlo.divide %49, %cst_25 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_27 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %51 = stablehlo.divide %cst_26, %cst_27 : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %53 = stablehlo.negate %52 : tensor<6x12xf32>
    %54 = stablehlo.divide %52, %43 : tensor<6x12xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %56 = stablehlo.select %45, %55, %54 : tensor<6x12xi1>, tensor<6x12xf32>
    %57 = stablehlo.select %45, %54, %55 : tensor<6x12xi1>, tensor<6x12xf32>
    %58 = stablehlo.negate %56 : tensor<6x12xf32>
    %59 = stablehlo.add %57, %58 : tensor<6x12xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %61 = stablehlo.multiply %60, %41 : tensor<6x12x60xf32>
    %62 = call @_take_15(%31#1, %53) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %63 = call @take_along_axis_16(%30#1, %62) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %64 = stablehlo.add %61, %63 : tensor<6x12x60xf32>
    %65 = stablehlo.dot_general %64, %26, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %67 = stablehlo.dot_general %64, %27, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %68 = stablehlo.transpose %66, dims = [1, 0] : (tensor<16x60xf32>) -> tensor<60x16xf32>
    %69 = stablehlo.convert %67 : (tensor<6x12x16xf32>) -> tensor<6x12x16xbf16>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %73:20 = stablehlo.while(%iterArg = %25#10, %iterArg_69 = %25#11, %iterArg_70 = %25#12, %iterArg_71 = %25#13, %iterArg_72 = %25#14, %iterArg_73 = %25#15, %iterArg_74 = %25#16, %iterArg_75 = %25#17, %iterArg_76 = %25#18, %iterArg_77 = %25#19, %iterArg_78 = %25#20, %iterArg_79 = %25#21, %iterArg_80 = %25#22, %iterArg_81 = %25#23, %iterArg_82 = %25#24, %iterArg_83 = %c_32, %iterArg_84 = %69, %iterArg_85 = %70, %iterArg_86 = %71, %iterArg_87 = %72) : tensor<3x6x12x16xbf16>, tensor<3x6x12x1xbf16>, tensor<3x6x12x1xbf16>, tensor<3x1x1x16xbf16>, tensor<3x6x12x16xbf16>, tensor<3x16x24xbf16>, tensor<3x6x12x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x24x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x16xi1>, tensor<i32>, tensor<6x12x16xbf16>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16x24xf32>
    cond {
      %c_88 = stablehlo.constant dense<3> : tensor<i32>
      %183 = stablehlo.compare LT, %iterArg_83, %c_88, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %183 : tensor<i1>
    } do {
      %c_88 = stablehlo.constant dense<3> : tensor<i32>
      %183 = stablehlo.subtract %c_88, %iterArg_83 : tensor<i32>
      %c_89 = stablehlo.constant dense<1> : tensor<i32>
      %184 = stablehlo.subtract %183, %c_89 : tensor<i32>
      %185 = func.call @dynamic_index_in_dim_17(%iterArg, %184) : (tensor<3x6x12x16xbf16>, tensor<i32>) -> tensor<6x12x16xbf16>
      %186 = func.call @dynamic_index_in_dim_18(%iterArg_69, %184) : (tensor<3x6x12x1xbf16>, tensor<i32>) -> tensor<6x12x1xbf16>
      %187 = func.call @dynamic_index_in_dim_18(%iterArg_70, %184) : (tensor<3x6x12x1xbf16>, tensor<i32>) -> tensor<6x12x1xbf16>
      %188 = func.call @dynamic_index_in_dim_19(%iterArg_71, %184) : (tensor<3x1x1x16xbf16>, tensor<i32>) -> tensor<1x1x16xbf16>
      %189 = func.call @dynamic_index_in_dim_17(%iterArg_72, %184) : (tensor<3x6x12x16xbf16>, tensor<i32>) -> tensor<6x12x16xbf16>
      %190 = func.call @dynamic_index_in_dim_20(%iterArg_73, %184) : (tensor<3x16x24xbf16>, tensor<i32>) -> tensor<16x24xbf16>
      %191 = func.call @dynamic_index_in_dim_17(%iterArg_74, %184) : (tensor<3x6x12x16xbf16>, tensor<i32>) -> tensor<6x12x16xbf16>
      %192 = func.call @dynamic_index_in_dim_21(%iterArg_75, %184) : (tensor<3x6x12x24xbf16>, tensor<i32>) -> tensor<6x12x24xbf16>
      %193 = func.call @dynamic_index_in_dim_21(%iterArg_76, %184) : (tensor<3x6x12x24xbf16>, tensor<i32>) -> tensor<6x12x24xbf16>
      %194 = func.call @dynamic_index_in_dim_21(%iterArg_77, %184) : (tensor<3x6x12x24xbf16>, tensor<i32>) -> tensor<6x12x24xbf16>
      %195 = func.call @dynamic_index_in_dim_21(%iterArg_78, %184) : (tensor<3x6x12x24xbf16>, tensor<i32>) -> tensor<6x12x24xbf16>
      %196 = func.call @dynamic_index_in_dim_21(%iterArg_79, %184) : (tensor<3x6x12x24xbf16>, tensor<i32>) -> tensor<6x12x24xbf16>
      %197 = func.call @dynamic_index_in_dim_22(%iterArg_80, %184) : (tensor<3x24x16xbf16>, tensor<i32>) -> tensor<24x16xbf16>
      %198 = func.call @dynamic_index_in_dim_21(%iterArg_81, %184) : (tensor<3x6x12x24xbf16>, tensor<i32>) -> tensor<6x12x24xbf16>
      %199 = func.call @dynamic_index_in_dim_23(%iterArg_82, %184) : (tensor<3x6x12x16xi1>, tensor<i32>) -> tensor<6x12x16xi1>
      %200:4 = func.call @closed_call_24(%iterArg_84, %185, %186, %187, %188, %189, %190, %191, %192, %193, %194, %195, %196, %197, %198, %199) : (tensor<6x12x16xbf16>, tensor<6x12x16xbf16>, tensor<6x12x1xbf16>, tensor<6x12x1xbf16>, tensor<1x1x16xbf16>, tensor<6x12x16xbf16>, tensor<16x24xbf16>, tensor<6x12x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<24x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x16xi1>) -> (tensor<6x12x16xbf16>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x24xf32>)
      %201 = func.call @dynamic_update_index_in_dim_26(%iterArg_85, %200#1, %184) : (tensor<3x24x16xf32>, tensor<24x16xf32>, tensor<i32>) -> tensor<3x24x16xf32>
      %202 = func.call @dynamic_update_index_in_dim_27(%iterArg_86, %200#2, %184) : (tensor<3x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<3x16xf32>
      %203 = func.call @dynamic_update_index_in_dim_28(%iterArg_87, %200#3, %184) : (tensor<3x16x24xf32>, tensor<16x24xf32>, tensor<i32>) -> tensor<3x16x24xf32>
      %c_90 = stablehlo.constant dense<1> : tensor<i32>
      %204 = stablehlo.add %iterArg_83, %c_90 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_69, %iterArg_70, %iterArg_71, %iterArg_72, %iterArg_73, %iterArg_74, %iterArg_75, %iterArg_76, %iterArg_77, %iterArg_78, %iterArg_79, %iterArg_80, %iterArg_81, %iterArg_82, %204, %200#0, %201, %202, %203 : tensor<3x6x12x16xbf16>, tensor<3x6x12x1xbf16>, tensor<3x6x12x1xbf16>, tensor<3x1x1x16xbf16>, tensor<3x6x12x16xbf16>, tensor<3x16x24xbf16>, tensor<3x6x12x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x24xbf16>, tensor<3x24x16xbf16>, tensor<3x6x12x24xbf16>, tensor<3x6x12x16xi1>, tensor<i32>, tensor<6x12x16xbf16>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16x24xf32>
    }
    %74 = stablehlo.convert %73#16 : (tensor<6x12x16xbf16>) -> tensor<6x12x16xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %76 = "stablehlo.scatter"(%75, %5, %74) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %183 = stablehlo.add %arg16, %arg17 : tensor<f32>
      stablehlo.return %183 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %77 = stablehlo.add %68, %76 : tensor<60x16xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %79 = stablehlo.multiply %78, %77 : tensor<60x16xf32>
    %cst_35 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %81 = stablehlo.multiply %80, %arg5 : tensor<60x16xf32>
    %82 = stablehlo.add %79, %81 : tensor<60x16xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %84 = stablehlo.multiply %83, %73#17 : tensor<3x24x16xf32>
    %cst_37 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %86 = stablehlo.multiply %85, %arg6 : tensor<3x24x16xf32>
    %87 = stablehlo.add %84, %86 : tensor<3x24x16xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %89 = stablehlo.multiply %88, %73#18 : tensor<3x16xf32>
    %cst_39 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %91 = stablehlo.multiply %90, %arg7 : tensor<3x16xf32>
    %92 = stablehlo.add %89, %91 : tensor<3x16xf32>
    %cst_40 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %94 = stablehlo.multiply %93, %73#19 : tensor<3x16x24xf32>
    %cst_41 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %96 = stablehlo.multiply %95, %arg8 : tensor<3x16x24xf32>
    %97 = stablehlo.add %94, %96 : tensor<3x16x24xf32>
    %98 = stablehlo.multiply %77, %77 : tensor<60x16xf32>
    %cst_42 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %100 = stablehlo.multiply %99, %98 : tensor<60x16xf32>
    %cst_43 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %102 = stablehlo.multiply %101, %arg9 : tensor<60x16xf32>
    %103 = stablehlo.add %100, %102 : tensor<60x16xf32>
    %104 = stablehlo.multiply %73#17, %73#17 : tensor<3x24x16xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %106 = stablehlo.multiply %105, %104 : tensor<3x24x16xf32>
    %cst_45 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %108 = stablehlo.multiply %107, %arg10 : tensor<3x24x16xf32>
    %109 = stablehlo.add %106, %108 : tensor<3x24x16xf32>
    %110 = stablehlo.multiply %73#18, %73#18 : tensor<3x16xf32>
    %cst_46 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %112 = stablehlo.multiply %111, %110 : tensor<3x16xf32>
    %cst_47 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %114 = stablehlo.multiply %113, %arg11 : tensor<3x16xf32>
    %115 = stablehlo.add %112, %114 : tensor<3x16xf32>
    %116 = stablehlo.multiply %73#19, %73#19 : tensor<3x16x24xf32>
    %cst_48 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %118 = stablehlo.multiply %117, %116 : tensor<3x16x24xf32>
    %cst_49 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %120 = stablehlo.multiply %119, %arg12 : tensor<3x16x24xf32>
    %121 = stablehlo.add %118, %120 : tensor<3x16x24xf32>
    %c_50 = stablehlo.constant dense<2147483647> : tensor<i32>
    %122 = stablehlo.compare LT, %arg4, %c_50, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_51 = stablehlo.constant dense<1> : tensor<i32>
    %123 = stablehlo.add %arg4, %c_51 : tensor<i32>
    %c_52 = stablehlo.constant dense<2147483647> : tensor<i32>
    %124 = call @_where_29(%122, %123, %c_52) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %cst_53 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %125 = stablehlo.convert %124 : (tensor<i32>) -> tensor<f32>
    %126 = stablehlo.power %cst_53, %125 : tensor<f32>
    %cst_54 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.subtract %cst_54, %126 : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %129 = stablehlo.divide %82, %128 : tensor<60x16xf32>
    %130 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %131 = stablehlo.divide %87, %130 : tensor<3x24x16xf32>
    %132 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %133 = stablehlo.divide %92, %132 : tensor<3x16xf32>
    %134 = stablehlo.broadcast_in_dim %127, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %135 = stablehlo.divide %97, %134 : tensor<3x16x24xf32>
    %cst_55 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %136 = stablehlo.convert %124 : (tensor<i32>) -> tensor<f32>
    %137 = stablehlo.power %cst_55, %136 : tensor<f32>
    %cst_56 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %138 = stablehlo.subtract %cst_56, %137 : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %138, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %140 = stablehlo.divide %103, %139 : tensor<60x16xf32>
    %141 = stablehlo.broadcast_in_dim %138, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %142 = stablehlo.divide %109, %141 : tensor<3x24x16xf32>
    %143 = stablehlo.broadcast_in_dim %138, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %144 = stablehlo.divide %115, %143 : tensor<3x16xf32>
    %145 = stablehlo.broadcast_in_dim %138, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %146 = stablehlo.divide %121, %145 : tensor<3x16x24xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %148 = stablehlo.add %140, %147 : tensor<60x16xf32>
    %149 = stablehlo.sqrt %148 : tensor<60x16xf32>
    %cst_58 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %150 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %151 = stablehlo.add %149, %150 : tensor<60x16xf32>
    %152 = stablehlo.divide %129, %151 : tensor<60x16xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %154 = stablehlo.add %142, %153 : tensor<3x24x16xf32>
    %155 = stablehlo.sqrt %154 : tensor<3x24x16xf32>
    %cst_60 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %157 = stablehlo.add %155, %156 : tensor<3x24x16xf32>
    %158 = stablehlo.divide %131, %157 : tensor<3x24x16xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %160 = stablehlo.add %144, %159 : tensor<3x16xf32>
    %161 = stablehlo.sqrt %160 : tensor<3x16xf32>
    %cst_62 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %163 = stablehlo.add %161, %162 : tensor<3x16xf32>
    %164 = stablehlo.divide %133, %163 : tensor<3x16xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %166 = stablehlo.add %146, %165 : tensor<3x16x24xf32>
    %167 = stablehlo.sqrt %166 : tensor<3x16x24xf32>
    %cst_64 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %168 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %169 = stablehlo.add %167, %168 : tensor<3x16x24xf32>
    %170 = stablehlo.divide %135, %169 : tensor<3x16x24xf32>
    %cst_65 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %172 = stablehlo.multiply %171, %152 : tensor<60x16xf32>
    %cst_66 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %173 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %174 = stablehlo.multiply %173, %158 : tensor<3x24x16xf32>
    %cst_67 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %176 = stablehlo.multiply %175, %164 : tensor<3x16xf32>
    %cst_68 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %178 = stablehlo.multiply %177, %170 : tensor<3x16x24xf32>
    %179 = stablehlo.add %arg0, %172 : tensor<60x16xf32>
    %180 = stablehlo.add %arg1, %174 : tensor<3x24x16xf32>
    %181 = stablehlo.add %arg2, %176 : tensor<3x16xf32>
    %182 = stablehlo.add %arg3, %178 : tensor<3x16x24xf32>
    return %179, %180, %181, %182, %124, %82, %87, %92, %97, %103, %109, %115, %121, %50 : tensor<60x16xf32>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16x24xf32>, tensor<i32>, tensor<60x16xf32>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16x24xf32>, tensor<60x16xf32>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16x24xf32>, tensor<f32>
  }
  func.func private @_bernoulli() -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0:2 = call @_uniform(%cst, %cst_0) : (tensor<f32>, tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>)
    return %0#0, %0#1 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
  func.func private @_uniform(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<1x1x1xf32>, tensor<1x1x1xf32>) {
    %0 = stablehlo.convert %arg0 : tensor<f32>
    %1 = stablehlo.convert %arg1 : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
    %4 = stablehlo.subtract %3, %2 : tensor<1x1x1xf32>
    return %2, %4 : tensor<1x1x1xf32>, tensor<1x1x1xf32>
  }
  func.func private @_where(%arg0: tensor<i32>) -> tensor<6x12x16xbf16> {
    %0 = stablehlo.convert %arg0 : (tensor<i32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<6x12x16xbf16>
    return %1 : tensor<6x12x16xbf16>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<3x24x16xf32>, %arg1: tensor<i32>) -> tensor<24x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 24, 16] : (tensor<3x24x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x24x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x24x16xf32>) -> tensor<24x16xf32>
    return %1 : tensor<24x16xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<3x16xf32>, %arg1: tensor<i32>) -> tensor<16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 16] : (tensor<3x16xf32>, tensor<i32>, tensor<i32>) -> tensor<1x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16xf32>) -> tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<3x16x24xf32>, %arg1: tensor<i32>) -> tensor<16x24xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 16, 24] : (tensor<3x16x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x24xf32>) -> tensor<16x24xf32>
    return %1 : tensor<16x24xf32>
  }
  func.func private @closed_call(%arg0: tensor<1x1x1xf32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<f32>, %arg3: tensor<6x12x16xbf16>, %arg4: tensor<6x12x16xbf16>, %arg5: tensor<2xui32>, %arg6: tensor<24x16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16x24xf32>) -> (tensor<6x12x16xbf16>, tensor<2xui32>, tensor<6x12x16xbf16>, tensor<6x12x1xbf16>, tensor<6x12x1xbf16>, tensor<1x1x16xbf16>, tensor<6x12x16xbf16>, tensor<16x24xbf16>, tensor<6x12x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<24x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x16xi1>) {
    %0 = call @_threefry_split(%arg5) : (tensor<2xui32>) -> tensor<2x2xui32>
    %1 = stablehlo.slice %0 [0:1, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %2 = stablehlo.reshape %1 : (tensor<1x2xui32>) -> tensor<2xui32>
    %3 = stablehlo.slice %0 [1:2, 0:2] : (tensor<2x2xui32>) -> tensor<1x2xui32>
    %4 = stablehlo.reshape %3 : (tensor<1x2xui32>) -> tensor<2xui32>
    %5 = stablehlo.convert %arg6 : (tensor<24x16xf32>) -> tensor<24x16xbf16>
    %6 = stablehlo.convert %arg7 : (tensor<16xf32>) -> tensor<16xbf16>
    %7 = stablehlo.convert %arg8 : (tensor<16x24xf32>) -> tensor<16x24xbf16>
    %8 = stablehlo.multiply %arg4, %arg4 : tensor<6x12x16xbf16>
    %9 = stablehlo.convert %8 : (tensor<6x12x16xbf16>) -> tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<6x12x1xf32>
    %14 = stablehlo.convert %13 : (tensor<6x12x1xf32>) -> tensor<6x12x1xbf16>
    %cst_1 = stablehlo.constant dense<9.983770e-07> : tensor<bf16>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<6x12x1xbf16>
    %16 = stablehlo.add %14, %15 : tensor<6x12x1xbf16>
    %17 = stablehlo.rsqrt %16 : tensor<6x12x1xbf16>
    %18 = stablehlo.divide %17, %16 : tensor<6x12x1xbf16>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<bf16>
    %19 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<6x12x1xbf16>
    %20 = stablehlo.multiply %19, %18 : tensor<6x12x1xbf16>
    %21 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<6x12x1xbf16>) -> tensor<6x12x16xbf16>
    %22 = stablehlo.multiply %arg4, %21 : tensor<6x12x16xbf16>
    %23 = stablehlo.broadcast_in_dim %6, dims = [2] : (tensor<16xbf16>) -> tensor<1x1x16xbf16>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x16xbf16>) -> tensor<6x12x16xbf16>
    %25 = stablehlo.multiply %22, %24 : tensor<6x12x16xbf16>
    %26 = stablehlo.dot_general %25, %7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<16x24xbf16>) -> tensor<6x12x24xbf16>
    %27 = stablehlo.multiply %26, %26 : tensor<6x12x24xbf16>
    %28 = stablehlo.multiply %27, %26 : tensor<6x12x24xbf16>
    %29 = stablehlo.multiply %26, %26 : tensor<6x12x24xbf16>
    %cst_3 = stablehlo.constant dense<3.000000e+00> : tensor<bf16>
    %30 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %31 = stablehlo.multiply %30, %29 : tensor<6x12x24xbf16>
    %cst_4 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %32 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %33 = stablehlo.multiply %32, %28 : tensor<6x12x24xbf16>
    %34 = stablehlo.add %26, %33 : tensor<6x12x24xbf16>
    %cst_5 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %35 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %36 = stablehlo.multiply %35, %34 : tensor<6x12x24xbf16>
    %37 = stablehlo.tanh %36 : tensor<6x12x24xbf16>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %38 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %39 = stablehlo.subtract %38, %37 : tensor<6x12x24xbf16>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %40 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %41 = stablehlo.add %40, %37 : tensor<6x12x24xbf16>
    %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %42 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %43 = stablehlo.multiply %42, %41 : tensor<6x12x24xbf16>
    %44 = stablehlo.multiply %26, %43 : tensor<6x12x24xbf16>
    %45 = stablehlo.dot_general %44, %5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xbf16>, tensor<24x16xbf16>) -> tensor<6x12x16xbf16>
    %46 = call @_bernoulli_3(%4, %arg0, %arg1, %arg2) : (tensor<2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<f32>) -> tensor<6x12x16xi1>
    %cst_9 = stablehlo.constant dense<7.500000e-01> : tensor<bf16>
    %47 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<bf16>) -> tensor<6x12x16xbf16>
    %48 = stablehlo.divide %45, %47 : tensor<6x12x16xbf16>
    %49 = call @_where_7(%46, %48, %arg3) : (tensor<6x12x16xi1>, tensor<6x12x16xbf16>, tensor<6x12x16xbf16>) -> tensor<6x12x16xbf16>
    %50 = stablehlo.add %arg4, %49 : tensor<6x12x16xbf16>
    return %50, %2, %arg4, %20, %17, %23, %22, %7, %25, %31, %37, %39, %43, %26, %5, %44, %46 : tensor<6x12x16xbf16>, tensor<2xui32>, tensor<6x12x16xbf16>, tensor<6x12x1xbf16>, tensor<6x12x1xbf16>, tensor<1x1x16xbf16>, tensor<6x12x16xbf16>, tensor<16x24xbf16>, tensor<6x12x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<6x12x24xbf16>, tensor<24x16xbf16>, tensor<6x12x24xbf16>, tensor<6x12x16xi1>
  }
  func.func private @_threefry_split(%arg0: tensor<2xui32>) -> tensor<2x2xui32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<2xui64>
    %c = stablehlo.constant dense<1> : tensor<ui64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %6 = stablehlo.multiply %5, %4 : tensor<2xui64>
    %c_0 = stablehlo.constant dense<32> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<2xui64>
    %8 = stablehlo.shift_right_logical %6, %7 : tensor<2xui64>
    %9 = stablehlo.convert %6 : (tensor<2xui64>) -> tensor<2xui32>
    %10 = stablehlo.convert %8 : (tensor<2xui64>) -> tensor<2xui32>
    %11:2 = call @threefry2x32(%1, %3, %10, %9) : (tensor<ui32>, tensor<ui32>, tensor<2xui32>, tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>)
    %12 = stablehlo.broadcast_in_dim %11#0, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %13 = stablehlo.broadcast_in_dim %11#1, dims = [0] : (tensor<2xui32>) -> tensor<2x1xui32>
    %14 = stablehlo.concatenate %12, %13, dim = 1 : (tensor<2x1xui32>, tensor<2x1xui32>) -> tensor<2x2xui32>
    return %14 : tensor<2x2xui32>
  }
  func.func private @threefry2x32(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<2xui32>, %arg3: tensor<2xui32>) -> (tensor<2xui32>, tensor<2xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_2(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<2xui32>, tensor<2xui32>
  }
  func.func private @closed_call_2(%arg0: tensor<i32>, %arg1: tensor<2xui32>, %arg2: tensor<2xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<2xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<2xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<2xui32>
    %9 = stablehlo.or %5, %8 : tensor<2xui32>
    %10 = stablehlo.xor %3, %9 : tensor<2xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<2xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<2xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<2xui32>
    %19 = stablehlo.or %15, %18 : tensor<2xui32>
    %20 = stablehlo.xor %13, %19 : tensor<2xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<2xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<2xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<2xui32>
    %29 = stablehlo.or %25, %28 : tensor<2xui32>
    %30 = stablehlo.xor %23, %29 : tensor<2xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<2xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<2xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<2xui32>
    %39 = stablehlo.or %35, %38 : tensor<2xui32>
    %40 = stablehlo.xor %33, %39 : tensor<2xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %42 = stablehlo.add %33, %41 : tensor<2xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %44 = stablehlo.add %40, %43 : tensor<2xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<2xui32>
    %48 = stablehlo.add %44, %47 : tensor<2xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<2xui32>, tensor<2xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_bernoulli_3(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<1x1x1xf32>, %arg3: tensor<f32>) -> tensor<6x12x16xi1> {
    %0 = call @_uniform_4(%arg0, %arg1, %arg2) : (tensor<2xui32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<6x12x16xf32>
    %1 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (tensor<6x12x16xf32>, tensor<6x12x16xf32>) -> tensor<6x12x16xi1>
    return %2 : tensor<6x12x16xi1>
  }
  func.func private @_uniform_4(%arg0: tensor<2xui32>, %arg1: tensor<1x1x1xf32>, %arg2: tensor<1x1x1xf32>) -> tensor<6x12x16xf32> {
    %0 = stablehlo.slice %arg0 [0:1] : (tensor<2xui32>) -> tensor<1xui32>
    %1 = stablehlo.reshape %0 : (tensor<1xui32>) -> tensor<ui32>
    %2 = stablehlo.slice %arg0 [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %3 = stablehlo.reshape %2 : (tensor<1xui32>) -> tensor<ui32>
    %4 = stablehlo.iota dim = 0 : tensor<6x12x16xui64>
    %5 = stablehlo.iota dim = 1 : tensor<6x12x16xui64>
    %6 = stablehlo.iota dim = 2 : tensor<6x12x16xui64>
    %c = stablehlo.constant dense<192> : tensor<ui64>
    %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<ui64>) -> tensor<6x12x16xui64>
    %8 = stablehlo.multiply %7, %4 : tensor<6x12x16xui64>
    %c_0 = stablehlo.constant dense<16> : tensor<ui64>
    %9 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<ui64>) -> tensor<6x12x16xui64>
    %10 = stablehlo.multiply %9, %5 : tensor<6x12x16xui64>
    %c_1 = stablehlo.constant dense<1> : tensor<ui64>
    %11 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<ui64>) -> tensor<6x12x16xui64>
    %12 = stablehlo.multiply %11, %6 : tensor<6x12x16xui64>
    %13 = stablehlo.add %8, %10 : tensor<6x12x16xui64>
    %14 = stablehlo.add %13, %12 : tensor<6x12x16xui64>
    %c_2 = stablehlo.constant dense<32> : tensor<ui64>
    %15 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<ui64>) -> tensor<6x12x16xui64>
    %16 = stablehlo.shift_right_logical %14, %15 : tensor<6x12x16xui64>
    %17 = stablehlo.convert %14 : (tensor<6x12x16xui64>) -> tensor<6x12x16xui32>
    %18 = stablehlo.convert %16 : (tensor<6x12x16xui64>) -> tensor<6x12x16xui32>
    %19:2 = call @threefry2x32_5(%1, %3, %18, %17) : (tensor<ui32>, tensor<ui32>, tensor<6x12x16xui32>, tensor<6x12x16xui32>) -> (tensor<6x12x16xui32>, tensor<6x12x16xui32>)
    %20 = stablehlo.xor %19#0, %19#1 : tensor<6x12x16xui32>
    %c_3 = stablehlo.constant dense<9> : tensor<ui32>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %22 = stablehlo.shift_right_logical %20, %21 : tensor<6x12x16xui32>
    %c_4 = stablehlo.constant dense<1065353216> : tensor<ui32>
    %23 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %24 = stablehlo.or %22, %23 : tensor<6x12x16xui32>
    %25 = stablehlo.bitcast_convert %24 : (tensor<6x12x16xui32>) -> tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x16xf32>
    %27 = stablehlo.subtract %25, %26 : tensor<6x12x16xf32>
    %28 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<6x12x16xf32>
    %29 = stablehlo.multiply %27, %28 : tensor<6x12x16xf32>
    %30 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<6x12x16xf32>
    %31 = stablehlo.add %29, %30 : tensor<6x12x16xf32>
    %32 = stablehlo.broadcast_in_dim %arg1, dims = [0, 1, 2] : (tensor<1x1x1xf32>) -> tensor<6x12x16xf32>
    %33 = stablehlo.maximum %32, %31 : tensor<6x12x16xf32>
    return %33 : tensor<6x12x16xf32>
  }
  func.func private @threefry2x32_5(%arg0: tensor<ui32>, %arg1: tensor<ui32>, %arg2: tensor<6x12x16xui32>, %arg3: tensor<6x12x16xui32>) -> (tensor<6x12x16xui32>, tensor<6x12x16xui32>) {
    %c = stablehlo.constant dense<[13, 15, 26, 6]> : tensor<4xui32>
    %c_0 = stablehlo.constant dense<[17, 29, 16, 24]> : tensor<4xui32>
    %0 = stablehlo.xor %arg0, %arg1 : tensor<ui32>
    %c_1 = stablehlo.constant dense<466688986> : tensor<ui32>
    %1 = stablehlo.xor %0, %c_1 : tensor<ui32>
    %2 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %3 = stablehlo.add %arg2, %2 : tensor<6x12x16xui32>
    %4 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %5 = stablehlo.add %arg3, %4 : tensor<6x12x16xui32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6:9 = stablehlo.while(%iterArg = %c_3, %iterArg_4 = %c_2, %iterArg_5 = %3, %iterArg_6 = %5, %iterArg_7 = %arg1, %iterArg_8 = %1, %iterArg_9 = %arg0, %iterArg_10 = %c, %iterArg_11 = %c_0) : tensor<i32>, tensor<i32>, tensor<6x12x16xui32>, tensor<6x12x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    cond {
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %7 = stablehlo.compare LT, %iterArg, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %7:8 = func.call @closed_call_6(%iterArg_4, %iterArg_5, %iterArg_6, %iterArg_7, %iterArg_8, %iterArg_9, %iterArg_10, %iterArg_11) : (tensor<i32>, tensor<6x12x16xui32>, tensor<6x12x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) -> (tensor<i32>, tensor<6x12x16xui32>, tensor<6x12x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>)
      %c_12 = stablehlo.constant dense<1> : tensor<i32>
      %8 = stablehlo.add %iterArg, %c_12 : tensor<i32>
      stablehlo.return %8, %7#0, %7#1, %7#2, %7#3, %7#4, %7#5, %7#6, %7#7 : tensor<i32>, tensor<i32>, tensor<6x12x16xui32>, tensor<6x12x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
    }
    return %6#2, %6#3 : tensor<6x12x16xui32>, tensor<6x12x16xui32>
  }
  func.func private @closed_call_6(%arg0: tensor<i32>, %arg1: tensor<6x12x16xui32>, %arg2: tensor<6x12x16xui32>, %arg3: tensor<ui32>, %arg4: tensor<ui32>, %arg5: tensor<ui32>, %arg6: tensor<4xui32>, %arg7: tensor<4xui32>) -> (tensor<i32>, tensor<6x12x16xui32>, tensor<6x12x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>) {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<i32>
    %1 = stablehlo.slice %arg6 [0:1] : (tensor<4xui32>) -> tensor<1xui32>
    %2 = stablehlo.reshape %1 : (tensor<1xui32>) -> tensor<ui32>
    %3 = stablehlo.add %arg1, %arg2 : tensor<6x12x16xui32>
    %4 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %5 = stablehlo.shift_left %arg2, %4 : tensor<6x12x16xui32>
    %c_0 = stablehlo.constant dense<32> : tensor<ui32>
    %6 = stablehlo.subtract %c_0, %2 : tensor<ui32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %8 = stablehlo.shift_right_logical %arg2, %7 : tensor<6x12x16xui32>
    %9 = stablehlo.or %5, %8 : tensor<6x12x16xui32>
    %10 = stablehlo.xor %3, %9 : tensor<6x12x16xui32>
    %11 = stablehlo.slice %arg6 [1:2] : (tensor<4xui32>) -> tensor<1xui32>
    %12 = stablehlo.reshape %11 : (tensor<1xui32>) -> tensor<ui32>
    %13 = stablehlo.add %3, %10 : tensor<6x12x16xui32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %15 = stablehlo.shift_left %10, %14 : tensor<6x12x16xui32>
    %c_1 = stablehlo.constant dense<32> : tensor<ui32>
    %16 = stablehlo.subtract %c_1, %12 : tensor<ui32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %18 = stablehlo.shift_right_logical %10, %17 : tensor<6x12x16xui32>
    %19 = stablehlo.or %15, %18 : tensor<6x12x16xui32>
    %20 = stablehlo.xor %13, %19 : tensor<6x12x16xui32>
    %21 = stablehlo.slice %arg6 [2:3] : (tensor<4xui32>) -> tensor<1xui32>
    %22 = stablehlo.reshape %21 : (tensor<1xui32>) -> tensor<ui32>
    %23 = stablehlo.add %13, %20 : tensor<6x12x16xui32>
    %24 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %25 = stablehlo.shift_left %20, %24 : tensor<6x12x16xui32>
    %c_2 = stablehlo.constant dense<32> : tensor<ui32>
    %26 = stablehlo.subtract %c_2, %22 : tensor<ui32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %28 = stablehlo.shift_right_logical %20, %27 : tensor<6x12x16xui32>
    %29 = stablehlo.or %25, %28 : tensor<6x12x16xui32>
    %30 = stablehlo.xor %23, %29 : tensor<6x12x16xui32>
    %31 = stablehlo.slice %arg6 [3:4] : (tensor<4xui32>) -> tensor<1xui32>
    %32 = stablehlo.reshape %31 : (tensor<1xui32>) -> tensor<ui32>
    %33 = stablehlo.add %23, %30 : tensor<6x12x16xui32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %35 = stablehlo.shift_left %30, %34 : tensor<6x12x16xui32>
    %c_3 = stablehlo.constant dense<32> : tensor<ui32>
    %36 = stablehlo.subtract %c_3, %32 : tensor<ui32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %38 = stablehlo.shift_right_logical %30, %37 : tensor<6x12x16xui32>
    %39 = stablehlo.or %35, %38 : tensor<6x12x16xui32>
    %40 = stablehlo.xor %33, %39 : tensor<6x12x16xui32>
    %41 = stablehlo.broadcast_in_dim %arg3, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %42 = stablehlo.add %33, %41 : tensor<6x12x16xui32>
    %43 = stablehlo.broadcast_in_dim %arg4, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %44 = stablehlo.add %40, %43 : tensor<6x12x16xui32>
    %c_4 = stablehlo.constant dense<1> : tensor<i32>
    %45 = stablehlo.add %arg0, %c_4 : tensor<i32>
    %46 = stablehlo.convert %45 : (tensor<i32>) -> tensor<ui32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<ui32>) -> tensor<6x12x16xui32>
    %48 = stablehlo.add %44, %47 : tensor<6x12x16xui32>
    return %0, %42, %48, %arg4, %arg5, %arg3, %arg7, %arg6 : tensor<i32>, tensor<6x12x16xui32>, tensor<6x12x16xui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<4xui32>, tensor<4xui32>
  }
  func.func private @_where_7(%arg0: tensor<6x12x16xi1>, %arg1: tensor<6x12x16xbf16>, %arg2: tensor<6x12x16xbf16>) -> tensor<6x12x16xbf16> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<6x12x16xi1>, tensor<6x12x16xbf16>
    return %0 : tensor<6x12x16xbf16>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x6x12x16xbf16>, %arg1: tensor<6x12x16xbf16>, %arg2: tensor<i32>) -> tensor<3x6x12x16xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x12x16xbf16>) -> tensor<1x6x12x16xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x6x12x16xbf16>, tensor<1x6x12x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x16xbf16>
    return %1 : tensor<3x6x12x16xbf16>
  }
  func.func private @dynamic_update_index_in_dim_8(%arg0: tensor<3x6x12x1xbf16>, %arg1: tensor<6x12x1xbf16>, %arg2: tensor<i32>) -> tensor<3x6x12x1xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x12x1xbf16>) -> tensor<1x6x12x1xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x6x12x1xbf16>, tensor<1x6x12x1xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x1xbf16>
    return %1 : tensor<3x6x12x1xbf16>
  }
  func.func private @dynamic_update_index_in_dim_9(%arg0: tensor<3x1x1x16xbf16>, %arg1: tensor<1x1x16xbf16>, %arg2: tensor<i32>) -> tensor<3x1x1x16xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<1x1x16xbf16>) -> tensor<1x1x1x16xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x1x1x16xbf16>, tensor<1x1x1x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x1x1x16xbf16>
    return %1 : tensor<3x1x1x16xbf16>
  }
  func.func private @dynamic_update_index_in_dim_10(%arg0: tensor<3x16x24xbf16>, %arg1: tensor<16x24xbf16>, %arg2: tensor<i32>) -> tensor<3x16x24xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x24xbf16>) -> tensor<1x16x24xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x16x24xbf16>, tensor<1x16x24xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x24xbf16>
    return %1 : tensor<3x16x24xbf16>
  }
  func.func private @dynamic_update_index_in_dim_11(%arg0: tensor<3x6x12x24xbf16>, %arg1: tensor<6x12x24xbf16>, %arg2: tensor<i32>) -> tensor<3x6x12x24xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x12x24xbf16>) -> tensor<1x6x12x24xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x6x12x24xbf16>, tensor<1x6x12x24xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x24xbf16>
    return %1 : tensor<3x6x12x24xbf16>
  }
  func.func private @dynamic_update_index_in_dim_12(%arg0: tensor<3x24x16xbf16>, %arg1: tensor<24x16xbf16>, %arg2: tensor<i32>) -> tensor<3x24x16xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<24x16xbf16>) -> tensor<1x24x16xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x24x16xbf16>, tensor<1x24x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x24x16xbf16>
    return %1 : tensor<3x24x16xbf16>
  }
  func.func private @dynamic_update_index_in_dim_13(%arg0: tensor<3x6x12x16xi1>, %arg1: tensor<6x12x16xi1>, %arg2: tensor<i32>) -> tensor<3x6x12x16xi1> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x12x16xi1>) -> tensor<1x6x12x16xi1>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x6x12x16xi1>, tensor<1x6x12x16xi1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x16xi1>
    return %1 : tensor<3x6x12x16xi1>
  }
  func.func private @take_along_axis(%arg0: tensor<6x12x60xf32>, %arg1: tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<6x12x1xi32>, tensor<6x12x1xi32>) -> tensor<6x12x1xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<6x12x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<6x12x1xi1>, tensor<6x12x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<6x12x1xi32>) -> tensor<6x12x1x1xi32>
    %c_1 = stablehlo.constant dense<59> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<6x12x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<6x12x1x1xi32>, tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<6x12x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<6x12x1x1xi32>, tensor<6x12x1x1xi32>) -> tensor<6x12x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<6x12x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<6x12x1x1xi1>, tensor<i1>) -> tensor<6x12x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>) -> tensor<6x12x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<6x12x1xi1>, tensor<6x12x1xf32>
    return %15, %5 : tensor<6x12x1xf32>, tensor<6x12x1x1xi32>
  }
  func.func private @_take(%arg0: tensor<6x12x1xf32>, %arg1: tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_14(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 6, 12, 1>}> : (tensor<6x12x1xf32>, tensor<1xi32>) -> tensor<6x12xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<6x12xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<6x12xi1>, tensor<6x12xf32>
    return %13, %3 : tensor<6x12xf32>, tensor<1xi32>
  }
  func.func private @_where_14(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_15(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_16(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
  func.func private @dynamic_index_in_dim_17(%arg0: tensor<3x6x12x16xbf16>, %arg1: tensor<i32>) -> tensor<6x12x16xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 12, 16] : (tensor<3x6x12x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x16xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x16xbf16>) -> tensor<6x12x16xbf16>
    return %1 : tensor<6x12x16xbf16>
  }
  func.func private @dynamic_index_in_dim_18(%arg0: tensor<3x6x12x1xbf16>, %arg1: tensor<i32>) -> tensor<6x12x1xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 12, 1] : (tensor<3x6x12x1xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x1xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x1xbf16>) -> tensor<6x12x1xbf16>
    return %1 : tensor<6x12x1xbf16>
  }
  func.func private @dynamic_index_in_dim_19(%arg0: tensor<3x1x1x16xbf16>, %arg1: tensor<i32>) -> tensor<1x1x16xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 1, 1, 16] : (tensor<3x1x1x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x1x16xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x1x1x16xbf16>) -> tensor<1x1x16xbf16>
    return %1 : tensor<1x1x16xbf16>
  }
  func.func private @dynamic_index_in_dim_20(%arg0: tensor<3x16x24xbf16>, %arg1: tensor<i32>) -> tensor<16x24xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 16, 24] : (tensor<3x16x24xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x24xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x16x24xbf16>) -> tensor<16x24xbf16>
    return %1 : tensor<16x24xbf16>
  }
  func.func private @dynamic_index_in_dim_21(%arg0: tensor<3x6x12x24xbf16>, %arg1: tensor<i32>) -> tensor<6x12x24xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 12, 24] : (tensor<3x6x12x24xbf16>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x24xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x24xbf16>) -> tensor<6x12x24xbf16>
    return %1 : tensor<6x12x24xbf16>
  }
  func.func private @dynamic_index_in_dim_22(%arg0: tensor<3x24x16xbf16>, %arg1: tensor<i32>) -> tensor<24x16xbf16> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 24, 16] : (tensor<3x24x16xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x24x16xbf16>
    %1 = stablehlo.reshape %0 : (tensor<1x24x16xbf16>) -> tensor<24x16xbf16>
    return %1 : tensor<24x16xbf16>
  }
  func.func private @dynamic_index_in_dim_23(%arg0: tensor<3x6x12x16xi1>, %arg1: tensor<i32>) -> tensor<6x12x16xi1> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 12, 16] : (tensor<3x6x12x16xi1>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x16xi1>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x16xi1>) -> tensor<6x12x16xi1>
    return %1 : tensor<6x12x16xi1>
  }
  func.func private @closed_call_24(%arg0: tensor<6x12x16xbf16>, %arg1: tensor<6x12x16xbf16>, %arg2: tensor<6x12x1xbf16>, %arg3: tensor<6x12x1xbf16>, %arg4: tensor<1x1x16xbf16>, %arg5: tensor<6x12x16xbf16>, %arg6: tensor<16x24xbf16>, %arg7: tensor<6x12x16xbf16>, %arg8: tensor<6x12x24xbf16>, %arg9: tensor<6x12x24xbf16>, %arg10: tensor<6x12x24xbf16>, %arg11: tensor<6x12x24xbf16>, %arg12: tensor<6x12x24xbf16>, %arg13: tensor<24x16xbf16>, %arg14: tensor<6x12x24xbf16>, %arg15: tensor<6x12x16xi1>) -> (tensor<6x12x16xbf16>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x24xf32>) {
    %0 = call @_where_25(%arg15, %arg0) : (tensor<6x12x16xi1>, tensor<6x12x16xbf16>) -> tensor<6x12x16xbf16>
    %cst = stablehlo.constant dense<7.500000e-01> : tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<6x12x16xbf16>
    %2 = stablehlo.divide %0, %1 : tensor<6x12x16xbf16>
    %3 = stablehlo.dot_general %2, %arg14, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<6x12x24xbf16>) -> tensor<16x24xbf16>
    %4 = stablehlo.transpose %3, dims = [1, 0] : (tensor<16x24xbf16>) -> tensor<24x16xbf16>
    %5 = stablehlo.dot_general %2, %arg13, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xbf16>, tensor<24x16xbf16>) -> tensor<6x12x24xbf16>
    %6 = stablehlo.multiply %arg12, %5 : tensor<6x12x24xbf16>
    %7 = stablehlo.multiply %5, %arg11 : tensor<6x12x24xbf16>
    %cst_0 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %9 = stablehlo.multiply %8, %6 : tensor<6x12x24xbf16>
    %10 = stablehlo.multiply %9, %arg10 : tensor<6x12x24xbf16>
    %11 = stablehlo.multiply %10, %arg9 : tensor<6x12x24xbf16>
    %12 = stablehlo.add %10, %11 : tensor<6x12x24xbf16>
    %cst_1 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %14 = stablehlo.multiply %13, %12 : tensor<6x12x24xbf16>
    %15 = stablehlo.add %7, %14 : tensor<6x12x24xbf16>
    %cst_2 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %16 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<bf16>) -> tensor<6x12x24xbf16>
    %17 = stablehlo.multiply %16, %14 : tensor<6x12x24xbf16>
    %18 = stablehlo.multiply %17, %arg8 : tensor<6x12x24xbf16>
    %19 = stablehlo.add %15, %18 : tensor<6x12x24xbf16>
    %20 = stablehlo.dot_general %19, %arg7, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xbf16>, tensor<6x12x16xbf16>) -> tensor<24x16xbf16>
    %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<24x16xbf16>) -> tensor<16x24xbf16>
    %22 = stablehlo.dot_general %19, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xbf16>, tensor<16x24xbf16>) -> tensor<6x12x16xbf16>
    %23 = stablehlo.multiply %arg5, %22 : tensor<6x12x16xbf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %24 = stablehlo.reduce(%23 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %25 = stablehlo.reshape %24 : (tensor<16xbf16>) -> tensor<1x1x16xbf16>
    %26 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1, 2] : (tensor<1x1x16xbf16>) -> tensor<6x12x16xbf16>
    %27 = stablehlo.multiply %22, %26 : tensor<6x12x16xbf16>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %28 = stablehlo.reduce(%25 init: %cst_4) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xbf16>, tensor<bf16>) -> tensor<16xbf16>
    %29 = stablehlo.multiply %arg1, %27 : tensor<6x12x16xbf16>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %30 = stablehlo.reduce(%29 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xbf16>, tensor<bf16>) -> tensor<6x12xbf16>
    %31 = stablehlo.reshape %30 : (tensor<6x12xbf16>) -> tensor<6x12x1xbf16>
    %32 = stablehlo.broadcast_in_dim %arg3, dims = [0, 1, 2] : (tensor<6x12x1xbf16>) -> tensor<6x12x16xbf16>
    %33 = stablehlo.multiply %27, %32 : tensor<6x12x16xbf16>
    %34 = stablehlo.add %arg0, %33 : tensor<6x12x16xbf16>
    %35 = stablehlo.multiply %31, %arg2 : tensor<6x12x1xbf16>
    %36 = stablehlo.convert %35 : (tensor<6x12x1xbf16>) -> tensor<6x12x1xf32>
    %cst_6 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %38 = stablehlo.divide %36, %37 : tensor<6x12x1xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %41 = stablehlo.convert %40 : (tensor<6x12x16xf32>) -> tensor<6x12x16xbf16>
    %42 = stablehlo.multiply %arg1, %41 : tensor<6x12x16xbf16>
    %43 = stablehlo.add %34, %42 : tensor<6x12x16xbf16>
    %44 = stablehlo.multiply %41, %arg1 : tensor<6x12x16xbf16>
    %45 = stablehlo.add %43, %44 : tensor<6x12x16xbf16>
    %46 = stablehlo.convert %21 : (tensor<16x24xbf16>) -> tensor<16x24xf32>
    %47 = stablehlo.convert %28 : (tensor<16xbf16>) -> tensor<16xf32>
    %48 = stablehlo.convert %4 : (tensor<24x16xbf16>) -> tensor<24x16xf32>
    return %45, %48, %47, %46 : tensor<6x12x16xbf16>, tensor<24x16xf32>, tensor<16xf32>, tensor<16x24xf32>
  }
  func.func private @_where_25(%arg0: tensor<6x12x16xi1>, %arg1: tensor<6x12x16xbf16>) -> tensor<6x12x16xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<6x12x16xbf16>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x12x16xi1>, tensor<6x12x16xbf16>
    return %1 : tensor<6x12x16xbf16>
  }
  func.func private @dynamic_update_index_in_dim_26(%arg0: tensor<3x24x16xf32>, %arg1: tensor<24x16xf32>, %arg2: tensor<i32>) -> tensor<3x24x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<24x16xf32>) -> tensor<1x24x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x24x16xf32>, tensor<1x24x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x24x16xf32>
    return %1 : tensor<3x24x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_27(%arg0: tensor<3x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<3x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<3x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<3x16xf32>
    return %1 : tensor<3x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_28(%arg0: tensor<3x16x24xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<i32>) -> tensor<3x16x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x24xf32>) -> tensor<1x16x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x16x24xf32>, tensor<1x16x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x24xf32>
    return %1 : tensor<3x16x24xf32>
  }
  func.func private @_where_29(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
