module @jit_gradients attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<3x4x5xf32>, %arg4: tensor<3x5x4xf32>, %arg5: tensor<f32>, %arg6: tensor<6x4xf32>, %arg7: tensor<3x4x5xf32>, %arg8: tensor<3x5x4xf32>) {
    %0:4 = call @function(%arg0, %arg1, %arg2, %arg3, %arg4) : (tensor<6x4xf32>, tensor<6x4xf32>, tensor<4x3xf32>, tensor<3x4x5xf32>, tensor<3x5x4xf32>) -> (tensor<f32>, tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3x5x4xf32>)
    check.expect_almost_eq %0#0, %arg5, tolerance = 5.0e-04 : f64 : tensor<f32>
    check.expect_almost_eq %0#1, %arg6, tolerance = 5.0e-04 : f64 : tensor<6x4xf32>
    check.expect_almost_eq %0#2, %arg7, tolerance = 5.0e-04 : f64 : tensor<3x4x5xf32>
    check.expect_almost_eq %0#3, %arg8, tolerance = 5.0e-04 : f64 : tensor<3x5x4xf32>
    return
  }
  func.func private @function(%arg0: tensor<6x4xf32>, %arg1: tensor<6x4xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<3x4x5xf32>, %arg4: tensor<3x5x4xf32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<6x4xf32> {jax.result_info = "result[1][0]"}, tensor<3x4x5xf32> {jax.result_info = "result[1][1]"}, tensor<3x5x4xf32> {jax.result_info = "result[1][2]"}) {
    %0 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.reshape %1 : (tensor<6xf32>) -> tensor<6x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %4 = stablehlo.compare EQ, %0, %3, FLOAT : (tensor<6x3xf32>, tensor<6x3xf32>) -> tensor<6x3xi1>
    %5 = stablehlo.convert %4 : (tensor<6x3xi1>) -> tensor<6x3xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.maximum %7, %1 : tensor<6xf32>
    %9 = stablehlo.compare EQ, %1, %8, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.select %9, %10, %11 : tensor<6xi1>, tensor<6xf32>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %14 = stablehlo.compare EQ, %13, %8, FLOAT : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %cst_5 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %17 = stablehlo.select %14, %15, %16 : tensor<6xi1>, tensor<6xf32>
    %18 = stablehlo.divide %12, %17 : tensor<6xf32>
    %19 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %21 = stablehlo.subtract %0, %20 : tensor<6x3xf32>
    %22 = stablehlo.exponential %21 : tensor<6x3xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.reduce(%22 init: %cst_7) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %26 = stablehlo.divide %22, %25 : tensor<6x3xf32>
    %27 = stablehlo.multiply %24, %24 : tensor<6x1xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %29 = stablehlo.divide %28, %27 : tensor<6x1xf32>
    %values, %indices = chlo.top_k(%26, k = 2) : tensor<6x3xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
    %30 = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
    %31 = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
    %32 = call @argsort(%31) : (tensor<12xi32>) -> tensor<12xi64>
    %33 = stablehlo.reshape %indices : (tensor<6x2xi32>) -> tensor<12xi32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %34 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %35 = call @clip(%33, %c_9) : (tensor<12xi32>, tensor<i64>) -> tensor<12xi32>
    %c_10 = stablehlo.constant dense<0> : tensor<i32>
    %36 = stablehlo.broadcast_in_dim %c_10, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %37 = stablehlo.compare LT, %35, %36, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_11 = stablehlo.constant dense<3> : tensor<i32>
    %38 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %39 = stablehlo.add %35, %38 : tensor<12xi32>
    %40 = stablehlo.select %37, %39, %35 : tensor<12xi1>, tensor<12xi32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %c_12 = stablehlo.constant dense<1> : tensor<i64>
    %42 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %43 = "stablehlo.scatter"(%34, %41, %42) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<i64>, %arg6: tensor<i64>):
      %196 = stablehlo.add %arg5, %arg6 : tensor<i64>
      stablehlo.return %196 : tensor<i64>
    }) : (tensor<3xi64>, tensor<12x1xi32>, tensor<12xi64>) -> tensor<3xi64>
    %c_13 = stablehlo.constant dense<2> : tensor<i64>
    %44 = call @floor_divide(%32, %c_13) : (tensor<12xi64>, tensor<i64>) -> tensor<12xi64>
    %45:2 = call @_take(%arg1, %44) : (tensor<6x4xf32>, tensor<12xi64>) -> (tensor<12x4xf32>, tensor<12x1xi64>)
    %46 = stablehlo.broadcast_in_dim %45#0, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %47 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %48 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_14 = stablehlo.constant dense<0> : tensor<i64>
    %49 = stablehlo.broadcast_in_dim %c_14, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %50 = stablehlo.slice %49 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %51 = stablehlo.slice %48 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %52 = stablehlo.concatenate %50, %51, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %53 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %54 = stablehlo.broadcast_in_dim %52, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %55 = stablehlo.compare LE, %54, %47, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %56 = stablehlo.compare LT, %47, %53, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %57 = stablehlo.and %55, %56 : tensor<3x12x4xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %59 = stablehlo.select %57, %46, %58 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %60 = stablehlo.dot_general %59, %arg3, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x4xf32>, tensor<3x4x5xf32>) -> tensor<12x5xf32>
    %61:3 = call @silu(%60) : (tensor<12x5xf32>) -> (tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>)
    %62 = stablehlo.broadcast_in_dim %61#0, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %63 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %64 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_16 = stablehlo.constant dense<0> : tensor<i64>
    %65 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %66 = stablehlo.slice %65 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %67 = stablehlo.slice %64 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %68 = stablehlo.concatenate %66, %67, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %69 = stablehlo.broadcast_in_dim %64, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %70 = stablehlo.broadcast_in_dim %68, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %71 = stablehlo.compare LE, %70, %63, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %72 = stablehlo.compare LT, %63, %69, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %73 = stablehlo.and %71, %72 : tensor<3x12x5xi1>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %75 = stablehlo.select %73, %62, %74 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %76 = stablehlo.dot_general %75, %arg4, contracting_dims = [2, 0] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x5xf32>, tensor<3x5x4xf32>) -> tensor<12x4xf32>
    %77 = call @argsort_1(%32) : (tensor<12xi64>) -> tensor<12xi64>
    %78:2 = call @_take_2(%76, %77) : (tensor<12x4xf32>, tensor<12xi64>) -> (tensor<12x4xf32>, tensor<12x1xi64>)
    %79 = stablehlo.reshape %78#0 : (tensor<12x4xf32>) -> tensor<6x2x4xf32>
    %80 = stablehlo.dot_general %79, %values, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x2x4xf32>, tensor<6x2xf32>) -> tensor<6x4xf32>
    %81 = stablehlo.multiply %80, %arg0 : tensor<6x4xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_18) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<f32>
    %cst_19 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %84 = stablehlo.multiply %83, %arg0 : tensor<6x4xf32>
    %85 = stablehlo.dot_general %84, %79, batching_dims = [0] x [0], contracting_dims = [1] x [2], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<6x2x4xf32>) -> tensor<6x2xf32>
    %86 = stablehlo.dot_general %84, %values, batching_dims = [0] x [0], contracting_dims = [] x [], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<6x2xf32>) -> tensor<6x4x2xf32>
    %87 = stablehlo.transpose %86, dims = [0, 2, 1] : (tensor<6x4x2xf32>) -> tensor<6x2x4xf32>
    %88 = stablehlo.reshape %87 : (tensor<6x2x4xf32>) -> tensor<12x4xf32>
    %89 = call @_take_3(%78#1, %88) : (tensor<12x1xi64>, tensor<12x4xf32>) -> tensor<12x4xf32>
    %90 = stablehlo.broadcast_in_dim %61#0, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %91 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %92 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_20 = stablehlo.constant dense<0> : tensor<i64>
    %93 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %94 = stablehlo.slice %93 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %95 = stablehlo.slice %92 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %96 = stablehlo.concatenate %94, %95, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %97 = stablehlo.broadcast_in_dim %92, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %98 = stablehlo.broadcast_in_dim %96, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %99 = stablehlo.compare LE, %98, %91, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %100 = stablehlo.compare LT, %91, %97, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %101 = stablehlo.and %99, %100 : tensor<3x12x5xi1>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %103 = stablehlo.select %101, %90, %102 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %104 = stablehlo.broadcast_in_dim %89, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %105 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %106 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_22 = stablehlo.constant dense<0> : tensor<i64>
    %107 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %108 = stablehlo.slice %107 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %109 = stablehlo.slice %106 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %110 = stablehlo.concatenate %108, %109, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %111 = stablehlo.broadcast_in_dim %106, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %112 = stablehlo.broadcast_in_dim %110, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %113 = stablehlo.compare LE, %112, %105, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %114 = stablehlo.compare LT, %105, %111, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %115 = stablehlo.and %113, %114 : tensor<3x12x4xi1>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %117 = stablehlo.select %115, %104, %116 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %118 = stablehlo.dot_general %103, %117, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x5xf32>, tensor<3x12x4xf32>) -> tensor<3x5x4xf32>
    %119 = stablehlo.broadcast_in_dim %89, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %120 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %121 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_24 = stablehlo.constant dense<0> : tensor<i64>
    %122 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %123 = stablehlo.slice %122 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %124 = stablehlo.slice %121 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %125 = stablehlo.concatenate %123, %124, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %126 = stablehlo.broadcast_in_dim %121, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %127 = stablehlo.broadcast_in_dim %125, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %128 = stablehlo.compare LE, %127, %120, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %129 = stablehlo.compare LT, %120, %126, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %130 = stablehlo.and %128, %129 : tensor<3x12x4xi1>
    %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %132 = stablehlo.select %130, %119, %131 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %133 = stablehlo.dot_general %132, %arg4, contracting_dims = [2, 0] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x4xf32>, tensor<3x5x4xf32>) -> tensor<12x5xf32>
    %134 = call @silu_4(%61#1, %61#2, %60, %133) : (tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>) -> tensor<12x5xf32>
    %135 = stablehlo.broadcast_in_dim %45#0, dims = [1, 2] : (tensor<12x4xf32>) -> tensor<3x12x4xf32>
    %136 = stablehlo.iota dim = 1 : tensor<3x12x4xi64>
    %137 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_26 = stablehlo.constant dense<0> : tensor<i64>
    %138 = stablehlo.broadcast_in_dim %c_26, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %139 = stablehlo.slice %138 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %140 = stablehlo.slice %137 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %141 = stablehlo.concatenate %139, %140, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %142 = stablehlo.broadcast_in_dim %137, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %143 = stablehlo.broadcast_in_dim %141, dims = [0] : (tensor<3xi64>) -> tensor<3x12x4xi64>
    %144 = stablehlo.compare LE, %143, %136, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %145 = stablehlo.compare LT, %136, %142, SIGNED : (tensor<3x12x4xi64>, tensor<3x12x4xi64>) -> tensor<3x12x4xi1>
    %146 = stablehlo.and %144, %145 : tensor<3x12x4xi1>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3x12x4xf32>
    %148 = stablehlo.select %146, %135, %147 : tensor<3x12x4xi1>, tensor<3x12x4xf32>
    %149 = stablehlo.broadcast_in_dim %134, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %150 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %151 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_28 = stablehlo.constant dense<0> : tensor<i64>
    %152 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %153 = stablehlo.slice %152 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %154 = stablehlo.slice %151 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %155 = stablehlo.concatenate %153, %154, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %156 = stablehlo.broadcast_in_dim %151, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %157 = stablehlo.broadcast_in_dim %155, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %158 = stablehlo.compare LE, %157, %150, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %159 = stablehlo.compare LT, %150, %156, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %160 = stablehlo.and %158, %159 : tensor<3x12x5xi1>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %162 = stablehlo.select %160, %149, %161 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %163 = stablehlo.dot_general %148, %162, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x4xf32>, tensor<3x12x5xf32>) -> tensor<3x4x5xf32>
    %164 = stablehlo.broadcast_in_dim %134, dims = [1, 2] : (tensor<12x5xf32>) -> tensor<3x12x5xf32>
    %165 = stablehlo.iota dim = 1 : tensor<3x12x5xi64>
    %166 = call @cumsum(%43) : (tensor<3xi64>) -> tensor<3xi64>
    %c_30 = stablehlo.constant dense<0> : tensor<i64>
    %167 = stablehlo.broadcast_in_dim %c_30, dims = [] : (tensor<i64>) -> tensor<3xi64>
    %168 = stablehlo.slice %167 [0:1] : (tensor<3xi64>) -> tensor<1xi64>
    %169 = stablehlo.slice %166 [0:2] : (tensor<3xi64>) -> tensor<2xi64>
    %170 = stablehlo.concatenate %168, %169, dim = 0 : (tensor<1xi64>, tensor<2xi64>) -> tensor<3xi64>
    %171 = stablehlo.broadcast_in_dim %166, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %172 = stablehlo.broadcast_in_dim %170, dims = [0] : (tensor<3xi64>) -> tensor<3x12x5xi64>
    %173 = stablehlo.compare LE, %172, %165, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %174 = stablehlo.compare LT, %165, %171, SIGNED : (tensor<3x12x5xi64>, tensor<3x12x5xi64>) -> tensor<3x12x5xi1>
    %175 = stablehlo.and %173, %174 : tensor<3x12x5xi1>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<3x12x5xf32>
    %177 = stablehlo.select %175, %164, %176 : tensor<3x12x5xi1>, tensor<3x12x5xf32>
    %178 = stablehlo.dot_general %177, %arg3, contracting_dims = [2, 0] x [2, 0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x5xf32>, tensor<3x4x5xf32>) -> tensor<12x4xf32>
    %179 = call @_take_5(%45#1, %178) : (tensor<12x1xi64>, tensor<12x4xf32>) -> tensor<6x4xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<6x3xf32>
    %181 = "stablehlo.scatter"(%180, %30, %85) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
      %196 = stablehlo.add %arg5, %arg6 : tensor<f32>
      stablehlo.return %196 : tensor<f32>
    }) : (tensor<6x3xf32>, tensor<6x2x1xi32>, tensor<6x2xf32>) -> tensor<6x3xf32>
    %182 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %183 = stablehlo.multiply %181, %182 : tensor<6x3xf32>
    %184 = stablehlo.multiply %183, %22 : tensor<6x3xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %185 = stablehlo.reduce(%184 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<6x3xf32>, tensor<f32>) -> tensor<6xf32>
    %186 = stablehlo.reshape %185 : (tensor<6xf32>) -> tensor<6x1xf32>
    %187 = stablehlo.negate %186 : tensor<6x1xf32>
    %188 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x3xf32>
    %189 = stablehlo.divide %181, %188 : tensor<6x3xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %190 = stablehlo.reduce(%187 init: %cst_34) applies stablehlo.add across dimensions = [1] : (tensor<6x1xf32>, tensor<f32>) -> tensor<6xf32>
    %191 = stablehlo.broadcast_in_dim %190, dims = [0] : (tensor<6xf32>) -> tensor<6x3xf32>
    %192 = stablehlo.add %189, %191 : tensor<6x3xf32>
    %193 = stablehlo.multiply %192, %22 : tensor<6x3xf32>
    %194 = stablehlo.dot_general %193, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<6x3xf32>, tensor<4x3xf32>) -> tensor<6x4xf32>
    %195 = stablehlo.add %179, %194 : tensor<6x4xf32>
    return %82, %195, %163, %118 : tensor<f32>, tensor<6x4xf32>, tensor<3x4x5xf32>, tensor<3x5x4xf32>
  }
  func.func private @argsort(%arg0: tensor<12xi32>) -> tensor<12xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<12xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<12xi32>, tensor<12xi64>) -> (tensor<12xi32>, tensor<12xi64>)
    return %1#1 : tensor<12xi64>
  }
  func.func private @clip(%arg0: tensor<12xi32>, %arg1: tensor<i64>) -> tensor<12xi32> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<12xi32>
    return %2 : tensor<12xi32>
  }
  func.func private @floor_divide(%arg0: tensor<12xi64>, %arg1: tensor<i64>) -> tensor<12xi64> {
    %0 = stablehlo.convert %arg1 : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %2 = stablehlo.divide %arg0, %1 : tensor<12xi64>
    %3 = stablehlo.sign %arg0 : tensor<12xi64>
    %4 = stablehlo.sign %0 : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %6 = stablehlo.compare NE, %3, %5, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %7 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %8 = stablehlo.remainder %arg0, %7 : tensor<12xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %10 = stablehlo.compare NE, %8, %9, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %11 = stablehlo.and %6, %10 : tensor<12xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %12 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %13 = stablehlo.subtract %2, %12 : tensor<12xi64>
    %14 = call @_where(%11, %13, %2) : (tensor<12xi1>, tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
    return %14 : tensor<12xi64>
  }
  func.func private @_where(%arg0: tensor<12xi1>, %arg1: tensor<12xi64>, %arg2: tensor<12xi64>) -> tensor<12xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xi64>
    return %0 : tensor<12xi64>
  }
  func.func private @_take(%arg0: tensor<6x4xf32>, %arg1: tensor<12xi64>) -> (tensor<12x4xf32>, tensor<12x1xi64>) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %c_0 = stablehlo.constant dense<6> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %3 = stablehlo.add %arg1, %2 : tensor<12xi64>
    %4 = call @_where_0(%1, %3, %arg1) : (tensor<12xi1>, tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<12xi64>) -> tensor<12x1xi64>
    %c_1 = stablehlo.constant dense<5> : tensor<1xi32>
    %6 = stablehlo.convert %5 : (tensor<12x1xi64>) -> tensor<12x1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<12x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<12x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<12x1xi1>, tensor<i1>) -> tensor<12xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<6x4xf32>, tensor<12x1xi32>) -> tensor<12x4xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<12xi1>) -> tensor<12x4xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %17 = stablehlo.select %15, %14, %16 : tensor<12x4xi1>, tensor<12x4xf32>
    return %17, %5 : tensor<12x4xf32>, tensor<12x1xi64>
  }
  func.func private @_where_0(%arg0: tensor<12xi1>, %arg1: tensor<12xi64>, %arg2: tensor<12xi64>) -> tensor<12xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<12xi1>, tensor<12xi64>
    return %0 : tensor<12xi64>
  }
  func.func private @cumsum(%arg0: tensor<3xi64>) -> tensor<3xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<i64>
    %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[2, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 1>}> ({
    ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>):
      %2 = stablehlo.add %arg1, %arg2 : tensor<i64>
      stablehlo.return %2 : tensor<i64>
    }) : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
    return %1 : tensor<3xi64>
  }
  func.func private @silu(%arg0: tensor<12x5xf32>) -> (tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>) {
    %0 = stablehlo.negate %arg0 : tensor<12x5xf32>
    %1 = stablehlo.exponential %0 : tensor<12x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x5xf32>
    %3 = stablehlo.add %2, %1 : tensor<12x5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x5xf32>
    %5 = stablehlo.divide %4, %3 : tensor<12x5xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<12x5xf32>
    %7 = stablehlo.subtract %6, %5 : tensor<12x5xf32>
    %8 = stablehlo.multiply %5, %7 : tensor<12x5xf32>
    %9 = stablehlo.multiply %arg0, %5 : tensor<12x5xf32>
    return %9, %8, %5 : tensor<12x5xf32>, tensor<12x5xf32>, tensor<12x5xf32>
  }
  func.func private @argsort_1(%arg0: tensor<12xi64>) -> tensor<12xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<12xi64>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i64>, %arg2: tensor<i64>, %arg3: tensor<i64>, %arg4: tensor<i64>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<12xi64>, tensor<12xi64>) -> (tensor<12xi64>, tensor<12xi64>)
    return %1#1 : tensor<12xi64>
  }
  func.func private @_take_2(%arg0: tensor<12x4xf32>, %arg1: tensor<12xi64>) -> (tensor<12x4xf32>, tensor<12x1xi64>) {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<12xi64>, tensor<12xi64>) -> tensor<12xi1>
    %c_0 = stablehlo.constant dense<12> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<12xi64>
    %3 = stablehlo.add %arg1, %2 : tensor<12xi64>
    %4 = call @_where_0(%1, %3, %arg1) : (tensor<12xi1>, tensor<12xi64>, tensor<12xi64>) -> tensor<12xi64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<12xi64>) -> tensor<12x1xi64>
    %c_1 = stablehlo.constant dense<11> : tensor<1xi32>
    %6 = stablehlo.convert %5 : (tensor<12x1xi64>) -> tensor<12x1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<12x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [1] : (tensor<1xi32>) -> tensor<1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<1x1xi32>) -> tensor<12x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<12x1xi32>, tensor<12x1xi32>) -> tensor<12x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<12x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [1] : (tensor<12x1xi1>, tensor<i1>) -> tensor<12xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<12x4xf32>, tensor<12x1xi32>) -> tensor<12x4xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<12xi1>) -> tensor<12x4xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %17 = stablehlo.select %15, %14, %16 : tensor<12x4xi1>, tensor<12x4xf32>
    return %17, %5 : tensor<12x4xf32>, tensor<12x1xi64>
  }
  func.func private @_take_3(%arg0: tensor<12x1xi64>, %arg1: tensor<12x4xf32>) -> tensor<12x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<12x4xf32>, tensor<12x1xi64>, tensor<12x4xf32>) -> tensor<12x4xf32>
    return %1 : tensor<12x4xf32>
  }
  func.func private @silu_4(%arg0: tensor<12x5xf32>, %arg1: tensor<12x5xf32>, %arg2: tensor<12x5xf32>, %arg3: tensor<12x5xf32>) -> tensor<12x5xf32> {
    %0 = stablehlo.multiply %arg2, %arg3 : tensor<12x5xf32>
    %1 = stablehlo.multiply %arg3, %arg1 : tensor<12x5xf32>
    %2 = stablehlo.multiply %0, %arg0 : tensor<12x5xf32>
    %3 = stablehlo.add %1, %2 : tensor<12x5xf32>
    return %3 : tensor<12x5xf32>
  }
  func.func private @_take_5(%arg0: tensor<12x1xi64>, %arg1: tensor<12x4xf32>) -> tensor<6x4xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<12x1xi64>, tensor<12x4xf32>) -> tensor<6x4xf32>
    return %1 : tensor<6x4xf32>
  }
}
