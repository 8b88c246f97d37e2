module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<60x16xf32>, %arg1: tensor<16x60xf32>, %arg2: tensor<24x4xf32>, %arg3: tensor<16x4xf32>, %arg4: tensor<16x4xf32>, %arg5: tensor<24xf32>, %arg6: tensor<16x24xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<16xf32>, %arg9: tensor<24x16xf32>, %arg10: tensor<24x4xf32>, %arg11: tensor<16x4xf32>, %arg12: tensor<16x4xf32>, %arg13: tensor<24xf32>, %arg14: tensor<16x24xf32>, %arg15: tensor<16x24xf32>, %arg16: tensor<16xf32>, %arg17: tensor<24x16xf32>, %arg18: tensor<6x12xi32>, %arg19: tensor<6x12xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<60x16xf32> {jax.result_info = "result[1]['embed']"}, tensor<16x60xf32> {jax.result_info = "result[1]['head']"}, tensor<24x4xf32> {jax.result_info = "result[1]['layers'][0]['a']"}, tensor<16x4xf32> {jax.result_info = "result[1]['layers'][0]['b']"}, tensor<16x4xf32> {jax.result_info = "result[1]['layers'][0]['c']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][0]['delta']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['gate']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][0]['in']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][0]['norm']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][0]['out']"}, tensor<24x4xf32> {jax.result_info = "result[1]['layers'][1]['a']"}, tensor<16x4xf32> {jax.result_info = "result[1]['layers'][1]['b']"}, tensor<16x4xf32> {jax.result_info = "result[1]['layers'][1]['c']"}, tensor<24xf32> {jax.result_info = "result[1]['layers'][1]['delta']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['gate']"}, tensor<16x24xf32> {jax.result_info = "result[1]['layers'][1]['in']"}, tensor<16xf32> {jax.result_info = "result[1]['layers'][1]['norm']"}, tensor<24x16xf32> {jax.result_info = "result[1]['layers'][1]['out']"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %1 = stablehlo.compare LT, %arg18, %0, SIGNED : (tensor<6x12xi32>, tensor<6x12xi32>) -> tensor<6x12xi1>
    %c_0 = stablehlo.constant dense<60> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<6x12xi32>
    %3 = stablehlo.add %arg18, %2 : tensor<6x12xi32>
    %4 = stablehlo.select %1, %3, %arg18 : tensor<6x12xi1>, tensor<6x12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %6 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<60x16xf32>, tensor<6x12x1xi32>) -> tensor<6x12x16xf32>
    %7 = stablehlo.multiply %6, %6 : tensor<6x12x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_1 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %11 = stablehlo.divide %9, %10 : tensor<6x12x1xf32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %13 = stablehlo.add %11, %12 : tensor<6x12x1xf32>
    %14 = stablehlo.rsqrt %13 : tensor<6x12x1xf32>
    %15 = stablehlo.divide %14, %13 : tensor<6x12x1xf32>
    %cst_3 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %17 = stablehlo.multiply %16, %15 : tensor<6x12x1xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %19 = stablehlo.multiply %6, %18 : tensor<6x12x16xf32>
    %20 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %22 = stablehlo.multiply %19, %21 : tensor<6x12x16xf32>
    %23 = stablehlo.dot_general %22, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %24 = stablehlo.dot_general %22, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %25:3 = call @silu(%24) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %26 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %28 = stablehlo.multiply %23, %27 : tensor<6x12x24xf32>
    %29:2 = call @softplus(%28) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %30 = stablehlo.dot_general %22, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x4xf32>) -> tensor<6x12x4xf32>
    %31 = stablehlo.dot_general %22, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x4xf32>) -> tensor<6x12x4xf32>
    %32 = stablehlo.broadcast_in_dim %29#0, dims = [0, 1, 2] : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %33 = stablehlo.negate %32 : tensor<6x12x24x1xf32>
    %34 = stablehlo.exponential %arg2 : tensor<24x4xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [2, 3] : (tensor<24x4xf32>) -> tensor<1x1x24x4xf32>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<1x1x24x4xf32>) -> tensor<6x12x24x4xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<6x12x24x4xf32>
    %39 = stablehlo.exponential %38 : tensor<6x12x24x4xf32>
    %40 = stablehlo.multiply %29#0, %23 : tensor<6x12x24xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1, 2] : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %42 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 3] : (tensor<6x12x4xf32>) -> tensor<6x12x1x4xf32>
    %43 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %44 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<6x12x1x4xf32>) -> tensor<6x12x24x4xf32>
    %45 = stablehlo.multiply %43, %44 : tensor<6x12x24x4xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x24x4xf32>
    %47 = stablehlo.transpose %39, dims = [1, 0, 2, 3] : (tensor<6x12x24x4xf32>) -> tensor<12x6x24x4xf32>
    %48 = stablehlo.transpose %45, dims = [1, 0, 2, 3] : (tensor<6x12x24x4xf32>) -> tensor<12x6x24x4xf32>
    %49 = stablehlo.transpose %31, dims = [1, 0, 2] : (tensor<6x12x4xf32>) -> tensor<12x6x4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %53:8 = stablehlo.while(%iterArg = %47, %iterArg_70 = %48, %iterArg_71 = %49, %iterArg_72 = %c_8, %iterArg_73 = %46, %iterArg_74 = %50, %iterArg_75 = %51, %iterArg_76 = %52) : tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>
    cond {
      %c_77 = stablehlo.constant dense<12> : tensor<i32>
      %321 = stablehlo.compare LT, %iterArg_72, %c_77, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %321 : tensor<i1>
    } do {
      %321 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %322 = func.call @dynamic_index_in_dim(%iterArg_70, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %323 = func.call @dynamic_index_in_dim_0(%iterArg_71, %iterArg_72) : (tensor<12x6x4xf32>, tensor<i32>) -> tensor<6x4xf32>
      %324:4 = func.call @closed_call(%iterArg_73, %321, %322, %323) : (tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>)
      %325 = func.call @dynamic_update_index_in_dim(%iterArg_74, %324#1, %iterArg_72) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %326 = func.call @dynamic_update_index_in_dim_1(%iterArg_75, %324#2, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %327 = func.call @dynamic_update_index_in_dim_1(%iterArg_76, %324#3, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %c_77 = stablehlo.constant dense<1> : tensor<i32>
      %328 = stablehlo.add %iterArg_72, %c_77 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_70, %iterArg_71, %328, %324#0, %325, %326, %327 : tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>
    }
    %54 = stablehlo.transpose %53#5, dims = [1, 0, 2] : (tensor<12x6x24xf32>) -> tensor<6x12x24xf32>
    %55 = stablehlo.multiply %54, %25#0 : tensor<6x12x24xf32>
    %56 = stablehlo.dot_general %55, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %57 = stablehlo.add %6, %56 : tensor<6x12x16xf32>
    %58 = stablehlo.multiply %57, %57 : tensor<6x12x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_9) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %cst_10 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %62 = stablehlo.divide %60, %61 : tensor<6x12x1xf32>
    %cst_11 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %64 = stablehlo.add %62, %63 : tensor<6x12x1xf32>
    %65 = stablehlo.rsqrt %64 : tensor<6x12x1xf32>
    %66 = stablehlo.divide %65, %64 : tensor<6x12x1xf32>
    %cst_12 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<6x12x1xf32>
    %69 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %70 = stablehlo.multiply %57, %69 : tensor<6x12x16xf32>
    %71 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %73 = stablehlo.multiply %70, %72 : tensor<6x12x16xf32>
    %74 = stablehlo.dot_general %73, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %75 = stablehlo.dot_general %73, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x24xf32>) -> tensor<6x12x24xf32>
    %76:3 = call @silu(%75) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %77 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %79 = stablehlo.multiply %74, %78 : tensor<6x12x24xf32>
    %80:2 = call @softplus(%79) : (tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>)
    %81 = stablehlo.dot_general %73, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x4xf32>) -> tensor<6x12x4xf32>
    %82 = stablehlo.dot_general %73, %arg12, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x4xf32>) -> tensor<6x12x4xf32>
    %83 = stablehlo.broadcast_in_dim %80#0, dims = [0, 1, 2] : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %84 = stablehlo.negate %83 : tensor<6x12x24x1xf32>
    %85 = stablehlo.exponential %arg10 : tensor<24x4xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [2, 3] : (tensor<24x4xf32>) -> tensor<1x1x24x4xf32>
    %87 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %88 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2, 3] : (tensor<1x1x24x4xf32>) -> tensor<6x12x24x4xf32>
    %89 = stablehlo.multiply %87, %88 : tensor<6x12x24x4xf32>
    %90 = stablehlo.exponential %89 : tensor<6x12x24x4xf32>
    %91 = stablehlo.multiply %80#0, %74 : tensor<6x12x24xf32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %93 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 3] : (tensor<6x12x4xf32>) -> tensor<6x12x1x4xf32>
    %94 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %95 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2, 3] : (tensor<6x12x1x4xf32>) -> tensor<6x12x24x4xf32>
    %96 = stablehlo.multiply %94, %95 : tensor<6x12x24x4xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<6x24x4xf32>
    %98 = stablehlo.transpose %90, dims = [1, 0, 2, 3] : (tensor<6x12x24x4xf32>) -> tensor<12x6x24x4xf32>
    %99 = stablehlo.transpose %96, dims = [1, 0, 2, 3] : (tensor<6x12x24x4xf32>) -> tensor<12x6x24x4xf32>
    %100 = stablehlo.transpose %82, dims = [1, 0, 2] : (tensor<6x12x4xf32>) -> tensor<12x6x4xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<12x6x24xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %c_17 = stablehlo.constant dense<0> : tensor<i32>
    %104:8 = stablehlo.while(%iterArg = %98, %iterArg_70 = %99, %iterArg_71 = %100, %iterArg_72 = %c_17, %iterArg_73 = %97, %iterArg_74 = %101, %iterArg_75 = %102, %iterArg_76 = %103) : tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>
    cond {
      %c_77 = stablehlo.constant dense<12> : tensor<i32>
      %321 = stablehlo.compare LT, %iterArg_72, %c_77, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %321 : tensor<i1>
    } do {
      %321 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %322 = func.call @dynamic_index_in_dim(%iterArg_70, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %323 = func.call @dynamic_index_in_dim_0(%iterArg_71, %iterArg_72) : (tensor<12x6x4xf32>, tensor<i32>) -> tensor<6x4xf32>
      %324:4 = func.call @closed_call_2(%iterArg_73, %321, %322, %323) : (tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>)
      %325 = func.call @dynamic_update_index_in_dim(%iterArg_74, %324#1, %iterArg_72) : (tensor<12x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<12x6x24xf32>
      %326 = func.call @dynamic_update_index_in_dim_1(%iterArg_75, %324#2, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %327 = func.call @dynamic_update_index_in_dim_1(%iterArg_76, %324#3, %iterArg_72) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %c_77 = stablehlo.constant dense<1> : tensor<i32>
      %328 = stablehlo.add %iterArg_72, %c_77 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_70, %iterArg_71, %328, %324#0, %325, %326, %327 : tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>
    }
    %105 = stablehlo.transpose %104#5, dims = [1, 0, 2] : (tensor<12x6x24xf32>) -> tensor<6x12x24xf32>
    %106 = stablehlo.multiply %105, %76#0 : tensor<6x12x24xf32>
    %107 = stablehlo.dot_general %106, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<24x16xf32>) -> tensor<6x12x16xf32>
    %108 = stablehlo.add %57, %107 : tensor<6x12x16xf32>
    %109 = stablehlo.dot_general %108, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<16x60xf32>) -> tensor<6x12x60xf32>
    %110 = stablehlo.broadcast_in_dim %arg19, dims = [0, 1] : (tensor<6x12xi32>) -> tensor<6x12x1xi32>
    %111:2 = call @take_along_axis(%109, %110) : (tensor<6x12x60xf32>, tensor<6x12x1xi32>) -> (tensor<6x12x1xf32>, tensor<6x12x1x1xi32>)
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %112:2 = call @_take(%111#0, %c_18) : (tensor<6x12x1xf32>, tensor<i32>) -> (tensor<6x12xf32>, tensor<1xi32>)
    %cst_19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %113 = stablehlo.reduce(%109 init: %cst_19) applies stablehlo.maximum across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %cst_20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %114 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %115 = stablehlo.maximum %114, %113 : tensor<6x12xf32>
    %116 = stablehlo.is_finite %115 : (tensor<6x12xf32>) -> tensor<6x12xi1>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %118 = stablehlo.select %116, %115, %117 : tensor<6x12xi1>, tensor<6x12xf32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %121 = stablehlo.subtract %109, %120 : tensor<6x12x60xf32>
    %122 = stablehlo.exponential %121 : tensor<6x12x60xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.reduce(%122 init: %cst_22) applies stablehlo.add across dimensions = [2] : (tensor<6x12x60xf32>, tensor<f32>) -> tensor<6x12xf32>
    %124 = stablehlo.abs %123 : tensor<6x12xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %126 = stablehlo.compare GE, %123, %125, FLOAT : (tensor<6x12xf32>, tensor<6x12xf32>) -> tensor<6x12xi1>
    %127 = stablehlo.log %124 : tensor<6x12xf32>
    %128 = stablehlo.add %127, %118 : tensor<6x12xf32>
    %129 = stablehlo.subtract %128, %112#0 : tensor<6x12xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_24) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12xf32>, tensor<f32>) -> tensor<f32>
    %cst_25 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %131 = stablehlo.divide %130, %cst_25 : tensor<f32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_27 = stablehlo.constant dense<7.200000e+01> : tensor<f32>
    %132 = stablehlo.divide %cst_26, %cst_27 : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %134 = stablehlo.negate %133 : tensor<6x12xf32>
    %135 = stablehlo.divide %133, %124 : tensor<6x12xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<6x12xf32>
    %137 = stablehlo.select %126, %136, %135 : tensor<6x12xi1>, tensor<6x12xf32>
    %138 = stablehlo.select %126, %135, %136 : tensor<6x12xi1>, tensor<6x12xf32>
    %139 = stablehlo.negate %137 : tensor<6x12xf32>
    %140 = stablehlo.add %138, %139 : tensor<6x12xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x60xf32>
    %142 = stablehlo.multiply %141, %122 : tensor<6x12x60xf32>
    %143 = call @_take_3(%112#1, %134) : (tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %144 = call @take_along_axis_4(%111#1, %143) : (tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    %145 = stablehlo.add %142, %144 : tensor<6x12x60xf32>
    %146 = stablehlo.dot_general %145, %108, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    %147 = stablehlo.transpose %146, dims = [1, 0] : (tensor<60x16xf32>) -> tensor<16x60xf32>
    %148 = stablehlo.dot_general %145, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x60xf32>, tensor<16x60xf32>) -> tensor<6x12x16xf32>
    %149 = stablehlo.dot_general %148, %106, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %150 = stablehlo.transpose %149, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %151 = stablehlo.dot_general %148, %arg17, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %152 = stablehlo.multiply %105, %151 : tensor<6x12x24xf32>
    %153 = stablehlo.multiply %151, %76#0 : tensor<6x12x24xf32>
    %154 = stablehlo.transpose %153, dims = [1, 0, 2] : (tensor<6x12x24xf32>) -> tensor<12x6x24xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<6x24x4xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %156 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<12x6x4xf32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %159:10 = stablehlo.while(%iterArg = %154, %iterArg_70 = %104#6, %iterArg_71 = %98, %iterArg_72 = %100, %iterArg_73 = %104#7, %iterArg_74 = %c_33, %iterArg_75 = %155, %iterArg_76 = %156, %iterArg_77 = %157, %iterArg_78 = %158) : tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<12x6x24x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>
    cond {
      %c_79 = stablehlo.constant dense<12> : tensor<i32>
      %321 = stablehlo.compare LT, %iterArg_74, %c_79, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %321 : tensor<i1>
    } do {
      %c_79 = stablehlo.constant dense<12> : tensor<i32>
      %321 = stablehlo.subtract %c_79, %iterArg_74 : tensor<i32>
      %c_80 = stablehlo.constant dense<1> : tensor<i32>
      %322 = stablehlo.subtract %321, %c_80 : tensor<i32>
      %323 = func.call @dynamic_index_in_dim_5(%iterArg, %322) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %324 = func.call @dynamic_index_in_dim(%iterArg_70, %322) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %325 = func.call @dynamic_index_in_dim(%iterArg_71, %322) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %326 = func.call @dynamic_index_in_dim_0(%iterArg_72, %322) : (tensor<12x6x4xf32>, tensor<i32>) -> tensor<6x4xf32>
      %327 = func.call @dynamic_index_in_dim(%iterArg_73, %322) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %328:4 = func.call @closed_call_6(%iterArg_75, %323, %324, %325, %326, %327) : (tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>, tensor<6x24x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>)
      %329 = func.call @dynamic_update_index_in_dim_1(%iterArg_76, %328#1, %322) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %330 = func.call @dynamic_update_index_in_dim_1(%iterArg_77, %328#2, %322) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %331 = func.call @dynamic_update_index_in_dim_7(%iterArg_78, %328#3, %322) : (tensor<12x6x4xf32>, tensor<6x4xf32>, tensor<i32>) -> tensor<12x6x4xf32>
      %c_81 = stablehlo.constant dense<1> : tensor<i32>
      %332 = stablehlo.add %iterArg_74, %c_81 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_70, %iterArg_71, %iterArg_72, %iterArg_73, %332, %328#0, %329, %330, %331 : tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<12x6x24x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>
    }
    %160 = stablehlo.transpose %159#9, dims = [1, 0, 2] : (tensor<12x6x4xf32>) -> tensor<6x12x4xf32>
    %161 = stablehlo.transpose %159#8, dims = [1, 0, 2, 3] : (tensor<12x6x24x4xf32>) -> tensor<6x12x24x4xf32>
    %162 = stablehlo.transpose %159#7, dims = [1, 0, 2, 3] : (tensor<12x6x24x4xf32>) -> tensor<6x12x24x4xf32>
    %163 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %164 = stablehlo.multiply %163, %161 : tensor<6x12x24x4xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %165 = stablehlo.reduce(%164 init: %cst_34) applies stablehlo.add across dimensions = [2] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<6x12x4xf32>
    %166 = stablehlo.reshape %165 : (tensor<6x12x4xf32>) -> tensor<6x12x1x4xf32>
    %167 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2, 3] : (tensor<6x12x1x4xf32>) -> tensor<6x12x24x4xf32>
    %168 = stablehlo.multiply %161, %167 : tensor<6x12x24x4xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %169 = stablehlo.reduce(%168 init: %cst_35) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %170 = stablehlo.reshape %169 : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %171 = stablehlo.reduce(%166 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1x4xf32>, tensor<f32>) -> tensor<6x12x4xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%170 init: %cst_37) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x1xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %173 = stablehlo.multiply %80#0, %172 : tensor<6x12x24xf32>
    %174 = stablehlo.multiply %172, %74 : tensor<6x12x24xf32>
    %175 = stablehlo.multiply %162, %90 : tensor<6x12x24x4xf32>
    %176 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %177 = stablehlo.multiply %176, %175 : tensor<6x12x24x4xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.reduce(%177 init: %cst_38) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<24x4xf32>
    %179 = stablehlo.reshape %178 : (tensor<24x4xf32>) -> tensor<1x1x24x4xf32>
    %180 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2, 3] : (tensor<1x1x24x4xf32>) -> tensor<6x12x24x4xf32>
    %181 = stablehlo.multiply %175, %180 : tensor<6x12x24x4xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_39) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %183 = stablehlo.reshape %182 : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.reduce(%179 init: %cst_40) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24x4xf32>, tensor<f32>) -> tensor<24x4xf32>
    %185 = stablehlo.multiply %184, %85 : tensor<24x4xf32>
    %186 = stablehlo.negate %183 : tensor<6x12x24x1xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_41) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x1xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %188 = stablehlo.add %174, %187 : tensor<6x12x24xf32>
    %189 = stablehlo.dot_general %160, %73, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<6x12x16xf32>) -> tensor<4x16xf32>
    %190 = stablehlo.transpose %189, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %191 = stablehlo.dot_general %160, %arg12, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<16x4xf32>) -> tensor<6x12x16xf32>
    %192 = stablehlo.dot_general %171, %73, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<6x12x16xf32>) -> tensor<4x16xf32>
    %193 = stablehlo.transpose %192, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %194 = stablehlo.dot_general %171, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<16x4xf32>) -> tensor<6x12x16xf32>
    %195 = stablehlo.add %191, %194 : tensor<6x12x16xf32>
    %196 = call @softplus_8(%80#1, %188) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %197 = stablehlo.multiply %74, %196 : tensor<6x12x24xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%197 init: %cst_42) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %199 = stablehlo.reshape %198 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %200 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %201 = stablehlo.multiply %196, %200 : tensor<6x12x24xf32>
    %202 = stablehlo.add %173, %201 : tensor<6x12x24xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %203 = stablehlo.reduce(%199 init: %cst_43) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %204 = call @silu_9(%76#1, %76#2, %75, %152) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %205 = stablehlo.dot_general %204, %73, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %206 = stablehlo.transpose %205, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %207 = stablehlo.dot_general %204, %arg14, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %208 = stablehlo.add %195, %207 : tensor<6x12x16xf32>
    %209 = stablehlo.dot_general %202, %73, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %210 = stablehlo.transpose %209, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %211 = stablehlo.dot_general %202, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %212 = stablehlo.add %208, %211 : tensor<6x12x16xf32>
    %213 = stablehlo.multiply %70, %212 : tensor<6x12x16xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.reduce(%213 init: %cst_44) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %215 = stablehlo.reshape %214 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %216 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %217 = stablehlo.multiply %212, %216 : tensor<6x12x16xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.reduce(%215 init: %cst_45) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %219 = stablehlo.multiply %57, %217 : tensor<6x12x16xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%219 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %221 = stablehlo.reshape %220 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %222 = stablehlo.broadcast_in_dim %65, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %223 = stablehlo.multiply %217, %222 : tensor<6x12x16xf32>
    %224 = stablehlo.add %148, %223 : tensor<6x12x16xf32>
    %225 = stablehlo.multiply %221, %68 : tensor<6x12x1xf32>
    %cst_47 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %227 = stablehlo.divide %225, %226 : tensor<6x12x1xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %228 = stablehlo.reduce(%227 init: %cst_48) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %229 = stablehlo.broadcast_in_dim %228, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %230 = stablehlo.multiply %57, %229 : tensor<6x12x16xf32>
    %231 = stablehlo.add %224, %230 : tensor<6x12x16xf32>
    %232 = stablehlo.multiply %229, %57 : tensor<6x12x16xf32>
    %233 = stablehlo.add %231, %232 : tensor<6x12x16xf32>
    %234 = stablehlo.dot_general %233, %55, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<6x12x24xf32>) -> tensor<16x24xf32>
    %235 = stablehlo.transpose %234, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %236 = stablehlo.dot_general %233, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x16xf32>, tensor<24x16xf32>) -> tensor<6x12x24xf32>
    %237 = stablehlo.multiply %54, %236 : tensor<6x12x24xf32>
    %238 = stablehlo.multiply %236, %25#0 : tensor<6x12x24xf32>
    %239 = stablehlo.transpose %238, dims = [1, 0, 2] : (tensor<6x12x24xf32>) -> tensor<12x6x24xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<6x24x4xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %241 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<12x6x24x4xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<12x6x4xf32>
    %c_53 = stablehlo.constant dense<0> : tensor<i32>
    %244:10 = stablehlo.while(%iterArg = %239, %iterArg_70 = %53#6, %iterArg_71 = %47, %iterArg_72 = %49, %iterArg_73 = %53#7, %iterArg_74 = %c_53, %iterArg_75 = %240, %iterArg_76 = %241, %iterArg_77 = %242, %iterArg_78 = %243) : tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<12x6x24x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>
    cond {
      %c_79 = stablehlo.constant dense<12> : tensor<i32>
      %321 = stablehlo.compare LT, %iterArg_74, %c_79, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %321 : tensor<i1>
    } do {
      %c_79 = stablehlo.constant dense<12> : tensor<i32>
      %321 = stablehlo.subtract %c_79, %iterArg_74 : tensor<i32>
      %c_80 = stablehlo.constant dense<1> : tensor<i32>
      %322 = stablehlo.subtract %321, %c_80 : tensor<i32>
      %323 = func.call @dynamic_index_in_dim_5(%iterArg, %322) : (tensor<12x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %324 = func.call @dynamic_index_in_dim(%iterArg_70, %322) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %325 = func.call @dynamic_index_in_dim(%iterArg_71, %322) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %326 = func.call @dynamic_index_in_dim_0(%iterArg_72, %322) : (tensor<12x6x4xf32>, tensor<i32>) -> tensor<6x4xf32>
      %327 = func.call @dynamic_index_in_dim(%iterArg_73, %322) : (tensor<12x6x24x4xf32>, tensor<i32>) -> tensor<6x24x4xf32>
      %328:4 = func.call @closed_call_10(%iterArg_75, %323, %324, %325, %326, %327) : (tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>, tensor<6x24x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>)
      %329 = func.call @dynamic_update_index_in_dim_1(%iterArg_76, %328#1, %322) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %330 = func.call @dynamic_update_index_in_dim_1(%iterArg_77, %328#2, %322) : (tensor<12x6x24x4xf32>, tensor<6x24x4xf32>, tensor<i32>) -> tensor<12x6x24x4xf32>
      %331 = func.call @dynamic_update_index_in_dim_7(%iterArg_78, %328#3, %322) : (tensor<12x6x4xf32>, tensor<6x4xf32>, tensor<i32>) -> tensor<12x6x4xf32>
      %c_81 = stablehlo.constant dense<1> : tensor<i32>
      %332 = stablehlo.add %iterArg_74, %c_81 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_70, %iterArg_71, %iterArg_72, %iterArg_73, %332, %328#0, %329, %330, %331 : tensor<12x6x24xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>, tensor<12x6x24x4xf32>, tensor<i32>, tensor<6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x24x4xf32>, tensor<12x6x4xf32>
    }
    %245 = stablehlo.transpose %244#9, dims = [1, 0, 2] : (tensor<12x6x4xf32>) -> tensor<6x12x4xf32>
    %246 = stablehlo.transpose %244#8, dims = [1, 0, 2, 3] : (tensor<12x6x24x4xf32>) -> tensor<6x12x24x4xf32>
    %247 = stablehlo.transpose %244#7, dims = [1, 0, 2, 3] : (tensor<12x6x24x4xf32>) -> tensor<6x12x24x4xf32>
    %248 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %249 = stablehlo.multiply %248, %246 : tensor<6x12x24x4xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%249 init: %cst_54) applies stablehlo.add across dimensions = [2] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<6x12x4xf32>
    %251 = stablehlo.reshape %250 : (tensor<6x12x4xf32>) -> tensor<6x12x1x4xf32>
    %252 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<6x12x1x4xf32>) -> tensor<6x12x24x4xf32>
    %253 = stablehlo.multiply %246, %252 : tensor<6x12x24x4xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %254 = stablehlo.reduce(%253 init: %cst_55) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %255 = stablehlo.reshape %254 : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %256 = stablehlo.reduce(%251 init: %cst_56) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1x4xf32>, tensor<f32>) -> tensor<6x12x4xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %257 = stablehlo.reduce(%255 init: %cst_57) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x1xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %258 = stablehlo.multiply %29#0, %257 : tensor<6x12x24xf32>
    %259 = stablehlo.multiply %257, %23 : tensor<6x12x24xf32>
    %260 = stablehlo.multiply %247, %39 : tensor<6x12x24x4xf32>
    %261 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<6x12x24x1xf32>) -> tensor<6x12x24x4xf32>
    %262 = stablehlo.multiply %261, %260 : tensor<6x12x24x4xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262 init: %cst_58) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<24x4xf32>
    %264 = stablehlo.reshape %263 : (tensor<24x4xf32>) -> tensor<1x1x24x4xf32>
    %265 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2, 3] : (tensor<1x1x24x4xf32>) -> tensor<6x12x24x4xf32>
    %266 = stablehlo.multiply %260, %265 : tensor<6x12x24x4xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %267 = stablehlo.reduce(%266 init: %cst_59) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x4xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %268 = stablehlo.reshape %267 : (tensor<6x12x24xf32>) -> tensor<6x12x24x1xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %269 = stablehlo.reduce(%264 init: %cst_60) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24x4xf32>, tensor<f32>) -> tensor<24x4xf32>
    %270 = stablehlo.multiply %269, %34 : tensor<24x4xf32>
    %271 = stablehlo.negate %268 : tensor<6x12x24x1xf32>
    %cst_61 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %272 = stablehlo.reduce(%271 init: %cst_61) applies stablehlo.add across dimensions = [3] : (tensor<6x12x24x1xf32>, tensor<f32>) -> tensor<6x12x24xf32>
    %273 = stablehlo.add %259, %272 : tensor<6x12x24xf32>
    %274 = stablehlo.dot_general %245, %22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<6x12x16xf32>) -> tensor<4x16xf32>
    %275 = stablehlo.transpose %274, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %276 = stablehlo.dot_general %245, %arg4, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<16x4xf32>) -> tensor<6x12x16xf32>
    %277 = stablehlo.dot_general %256, %22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<6x12x16xf32>) -> tensor<4x16xf32>
    %278 = stablehlo.transpose %277, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %279 = stablehlo.dot_general %256, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x4xf32>, tensor<16x4xf32>) -> tensor<6x12x16xf32>
    %280 = stablehlo.add %276, %279 : tensor<6x12x16xf32>
    %281 = call @softplus_8(%29#1, %273) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %282 = stablehlo.multiply %23, %281 : tensor<6x12x24xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %283 = stablehlo.reduce(%282 init: %cst_62) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x24xf32>, tensor<f32>) -> tensor<24xf32>
    %284 = stablehlo.reshape %283 : (tensor<24xf32>) -> tensor<1x1x24xf32>
    %285 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x24xf32>) -> tensor<6x12x24xf32>
    %286 = stablehlo.multiply %281, %285 : tensor<6x12x24xf32>
    %287 = stablehlo.add %258, %286 : tensor<6x12x24xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.reduce(%284 init: %cst_63) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %289 = call @silu_9(%25#1, %25#2, %24, %237) : (tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xf32>
    %290 = stablehlo.dot_general %289, %22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %291 = stablehlo.transpose %290, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %292 = stablehlo.dot_general %289, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %293 = stablehlo.add %280, %292 : tensor<6x12x16xf32>
    %294 = stablehlo.dot_general %287, %22, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<6x12x16xf32>) -> tensor<24x16xf32>
    %295 = stablehlo.transpose %294, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %296 = stablehlo.dot_general %287, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x12x24xf32>, tensor<16x24xf32>) -> tensor<6x12x16xf32>
    %297 = stablehlo.add %293, %296 : tensor<6x12x16xf32>
    %298 = stablehlo.multiply %19, %297 : tensor<6x12x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %299 = stablehlo.reduce(%298 init: %cst_64) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<16xf32>
    %300 = stablehlo.reshape %299 : (tensor<16xf32>) -> tensor<1x1x16xf32>
    %301 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<6x12x16xf32>
    %302 = stablehlo.multiply %297, %301 : tensor<6x12x16xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%300 init: %cst_65) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %304 = stablehlo.multiply %6, %302 : tensor<6x12x16xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%304 init: %cst_66) applies stablehlo.add across dimensions = [2] : (tensor<6x12x16xf32>, tensor<f32>) -> tensor<6x12xf32>
    %306 = stablehlo.reshape %305 : (tensor<6x12xf32>) -> tensor<6x12x1xf32>
    %307 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<6x12x1xf32>) -> tensor<6x12x16xf32>
    %308 = stablehlo.multiply %302, %307 : tensor<6x12x16xf32>
    %309 = stablehlo.add %233, %308 : tensor<6x12x16xf32>
    %310 = stablehlo.multiply %306, %17 : tensor<6x12x1xf32>
    %cst_67 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %311 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %312 = stablehlo.divide %310, %311 : tensor<6x12x1xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %313 = stablehlo.reduce(%312 init: %cst_68) applies stablehlo.add across dimensions = [2] : (tensor<6x12x1xf32>, tensor<f32>) -> tensor<6x12xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1] : (tensor<6x12xf32>) -> tensor<6x12x16xf32>
    %315 = stablehlo.multiply %6, %314 : tensor<6x12x16xf32>
    %316 = stablehlo.add %309, %315 : tensor<6x12x16xf32>
    %317 = stablehlo.multiply %314, %6 : tensor<6x12x16xf32>
    %318 = stablehlo.add %316, %317 : tensor<6x12x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<60x16xf32>
    %320 = "stablehlo.scatter"(%319, %5, %318) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg20: tensor<f32>, %arg21: tensor<f32>):
      %321 = stablehlo.add %arg20, %arg21 : tensor<f32>
      stablehlo.return %321 : tensor<f32>
    }) : (tensor<60x16xf32>, tensor<6x12x1xi32>, tensor<6x12x16xf32>) -> tensor<60x16xf32>
    return %131, %320, %147, %270, %278, %275, %288, %291, %295, %303, %235, %185, %193, %190, %203, %206, %210, %218, %150 : tensor<f32>, tensor<60x16xf32>, tensor<16x60xf32>, tensor<24x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<24x16xf32>, tensor<24x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<24xf32>, tensor<16x24xf32>, tensor<16x24xf32>, tensor<16xf32>, tensor<24x16xf32>
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
  func.func private @softplus(%arg0: tensor<6x12x24xf32>) -> (tensor<6x12x24xf32>, tensor<6x12x24xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<6x12x24xf32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<6x12x24xf32>
    %4 = stablehlo.compare NE, %3, %3, FLOAT : (tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xi1>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %6 = stablehlo.add %arg0, %5 : tensor<6x12x24xf32>
    %7 = stablehlo.abs %3 : tensor<6x12x24xf32>
    %8 = stablehlo.negate %7 : tensor<6x12x24xf32>
    %9 = stablehlo.exponential %8 : tensor<6x12x24xf32>
    %10 = stablehlo.log_plus_one %9 : tensor<6x12x24xf32>
    %11 = stablehlo.add %1, %10 : tensor<6x12x24xf32>
    %12 = stablehlo.select %4, %6, %11 : tensor<6x12x24xi1>, tensor<6x12x24xf32>
    %cst_0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %14 = stablehlo.compare EQ, %arg0, %13, FLOAT : (tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %16 = stablehlo.select %14, %15, %arg0 : tensor<6x12x24xi1>, tensor<6x12x24xf32>
    %cst_2 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %18 = stablehlo.compare EQ, %12, %17, FLOAT : (tensor<6x12x24xf32>, tensor<6x12x24xf32>) -> tensor<6x12x24xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x12x24xf32>
    %20 = stablehlo.select %18, %19, %12 : tensor<6x12x24xi1>, tensor<6x12x24xf32>
    %21 = stablehlo.subtract %16, %20 : tensor<6x12x24xf32>
    %22 = stablehlo.exponential %21 : tensor<6x12x24xf32>
    return %12, %22 : tensor<6x12x24xf32>, tensor<6x12x24xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<12x6x24x4xf32>, %arg1: tensor<i32>) -> tensor<6x24x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 24, 4] : (tensor<12x6x24x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x24x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x24x4xf32>) -> tensor<6x24x4xf32>
    return %1 : tensor<6x24x4xf32>
  }
  func.func private @dynamic_index_in_dim_0(%arg0: tensor<12x6x4xf32>, %arg1: tensor<i32>) -> tensor<6x4xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 4] : (tensor<12x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x4xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x4xf32>) -> tensor<6x4xf32>
    return %1 : tensor<6x4xf32>
  }
  func.func private @closed_call(%arg0: tensor<6x24x4xf32>, %arg1: tensor<6x24x4xf32>, %arg2: tensor<6x24x4xf32>, %arg3: tensor<6x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>) {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6x24x4xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<6x24x4xf32>
    %2 = stablehlo.dot_general %1, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24x4xf32>, tensor<6x4xf32>) -> tensor<6x24xf32>
    return %1, %2, %arg0, %1 : tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<12x6x24xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<i32>) -> tensor<12x6x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x24xf32>) -> tensor<1x6x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<12x6x24xf32>, tensor<1x6x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x6x24xf32>
    return %1 : tensor<12x6x24xf32>
  }
  func.func private @dynamic_update_index_in_dim_1(%arg0: tensor<12x6x24x4xf32>, %arg1: tensor<6x24x4xf32>, %arg2: tensor<i32>) -> tensor<12x6x24x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2, 3] : (tensor<6x24x4xf32>) -> tensor<1x6x24x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0, %c_1 : (tensor<12x6x24x4xf32>, tensor<1x6x24x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x6x24x4xf32>
    return %1 : tensor<12x6x24x4xf32>
  }
  func.func private @closed_call_2(%arg0: tensor<6x24x4xf32>, %arg1: tensor<6x24x4xf32>, %arg2: tensor<6x24x4xf32>, %arg3: tensor<6x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>) {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6x24x4xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<6x24x4xf32>
    %2 = stablehlo.dot_general %1, %arg3, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24x4xf32>, tensor<6x4xf32>) -> tensor<6x24xf32>
    return %1, %2, %arg0, %1 : tensor<6x24x4xf32>, tensor<6x24xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>
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
  func.func private @_take_3(%arg0: tensor<1xi32>, %arg1: tensor<6x12xf32>) -> tensor<6x12x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x1xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], inserted_window_dims = [2], scatter_dims_to_operand_dims = [2]>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x1xf32>, tensor<1xi32>, tensor<6x12xf32>) -> tensor<6x12x1xf32>
    return %1 : tensor<6x12x1xf32>
  }
  func.func private @take_along_axis_4(%arg0: tensor<6x12x1x1xi32>, %arg1: tensor<6x12x1xf32>) -> tensor<6x12x60xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x12x60xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x12x60xf32>, tensor<6x12x1x1xi32>, tensor<6x12x1xf32>) -> tensor<6x12x60xf32>
    return %1 : tensor<6x12x60xf32>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<12x6x24xf32>, %arg1: tensor<i32>) -> tensor<6x24xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 24] : (tensor<12x6x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x24xf32>) -> tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
  func.func private @closed_call_6(%arg0: tensor<6x24x4xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<6x24x4xf32>, %arg3: tensor<6x24x4xf32>, %arg4: tensor<6x4xf32>, %arg5: tensor<6x24x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg5, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x24x4xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.dot_general %arg1, %arg4, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x4xf32>) -> tensor<6x24x4xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<6x24x4xf32>
    %3 = stablehlo.multiply %arg3, %2 : tensor<6x24x4xf32>
    %4 = stablehlo.multiply %2, %arg2 : tensor<6x24x4xf32>
    return %3, %4, %2, %0 : tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>
  }
  func.func private @dynamic_update_index_in_dim_7(%arg0: tensor<12x6x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<i32>) -> tensor<12x6x4xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x4xf32>) -> tensor<1x6x4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<12x6x4xf32>, tensor<1x6x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<12x6x4xf32>
    return %1 : tensor<12x6x4xf32>
  }
  func.func private @softplus_8(%arg0: tensor<6x12x24xf32>, %arg1: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %0 = stablehlo.multiply %arg1, %arg0 : tensor<6x12x24xf32>
    return %0 : tensor<6x12x24xf32>
  }
  func.func private @silu_9(%arg0: tensor<6x12x24xf32>, %arg1: tensor<6x12x24xf32>, %arg2: tensor<6x12x24xf32>, %arg3: tensor<6x12x24xf32>) -> tensor<6x12x24xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<6x12x24xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<6x12x24xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<6x12x24xf32>
    %3 = stablehlo.add %1, %2 : tensor<6x12x24xf32>
    return %3 : tensor<6x12x24xf32>
  }
  func.func private @closed_call_10(%arg0: tensor<6x24x4xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<6x24x4xf32>, %arg3: tensor<6x24x4xf32>, %arg4: tensor<6x4xf32>, %arg5: tensor<6x24x4xf32>) -> (tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>) {
    %0 = stablehlo.dot_general %arg1, %arg5, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x24x4xf32>) -> tensor<6x4xf32>
    %1 = stablehlo.dot_general %arg1, %arg4, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x4xf32>) -> tensor<6x24x4xf32>
    %2 = stablehlo.add %arg0, %1 : tensor<6x24x4xf32>
    %3 = stablehlo.multiply %arg3, %2 : tensor<6x24x4xf32>
    %4 = stablehlo.multiply %2, %arg2 : tensor<6x24x4xf32>
    return %3, %4, %2, %0 : tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x24x4xf32>, tensor<6x4xf32>
  }
}
