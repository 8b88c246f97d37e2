module @jit_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<24x16xf32>, %arg1: tensor<16x24xf32>, %arg2: tensor<6x16xf32>, %arg3: tensor<6x16xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<24x16xf32> {jax.result_info = "result[1]['down']"}, tensor<16x24xf32> {jax.result_info = "result[1]['up']"}) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x6x16xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<5x6x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<5x6x16xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<5x6x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<5x6x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %12:16 = stablehlo.while(%iterArg = %arg1, %iterArg_19 = %arg0, %iterArg_20 = %c, %iterArg_21 = %arg3, %iterArg_22 = %0, %iterArg_23 = %1, %iterArg_24 = %2, %iterArg_25 = %3, %iterArg_26 = %4, %iterArg_27 = %5, %iterArg_28 = %6, %iterArg_29 = %7, %iterArg_30 = %8, %iterArg_31 = %9, %iterArg_32 = %10, %iterArg_33 = %11) : tensor<16x24xf32>, tensor<24x16xf32>, tensor<i32>, tensor<6x16xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>
    cond {
      %c_34 = stablehlo.constant dense<5> : tensor<i32>
      %25 = stablehlo.compare LT, %iterArg_20, %c_34, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %25 : tensor<i1>
    } do {
      %25:13 = func.call @closed_call(%iterArg, %iterArg_19, %iterArg_21) : (tensor<16x24xf32>, tensor<24x16xf32>, tensor<6x16xf32>) -> (tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>)
      %26 = func.call @dynamic_update_index_in_dim(%iterArg_22, %25#1, %iterArg_20) : (tensor<5x6x16xf32>, tensor<6x16xf32>, tensor<i32>) -> tensor<5x6x16xf32>
      %27 = func.call @dynamic_update_index_in_dim_0(%iterArg_23, %25#2, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %28 = func.call @dynamic_update_index_in_dim_0(%iterArg_24, %25#3, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %29 = func.call @dynamic_update_index_in_dim(%iterArg_25, %25#4, %iterArg_20) : (tensor<5x6x16xf32>, tensor<6x16xf32>, tensor<i32>) -> tensor<5x6x16xf32>
      %30 = func.call @dynamic_update_index_in_dim_0(%iterArg_26, %25#5, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %31 = func.call @dynamic_update_index_in_dim_0(%iterArg_27, %25#6, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %32 = func.call @dynamic_update_index_in_dim(%iterArg_28, %25#7, %iterArg_20) : (tensor<5x6x16xf32>, tensor<6x16xf32>, tensor<i32>) -> tensor<5x6x16xf32>
      %33 = func.call @dynamic_update_index_in_dim_0(%iterArg_29, %25#8, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %34 = func.call @dynamic_update_index_in_dim_0(%iterArg_30, %25#9, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %35 = func.call @dynamic_update_index_in_dim(%iterArg_31, %25#10, %iterArg_20) : (tensor<5x6x16xf32>, tensor<6x16xf32>, tensor<i32>) -> tensor<5x6x16xf32>
      %36 = func.call @dynamic_update_index_in_dim_0(%iterArg_32, %25#11, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %37 = func.call @dynamic_update_index_in_dim_0(%iterArg_33, %25#12, %iterArg_20) : (tensor<5x6x24xf32>, tensor<6x24xf32>, tensor<i32>) -> tensor<5x6x24xf32>
      %c_34 = stablehlo.constant dense<1> : tensor<i32>
      %38 = stablehlo.add %iterArg_20, %c_34 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_19, %38, %25#0, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37 : tensor<16x24xf32>, tensor<24x16xf32>, tensor<i32>, tensor<6x16xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>
    }
    %13 = stablehlo.subtract %12#3, %arg2 : tensor<6x16xf32>
    %14 = stablehlo.multiply %13, %13 : tensor<6x16xf32>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %16 = stablehlo.multiply %15, %13 : tensor<6x16xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.reduce(%14 init: %cst_12) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_13 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %18 = stablehlo.divide %17, %cst_13 : tensor<f32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_15 = stablehlo.constant dense<9.600000e+01> : tensor<f32>
    %19 = stablehlo.divide %cst_14, %cst_15 : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %21 = stablehlo.multiply %20, %16 : tensor<6x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %c_18 = stablehlo.constant dense<0> : tensor<i32>
    %24:18 = stablehlo.while(%iterArg = %12#4, %iterArg_19 = %12#5, %iterArg_20 = %12#6, %iterArg_21 = %12#7, %iterArg_22 = %12#8, %iterArg_23 = %12#9, %iterArg_24 = %12#10, %iterArg_25 = %12#11, %iterArg_26 = %12#12, %iterArg_27 = %12#13, %iterArg_28 = %12#14, %iterArg_29 = %12#15, %iterArg_30 = %arg1, %iterArg_31 = %arg0, %iterArg_32 = %c_18, %iterArg_33 = %22, %iterArg_34 = %23, %iterArg_35 = %21) : tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<i32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<6x16xf32>
    cond {
      %c_36 = stablehlo.constant dense<5> : tensor<i32>
      %25 = stablehlo.compare LT, %iterArg_32, %c_36, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %25 : tensor<i1>
    } do {
      %c_36 = stablehlo.constant dense<5> : tensor<i32>
      %25 = stablehlo.subtract %c_36, %iterArg_32 : tensor<i32>
      %c_37 = stablehlo.constant dense<1> : tensor<i32>
      %26 = stablehlo.subtract %25, %c_37 : tensor<i32>
      %27 = func.call @dynamic_index_in_dim(%iterArg, %26) : (tensor<5x6x16xf32>, tensor<i32>) -> tensor<6x16xf32>
      %28 = func.call @dynamic_index_in_dim_1(%iterArg_19, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %29 = func.call @dynamic_index_in_dim_1(%iterArg_20, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %30 = func.call @dynamic_index_in_dim(%iterArg_21, %26) : (tensor<5x6x16xf32>, tensor<i32>) -> tensor<6x16xf32>
      %31 = func.call @dynamic_index_in_dim_1(%iterArg_22, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %32 = func.call @dynamic_index_in_dim_1(%iterArg_23, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %33 = func.call @dynamic_index_in_dim(%iterArg_24, %26) : (tensor<5x6x16xf32>, tensor<i32>) -> tensor<6x16xf32>
      %34 = func.call @dynamic_index_in_dim_1(%iterArg_25, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %35 = func.call @dynamic_index_in_dim_1(%iterArg_26, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %36 = func.call @dynamic_index_in_dim(%iterArg_27, %26) : (tensor<5x6x16xf32>, tensor<i32>) -> tensor<6x16xf32>
      %37 = func.call @dynamic_index_in_dim_1(%iterArg_28, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %38 = func.call @dynamic_index_in_dim_1(%iterArg_29, %26) : (tensor<5x6x24xf32>, tensor<i32>) -> tensor<6x24xf32>
      %39:3 = func.call @closed_call_2(%iterArg_30, %iterArg_31, %iterArg_33, %iterArg_34, %iterArg_35, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38) : (tensor<16x24xf32>, tensor<24x16xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>) -> (tensor<16x24xf32>, tensor<24x16xf32>, tensor<6x16xf32>)
      %c_38 = stablehlo.constant dense<1> : tensor<i32>
      %40 = stablehlo.add %iterArg_32, %c_38 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_19, %iterArg_20, %iterArg_21, %iterArg_22, %iterArg_23, %iterArg_24, %iterArg_25, %iterArg_26, %iterArg_27, %iterArg_28, %iterArg_29, %iterArg_30, %iterArg_31, %40, %39#0, %39#1, %39#2 : tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<5x6x16xf32>, tensor<5x6x24xf32>, tensor<5x6x24xf32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<i32>, tensor<16x24xf32>, tensor<24x16xf32>, tensor<6x16xf32>
    }
    return %18, %24#16, %24#15 : tensor<f32>, tensor<24x16xf32>, tensor<16x24xf32>
  }
  func.func private @closed_call(%arg0: tensor<16x24xf32>, %arg1: tensor<24x16xf32>, %arg2: tensor<6x16xf32>) -> (tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>) {
    %0 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %1 = stablehlo.tanh %0 : tensor<6x24xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<6x24xf32>
    %4 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %cst_0 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %6 = stablehlo.multiply %5, %4 : tensor<6x16xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<6x16xf32>
    %8 = stablehlo.dot_general %7, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %9 = stablehlo.tanh %8 : tensor<6x24xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %11 = stablehlo.subtract %10, %9 : tensor<6x24xf32>
    %12 = stablehlo.dot_general %9, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %14 = stablehlo.multiply %13, %12 : tensor<6x16xf32>
    %15 = stablehlo.add %arg2, %14 : tensor<6x16xf32>
    %16 = stablehlo.dot_general %15, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %17 = stablehlo.tanh %16 : tensor<6x24xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %19 = stablehlo.subtract %18, %17 : tensor<6x24xf32>
    %20 = stablehlo.dot_general %17, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %22 = stablehlo.multiply %21, %20 : tensor<6x16xf32>
    %23 = stablehlo.add %arg2, %22 : tensor<6x16xf32>
    %24 = stablehlo.dot_general %23, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %25 = stablehlo.tanh %24 : tensor<6x24xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %27 = stablehlo.subtract %26, %25 : tensor<6x24xf32>
    %28 = stablehlo.dot_general %25, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x16xf32>) -> tensor<6x16xf32>
    %cst_6 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %30 = stablehlo.multiply %29, %12 : tensor<6x16xf32>
    %31 = stablehlo.add %4, %30 : tensor<6x16xf32>
    %cst_7 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %32 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %33 = stablehlo.multiply %32, %20 : tensor<6x16xf32>
    %34 = stablehlo.add %31, %33 : tensor<6x16xf32>
    %35 = stablehlo.add %34, %28 : tensor<6x16xf32>
    %cst_8 = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %37 = stablehlo.divide %35, %36 : tensor<6x16xf32>
    %38 = stablehlo.add %arg2, %37 : tensor<6x16xf32>
    return %38, %arg2, %1, %3, %7, %9, %11, %15, %17, %19, %23, %25, %27 : tensor<6x16xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>, tensor<6x16xf32>, tensor<6x24xf32>, tensor<6x24xf32>
  }
  func.func private @dynamic_update_index_in_dim(%arg0: tensor<5x6x16xf32>, %arg1: tensor<6x16xf32>, %arg2: tensor<i32>) -> tensor<5x6x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x16xf32>) -> tensor<1x6x16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<5x6x16xf32>, tensor<1x6x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x6x16xf32>
    return %1 : tensor<5x6x16xf32>
  }
  func.func private @dynamic_update_index_in_dim_0(%arg0: tensor<5x6x24xf32>, %arg1: tensor<6x24xf32>, %arg2: tensor<i32>) -> tensor<5x6x24xf32> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<6x24xf32>) -> tensor<1x6x24xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.dynamic_update_slice %arg0, %0, %arg2, %c, %c_0 : (tensor<5x6x24xf32>, tensor<1x6x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x6x24xf32>
    return %1 : tensor<5x6x24xf32>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<5x6x16xf32>, %arg1: tensor<i32>) -> tensor<6x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 16] : (tensor<5x6x16xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x16xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x16xf32>) -> tensor<6x16xf32>
    return %1 : tensor<6x16xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<5x6x24xf32>, %arg1: tensor<i32>) -> tensor<6x24xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 6, 24] : (tensor<5x6x24xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x24xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x24xf32>) -> tensor<6x24xf32>
    return %1 : tensor<6x24xf32>
  }
  func.func private @closed_call_2(%arg0: tensor<16x24xf32>, %arg1: tensor<24x16xf32>, %arg2: tensor<16x24xf32>, %arg3: tensor<24x16xf32>, %arg4: tensor<6x16xf32>, %arg5: tensor<6x16xf32>, %arg6: tensor<6x24xf32>, %arg7: tensor<6x24xf32>, %arg8: tensor<6x16xf32>, %arg9: tensor<6x24xf32>, %arg10: tensor<6x24xf32>, %arg11: tensor<6x16xf32>, %arg12: tensor<6x24xf32>, %arg13: tensor<6x24xf32>, %arg14: tensor<6x16xf32>, %arg15: tensor<6x24xf32>, %arg16: tensor<6x24xf32>) -> (tensor<16x24xf32>, tensor<24x16xf32>, tensor<6x16xf32>) {
    %cst = stablehlo.constant dense<6.000000e+01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %1 = stablehlo.divide %arg4, %0 : tensor<6x16xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %3 = stablehlo.multiply %2, %1 : tensor<6x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %5 = stablehlo.multiply %4, %1 : tensor<6x16xf32>
    %6 = stablehlo.dot_general %1, %arg15, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x24xf32>) -> tensor<16x24xf32>
    %7 = stablehlo.transpose %6, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %8 = stablehlo.add %arg3, %7 : tensor<24x16xf32>
    %9 = stablehlo.dot_general %1, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<24x16xf32>) -> tensor<6x24xf32>
    %10 = stablehlo.multiply %9, %arg16 : tensor<6x24xf32>
    %11 = stablehlo.multiply %10, %arg15 : tensor<6x24xf32>
    %12 = stablehlo.add %10, %11 : tensor<6x24xf32>
    %13 = stablehlo.dot_general %12, %arg14, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %14 = stablehlo.transpose %13, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %15 = stablehlo.add %arg2, %14 : tensor<16x24xf32>
    %16 = stablehlo.dot_general %12, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<16x24xf32>) -> tensor<6x16xf32>
    %17 = stablehlo.add %arg4, %16 : tensor<6x16xf32>
    %cst_2 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %19 = stablehlo.multiply %18, %16 : tensor<6x16xf32>
    %20 = stablehlo.add %3, %19 : tensor<6x16xf32>
    %21 = stablehlo.dot_general %20, %arg12, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x24xf32>) -> tensor<16x24xf32>
    %22 = stablehlo.transpose %21, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %23 = stablehlo.add %8, %22 : tensor<24x16xf32>
    %24 = stablehlo.dot_general %20, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<24x16xf32>) -> tensor<6x24xf32>
    %25 = stablehlo.multiply %24, %arg13 : tensor<6x24xf32>
    %26 = stablehlo.multiply %25, %arg12 : tensor<6x24xf32>
    %27 = stablehlo.add %25, %26 : tensor<6x24xf32>
    %28 = stablehlo.dot_general %27, %arg11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %29 = stablehlo.transpose %28, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %30 = stablehlo.add %15, %29 : tensor<16x24xf32>
    %31 = stablehlo.dot_general %27, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<16x24xf32>) -> tensor<6x16xf32>
    %32 = stablehlo.add %17, %31 : tensor<6x16xf32>
    %cst_3 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %34 = stablehlo.multiply %33, %31 : tensor<6x16xf32>
    %35 = stablehlo.add %5, %34 : tensor<6x16xf32>
    %36 = stablehlo.dot_general %35, %arg9, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x24xf32>) -> tensor<16x24xf32>
    %37 = stablehlo.transpose %36, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %38 = stablehlo.add %23, %37 : tensor<24x16xf32>
    %39 = stablehlo.dot_general %35, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<24x16xf32>) -> tensor<6x24xf32>
    %40 = stablehlo.multiply %39, %arg10 : tensor<6x24xf32>
    %41 = stablehlo.multiply %40, %arg9 : tensor<6x24xf32>
    %42 = stablehlo.add %40, %41 : tensor<6x24xf32>
    %43 = stablehlo.dot_general %42, %arg8, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %44 = stablehlo.transpose %43, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %45 = stablehlo.add %30, %44 : tensor<16x24xf32>
    %46 = stablehlo.dot_general %42, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<16x24xf32>) -> tensor<6x16xf32>
    %47 = stablehlo.add %32, %46 : tensor<6x16xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-02> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6x16xf32>
    %49 = stablehlo.multiply %48, %46 : tensor<6x16xf32>
    %50 = stablehlo.add %1, %49 : tensor<6x16xf32>
    %51 = stablehlo.dot_general %50, %arg6, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<6x24xf32>) -> tensor<16x24xf32>
    %52 = stablehlo.transpose %51, dims = [1, 0] : (tensor<16x24xf32>) -> tensor<24x16xf32>
    %53 = stablehlo.add %38, %52 : tensor<24x16xf32>
    %54 = stablehlo.dot_general %50, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<24x16xf32>) -> tensor<6x24xf32>
    %55 = stablehlo.multiply %54, %arg7 : tensor<6x24xf32>
    %56 = stablehlo.multiply %55, %arg6 : tensor<6x24xf32>
    %57 = stablehlo.add %55, %56 : tensor<6x24xf32>
    %58 = stablehlo.dot_general %57, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %59 = stablehlo.transpose %58, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %60 = stablehlo.add %45, %59 : tensor<16x24xf32>
    %61 = stablehlo.dot_general %57, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<16x24xf32>) -> tensor<6x16xf32>
    %62 = stablehlo.add %47, %61 : tensor<6x16xf32>
    return %60, %53, %62 : tensor<16x24xf32>, tensor<24x16xf32>, tensor<6x16xf32>
  }
}
