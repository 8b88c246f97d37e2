module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<96xf32>, %arg1: tensor<24x96xf32>, %arg2: tensor<16x96xf32>, %arg3: tensor<60x16xf32>, %arg4: tensor<24x60xf32>, %arg5: tensor<6x12xi32>, %arg6: tensor<6x12xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<96xf32> {jax.result_info = "result[1]['cell']['b']"}, tensor<24x96xf32> {jax.result_info = "result[1]['cell']['wh']"}, tensor<16x96xf32> {jax.result_info = "result[1]['cell']['wx']"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<24x60xf32> {jax.result_info = "result[1]['head']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg5, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg5, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg5 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg3, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.transpose %6, dims = [1, 0, 2] : (tensor<6x12x16xf32>) -> tensor<12x6x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %9 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<96xf32>) -> tensor<1x96xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %c_14 = stablehlo.constant dense<0> : tensor<i32>
    %23:20 = stablehlo.while(%iterArg = %7, %iterArg_34 = %arg2, %iterArg_35 = %arg1, %iterArg_36 = %9, %iterArg_37 = %c_14, %iterArg_38 = %8, %iterArg_39 = %8, %iterArg_40 = %10, %iterArg_41 = %11, %iterArg_42 = %12, %iterArg_43 = %13, %iterArg_44 = %14, %iterArg_45 = %15, %iterArg_46 = %16, %iterArg_47 = %17, %iterArg_48 = %18, %iterArg_49 = %19, %iterArg_50 = %20, %iterArg_51 = %21, %iterArg_52 = %22) : tensor<12x6x16xf32>, tensor<16x96xf32>, tensor<24x96xf32>, tensor<1x96xf32>, tensor<i32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>
    cond {
      %c_53 = stablehlo.constant dense<12> : tensor<i32>
      %76 = stablehlo.compare LT, %iterArg_37, %c_53, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %76 : tensor<i1>
    } do {
      %76 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_37) : (tensor<12x6x16xf32>, tensor<i32>) -> tensor<6x16xf32>
      %77:15 = func.call @closed_call(%iterArg_34, %iterArg_35, %iterArg_36, %iterArg_38, %iterArg_39, %76) : (tensor<16x96xf32>, tensor<24x96xf32>, tensor<1x96xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>) -> (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>)
      %78 = func.call @dynamic_update_index_in_dim(%iterArg_40, %77#2, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %79 = func.call @dynamic_update_index_in_dim(%iterArg_41, %77#3, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %80 = func.call @dynamic_update_index_in_dim(%iterArg_42, %77#4, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %81 = func.call @dynamic_update_index_in_dim(%iterArg_43, %77#5, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %82 = func.call @dynamic_update_index_in_dim(%iterArg_44, %77#6, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %83 = func.call @dynamic_update_index_in_dim(%iterArg_45, %77#7, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %84 = func.call @dynamic_update_index_in_dim(%iterArg_46, %77#8, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %85 = func.call @dynamic_update_index_in_dim(%iterArg_47, %77#9, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %86 = func.call @dynamic_update_index_in_dim(%iterArg_48, %77#10, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %87 = func.call @dynamic_update_index_in_dim(%iterArg_49, %77#11, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %88 = func.call @dynamic_update_index_in_dim(%iterArg_50, %77#12, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %89 = func.call @dynamic_update_index_in_dim(%iterArg_51, %77#13, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %90 = func.call @dynamic_update_index_in_dim(%iterArg_52, %77#14, %iterArg_37) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %c_53 = stablehlo.constant dense<1> : tensor<i32>
      %91 = stablehlo.add %iterArg_37, %c_53 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_34, %iterArg_35, %iterArg_36, %91, %77#0, %77#1, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90 : tensor<12x6x16xf32>, tensor<16x96xf32>, tensor<24x96xf32>, tensor<1x96xf32>, tensor<i32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>
    }
    %24 = stablehlo.transpose %23#7, dims = [1, 0, 2] : (tensor<12x6x24xf32>) -> tensor<6x12x24xf32>
    %25 = stablehlo.dot_general %24, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x60xf32>) -> tensor<6x12x60xf32>
    %26 = stablehlo.broadcast_in_dim %arg6, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %27:2 = call @take_along_axis(%25, %26) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_15 = stablehlo.constant dense<0> : tensor<i32>
    %28:2 = call @_take(%27#0, %c_15) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_16 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %29 = stablehlo.reduce(%25 init: %cst_16) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_17 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %31 = stablehlo.maximum %30, %29 : tensor<6x12xf32>
    %32 = stablehlo.is_finite %31 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %34 = stablehlo.select %32, %31, %33 : tensor<6x12xi1>, tensor<6x12xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %37 = stablehlo.subtract %25, %36 : tensor<6x12x60xf32>
    %38 = stablehlo.exponential %37 : tensor<6x12x60xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %40 = stablehlo.abs %39 : tensor<6x12xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %42 = stablehlo.compare GE, %39, %41, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %43 = stablehlo.log %40 : tensor<6x12xf32>
    %44 = stablehlo.add %43, %34 : tensor<6x12xf32>
    %45 = stablehlo.subtract %44, %28#0 : tensor<6x12xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_21) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_22 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %47 = stablehlo.divide %46, %cst_22 : tensor<f32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_24 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %48 = stablehlo.divide %cst_23, %cst_24 : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %50 = stablehlo.negate %49 : tensor<6x12xf32>
    %51 = stablehlo.divide %49, %40 : tensor<6x12xf32>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %53 = stablehlo.select %42, %52, %51 : tensor<6x12xi1>, tensor<6x12xf32>
    %54 = stablehlo.select %42, %51, %52 : tensor<6x12xi1>, tensor<6x12xf32>
    %55 = stablehlo.negate %53 : tensor<6x12xf32>
    %56 = stablehlo.add %54, %55 : tensor<6x12xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %58 = stablehlo.multiply %57, %38 : tensor<6x12x60xf32>
    %59 = call @_take_0(%28#1, %50) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %60 = call @take_along_axis_1(%27#1, %59) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %61 = stablehlo.add %58, %60 : tensor<6x12x60xf32>
    %62 = stablehlo.dot_general %61, %24, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x24xf32>) -> tensor<60x24xf32>
    %63 = stablehlo.transpose %62, dims = [1, 0] : (tensor<60x24xf32>) -> tensor<24x60xf32>
    %64 = stablehlo.dot_general %61, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<24x60xf32>) -> tensor<6x12x24xf32>
    %65 = stablehlo.transpose %64, dims = [1, 0, 2] : (tensor<6x12x24xf32>) -> tensor<12x6x24xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<16x96xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<24x96xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<96xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<12x6x16xf32>
    %c_32 = stablehlo.constant dense<0> : tensor<i32>
    %72:23 = stablehlo.while(%iterArg = %65, %iterArg_34 = %7, %iterArg_35 = %23#8, %iterArg_36 = %23#9, %iterArg_37 = %23#10, %iterArg_38 = %23#11, %iterArg_39 = %23#12, %iterArg_40 = %23#13, %iterArg_41 = %23#14, %iterArg_42 = %23#15, %iterArg_43 = %23#16, %iterArg_44 = %23#17, %iterArg_45 = %23#18, %iterArg_46 = %23#19, %iterArg_47 = %arg2, %iterArg_48 = %arg1, %iterArg_49 = %c_32, %iterArg_50 = %68, %iterArg_51 = %69, %iterArg_52 = %70, %iterArg_53 = %66, %iterArg_54 = %67, %iterArg_55 = %71) : tensor<12x6x24xf32>, tensor<12x6x16xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<16x96xf32>, tensor<24x96xf32>, tensor<i32>, tensor<16x96xf32>, tensor<24x96xf32>, tensor<96xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<12x6x16xf32>
    cond {
      %c_56 = stablehlo.constant dense<12> : tensor<i32>
      %76 = stablehlo.compare LT, %iterArg_49, %c_56, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %76 : tensor<i1>
    } do {
      %c_56 = stablehlo.constant dense<12> : tensor<i32>
      %76 = stablehlo.subtract %c_56, %iterArg_49 : tensor<i32>
      %c_57 = stablehlo.constant dense<1> : tensor<i32>
      %77 = stablehlo.subtract %76, %c_57 : tensor<i32>
      %78 = func.call @dynamic_index_in_dim_2(%iterArg, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %79 = func.call @dynamic_index_in_dim(%iterArg_34, %77) : (tensor<12x6x16xf32>, tensor<i32>) -> tensor<6x16xf32>
      %80 = func.call @dynamic_index_in_dim_2(%iterArg_35, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %81 = func.call @dynamic_index_in_dim_2(%iterArg_36, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %82 = func.call @dynamic_index_in_dim_2(%iterArg_37, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %83 = func.call @dynamic_index_in_dim_2(%iterArg_38, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %84 = func.call @dynamic_index_in_dim_2(%iterArg_39, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %85 = func.call @dynamic_index_in_dim_2(%iterArg_40, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %86 = func.call @dynamic_index_in_dim_2(%iterArg_41, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %87 = func.call @dynamic_index_in_dim_2(%iterArg_42, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %88 = func.call @dynamic_index_in_dim_2(%iterArg_43, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %89 = func.call @dynamic_index_in_dim_2(%iterArg_44, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %90 = func.call @dynamic_index_in_dim_2(%iterArg_45, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %91 = func.call @dynamic_index_in_dim_2(%iterArg_46, %77) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %92:6 = func.call @closed_call_3(%iterArg_47, %iterArg_48, %iterArg_50, %iterArg_51, %iterArg_52, %iterArg_53, %iterArg_54, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91) : (tensor<16x96xf32>, tensor<24x96xf32>, tensor<16x96xf32>, tensor<24x96xf32>, tensor<96xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>) -> (tensor<16x96xf32>, tensor<24x96xf32>, tensor<96xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>)
      %93 = func.call @dynamic_update_index_in_dim_4(%iterArg_55, %92#5, %77) : (tensor<12x6x16xf32>, tensor<6x16xf32>, tensor<i32>) -> tensor<12x6x16xf32>
      %c_58 = stablehlo.constant dense<1> : tensor<i32>
      %94 = stablehlo.add %iterArg_49, %c_58 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_34, %iterArg_35, %iterArg_36, %iterArg_37, %iterArg_38, %iterArg_39, %iterArg_40, %iterArg_41, %iterArg_42, %iterArg_43, %iterArg_44, %iterArg_45, %iterArg_46, %iterArg_47, %iterArg_48, %94, %92#0, %92#1, %92#2, %92#3, %92#4, %93 : tensor<12x6x24xf32>, tensor<12x6x16xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<12x6x24xf32>, tensor<16x96xf32>, tensor<24x96xf32>, tensor<i32>, tensor<16x96xf32>, tensor<24x96xf32>, tensor<96xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<12x6x16xf32>
    }
    %73 = stablehlo.transpose %72#22, dims = [1, 0, 2] : (tensor<12x6x16xf32>) -> tensor<6x12x16xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %75 = "stablehlo.scatter"(%74, %5, %73) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg7: tensor<f32>, %arg8: tensor<f32>):
      %76 = stablehlo.add %arg7, %arg8 : tensor<f32>
      stablehlo.return %76 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %47, %72#19, %72#18, %72#17, %75, %63 : tensor<f32>, tensor<96xf32>, tensor<24x96xf32>, tensor<16x96xf32>, tensor<60x16xf32>, tensor<24x60xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<12x6x16xf32>, %arg1: tensor<i32>) -> tensor<6x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 16] : (tensor<12x6x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x16xf32>) -> tensor<6x16xf32>
    return %1 : tensor<6x16xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x96xf32>, %arg1: tensor<24x96xf32>, %arg2: tensor<1x96xf32>, %arg3: tensor<6x24xf32>, %arg4: tensor<6x24xf32>, %arg5: tensor<6x16xf32>) -> (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>) {
    %0 = stablehlo.dot_general %arg5, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x96xf32>) -> tensor<6x96xf32>
    %1 = stablehlo.dot_general %arg3, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x96xf32>) -> tensor<6x96xf32>
    %2 = stablehlo.add %0, %1 : tensor<6x96xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [0, 1] : (tensor<1x96xf32>) -> tensor<6x96xf32>
    %4 = stablehlo.add %2, %3 : tensor<6x96xf32>
    %5 = stablehlo.slice %4 [0:6, 0:24] : (tensor<6x96xf32>) -> tensor<6x24xf32>
    %6 = stablehlo.slice %4 [0:6, 24:48] : (tensor<6x96xf32>) -> tensor<6x24xf32>
    %7 = stablehlo.slice %4 [0:6, 48:72] : (tensor<6x96xf32>) -> tensor<6x24xf32>
    %8 = stablehlo.slice %4 [0:6, 72:96] : (tensor<6x96xf32>) -> tensor<6x24xf32>
    %9 = stablehlo.negate %6 : tensor<6x24xf32>
    %10 = stablehlo.exponential %9 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %12 = stablehlo.add %11, %10 : tensor<6x24xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %14 = stablehlo.divide %13, %12 : tensor<6x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %16 = stablehlo.subtract %15, %14 : tensor<6x24xf32>
    %17 = stablehlo.multiply %14, %16 : tensor<6x24xf32>
    %18 = stablehlo.multiply %14, %arg4 : tensor<6x24xf32>
    %19 = stablehlo.negate %5 : tensor<6x24xf32>
    %20 = stablehlo.exponential %19 : tensor<6x24xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %22 = stablehlo.add %21, %20 : tensor<6x24xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %24 = stablehlo.divide %23, %22 : tensor<6x24xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %26 = stablehlo.subtract %25, %24 : tensor<6x24xf32>
    %27 = stablehlo.multiply %24, %26 : tensor<6x24xf32>
    %28 = stablehlo.tanh %7 : tensor<6x24xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %30 = stablehlo.subtract %29, %28 : tensor<6x24xf32>
    %31 = stablehlo.multiply %24, %28 : tensor<6x24xf32>
    %32 = stablehlo.add %18, %31 : tensor<6x24xf32>
    %33 = stablehlo.negate %8 : tensor<6x24xf32>
    %34 = stablehlo.exponential %33 : tensor<6x24xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %36 = stablehlo.add %35, %34 : tensor<6x24xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %38 = stablehlo.divide %37, %36 : tensor<6x24xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %40 = stablehlo.subtract %39, %38 : tensor<6x24xf32>
    %41 = stablehlo.multiply %38, %40 : tensor<6x24xf32>
    %42 = stablehlo.tanh %32 : tensor<6x24xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %44 = stablehlo.subtract %43, %42 : tensor<6x24xf32>
    %45 = stablehlo.multiply %38, %42 : tensor<6x24xf32>
    return %45, %32, %45, %arg3, %17, %arg4, %14, %27, %28, %30, %24, %41, %42, %44, %38 : tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<12x6x24xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<i32>) -> tensor<12x6x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x24xf32>) -> tensor<1x6x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<12x6x24xf32>, tensor<1x6x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x6x24xf32>
    return %1 : tensor<12x6x24xf32>
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
    %2 = call @_where(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @_take_0(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<12x6x24xf32>, %arg1: tensor<i32>) -> tensor<6x24xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 24] : (tensor<12x6x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x24xf32>) -> tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
  func.func private @closed_call_3(%arg0: tensor<16x96xf32>, %arg1: tensor<24x96xf32>, %arg2: tensor<16x96xf32>, %arg3: tensor<24x96xf32>, %arg4: tensor<96xf32>, %arg5: tensor<6x24xf32>, %arg6: tensor<6x24xf32>, %arg7: tensor<6x24xf32>, %arg8: tensor<6x16xf32>, %arg9: tensor<6x24xf32>, %arg10: tensor<6x24xf32>, %arg11: tensor<6x24xf32>, %arg12: tensor<6x24xf32>, %arg13: tensor<6x24xf32>, %arg14: tensor<6x24xf32>, %arg15: tensor<6x24xf32>, %arg16: tensor<6x24xf32>, %arg17: tensor<6x24xf32>, %arg18: tensor<6x24xf32>, %arg19: tensor<6x24xf32>, %arg20: tensor<6x24xf32>) -> (tensor<16x96xf32>, tensor<24x96xf32>, tensor<96xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>) {
    %0 = stablehlo.add %arg5, %arg7 : tensor<6x24xf32>
    %1 = stablehlo.multiply %arg20, %0 : tensor<6x24xf32>
    %2 = stablehlo.multiply %0, %arg18 : tensor<6x24xf32>
    %3 = stablehlo.multiply %1, %arg19 : tensor<6x24xf32>
    %4 = stablehlo.add %arg6, %3 : tensor<6x24xf32>
    %5 = stablehlo.multiply %3, %arg18 : tensor<6x24xf32>
    %6 = stablehlo.add %4, %5 : tensor<6x24xf32>
    %7 = stablehlo.multiply %2, %arg17 : tensor<6x24xf32>
    %8 = stablehlo.multiply %arg16, %6 : tensor<6x24xf32>
    %9 = stablehlo.multiply %6, %arg14 : tensor<6x24xf32>
    %10 = stablehlo.multiply %8, %arg15 : tensor<6x24xf32>
    %11 = stablehlo.multiply %10, %arg14 : tensor<6x24xf32>
    %12 = stablehlo.add %10, %11 : tensor<6x24xf32>
    %13 = stablehlo.multiply %9, %arg13 : tensor<6x24xf32>
    %14 = stablehlo.multiply %arg12, %6 : tensor<6x24xf32>
    %15 = stablehlo.multiply %6, %arg11 : tensor<6x24xf32>
    %16 = stablehlo.multiply %15, %arg10 : tensor<6x24xf32>
    %17 = stablehlo.concatenate %13, %16, %12, %7, dim = 1 : (tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x24xf32>) -> tensor<6x96xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%17 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<6x96xf32>, tensor<f32>) -> tensor<96xf32>
    %19 = stablehlo.reshape %18 : (tensor<96xf32>) -> tensor<1x96xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%19 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<1x96xf32>, tensor<f32>) -> tensor<96xf32>
    %21 = stablehlo.add %arg4, %20 : tensor<96xf32>
    %22 = stablehlo.dot_general %17, %arg9, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x96xf32>, tensor<6x24xf32>) -> tensor<96x24xf32>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<96x24xf32>) -> tensor<24x96xf32>
    %24 = stablehlo.add %arg3, %23 : tensor<24x96xf32>
    %25 = stablehlo.dot_general %17, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x96xf32>, tensor<24x96xf32>) -> tensor<6x24xf32>
    %26 = stablehlo.dot_general %17, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x96xf32>, tensor<6x16xf32>) -> tensor<96x16xf32>
    %27 = stablehlo.transpose %26, dims = [1, 0] : (tensor<96x16xf32>) -> tensor<16x96xf32>
    %28 = stablehlo.add %arg2, %27 : tensor<16x96xf32>
    %29 = stablehlo.dot_general %17, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x96xf32>, tensor<16x96xf32>) -> tensor<6x16xf32>
    return %28, %24, %21, %25, %14, %29 : tensor<16x96xf32>, tensor<24x96xf32>, tensor<96xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_4(%arg0: tensor<12x6x16xf32>, %arg1: tensor<6x16xf32>, %arg2: tensor<i32>) -> tensor<12x6x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x16xf32>) -> tensor<1x6x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<12x6x16xf32>, tensor<1x6x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x6x16xf32>
    return %1 : tensor<12x6x16xf32>
  }
}
