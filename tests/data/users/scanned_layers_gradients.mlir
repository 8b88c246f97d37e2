module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<3x24x16xf32>, %arg2: tensor<3x16xf32>, %arg3: tensor<3x16xf32>, %arg4: tensor<3x24x16xf32>, %arg5: tensor<3x16x72xf32>, %arg6: tensor<3x16x24xf32>, %arg7: tensor<6x12xi32>, %arg8: tensor<6x12xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<3x24x16xf32> {jax.result_info = "result[1]['layers']['down']"}, tensor<3x16xf32> {jax.result_info = "result[1]['layers']['norm1']"}, tensor<3x16xf32> {jax.result_info = "result[1]['layers']['norm2']"}, tensor<3x24x16xf32> {jax.result_info = "result[1]['layers']['out']"}, tensor<3x16x72xf32> {jax.result_info = "result[1]['layers']['qkv']"}, tensor<3x16x24xf32> {jax.result_info = "result[1]['layers']['up']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg7, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg7, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg7 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %c_1 = stablehlo.constant dense<true> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %8 = call @tril(%7) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %9:2 = call @_where(%8, %cst) : (tensor<12x12xi1>, tensor<f32>) -> (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>)
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x6x12x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x6x12x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3x6x12x1xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x1x1x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x6x12x16xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x6x12x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<3x6x6x12x12xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<3x6x6x12x1xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3x6x6x12x1xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<3x6x6x12x12xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3x6x12x6x4xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3x6x12x24xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3x6x12x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x6x12x1xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<3x6x12x1xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x1x1x16xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3x6x12x16xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3x6x12x16xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3x6x12x24xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3x6x12x24xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3x6x12x24xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3x6x12x24xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3x6x12x24xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3x6x12x24xf32>
    %c_28 = stablehlo.constant dense<0> : tensor<i32>
    %36:36 = stablehlo.while(%iterArg = %arg1, %iterArg_48 = %arg2, %iterArg_49 = %arg3, %iterArg_50 = %arg4, %iterArg_51 = %arg5, %iterArg_52 = %arg6, %iterArg_53 = %9#0, %iterArg_54 = %9#1, %iterArg_55 = %c_28, %iterArg_56 = %6, %iterArg_57 = %10, %iterArg_58 = %11, %iterArg_59 = %12, %iterArg_60 = %13, %iterArg_61 = %14, %iterArg_62 = %15, %iterArg_63 = %16, %iterArg_64 = %17, %iterArg_65 = %18, %iterArg_66 = %19, %iterArg_67 = %20, %iterArg_68 = %21, %iterArg_69 = %22, %iterArg_70 = %23, %iterArg_71 = %24, %iterArg_72 = %25, %iterArg_73 = %26, %iterArg_74 = %27, %iterArg_75 = %28, %iterArg_76 = %29, %iterArg_77 = %30, %iterArg_78 = %31, %iterArg_79 = %32, %iterArg_80 = %33, %iterArg_81 = %34, %iterArg_82 = %35) : tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x24x16xf32>, tensor<3x16x72xf32>, tensor<3x16x24xf32>, tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>, tensor<i32>, tensor<6x12x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>
    cond {
      %c_83 = stablehlo.constant dense<3> : tensor<i32>
      %89 = stablehlo.compare LT, %iterArg_55, %c_83, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %89 : tensor<i1>
    } do {
      %89 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_55) : (tensor<3x24x16xf32>, tensor<i32>) -> tensor<24x16xf32>
      %90 = func.call @dynamic_index_in_dim_0(%iterArg_48, %iterArg_55) : (tensor<3x16xf32>, tensor<i32>) -> tensor<16xf32>
      %91 = func.call @dynamic_index_in_dim_0(%iterArg_49, %iterArg_55) : (tensor<3x16xf32>, tensor<i32>) -> tensor<16xf32>
      %92 = func.call @dynamic_index_in_dim(%iterArg_50, %iterArg_55) : (tensor<3x24x16xf32>, tensor<i32>) -> tensor<24x16xf32>
      %93 = func.call @dynamic_index_in_dim_1(%iterArg_51, %iterArg_55) : (tensor<3x16x72xf32>, tensor<i32>) -> tensor<16x72xf32>
      %94 = func.call @dynamic_index_in_dim_2(%iterArg_52, %iterArg_55) : (tensor<3x16x24xf32>, tensor<i32>) -> tensor<16x24xf32>
      %95:27 = func.call @closed_call(%iterArg_53, %iterArg_54, %iterArg_56, %89, %90, %91, %92, %93, %94) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>, tensor<6x12x16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x72xf32>, tensor<16x24xf32>) -> (tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>, tensor<6x12x24xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>)
      %96 = func.call @dynamic_update_index_in_dim(%iterArg_57, %95#1, %iterArg_55) : (tensor<3x6x12x16xf32>, tensor<6x12x16xf32>, tensor<i32>) -> tensor<3x6x12x16xf32>
      %97 = func.call @dynamic_update_index_in_dim_4(%iterArg_58, %95#2, %iterArg_55) : (tensor<3x6x12x1xf32>, tensor<6x12x1xf32>, tensor<i32>) -> tensor<3x6x12x1xf32>
      %98 = func.call @dynamic_update_index_in_dim_4(%iterArg_59, %95#3, %iterArg_55) : (tensor<3x6x12x1xf32>, tensor<6x12x1xf32>, tensor<i32>) -> tensor<3x6x12x1xf32>
      %99 = func.call @dynamic_update_index_in_dim_5(%iterArg_60, %95#4, %iterArg_55) : (tensor<3x1x1x16xf32>, tensor<1x1x16xf32>, tensor<i32>) -> tensor<3x1x1x16xf32>
      %100 = func.call @dynamic_update_index_in_dim(%iterArg_61, %95#5, %iterArg_55) : (tensor<3x6x12x16xf32>, tensor<6x12x16xf32>, tensor<i32>) -> tensor<3x6x12x16xf32>
      %101 = func.call @dynamic_update_index_in_dim(%iterArg_62, %95#6, %iterArg_55) : (tensor<3x6x12x16xf32>, tensor<6x12x16xf32>, tensor<i32>) -> tensor<3x6x12x16xf32>
      %102 = func.call @dynamic_update_index_in_dim_6(%iterArg_63, %95#7, %iterArg_55) : (tensor<3x6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<i32>) -> tensor<3x6x12x6x4xf32>
      %103 = func.call @dynamic_update_index_in_dim_6(%iterArg_64, %95#8, %iterArg_55) : (tensor<3x6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<i32>) -> tensor<3x6x12x6x4xf32>
      %104 = func.call @dynamic_update_index_in_dim_7(%iterArg_65, %95#9, %iterArg_55) : (tensor<3x6x6x12x12xf32>, tensor<6x6x12x12xf32>, tensor<i32>) -> tensor<3x6x6x12x12xf32>
      %105 = func.call @dynamic_update_index_in_dim_8(%iterArg_66, %95#10, %iterArg_55) : (tensor<3x6x6x12x1xf32>, tensor<6x6x12x1xf32>, tensor<i32>) -> tensor<3x6x6x12x1xf32>
      %106 = func.call @dynamic_update_index_in_dim_8(%iterArg_67, %95#11, %iterArg_55) : (tensor<3x6x6x12x1xf32>, tensor<6x6x12x1xf32>, tensor<i32>) -> tensor<3x6x6x12x1xf32>
      %107 = func.call @dynamic_update_index_in_dim_7(%iterArg_68, %95#12, %iterArg_55) : (tensor<3x6x6x12x12xf32>, tensor<6x6x12x12xf32>, tensor<i32>) -> tensor<3x6x6x12x12xf32>
      %108 = func.call @dynamic_update_index_in_dim_6(%iterArg_69, %95#13, %iterArg_55) : (tensor<3x6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<i32>) -> tensor<3x6x12x6x4xf32>
      %109 = func.call @dynamic_update_index_in_dim_9(%iterArg_70, %95#14, %iterArg_55) : (tensor<3x6x12x24xf32>, tensor<6x12x24xf32>, tensor<i32>) -> tensor<3x6x12x24xf32>
      %110 = func.call @dynamic_update_index_in_dim(%iterArg_71, %95#15, %iterArg_55) : (tensor<3x6x12x16xf32>, tensor<6x12x16xf32>, tensor<i32>) -> tensor<3x6x12x16xf32>
      %111 = func.call @dynamic_update_index_in_dim_4(%iterArg_72, %95#16, %iterArg_55) : (tensor<3x6x12x1xf32>, tensor<6x12x1xf32>, tensor<i32>) -> tensor<3x6x12x1xf32>
      %112 = func.call @dynamic_update_index_in_dim_4(%iterArg_73, %95#17, %iterArg_55) : (tensor<3x6x12x1xf32>, tensor<6x12x1xf32>, tensor<i32>) -> tensor<3x6x12x1xf32>
      %113 = func.call @dynamic_update_index_in_dim_5(%iterArg_74, %95#18, %iterArg_55) : (tensor<3x1x1x16xf32>, tensor<1x1x16xf32>, tensor<i32>) -> tensor<3x1x1x16xf32>
      %114 = func.call @dynamic_update_index_in_dim(%iterArg_75, %95#19, %iterArg_55) : (tensor<3x6x12x16xf32>, tensor<6x12x16xf32>, tensor<i32>) -> tensor<3x6x12x16xf32>
      %115 = func.call @dynamic_update_index_in_dim(%iterArg_76, %95#20, %iterArg_55) : (tensor<3x6x12x16xf32>, tensor<6x12x16xf32>, tensor<i32>) -> tensor<3x6x12x16xf32>
      %116 = func.call @dynamic_update_index_in_dim_9(%iterArg_77, %95#21, %iterArg_55) : (tensor<3x6x12x24xf32>, tensor<6x12x24xf32>, tensor<i32>) -> tensor<3x6x12x24xf32>
      %117 = func.call @dynamic_update_index_in_dim_9(%iterArg_78, %95#22, %iterArg_55) : (tensor<3x6x12x24xf32>, tensor<6x12x24xf32>, tensor<i32>) -> tensor<3x6x12x24xf32>
      %118 = func.call @dynamic_update_index_in_dim_9(%iterArg_79, %95#23, %iterArg_55) : (tensor<3x6x12x24xf32>, tensor<6x12x24xf32>, tensor<i32>) -> tensor<3x6x12x24xf32>
      %119 = func.call @dynamic_update_index_in_dim_9(%iterArg_80, %95#24, %iterArg_55) : (tensor<3x6x12x24xf32>, tensor<6x12x24xf32>, tensor<i32>) -> tensor<3x6x12x24xf32>
      %120 = func.call @dynamic_update_index_in_dim_9(%iterArg_81, %95#25, %iterArg_55) : (tensor<3x6x12x24xf32>, tensor<6x12x24xf32>, tensor<i32>) -> tensor<3x6x12x24xf32>
      %121 = func.call @dynamic_update_index_in_dim_9(%iterArg_82, %95#26, %iterArg_55) : (tensor<3x6x12x24xf32>, tensor<6x12x24xf32>, tensor<i32>) -> tensor<3x6x12x24xf32>
      %c_83 = stablehlo.constant dense<1> : tensor<i32>
      %122 = stablehlo.add %iterArg_55, %c_83 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_48, %iterArg_49, %iterArg_50, %iterArg_51, %iterArg_52, %iterArg_53, %iterArg_54, %122, %95#0, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121 : tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x24x16xf32>, tensor<3x16x72xf32>, tensor<3x16x24xf32>, tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>, tensor<i32>, tensor<6x12x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>
    }
    %37 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %38 = stablehlo.dot_general %36#9, %37, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %39 = stablehlo.broadcast_in_dim %arg8, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %40:2 = call @take_along_axis(%38, %39) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_29 = stablehlo.constant dense<0> : tensor<i32>
    %41:2 = call @_take(%40#0, %c_29) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_30 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.reduce(%38 init: %cst_30) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %44 = stablehlo.maximum %43, %42 : tensor<6x12xf32>
    %45 = stablehlo.is_finite %44 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %47 = stablehlo.select %45, %44, %46 : tensor<6x12xi1>, tensor<6x12xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %50 = stablehlo.subtract %38, %49 : tensor<6x12x60xf32>
    %51 = stablehlo.exponential %50 : tensor<6x12x60xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %53 = stablehlo.abs %52 : tensor<6x12xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %55 = stablehlo.compare GE, %52, %54, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %56 = stablehlo.log %53 : tensor<6x12xf32>
    %57 = stablehlo.add %56, %47 : tensor<6x12xf32>
    %58 = stablehlo.subtract %57, %41#0 : tensor<6x12xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_35) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_36 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %60 = stablehlo.divide %59, %cst_36 : tensor<f32>
    %cst_37 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_38 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %61 = stablehlo.divide %cst_37, %cst_38 : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %63 = stablehlo.negate %62 : tensor<6x12xf32>
    %64 = stablehlo.divide %62, %53 : tensor<6x12xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %66 = stablehlo.select %55, %65, %64 : tensor<6x12xi1>, tensor<6x12xf32>
    %67 = stablehlo.select %55, %64, %65 : tensor<6x12xi1>, tensor<6x12xf32>
    %68 = stablehlo.negate %66 : tensor<6x12xf32>
    %69 = stablehlo.add %67, %68 : tensor<6x12xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %71 = stablehlo.multiply %70, %51 : tensor<6x12x60xf32>
    %72 = call @_take_11(%41#1, %63) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %73 = call @take_along_axis_12(%40#1, %72) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %74 = stablehlo.add %71, %73 : tensor<6x12x60xf32>
    %75 = stablehlo.dot_general %74, %36#9, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %76 = stablehlo.transpose %75, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %77 = stablehlo.dot_general %74, %37, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %78 = stablehlo.transpose %76, dims = [1, 0] : (tensor<16x60xf32>) -> tensor<60x16xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<3x16xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3x24x16xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3x16x72xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<3x16x24xf32>
    %c_46 = stablehlo.constant dense<0> : tensor<i32>
    %85:39 = stablehlo.while(%iterArg = %36#10, %iterArg_48 = %36#11, %iterArg_49 = %36#12, %iterArg_50 = %36#13, %iterArg_51 = %36#14, %iterArg_52 = %arg5, %iterArg_53 = %36#15, %iterArg_54 = %36#16, %iterArg_55 = %36#17, %iterArg_56 = %36#18, %iterArg_57 = %36#19, %iterArg_58 = %36#20, %iterArg_59 = %36#21, %iterArg_60 = %36#22, %iterArg_61 = %arg4, %iterArg_62 = %36#23, %iterArg_63 = %36#24, %iterArg_64 = %36#25, %iterArg_65 = %36#26, %iterArg_66 = %36#27, %iterArg_67 = %36#28, %iterArg_68 = %arg6, %iterArg_69 = %36#29, %iterArg_70 = %36#30, %iterArg_71 = %36#31, %iterArg_72 = %36#32, %iterArg_73 = %36#33, %iterArg_74 = %36#34, %iterArg_75 = %arg1, %iterArg_76 = %36#35, %iterArg_77 = %9#0, %iterArg_78 = %c_46, %iterArg_79 = %77, %iterArg_80 = %79, %iterArg_81 = %80, %iterArg_82 = %81, %iterArg_83 = %82, %iterArg_84 = %83, %iterArg_85 = %84) : tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x16x72xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x12x6x4xf32>, tensor<3x24x16xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x16x24xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x24x16xf32>, tensor<3x6x12x24xf32>, tensor<6x6x12x12xi1>, tensor<i32>, tensor<6x12x16xf32>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x24x16xf32>, tensor<3x16x72xf32>, tensor<3x16x24xf32>
    cond {
      %c_86 = stablehlo.constant dense<3> : tensor<i32>
      %89 = stablehlo.compare LT, %iterArg_78, %c_86, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %89 : tensor<i1>
    } do {
      %c_86 = stablehlo.constant dense<3> : tensor<i32>
      %89 = stablehlo.subtract %c_86, %iterArg_78 : tensor<i32>
      %c_87 = stablehlo.constant dense<1> : tensor<i32>
      %90 = stablehlo.subtract %89, %c_87 : tensor<i32>
      %91 = func.call @dynamic_index_in_dim_13(%iterArg, %90) : (tensor<3x6x12x16xf32>, tensor<i32>) -> tensor<6x12x16xf32>
      %92 = func.call @dynamic_index_in_dim_14(%iterArg_48, %90) : (tensor<3x6x12x1xf32>, tensor<i32>) -> tensor<6x12x1xf32>
      %93 = func.call @dynamic_index_in_dim_14(%iterArg_49, %90) : (tensor<3x6x12x1xf32>, tensor<i32>) -> tensor<6x12x1xf32>
      %94 = func.call @dynamic_index_in_dim_15(%iterArg_50, %90) : (tensor<3x1x1x16xf32>, tensor<i32>) -> tensor<1x1x16xf32>
      %95 = func.call @dynamic_index_in_dim_13(%iterArg_51, %90) : (tensor<3x6x12x16xf32>, tensor<i32>) -> tensor<6x12x16xf32>
      %96 = func.call @dynamic_index_in_dim_1(%iterArg_52, %90) : (tensor<3x16x72xf32>, tensor<i32>) -> tensor<16x72xf32>
      %97 = func.call @dynamic_index_in_dim_13(%iterArg_53, %90) : (tensor<3x6x12x16xf32>, tensor<i32>) -> tensor<6x12x16xf32>
      %98 = func.call @dynamic_index_in_dim_16(%iterArg_54, %90) : (tensor<3x6x12x6x4xf32>, tensor<i32>) -> tensor<6x12x6x4xf32>
      %99 = func.call @dynamic_index_in_dim_16(%iterArg_55, %90) : (tensor<3x6x12x6x4xf32>, tensor<i32>) -> tensor<6x12x6x4xf32>
      %100 = func.call @dynamic_index_in_dim_17(%iterArg_56, %90) : (tensor<3x6x6x12x12xf32>, tensor<i32>) -> tensor<6x6x12x12xf32>
      %101 = func.call @dynamic_index_in_dim_18(%iterArg_57, %90) : (tensor<3x6x6x12x1xf32>, tensor<i32>) -> tensor<6x6x12x1xf32>
      %102 = func.call @dynamic_index_in_dim_18(%iterArg_58, %90) : (tensor<3x6x6x12x1xf32>, tensor<i32>) -> tensor<6x6x12x1xf32>
      %103 = func.call @dynamic_index_in_dim_17(%iterArg_59, %90) : (tensor<3x6x6x12x12xf32>, tensor<i32>) -> tensor<6x6x12x12xf32>
      %104 = func.call @dynamic_index_in_dim_16(%iterArg_60, %90) : (tensor<3x6x12x6x4xf32>, tensor<i32>) -> tensor<6x12x6x4xf32>
      %105 = func.call @dynamic_index_in_dim(%iterArg_61, %90) : (tensor<3x24x16xf32>, tensor<i32>) -> tensor<24x16xf32>
      %106 = func.call @dynamic_index_in_dim_19(%iterArg_62, %90) : (tensor<3x6x12x24xf32>, tensor<i32>) -> tensor<6x12x24xf32>
      %107 = func.call @dynamic_index_in_dim_13(%iterArg_63, %90) : (tensor<3x6x12x16xf32>, tensor<i32>) -> tensor<6x12x16xf32>
      %108 = func.call @dynamic_index_in_dim_14(%iterArg_64, %90) : (tensor<3x6x12x1xf32>, tensor<i32>) -> tensor<6x12x1xf32>
      %109 = func.call @dynamic_index_in_dim_14(%iterArg_65, %90) : (tensor<3x6x12x1xf32>, tensor<i32>) -> tensor<6x12x1xf32>
      %110 = func.call @dynamic_index_in_dim_15(%iterArg_66, %90) : (tensor<3x1x1x16xf32>, tensor<i32>) -> tensor<1x1x16xf32>
      %111 = func.call @dynamic_index_in_dim_13(%iterArg_67, %90) : (tensor<3x6x12x16xf32>, tensor<i32>) -> tensor<6x12x16xf32>
      %112 = func.call @dynamic_index_in_dim_2(%iterArg_68, %90) : (tensor<3x16x24xf32>, tensor<i32>) -> tensor<16x24xf32>
      %113 = func.call @dynamic_index_in_dim_13(%iterArg_69, %90) : (tensor<3x6x12x16xf32>, tensor<i32>) -> tensor<6x12x16xf32>
      %114 = func.call @dynamic_index_in_dim_19(%iterArg_70, %90) : (tensor<3x6x12x24xf32>, tensor<i32>) -> tensor<6x12x24xf32>
      %115 = func.call @dynamic_index_in_dim_19(%iterArg_71, %90) : (tensor<3x6x12x24xf32>, tensor<i32>) -> tensor<6x12x24xf32>
      %116 = func.call @dynamic_index_in_dim_19(%iterArg_72, %90) : (tensor<3x6x12x24xf32>, tensor<i32>) -> tensor<6x12x24xf32>
      %117 = func.call @dynamic_index_in_dim_19(%iterArg_73, %90) : (tensor<3x6x12x24xf32>, tensor<i32>) -> tensor<6x12x24xf32>
      %118 = func.call @dynamic_index_in_dim_19(%iterArg_74, %90) : (tensor<3x6x12x24xf32>, tensor<i32>) -> tensor<6x12x24xf32>
      %119 = func.call @dynamic_index_in_dim(%iterArg_75, %90) : (tensor<3x24x16xf32>, tensor<i32>) -> tensor<24x16xf32>
      %120 = func.call @dynamic_index_in_dim_19(%iterArg_76, %90) : (tensor<3x6x12x24xf32>, tensor<i32>) -> tensor<6x12x24xf32>
      %121:7 = func.call @closed_call_20(%iterArg_77, %iterArg_79, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120) : (tensor<6x6x12x12xi1>, tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<16x72xf32>, tensor<6x12x16xf32>, tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>, tensor<24x16xf32>, tensor<6x12x24xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<16x24xf32>, tensor<6x12x16xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<24x16xf32>, tensor<6x12x24xf32>) -> (tensor<6x12x16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x72xf32>, tensor<16x24xf32>)
      %122 = func.call @dynamic_update_index_in_dim_22(%iterArg_80, %121#1, %90) : (tensor<3x24x16xf32>, tensor<24x16xf32>, tensor<i32>) -> tensor<3x24x16xf32>
      %123 = func.call @dynamic_update_index_in_dim_23(%iterArg_81, %121#2, %90) : (tensor<3x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<3x16xf32>
      %124 = func.call @dynamic_update_index_in_dim_23(%iterArg_82, %121#3, %90) : (tensor<3x16xf32>, tensor<16xf32>, tensor<i32>) -> tensor<3x16xf32>
      %125 = func.call @dynamic_update_index_in_dim_22(%iterArg_83, %121#4, %90) : (tensor<3x24x16xf32>, tensor<24x16xf32>, tensor<i32>) -> tensor<3x24x16xf32>
      %126 = func.call @dynamic_update_index_in_dim_24(%iterArg_84, %121#5, %90) : (tensor<3x16x72xf32>, tensor<16x72xf32>, tensor<i32>) -> tensor<3x16x72xf32>
      %127 = func.call @dynamic_update_index_in_dim_25(%iterArg_85, %121#6, %90) : (tensor<3x16x24xf32>, tensor<16x24xf32>, tensor<i32>) -> tensor<3x16x24xf32>
      %c_88 = stablehlo.constant dense<1> : tensor<i32>
      %128 = stablehlo.add %iterArg_78, %c_88 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_48, %iterArg_49, %iterArg_50, %iterArg_51, %iterArg_52, %iterArg_53, %iterArg_54, %iterArg_55, %iterArg_56, %iterArg_57, %iterArg_58, %iterArg_59, %iterArg_60, %iterArg_61, %iterArg_62, %iterArg_63, %iterArg_64, %iterArg_65, %iterArg_66, %iterArg_67, %iterArg_68, %iterArg_69, %iterArg_70, %iterArg_71, %iterArg_72, %iterArg_73, %iterArg_74, %iterArg_75, %iterArg_76, %iterArg_77, %128, %121#0, %122, %123, %124, %125, %126, %127 : tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x16x72xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x12x6x4xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x1xf32>, tensor<3x6x6x12x12xf32>, tensor<3x6x12x6x4xf32>, tensor<3x24x16xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x1xf32>, tensor<3x6x12x1xf32>, tensor<3x1x1x16xf32>, tensor<3x6x12x16xf32>, tensor<3x16x24xf32>, tensor<3x6x12x16xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x6x12x24xf32>, tensor<3x24x16xf32>, tensor<3x6x12x24xf32>, tensor<6x6x12x12xi1>, tensor<i32>, tensor<6x12x16xf32>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x24x16xf32>, tensor<3x16x72xf32>, tensor<3x16x24xf32>
    }
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %86 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %87 = "stablehlo.scatter"(%86, %5, %85#32) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
      %89 = stablehlo.add %arg9, %arg10 : tensor<f32>
      stablehlo.return %89 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %88 = stablehlo.add %78, %87 : tensor<60x16xf32>
    return %60, %88, %85#33, %85#34, %85#35, %85#36, %85#37, %85#38 : tensor<f32>, tensor<60x16xf32>, tensor<3x24x16xf32>, tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x24x16xf32>, tensor<3x16x72xf32>, tensor<3x16x24xf32>
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
  func.func private @_where(%arg0: tensor<12x12xi1>, %arg1: tensor<f32>) -> (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<6x6x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    return %1, %2 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
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
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<3x16x72xf32>, %arg1: tensor<i32>) -> tensor<16x72xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 16, 72] : (tensor<3x16x72xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x72xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x72xf32>) -> tensor<16x72xf32>
    return %1 : tensor<16x72xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<3x16x24xf32>, %arg1: tensor<i32>) -> tensor<16x24xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 16, 24] : (tensor<3x16x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x16x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x16x24xf32>) -> tensor<16x24xf32>
    return %1 : tensor<16x24xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<6x12x16xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<24x16xf32>, %arg7: tensor<16x72xf32>, %arg8: tensor<16x24xf32>) -> (tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>, tensor<6x12x24xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) {
    %0 = stablehlo.multiply %arg2, %arg2 : tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_0 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<6x12x1xf32>
    %cst_1 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %6 = stablehlo.add %4, %5 : tensor<6x12x1xf32>
    %7 = stablehlo.rsqrt %6 : tensor<6x12x1xf32>
    %8 = stablehlo.divide %7, %6 : tensor<6x12x1xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<6x12x1xf32>
    %11 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %12 = stablehlo.multiply %arg2, %11 : tensor<6x12x16xf32>
    %13 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<6x12x16xf32>
    %16 = stablehlo.dot_general %15, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x72xf32>) -> tensor<6x12x72xf32>
    %17 = stablehlo.slice %16 [0:6, 0:12, 0:24] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %18 = stablehlo.slice %16 [0:6, 0:12, 24:48] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %19 = stablehlo.slice %16 [0:6, 0:12, 48:72] : (tensor<6x12x72xf32>) -> tensor<6x12x24xf32>
    %20 = stablehlo.reshape %17 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %21 = stablehlo.reshape %18 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %22 = stablehlo.reshape %19 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %23 = stablehlo.dot_general %20, %21, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %25 = stablehlo.divide %23, %24 : tensor<6x6x12x12xf32>
    %26 = call @_where_3(%25, %arg0, %arg1) : (tensor<6x6x12x12xf32>, tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_4) applies stablehlo.maximum across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x6x12xf32>
    %29 = stablehlo.maximum %28, %27 : tensor<6x6x12xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %32 = stablehlo.subtract %26, %31 : tensor<6x6x12x12xf32>
    %33 = stablehlo.exponential %32 : tensor<6x6x12x12xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %34 = stablehlo.reduce(%33 init: %cst_6) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %37 = stablehlo.divide %33, %36 : tensor<6x6x12x12xf32>
    %38 = stablehlo.multiply %35, %35 : tensor<6x6x12x1xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x6x12x1xf32>
    %40 = stablehlo.divide %39, %38 : tensor<6x6x12x1xf32>
    %41 = stablehlo.dot_general %22, %37, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %42 = stablehlo.transpose %41, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %43 = stablehlo.reshape %42 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %44 = stablehlo.dot_general %43, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %45 = stablehlo.add %arg2, %44 : tensor<6x12x16xf32>
    %46 = stablehlo.multiply %45, %45 : tensor<6x12x16xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.reduce(%46 init: %cst_8) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_9 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %50 = stablehlo.divide %48, %49 : tensor<6x12x1xf32>
    %cst_10 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %52 = stablehlo.add %50, %51 : tensor<6x12x1xf32>
    %53 = stablehlo.rsqrt %52 : tensor<6x12x1xf32>
    %54 = stablehlo.divide %53, %52 : tensor<6x12x1xf32>
    %cst_11 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %56 = stablehlo.multiply %55, %54 : tensor<6x12x1xf32>
    %57 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %58 = stablehlo.multiply %45, %57 : tensor<6x12x16xf32>
    %59 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %61 = stablehlo.multiply %58, %60 : tensor<6x12x16xf32>
    %62 = stablehlo.dot_general %61, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %63 = stablehlo.multiply %62, %62 : tensor<6x12x24xf32>
    %64 = stablehlo.multiply %63, %62 : tensor<6x12x24xf32>
    %65 = stablehlo.multiply %62, %62 : tensor<6x12x24xf32>
    %cst_12 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<6x12x24xf32>
    %cst_13 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %69 = stablehlo.multiply %68, %64 : tensor<6x12x24xf32>
    %70 = stablehlo.add %62, %69 : tensor<6x12x24xf32>
    %cst_14 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %72 = stablehlo.multiply %71, %70 : tensor<6x12x24xf32>
    %73 = stablehlo.tanh %72 : tensor<6x12x24xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %75 = stablehlo.subtract %74, %73 : tensor<6x12x24xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %77 = stablehlo.add %76, %73 : tensor<6x12x24xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %79 = stablehlo.multiply %78, %77 : tensor<6x12x24xf32>
    %80 = stablehlo.multiply %62, %79 : tensor<6x12x24xf32>
    %81 = stablehlo.dot_general %80, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %82 = stablehlo.add %45, %81 : tensor<6x12x16xf32>
    return %82, %arg2, %10, %7, %13, %12, %15, %21, %20, %33, %35, %40, %37, %22, %43, %45, %56, %53, %59, %58, %61, %67, %73, %75, %79, %62, %80 : tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x6x4xf32>, tensor<6x12x6x4xf32>, tensor<6x6x12x12xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x1xf32>, tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>, tensor<6x12x24xf32>, tensor<6x12x16xf32>, tensor<6x12x1xf32>, tensor<6x12x1xf32>, tensor<1x1x16xf32>, tensor<6x12x16xf32>, tensor<6x12x16xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>
  }
  func.func private @_where_3(%arg0: tensor<6x6x12x12xf32>, %arg1: tensor<6x6x12x12xi1>, %arg2: tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32> {
    %0 = stablehlo.select %arg1, %arg0, %arg2 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %0 : tensor<6x6x12x12xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<3x6x12x16xf32>, %arg1: tensor<6x12x16xf32>, %arg2: tensor<i32>) -> tensor<3x6x12x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x12x16xf32>) -> tensor<1x6x12x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x6x12x16xf32>, tensor<1x6x12x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x16xf32>
    return %1 : tensor<3x6x12x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_4(%arg0: tensor<3x6x12x1xf32>, %arg1: tensor<6x12x1xf32>, %arg2: tensor<i32>) -> tensor<3x6x12x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x12x1xf32>) -> tensor<1x6x12x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x6x12x1xf32>, tensor<1x6x12x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x1xf32>
    return %1 : tensor<3x6x12x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_5(%arg0: tensor<3x1x1x16xf32>, %arg1: tensor<1x1x16xf32>, %arg2: tensor<i32>) -> tensor<3x1x1x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<1x1x16xf32>) -> tensor<1x1x1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x1x1x16xf32>, tensor<1x1x1x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x1x1x16xf32>
    return %1 : tensor<3x1x1x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_6(%arg0: tensor<3x6x12x6x4xf32>, %arg1: tensor<6x12x6x4xf32>, %arg2: tensor<i32>) -> tensor<3x6x12x6x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<6x12x6x4xf32>) -> tensor<1x6x12x6x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<3x6x12x6x4xf32>, tensor<1x6x12x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x6x4xf32>
    return %1 : tensor<3x6x12x6x4xf32>
  }
  func.func private @dynamic_update_index_in_dim_7(%arg0: tensor<3x6x6x12x12xf32>, %arg1: tensor<6x6x12x12xf32>, %arg2: tensor<i32>) -> tensor<3x6x6x12x12xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<6x6x12x12xf32>) -> tensor<1x6x6x12x12xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<3x6x6x12x12xf32>, tensor<1x6x6x12x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x6x12x12xf32>
    return %1 : tensor<3x6x6x12x12xf32>
  }
  func.func private @dynamic_update_index_in_dim_8(%arg0: tensor<3x6x6x12x1xf32>, %arg1: tensor<6x6x12x1xf32>, %arg2: tensor<i32>) -> tensor<3x6x6x12x1xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3, 4] : (tensor<6x6x12x1xf32>) -> tensor<1x6x6x12x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1, %c_2 : (tensor<3x6x6x12x1xf32>, tensor<1x6x6x12x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x6x12x1xf32>
    return %1 : tensor<3x6x6x12x1xf32>
  }
  func.func private @dynamic_update_index_in_dim_9(%arg0: tensor<3x6x12x24xf32>, %arg1: tensor<6x12x24xf32>, %arg2: tensor<i32>) -> tensor<3x6x12x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x12x24xf32>) -> tensor<1x6x12x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<3x6x12x24xf32>, tensor<1x6x12x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x6x12x24xf32>
    return %1 : tensor<3x6x12x24xf32>
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
    %2 = call @_where_10(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where_10(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_11(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_12(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
  func.func private @dynamic_index_in_dim_13(%arg0: tensor<3x6x12x16xf32>, %arg1: tensor<i32>) -> tensor<6x12x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 12, 16] : (tensor<3x6x12x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x16xf32>) -> tensor<6x12x16xf32>
    return %1 : tensor<6x12x16xf32>
  }
  func.func private @dynamic_index_in_dim_14(%arg0: tensor<3x6x12x1xf32>, %arg1: tensor<i32>) -> tensor<6x12x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 12, 1] : (tensor<3x6x12x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x1xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @dynamic_index_in_dim_15(%arg0: tensor<3x1x1x16xf32>, %arg1: tensor<i32>) -> tensor<1x1x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 1, 1, 16] : (tensor<3x1x1x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x1x1x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x1x1x16xf32>) -> tensor<1x1x16xf32>
    return %1 : tensor<1x1x16xf32>
  }
  func.func private @dynamic_index_in_dim_16(%arg0: tensor<3x6x12x6x4xf32>, %arg1: tensor<i32>) -> tensor<6x12x6x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 6, 12, 6, 4] : (tensor<3x6x12x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x6x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x6x4xf32>) -> tensor<6x12x6x4xf32>
    return %1 : tensor<6x12x6x4xf32>
  }
  func.func private @dynamic_index_in_dim_17(%arg0: tensor<3x6x6x12x12xf32>, %arg1: tensor<i32>) -> tensor<6x6x12x12xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 6, 6, 12, 12] : (tensor<3x6x6x12x12xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6x12x12xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    return %1 : tensor<6x6x12x12xf32>
  }
  func.func private @dynamic_index_in_dim_18(%arg0: tensor<3x6x6x12x1xf32>, %arg1: tensor<i32>) -> tensor<6x6x12x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, %c_2, sizes = [1, 6, 6, 12, 1] : (tensor<3x6x6x12x1xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x6x12x1xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x6x12x1xf32>) -> tensor<6x6x12x1xf32>
    return %1 : tensor<6x6x12x1xf32>
  }
  func.func private @dynamic_index_in_dim_19(%arg0: tensor<3x6x12x24xf32>, %arg1: tensor<i32>) -> tensor<6x12x24xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 12, 24] : (tensor<3x6x12x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x12x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x12x24xf32>) -> tensor<6x12x24xf32>
    return %1 : tensor<6x12x24xf32>
  }
  func.func private @closed_call_20(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x12x16xf32>, %arg2: tensor<6x12x16xf32>, %arg3: tensor<6x12x1xf32>, %arg4: tensor<6x12x1xf32>, %arg5: tensor<1x1x16xf32>, %arg6: tensor<6x12x16xf32>, %arg7: tensor<16x72xf32>, %arg8: tensor<6x12x16xf32>, %arg9: tensor<6x12x6x4xf32>, %arg10: tensor<6x12x6x4xf32>, %arg11: tensor<6x6x12x12xf32>, %arg12: tensor<6x6x12x1xf32>, %arg13: tensor<6x6x12x1xf32>, %arg14: tensor<6x6x12x12xf32>, %arg15: tensor<6x12x6x4xf32>, %arg16: tensor<24x16xf32>, %arg17: tensor<6x12x24xf32>, %arg18: tensor<6x12x16xf32>, %arg19: tensor<6x12x1xf32>, %arg20: tensor<6x12x1xf32>, %arg21: tensor<1x1x16xf32>, %arg22: tensor<6x12x16xf32>, %arg23: tensor<16x24xf32>, %arg24: tensor<6x12x16xf32>, %arg25: tensor<6x12x24xf32>, %arg26: tensor<6x12x24xf32>, %arg27: tensor<6x12x24xf32>, %arg28: tensor<6x12x24xf32>, %arg29: tensor<6x12x24xf32>, %arg30: tensor<24x16xf32>, %arg31: tensor<6x12x24xf32>) -> (tensor<6x12x16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x72xf32>, tensor<16x24xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg31, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %2 = stablehlo.dot_general %arg1, %arg30, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %3 = stablehlo.multiply %arg29, %2 : tensor<6x12x24xf32>
    %4 = stablehlo.multiply %2, %arg28 : tensor<6x12x24xf32>
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %6 = stablehlo.multiply %5, %3 : tensor<6x12x24xf32>
    %7 = stablehlo.multiply %6, %arg27 : tensor<6x12x24xf32>
    %8 = stablehlo.multiply %7, %arg26 : tensor<6x12x24xf32>
    %9 = stablehlo.add %7, %8 : tensor<6x12x24xf32>
    %cst_0 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %11 = stablehlo.multiply %10, %9 : tensor<6x12x24xf32>
    %12 = stablehlo.add %4, %11 : tensor<6x12x24xf32>
    %cst_1 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %14 = stablehlo.multiply %13, %11 : tensor<6x12x24xf32>
    %15 = stablehlo.multiply %14, %arg25 : tensor<6x12x24xf32>
    %16 = stablehlo.add %12, %15 : tensor<6x12x24xf32>
    %17 = stablehlo.dot_general %16, %arg24, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %18 = stablehlo.transpose %17, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %19 = stablehlo.dot_general %16, %arg23, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %20 = stablehlo.multiply %arg22, %19 : tensor<6x12x16xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_2) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %22 = stablehlo.reshape %21 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %23 = stablehlo.broadcast_in_dim %arg21, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %24 = stablehlo.multiply %19, %23 : tensor<6x12x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %25 = stablehlo.reduce(%22 init: %cst_3) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %26 = stablehlo.multiply %arg18, %24 : tensor<6x12x16xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.reduce(%26 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %28 = stablehlo.reshape %27 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %29 = stablehlo.broadcast_in_dim %arg20, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %30 = stablehlo.multiply %24, %29 : tensor<6x12x16xf32>
    %31 = stablehlo.add %arg1, %30 : tensor<6x12x16xf32>
    %32 = stablehlo.multiply %28, %arg19 : tensor<6x12x1xf32>
    %cst_5 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %34 = stablehlo.divide %32, %33 : tensor<6x12x1xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.reduce(%34 init: %cst_6) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %37 = stablehlo.multiply %arg18, %36 : tensor<6x12x16xf32>
    %38 = stablehlo.add %31, %37 : tensor<6x12x16xf32>
    %39 = stablehlo.multiply %36, %arg18 : tensor<6x12x16xf32>
    %40 = stablehlo.add %38, %39 : tensor<6x12x16xf32>
    %41 = stablehlo.dot_general %40, %arg17, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %43 = stablehlo.dot_general %40, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %44 = stablehlo.reshape %43 : (tensor<6x12x24xf32>) -> tensor<6x12x6x4xf32>
    %45 = stablehlo.transpose %44, dims = [0, 2, 3, 1] : (tensor<6x12x6x4xf32>) -> tensor<6x6x4x12xf32>
    %46 = stablehlo.dot_general %45, %arg15, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x12xf32>
    %47 = stablehlo.dot_general %45, %arg14, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x6x4x12xf32>, tensor<6x6x12x12xf32>) -> tensor<6x6x4x12xf32>
    %48 = stablehlo.transpose %47, dims = [0, 3, 1, 2] : (tensor<6x6x4x12xf32>) -> tensor<6x12x6x4xf32>
    %49 = stablehlo.broadcast_in_dim %arg13, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %50 = stablehlo.multiply %46, %49 : tensor<6x6x12x12xf32>
    %51 = stablehlo.multiply %50, %arg11 : tensor<6x6x12x12xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51 init: %cst_7) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x12xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %53 = stablehlo.reshape %52 : (tensor<6x6x12xf32>) -> tensor<6x6x12x1xf32>
    %54 = stablehlo.negate %53 : tensor<6x6x12x1xf32>
    %55 = stablehlo.broadcast_in_dim %arg12, dims = [0, 1, 2, 3] : (tensor<6x6x12x1xf32>) -> tensor<6x6x12x12xf32>
    %56 = stablehlo.divide %46, %55 : tensor<6x6x12x12xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%54 init: %cst_8) applies stablehlo.add across dimensions = [3] : (tensor<6x6x12x1xf32>, tensor<f32>) -> tensor<6x6x12xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<6x6x12xf32>) -> tensor<6x6x12x12xf32>
    %59 = stablehlo.add %56, %58 : tensor<6x6x12x12xf32>
    %60 = stablehlo.multiply %59, %arg11 : tensor<6x6x12x12xf32>
    %61 = call @_where_21(%arg0, %60) : (tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32>
    %cst_9 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %63 = stablehlo.divide %61, %62 : tensor<6x6x12x12xf32>
    %64 = stablehlo.dot_general %63, %arg10, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %65 = stablehlo.transpose %64, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %66 = stablehlo.dot_general %63, %arg9, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x6x12x12xf32>, tensor<6x12x6x4xf32>) -> tensor<6x6x12x4xf32>
    %67 = stablehlo.transpose %66, dims = [0, 2, 1, 3] : (tensor<6x6x12x4xf32>) -> tensor<6x12x6x4xf32>
    %68 = stablehlo.reshape %48 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %69 = stablehlo.reshape %65 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %70 = stablehlo.reshape %67 : (tensor<6x12x6x4xf32>) -> tensor<6x12x24xf32>
    %71 = stablehlo.concatenate %70, %69, %68, dim = 2 : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x72xf32>
    %72 = stablehlo.dot_general %71, %arg8, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x72xf32>, tensor<6x12x16xf32>) -> tensor<72x16xf32>
    %73 = stablehlo.transpose %72, dims = [1, 0] : (tensor<72x16xf32>) -> tensor<16x72xf32>
    %74 = stablehlo.dot_general %71, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x72xf32>, tensor<16x72xf32>) -> tensor<6x12x16xf32>
    %75 = stablehlo.multiply %arg6, %74 : tensor<6x12x16xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %76 = stablehlo.reduce(%75 init: %cst_10) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %77 = stablehlo.reshape %76 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %78 = stablehlo.broadcast_in_dim %arg5, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %79 = stablehlo.multiply %74, %78 : tensor<6x12x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %80 = stablehlo.reduce(%77 init: %cst_11) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %81 = stablehlo.multiply %arg2, %79 : tensor<6x12x16xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %83 = stablehlo.reshape %82 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %84 = stablehlo.broadcast_in_dim %arg4, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %85 = stablehlo.multiply %79, %84 : tensor<6x12x16xf32>
    %86 = stablehlo.add %40, %85 : tensor<6x12x16xf32>
    %87 = stablehlo.multiply %83, %arg3 : tensor<6x12x1xf32>
    %cst_13 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %89 = stablehlo.divide %87, %88 : tensor<6x12x1xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %91 = stablehlo.broadcast_in_dim %90, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %92 = stablehlo.multiply %arg2, %91 : tensor<6x12x16xf32>
    %93 = stablehlo.add %86, %92 : tensor<6x12x16xf32>
    %94 = stablehlo.multiply %91, %arg2 : tensor<6x12x16xf32>
    %95 = stablehlo.add %93, %94 : tensor<6x12x16xf32>
    return %95, %1, %80, %25, %42, %73, %18 : tensor<6x12x16xf32>, tensor<24x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<16x72xf32>, tensor<16x24xf32>
  }
  func.func private @_where_21(%arg0: tensor<6x6x12x12xi1>, %arg1: tensor<6x6x12x12xf32>) -> tensor<6x6x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x6x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<6x6x12x12xi1>, tensor<6x6x12x12xf32>
    return %1 : tensor<6x6x12x12xf32>
  }
  func.func private @dynamic_update_index_in_dim_22(%arg0: tensor<3x24x16xf32>, %arg1: tensor<24x16xf32>, %arg2: tensor<i32>) -> tensor<3x24x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<24x16xf32>) -> tensor<1x24x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x24x16xf32>, tensor<1x24x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x24x16xf32>
    return %1 : tensor<3x24x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_23(%arg0: tensor<3x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<i32>) -> tensor<3x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<16xf32>) -> tensor<1x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c : (tensor<3x16xf32>, tensor<1x16xf32>, tensor<i32>, tensor<i32>) -> tensor<3x16xf32>
    return %1 : tensor<3x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_24(%arg0: tensor<3x16x72xf32>, %arg1: tensor<16x72xf32>, %arg2: tensor<i32>) -> tensor<3x16x72xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x72xf32>) -> tensor<1x16x72xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x16x72xf32>, tensor<1x16x72xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x72xf32>
    return %1 : tensor<3x16x72xf32>
  }
  func.func private @dynamic_update_index_in_dim_25(%arg0: tensor<3x16x24xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<i32>) -> tensor<3x16x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x24xf32>) -> tensor<1x16x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<3x16x24xf32>, tensor<1x16x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x16x24xf32>
    return %1 : tensor<3x16x24xf32>
  }
}
