module @jit_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40xf32>, %arg1: tensor<16x40xf32>, %arg2: tensor<40xf32>, %arg3: tensor<40x40xf32>, %arg4: tensor<8xf32>, %arg5: tensor<40x8xf32>, %arg6: tensor<24xf32>, %arg7: tensor<16x24xf32>, %arg8: tensor<8xf32>, %arg9: tensor<24x8xf32>, %arg10: tensor<6x16xf32>) -> (tensor<24xf32> {jax.result_info = "result[0][0]['b']"}, tensor<16x24xf32> {jax.result_info = "result[0][0]['w']"}, tensor<8xf32> {jax.result_info = "result[0][1]['b']"}, tensor<24x8xf32> {jax.result_info = "result[0][1]['w']"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.dot_general %arg10, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x40xf32>) -> tensor<6x40xf32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<40xf32>) -> tensor<1x40xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x40xf32>) -> tensor<6x40xf32>
    %3 = stablehlo.add %0, %2 : tensor<6x40xf32>
    %4 = stablehlo.tanh %3 : tensor<6x40xf32>
    %5 = stablehlo.dot_general %4, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x40xf32>, tensor<40x40xf32>) -> tensor<6x40xf32>
    %6 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<40xf32>) -> tensor<1x40xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x40xf32>) -> tensor<6x40xf32>
    %8 = stablehlo.add %5, %7 : tensor<6x40xf32>
    %9 = stablehlo.tanh %8 : tensor<6x40xf32>
    %10 = stablehlo.dot_general %9, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x40xf32>, tensor<40x8xf32>) -> tensor<6x8xf32>
    %11 = stablehlo.broadcast_in_dim %arg4, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %13 = stablehlo.add %10, %12 : tensor<6x8xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.reduce(%13 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.maximum %15, %14 : tensor<6xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %19 = stablehlo.subtract %13, %18 : tensor<6x8xf32>
    %20 = stablehlo.exponential %19 : tensor<6x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %24 = stablehlo.divide %20, %23 : tensor<6x8xf32>
    %25 = stablehlo.dot_general %arg10, %arg7, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x16xf32>, tensor<16x24xf32>) -> tensor<6x24xf32>
    %26 = stablehlo.broadcast_in_dim %arg6, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<6x24xf32>
    %28 = stablehlo.add %25, %27 : tensor<6x24xf32>
    %29 = stablehlo.tanh %28 : tensor<6x24xf32>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6x24xf32>
    %31 = stablehlo.subtract %30, %29 : tensor<6x24xf32>
    %32 = stablehlo.dot_general %29, %arg9, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<24x8xf32>) -> tensor<6x8xf32>
    %33 = stablehlo.broadcast_in_dim %arg8, dims = [1] : (tensor<8xf32>) -> tensor<1x8xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<6x8xf32>
    %35 = stablehlo.add %32, %34 : tensor<6x8xf32>
    %36:3 = call @log_softmax(%35) : (tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x1xf32>)
    %37 = stablehlo.multiply %24, %36#0 : tensor<6x8xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_3) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.reduce(%38 init: %cst_4) applies stablehlo.add across dimensions = [0] : (tensor<6xf32>, tensor<f32>) -> tensor<f32>
    %cst_5 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %40 = stablehlo.divide %39, %cst_5 : tensor<f32>
    %41 = stablehlo.negate %40 : tensor<f32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.negate %cst_6 : tensor<f32>
    %cst_7 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %43 = stablehlo.divide %42, %cst_7 : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %46 = stablehlo.multiply %24, %45 : tensor<6x8xf32>
    %47 = call @log_softmax_0(%36#1, %36#2, %46) : (tensor<6x8xf32>, tensor<6x1xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %49 = stablehlo.reshape %48 : (tensor<8xf32>) -> tensor<1x8xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%49 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %51 = stablehlo.dot_general %47, %29, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<6x24xf32>) -> tensor<8x24xf32>
    %52 = stablehlo.transpose %51, dims = [1, 0] : (tensor<8x24xf32>) -> tensor<24x8xf32>
    %53 = stablehlo.dot_general %47, %arg9, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x8xf32>, tensor<24x8xf32>) -> tensor<6x24xf32>
    %54 = stablehlo.multiply %53, %31 : tensor<6x24xf32>
    %55 = stablehlo.multiply %54, %29 : tensor<6x24xf32>
    %56 = stablehlo.add %54, %55 : tensor<6x24xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.reduce(%56 init: %cst_10) applies stablehlo.add across dimensions = [0] : (tensor<6x24xf32>, tensor<f32>) -> tensor<24xf32>
    %58 = stablehlo.reshape %57 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.reduce(%58 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %60 = stablehlo.dot_general %56, %arg10, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x24xf32>, tensor<6x16xf32>) -> tensor<24x16xf32>
    %61 = stablehlo.transpose %60, dims = [1, 0] : (tensor<24x16xf32>) -> tensor<16x24xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %63 = stablehlo.multiply %62, %59 : tensor<24xf32>
    %64 = stablehlo.subtract %arg6, %63 : tensor<24xf32>
    %cst_13 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %66 = stablehlo.multiply %65, %61 : tensor<16x24xf32>
    %67 = stablehlo.subtract %arg7, %66 : tensor<16x24xf32>
    %cst_14 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %69 = stablehlo.multiply %68, %50 : tensor<8xf32>
    %70 = stablehlo.subtract %arg8, %69 : tensor<8xf32>
    %cst_15 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<24x8xf32>
    %72 = stablehlo.multiply %71, %52 : tensor<24x8xf32>
    %73 = stablehlo.subtract %arg9, %72 : tensor<24x8xf32>
    return %64, %67, %70, %73, %41 : tensor<24xf32>, tensor<16x24xf32>, tensor<8xf32>, tensor<24x8xf32>, tensor<f32>
  }
  func.func private @log_softmax(%arg0: tensor<6x8xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<6xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x8xf32>
    %6 = stablehlo.exponential %5 : tensor<6x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %9 = stablehlo.log %8 : tensor<6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x8xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<6x8xf32>
    return %11, %6, %8 : tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x1xf32>
  }
  func.func private @log_softmax_0(%arg0: tensor<6x8xf32>, %arg1: tensor<6x1xf32>, %arg2: tensor<6x8xf32>) -> tensor<6x8xf32> {
    %0 = stablehlo.negate %arg2 : tensor<6x8xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<6x8xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.reshape %1 : (tensor<6xf32>) -> tensor<6x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<6x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<6x8xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<6x8xf32>
    return %7 : tensor<6x8xf32>
  }
}
