module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>, %arg2: tensor<4x6xf32>, %arg3: tensor<4x6xf32>, %arg4: tensor<4x6xf32>, %arg5: tensor<4x6xf32>) {
    %0:4 = call @function(%arg0, %arg1) : (tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>)
    check.expect_almost_eq %0#0, %arg2, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    check.expect_almost_eq %0#1, %arg3, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    check.expect_almost_eq %0#2, %arg4, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    check.expect_almost_eq %0#3, %arg5, tolerance = 5.0e-04 : f64 : tensor<4x6xf32>
    return
  }
  func.func private @function(%arg0: tensor<4x6xf32>, %arg1: tensor<4x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result[0]"}, tensor<4x6xf32> {jax.result_info = "result[1]"}, tensor<4x6xf32> {jax.result_info = "result[2]"}, tensor<4x6xf32> {jax.result_info = "result[3]"}) {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %1 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %2 = stablehlo.or %0, %1 : tensor<4x6xi1>
    %cst = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %4 = stablehlo.compare EQ, %arg1, %3, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %6 = stablehlo.compare EQ, %arg0, %5, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %8 = stablehlo.compare EQ, %arg1, %7, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %10 = stablehlo.compare LT, %arg1, %9, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %12 = stablehlo.compare LT, %arg0, %11, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %13 = stablehlo.and %6, %8 : tensor<4x6xi1>
    %14 = stablehlo.or %10, %12 : tensor<4x6xi1>
    %15 = stablehlo.or %14, %13 : tensor<4x6xi1>
    %16 = stablehlo.or %15, %2 : tensor<4x6xi1>
    %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %18 = stablehlo.compare GE, %arg1, %17, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %19 = stablehlo.compare GT, %arg1, %arg0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %20 = stablehlo.and %18, %19 : tensor<4x6xi1>
    %21 = stablehlo.log %arg1 : tensor<4x6xf32>
    %22 = stablehlo.multiply %arg0, %21 : tensor<4x6xf32>
    %23 = stablehlo.subtract %22, %arg1 : tensor<4x6xf32>
    %24 = chlo.lgamma %arg0 : tensor<4x6xf32> -> tensor<4x6xf32>
    %25 = stablehlo.subtract %23, %24 : tensor<4x6xf32>
    %cst_5 = stablehlo.constant dense<3.40282347E+38> : tensor<f32>
    %26 = stablehlo.log %cst_5 : tensor<f32>
    %27 = stablehlo.negate %26 : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %29 = stablehlo.compare LT, %25, %28, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %30 = stablehlo.exponential %25 : tensor<4x6xf32>
    %31 = stablehlo.or %8, %16 : tensor<4x6xi1>
    %32 = stablehlo.or %31, %29 : tensor<4x6xi1>
    %33 = stablehlo.or %32, %4 : tensor<4x6xi1>
    %34 = stablehlo.not %33 : tensor<4x6xi1>
    %35 = stablehlo.and %34, %20 : tensor<4x6xi1>
    %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %37 = stablehlo.subtract %36, %arg0 : tensor<4x6xf32>
    %38 = stablehlo.add %arg1, %37 : tensor<4x6xf32>
    %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %40 = stablehlo.add %38, %39 : tensor<4x6xf32>
    %cst_8 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %43 = stablehlo.add %arg1, %42 : tensor<4x6xf32>
    %44 = stablehlo.multiply %40, %arg1 : tensor<4x6xf32>
    %45 = stablehlo.divide %43, %44 : tensor<4x6xf32>
    %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %49 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %50 = stablehlo.negate %arg1 : tensor<4x6xf32>
    %51 = stablehlo.multiply %45, %50 : tensor<4x6xf32>
    %52 = stablehlo.subtract %49, %51 : tensor<4x6xf32>
    %53 = stablehlo.divide %52, %44 : tensor<4x6xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %54:15 = stablehlo.while(%iterArg = %35, %iterArg_87 = %45, %iterArg_88 = %46, %iterArg_89 = %37, %iterArg_90 = %40, %iterArg_91 = %cst_14, %iterArg_92 = %43, %iterArg_93 = %44, %iterArg_94 = %41, %iterArg_95 = %arg1, %iterArg_96 = %47, %iterArg_97 = %48, %iterArg_98 = %49, %iterArg_99 = %50, %iterArg_100 = %53) : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    cond {
      %cst_101 = stablehlo.constant dense<2.000000e+03> : tensor<f32>
      %302 = stablehlo.compare LT, %iterArg_91, %cst_101, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_102 = stablehlo.constant dense<false> : tensor<i1>
      %303 = stablehlo.reduce(%iterArg init: %c_102) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x6xi1>, tensor<i1>) -> tensor<i1>
      %304 = stablehlo.and %302, %303 : tensor<i1>
      stablehlo.return %304 : tensor<i1>
    } do {
      %cst_101 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %302 = stablehlo.add %iterArg_91, %cst_101 : tensor<f32>
      %cst_102 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %303 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %304 = stablehlo.add %iterArg_89, %303 : tensor<4x6xf32>
      %cst_103 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %305 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %306 = stablehlo.add %iterArg_90, %305 : tensor<4x6xf32>
      %307 = stablehlo.broadcast_in_dim %302, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %308 = stablehlo.multiply %304, %307 : tensor<4x6xf32>
      %309 = stablehlo.multiply %iterArg_92, %306 : tensor<4x6xf32>
      %310 = stablehlo.multiply %iterArg_94, %308 : tensor<4x6xf32>
      %311 = stablehlo.subtract %309, %310 : tensor<4x6xf32>
      %312 = stablehlo.multiply %iterArg_93, %306 : tensor<4x6xf32>
      %313 = stablehlo.multiply %iterArg_95, %308 : tensor<4x6xf32>
      %314 = stablehlo.subtract %312, %313 : tensor<4x6xf32>
      %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %315 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %316 = stablehlo.compare NE, %314, %315, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
      %317 = stablehlo.divide %311, %314 : tensor<4x6xf32>
      %318 = stablehlo.subtract %iterArg_87, %317 : tensor<4x6xf32>
      %319 = stablehlo.divide %318, %317 : tensor<4x6xf32>
      %320 = stablehlo.abs %319 : tensor<4x6xf32>
      %cst_105 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %321 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %322 = stablehlo.select %316, %320, %321 : tensor<4x6xi1>, tensor<4x6xf32>
      %323 = stablehlo.select %316, %317, %iterArg_87 : tensor<4x6xi1>, tensor<4x6xf32>
      %324 = stablehlo.multiply %iterArg_98, %306 : tensor<4x6xf32>
      %325 = stablehlo.subtract %324, %iterArg_92 : tensor<4x6xf32>
      %326 = stablehlo.multiply %iterArg_96, %308 : tensor<4x6xf32>
      %327 = stablehlo.subtract %325, %326 : tensor<4x6xf32>
      %328 = stablehlo.broadcast_in_dim %302, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %329 = stablehlo.multiply %iterArg_94, %328 : tensor<4x6xf32>
      %330 = stablehlo.add %327, %329 : tensor<4x6xf32>
      %331 = stablehlo.multiply %iterArg_99, %306 : tensor<4x6xf32>
      %332 = stablehlo.subtract %331, %iterArg_93 : tensor<4x6xf32>
      %333 = stablehlo.multiply %iterArg_97, %308 : tensor<4x6xf32>
      %334 = stablehlo.subtract %332, %333 : tensor<4x6xf32>
      %335 = stablehlo.broadcast_in_dim %302, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %336 = stablehlo.multiply %iterArg_95, %335 : tensor<4x6xf32>
      %337 = stablehlo.add %334, %336 : tensor<4x6xf32>
      %338 = stablehlo.multiply %323, %337 : tensor<4x6xf32>
      %339 = stablehlo.subtract %330, %338 : tensor<4x6xf32>
      %340 = stablehlo.divide %339, %314 : tensor<4x6xf32>
      %341 = stablehlo.select %316, %340, %iterArg_100 : tensor<4x6xi1>, tensor<4x6xf32>
      %342 = stablehlo.subtract %341, %iterArg_100 : tensor<4x6xf32>
      %343 = stablehlo.abs %342 : tensor<4x6xf32>
      %cst_106 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %344 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %345 = stablehlo.select %316, %343, %344 : tensor<4x6xi1>, tensor<4x6xf32>
      %346 = stablehlo.abs %311 : tensor<4x6xf32>
      %cst_107 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %cst_108 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %347 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<f32>
      %348 = stablehlo.divide %347, %cst_107 : tensor<f32>
      %349 = stablehlo.broadcast_in_dim %348, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %350 = stablehlo.compare GT, %346, %349, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
      %cst_109 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %351 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %352 = stablehlo.multiply %iterArg_92, %351 : tensor<4x6xf32>
      %353 = stablehlo.select %350, %352, %iterArg_92 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_110 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %354 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %355 = stablehlo.multiply %311, %354 : tensor<4x6xf32>
      %356 = stablehlo.select %350, %355, %311 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_111 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %357 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %358 = stablehlo.multiply %iterArg_93, %357 : tensor<4x6xf32>
      %359 = stablehlo.select %350, %358, %iterArg_93 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_112 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %360 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %361 = stablehlo.multiply %314, %360 : tensor<4x6xf32>
      %362 = stablehlo.select %350, %361, %314 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_113 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %363 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %364 = stablehlo.multiply %iterArg_98, %363 : tensor<4x6xf32>
      %365 = stablehlo.select %350, %364, %iterArg_98 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_114 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %366 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %367 = stablehlo.multiply %iterArg_99, %366 : tensor<4x6xf32>
      %368 = stablehlo.select %350, %367, %iterArg_99 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_115 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %369 = stablehlo.broadcast_in_dim %cst_115, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %370 = stablehlo.multiply %330, %369 : tensor<4x6xf32>
      %371 = stablehlo.select %350, %370, %330 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_116 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %372 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %373 = stablehlo.multiply %337, %372 : tensor<4x6xf32>
      %374 = stablehlo.select %350, %373, %337 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_117 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %375 = stablehlo.broadcast_in_dim %cst_117, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %376 = stablehlo.compare GT, %322, %375, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
      %377 = stablehlo.and %iterArg, %376 : tensor<4x6xi1>
      %378 = stablehlo.select %iterArg, %323, %iterArg_87 : tensor<4x6xi1>, tensor<4x6xf32>
      %379 = stablehlo.select %iterArg, %322, %iterArg_88 : tensor<4x6xi1>, tensor<4x6xf32>
      %380 = stablehlo.select %iterArg, %304, %iterArg_89 : tensor<4x6xi1>, tensor<4x6xf32>
      %381 = stablehlo.select %iterArg, %306, %iterArg_90 : tensor<4x6xi1>, tensor<4x6xf32>
      %382 = stablehlo.select %iterArg, %356, %iterArg_92 : tensor<4x6xi1>, tensor<4x6xf32>
      %383 = stablehlo.select %iterArg, %362, %iterArg_93 : tensor<4x6xi1>, tensor<4x6xf32>
      %384 = stablehlo.select %iterArg, %353, %iterArg_94 : tensor<4x6xi1>, tensor<4x6xf32>
      %385 = stablehlo.select %iterArg, %359, %iterArg_95 : tensor<4x6xi1>, tensor<4x6xf32>
      %386 = stablehlo.select %iterArg, %365, %iterArg_96 : tensor<4x6xi1>, tensor<4x6xf32>
      %387 = stablehlo.select %iterArg, %368, %iterArg_97 : tensor<4x6xi1>, tensor<4x6xf32>
      %388 = stablehlo.select %iterArg, %371, %iterArg_98 : tensor<4x6xi1>, tensor<4x6xf32>
      %389 = stablehlo.select %iterArg, %374, %iterArg_99 : tensor<4x6xi1>, tensor<4x6xf32>
      %390 = stablehlo.select %iterArg, %341, %iterArg_100 : tensor<4x6xi1>, tensor<4x6xf32>
      stablehlo.return %377, %378, %379, %380, %381, %302, %382, %383, %384, %385, %386, %387, %388, %389, %390 : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<f32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    %55 = stablehlo.multiply %54#1, %30 : tensor<4x6xf32>
    %cst_15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %57 = stablehlo.subtract %56, %55 : tensor<4x6xf32>
    %58 = stablehlo.not %20 : tensor<4x6xi1>
    %59 = stablehlo.and %34, %58 : tensor<4x6xi1>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %64:7 = stablehlo.while(%iterArg = %59, %iterArg_87 = %arg0, %iterArg_88 = %60, %iterArg_89 = %61, %iterArg_90 = %arg1, %iterArg_91 = %62, %iterArg_92 = %63) : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    cond {
      %c_93 = stablehlo.constant dense<false> : tensor<i1>
      %302 = stablehlo.reduce(%iterArg init: %c_93) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %302 : tensor<i1>
    } do {
      %cst_93 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %302 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %303 = stablehlo.add %iterArg_87, %302 : tensor<4x6xf32>
      %304 = stablehlo.divide %iterArg_90, %303 : tensor<4x6xf32>
      %305 = stablehlo.multiply %iterArg_91, %304 : tensor<4x6xf32>
      %306 = stablehlo.multiply %iterArg_88, %iterArg_90 : tensor<4x6xf32>
      %307 = stablehlo.multiply %303, %303 : tensor<4x6xf32>
      %308 = stablehlo.divide %306, %307 : tensor<4x6xf32>
      %309 = stablehlo.subtract %305, %308 : tensor<4x6xf32>
      %310 = stablehlo.add %iterArg_92, %309 : tensor<4x6xf32>
      %311 = stablehlo.divide %iterArg_90, %303 : tensor<4x6xf32>
      %312 = stablehlo.multiply %iterArg_88, %311 : tensor<4x6xf32>
      %313 = stablehlo.add %iterArg_89, %312 : tensor<4x6xf32>
      %314 = stablehlo.divide %312, %313 : tensor<4x6xf32>
      %cst_94 = stablehlo.constant dense<1.1920929E-7> : tensor<f32>
      %315 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %316 = stablehlo.compare GT, %314, %315, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
      %317 = stablehlo.and %iterArg, %316 : tensor<4x6xi1>
      %318 = stablehlo.select %iterArg, %303, %iterArg_87 : tensor<4x6xi1>, tensor<4x6xf32>
      %319 = stablehlo.select %iterArg, %312, %iterArg_88 : tensor<4x6xi1>, tensor<4x6xf32>
      %320 = stablehlo.select %iterArg, %313, %iterArg_89 : tensor<4x6xi1>, tensor<4x6xf32>
      %321 = stablehlo.select %iterArg, %iterArg_90, %iterArg_90 : tensor<4x6xi1>, tensor<4x6xf32>
      %322 = stablehlo.select %iterArg, %309, %iterArg_91 : tensor<4x6xi1>, tensor<4x6xf32>
      %323 = stablehlo.select %iterArg, %310, %iterArg_92 : tensor<4x6xi1>, tensor<4x6xf32>
      stablehlo.return %317, %318, %319, %320, %321, %322, %323 : tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    %65 = stablehlo.multiply %64#3, %30 : tensor<4x6xf32>
    %66 = stablehlo.divide %65, %arg0 : tensor<4x6xf32>
    %67 = stablehlo.select %20, %57, %66 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %69 = stablehlo.select %8, %68, %67 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %71 = stablehlo.select %4, %70, %69 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_22 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %72 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %73 = stablehlo.select %16, %72, %71 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %75 = stablehlo.add %74, %arg1 : tensor<4x6xf32>
    %76 = stablehlo.divide %arg1, %75 : tensor<4x6xf32>
    %cst_24 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %78 = stablehlo.compare EQ, %arg0, %77, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_25 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %80 = stablehlo.compare EQ, %arg0, %79, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %81 = stablehlo.or %78, %80 : tensor<4x6xi1>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %83 = stablehlo.compare EQ, %arg0, %82, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_27 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %85 = stablehlo.compare EQ, %arg0, %84, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %86 = stablehlo.or %83, %85 : tensor<4x6xi1>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %88 = stablehlo.compare EQ, %76, %87, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %90 = stablehlo.compare EQ, %76, %89, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %91 = stablehlo.not %88 : tensor<4x6xi1>
    %92 = stablehlo.not %90 : tensor<4x6xi1>
    %93 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %94 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %95 = stablehlo.or %93, %94 : tensor<4x6xi1>
    %96 = stablehlo.compare NE, %76, %76, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %97 = stablehlo.or %95, %96 : tensor<4x6xi1>
    %98 = stablehlo.and %86, %92 : tensor<4x6xi1>
    %99 = stablehlo.and %81, %88 : tensor<4x6xi1>
    %100 = stablehlo.or %98, %99 : tensor<4x6xi1>
    %101 = stablehlo.and %81, %91 : tensor<4x6xi1>
    %102 = stablehlo.and %86, %90 : tensor<4x6xi1>
    %103 = stablehlo.or %101, %102 : tensor<4x6xi1>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %105 = stablehlo.compare LT, %arg0, %104, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %107 = stablehlo.compare LT, %arg0, %106, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %108 = stablehlo.or %105, %107 : tensor<4x6xi1>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %110 = stablehlo.compare LT, %76, %109, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %111 = stablehlo.or %108, %110 : tensor<4x6xi1>
    %cst_33 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %113 = stablehlo.compare GT, %76, %112, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %114 = stablehlo.or %111, %113 : tensor<4x6xi1>
    %115 = stablehlo.and %81, %86 : tensor<4x6xi1>
    %116 = stablehlo.or %115, %97 : tensor<4x6xi1>
    %117 = stablehlo.or %114, %116 : tensor<4x6xi1>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %118 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %119 = stablehlo.add %arg0, %118 : tensor<4x6xf32>
    %120 = stablehlo.add %arg0, %arg0 : tensor<4x6xf32>
    %cst_35 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %121 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %122 = stablehlo.add %120, %121 : tensor<4x6xf32>
    %123 = stablehlo.divide %119, %122 : tensor<4x6xf32>
    %124 = stablehlo.compare LT, %76, %123, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %125 = stablehlo.select %124, %arg0, %arg0 : tensor<4x6xi1>, tensor<4x6xf32>
    %126 = stablehlo.select %124, %arg0, %arg0 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %128 = stablehlo.subtract %127, %76 : tensor<4x6xf32>
    %129 = stablehlo.select %124, %76, %128 : tensor<4x6xi1>, tensor<4x6xf32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %130 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %c_37 = stablehlo.constant dense<0> : tensor<i64>
    %131 = stablehlo.broadcast_in_dim %c_37, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %132 = stablehlo.compare EQ, %130, %131, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_39 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %135 = stablehlo.select %132, %133, %134 : tensor<4x6xi1>, tensor<4x6xf32>
    %136 = stablehlo.abs %135 : tensor<4x6xf32>
    %cst_40 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %138 = stablehlo.compare LT, %136, %137, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %cst_41 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %140 = stablehlo.select %138, %139, %135 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %c_43 = stablehlo.constant dense<1> : tensor<i64>
    %c_44 = stablehlo.constant dense<true> : tensor<i1>
    %142:8 = stablehlo.while(%iterArg = %125, %iterArg_87 = %126, %iterArg_88 = %129, %iterArg_89 = %c_43, %iterArg_90 = %c_44, %iterArg_91 = %140, %iterArg_92 = %141, %iterArg_93 = %140) : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<i64>, tensor<i1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    cond {
      %c_94 = stablehlo.constant dense<200> : tensor<i64>
      %302 = stablehlo.compare LT, %iterArg_89, %c_94, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %303 = stablehlo.and %302, %iterArg_90 : tensor<i1>
      stablehlo.return %303 : tensor<i1>
    } do {
      %302 = stablehlo.broadcast_in_dim %iterArg_89, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %c_94 = stablehlo.constant dense<2> : tensor<i64>
      %303 = stablehlo.broadcast_in_dim %c_94, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %304 = func.call @remainder(%302, %303) : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi64>
      %c_95 = stablehlo.constant dense<0> : tensor<i64>
      %305 = stablehlo.broadcast_in_dim %c_95, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %306 = stablehlo.compare EQ, %304, %305, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
      %c_96 = stablehlo.constant dense<1> : tensor<i64>
      %307 = stablehlo.broadcast_in_dim %c_96, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %308 = stablehlo.compare EQ, %302, %307, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
      %c_97 = stablehlo.constant dense<1> : tensor<i64>
      %309 = stablehlo.broadcast_in_dim %c_97, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %310 = stablehlo.subtract %302, %309 : tensor<4x6xi64>
      %c_98 = stablehlo.constant dense<2> : tensor<i64>
      %311 = stablehlo.broadcast_in_dim %c_98, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %312 = func.call @floor_divide(%310, %311) : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi64>
      %c_99 = stablehlo.constant dense<0> : tensor<i64>
      %313 = stablehlo.broadcast_in_dim %c_99, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %314 = stablehlo.compare EQ, %312, %313, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
      %315 = stablehlo.convert %312 : (tensor<4x6xi64>) -> tensor<4x6xf32>
      %cst_100 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %316 = stablehlo.broadcast_in_dim %cst_100, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %cst_101 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %317 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %318 = stablehlo.add %iterArg, %iterArg_87 : tensor<4x6xf32>
      %319 = stablehlo.negate %318 : tensor<4x6xf32>
      %320 = stablehlo.multiply %319, %iterArg_88 : tensor<4x6xf32>
      %321 = stablehlo.add %iterArg, %316 : tensor<4x6xf32>
      %322 = stablehlo.divide %320, %321 : tensor<4x6xf32>
      %323 = stablehlo.add %iterArg, %315 : tensor<4x6xf32>
      %324 = stablehlo.negate %323 : tensor<4x6xf32>
      %325 = stablehlo.add %iterArg, %iterArg_87 : tensor<4x6xf32>
      %326 = stablehlo.add %325, %315 : tensor<4x6xf32>
      %327 = stablehlo.multiply %324, %326 : tensor<4x6xf32>
      %328 = stablehlo.multiply %327, %iterArg_88 : tensor<4x6xf32>
      %329 = stablehlo.multiply %317, %315 : tensor<4x6xf32>
      %330 = stablehlo.add %iterArg, %329 : tensor<4x6xf32>
      %331 = stablehlo.multiply %317, %315 : tensor<4x6xf32>
      %332 = stablehlo.add %iterArg, %331 : tensor<4x6xf32>
      %333 = stablehlo.add %332, %316 : tensor<4x6xf32>
      %334 = stablehlo.multiply %330, %333 : tensor<4x6xf32>
      %335 = stablehlo.divide %328, %334 : tensor<4x6xf32>
      %336 = stablehlo.select %314, %322, %335 : tensor<4x6xi1>, tensor<4x6xf32>
      %337 = stablehlo.subtract %iterArg_87, %315 : tensor<4x6xf32>
      %338 = stablehlo.multiply %315, %337 : tensor<4x6xf32>
      %339 = stablehlo.multiply %338, %iterArg_88 : tensor<4x6xf32>
      %340 = stablehlo.multiply %317, %315 : tensor<4x6xf32>
      %341 = stablehlo.add %iterArg, %340 : tensor<4x6xf32>
      %342 = stablehlo.subtract %341, %316 : tensor<4x6xf32>
      %343 = stablehlo.multiply %317, %315 : tensor<4x6xf32>
      %344 = stablehlo.add %iterArg, %343 : tensor<4x6xf32>
      %345 = stablehlo.multiply %342, %344 : tensor<4x6xf32>
      %346 = stablehlo.divide %339, %345 : tensor<4x6xf32>
      %cst_102 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %347 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %348 = stablehlo.select %306, %336, %346 : tensor<4x6xi1>, tensor<4x6xf32>
      %349 = stablehlo.select %308, %347, %348 : tensor<4x6xi1>, tensor<4x6xf32>
      %350 = stablehlo.broadcast_in_dim %iterArg_89, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %c_103 = stablehlo.constant dense<0> : tensor<i64>
      %351 = stablehlo.broadcast_in_dim %c_103, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
      %352 = stablehlo.compare EQ, %350, %351, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
      %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %353 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %cst_105 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %354 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %355 = stablehlo.select %352, %353, %354 : tensor<4x6xi1>, tensor<4x6xf32>
      %356 = stablehlo.divide %349, %iterArg_91 : tensor<4x6xf32>
      %357 = stablehlo.add %355, %356 : tensor<4x6xf32>
      %cst_106 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %358 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %359 = stablehlo.abs %357 : tensor<4x6xf32>
      %360 = stablehlo.compare LT, %359, %358, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
      %361 = stablehlo.select %360, %358, %357 : tensor<4x6xi1>, tensor<4x6xf32>
      %362 = stablehlo.multiply %349, %iterArg_92 : tensor<4x6xf32>
      %363 = stablehlo.add %355, %362 : tensor<4x6xf32>
      %364 = stablehlo.abs %363 : tensor<4x6xf32>
      %365 = stablehlo.compare LT, %364, %358, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
      %366 = stablehlo.select %365, %358, %363 : tensor<4x6xi1>, tensor<4x6xf32>
      %cst_107 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %367 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %368 = stablehlo.divide %367, %366 : tensor<4x6xf32>
      %369 = stablehlo.multiply %361, %368 : tensor<4x6xf32>
      %370 = stablehlo.multiply %iterArg_93, %369 : tensor<4x6xf32>
      %c_108 = stablehlo.constant dense<1> : tensor<i64>
      %371 = stablehlo.add %iterArg_89, %c_108 : tensor<i64>
      %cst_109 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %372 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %373 = stablehlo.subtract %369, %372 : tensor<4x6xf32>
      %374 = stablehlo.abs %373 : tensor<4x6xf32>
      %cst_110 = stablehlo.constant dense<5.96046448E-8> : tensor<f32>
      %375 = stablehlo.broadcast_in_dim %cst_110, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
      %376 = stablehlo.compare GE, %374, %375, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
      %c_111 = stablehlo.constant dense<false> : tensor<i1>
      %377 = stablehlo.reduce(%376 init: %c_111) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x6xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %iterArg, %iterArg_87, %iterArg_88, %371, %377, %361, %368, %370 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<i64>, tensor<i1>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
    }
    %143 = chlo.lgamma %126 : tensor<4x6xf32> -> tensor<4x6xf32>
    %144 = stablehlo.add %125, %126 : tensor<4x6xf32>
    %145 = chlo.lgamma %144 : tensor<4x6xf32> -> tensor<4x6xf32>
    %146 = stablehlo.subtract %143, %145 : tensor<4x6xf32>
    %147 = chlo.lgamma %125 : tensor<4x6xf32> -> tensor<4x6xf32>
    %148 = stablehlo.add %147, %146 : tensor<4x6xf32>
    %cst_45 = stablehlo.constant dense<2.3509887E-38> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %150 = stablehlo.compare LT, %125, %149, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %151 = stablehlo.negate %129 : tensor<4x6xf32>
    %152 = stablehlo.log_plus_one %151 : tensor<4x6xf32>
    %153 = stablehlo.multiply %152, %126 : tensor<4x6xf32>
    %154 = stablehlo.subtract %153, %146 : tensor<4x6xf32>
    %155 = stablehlo.exponential %154 : tensor<4x6xf32>
    %156 = stablehlo.log %129 : tensor<4x6xf32>
    %157 = stablehlo.multiply %156, %125 : tensor<4x6xf32>
    %158 = stablehlo.negate %129 : tensor<4x6xf32>
    %159 = stablehlo.log_plus_one %158 : tensor<4x6xf32>
    %160 = stablehlo.multiply %159, %126 : tensor<4x6xf32>
    %161 = stablehlo.add %157, %160 : tensor<4x6xf32>
    %162 = stablehlo.subtract %161, %148 : tensor<4x6xf32>
    %163 = stablehlo.exponential %162 : tensor<4x6xf32>
    %164 = stablehlo.divide %163, %125 : tensor<4x6xf32>
    %165 = stablehlo.select %150, %155, %164 : tensor<4x6xi1>, tensor<4x6xf32>
    %166 = stablehlo.multiply %142#7, %165 : tensor<4x6xf32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %168 = stablehlo.subtract %167, %166 : tensor<4x6xf32>
    %169 = stablehlo.select %124, %166, %168 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %170 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %171 = stablehlo.select %100, %170, %169 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_48 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %173 = stablehlo.select %103, %172, %171 : tensor<4x6xi1>, tensor<4x6xf32>
    %cst_49 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %174 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %175 = stablehlo.select %117, %174, %173 : tensor<4x6xi1>, tensor<4x6xf32>
    %176 = chlo.bessel_i1e %arg1 : tensor<4x6xf32> -> tensor<4x6xf32>
    %177 = stablehlo.abs %arg1 : tensor<4x6xf32>
    %cst_50 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %178 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_51 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_52 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %181 = stablehlo.multiply %178, %177 : tensor<4x6xf32>
    %182 = stablehlo.subtract %181, %179 : tensor<4x6xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %183 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %186 = stablehlo.multiply %182, %183 : tensor<4x6xf32>
    %187 = stablehlo.subtract %186, %184 : tensor<4x6xf32>
    %cst_56 = stablehlo.constant dense<-1.30002498E-8> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %189 = stablehlo.add %187, %188 : tensor<4x6xf32>
    %190 = stablehlo.multiply %182, %189 : tensor<4x6xf32>
    %191 = stablehlo.subtract %190, %183 : tensor<4x6xf32>
    %cst_57 = stablehlo.constant dense<6.04699508E-8> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %193 = stablehlo.add %191, %192 : tensor<4x6xf32>
    %194 = stablehlo.multiply %182, %193 : tensor<4x6xf32>
    %195 = stablehlo.subtract %194, %189 : tensor<4x6xf32>
    %cst_58 = stablehlo.constant dense<-2.67079372E-7> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %197 = stablehlo.add %195, %196 : tensor<4x6xf32>
    %198 = stablehlo.multiply %182, %197 : tensor<4x6xf32>
    %199 = stablehlo.subtract %198, %193 : tensor<4x6xf32>
    %cst_59 = stablehlo.constant dense<1.11738757E-6> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %201 = stablehlo.add %199, %200 : tensor<4x6xf32>
    %202 = stablehlo.multiply %182, %201 : tensor<4x6xf32>
    %203 = stablehlo.subtract %202, %197 : tensor<4x6xf32>
    %cst_60 = stablehlo.constant dense<-4.41673819E-6> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %205 = stablehlo.add %203, %204 : tensor<4x6xf32>
    %206 = stablehlo.multiply %182, %205 : tensor<4x6xf32>
    %207 = stablehlo.subtract %206, %201 : tensor<4x6xf32>
    %cst_61 = stablehlo.constant dense<1.64484482E-5> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %209 = stablehlo.add %207, %208 : tensor<4x6xf32>
    %210 = stablehlo.multiply %182, %209 : tensor<4x6xf32>
    %211 = stablehlo.subtract %210, %205 : tensor<4x6xf32>
    %cst_62 = stablehlo.constant dense<-5.75419508E-5> : tensor<f32>
    %212 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %213 = stablehlo.add %211, %212 : tensor<4x6xf32>
    %214 = stablehlo.multiply %182, %213 : tensor<4x6xf32>
    %215 = stablehlo.subtract %214, %209 : tensor<4x6xf32>
    %cst_63 = stablehlo.constant dense<1.88502891E-4> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %217 = stablehlo.add %215, %216 : tensor<4x6xf32>
    %218 = stablehlo.multiply %182, %217 : tensor<4x6xf32>
    %219 = stablehlo.subtract %218, %213 : tensor<4x6xf32>
    %cst_64 = stablehlo.constant dense<-5.76375576E-4> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %221 = stablehlo.add %219, %220 : tensor<4x6xf32>
    %222 = stablehlo.multiply %182, %221 : tensor<4x6xf32>
    %223 = stablehlo.subtract %222, %217 : tensor<4x6xf32>
    %cst_65 = stablehlo.constant dense<0.00163947558> : tensor<f32>
    %224 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %225 = stablehlo.add %223, %224 : tensor<4x6xf32>
    %226 = stablehlo.multiply %182, %225 : tensor<4x6xf32>
    %227 = stablehlo.subtract %226, %221 : tensor<4x6xf32>
    %cst_66 = stablehlo.constant dense<-4.324310e-03> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %229 = stablehlo.add %227, %228 : tensor<4x6xf32>
    %230 = stablehlo.multiply %182, %229 : tensor<4x6xf32>
    %231 = stablehlo.subtract %230, %225 : tensor<4x6xf32>
    %cst_67 = stablehlo.constant dense<0.0105464607> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %233 = stablehlo.add %231, %232 : tensor<4x6xf32>
    %234 = stablehlo.multiply %182, %233 : tensor<4x6xf32>
    %235 = stablehlo.subtract %234, %229 : tensor<4x6xf32>
    %cst_68 = stablehlo.constant dense<-0.0237374157> : tensor<f32>
    %236 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %237 = stablehlo.add %235, %236 : tensor<4x6xf32>
    %238 = stablehlo.multiply %182, %237 : tensor<4x6xf32>
    %239 = stablehlo.subtract %238, %233 : tensor<4x6xf32>
    %cst_69 = stablehlo.constant dense<0.0493052825> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %241 = stablehlo.add %239, %240 : tensor<4x6xf32>
    %242 = stablehlo.multiply %182, %241 : tensor<4x6xf32>
    %243 = stablehlo.subtract %242, %237 : tensor<4x6xf32>
    %cst_70 = stablehlo.constant dense<-9.490110e-02> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %245 = stablehlo.add %243, %244 : tensor<4x6xf32>
    %246 = stablehlo.multiply %182, %245 : tensor<4x6xf32>
    %247 = stablehlo.subtract %246, %241 : tensor<4x6xf32>
    %cst_71 = stablehlo.constant dense<0.171620905> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %249 = stablehlo.add %247, %248 : tensor<4x6xf32>
    %250 = stablehlo.multiply %182, %249 : tensor<4x6xf32>
    %251 = stablehlo.subtract %250, %245 : tensor<4x6xf32>
    %cst_72 = stablehlo.constant dense<-0.304682672> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %253 = stablehlo.add %251, %252 : tensor<4x6xf32>
    %254 = stablehlo.multiply %182, %253 : tensor<4x6xf32>
    %255 = stablehlo.subtract %254, %249 : tensor<4x6xf32>
    %cst_73 = stablehlo.constant dense<0.676795303> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %257 = stablehlo.add %255, %256 : tensor<4x6xf32>
    %258 = stablehlo.subtract %257, %249 : tensor<4x6xf32>
    %cst_74 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %259 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %260 = stablehlo.multiply %259, %258 : tensor<4x6xf32>
    %261 = stablehlo.divide %180, %177 : tensor<4x6xf32>
    %262 = stablehlo.subtract %261, %179 : tensor<4x6xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %264 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %266 = stablehlo.multiply %262, %263 : tensor<4x6xf32>
    %267 = stablehlo.subtract %266, %264 : tensor<4x6xf32>
    %cst_78 = stablehlo.constant dense<3.39623196E-9> : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %269 = stablehlo.add %267, %268 : tensor<4x6xf32>
    %270 = stablehlo.multiply %262, %269 : tensor<4x6xf32>
    %271 = stablehlo.subtract %270, %263 : tensor<4x6xf32>
    %cst_79 = stablehlo.constant dense<2.26666899E-8> : tensor<f32>
    %272 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %273 = stablehlo.add %271, %272 : tensor<4x6xf32>
    %274 = stablehlo.multiply %262, %273 : tensor<4x6xf32>
    %275 = stablehlo.subtract %274, %269 : tensor<4x6xf32>
    %cst_80 = stablehlo.constant dense<2.04891862E-7> : tensor<f32>
    %276 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %277 = stablehlo.add %275, %276 : tensor<4x6xf32>
    %278 = stablehlo.multiply %262, %277 : tensor<4x6xf32>
    %279 = stablehlo.subtract %278, %273 : tensor<4x6xf32>
    %cst_81 = stablehlo.constant dense<2.89137051E-6> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %281 = stablehlo.add %279, %280 : tensor<4x6xf32>
    %282 = stablehlo.multiply %262, %281 : tensor<4x6xf32>
    %283 = stablehlo.subtract %282, %277 : tensor<4x6xf32>
    %cst_82 = stablehlo.constant dense<6.88975852E-5> : tensor<f32>
    %284 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %285 = stablehlo.add %283, %284 : tensor<4x6xf32>
    %286 = stablehlo.multiply %262, %285 : tensor<4x6xf32>
    %287 = stablehlo.subtract %286, %281 : tensor<4x6xf32>
    %cst_83 = stablehlo.constant dense<0.00336911646> : tensor<f32>
    %288 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %289 = stablehlo.add %287, %288 : tensor<4x6xf32>
    %290 = stablehlo.multiply %262, %289 : tensor<4x6xf32>
    %291 = stablehlo.subtract %290, %285 : tensor<4x6xf32>
    %cst_84 = stablehlo.constant dense<0.804490387> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %293 = stablehlo.add %291, %292 : tensor<4x6xf32>
    %294 = stablehlo.subtract %293, %285 : tensor<4x6xf32>
    %cst_85 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %295 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %296 = stablehlo.multiply %295, %294 : tensor<4x6xf32>
    %297 = stablehlo.sqrt %177 : tensor<4x6xf32>
    %298 = stablehlo.divide %296, %297 : tensor<4x6xf32>
    %cst_86 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %299 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
    %300 = stablehlo.compare LE, %177, %299, FLOAT : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
    %301 = stablehlo.select %300, %260, %298 : tensor<4x6xi1>, tensor<4x6xf32>
    return %73, %175, %176, %301 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
  }
  func.func private @remainder(%arg0: tensor<4x6xi64>, %arg1: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %1 = stablehlo.compare EQ, %arg1, %0, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %3 = call @_where(%1, %2, %arg1) : (tensor<4x6xi1>, tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi64>
    %4 = stablehlo.remainder %arg0, %3 : tensor<4x6xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %9 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %10 = stablehlo.compare LT, %3, %9, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x6xi1>
    %12 = stablehlo.and %11, %6 : tensor<4x6xi1>
    %13 = stablehlo.add %4, %3 : tensor<4x6xi64>
    %14 = stablehlo.select %12, %13, %4 : tensor<4x6xi1>, tensor<4x6xi64>
    return %14 : tensor<4x6xi64>
  }
  func.func private @_where(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xi64>, %arg2: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xi64>
    return %0 : tensor<4x6xi64>
  }
  func.func private @floor_divide(%arg0: tensor<4x6xi64>, %arg1: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %0 = stablehlo.divide %arg0, %arg1 : tensor<4x6xi64>
    %1 = stablehlo.sign %arg0 : tensor<4x6xi64>
    %2 = stablehlo.sign %arg1 : tensor<4x6xi64>
    %3 = stablehlo.compare NE, %1, %2, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %4 = stablehlo.remainder %arg0, %arg1 : tensor<4x6xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %7 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<4x6xi1>
    %8 = stablehlo.compare NE, %3, %7, UNSIGNED : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x6xi1>
    %9 = stablehlo.convert %8 : tensor<4x6xi1>
    %c_1 = stablehlo.constant dense<false> : tensor<i1>
    %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i1>) -> tensor<4x6xi1>
    %11 = stablehlo.compare NE, %6, %10, UNSIGNED : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x6xi1>
    %12 = stablehlo.convert %11 : tensor<4x6xi1>
    %13 = stablehlo.and %9, %12 : tensor<4x6xi1>
    %c_2 = stablehlo.constant dense<1> : tensor<i64>
    %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4x6xi64>
    %15 = stablehlo.subtract %0, %14 : tensor<4x6xi64>
    %16 = call @_where_0(%13, %15, %0) : (tensor<4x6xi1>, tensor<4x6xi64>, tensor<4x6xi64>) -> tensor<4x6xi64>
    return %16 : tensor<4x6xi64>
  }
  func.func private @_where_0(%arg0: tensor<4x6xi1>, %arg1: tensor<4x6xi64>, %arg2: tensor<4x6xi64>) -> tensor<4x6xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<4x6xi1>, tensor<4x6xi64>
    return %0 : tensor<4x6xi64>
  }
}
