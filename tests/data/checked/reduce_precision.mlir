module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<484xf64>, %arg1: tensor<404xf64>, %arg2: tensor<324xf64>, %arg3: tensor<404xf64>, %arg4: tensor<484xi64>, %arg5: tensor<484xi64>, %arg6: tensor<484xi64>, %arg7: tensor<484xi64>, %arg8: tensor<484xi64>, %arg9: tensor<484xi64>, %arg10: tensor<484xi64>, %arg11: tensor<484xi64>, %arg12: tensor<484xi64>, %arg13: tensor<484xi64>, %arg14: tensor<484xi64>, %arg15: tensor<404xi32>, %arg16: tensor<404xi32>, %arg17: tensor<404xi32>, %arg18: tensor<404xi32>, %arg19: tensor<404xi32>, %arg20: tensor<404xi32>, %arg21: tensor<404xi32>, %arg22: tensor<404xi32>, %arg23: tensor<404xi32>, %arg24: tensor<404xi32>, %arg25: tensor<404xi32>, %arg26: tensor<324xi16>, %arg27: tensor<324xi16>, %arg28: tensor<324xi16>, %arg29: tensor<324xi16>, %arg30: tensor<324xi16>, %arg31: tensor<324xi16>, %arg32: tensor<324xi16>, %arg33: tensor<324xi16>, %arg34: tensor<324xi16>, %arg35: tensor<324xi16>, %arg36: tensor<324xi16>, %arg37: tensor<404xi16>, %arg38: tensor<404xi16>, %arg39: tensor<404xi16>, %arg40: tensor<404xi16>, %arg41: tensor<404xi16>, %arg42: tensor<404xi16>, %arg43: tensor<404xi16>, %arg44: tensor<404xi16>, %arg45: tensor<404xi16>, %arg46: tensor<404xi16>, %arg47: tensor<404xi16>) {
    %0:44 = call @function(%arg0, %arg1, %arg2, %arg3) : (tensor<484xf64>, tensor<404xf64>, tensor<324xf64>, tensor<404xf64>) -> (tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>)
    check.expect_eq %0#0, %arg4 : tensor<484xi64>
    check.expect_eq %0#1, %arg5 : tensor<484xi64>
    check.expect_eq %0#2, %arg6 : tensor<484xi64>
    check.expect_eq %0#3, %arg7 : tensor<484xi64>
    check.expect_eq %0#4, %arg8 : tensor<484xi64>
    check.expect_eq %0#5, %arg9 : tensor<484xi64>
    check.expect_eq %0#6, %arg10 : tensor<484xi64>
    check.expect_eq %0#7, %arg11 : tensor<484xi64>
    check.expect_eq %0#8, %arg12 : tensor<484xi64>
    check.expect_eq %0#9, %arg13 : tensor<484xi64>
    check.expect_eq %0#10, %arg14 : tensor<484xi64>
    check.expect_eq %0#11, %arg15 : tensor<404xi32>
    check.expect_eq %0#12, %arg16 : tensor<404xi32>
    check.expect_eq %0#13, %arg17 : tensor<404xi32>
    check.expect_eq %0#14, %arg18 : tensor<404xi32>
    check.expect_eq %0#15, %arg19 : tensor<404xi32>
    check.expect_eq %0#16, %arg20 : tensor<404xi32>
    check.expect_eq %0#17, %arg21 : tensor<404xi32>
    check.expect_eq %0#18, %arg22 : tensor<404xi32>
    check.expect_eq %0#19, %arg23 : tensor<404xi32>
    check.expect_eq %0#20, %arg24 : tensor<404xi32>
    check.expect_eq %0#21, %arg25 : tensor<404xi32>
    check.expect_eq %0#22, %arg26 : tensor<324xi16>
    check.expect_eq %0#23, %arg27 : tensor<324xi16>
    check.expect_eq %0#24, %arg28 : tensor<324xi16>
    check.expect_eq %0#25, %arg29 : tensor<324xi16>
    check.expect_eq %0#26, %arg30 : tensor<324xi16>
    check.expect_eq %0#27, %arg31 : tensor<324xi16>
    check.expect_eq %0#28, %arg32 : tensor<324xi16>
    check.expect_eq %0#29, %arg33 : tensor<324xi16>
    check.expect_eq %0#30, %arg34 : tensor<324xi16>
    check.expect_eq %0#31, %arg35 : tensor<324xi16>
    check.expect_eq %0#32, %arg36 : tensor<324xi16>
    check.expect_eq %0#33, %arg37 : tensor<404xi16>
    check.expect_eq %0#34, %arg38 : tensor<404xi16>
    check.expect_eq %0#35, %arg39 : tensor<404xi16>
    check.expect_eq %0#36, %arg40 : tensor<404xi16>
    check.expect_eq %0#37, %arg41 : tensor<404xi16>
    check.expect_eq %0#38, %arg42 : tensor<404xi16>
    check.expect_eq %0#39, %arg43 : tensor<404xi16>
    check.expect_eq %0#40, %arg44 : tensor<404xi16>
    check.expect_eq %0#41, %arg45 : tensor<404xi16>
    check.expect_eq %0#42, %arg46 : tensor<404xi16>
    check.expect_eq %0#43, %arg47 : tensor<404xi16>
    return
  }
  func.func private @function(%arg0: tensor<484xf64>, %arg1: tensor<404xf64>, %arg2: tensor<324xf64>, %arg3: tensor<404xf64>) -> (tensor<484xi64> {jax.result_info = "result[0]"}, tensor<484xi64> {jax.result_info = "result[1]"}, tensor<484xi64> {jax.result_info = "result[2]"}, tensor<484xi64> {jax.result_info = "result[3]"}, tensor<484xi64> {jax.result_info = "result[4]"}, tensor<484xi64> {jax.result_info = "result[5]"}, tensor<484xi64> {jax.result_info = "result[6]"}, tensor<484xi64> {jax.result_info = "result[7]"}, tensor<484xi64> {jax.result_info = "result[8]"}, tensor<484xi64> {jax.result_info = "result[9]"}, tensor<484xi64> {jax.result_info = "result[10]"}, tensor<404xi32> {jax.result_info = "result[11]"}, tensor<404xi32> {jax.result_info = "result[12]"}, tensor<404xi32> {jax.result_info = "result[13]"}, tensor<404xi32> {jax.result_info = "result[14]"}, tensor<404xi32> {jax.result_info = "result[15]"}, tensor<404xi32> {jax.result_info = "result[16]"}, tensor<404xi32> {jax.result_info = "result[17]"}, tensor<404xi32> {jax.result_info = "result[18]"}, tensor<404xi32> {jax.result_info = "result[19]"}, tensor<404xi32> {jax.result_info = "result[20]"}, tensor<404xi32> {jax.result_info = "result[21]"}, tensor<324xi16> {jax.result_info = "result[22]"}, tensor<324xi16> {jax.result_info = "result[23]"}, tensor<324xi16> {jax.result_info = "result[24]"}, tensor<324xi16> {jax.result_info = "result[25]"}, tensor<324xi16> {jax.result_info = "result[26]"}, tensor<324xi16> {jax.result_info = "result[27]"}, tensor<324xi16> {jax.result_info = "result[28]"}, tensor<324xi16> {jax.result_info = "result[29]"}, tensor<324xi16> {jax.result_info = "result[30]"}, tensor<324xi16> {jax.result_info = "result[31]"}, tensor<324xi16> {jax.result_info = "result[32]"}, tensor<404xi16> {jax.result_info = "result[33]"}, tensor<404xi16> {jax.result_info = "result[34]"}, tensor<404xi16> {jax.result_info = "result[35]"}, tensor<404xi16> {jax.result_info = "result[36]"}, tensor<404xi16> {jax.result_info = "result[37]"}, tensor<404xi16> {jax.result_info = "result[38]"}, tensor<404xi16> {jax.result_info = "result[39]"}, tensor<404xi16> {jax.result_info = "result[40]"}, tensor<404xi16> {jax.result_info = "result[41]"}, tensor<404xi16> {jax.result_info = "result[42]"}, tensor<404xi16> {jax.result_info = "result[43]"}) {
    %0 = stablehlo.reduce_precision %arg0, format = e11m52 : tensor<484xf64>
    %1 = stablehlo.bitcast_convert %0 : (tensor<484xf64>) -> tensor<484xi64>
    %2 = stablehlo.reduce_precision %arg0, format = e8m23 : tensor<484xf64>
    %3 = stablehlo.bitcast_convert %2 : (tensor<484xf64>) -> tensor<484xi64>
    %4 = stablehlo.reduce_precision %arg0, format = e8m10 : tensor<484xf64>
    %5 = stablehlo.bitcast_convert %4 : (tensor<484xf64>) -> tensor<484xi64>
    %6 = stablehlo.reduce_precision %arg0, format = e8m7 : tensor<484xf64>
    %7 = stablehlo.bitcast_convert %6 : (tensor<484xf64>) -> tensor<484xi64>
    %8 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<484xf64>
    %9 = stablehlo.bitcast_convert %8 : (tensor<484xf64>) -> tensor<484xi64>
    %10 = stablehlo.reduce_precision %arg0, format = e5m2 : tensor<484xf64>
    %11 = stablehlo.bitcast_convert %10 : (tensor<484xf64>) -> tensor<484xi64>
    %12 = stablehlo.reduce_precision %arg0, format = e4m3 : tensor<484xf64>
    %13 = stablehlo.bitcast_convert %12 : (tensor<484xf64>) -> tensor<484xi64>
    %14 = stablehlo.reduce_precision %arg0, format = e3m4 : tensor<484xf64>
    %15 = stablehlo.bitcast_convert %14 : (tensor<484xf64>) -> tensor<484xi64>
    %16 = stablehlo.reduce_precision %arg0, format = e11m0 : tensor<484xf64>
    %17 = stablehlo.bitcast_convert %16 : (tensor<484xf64>) -> tensor<484xi64>
    %18 = stablehlo.reduce_precision %arg0, format = e2m30 : tensor<484xf64>
    %19 = stablehlo.bitcast_convert %18 : (tensor<484xf64>) -> tensor<484xi64>
    %20 = stablehlo.reduce_precision %arg0, format = e1m1 : tensor<484xf64>
    %21 = stablehlo.bitcast_convert %20 : (tensor<484xf64>) -> tensor<484xi64>
    %22 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %23 = stablehlo.reduce_precision %22, format = e11m52 : tensor<404xf32>
    %24 = stablehlo.bitcast_convert %23 : (tensor<404xf32>) -> tensor<404xi32>
    %25 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %26 = stablehlo.reduce_precision %25, format = e8m23 : tensor<404xf32>
    %27 = stablehlo.bitcast_convert %26 : (tensor<404xf32>) -> tensor<404xi32>
    %28 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %29 = stablehlo.reduce_precision %28, format = e8m10 : tensor<404xf32>
    %30 = stablehlo.bitcast_convert %29 : (tensor<404xf32>) -> tensor<404xi32>
    %31 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %32 = stablehlo.reduce_precision %31, format = e8m7 : tensor<404xf32>
    %33 = stablehlo.bitcast_convert %32 : (tensor<404xf32>) -> tensor<404xi32>
    %34 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %35 = stablehlo.reduce_precision %34, format = e5m10 : tensor<404xf32>
    %36 = stablehlo.bitcast_convert %35 : (tensor<404xf32>) -> tensor<404xi32>
    %37 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %38 = stablehlo.reduce_precision %37, format = e5m2 : tensor<404xf32>
    %39 = stablehlo.bitcast_convert %38 : (tensor<404xf32>) -> tensor<404xi32>
    %40 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %41 = stablehlo.reduce_precision %40, format = e4m3 : tensor<404xf32>
    %42 = stablehlo.bitcast_convert %41 : (tensor<404xf32>) -> tensor<404xi32>
    %43 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %44 = stablehlo.reduce_precision %43, format = e3m4 : tensor<404xf32>
    %45 = stablehlo.bitcast_convert %44 : (tensor<404xf32>) -> tensor<404xi32>
    %46 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %47 = stablehlo.reduce_precision %46, format = e11m0 : tensor<404xf32>
    %48 = stablehlo.bitcast_convert %47 : (tensor<404xf32>) -> tensor<404xi32>
    %49 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %50 = stablehlo.reduce_precision %49, format = e2m30 : tensor<404xf32>
    %51 = stablehlo.bitcast_convert %50 : (tensor<404xf32>) -> tensor<404xi32>
    %52 = stablehlo.convert %arg1 : (tensor<404xf64>) -> tensor<404xf32>
    %53 = stablehlo.reduce_precision %52, format = e1m1 : tensor<404xf32>
    %54 = stablehlo.bitcast_convert %53 : (tensor<404xf32>) -> tensor<404xi32>
    %55 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %56 = stablehlo.reduce_precision %55, format = e11m52 : tensor<324xf16>
    %57 = stablehlo.bitcast_convert %56 : (tensor<324xf16>) -> tensor<324xi16>
    %58 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %59 = stablehlo.reduce_precision %58, format = e8m23 : tensor<324xf16>
    %60 = stablehlo.bitcast_convert %59 : (tensor<324xf16>) -> tensor<324xi16>
    %61 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %62 = stablehlo.reduce_precision %61, format = e8m10 : tensor<324xf16>
    %63 = stablehlo.bitcast_convert %62 : (tensor<324xf16>) -> tensor<324xi16>
    %64 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %65 = stablehlo.reduce_precision %64, format = e8m7 : tensor<324xf16>
    %66 = stablehlo.bitcast_convert %65 : (tensor<324xf16>) -> tensor<324xi16>
    %67 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %68 = stablehlo.reduce_precision %67, format = e5m10 : tensor<324xf16>
    %69 = stablehlo.bitcast_convert %68 : (tensor<324xf16>) -> tensor<324xi16>
    %70 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %71 = stablehlo.reduce_precision %70, format = e5m2 : tensor<324xf16>
    %72 = stablehlo.bitcast_convert %71 : (tensor<324xf16>) -> tensor<324xi16>
    %73 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %74 = stablehlo.reduce_precision %73, format = e4m3 : tensor<324xf16>
    %75 = stablehlo.bitcast_convert %74 : (tensor<324xf16>) -> tensor<324xi16>
    %76 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %77 = stablehlo.reduce_precision %76, format = e3m4 : tensor<324xf16>
    %78 = stablehlo.bitcast_convert %77 : (tensor<324xf16>) -> tensor<324xi16>
    %79 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %80 = stablehlo.reduce_precision %79, format = e11m0 : tensor<324xf16>
    %81 = stablehlo.bitcast_convert %80 : (tensor<324xf16>) -> tensor<324xi16>
    %82 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %83 = stablehlo.reduce_precision %82, format = e2m30 : tensor<324xf16>
    %84 = stablehlo.bitcast_convert %83 : (tensor<324xf16>) -> tensor<324xi16>
    %85 = stablehlo.convert %arg2 : (tensor<324xf64>) -> tensor<324xf16>
    %86 = stablehlo.reduce_precision %85, format = e1m1 : tensor<324xf16>
    %87 = stablehlo.bitcast_convert %86 : (tensor<324xf16>) -> tensor<324xi16>
    %88 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %89 = stablehlo.reduce_precision %88, format = e11m52 : tensor<404xbf16>
    %90 = stablehlo.bitcast_convert %89 : (tensor<404xbf16>) -> tensor<404xi16>
    %91 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %92 = stablehlo.reduce_precision %91, format = e8m23 : tensor<404xbf16>
    %93 = stablehlo.bitcast_convert %92 : (tensor<404xbf16>) -> tensor<404xi16>
    %94 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %95 = stablehlo.reduce_precision %94, format = e8m10 : tensor<404xbf16>
    %96 = stablehlo.bitcast_convert %95 : (tensor<404xbf16>) -> tensor<404xi16>
    %97 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %98 = stablehlo.reduce_precision %97, format = e8m7 : tensor<404xbf16>
    %99 = stablehlo.bitcast_convert %98 : (tensor<404xbf16>) -> tensor<404xi16>
    %100 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %101 = stablehlo.reduce_precision %100, format = e5m10 : tensor<404xbf16>
    %102 = stablehlo.bitcast_convert %101 : (tensor<404xbf16>) -> tensor<404xi16>
    %103 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %104 = stablehlo.reduce_precision %103, format = e5m2 : tensor<404xbf16>
    %105 = stablehlo.bitcast_convert %104 : (tensor<404xbf16>) -> tensor<404xi16>
    %106 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %107 = stablehlo.reduce_precision %106, format = e4m3 : tensor<404xbf16>
    %108 = stablehlo.bitcast_convert %107 : (tensor<404xbf16>) -> tensor<404xi16>
    %109 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %110 = stablehlo.reduce_precision %109, format = e3m4 : tensor<404xbf16>
    %111 = stablehlo.bitcast_convert %110 : (tensor<404xbf16>) -> tensor<404xi16>
    %112 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %113 = stablehlo.reduce_precision %112, format = e11m0 : tensor<404xbf16>
    %114 = stablehlo.bitcast_convert %113 : (tensor<404xbf16>) -> tensor<404xi16>
    %115 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %116 = stablehlo.reduce_precision %115, format = e2m30 : tensor<404xbf16>
    %117 = stablehlo.bitcast_convert %116 : (tensor<404xbf16>) -> tensor<404xi16>
    %118 = stablehlo.convert %arg3 : (tensor<404xf64>) -> tensor<404xbf16>
    %119 = stablehlo.reduce_precision %118, format = e1m1 : tensor<404xbf16>
    %120 = stablehlo.bitcast_convert %119 : (tensor<404xbf16>) -> tensor<404xi16>
    return %1, %3, %5, %7, %9, %11, %13, %15, %17, %19, %21, %24, %27, %30, %33, %36, %39, %42, %45, %48, %51, %54, %57, %60, %63, %66, %69, %72, %75, %78, %81, %84, %87, %90, %93, %96, %99, %102, %105, %108, %111, %114, %117, %120 : tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<484xi64>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<404xi32>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<324xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>, tensor<404xi16>
  }
}
